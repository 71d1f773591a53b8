//! The manual's cases of protected mode, each a row of a table: descriptor loads, limits, far transfers, gates and
//! interrupts, with the faults and error codes that they raise.

mod processor;

use processor::{CODE, GLOBAL, INNER_STACK, INTERRUPTS, OUTER_STACK, TASK, execute, gate, processor, store};
use runtime::exec::{Delivery, Event, Exit, State, compile, deliver, run};
use runtime::fault::{Fault, FaultCause, Vector};
use runtime::mode::Operation;
use runtime::model::MODELS;
use runtime::registers::{CS, SS, TableRegister};

/// The end of an instruction sequence: an exception with its error code, or an address in a code segment and a stack.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Raises(Vector, u32),
    At { cs: u16, eip: u32, ss: u16, esp: u32 },
}

use End::{At, Raises};
use Vector::{GeneralProtection as GP, InvalidTss as TS, SegmentNotPresent as NP, Stack as SS_FAULT};

fn end(state: &mut State, length: usize) -> End {
    if let Some(fault) = execute(state, length) {
        return Raises(fault.vector, fault.error_code.unwrap_or(u32::MAX));
    }
    place(state)
}

fn place(state: &State) -> End {
    let registers = &state.registers;
    At {
        cs: registers.segments[CS].selector(),
        eip: registers.instruction_pointer(),
        ss: registers.segments[SS].selector(),
        esp: registers.general[4],
    }
}

/// An exception with its error code, if there is one.
type Raised = Option<(Vector, u32)>;

/// Loads of a segment register with MOV: level, opcode, selector, and the fault if there is one.
#[rustfmt::skip] // One case per row.
const LOADS: &[(u8, [u8; 2], u16, Raised)] = &[
    (0, [0x8E, 0xD8], 0x00, None),
    (0, [0x8E, 0xD8], 0x03, None),
    (0, [0x8E, 0xD8], 0x08, None),
    (0, [0x8E, 0xD8], 0x38, None),
    (0, [0x8E, 0xD8], 0x40, None),
    (0, [0x8E, 0xD8], 0x0C, None),
    (0, [0x8E, 0xD8], 0x10, None),
    (0, [0x8E, 0xD8], 0x13, Some((GP, 0x10))),
    (0, [0x8E, 0xD8], 0x28, Some((NP, 0x28))),
    (0, [0x8E, 0xD8], 0x30, Some((GP, 0x30))),
    (0, [0x8E, 0xD8], 0x60, Some((GP, 0x60))),
    (0, [0x8E, 0xD8], 0x68, Some((GP, 0x68))),
    (0, [0x8E, 0xD8], 0xC8, Some((GP, 0xC8))),
    (0, [0x8E, 0xD8], 0x14, Some((GP, 0x14))),
    (0, [0x8E, 0xD0], 0x10, None),
    (0, [0x8E, 0xD0], 0x00, Some((GP, 0))),
    (0, [0x8E, 0xD0], 0x13, Some((GP, 0x10))),
    (0, [0x8E, 0xD0], 0x23, Some((GP, 0x20))),
    (0, [0x8E, 0xD0], 0x38, Some((GP, 0x38))),
    (0, [0x8E, 0xD0], 0x08, Some((GP, 0x08))),
    (0, [0x8E, 0xD0], 0x28, Some((SS_FAULT, 0x28))),
    (3, [0x8E, 0xD8], 0x10, Some((GP, 0x10))),
    (3, [0x8E, 0xD8], 0x20, None),
    (3, [0x8E, 0xD8], 0x1B, None),
    (3, [0x8E, 0xD8], 0x0F, None),
    (3, [0x8E, 0xD8], 0x43, None),
    (3, [0x8E, 0xD0], 0x20, Some((GP, 0x20))),
    (3, [0x8E, 0xD0], 0x23, None),
    // These are LLDT and LTR.
    (0, [0x00, 0xD0], 0x58, None),
    (0, [0x00, 0xD0], 0x00, None),
    (0, [0x00, 0xD0], 0x10, Some((GP, 0x10))),
    (0, [0x00, 0xD0], 0x0C, Some((GP, 0x0C))),
    (0, [0x00, 0xD0], 0xC0, Some((NP, 0xC0))),
    (3, [0x00, 0xD0], 0x58, Some((GP, 0))),
    (0, [0x00, 0xD8], 0x60, None),
    (0, [0x00, 0xD8], 0x00, Some((GP, 0))),
    (0, [0x00, 0xD8], 0xB8, Some((GP, 0xB8))),
    (0, [0x00, 0xD8], 0x58, Some((GP, 0x58))),
];

#[test]
fn loads_check_the_descriptor() {
    for &(cpl, [first, second], selector, fault) in LOADS {
        let mut code = if first == 0 { vec![0x0F] } else { Vec::new() };
        code.extend([first, second]);
        let mut state = processor(cpl, &code);
        state.registers.general[0] = u32::from(selector);
        let raised = execute(&mut state, code.len()).map(|fault| (fault.vector, fault.error_code.expect("a code")));
        assert_eq!(raised, fault, "level {cpl}, {code:02x?}, selector {selector:x}");
        let accessed = state
            .memory
            .read_u8(GLOBAL + u32::from(selector & !7) + 5)
            .expect("mapped")
            & 1;
        let loads_segment = first != 0 && selector & !3 != 0 && selector & 4 == 0 && fault.is_none();
        assert!(!loads_segment || accessed == 1, "selector {selector:x} is marked");
    }
}

/// Accesses of a dword through DS: selector, offset, whether it is a write, whether it faults.
#[rustfmt::skip] // One case per row.
const ACCESSES: &[(u16, u32, bool, bool)] = &[
    (0x53, 0xFC, true, false),
    (0x53, 0xFD, false, true),
    (0x53, 0x100, false, true),
    (0x53, u32::MAX, false, true),
    (0x48, 0x1000, true, false),
    (0x48, 0x0FFF, false, true),
    (0x48, 0, false, true),
    (0xB0, 0x1000, true, false),
    (0xB0, 0xFFFD, false, true),
    (0x38, 0x1000, false, false),
    (0x38, 0x1000, true, true),
    (0x08, 0x1000, false, false),
    (0x08, 0x1000, true, true),
    (0x00, 0x1000, false, true),
];

#[test]
fn accesses_stay_within_limits_and_rights() {
    for &(selector, offset, write, faults) in ACCESSES {
        // mov ds,ax; mov ecx,[ebx] or mov [ebx],ecx
        let code = [0x8E, 0xD8, if write { 0x89 } else { 0x8B }, 0x0B];
        let mut state = processor(0, &code);
        (state.registers.general[0], state.registers.general[3]) = (u32::from(selector), offset);
        let raised = execute(&mut state, code.len()).map(|fault| (fault.vector, fault.error_code));
        assert_eq!(
            raised,
            faults.then_some((GP, Some(0))),
            "{selector:x}:{offset:x} {write}"
        );
    }
}

/// The stack pointer at the start of each test.
const ESP: u32 = OUTER_STACK - 0x100;

/// Far jumps (EAh) and calls (9Ah) to offset 2000h: level, opcode, selector, end.
#[rustfmt::skip] // One case per row.
const TRANSFERS: &[(u8, u8, u16, End)] = &[
    (0, 0xEA, 0x08, At { cs: 0x08, eip: 0x2000, ss: 0x10, esp: ESP }),
    (0, 0xEA, 0x40, At { cs: 0x40, eip: 0x2000, ss: 0x10, esp: ESP }),
    (0, 0xEA, 0x0B, Raises(GP, 0x08)),
    (0, 0xEA, 0x1B, Raises(GP, 0x18)),
    (0, 0xEA, 0x18, Raises(GP, 0x18)),
    (0, 0xEA, 0x10, Raises(GP, 0x10)),
    (0, 0xEA, 0x80, Raises(NP, 0x80)),
    (0, 0xEA, 0x00, Raises(GP, 0)),
    (0, 0xEA, 0x88, Raises(GP, 0)),
    (0, 0xEA, 0xA8, Raises(GP, 0xA8)),
    (0, 0xEA, 0xC8, Raises(GP, 0xC8)),
    (0, 0xEA, 0x78, At { cs: 0x08, eip: 0x2000, ss: 0x10, esp: ESP }),
    (0, 0x9A, 0x08, At { cs: 0x08, eip: 0x2000, ss: 0x10, esp: ESP - 8 }),
    (0, 0x9A, 0x78, At { cs: 0x08, eip: 0x2000, ss: 0x10, esp: ESP - 8 }),
    (0, 0x9A, 0x90, Raises(GP, 0x18)),
    (3, 0xEA, 0x1B, At { cs: 0x1B, eip: 0x2000, ss: 0x23, esp: ESP }),
    (3, 0xEA, 0x08, Raises(GP, 0x08)),
    (3, 0xEA, 0x43, At { cs: 0x43, eip: 0x2000, ss: 0x23, esp: ESP }),
    (3, 0xEA, 0x6B, Raises(GP, 0x08)),
    (3, 0xEA, 0x93, At { cs: 0x1B, eip: 0x2000, ss: 0x23, esp: ESP }),
    (3, 0x9A, 0x6B, At { cs: 0x08, eip: 0x2000, ss: 0x10, esp: INNER_STACK - 24 }),
    (3, 0x9A, 0x68, At { cs: 0x08, eip: 0x2000, ss: 0x10, esp: INNER_STACK - 24 }),
    (3, 0x9A, 0x93, At { cs: 0x1B, eip: 0x2000, ss: 0x23, esp: ESP - 8 }),
    (3, 0x9A, 0x7B, Raises(GP, 0x78)),
    (3, 0x9A, 0x73, Raises(NP, 0x70)),
    (3, 0x9A, 0xA3, Raises(GP, 0x10)),
];

#[test]
fn far_transfers_and_call_gates() {
    for (cpl, opcode, selector, expected) in TRANSFERS {
        let [low, high] = selector.to_le_bytes();
        let code = [*opcode, 0, 0x20, 0, 0, low, high];
        let mut state = processor(*cpl, &code);
        store(&mut state.memory, ESP, &[0x1111, 0x2222]);
        let found = end(&mut state, code.len());
        assert_eq!(&found, expected, "level {cpl}, {opcode:x} {selector:x}");
        if let At { esp, .. } = found
            && esp == INNER_STACK - 24
        {
            let words: Vec<u32> = (0..6)
                .map(|word| state.memory.read_u32(esp + 4 * word).expect("mapped"))
                .collect();
            assert_eq!(words, [CODE + 7, 0x1B, 0x1111, 0x2222, ESP, 0x23]);
            assert_eq!(state.registers.cpl, 0);
        }
    }
}

#[test]
fn an_inner_stack_that_cannot_be_used_is_an_invalid_task() {
    let call = [0x9A, 0, 0x20, 0, 0, 0x6B, 0];
    for (selector, fault) in [
        (0x00, Raises(TS, 0)),
        (0x13, Raises(TS, 0x10)),
        (0x20, Raises(TS, 0x20)),
        (0x38, Raises(TS, 0x38)),
        (0xC8, Raises(TS, 0xC8)),
        (0x28, Raises(SS_FAULT, 0x28)),
    ] {
        let mut state = processor(3, &call);
        store(&mut state.memory, TASK + 8, &[selector]);
        assert_eq!(end(&mut state, call.len()), fault, "SS0 {selector:x}");
    }
    let mut state = processor(3, &call);
    state.registers.task.limit = 8;
    assert_eq!(end(&mut state, call.len()), Raises(TS, 0x60));
    let mut state = processor(3, &call);
    store(&mut state.memory, TASK + 4, &[0x10]);
    assert_eq!(
        end(&mut state, call.len()),
        Raises(Vector::Page, 2),
        "no memory below 16"
    );
}

/// Returns by RETF (CBh) and IRETD (CFh) from level 0: the words on the stack, end.
#[rustfmt::skip] // One case per row.
const RETURNS: &[(u8, u8, &[u32], End)] = &[
    (0, 0xCB, &[0x2000, 0x08], At { cs: 0x08, eip: 0x2000, ss: 0x10, esp: ESP + 8 }),
    (0, 0xCB, &[0x2000, 0x1B, 0x8800, 0x23], At { cs: 0x1B, eip: 0x2000, ss: 0x23, esp: 0x8800 }),
    (0, 0xCB, &[0x2000, 0x1B, 0x8800, 0x10], Raises(GP, 0x10)),
    (0, 0xCB, &[0x2000, 0x1B, 0x8800, 0x00], Raises(GP, 0)),
    (0, 0xCB, &[0x2000, 0x00], Raises(GP, 0)),
    (0, 0xCB, &[0x2000, 0x0B, 0x8800, 0x23], Raises(GP, 0x08)),
    (0, 0xCB, &[0x2000, 0x80], Raises(NP, 0x80)),
    (0, 0xCB, &[0x2000, 0x88], Raises(GP, 0)),
    (3, 0xCB, &[0x2000, 0x08], Raises(GP, 0x08)),
    (0, 0xCF, &[0x2000, 0x08, 0x202], At { cs: 0x08, eip: 0x2000, ss: 0x10, esp: ESP + 12 }),
    (0, 0xCF, &[0x2000, 0x1B, 0x202, 0x8800, 0x23], At { cs: 0x1B, eip: 0x2000, ss: 0x23, esp: 0x8800 }),
    (0, 0xCF, &[0x2000, 0x1B, 0x202, 0x8800, 0x28], Raises(GP, 0x28)),
];

#[test]
fn returns_to_the_same_and_the_outer_level() {
    for (cpl, opcode, words, expected) in RETURNS {
        let mut state = processor(*cpl, &[*opcode]);
        store(&mut state.memory, ESP, words);
        assert_eq!(&end(&mut state, 1), expected, "level {cpl}, {opcode:x} {words:x?}");
        if let At { cs: 0x1B, .. } = expected {
            assert_eq!(state.registers.cpl, 3);
            assert!(!state.registers.segments[3].usable(), "data of level 0 is taken away");
        }
    }
}

/// Gates of the interrupt table: vector, target, offset, access byte.
#[rustfmt::skip] // One case per row.
const VECTORS: &[(u32, u16, u32, u8)] = &[
    (0x08, 0x08, 0x3800, 0x8E),
    (0x0B, 0x08, 0x3B00, 0x8E),
    (0x0D, 0x08, 0x3D00, 0x8E),
    (0x20, 0x08, 0x2000, 0xEE),
    (0x21, 0x08, 0x2100, 0x8F),
    (0x22, 0x08, 0x2200, 0x6E),
    (0x23, 0x10, 0x2300, 0xEE),
    (0x24, 0x18, 0x2400, 0xEF),
    (0x25, 0x80, 0x2500, 0xEE),
];

fn with_handlers(cpl: u8, vectors: &[u32]) -> State {
    let mut state = processor(cpl, &[0x90]);
    for &(vector, target, offset, access) in VECTORS.iter().filter(|row| vectors.contains(&row.0)) {
        let words = gate(target, offset, access, 0);
        store(&mut state.memory, INTERRUPTS + 8 * vector, &words);
    }
    state.registers.idtr = TableRegister {
        base: INTERRUPTS,
        limit: 0x12F,
    };
    state.facts.next = CODE + 2;
    state
}

const ALL: &[u32] = &[0x08, 0x0B, 0x0D, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25];

/// Software interrupts: level, vector, offset of the handler, bytes pushed, error code.
#[rustfmt::skip] // One case per row.
const INTERRUPTED: &[(u8, u8, u32, u32, Option<u32>)] = &[
    (0, 0x20, 0x2000, 12, None),
    (3, 0x20, 0x2000, 20, None),
    (0, 0x21, 0x2100, 12, None),
    (3, 0x21, 0x3D00, 24, Some(0x21 * 8 + 2)),
    (0, 0x22, 0x3B00, 16, Some(0x22 * 8 + 2)),
    (0, 0x23, 0x3D00, 16, Some(0x10)),
    (0, 0x24, 0x3D00, 16, Some(0x18)),
    (3, 0x24, 0x2400, 12, None),
    (0, 0x25, 0x3B00, 16, Some(0x80)),
];

#[test]
fn interrupts_enter_the_handler_of_the_vector_or_of_the_fault() {
    for &(cpl, vector, offset, pushed, code) in INTERRUPTED {
        let mut state = with_handlers(cpl, ALL);
        assert_eq!(deliver(Event::Software(vector), &mut state), Delivery::Delivered);
        let what = format!("level {cpl}, vector {vector:x}");
        assert_eq!(state.registers.instruction_pointer(), offset, "{what}");
        let inner = state.registers.segments[SS].selector() == 0x10 && cpl == 3;
        let top = if inner { INNER_STACK } else { ESP };
        assert_eq!(state.registers.general[4], top - pushed, "{what}");
        let word = |index: u32| state.memory.read_u32(top - pushed + 4 * index).expect("mapped");
        let first = u32::from(code.is_some());
        assert_eq!((first == 1).then(|| word(0)), code, "{what}");
        // A fault is reported at INT, which is at the start of the code.
        let returns = if code.is_some() { CODE } else { CODE + 2 };
        assert_eq!(word(first), returns, "{what}");
        let traps = matches!(offset, 0x2100 | 0x2400);
        assert_eq!(state.registers.eflags() & 0x200 != 0, traps, "{what}");
    }
}

fn division() -> Event {
    Event::Exception(Fault::new(Vector::DivideError, None, FaultCause::DivisionByZero))
}

#[test]
fn faults_during_delivery_become_double_faults_and_shut_the_processor_down() {
    let raised = |state: &State| -> Vec<Option<Vector>> {
        let events = state.raised().iter();
        let vector = |event: &Event| match event {
            Event::Exception(fault) => Some(fault.vector),
            Event::Software(_) | Event::External(_) => None,
        };
        events.map(|raised| vector(&raised.event)).collect()
    };
    // There is no gate for #DE: this raises #GP, and two contributory exceptions are a double fault.
    let mut state = with_handlers(0, &[0x08, 0x0D]);
    assert_eq!(deliver(division(), &mut state), Delivery::Delivered);
    assert_eq!(state.registers.instruction_pointer(), 0x3800);
    assert_eq!(
        raised(&state),
        [Some(Vector::DivideError), Some(GP), Some(Vector::DoubleFault)]
    );
    assert_eq!(state.memory.read_u32(ESP - 16), Ok(0), "its error code");
    // There is no gate for INT either, but INT is not contributory.
    let mut state = with_handlers(3, &[0x0D]);
    let trap = Event::Exception(Fault::new(Vector::Breakpoint, None, FaultCause::BreakpointInstruction));
    assert_eq!(deliver(trap, &mut state), Delivery::Delivered);
    assert_eq!(state.registers.instruction_pointer(), 0x3D00);
    assert_eq!(state.memory.read_u32(INNER_STACK - 24), Ok(3 * 8 + 2));
    // There is no gate for the double fault.
    let mut state = with_handlers(0, &[0x20]);
    assert_eq!(deliver(division(), &mut state), Delivery::Shutdown);
    assert_eq!(
        raised(&state),
        [Some(Vector::DivideError), Some(GP), Some(Vector::DoubleFault), Some(GP)]
    );
    // There is no table at all: nothing is delivered, and nothing changes.
    let mut state = processor(0, &[0x90]);
    let before = state.registers.clone();
    assert_eq!(deliver(division(), &mut state), Delivery::Unhandled);
    assert_eq!(state.registers, before);
}

/// LAR (02), LSL (03), VERR (00 /4) and VERW (00 /5) from level 3: selector, and the result if ZF is set.
#[rustfmt::skip] // One case per row.
const QUERIES: &[(&[u8], u32, Option<u32>)] = &[
    (&[0x0F, 0x02, 0xC8], 0x53, Some(0x0040_F200)),
    (&[0x0F, 0x02, 0xC8], 0x10, None),
    (&[0x0F, 0x02, 0xC8], 0x43, Some(0x00C0_9E00)),
    (&[0x0F, 0x02, 0xC8], 0x6B, Some(0x0000_EC00)),
    (&[0x0F, 0x02, 0xC8], 0x00, None),
    (&[0x0F, 0x03, 0xC8], 0x53, Some(0xFF)),
    (&[0x0F, 0x03, 0xC8], 0x23, Some(u32::MAX)),
    (&[0x0F, 0x03, 0xC8], 0x6B, None),
    (&[0x0F, 0x00, 0xE0], 0x23, Some(0)),
    (&[0x0F, 0x00, 0xE0], 0x1B, Some(0)),
    (&[0x0F, 0x00, 0xE0], 0x38, None),
    (&[0x0F, 0x00, 0xE8], 0x23, Some(0)),
    (&[0x0F, 0x00, 0xE8], 0x1B, None),
];

#[test]
fn queries_answer_for_what_the_program_may_use() {
    for (code, selector, answer) in QUERIES {
        let mut state = processor(3, code);
        state.registers.general[0] = *selector;
        assert_eq!(execute(&mut state, code.len()), None);
        let found = state.registers.flags.zero().then_some(state.registers.general[1]);
        assert_eq!(&found, answer, "{code:02x?} {selector:x}");
    }
}

#[test]
fn virtual_8086_mode_is_entered_by_iretd_and_left_by_an_interrupt() {
    let enter = |iopl: u32| {
        let mut state = with_handlers(0, ALL);
        state.memory.load(CODE, &[0xCF]).expect("mapped");
        let flags = 0x2_0202 | iopl << 12;
        store(
            &mut state.memory,
            ESP,
            &[0x10, 0x200, flags, 0xF0, 0x800, 0x300, 0x400, 0x500, 0x600],
        );
        assert_eq!(execute(&mut state, 1), None);
        assert_eq!(
            (state.registers.operation(), state.registers.cpl),
            (Operation::Virtual, 3)
        );
        assert_eq!(
            (state.registers.eip, state.registers.segments[3].base()),
            (0x2010, 0x4000)
        );
        state
    };
    let step = |state: &mut State, bytes: &[u8]| {
        let mode = state.registers.mode();
        let offset = state.registers.instruction_pointer();
        let instruction = MODELS[0].isa.decoder(mode.bits(), bytes, offset).decode();
        let op = compile(&instruction, MODELS[0].isa, &mode);
        run(&[op], state).exit
    };
    for sensitive in [
        &[0xFA][..],
        &[0xFB],
        &[0x9C],
        &[0x9D],
        &[0xCD, 0x20],
        &[0xCF],
        &[0x0F, 0x06],
    ] {
        let Exit::Fault(fault) = step(&mut enter(0), sensitive) else {
            panic!("{sensitive:02x?} does not fault")
        };
        assert_eq!((fault.vector, fault.error_code), (GP, Some(0)), "{sensitive:02x?}");
    }
    assert_eq!(step(&mut enter(3), &[0xFA]), Exit::Next, "cli at IOPL 3");
    assert!(matches!(step(&mut enter(0), &[0x0F, 0x31]), Exit::Request(_)), "rdtsc");
    let mut state = enter(3);
    state.facts.next = state.registers.eip + 2;
    assert_eq!(deliver(Event::Software(0x20), &mut state), Delivery::Delivered);
    assert_eq!(
        (state.registers.operation(), state.registers.cpl),
        (Operation::Protected, 0)
    );
    let top = state.registers.general[4];
    assert_eq!(top, INNER_STACK - 36);
    let words: Vec<u32> = (0..9)
        .map(|word| state.memory.read_u32(top + 4 * word).expect("mapped"))
        .collect();
    assert_eq!(words, [0x12, 0x200, 0x2_3202, 0xF0, 0x800, 0x300, 0x400, 0x500, 0x600]);
    assert!(!state.registers.segments[3].usable());
}
