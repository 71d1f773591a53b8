//! The P5 (Pentium 60 and 66): rules and the timing of every instruction.
//!
//! Modelled: the clocks of each form with data cache hits, aligned accesses and correct predictions; the pairing class
//! of each form. Not modelled: the operands' part in the clocks of transcendental and similar instructions.
//!
//! Sources: Agner Fog, Instruction tables (2021-08), Intel Pentium; Intel, Architecture Optimization Manual 1997
//! (242816-003) appendix A; Intel Pentium instruction set reference for system instructions. Where measured and
//! published figures differ, the measured one applies and `doubt` records the difference.

use super::{
    BothConstants, CacheGeometry, Class, Clocks, CounterEvents, CpuidLeaf, Early, FloatingPoint, Geometry, LISTED,
    Model, ModelRegister, Prediction, Prefixes, Role, RouteClocks, Row, Rules, TableGeometry, When, WriteBuffers,
    genuine_intel, isa,
};
use asm_macros::events::Event;
use asm_macros::msr;
use iced_x86::Mnemonic::*;
use iced_x86::Register;
use p5_words::flags::FaultedComparison;
use p5_words::fpu::{Divider, SafeExponents};

const MOVES: &str = "Agner Fog, Instruction tables 2021, Pentium; Intel instruction set reference";
const ALU: &str = "Agner Fog, Instruction tables 2021, Pentium; Intel optimization manual 1997, appendix A";
const MULTIPLY: &str = "Intel instruction set reference; Agner Fog, Instruction tables 2021; TalkieToaster, P5 basics, \
                        release 2: macros of 27 clocks";
const DIVIDE: &str = "Intel instruction set reference; Agner Fog, Instruction tables 2021";
const TRANSFER: &str = "Intel developer's manual 1997, 2.4; Agner Fog, Instruction tables 2021, Pentium";
const JUMPS: &str = "Intel developer's manual 1997, 2.4; Agner Fog, Instruction tables 2021, Pentium; for a wrong \
                     prediction, the assumption `mispredicted_jump`";
const STRINGS: &str = "Agner Fog, Instruction tables 2021, Pentium (measured start-up)";
const X87: &str = "Agner Fog, Instruction tables 2021, Pentium, with its overlaps; Intel developer's manual 1997, 2.3";
const IMUL_ALONE: &str =
    "Intel 10, measured 9, but versions of a routine that differ in it alone differ as with 10: `imul_one_operand`";
const SEGMENT_CLOCKS: &str = "one author counts 3 (the assumption `mov_sreg`)";
/// The doubt of loads of a segment register in programs that have descriptor tables of their own.
pub(super) const DESCRIPTOR: &str = "8 clocks more where it reads another descriptor than the register holds from a \
                                     table of the program's own, as Intel counts";
const TYPICAL: &str = "typical: less for trivial operands, more for extreme ones";
const STATUS_CLOCKS: &str =
    "measured 6, of which integer instructions before it hide up to 4; by Intel's count a clock less";
pub(super) const TIME_STAMP: &str =
    "Agner Fog, Instruction tables 2021, Pentium, note j; TalkieToaster takes it to pair: `p5inst explain rdtsc`";
const SYSTEM: &str = "Intel instruction set reference; Agner Fog, Instruction tables 2021, Pentium, note j";

/// The rules of the P5.
///
/// Sources: Agner Fog, Microarchitecture (2020-09), 3.2, 3.3, 4.1 to 4.5; Intel, Pentium Processor Family Developer's
/// Manual 1997 (241428-005), chapter 2.
pub(super) const RULES: Rules = Rules {
    pipes: 2,
    longest_paired: [7; 2],
    displacement_with_immediate: BothConstants::Unpaired,
    prefixed_goes_to_u: Prefixes {
        size: true,
        escape: true,
        other: true,
    },
    pairs_after_first_execution: true,
    prefix_decode: Prefixes {
        size: 1,
        escape: 1,
        other: 1,
    },
    prefixes_decoded_ahead: true,
    queued_instructions: 0,
    longest_decoded_beside_another: 0,
    index: 0,
    displacement_and_immediate: 0,
    prefetched_bytes: 0,
    reads_into_next_page: false,
    address_interlock: 1,
    prediction: Prediction::Counter,
    mispredicted_in_ex: 3,
    mispredicted_in_wb: 4,
    mispredicted_direct: 3,
    misaligned: 3,
    bank_conflict: 1,
    repeated_zero_times: 6,
    exchange_before_integer: 1,
    unsafe_operands: 4,
    // The chip has no MMX.
    packed_multiply: 0,
    packed_store_ahead: 0,
    to_packed: 0,
    from_packed: 0,
    history_update_instructions: 0,
    btb_update_groups: 4,
    most_operations: u32::MAX,
    miscounts: false,
};

/// The P5's units.
///
/// Source: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), chapter 2.
pub(super) const GEOMETRY: Geometry = Geometry {
    code_cache: CACHE,
    data_cache: CACHE,
    code_tlb: TableGeometry { entries: 32, ways: 4 },
    data_tlb: TableGeometry { entries: 64, ways: 4 },
    large_tlb: Some(TableGeometry { entries: 8, ways: 4 }),
    branch_target_buffer: TableGeometry { entries: 256, ways: 4 },
    unified: false,
    write_through: false,
    write_buffers: WriteBuffers::OfEachPipe(1),
    bus_width: 8,
    banks: 8,
    bank_width: 4,
    alignment: 4,
    wide_alignment: 8,
    // No access is wider, and an access of 10 bytes always crosses a boundary.
    widest_access: 16,
};

const CACHE: CacheGeometry = CacheGeometry {
    size: 8 << 10,
    ways: 2,
    line: 32,
};

/// The events of both counters, and those that are not simulated.
pub(super) const EVENTS: CounterEvents = CounterEvents {
    selected: [LISTED; 2],
    unavailable: UNAVAILABLE,
    errata: &[],
};

/// The events that are not simulated, each with the reason.
#[rustfmt::skip] // One event per row.
pub(super) const UNAVAILABLE: &[(Event, &str)] = &[
    (Event::EXTERNAL_SNOOPS,         NO_SNOOPS),
    (Event::EXTERNAL_SNOOP_HITS,     NO_SNOOPS),
    (Event::SEGMENT_CACHE_ACCESSES,  NO_SEGMENT_CACHE),
    (Event::SEGMENT_CACHE_HITS,      NO_SEGMENT_CACHE),
    (Event::EVENT_20H,               UNKNOWN),
    (Event::EVENT_21H,               UNKNOWN),
    (Event::HARDWARE_INTERRUPTS,     NO_INTERRUPTS),
    // The rest are events of the Pentium with MMX.
    (Event::BUS_OWNERSHIP_LATENCY,   ALONE),
    (Event::BUS_OWNERSHIP_TRANSFERS, ALONE),
    (Event::CACHE_M_LINE_SHARING,    ALONE),
    (Event::CACHE_LINE_SHARING,      ALONE),
];

const NO_SNOOPS: &str = "nothing snoops without the bus master of `--monitor snooper` or `dual`";
const NO_INTERRUPTS: &str = "nothing interrupts without the local APIC of `--monitor perfmon` or `ibs`";
const NO_SEGMENT_CACHE: &str = "the manual calls the selector reserved, and no descriptor cache is documented";
const UNKNOWN: &str = "the manual calls the selector reserved, and nobody says what it counts";
const ALONE: &str = "there is no second processor without `--monitor dual`";

/// CPUID leaf 1 EDX: FPU, VME, DE, PSE, TSC, MSR, MCE, CX8.
pub(super) const FEATURES: u32 = 0x0000_01BF;

const CPUID: &[CpuidLeaf] = &[genuine_intel(1), [0x0517, 0, 0, FEATURES]];

/// The model specific registers.
///
/// Source: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), 16.2; 0Ah is reserved and hangs.
#[rustfmt::skip] // One register per row.
pub(super) const REGISTERS: &[ModelRegister] = &[
    ModelRegister { number: msr::MACHINE_CHECK_ADDRESS,    role: Role::Kept,                  reset: 0 },
    ModelRegister { number: msr::MACHINE_CHECK_TYPE,       role: Role::Kept,                  reset: 0 },
    ModelRegister { number: 0x02,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: 0x04,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: 0x05,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: 0x06,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: 0x07,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: 0x08,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: 0x09,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: 0x0A,                          role: Role::HangsWhenRead,         reset: 0 },
    ModelRegister { number: 0x0B,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: 0x0C,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: 0x0D,                          role: Role::Test,                  reset: 0 },
    ModelRegister { number: msr::TR12,                     role: Role::FeatureControl,        reset: 0 },
    ModelRegister { number: msr::TIME_STAMP_COUNTER,       role: Role::TimeStampCounter,      reset: 0 },
    ModelRegister { number: msr::CONTROL_AND_EVENT_SELECT, role: Role::ControlAndEventSelect, reset: 0 },
    ModelRegister { number: msr::COUNTER_0,                role: Role::Counter(0),            reset: 0 },
    ModelRegister { number: msr::COUNTER_1,                role: Role::Counter(1),            reset: 0 },
];

pub(super) static P5: Model = Model {
    name: "p5",
    title: "Pentium 60/66 (P5)",
    base: None,
    isa: &isa::P5,
    geometry: GEOMETRY,
    rules: RULES,
    divider: Divider::Correct,
    faulted_comparison: FaultedComparison::Restored,
    safe_exponents: SafeExponents {
        below: 0x1FFE,
        above: 0x1FFE,
    },
    rows: ROWS,
    events: EVENTS,
    cpuid: CPUID,
    registers: REGISTERS,
    assumed: &[],
    extended_cpuid: &[],
    monitors: &[],
};

/// The work of FST and FSTP to memory, whose value must be ready a clock earlier than other operands.
const STORE: FloatingPoint = FloatingPoint {
    operands_ahead: 1,
    ..FloatingPoint::plain(2, 2)
};
/// The work of FST and FSTP of 80 bits.
const STORE_EXTENDED: FloatingPoint = FloatingPoint {
    operands_ahead: 1,
    ..FloatingPoint::plain(3, 3)
};
/// The work of FNSTSW: the status of an instruction is ready when it leaves the last of the unit's stages.
const STORE_STATUS: FloatingPoint = FloatingPoint {
    status_behind: 4,
    ..FloatingPoint::plain(2, 2)
};
/// The work of FMUL: the multiplier takes two clocks for each.
const MULTIPLY_REALS: FloatingPoint = FloatingPoint {
    multiplier: 2,
    ..FloatingPoint::operation(1, 3)
};
/// The work of FIMUL: a conversion, then FMUL.
const MULTIPLY_BY_INTEGER: FloatingPoint = FloatingPoint {
    multiplier: 5,
    ..FloatingPoint::operation(4, 6)
};

/// The work of a division that takes `clocks` with 64-bit precision.
const fn divide(clocks: u32) -> FloatingPoint {
    FloatingPoint {
        less_by_precision: [20, 6],
        ..FloatingPoint::operation(clocks - 2, clocks)
    }
}

/// The early writes of microcode, concluded from LOOP, for which they were measured: it steps counters and pointers,
/// and sets up the stack, before its last clock. It writes loaded or computed results in the last clock.
const COUNTED: Early = Early {
    registers: &[Register::ECX],
    measured: true,
};
const COUNTED_LIKEWISE: Early = Early::by_analogy(&[Register::ECX]);
const SOURCE_STEPPED: Early = Early::by_analogy(&[Register::ESI]);
const DESTINATION_STEPPED: Early = Early::by_analogy(&[Register::EDI]);
const BOTH_STEPPED: Early = Early::by_analogy(&[Register::ESI, Register::EDI]);
const SOURCE_REPEATED: Early = Early::by_analogy(&[Register::ESI, Register::ECX]);
const DESTINATION_REPEATED: Early = Early::by_analogy(&[Register::EDI, Register::ECX]);
const BOTH_REPEATED: Early = Early::by_analogy(&[Register::ESI, Register::EDI, Register::ECX]);
/// The early writes of POPA, which takes two registers a clock, as its 4 clocks more with pairs in one doubleword show;
/// ECX and EAX are last.
const POPPED: Early = Early::by_analogy(&[
    Register::EDI,
    Register::ESI,
    Register::EBP,
    Register::EBX,
    Register::EDX,
]);
/// The early write of LEAVE, which sets ESP before it pops EBP.
const STACK_TOP: Early = Early::by_analogy(&[Register::ESP]);
/// The early write of ENTER, which sets EBP before it makes room on the stack.
const FRAME: Early = Early::by_analogy(&[Register::EBP]);

/// The doubt about transfers through gates and to other privilege levels, which are remembered from Intel's tables.
const REMEMBERED: &str = "gates and changes of the privilege level: remembered, not read in a source";
/// The clocks of a task switch without the transfer that begins it: to a task with a 32-bit task state segment, with a
/// 16-bit one, and in virtual 8086 mode. They are remembered from Intel's tables, like those of the transfer.
const TASK_SWITCH: [u32; 3] = [85, 87, 71];
const LOAD: RouteClocks = RouteClocks::load(2, 10).doubted(DESCRIPTOR);
const LOAD_FROM_MEMORY: RouteClocks = RouteClocks::load(3, 11).doubted(DESCRIPTOR);
pub(super) const LOAD_SS: RouteClocks = RouteClocks::load(8, 16);
const LOAD_SS_FROM_MEMORY: RouteClocks = RouteClocks::load(9, 17);
const LOAD_POINTER: RouteClocks = RouteClocks::load(4, 12).doubted(DESCRIPTOR);
const FAR_JUMP: RouteClocks = far_jump(3);
const FAR_JUMP_BY_MEMORY: RouteClocks = far_jump(4);
const FAR_CALL: RouteClocks = far_call(
    4,
    13,
    "protected mode: Intel gives 4 to 13, here the most where it reads another descriptor than CS holds from a \
     table of the program's own; gates and changes of the privilege level: remembered, not read in a source",
);
const FAR_CALL_BY_MEMORY: RouteClocks = far_call(
    5,
    14,
    "protected mode: Intel gives 5 to 14, here the most where it reads another descriptor than CS holds from a \
     table of the program's own; gates and changes of the privilege level: remembered, not read in a source",
);
const FAR_RETURN: RouteClocks = far_return(4, 23);
const FAR_RETURN_RELEASING: RouteClocks = far_return(5, 24);
const INTERRUPT_RETURN: RouteClocks = far_return(10, 27).switching(10, TASK_SWITCH);
const BREAKPOINT: RouteClocks = RouteClocks::interrupt(27, [27, 44, 56]).switching(19, TASK_SWITCH);
const INTERRUPT: RouteClocks = RouteClocks::interrupt(31, [31, 48, 59])
    .switching(23, TASK_SWITCH)
    .doubted("out of virtual 8086 mode: 59 or 82");
const INTO: RouteClocks = RouteClocks::interrupt(4, [27, 44, 56])
    .switching(19, TASK_SWITCH)
    .doubted(REMEMBERED);
const INTO_IN_REAL_MODE: RouteClocks = RouteClocks::interrupt(4, [13, 13, 13]);

const fn far_jump(usual: u32) -> RouteClocks {
    RouteClocks {
        gate: 18,
        ..RouteClocks::all(usual).switching(19, TASK_SWITCH).doubted(REMEMBERED)
    }
}

const fn far_call(usual: u32, descriptor: u32, doubt: &'static str) -> RouteClocks {
    RouteClocks {
        gate: 22,
        inner_gate: 44,
        inner_gate_with_parameters: 45,
        parameter: 2,
        ..RouteClocks::load(usual, descriptor)
            .switching(21, TASK_SWITCH)
            .doubted(doubt)
    }
}

const fn far_return(usual: u32, outer: u32) -> RouteClocks {
    RouteClocks {
        outer,
        enters_virtual: outer,
        ..RouteClocks::all(usual).doubted(REMEMBERED)
    }
}

#[rustfmt::skip] // One form per row, in columns.
static ROWS: &[Row] = &[
    // Moves. The source is in `MOVES`.
    Row { form: "MOV SS,r (real)",           mnemonics: &[Mov],                            when: &[When::Real, When::ToStackSegment, When::Register], class: Class::Np, clocks: Clocks::Fixed(2),      serializing: false, source: MOVES, doubt: Some(SEGMENT_CLOCKS), early: None, fpu: None },
    Row { form: "MOV SS,m (real)",           mnemonics: &[Mov],                            when: &[When::Real, When::ToStackSegment, When::Read],   class: Class::Np, clocks: Clocks::Fixed(3),      serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "MOV sreg,r",                mnemonics: &[Mov],                            when: &[When::ToStackSegment, When::Register],   class: Class::Np, clocks: Clocks::ByRoute(&LOAD_SS),              serializing: false, source: MOVES, doubt: Some("SS: Intel gives a range of 8 to 17"), early: None, fpu: None },
    Row { form: "MOV sreg,m",                mnemonics: &[Mov],                            when: &[When::ToStackSegment, When::Read],       class: Class::Np, clocks: Clocks::ByRoute(&LOAD_SS_FROM_MEMORY),              serializing: false, source: MOVES, doubt: Some("SS: Intel gives a range of 9 to 18"), early: None, fpu: None },
    Row { form: "MOV sreg,r",                mnemonics: &[Mov],                            when: &[When::ToSegment, When::Register],        class: Class::Np, clocks: Clocks::ByRoute(&LOAD),              serializing: false, source: MOVES, doubt: Some(SEGMENT_CLOCKS), early: None, fpu: None },
    Row { form: "MOV sreg,m",                mnemonics: &[Mov],                            when: &[When::ToSegment, When::Read],            class: Class::Np, clocks: Clocks::ByRoute(&LOAD_FROM_MEMORY),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "MOV r/m,sreg",              mnemonics: &[Mov],                            when: &[When::FromSegment],                      class: Class::Np, clocks: Clocks::Fixed(1),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "MOV CR0,r",                 mnemonics: &[Mov],                            when: &[When::ToControl, When::ControlZero],     class: Class::Np, clocks: Clocks::Fixed(22),             serializing: true,  source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "MOV CR,r",                  mnemonics: &[Mov],                            when: &[When::ToControl],                        class: Class::Np, clocks: Clocks::Fixed(12),             serializing: true,  source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "MOV r,CR",                  mnemonics: &[Mov],                            when: &[When::FromControl],                      class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "MOV DR,r",                  mnemonics: &[Mov],                            when: &[When::ToDebug],                          class: Class::Np, clocks: Clocks::Fixed(11),             serializing: true,  source: MOVES, doubt: Some("Intel gives 11 to 12"), early: None, fpu: None },
    Row { form: "MOV r,DR",                  mnemonics: &[Mov],                            when: &[When::FromDebug],                        class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: MOVES, doubt: Some("Intel gives 2 to 12"), early: None, fpu: None },
    Row { form: "MOV r/m,r/m/i",             mnemonics: &[Mov],                            when: &[],                                       class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "MOVZX MOVSX r,r/m",         mnemonics: &[Movzx, Movsx],                   when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "LEA r,m",                   mnemonics: &[Lea],                            when: &[],                                       class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "LDS LES r,m",               mnemonics: &[Lds, Les],                       when: &[],                                       class: Class::Np, clocks: Clocks::ByRoute(&LOAD_POINTER),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "LSS r,m (real)",            mnemonics: &[Lss],                            when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(4),      serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "LSS r,m",                   mnemonics: &[Lss],                            when: &[],                                       class: Class::Np, clocks: Clocks::ByRoute(&LOAD_SS),              serializing: false, source: MOVES, doubt: Some("remembered, not read in a source"), early: None, fpu: None },
    Row { form: "LFS LGS r,m",               mnemonics: &[Lfs, Lgs],                       when: &[],                                       class: Class::Np, clocks: Clocks::ByRoute(&LOAD_POINTER),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "PUSH sreg",                 mnemonics: &[Push],                           when: &[When::FromSegment],                      class: Class::Np, clocks: Clocks::Fixed(1),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "PUSH r/i",                  mnemonics: &[Push],                           when: &[When::Register],                         class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "PUSH m",                    mnemonics: &[Push],                           when: &[When::Memory],                           class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "POP SS (real)",             mnemonics: &[Pop],                            when: &[When::Real, When::ToStackSegment],               class: Class::Np, clocks: Clocks::Fixed(3),      serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "POP SS",                    mnemonics: &[Pop],                            when: &[When::ToStackSegment],                   class: Class::Np, clocks: Clocks::ByRoute(&LOAD_SS),              serializing: false, source: MOVES, doubt: Some("Intel gives 8 to 17"), early: None, fpu: None },
    Row { form: "POP sreg",                  mnemonics: &[Pop],                            when: &[When::ToSegment],                        class: Class::Np, clocks: Clocks::ByRoute(&LOAD_FROM_MEMORY),              serializing: false, source: MOVES, doubt: Some("Intel gives 3 to 12"), early: None, fpu: None },
    Row { form: "POP r",                     mnemonics: &[Pop],                            when: &[When::Register],                         class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "POP m",                     mnemonics: &[Pop],                            when: &[When::Memory],                           class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "PUSHAD",                    mnemonics: &[Pushad],                         when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(5),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "POPAD",                     mnemonics: &[Popad],                          when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(5),              serializing: false, source: MOVES, doubt: None, early: Some(POPPED), fpu: None },
    Row { form: "PUSHA (16-bit)",            mnemonics: &[Pusha],                          when: &[],                                       class: Class::Np, clocks: Clocks::ByStackAlignment(5, 9), serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "POPA (16-bit)",             mnemonics: &[Popa],                           when: &[],                                       class: Class::Np, clocks: Clocks::ByStackAlignment(5, 9), serializing: false, source: MOVES, doubt: None, early: Some(POPPED), fpu: None },
    Row { form: "PUSHF PUSHFD (real)",       mnemonics: &[Pushf, Pushfd],                  when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(9),      serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "PUSHF PUSHFD",              mnemonics: &[Pushf, Pushfd],                  when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "POPF POPFD (real)",         mnemonics: &[Popf, Popfd],                    when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(6),      serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "POPF POPFD",                mnemonics: &[Popf, Popfd],                    when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: MOVES, doubt: Some("protected mode: from an older table"), early: None, fpu: None },
    Row { form: "LAHF SAHF",                 mnemonics: &[Lahf, Sahf],                     when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "XCHG m,r",                  mnemonics: &[Xchg],                           when: &[When::Memory],                           class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: MOVES, doubt: Some("the locked bus cycle it always makes is charged by the memory preset"), early: None, fpu: None },
    Row { form: "XCHG acc,r",                mnemonics: &[Xchg],                           when: &[When::WithAccumulator],                  class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "XCHG r,r",                  mnemonics: &[Xchg],                           when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "XLAT",                      mnemonics: &[Xlatb],                          when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "BSWAP r",                   mnemonics: &[Bswap],                          when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(1),              serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "IN (real)",                 mnemonics: &[In],                             when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(7),      serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "IN (virtual 8086)",         mnemonics: &[In],                             when: &[When::Virtual],                                  class: Class::Np, clocks: Clocks::Fixed(19),     serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "OUT (real)",                mnemonics: &[Out],                            when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(12),     serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "OUT (virtual 8086)",        mnemonics: &[Out],                            when: &[When::Virtual],                                  class: Class::Np, clocks: Clocks::Fixed(24),     serializing: false, source: MOVES, doubt: None, early: None, fpu: None },
    Row { form: "IN",                        mnemonics: &[In],                             when: &[],                                       class: Class::Np, clocks: Clocks::ByPrivilege(4, 21),    serializing: false, source: MOVES, doubt: Some("CPL 3 is taken as above IOPL"), early: None, fpu: None },
    Row { form: "OUT",                       mnemonics: &[Out],                            when: &[],                                       class: Class::Np, clocks: Clocks::ByPrivilege(9, 26),    serializing: false, source: MOVES, doubt: Some("CPL 3 is taken as above IOPL"), early: None, fpu: None },
    Row { form: "REP INS",                   mnemonics: &[Insb, Insw, Insd],               when: &[When::Repeated],                         class: Class::Np, clocks: Clocks::PerIteration(6, 3),    serializing: false, source: MOVES, doubt: Some("interpolated"), early: Some(DESTINATION_REPEATED), fpu: None },
    Row { form: "INS (real)",                mnemonics: &[Insb, Insw, Insd],               when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(9),      serializing: false, source: MOVES, doubt: None, early: Some(DESTINATION_STEPPED), fpu: None },
    Row { form: "INS (virtual 8086)",        mnemonics: &[Insb, Insw, Insd],               when: &[When::Virtual],                                  class: Class::Np, clocks: Clocks::Fixed(22),     serializing: false, source: MOVES, doubt: None, early: Some(DESTINATION_STEPPED), fpu: None },
    Row { form: "INS",                       mnemonics: &[Insb, Insw, Insd],               when: &[],                                       class: Class::Np, clocks: Clocks::ByPrivilege(6, 24),    serializing: false, source: MOVES, doubt: Some("CPL 3 is taken as above IOPL"), early: Some(DESTINATION_STEPPED), fpu: None },
    Row { form: "REP OUTS",                  mnemonics: &[Outsb, Outsw, Outsd],            when: &[When::Repeated],                         class: Class::Np, clocks: Clocks::PerIteration(10, 4),   serializing: false, source: MOVES, doubt: Some("interpolated"), early: Some(SOURCE_REPEATED), fpu: None },
    Row { form: "OUTS (real)",               mnemonics: &[Outsb, Outsw, Outsd],            when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(13),     serializing: false, source: MOVES, doubt: None, early: Some(SOURCE_STEPPED), fpu: None },
    Row { form: "OUTS (virtual 8086)",       mnemonics: &[Outsb, Outsw, Outsd],            when: &[When::Virtual],                                  class: Class::Np, clocks: Clocks::Fixed(25),     serializing: false, source: MOVES, doubt: None, early: Some(SOURCE_STEPPED), fpu: None },
    Row { form: "OUTS",                      mnemonics: &[Outsb, Outsw, Outsd],            when: &[],                                       class: Class::Np, clocks: Clocks::ByPrivilege(10, 27),   serializing: false, source: MOVES, doubt: Some("CPL 3 is taken as above IOPL"), early: Some(SOURCE_STEPPED), fpu: None },

    // Arithmetic and logic. The source is in `ALU`.
    Row { form: "NOP",                       mnemonics: &[Nop],                            when: &[],                                       class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ADD SUB AND OR XOR r,r/i",  mnemonics: &[Add, Sub, And, Or, Xor],         when: &[When::Register],                         class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ADD SUB AND OR XOR r,m",    mnemonics: &[Add, Sub, And, Or, Xor],         when: &[When::Read],                             class: Class::Uv, clocks: Clocks::Fixed(2),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ADD SUB AND OR XOR m,r/i",  mnemonics: &[Add, Sub, And, Or, Xor],         when: &[When::Modify],                           class: Class::Uv, clocks: Clocks::Fixed(3),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ADC SBB r,r/i",             mnemonics: &[Adc, Sbb],                       when: &[When::Register],                         class: Class::Pu, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ADC SBB r,m",               mnemonics: &[Adc, Sbb],                       when: &[When::Read],                             class: Class::Pu, clocks: Clocks::Fixed(2),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ADC SBB m,r/i",             mnemonics: &[Adc, Sbb],                       when: &[When::Modify],                           class: Class::Pu, clocks: Clocks::Fixed(3),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "CMP r,r/i",                 mnemonics: &[Cmp],                            when: &[When::Register],                         class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "CMP with memory",           mnemonics: &[Cmp],                            when: &[When::Read],                             class: Class::Uv, clocks: Clocks::Fixed(2),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "TEST acc,i",                mnemonics: &[Test],                           when: &[When::ShortAccumulator],                 class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "TEST r,i",                  mnemonics: &[Test],                           when: &[When::Register, When::Immediate],        class: Class::Np, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "TEST m,i",                  mnemonics: &[Test],                           when: &[When::Read, When::Immediate],            class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "TEST r,r",                  mnemonics: &[Test],                           when: &[When::Register],                         class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "TEST m,r",                  mnemonics: &[Test],                           when: &[When::Read],                             class: Class::Uv, clocks: Clocks::Fixed(2),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "INC DEC r",                 mnemonics: &[Inc, Dec],                       when: &[When::Register],                         class: Class::Uv, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "INC DEC m",                 mnemonics: &[Inc, Dec],                       when: &[When::Modify],                           class: Class::Uv, clocks: Clocks::Fixed(3),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "NEG NOT r",                 mnemonics: &[Neg, Not],                       when: &[When::Register],                         class: Class::Np, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "NEG NOT m",                 mnemonics: &[Neg, Not],                       when: &[When::Modify],                           class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "SHL SHR SAR r,CL",          mnemonics: &[Shl, Sal, Shr, Sar, Rol, Ror],   when: &[When::Register, When::ByCl],             class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "SHL SHR SAR m,CL",          mnemonics: &[Shl, Sal, Shr, Sar, Rol, Ror],   when: &[When::Modify, When::ByCl],               class: Class::Np, clocks: Clocks::Fixed(5),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "SHL SHR SAR r,1/i",         mnemonics: &[Shl, Sal, Shr, Sar],             when: &[When::Register],                         class: Class::Pu, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "SHL SHR SAR m,1/i",         mnemonics: &[Shl, Sal, Shr, Sar],             when: &[When::Modify],                           class: Class::Pu, clocks: Clocks::Fixed(3),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ROL ROR RCL RCR r,1",       mnemonics: &[Rol, Ror, Rcl, Rcr],             when: &[When::Register, When::ByOne],            class: Class::Pu, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ROL ROR RCL RCR m,1",       mnemonics: &[Rol, Ror, Rcl, Rcr],             when: &[When::Modify, When::ByOne],              class: Class::Pu, clocks: Clocks::Fixed(3),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ROL ROR r,i",               mnemonics: &[Rol, Ror],                       when: &[When::Register, When::ByImmediate],      class: Class::Np, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "ROL ROR m,i",               mnemonics: &[Rol, Ror],                       when: &[When::Modify, When::ByImmediate],        class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "RCL RCR r,i",               mnemonics: &[Rcl, Rcr],                       when: &[When::Register, When::ByImmediate],      class: Class::Np, clocks: Clocks::PerCountMilli(8, 548), serializing: false, source: ALU, doubt: Some("Intel gives 8 to 25 by count; interpolated"), early: None, fpu: None },
    Row { form: "RCL RCR m,i",               mnemonics: &[Rcl, Rcr],                       when: &[When::Modify, When::ByImmediate],        class: Class::Np, clocks: Clocks::PerCountMilli(10, 548), serializing: false, source: ALU, doubt: Some("Intel gives 10 to 27 by count; interpolated"), early: None, fpu: None },
    Row { form: "RCL RCR r,CL",              mnemonics: &[Rcl, Rcr],                       when: &[When::Register, When::ByCl],             class: Class::Np, clocks: Clocks::PerCountMilli(7, 548), serializing: false, source: ALU, doubt: Some("Intel gives 7 to 24 by count; interpolated"), early: None, fpu: None },
    Row { form: "RCL RCR m,CL",              mnemonics: &[Rcl, Rcr],                       when: &[When::Modify, When::ByCl],               class: Class::Np, clocks: Clocks::PerCountMilli(9, 548), serializing: false, source: ALU, doubt: Some("Intel gives 9 to 26 by count; interpolated"), early: None, fpu: None },
    Row { form: "SHLD SHRD r,r,i",           mnemonics: &[Shld, Shrd],                     when: &[When::Register, When::ByImmediate],      class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "SHLD SHRD m,r,i",           mnemonics: &[Shld, Shrd],                     when: &[When::Modify, When::ByImmediate],        class: Class::Np, clocks: Clocks::Fixed(5),              serializing: false, source: ALU, doubt: Some("Intel 4, Agner Fog 5"), early: None, fpu: None },
    Row { form: "SHLD SHRD r,r,CL",          mnemonics: &[Shld, Shrd],                     when: &[When::Register, When::ByCl],             class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "SHLD SHRD m,r,CL",          mnemonics: &[Shld, Shrd],                     when: &[When::Modify, When::ByCl],               class: Class::Np, clocks: Clocks::Fixed(5),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "BT r,r/i",                  mnemonics: &[Bt],                             when: &[When::Register],                         class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "BT m,i",                    mnemonics: &[Bt],                             when: &[When::Read, When::ByImmediate],          class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "BT m,r",                    mnemonics: &[Bt],                             when: &[When::Read],                             class: Class::Np, clocks: Clocks::Fixed(9),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "BTS BTR BTC r,r/i",         mnemonics: &[Bts, Btr, Btc],                  when: &[When::Register],                         class: Class::Np, clocks: Clocks::Fixed(7),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "BTS BTR BTC m,i",           mnemonics: &[Bts, Btr, Btc],                  when: &[When::Modify, When::ByImmediate],        class: Class::Np, clocks: Clocks::Fixed(8),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "BTS BTR BTC m,r",           mnemonics: &[Bts, Btr, Btc],                  when: &[When::Modify],                           class: Class::Np, clocks: Clocks::Fixed(13),             serializing: false, source: ALU, doubt: Some("Intel 13, Agner Fog 14"), early: None, fpu: None },
    Row { form: "BSF r16,r",                 mnemonics: &[Bsf],                            when: &[When::Register, When::Word],             class: Class::Np, clocks: Clocks::PerCountMilli(6, 1750), serializing: false, source: ALU, doubt: Some("only the ends of the range are documented; interpolated on the bit found"), early: None, fpu: None },
    Row { form: "BSF r16,m",                 mnemonics: &[Bsf],                            when: &[When::Read, When::Word],                 class: Class::Np, clocks: Clocks::PerCountMilli(7, 1750), serializing: false, source: ALU, doubt: Some("only the ends of the range are documented; interpolated on the bit found"), early: None, fpu: None },
    Row { form: "BSF r32,r",                 mnemonics: &[Bsf],                            when: &[When::Register],                         class: Class::Np, clocks: Clocks::PerCountMilli(6, 1125), serializing: false, source: ALU, doubt: Some("only the ends of the range are documented; interpolated on the bit found"), early: None, fpu: None },
    Row { form: "BSF r32,m",                 mnemonics: &[Bsf],                            when: &[When::Read],                             class: Class::Np, clocks: Clocks::PerCountMilli(7, 1125), serializing: false, source: ALU, doubt: Some("only the ends of the range are documented; interpolated on the bit found"), early: None, fpu: None },
    Row { form: "BSR r,r",                   mnemonics: &[Bsr],                            when: &[When::Register],                         class: Class::Np, clocks: Clocks::PerCount(7, 2),        serializing: false, source: ALU, doubt: Some("only the ends of the range are documented; interpolated on the bit found"), early: None, fpu: None },
    Row { form: "BSR r,m",                   mnemonics: &[Bsr],                            when: &[When::Read],                             class: Class::Np, clocks: Clocks::PerCount(8, 2),        serializing: false, source: ALU, doubt: Some("only the ends of the range are documented; interpolated on the bit found"), early: None, fpu: None },
    Row { form: "SETcc r",                   mnemonics: &[Seto, Setno, Setb, Setae, Sete, Setne, Setbe, Seta, Sets, Setns, Setp, Setnp, Setl, Setge, Setle, Setg], when: &[When::Register],                         class: Class::Np, clocks: Clocks::Fixed(1),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "SETcc m",                   mnemonics: &[Seto, Setno, Setb, Setae, Sete, Setne, Setbe, Seta, Sets, Setns, Setp, Setnp, Setl, Setge, Setle, Setg], when: &[When::Write],                            class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "CMPXCHG r,r",               mnemonics: &[Cmpxchg],                        when: &[When::Register],                         class: Class::Np, clocks: Clocks::Fixed(5),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "CMPXCHG m,r",               mnemonics: &[Cmpxchg],                        when: &[When::Modify],                           class: Class::Np, clocks: Clocks::Fixed(6),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "CMPXCHG8B m",               mnemonics: &[Cmpxchg8b],                      when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(10),             serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "XADD r,r",                  mnemonics: &[Xadd],                           when: &[When::Register],                         class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },
    Row { form: "XADD m,r",                  mnemonics: &[Xadd],                           when: &[When::Modify],                           class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: ALU, doubt: None, early: None, fpu: None },

    // Multiplication and division. The sources are `MULTIPLY` and `DIVIDE`.
    Row { form: "IMUL r32,r/m,i",                mnemonics: &[Imul],                           when: &[When::Dword, When::SeveralOperands, When::Immediate],           class: Class::Np, clocks: Clocks::Fixed(9),              serializing: false, source: MULTIPLY, doubt: Some("Intel 10, measured 9: a microcoded instruction that uses the result next waits for the tenth"), early: None, fpu: Some(FloatingPoint::multiply(9, 10)) },
    Row { form: "IMUL r32,r/m",                  mnemonics: &[Imul],                           when: &[When::Dword, When::SeveralOperands],           class: Class::Np, clocks: Clocks::Fixed(9),              serializing: false, source: MULTIPLY, doubt: Some("Intel 10, measured 9: a microcoded instruction that uses the result next waits for the tenth"), early: None, fpu: Some(FloatingPoint::multiply(9, 10)) },
    Row { form: "IMUL r/m32",                mnemonics: &[Imul],                           when: &[When::Dword, When::OneOperand],                            class: Class::Np, clocks: Clocks::Fixed(9),              serializing: false, source: MULTIPLY, doubt: Some(IMUL_ALONE), early: None, fpu: Some(FloatingPoint::multiply(9, 10)) },
    Row { form: "MUL r/m32",                 mnemonics: &[Mul],                            when: &[When::Dword],                            class: Class::Np, clocks: Clocks::Fixed(9),              serializing: false, source: MULTIPLY, doubt: Some("Intel 10, measured 9: a microcoded instruction that uses the result next waits for the tenth"), early: None, fpu: Some(FloatingPoint::multiply(9, 10)) },
    Row { form: "IMUL r16,r/m[,i]",              mnemonics: &[Imul],                           when: &[When::Word, When::SeveralOperands],            class: Class::Np, clocks: Clocks::Fixed(10),             serializing: false, source: DIVIDE, doubt: Some("Intel 10, Agner Fog 9"), early: None, fpu: Some(FloatingPoint::multiply(10, 10)) },
    Row { form: "MUL IMUL r/m8 r/m16",       mnemonics: &[Mul, Imul],                      when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(11),             serializing: false, source: DIVIDE, doubt: None, early: None, fpu: Some(FloatingPoint::multiply(11, 11)) },
    Row { form: "DIV r/m8",                  mnemonics: &[Div],                            when: &[When::Byte],                             class: Class::Np, clocks: Clocks::Fixed(17),             serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "DIV r/m16",                 mnemonics: &[Div],                            when: &[When::Word],                             class: Class::Np, clocks: Clocks::Fixed(25),             serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "DIV r/m32",                 mnemonics: &[Div],                            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(41),             serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "IDIV r/m8",                 mnemonics: &[Idiv],                           when: &[When::Byte],                             class: Class::Np, clocks: Clocks::Fixed(22),             serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "IDIV r/m16",                mnemonics: &[Idiv],                           when: &[When::Word],                             class: Class::Np, clocks: Clocks::Fixed(30),             serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "IDIV r/m32",                mnemonics: &[Idiv],                           when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(46),             serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "CBW CWDE",                  mnemonics: &[Cbw, Cwde],                      when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "CWD CDQ",                   mnemonics: &[Cwd, Cdq],                       when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "AAA AAS DAA DAS",           mnemonics: &[Aaa, Aas, Daa, Das],             when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "AAD",                       mnemonics: &[Aad],                            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(10),             serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "AAM",                       mnemonics: &[Aam],                            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(18),             serializing: false, source: DIVIDE, doubt: None, early: None, fpu: None },
    Row { form: "SALC",                      mnemonics: &[Salc],                           when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: DIVIDE, doubt: Some("undocumented instruction; the flag forms' neighbours"), early: None, fpu: None },

    // Control transfer. The source is in `TRANSFER`.
    Row { form: "Jcc near/short",            mnemonics: &[Jo, Jno, Jb, Jae, Je, Jne, Jbe, Ja, Js, Jns, Jp, Jnp, Jl, Jge, Jle, Jg], when: &[],                                       class: Class::Pv, clocks: Clocks::Fixed(1),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "JMP near/short",            mnemonics: &[Jmp],                            when: &[When::Direct],                           class: Class::Pv, clocks: Clocks::Fixed(1),              serializing: false, source: JUMPS, doubt: None, early: None, fpu: None },
    Row { form: "JMP far",                   mnemonics: &[Jmp],                            when: &[When::Far, When::Register],              class: Class::Np, clocks: Clocks::ByRoute(&FAR_JUMP),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "JMP far m",                 mnemonics: &[Jmp],                            when: &[When::Far],                              class: Class::Np, clocks: Clocks::ByRoute(&FAR_JUMP_BY_MEMORY),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "JMP r/m near",              mnemonics: &[Jmp],                            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "CALL near",                 mnemonics: &[Call],                           when: &[When::Direct],                           class: Class::Pv, clocks: Clocks::Fixed(1),              serializing: false, source: JUMPS, doubt: None, early: None, fpu: None },
    Row { form: "CALL far",                  mnemonics: &[Call],                           when: &[When::Far, When::Register],              class: Class::Np, clocks: Clocks::ByRoute(&FAR_CALL),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "CALL far m",                mnemonics: &[Call],                           when: &[When::Far],                              class: Class::Np, clocks: Clocks::ByRoute(&FAR_CALL_BY_MEMORY),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "CALL r/m near",             mnemonics: &[Call],                           when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "RET i near",                mnemonics: &[Ret],                            when: &[When::Immediate],                        class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "RET near",                  mnemonics: &[Ret],                            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "RETF i",                    mnemonics: &[Retf],                           when: &[When::Immediate],                        class: Class::Np, clocks: Clocks::ByRoute(&FAR_RETURN_RELEASING),              serializing: false, source: TRANSFER, doubt: Some("Intel 4, Agner Fog 5"), early: None, fpu: None },
    Row { form: "RETF",                      mnemonics: &[Retf],                           when: &[],                                       class: Class::Np, clocks: Clocks::ByRoute(&FAR_RETURN),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "JCXZ JECXZ",                mnemonics: &[Jcxz, Jecxz],                    when: &[],                                       class: Class::Np, clocks: Clocks::ByOutcome(5, 6),       serializing: false, source: TRANSFER, doubt: Some("Agner Fog gives 4 to 11 with mispredictions"), early: None, fpu: None },
    Row { form: "LOOP",                      mnemonics: &[Loop],                           when: &[],                                       class: Class::Np, clocks: Clocks::ByOutcome(5, 6),       serializing: false, source: TRANSFER, doubt: Some("Agner Fog gives 5 to 10 with mispredictions"), early: Some(COUNTED), fpu: None },
    Row { form: "LOOPE LOOPNE",              mnemonics: &[Loope, Loopne],                  when: &[],                                       class: Class::Np, clocks: Clocks::ByOutcome(7, 8),       serializing: false, source: TRANSFER, doubt: None, early: Some(COUNTED_LIKEWISE), fpu: None },
    Row { form: "INT3 (real)",               mnemonics: &[Int3],                           when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(13),     serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "INT n (real)",              mnemonics: &[Int],                            when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(16),     serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "INTO (real)",               mnemonics: &[Into],                           when: &[When::Real],                                     class: Class::Np, clocks: Clocks::ByRoute(&INTO_IN_REAL_MODE), serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "IRET IRETD (real)",         mnemonics: &[Iret, Iretd],                    when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(8),      serializing: true,  source: TRANSFER, doubt: Some("Intel gives 8 to 27"), early: None, fpu: None },
    Row { form: "exception (real)",          mnemonics: &[INVALID],                        when: &[When::Real],                                     class: Class::Np, clocks: Clocks::Fixed(13),     serializing: false, source: TRANSFER, doubt: Some("no source gives the clocks of an exception: as INT3"), early: None, fpu: None },
    Row { form: "exception",                 mnemonics: &[INVALID],                        when: &[],                                               class: Class::Np, clocks: Clocks::ByRoute(&BREAKPOINT), serializing: false, source: TRANSFER, doubt: Some("no source gives the clocks of an exception: as INT3"), early: None, fpu: None },
    Row { form: "INT3",                      mnemonics: &[Int3],                           when: &[],                                       class: Class::Np, clocks: Clocks::ByRoute(&BREAKPOINT),             serializing: false, source: TRANSFER, doubt: Some("the protected split is remembered, not read in a source"), early: None, fpu: None },
    Row { form: "INT n",                     mnemonics: &[Int],                            when: &[],                                       class: Class::Np, clocks: Clocks::ByRoute(&INTERRUPT),             serializing: false, source: TRANSFER, doubt: Some("the protected split is remembered, not read in a source"), early: None, fpu: None },
    Row { form: "INTO",                      mnemonics: &[Into],                           when: &[],                                       class: Class::Np, clocks: Clocks::ByRoute(&INTO),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "IRET IRETD",                mnemonics: &[Iret, Iretd],                    when: &[],                                       class: Class::Np, clocks: Clocks::ByRoute(&INTERRUPT_RETURN),             serializing: true,  source: TRANSFER, doubt: Some("Intel gives 8 to 27"), early: None, fpu: None },
    Row { form: "BOUND in range",            mnemonics: &[Bound],                          when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(8),              serializing: false, source: TRANSFER, doubt: None, early: None, fpu: None },
    Row { form: "ENTER",                     mnemonics: &[Enter],                          when: &[],                                       class: Class::Np, clocks: Clocks::ByLevel(11, 15, 2),    serializing: false, source: TRANSFER, doubt: None, early: Some(FRAME), fpu: None },
    Row { form: "LEAVE",                     mnemonics: &[Leave],                          when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: TRANSFER, doubt: None, early: Some(STACK_TOP), fpu: None },

    // Strings. The source is in `STRINGS`.
    Row { form: "REP LODS",                  mnemonics: &[Lodsb, Lodsw, Lodsd],            when: &[When::Repeated],                         class: Class::Np, clocks: Clocks::PerIteration(7, 3),    serializing: false, source: STRINGS, doubt: None, early: Some(SOURCE_REPEATED), fpu: None },
    Row { form: "LODS",                      mnemonics: &[Lodsb, Lodsw, Lodsd],            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: STRINGS, doubt: None, early: Some(SOURCE_STEPPED), fpu: None },
    Row { form: "REP STOS",                  mnemonics: &[Stosb, Stosw, Stosd],            when: &[When::Repeated],                         class: Class::Np, clocks: Clocks::PerIteration(10, 1),   serializing: false, source: STRINGS, doubt: Some("Intel 3+n, measured 10+n"), early: Some(DESTINATION_REPEATED), fpu: None },
    Row { form: "STOS",                      mnemonics: &[Stosb, Stosw, Stosd],            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(3),              serializing: false, source: STRINGS, doubt: None, early: Some(DESTINATION_STEPPED), fpu: None },
    Row { form: "REP MOVS",                  mnemonics: &[Movsb, Movsw, Movsd],            when: &[When::Repeated],                         class: Class::Np, clocks: Clocks::PerIteration(12, 1),   serializing: false, source: STRINGS, doubt: Some("Intel 3+n, measured 12+n"), early: Some(BOTH_REPEATED), fpu: None },
    Row { form: "MOVS",                      mnemonics: &[Movsb, Movsw, Movsd],            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: STRINGS, doubt: None, early: Some(BOTH_STEPPED), fpu: None },
    Row { form: "REP SCAS",                  mnemonics: &[Scasb, Scasw, Scasd],            when: &[When::Repeated],                         class: Class::Np, clocks: Clocks::PerIteration(9, 4),    serializing: false, source: STRINGS, doubt: Some("Intel 8+4n, measured 9+4n"), early: Some(DESTINATION_REPEATED), fpu: None },
    Row { form: "SCAS",                      mnemonics: &[Scasb, Scasw, Scasd],            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: STRINGS, doubt: None, early: Some(DESTINATION_STEPPED), fpu: None },
    Row { form: "REP CMPS",                  mnemonics: &[Cmpsb, Cmpsw, Cmpsd],            when: &[When::Repeated],                         class: Class::Np, clocks: Clocks::PerIteration(8, 4),    serializing: false, source: STRINGS, doubt: Some("Intel 9+4n, measured 8+4n"), early: Some(BOTH_REPEATED), fpu: None },
    Row { form: "CMPS",                      mnemonics: &[Cmpsb, Cmpsw, Cmpsd],            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(5),              serializing: false, source: STRINGS, doubt: None, early: Some(BOTH_STEPPED), fpu: None },

    // System. The source is in `SYSTEM`.
    Row { form: "CLC STC CMC CLD STD",       mnemonics: &[Clc, Stc, Cmc, Cld, Std],        when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "CLI STI",                   mnemonics: &[Cli, Sti],                       when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(7),              serializing: false, source: SYSTEM, doubt: Some("Agner Fog gives 6 to 9"), early: None, fpu: None },
    Row { form: "HLT",                       mnemonics: &[Hlt],                            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "CLTS",                      mnemonics: &[Clts],                           when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(10),             serializing: false, source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "LGDT LIDT",                 mnemonics: &[Lgdt, Lidt],                     when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(6),              serializing: true,  source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "SGDT SIDT",                 mnemonics: &[Sgdt, Sidt],                     when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "LLDT",                      mnemonics: &[Lldt],                           when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(9),              serializing: true,  source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "LTR",                       mnemonics: &[Ltr],                            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(10),             serializing: true,  source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "SLDT STR",                  mnemonics: &[Sldt, Str],                      when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(2),              serializing: false, source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "LMSW",                      mnemonics: &[Lmsw],                           when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(8),              serializing: false, source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "SMSW",                      mnemonics: &[Smsw],                           when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(4),              serializing: false, source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "LAR LSL",                   mnemonics: &[Lar, Lsl],                       when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(8),              serializing: false, source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "VERR VERW ARPL",            mnemonics: &[Verr, Verw, Arpl],               when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(7),              serializing: false, source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "INVD",                      mnemonics: &[Invd],                           when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(15),             serializing: true,  source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "WBINVD",                    mnemonics: &[Wbinvd],                         when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(2000),           serializing: true,  source: SYSTEM, doubt: Some("Intel gives 2000 and more; lines to write back are not added"), early: None, fpu: None },
    Row { form: "INVLPG",                    mnemonics: &[Invlpg],                         when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(25),             serializing: true,  source: SYSTEM, doubt: None, early: None, fpu: None },
    Row { form: "CPUID",                     mnemonics: &[Cpuid],                          when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(14),             serializing: true,  source: SYSTEM, doubt: Some("Agner Fog gives 13 to 16"), early: None, fpu: None },
    Row { form: "RDMSR",                     mnemonics: &[Rdmsr],                          when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(20),             serializing: false, source: SYSTEM, doubt: Some("Intel gives 20 to 24"), early: None, fpu: None },
    Row { form: "WRMSR",                     mnemonics: &[Wrmsr],                          when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(30),             serializing: true,  source: SYSTEM, doubt: Some("Intel gives 30 to 45"), early: None, fpu: None },
    Row { form: "RDTSC",                     mnemonics: &[Rdtsc],                          when: &[],                                       class: Class::Np, clocks: Clocks::ByPrivilege(6, 11),    serializing: false, source: TIME_STAMP, doubt: None, early: None, fpu: None },
    Row { form: "RSM",                       mnemonics: &[Rsm],                            when: &[],                                       class: Class::Np, clocks: Clocks::Fixed(83),             serializing: true,  source: SYSTEM, doubt: None, early: None, fpu: None },

    // Floating point. The source is in `X87`. A clock of an overlap with later integer instructions is not spent in EX.
    Row { form: "FLD m80",               mnemonics: &[Fld],                                         when: &[When::Extended], class: Class::Np, clocks: Clocks::Fixed(3),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(3, 3)) },
    Row { form: "FLD r/m",               mnemonics: &[Fld],                                         when: &[],               class: Class::Fx, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(1, 1)) },
    Row { form: "FST(P) r",              mnemonics: &[Fst, Fstp, Fstpnce],                          when: &[When::Register], class: Class::Np, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(1, 1)) },
    Row { form: "FSTP m80",              mnemonics: &[Fstp],                                        when: &[When::Extended], class: Class::Np, clocks: Clocks::Fixed(3),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(STORE_EXTENDED) },
    Row { form: "FST(P) m32/m64",        mnemonics: &[Fst, Fstp],                                   when: &[],               class: Class::Np, clocks: Clocks::Fixed(2),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(STORE) },
    Row { form: "FILD",                  mnemonics: &[Fild],                                        when: &[],               class: Class::Np, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(1, 3)) },
    Row { form: "FIST(P)",               mnemonics: &[Fist, Fistp],                                 when: &[],               class: Class::Np, clocks: Clocks::Fixed(6),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(6, 6)) },
    Row { form: "FBLD",                  mnemonics: &[Fbld],                                        when: &[],               class: Class::Np, clocks: Clocks::Least(48),  serializing: false, source: X87, doubt: Some("48 to 58 by the operand: the least"),                               early: None, fpu: Some(FloatingPoint::plain(48, 48)) },
    Row { form: "FBSTP",                 mnemonics: &[Fbstp],                                       when: &[],               class: Class::Np, clocks: Clocks::Least(148), serializing: false, source: X87, doubt: Some("148 to 154 by the operand: the least"),                             early: None, fpu: Some(FloatingPoint::plain(148, 148)) },
    Row { form: "FLDZ FLD1",             mnemonics: &[Fldz, Fld1],                                  when: &[],               class: Class::Np, clocks: Clocks::Fixed(2),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(2, 2)) },
    Row { form: "FLDPI and logarithms",  mnemonics: &[Fldl2t, Fldl2e, Fldpi, Fldlg2, Fldln2],       when: &[],               class: Class::Np, clocks: Clocks::Fixed(3),   serializing: false, source: X87, doubt: Some("up to 3 clocks more until FST, FCHS or FABS can use the constant"), early: None, fpu: Some(FloatingPoint::plain(3, 5)) },
    Row { form: "FXCH",                  mnemonics: &[Fxch],                                        when: &[],               class: Class::Pv, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(1, 1)) },
    Row { form: "FFREE FINCSTP FDECSTP", mnemonics: &[Ffree, Ffreep, Fincstp, Fdecstp],             when: &[],               class: Class::Np, clocks: Clocks::Fixed(2),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(2, 2)) },
    Row { form: "FADD FSUB",             mnemonics: &[Fadd, Faddp, Fsub, Fsubp, Fsubr, Fsubrp],     when: &[],               class: Class::Fx, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::operation(1, 3)) },
    Row { form: "FMUL",                  mnemonics: &[Fmul, Fmulp],                                 when: &[],               class: Class::Fx, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(MULTIPLY_REALS) },
    Row { form: "FDIV",                  mnemonics: &[Fdiv, Fdivp, Fdivr, Fdivrp],                  when: &[],               class: Class::Fx, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(divide(39)) },
    Row { form: "FSQRT",                 mnemonics: &[Fsqrt],                                       when: &[],               class: Class::Np, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::operation(68, 70)) },
    Row { form: "FIADD FISUB",           mnemonics: &[Fiadd, Fisub, Fisubr],                        when: &[],               class: Class::Np, clocks: Clocks::Fixed(4),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::operation(4, 6)) },
    Row { form: "FIMUL",                 mnemonics: &[Fimul],                                       when: &[],               class: Class::Np, clocks: Clocks::Fixed(4),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(MULTIPLY_BY_INTEGER) },
    Row { form: "FIDIV",                 mnemonics: &[Fidiv, Fidivr],                               when: &[],               class: Class::Np, clocks: Clocks::Fixed(4),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(divide(42)) },
    Row { form: "FICOM(P)",              mnemonics: &[Ficom, Ficomp],                               when: &[],               class: Class::Np, clocks: Clocks::Fixed(4),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(4, 4)) },
    Row { form: "FCHS FABS",             mnemonics: &[Fchs, Fabs],                                  when: &[],               class: Class::Fx, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(1, 1)) },
    Row { form: "FCOM FUCOM",            mnemonics: &[Fcom, Fcomp, Fcompp, Fucom, Fucomp, Fucompp], when: &[],               class: Class::Fx, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(1, 1)) },
    Row { form: "FTST",                  mnemonics: &[Ftst],                                        when: &[],               class: Class::Np, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: Some("Intel: pairs with FXCH; measured: does not"),                       early: None, fpu: Some(FloatingPoint::plain(1, 1)) },
    Row { form: "FXAM",                  mnemonics: &[Fxam],                                        when: &[],               class: Class::Np, clocks: Clocks::Least(13),  serializing: false, source: X87, doubt: Some("17 to 21 by the operand: the least"),                               early: None, fpu: Some(FloatingPoint::plain(17, 17)) },
    Row { form: "FPREM",                 mnemonics: &[Fprem],                                       when: &[],               class: Class::Np, clocks: Clocks::Least(14),  serializing: false, source: X87, doubt: Some("16 to 64 by the operand: the least"),                               early: None, fpu: Some(FloatingPoint::operation(14, 16)) },
    Row { form: "FPREM1",                mnemonics: &[Fprem1],                                      when: &[],               class: Class::Np, clocks: Clocks::Least(18),  serializing: false, source: X87, doubt: Some("20 to 70 by the operand: the least"),                               early: None, fpu: Some(FloatingPoint::operation(18, 20)) },
    Row { form: "FRNDINT",               mnemonics: &[Frndint],                                     when: &[],               class: Class::Np, clocks: Clocks::Least(9),   serializing: false, source: X87, doubt: Some("9 to 20 by the operand: the least"),                                early: None, fpu: Some(FloatingPoint::plain(9, 9)) },
    Row { form: "FSCALE",                mnemonics: &[Fscale],                                      when: &[],               class: Class::Np, clocks: Clocks::Least(15),  serializing: false, source: X87, doubt: Some("20 to 32 by the operand: the least"),                               early: None, fpu: Some(FloatingPoint::plain(20, 20)) },
    Row { form: "FXTRACT",               mnemonics: &[Fxtract],                                     when: &[],               class: Class::Np, clocks: Clocks::Least(12),  serializing: false, source: X87, doubt: Some("12 to 66 by the operand: the least"),                               early: None, fpu: Some(FloatingPoint::plain(12, 12)) },
    Row { form: "FSIN FCOS",             mnemonics: &[Fsin, Fcos],                                  when: &[],               class: Class::Np, clocks: Clocks::Least(63),  serializing: false, source: X87, doubt: Some("65 to 100 by the operand: the least"),                              early: None, fpu: Some(FloatingPoint::transcendental(63, 65)) },
    Row { form: "FSINCOS",               mnemonics: &[Fsincos],                                     when: &[],               class: Class::Np, clocks: Clocks::Least(87),  serializing: false, source: X87, doubt: Some("89 to 112 by the operand: the least"),                              early: None, fpu: Some(FloatingPoint::transcendental(87, 89)) },
    Row { form: "F2XM1",                 mnemonics: &[F2xm1],                                       when: &[],               class: Class::Np, clocks: Clocks::Least(51),  serializing: false, source: X87, doubt: Some("53 to 59 by the operand: the least"),                               early: None, fpu: Some(FloatingPoint::transcendental(51, 53)) },
    Row { form: "FYL2X",                 mnemonics: &[Fyl2x],                                       when: &[],               class: Class::Np, clocks: Clocks::Fixed(101), serializing: false, source: X87, doubt: Some(TYPICAL),                                                            early: None, fpu: Some(FloatingPoint::transcendental(101, 103)) },
    Row { form: "FYL2XP1",               mnemonics: &[Fyl2xp1],                                     when: &[],               class: Class::Np, clocks: Clocks::Fixed(103), serializing: false, source: X87, doubt: Some(TYPICAL),                                                            early: None, fpu: Some(FloatingPoint::transcendental(103, 105)) },
    Row { form: "FPTAN",                 mnemonics: &[Fptan],                                       when: &[],               class: Class::Np, clocks: Clocks::Least(84),  serializing: false, source: X87, doubt: Some("120 to 147 by the operand: the least"),                             early: None, fpu: Some(FloatingPoint::transcendental(120, 120)) },
    Row { form: "FPATAN",                mnemonics: &[Fpatan],                                      when: &[],               class: Class::Np, clocks: Clocks::Least(110), serializing: false, source: X87, doubt: Some("112 to 134 by the operand: the least"),                             early: None, fpu: Some(FloatingPoint::transcendental(110, 112)) },
    Row { form: "FNOP",                  mnemonics: &[Fnop, Fneni, Fndisi, Fnsetpm],                when: &[],               class: Class::Np, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(1, 1)) },
    Row { form: "WAIT",                  mnemonics: &[Wait],                                        when: &[],               class: Class::Np, clocks: Clocks::Fixed(1),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(1, 1)) },
    Row { form: "FNSTSW",                mnemonics: &[Fnstsw],                                      when: &[],               class: Class::Np, clocks: Clocks::Fixed(2),   serializing: false, source: X87, doubt: Some(STATUS_CLOCKS),                                                      early: None, fpu: Some(STORE_STATUS) },
    Row { form: "FLDCW",                 mnemonics: &[Fldcw],                                       when: &[],               class: Class::Np, clocks: Clocks::Fixed(8),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(8, 8)) },
    Row { form: "FNSTCW",                mnemonics: &[Fnstcw],                                      when: &[],               class: Class::Np, clocks: Clocks::Fixed(2),   serializing: false, source: X87, doubt: None,                                                                     early: None, fpu: Some(FloatingPoint::plain(2, 2)) },
    Row { form: "FNCLEX",                mnemonics: &[Fnclex],                                      when: &[],               class: Class::Np, clocks: Clocks::Least(6),   serializing: false, source: X87, doubt: Some("6 to 9: the least"),                                                early: None, fpu: Some(FloatingPoint::plain(6, 6)) },
    Row { form: "FNINIT",                mnemonics: &[Fninit],                                      when: &[],               class: Class::Np, clocks: Clocks::Least(12),  serializing: false, source: X87, doubt: Some("12 to 22: the least"),                                              early: None, fpu: Some(FloatingPoint::plain(12, 12)) },
    Row { form: "FNSAVE",                mnemonics: &[Fnsave],                                      when: &[],               class: Class::Np, clocks: Clocks::Least(124), serializing: false, source: X87, doubt: Some("124 to 300: the least"),                                            early: None, fpu: Some(FloatingPoint::plain(124, 124)) },
    Row { form: "FRSTOR",                mnemonics: &[Frstor],                                      when: &[],               class: Class::Np, clocks: Clocks::Least(70),  serializing: false, source: X87, doubt: Some("70 to 95: the least"),                                              early: None, fpu: Some(FloatingPoint::plain(70, 70)) },
    Row { form: "FLDENV",                mnemonics: &[Fldenv],                                      when: &[],               class: Class::Np, clocks: Clocks::Least(32),  serializing: false, source: X87, doubt: Some("32 to 37: the least"),                                              early: None, fpu: Some(FloatingPoint::plain(32, 32)) },
    Row { form: "FNSTENV",               mnemonics: &[Fnstenv],                                     when: &[],               class: Class::Np, clocks: Clocks::Least(48),  serializing: false, source: X87, doubt: Some("48 to 50: the least"),                                              early: None, fpu: Some(FloatingPoint::plain(48, 48)) },
];
