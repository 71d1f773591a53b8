//! The i486 with one pipe, as sold from 1993 on (DX and DX2, with CPUID).
//!
//! Modelled: its clocks for each form with cache hits, the extra clock of an index and of a displacement beside an
//! immediate, interlocks of addresses, the clock of each prefix, branches without prediction, the unified cache of 8
//! KiB that writes through, the unified TLB, four write buffers, a bus of 32 bits, the prefetch queue, which data
//! accesses delay, its floating-point unit and the overlap of its instructions. It has no time stamp counter, no event
//! counters and no model specific registers. Not modelled: bursts that a slower bus interrupts, test registers, and
//! registers that microcode writes before its last clock. The presets of memory are those of a Pentium's board.
//!
//! These figures are less sure than those of the Pentiums: all are the manual's, remembered rather than read in it,
//! none is held against a measurement, and many of the manual's ranges depend on operands in unknown ways. So every row
//! is doubted.
//!
//! Sources: Intel, i486 Microprocessor Programmer's Reference Manual 1990 (240486), chapter 26; Intel, i486
//! Microprocessor Hardware Reference Manual 1990, chapter 2; both remembered rather than at hand.

use super::{
    BothConstants, CacheGeometry, Class, Clocks, CounterEvents, CpuidLeaf, FloatingPoint, Geometry, Model, Prediction,
    Prefixes, RouteClocks, Row, Rules, SELECTORS, TableGeometry, When, WriteBuffers, genuine_intel, isa, p5,
};
use iced_x86::Mnemonic::{self, *};

const RULES: Rules = Rules {
    pipes: 1,
    displacement_with_immediate: BothConstants::Unpaired,
    index: 1,
    displacement_and_immediate: 1,
    pairs_after_first_execution: false,
    prefix_decode: Prefixes {
        size: 1,
        escape: 0,
        other: 1,
    },
    prefixes_decoded_ahead: false,
    prefetched_bytes: 32,
    prediction: Prediction::None,
    mispredicted_in_ex: 0,
    mispredicted_in_wb: 0,
    mispredicted_direct: 0,
    repeated_zero_times: 5,
    exchange_before_integer: 0,
    unsafe_operands: 0,
    ..p5::RULES
};

const GEOMETRY: Geometry = Geometry {
    code_cache: CACHE,
    data_cache: CACHE,
    unified: true,
    write_through: true,
    code_tlb: TLB,
    data_tlb: TLB,
    // The chip has no large pages.
    large_tlb: None,
    write_buffers: WriteBuffers::Shared(4),
    bus_width: 4,
    // The clocks of the forms include the second access of 8 bytes.
    wide_alignment: 4,
    widest_access: 4,
    ..p5::GEOMETRY
};

const CACHE: CacheGeometry = CacheGeometry {
    size: 8 << 10,
    ways: 4,
    line: 16,
};

const TLB: TableGeometry = TableGeometry { entries: 32, ways: 4 };

/// The features FPU and VME.
const CPUID: &[CpuidLeaf] = &[genuine_intel(1), [0x0435, 0, 0, 0x0000_0003]];

pub(super) static I486: Model = Model {
    name: "i486",
    title: "i486 DX2 (one pipe)",
    base: None,
    isa: &isa::I486,
    geometry: GEOMETRY,
    rules: RULES,
    divider: p5::P5.divider,
    faulted_comparison: p5::P5.faulted_comparison,
    safe_exponents: p5::P5.safe_exponents,
    rows: ROWS,
    events: CounterEvents {
        selected: [[None; SELECTORS]; 2],
        unavailable: &[],
        errata: &[],
    },
    cpuid: CPUID,
    registers: &[],
    assumed: &[],
    extended_cpuid: &[],
    monitors: &[],
};

const SOURCE: &str = "Intel, i486 Programmer's Reference Manual 1990, chapter 26 (remembered)";

/// The doubt of a row: no row was read in a source, and some have a further reason.
macro_rules! remembered {
    () => {
        "remembered, not read in a source"
    };
    ($why:literal) => {
        concat!(remembered!(), "; ", $why)
    };
}

const REMEMBERED: &str = remembered!();
const OPERANDS: &str = remembered!("the manual gives a range by operands; a typical value");
const SYSTEM: &str = remembered!("the manual gives ranges by mode, descriptor and gate");
const LEAST: &str = remembered!("the manual gives a range by operands; its least value");

/// The row of a form, with the reason for which it is doubted.
const fn row(
    form: &'static str,
    mnemonics: &'static [Mnemonic],
    when: &'static [When],
    clocks: Clocks,
    doubt: &'static str,
) -> Row {
    Row {
        form,
        mnemonics,
        when,
        class: Class::Np,
        clocks,
        serializing: false,
        source: SOURCE,
        doubt: Some(doubt),
        early: None,
        fpu: None,
    }
}

/// The row of a form of which the manual gives one number.
const fn only(form: &'static str, mnemonics: &'static [Mnemonic], when: &'static [When], clocks: u32) -> Row {
    row(form, mnemonics, when, Clocks::Fixed(clocks), REMEMBERED)
}

/// The row of a form that empties the prefetch queue.
const fn serializing(row: Row) -> Row {
    Row {
        serializing: true,
        ..row
    }
}

/// The row of a floating-point form whose last clocks overlap with other instructions.
const fn fpu(
    form: &'static str,
    mnemonics: &'static [Mnemonic],
    when: &'static [When],
    [clocks, overlap]: [u32; 2],
    doubt: &'static str,
) -> Row {
    Row {
        fpu: Some(FloatingPoint::plain(clocks, clocks)),
        ..row(form, mnemonics, when, Clocks::Fixed(clocks - overlap), doubt)
    }
}

/// The row of FDIV, whose clocks depend on the precision control.
const fn divide(form: &'static str, mnemonics: &'static [Mnemonic], clocks: u32) -> Row {
    Row {
        fpu: Some(FloatingPoint {
            less_by_precision: [38, 11],
            ..FloatingPoint::plain(clocks, clocks)
        }),
        ..row(form, mnemonics, &[], Clocks::Fixed(clocks - 70), REMEMBERED)
    }
}

/// The clocks of a task switch without the transfer that begins it: to a task with a 32-bit task state segment, with a
/// 16-bit one, and in virtual 8086 mode.
const TASK_SWITCH: [u32; 3] = [199, 180, 177];
const LOAD: RouteClocks = RouteClocks::load(3, 9);
const LOAD_POINTER: RouteClocks = RouteClocks::load(6, 12);
const FAR_JUMP: RouteClocks = far(17, 19, [32, 32]).switching(42, TASK_SWITCH);
const FAR_JUMP_BY_MEMORY: RouteClocks = far(13, 18, [31, 31]).switching(42, TASK_SWITCH);
const FAR_CALL: RouteClocks = far(18, 20, [35, 69]).switching(37, TASK_SWITCH);
const FAR_CALL_BY_MEMORY: RouteClocks = far(17, 20, [35, 69]).switching(37, TASK_SWITCH);
const FAR_RETURN: RouteClocks = far_return(13, 18, 33);
const FAR_RETURN_RELEASING: RouteClocks = far_return(14, 17, 33);
const INTERRUPT_RETURN: RouteClocks = far_return(15, 20, 36).switching(32, TASK_SWITCH);
const BREAKPOINT: RouteClocks = RouteClocks::interrupt(26, [44, 71, 82]).switching(37, TASK_SWITCH);
const INTERRUPT: RouteClocks = RouteClocks::interrupt(30, [44, 71, 86]).switching(37, TASK_SWITCH);
const INTO_TAKEN: RouteClocks = RouteClocks::interrupt(3, [46, 73, 84]).switching(39, TASK_SWITCH);
const INTO_IN_REAL_MODE: RouteClocks = RouteClocks::interrupt(3, [28, 28, 28]);

const fn far(usual: u32, descriptor: u32, [gate, inner_gate]: [u32; 2]) -> RouteClocks {
    RouteClocks {
        gate,
        inner_gate,
        inner_gate_with_parameters: inner_gate + 8,
        parameter: 4,
        ..RouteClocks::load(usual, descriptor)
    }
}

const fn far_return(usual: u32, descriptor: u32, outer: u32) -> RouteClocks {
    RouteClocks {
        outer,
        enters_virtual: outer,
        ..RouteClocks::load(usual, descriptor)
    }
}

const SHIFTS: &[Mnemonic] = &[Shl, Sal, Shr, Sar, Rol, Ror];
const SETS: &[Mnemonic] = &[
    Seto, Setno, Setb, Setae, Sete, Setne, Setbe, Seta, Sets, Setns, Setp, Setnp, Setl, Setge, Setle, Setg,
];
const JUMPS: &[Mnemonic] = &[Jo, Jno, Jb, Jae, Je, Jne, Jbe, Ja, Js, Jns, Jp, Jnp, Jl, Jge, Jle, Jg];
const INS: &[Mnemonic] = &[Insb, Insw, Insd];
const OUTS: &[Mnemonic] = &[Outsb, Outsw, Outsd];

#[rustfmt::skip] // One form per row.
static ROWS: &[Row] = &[
    // Moves.
    only("MOV sreg,r/m (real)",    &[Mov],                     &[When::Real, When::ToSegment],                 3),
    row("MOV sreg,r/m",            &[Mov],                     &[When::ToSegment],                             Clocks::ByRoute(&LOAD), SYSTEM),
    only("MOV r/m,sreg",           &[Mov],                     &[When::FromSegment],                           3),
    serializing(only("MOV CR0,r",  &[Mov],                     &[When::ToControl, When::ControlZero],          17)),
    serializing(only("MOV CR,r",   &[Mov],                     &[When::ToControl],                             4)),
    only("MOV r,CR",               &[Mov],                     &[When::FromControl],                           4),
    serializing(only("MOV DR,r",   &[Mov],                     &[When::ToDebug],                               11)),
    only("MOV r,DR",               &[Mov],                     &[When::FromDebug],                             10),
    only("MOV r/m,r/m/i",          &[Mov],                     &[],                                            1),
    only("MOVZX MOVSX r,r/m",      &[Movzx, Movsx],            &[],                                            3),
    only("LEA r,m",                &[Lea],                     &[],                                            1),
    row("LDS LES r,m",             &[Lds, Les, Lfs, Lgs, Lss], &[],                                            Clocks::ByRoute(&LOAD_POINTER), SYSTEM),
    only("PUSH sreg",              &[Push],                    &[When::FromSegment],                           3),
    only("PUSH r/i",               &[Push],                    &[When::Register],                              1),
    only("PUSH m",                 &[Push],                    &[When::Memory],                                4),
    only("POP sreg (real)",        &[Pop],                     &[When::Real, When::ToSegment],                 3),
    row("POP sreg",                &[Pop],                     &[When::ToSegment],                             Clocks::ByRoute(&LOAD), SYSTEM),
    only("POP r",                  &[Pop],                     &[When::Register],                              1),
    only("POP m",                  &[Pop],                     &[When::Memory],                                5),
    only("PUSHA PUSHAD",           &[Pusha, Pushad],           &[],                                            11),
    only("POPA POPAD",             &[Popa, Popad],             &[],                                            9),
    only("PUSHF PUSHFD (real)",    &[Pushf, Pushfd],           &[When::Real],                                  4),
    only("PUSHF PUSHFD",           &[Pushf, Pushfd],           &[],                                            3),
    only("POPF POPFD (real)",      &[Popf, Popfd],             &[When::Real],                                  9),
    only("POPF POPFD",             &[Popf, Popfd],             &[],                                            6),
    only("LAHF",                   &[Lahf],                    &[],                                            3),
    only("SAHF",                   &[Sahf],                    &[],                                            2),
    only("XCHG m,r",               &[Xchg],                    &[When::Memory],                                5),
    only("XCHG r,r",               &[Xchg],                    &[],                                            3),
    only("XLAT",                   &[Xlatb],                   &[],                                            4),
    only("BSWAP r",                &[Bswap],                   &[],                                            1),
    only("IN (real)",              &[In],                      &[When::Real],                                  14),
    only("IN (virtual 8086)",      &[In],                      &[When::Virtual],                               27),
    row("IN",                      &[In],                      &[],                                            Clocks::ByPrivilege(8, 28), remembered!("CPL 3 is taken as above IOPL")),
    only("OUT (real)",             &[Out],                     &[When::Real],                                  16),
    only("OUT (virtual 8086)",     &[Out],                     &[When::Virtual],                               29),
    row("OUT",                     &[Out],                     &[],                                            Clocks::ByPrivilege(10, 30), remembered!("CPL 3 is taken as above IOPL")),
    row("REP INS",                 INS,                        &[When::Repeated],                              Clocks::PerIteration(16, 8), SYSTEM),
    only("INS (real)",             INS,                        &[When::Real],                                  17),
    only("INS (virtual 8086)",     INS,                        &[When::Virtual],                               30),
    row("INS",                     INS,                        &[],                                            Clocks::ByPrivilege(10, 32), remembered!("CPL 3 is taken as above IOPL")),
    row("REP OUTS",                OUTS,                       &[When::Repeated],                              Clocks::PerIteration(17, 5), SYSTEM),
    only("OUTS (real)",            OUTS,                       &[When::Real],                                  17),
    only("OUTS (virtual 8086)",    OUTS,                       &[When::Virtual],                               30),
    row("OUTS",                    OUTS,                       &[],                                            Clocks::ByPrivilege(10, 32), remembered!("CPL 3 is taken as above IOPL")),

    // Arithmetic and logic.
    only("NOP",                    &[Nop],                                 &[],                                       1),
    only("ALU r,r/i",              &[Add, Sub, And, Or, Xor, Adc, Sbb],    &[When::Register],                         1),
    only("ALU r,m",                &[Add, Sub, And, Or, Xor, Adc, Sbb],    &[When::Read],                             2),
    only("ALU m,r/i",              &[Add, Sub, And, Or, Xor, Adc, Sbb],    &[When::Modify],                           3),
    only("CMP TEST r,r/i",         &[Cmp, Test],                           &[When::Register],                         1),
    only("CMP TEST with memory",   &[Cmp, Test],                           &[When::Read],                             2),
    only("INC DEC NEG NOT r",      &[Inc, Dec, Neg, Not],                  &[When::Register],                         1),
    only("INC DEC NEG NOT m",      &[Inc, Dec, Neg, Not],                  &[When::Modify],                           3),
    only("SHL SHR SAR ROL ROR r,1",  SHIFTS,                               &[When::Register, When::ByOne],            3),
    only("SHL SHR SAR ROL ROR r,CL", SHIFTS,                               &[When::Register, When::ByCl],             3),
    only("SHL SHR SAR ROL ROR r,i",  SHIFTS,                               &[When::Register],                         2),
    only("SHL SHR SAR ROL ROR m",    SHIFTS,                               &[When::Modify],                           4),
    only("RCL RCR r,1",            &[Rcl, Rcr],                            &[When::Register, When::ByOne],            3),
    only("RCL RCR m,1",            &[Rcl, Rcr],                            &[When::Modify, When::ByOne],              4),
    row("RCL RCR r",               &[Rcl, Rcr],                            &[When::Register],                         Clocks::PerCountMilli(8, 710), remembered!("the manual gives 8 to 30 by count; interpolated")),
    row("RCL RCR m",               &[Rcl, Rcr],                            &[When::Modify],                           Clocks::PerCountMilli(9, 710), remembered!("the manual gives 9 to 31 by count; interpolated")),
    only("SHLD SHRD r,r,i",        &[Shld, Shrd],                          &[When::Register, When::ByImmediate],      2),
    only("SHLD SHRD m,r,i",        &[Shld, Shrd],                          &[When::Modify, When::ByImmediate],        3),
    only("SHLD SHRD r,r,CL",       &[Shld, Shrd],                          &[When::Register],                         3),
    only("SHLD SHRD m,r,CL",       &[Shld, Shrd],                          &[When::Modify],                           4),
    only("BT r,r/i",               &[Bt],                                  &[When::Register],                         3),
    only("BT m,i",                 &[Bt],                                  &[When::Read, When::ByImmediate],          3),
    only("BT m,r",                 &[Bt],                                  &[When::Read],                             8),
    only("BTS BTR BTC r,r/i",      &[Bts, Btr, Btc],                       &[When::Register],                         6),
    only("BTS BTR BTC m,i",        &[Bts, Btr, Btc],                       &[When::Modify, When::ByImmediate],        8),
    only("BTS BTR BTC m,r",        &[Bts, Btr, Btc],                       &[When::Modify],                           13),
    row("BSF r,r",                 &[Bsf],                                 &[When::Register],                         Clocks::PerCountMilli(6, 1125), remembered!("the manual gives 6 to 42; interpolated")),
    row("BSF r,m",                 &[Bsf],                                 &[When::Read],                             Clocks::PerCountMilli(7, 1125), remembered!("the manual gives 7 to 43; interpolated")),
    row("BSR r,r",                 &[Bsr],                                 &[When::Register],                         Clocks::PerCountMilli(6, 3032), remembered!("the manual gives 6 to 103; interpolated")),
    row("BSR r,m",                 &[Bsr],                                 &[When::Read],                             Clocks::PerCountMilli(7, 3032), remembered!("the manual gives 7 to 104; interpolated")),
    row("SETcc r",                 SETS,                                   &[When::Register],                         Clocks::Fixed(3), remembered!("4 if the condition holds")),
    row("SETcc m",                 SETS,                                   &[When::Write],                            Clocks::Fixed(4), remembered!("3 if the condition holds")),
    only("CMPXCHG r,r",            &[Cmpxchg],                             &[When::Register],                         6),
    row("CMPXCHG m,r",             &[Cmpxchg],                             &[When::Modify],                           Clocks::Fixed(7), remembered!("10 if they differ")),
    only("XADD r,r",               &[Xadd],                                &[When::Register],                         3),
    only("XADD m,r",               &[Xadd],                                &[When::Modify],                           4),
    row("MUL IMUL 8 bits",         &[Mul, Imul],                           &[When::Byte],                             Clocks::Fixed(15), remembered!("the manual gives 13 to 18 by the bits of the multiplier")),
    row("MUL IMUL 16 bits",        &[Mul, Imul],                           &[When::Word],                             Clocks::Fixed(19), remembered!("the manual gives 13 to 26 by the bits of the multiplier")),
    row("MUL IMUL 32 bits",        &[Mul, Imul],                           &[],                                       Clocks::Fixed(26), remembered!("the manual gives 13 to 42 by the bits of the multiplier")),
    only("DIV 8 bits",             &[Div],                                 &[When::Byte],                             16),
    only("DIV 16 bits",            &[Div],                                 &[When::Word],                             24),
    only("DIV 32 bits",            &[Div],                                 &[],                                       40),
    only("IDIV 8 bits",            &[Idiv],                                &[When::Byte],                             19),
    only("IDIV 16 bits",           &[Idiv],                                &[When::Word],                             27),
    only("IDIV 32 bits",           &[Idiv],                                &[],                                       43),
    only("CBW CWDE CWD CDQ",       &[Cbw, Cwde, Cwd, Cdq],                 &[],                                       3),
    only("AAA AAS",                &[Aaa, Aas],                            &[],                                       3),
    only("DAA DAS",                &[Daa, Das],                            &[],                                       2),
    only("AAD",                    &[Aad],                                 &[],                                       14),
    only("AAM",                    &[Aam],                                 &[],                                       15),
    row("SALC",                    &[Salc],                                &[],                                       Clocks::Fixed(3), remembered!("not documented")),

    // Control transfer.
    row("Jcc near/short",          JUMPS,            &[],                           Clocks::ByOutcome(1, 3), REMEMBERED),
    only("JMP near/short",         &[Jmp],           &[When::Direct],               3),
    row("JMP far",                 &[Jmp],           &[When::Far, When::Register],  Clocks::ByRoute(&FAR_JUMP), SYSTEM),
    row("JMP far m",               &[Jmp],           &[When::Far],                  Clocks::ByRoute(&FAR_JUMP_BY_MEMORY), SYSTEM),
    only("JMP r/m near",           &[Jmp],           &[],                           5),
    only("CALL near",              &[Call],          &[When::Direct],               3),
    row("CALL far",                &[Call],          &[When::Far, When::Register],  Clocks::ByRoute(&FAR_CALL), SYSTEM),
    row("CALL far m",              &[Call],          &[When::Far],                  Clocks::ByRoute(&FAR_CALL_BY_MEMORY), SYSTEM),
    only("CALL r/m near",          &[Call],          &[],                           5),
    only("RET near",               &[Ret],           &[],                           5),
    row("RETF i",                  &[Retf],          &[When::Immediate],            Clocks::ByRoute(&FAR_RETURN_RELEASING), SYSTEM),
    row("RETF",                    &[Retf],          &[],                           Clocks::ByRoute(&FAR_RETURN), SYSTEM),
    row("JCXZ JECXZ",              &[Jcxz, Jecxz],   &[],                           Clocks::ByOutcome(5, 8), REMEMBERED),
    row("LOOP",                    &[Loop],          &[],                           Clocks::ByOutcome(6, 7), REMEMBERED),
    row("LOOPE LOOPNE",            &[Loope, Loopne], &[],                           Clocks::ByOutcome(6, 9), REMEMBERED),
    only("INT3 (real)",            &[Int3],          &[When::Real],                 26),
    only("INT n (real)",           &[Int],           &[When::Real],                 30),
    row("INTO (real)",             &[Into],          &[When::Real],                 Clocks::ByRoute(&INTO_IN_REAL_MODE), SYSTEM),
    serializing(only("IRET IRETD (real)", &[Iret, Iretd], &[When::Real],            15)),
    row("exception (real)",        &[INVALID],       &[When::Real],                 Clocks::Fixed(26), remembered!("as INT3")),
    row("exception",               &[INVALID],       &[],                           Clocks::ByRoute(&BREAKPOINT), remembered!("as INT3")),
    row("INT3",                    &[Int3],          &[],                           Clocks::ByRoute(&BREAKPOINT), SYSTEM),
    row("INT n",                   &[Int],           &[],                           Clocks::ByRoute(&INTERRUPT), SYSTEM),
    row("INTO",                    &[Into],          &[],                           Clocks::ByRoute(&INTO_TAKEN), SYSTEM),
    serializing(row("IRET IRETD",      &[Iret, Iretd], &[],                         Clocks::ByRoute(&INTERRUPT_RETURN), SYSTEM)),
    only("BOUND in range",         &[Bound],         &[],                           7),
    row("ENTER",                   &[Enter],         &[],                           Clocks::ByLevel(14, 20, 3), REMEMBERED),
    only("LEAVE",                  &[Leave],         &[],                           5),

    // Strings.
    row("REP LODS",                &[Lodsb, Lodsw, Lodsd], &[When::Repeated],       Clocks::PerIteration(7, 4), REMEMBERED),
    only("LODS",                   &[Lodsb, Lodsw, Lodsd], &[],                     5),
    row("REP STOS",                &[Stosb, Stosw, Stosd], &[When::Repeated],       Clocks::PerIteration(7, 4), REMEMBERED),
    only("STOS",                   &[Stosb, Stosw, Stosd], &[],                     5),
    row("REP MOVS",                &[Movsb, Movsw, Movsd], &[When::Repeated],       Clocks::PerIteration(12, 3), REMEMBERED),
    only("MOVS",                   &[Movsb, Movsw, Movsd], &[],                     7),
    row("REP SCAS",                &[Scasb, Scasw, Scasd], &[When::Repeated],       Clocks::PerIteration(7, 5), REMEMBERED),
    only("SCAS",                   &[Scasb, Scasw, Scasd], &[],                     6),
    row("REP CMPS",                &[Cmpsb, Cmpsw, Cmpsd], &[When::Repeated],       Clocks::PerIteration(7, 7), REMEMBERED),
    only("CMPS",                   &[Cmpsb, Cmpsw, Cmpsd], &[],                     8),

    // System.
    only("CLC STC CMC CLD STD",    &[Clc, Stc, Cmc, Cld, Std], &[],                 2),
    only("CLI STI",                &[Cli, Sti],      &[],                           5),
    only("HLT",                    &[Hlt],           &[],                           4),
    only("CLTS",                   &[Clts],          &[],                           7),
    serializing(only("LGDT LIDT",  &[Lgdt, Lidt],    &[],                           11)),
    only("SGDT SIDT",              &[Sgdt, Sidt],    &[],                           10),
    serializing(only("LLDT",       &[Lldt],          &[],                           11)),
    serializing(only("LTR",        &[Ltr],           &[],                           20)),
    only("SLDT STR",               &[Sldt, Str],     &[],                           2),
    only("LMSW",                   &[Lmsw],          &[],                           13),
    only("SMSW",                   &[Smsw],          &[],                           2),
    only("LAR VERR VERW",          &[Lar, Verr, Verw], &[],                         11),
    only("LSL",                    &[Lsl],           &[],                           10),
    only("ARPL",                   &[Arpl],          &[],                           9),
    serializing(only("INVD",       &[Invd],          &[],                           4)),
    serializing(only("WBINVD",     &[Wbinvd],        &[],                           5)),
    serializing(only("INVLPG",     &[Invlpg],        &[],                           12)),
    serializing(row("CPUID",       &[Cpuid],         &[],                           Clocks::Fixed(14), remembered!("9 to 14 by leaf"))),
    serializing(row("RSM",         &[Rsm],           &[],                           Clocks::Fixed(452), remembered!("of the bus, too"))),

    // The floating-point unit: clocks, and the number of them in which other instructions execute.
    fpu("FLD m80",                 &[Fld],                                           &[When::Extended], [6, 0],    REMEMBERED),
    fpu("FLD m32/m64",             &[Fld],                                           &[When::Memory],   [3, 0],    REMEMBERED),
    fpu("FLD r",                   &[Fld],                                           &[],               [4, 0],    REMEMBERED),
    fpu("FST(P) r",                &[Fst, Fstp, Fstpnce],                            &[When::Register], [3, 0],    REMEMBERED),
    fpu("FSTP m80",                &[Fstp],                                          &[When::Extended], [6, 0],    REMEMBERED),
    fpu("FST(P) m32/m64",          &[Fst, Fstp],                                     &[],               [8, 0],    remembered!("m32 takes a clock less")),
    fpu("FILD",                    &[Fild],                                          &[],               [13, 4],   OPERANDS),
    fpu("FIST(P)",                 &[Fist, Fistp],                                   &[],               [33, 0],   OPERANDS),
    fpu("FBLD",                    &[Fbld],                                          &[],               [75, 7],   OPERANDS),
    fpu("FBSTP",                   &[Fbstp],                                         &[],               [175, 0],  OPERANDS),
    fpu("FLDZ FLD1",               &[Fldz, Fld1],                                    &[],               [4, 0],    REMEMBERED),
    fpu("FLDPI and logarithms",    &[Fldl2t, Fldl2e, Fldpi, Fldlg2, Fldln2],         &[],               [8, 2],    REMEMBERED),
    fpu("FXCH",                    &[Fxch],                                          &[],               [4, 0],    REMEMBERED),
    fpu("FFREE FINCSTP FDECSTP",   &[Ffree, Ffreep, Fincstp, Fdecstp],               &[],               [3, 0],    REMEMBERED),
    fpu("FADD FSUB",               &[Fadd, Faddp, Fsub, Fsubp, Fsubr, Fsubrp],       &[],               [10, 7],   remembered!("the manual gives 8 to 20 by operands")),
    fpu("FMUL m32",                &[Fmul],                                          &[When::Memory, When::Dword], [11, 8],   REMEMBERED),
    fpu("FMUL",                    &[Fmul, Fmulp],                                   &[],               [16, 13],  remembered!("m64 takes 14")),
    divide("FDIV",                 &[Fdiv, Fdivp, Fdivr, Fdivrp],                                       73),
    fpu("FSQRT",                   &[Fsqrt],                                         &[],               [85, 70],  remembered!("the manual gives 83 to 87")),
    fpu("FIADD FISUB",             &[Fiadd, Fisub, Fisubr],                          &[],               [23, 7],   OPERANDS),
    fpu("FIMUL",                   &[Fimul],                                         &[],               [24, 8],   OPERANDS),
    divide("FIDIV",                &[Fidiv, Fidivr],                                                    86),
    fpu("FICOM(P)",                &[Ficom, Ficomp],                                 &[],               [17, 1],   OPERANDS),
    fpu("FCHS",                    &[Fchs],                                          &[],               [6, 0],    REMEMBERED),
    fpu("FABS",                    &[Fabs],                                          &[],               [3, 0],    REMEMBERED),
    fpu("FCOM FUCOM",              &[Fcom, Fcomp, Fcompp, Fucom, Fucomp, Fucompp],   &[],               [4, 1],    remembered!("FCOMPP and FUCOMPP take 5")),
    fpu("FTST",                    &[Ftst],                                          &[],               [4, 1],    REMEMBERED),
    fpu("FXAM",                    &[Fxam],                                          &[],               [8, 0],    REMEMBERED),
    fpu("FPREM",                   &[Fprem],                                         &[],               [84, 2],   OPERANDS),
    fpu("FPREM1",                  &[Fprem1],                                        &[],               [94, 5],   OPERANDS),
    fpu("FRNDINT",                 &[Frndint],                                       &[],               [29, 7],   OPERANDS),
    fpu("FSCALE",                  &[Fscale],                                        &[],               [31, 2],   OPERANDS),
    fpu("FXTRACT",                 &[Fxtract],                                       &[],               [19, 4],   OPERANDS),
    fpu("FSIN FCOS",               &[Fsin, Fcos],                                    &[],               [241, 2],  OPERANDS),
    fpu("FSINCOS",                 &[Fsincos],                                       &[],               [291, 2],  OPERANDS),
    fpu("F2XM1",                   &[F2xm1],                                         &[],               [242, 2],  OPERANDS),
    fpu("FYL2X",                   &[Fyl2x],                                         &[],               [311, 13], OPERANDS),
    fpu("FYL2XP1",                 &[Fyl2xp1],                                       &[],               [313, 13], OPERANDS),
    fpu("FPTAN",                   &[Fptan],                                         &[],               [244, 70], OPERANDS),
    fpu("FPATAN",                  &[Fpatan],                                        &[],               [289, 5],  OPERANDS),
    fpu("FNOP",                    &[Fnop, Fneni, Fndisi, Fnsetpm],                  &[],               [3, 0],    REMEMBERED),
    fpu("WAIT",                    &[Wait],                                          &[],               [1, 0],    LEAST),
    fpu("FNSTSW",                  &[Fnstsw],                                        &[],               [3, 0],    REMEMBERED),
    fpu("FLDCW",                   &[Fldcw],                                         &[],               [4, 0],    REMEMBERED),
    fpu("FNSTCW",                  &[Fnstcw],                                        &[],               [3, 0],    REMEMBERED),
    fpu("FNCLEX",                  &[Fnclex],                                        &[],               [7, 0],    REMEMBERED),
    fpu("FNINIT",                  &[Fninit],                                        &[],               [17, 0],   REMEMBERED),
    fpu("FNSAVE",                  &[Fnsave],                                        &[],               [143, 0],  remembered!("154 in real mode")),
    fpu("FRSTOR",                  &[Frstor],                                        &[],               [120, 0],  remembered!("131 in real mode")),
    fpu("FLDENV",                  &[Fldenv],                                        &[],               [34, 0],   remembered!("44 in real mode")),
    fpu("FNSTENV",                 &[Fnstenv],                                       &[],               [56, 0],   remembered!("67 in real mode")),
];
