//! Tests of behaviour that user mode on silicon cannot show: privilege, segments, visits of a repeat, facts, requests,
//! stores to code.

use super::*;
use iced_x86::Instruction;
use p5_chips::{INSTRUCTION_SETS, MODELS};
use p5_words::descriptor::Descriptor;
use p5_words::mode::Mode;
use p5_words::registers::SegmentRegister;
use p5_words::registers::{CF, CR4_TSD, DF, ID, IF, IOPL, OF, ZF};

const CODE: u32 = 0x1000;
const DATA: u32 = 0x10_0000;
const STACK_TOP: u32 = DATA + 0x8000;

fn decode(bytes: &[u8]) -> Vec<Instruction> {
    MODELS[0].isa.decoder(32, bytes, CODE).iter().collect()
}

fn machine(cpl: u8, bytes: &[u8]) -> (Vec<MicroOp>, State) {
    let mut memory = Memory::new();
    memory.map(CODE, 0x1000, true).expect("maps");
    memory.map(DATA, 0x2_0000, true).expect("maps");
    memory.load(CODE, bytes).expect("loads");
    let mut registers = Registers::flat(cpl);
    registers.general = [0, 0, 0, DATA, STACK_TOP, DATA + 0x4000, DATA + 0x100, DATA + 0x1_0000];
    let ops = decode(bytes)
        .iter()
        .map(|instruction| compile(instruction, MODELS[0].isa, &Mode::FLAT))
        .collect();
    (ops, State::new(registers, memory))
}

fn exit(cpl: u8, bytes: &[u8]) -> Exit {
    let (ops, mut state) = machine(cpl, bytes);
    run(&ops, &mut state).exit
}

fn fault(cpl: u8, bytes: &[u8]) -> Option<(Vector, Option<u32>)> {
    match exit(cpl, bytes) {
        Exit::Fault(fault) => Some((fault.vector, fault.error_code)),
        _ => None,
    }
}

const GP: Option<(Vector, Option<u32>)> = Some((Vector::GeneralProtection, Some(0)));
const UD: Option<(Vector, Option<u32>)> = Some((Vector::InvalidOpcode, None));

#[test]
fn operations_are_compact() {
    assert_eq!(size_of::<MicroOp>(), 32);
    assert_eq!(size_of::<Flow>(), 1);
}

#[test]
fn a_loop_runs_and_says_where_to_go() {
    // mov ecx,3; add eax,ecx; dec ecx; jnz
    let (ops, mut state) = machine(0, &[0xB9, 3, 0, 0, 0, 0x01, 0xC8, 0x49, 0x75, 0xFB]);
    let outcome = run(&ops, &mut state);
    assert_eq!((outcome.executed, outcome.exit), (4, Exit::Next));
    assert!(state.facts.taken);
    assert_eq!((state.facts.next, state.registers.eip), (CODE + 5, CODE + 5));
    run(&ops[1..], &mut state);
    run(&ops[1..], &mut state);
    assert!(!state.facts.taken);
    assert_eq!((state.registers.general[0], state.registers.eip), (6, CODE + 10));
}

#[test]
fn privileged_instructions_fault_outside_level_0() {
    for (bytes, name) in [
        (&[0xF4][..], "hlt"),
        (&[0x0F, 0x06], "clts"),
        (&[0x0F, 0x01, 0x13], "lgdt [ebx]"),
        (&[0x0F, 0x01, 0x1B], "lidt [ebx]"),
        (&[0x0F, 0x00, 0xD0], "lldt ax"),
        (&[0x0F, 0x00, 0xD8], "ltr ax"),
        (&[0x0F, 0x01, 0xF0], "lmsw ax"),
        (&[0x0F, 0x22, 0xC0], "mov cr0,eax"),
        (&[0x0F, 0x20, 0xE0], "mov eax,cr4"),
        (&[0x0F, 0x23, 0xC0], "mov dr0,eax"),
        (&[0x0F, 0x21, 0xC0], "mov eax,dr0"),
        (&[0x0F, 0x08], "invd"),
        (&[0x0F, 0x09], "wbinvd"),
        (&[0x0F, 0x01, 0x3B], "invlpg [ebx]"),
        (&[0x0F, 0x32], "rdmsr"),
        (&[0x0F, 0x30], "wrmsr"),
        (&[0xFA], "cli"),
        (&[0xFB], "sti"),
        (&[0xE4, 0x60], "in al,60h"),
        (&[0xEE], "out dx,al"),
        (&[0x6C], "insb"),
        (&[0x6F], "outsd"),
    ] {
        assert_eq!(fault(3, bytes), GP, "{name}");
        assert!(
            fault(0, bytes).is_none_or(|(_, code)| name == "ltr ax" && code == Some(0)),
            "{name}"
        );
        assert!(
            name == "cli" || name == "sti" || stands_alone(&decode(bytes)[0]),
            "{name}"
        );
    }
}

#[test]
fn requests_leave_the_instruction_in_place_until_complete() {
    let (ops, mut state) = machine(3, &[0x90, 0x0F, 0x31]);
    let outcome = run(&ops, &mut state);
    assert_eq!(outcome.executed, 1);
    assert_eq!(
        outcome.exit,
        Exit::Request(Request::ReadTimeStampCounter { auxiliary: false })
    );
    assert_eq!((state.registers.eip, state.facts.next), (CODE + 1, CODE + 3));
    assert_eq!(complete(&ops[1], &mut state, false), Exit::Next);
    assert_eq!(state.registers.eip, CODE + 3);

    state.registers.cr4 = CR4_TSD;
    assert!(matches!(run(&ops[1..], &mut state).exit, Exit::Fault(_)));
    assert_eq!(
        exit(3, &[0xCD, 0x80]),
        Exit::Request(Request::Interrupt { vector: 0x80 })
    );
    assert_eq!(
        exit(0, &[0x0F, 0x01, 0x3B]),
        Exit::Request(Request::InvalidatePage { address: DATA })
    );
    // mov cr4,eax with a bit that no Pentium has
    let (ops, mut state) = machine(0, &[0x0F, 0x22, 0xE0]);
    state.registers.general[0] = 0x100;
    assert!(matches!(run(&ops, &mut state).exit, Exit::Fault(_)));
    state.registers.general[0] = 4;
    assert_eq!(
        run(&ops, &mut state).exit,
        Exit::Request(Request::ControlRegisterWritten { register: 4 })
    );
    assert_eq!(state.registers.cr4, 4);
}

#[test]
fn ports_take_and_give_values() {
    // rep insw
    let (ops, mut state) = machine(0, &[0xF3, 0x66, 0x6D]);
    state.registers.general[1] = 2;
    state.registers.general[2] = 0x1F0;
    for value in [0x1111, 0x2222] {
        assert_eq!(
            run(&ops, &mut state).exit,
            Exit::Request(Request::In { port: 0x1F0, size: 2 })
        );
        assert_eq!(state.facts.len, 4);
        state.input = value;
        assert_eq!(complete(&ops[0], &mut state, false), Exit::Next);
    }
    assert_eq!(state.memory.read_u32(DATA + 0x1_0000), Ok(0x2222_1111));
    assert_eq!((state.registers.general[1], state.registers.eip), (0, CODE + 3));
    assert_eq!(run(&ops, &mut state).exit, Exit::Next);
    // out 20h,al
    let (ops, mut state) = machine(0, &[0xE6, 0x20]);
    state.registers.general[0] = 0x1234;
    let wanted = Request::Out {
        port: 0x20,
        size: 1,
        value: 0x34,
    };
    assert_eq!(run(&ops, &mut state).exit, Exit::Request(wanted));
}

#[test]
fn flags_that_need_privilege() {
    let popf = |cpl: u8, before: u32, image: u32| {
        let (ops, mut state) = machine(cpl, &[0x9D]);
        state.registers.set_eflags(before);
        state.memory.write_u32(STACK_TOP, image).expect("mapped");
        assert_eq!(run(&ops, &mut state).exit, Exit::Next);
        state.registers.eflags()
    };
    assert_eq!(popf(3, IF | 2, IOPL | CF | ID), IF | CF | ID | 2);
    assert_eq!(popf(3, IF | IOPL | 2, 0), IOPL | 2);
    assert_eq!(popf(0, IF | 2, IOPL | DF), IOPL | DF | 2);
}

#[test]
fn the_trap_flag_stops_after_one_instruction() {
    // popfd; nop; nop
    let (ops, mut state) = machine(0, &[0x9D, 0x90, 0x90]);
    state.memory.write_u32(STACK_TOP, TF).expect("mapped");
    let outcome = run(&ops, &mut state);
    assert_eq!((outcome.executed, outcome.exit), (1, Exit::Next));
    let outcome = run(&ops[1..], &mut state);
    assert_eq!(outcome.executed, 1);
    assert!(matches!(
        outcome.exit,
        Exit::Fault(Fault {
            vector: Vector::Debug,
            ..
        })
    ));
    assert_eq!(state.registers.eip, CODE + 2);
}

#[test]
fn segments_are_loaded_from_the_fixed_table() {
    let load = |cpl: u8, register: u8, selector: u16| {
        // mov sreg,ax
        let (ops, mut state) = machine(cpl, &[0x8E, 0xC0 | (register << 3)]);
        state.registers.general[0] = u32::from(selector);
        match run(&ops, &mut state).exit {
            Exit::Fault(fault) => Err((fault.vector, fault.error_code)),
            _ => Ok(state.registers.segments[usize::from(register)].usable()),
        }
    };
    let refused = |selector: u32| Err((Vector::GeneralProtection, Some(selector)));
    assert_eq!(load(3, 3, 0x23), Ok(true));
    assert_eq!(load(3, 3, 0x1B), Ok(true));
    assert_eq!(load(3, 0, 3), Ok(false));
    assert_eq!(load(3, 3, 0x10), refused(0x10));
    assert_eq!(load(3, 2, 0), refused(0));
    assert_eq!(load(3, 2, 0x20), refused(0x20));
    assert_eq!(load(0, 2, 0x10), Ok(true));
    assert_eq!(load(0, 4, 0x28), refused(0x28));
    assert_eq!(load(0, 4, 0x0C), refused(0x0C));
    assert_eq!(fault(0, &[0x8E, 0xC8]), UD, "mov cs,ax");
}

#[test]
fn null_and_read_only_segments_refuse() {
    // mov es,ax (null); mov eax,es:[ebx]
    assert_eq!(fault(3, &[0x8E, 0xC0, 0x26, 0x8B, 0x03]), GP);
    // mov cs:[ebx],eax, and the load that is allowed
    assert_eq!(fault(3, &[0x2E, 0x89, 0x03]), GP);
    assert_eq!(exit(3, &[0x2E, 0x8B, 0x03]), Exit::Next);
    // A push past the limit of a bounded stack segment raises #SS.
    let (ops, mut state) = machine(3, &[0x50]);
    // The stack segment has 7FFCh bytes from DATA on.
    let stack = Descriptor {
        low: 0x7FFB,
        high: 0x0040_F300 | DATA >> 16,
    };
    state.registers.segments[2] = SegmentRegister::of(0x23, stack);
    state.registers.general[4] = STACK_TOP - DATA;
    let Exit::Fault(found) = run(&ops, &mut state).exit else {
        panic!("a push past the limit went through")
    };
    assert_eq!((found.vector, found.error_code), (Vector::Stack, Some(0)));
    assert_eq!(state.registers.general[4], STACK_TOP - DATA);
}

#[test]
fn selectors_can_be_asked_about() {
    let ask = |bytes: &[u8], selector: u32| {
        let (ops, mut state) = machine(3, bytes);
        state.registers.general[0] = selector;
        assert_eq!(run(&ops, &mut state).exit, Exit::Next);
        state.registers.flags.zero().then_some(state.registers.general[1])
    };
    let (lar, lsl) = (&[0x0F, 0x02, 0xC8][..], &[0x0F, 0x03, 0xC8][..]);
    assert_eq!(ask(lar, 0x23), Some(0x00C0_F300));
    assert_eq!(ask(lar, 0x1B), Some(0x00C0_FB00));
    assert_eq!(ask(lar, 0x08), None);
    assert_eq!(ask(lsl, 0x23), Some(u32::MAX));
    assert_eq!(ask(&[0x0F, 0x00, 0xE8], 0x1B), None, "verw of code");
    assert_eq!(ask(&[0x0F, 0x00, 0xE0], 0x1B), Some(0), "verr of code");
    // arpl cx,ax
    assert_eq!(ask(&[0x63, 0xC1], 3), Some(3));
}

#[test]
fn far_transfers_and_returns_to_the_outer_level() {
    // jmp far 1Bh:12345678h, and to level 0 code
    let far = |selector: u8| [0xEA, 0x78, 0x56, 0x34, 0x12, selector, 0];
    let (ops, mut state) = machine(3, &far(0x1B));
    assert_eq!(run(&ops, &mut state).exit, Exit::Next);
    assert_eq!(state.registers.eip, 0x1234_5678);
    assert_eq!(fault(3, &far(0x08)), Some((Vector::GeneralProtection, Some(8))));
    // iretd from level 0 to level 3
    let (ops, mut state) = machine(0, &[0xCF]);
    for (index, word) in [0x2000, 0x1B, IF | ZF | 2, DATA + 0x40, 0x23].into_iter().enumerate() {
        state
            .memory
            .write_u32(STACK_TOP + 4 * index as u32, word)
            .expect("mapped");
    }
    assert_eq!(run(&ops, &mut state).exit, Exit::Next);
    let registers = &state.registers;
    assert_eq!(
        (registers.cpl, registers.eip, registers.general[4]),
        (3, 0x2000, DATA + 0x40)
    );
    assert_eq!(registers.eflags(), IF | ZF | 2);
    assert!(!registers.segments[3].usable(), "level 0 data is taken away");
    assert_eq!(state.facts.len, 3);
}

#[test]
fn a_repeat_goes_in_visits() {
    // rep stosb
    let (ops, mut state) = machine(0, &[0xF3, 0xAA]);
    state.memory.map(DATA, 0x20_0000, true).expect("maps");
    state.registers.general[1] = 100_000;
    state.registers.general[0] = 0x5A;
    let outcome = run(&ops, &mut state);
    assert_eq!((outcome.executed, outcome.unfinished), (0, true));
    assert_eq!(state.facts.words[..4], [0, DATA + 0x1_0000, REPEAT_LIMIT, 1]);
    assert_eq!(state.facts.next, CODE);
    assert_eq!(state.registers.general[1], 100_000 - REPEAT_LIMIT);
    let outcome = run(&ops, &mut state);
    assert_eq!((outcome.executed, outcome.unfinished), (1, false));
    assert_eq!(state.facts.words[..4], [0, DATA + 0x2_0000, 100_000 - REPEAT_LIMIT, 1]);
    assert_eq!(state.memory.read_u8(DATA + 0x1_0000 + 99_999), Ok(0x5A));
    assert_eq!(state.memory.read_u8(DATA + 0x1_0000 + 100_000), Ok(0));
}

#[test]
fn a_fault_in_a_repeat_keeps_what_was_done() {
    // std; rep movsd, from below the first mapped byte
    let (ops, mut state) = machine(3, &[0xFD, 0xF3, 0xA5]);
    state.registers.general[6] = DATA + 8;
    state.registers.general[1] = 10;
    let outcome = run(&ops, &mut state);
    assert_eq!(outcome.executed, 1);
    let Exit::Fault(found) = outcome.exit else {
        panic!("no fault")
    };
    assert_eq!(
        (found.vector, found.error_code, found.address),
        (Vector::Page, Some(4), Some(DATA - 4))
    );
    assert_eq!((state.registers.eip, state.registers.cr2), (CODE + 1, DATA - 4));
    assert_eq!(state.registers.general[1], 7);
    assert_eq!(state.registers.general[7], DATA + 0x1_0000 - 12);
    assert_eq!(
        state.facts.words[..4],
        [DATA + 8, DATA + 0x1_0000, 3, 4u32.wrapping_neg()]
    );
}

#[test]
fn a_store_to_code_stops_the_row() {
    // mov [1004h],al; nop ...
    let (ops, mut state) = machine(0, &[0xA2, 0x06, 0x10, 0, 0, 0x90, 0x90]);
    state.memory.mark_code(CODE);
    let outcome = run(&ops, &mut state);
    assert_eq!(
        (outcome.executed, outcome.unfinished, outcome.exit),
        (1, false, Exit::Next)
    );
    assert!(state.facts.code_written);
    assert_eq!(state.registers.eip, CODE + 5);
    assert_eq!(state.memory.code_stores(), [(CODE + 6, 1)]);
}

#[test]
fn alignment_is_checked_at_level_3_only() {
    for (cpl, expected) in [(0, false), (3, true)] {
        // mov eax,[ebx+1]
        let (ops, mut state) = machine(cpl, &[0x8B, 0x43, 0x01]);
        state.registers.cr0 |= CR0_AM;
        state.registers.set_eflags(AC);
        let exit = run(&ops, &mut state).exit;
        assert_eq!(
            matches!(
                exit,
                Exit::Fault(Fault {
                    vector: Vector::AlignmentCheck,
                    ..
                })
            ),
            expected
        );
    }
}

#[test]
fn foreign_and_malformed_instructions_are_undefined() {
    for bytes in [
        &[0x0F, 0x0B][..],         // ud2
        &[0x0F, 0x44, 0xC1],       // cmove
        &[0x0F, 0x33],             // rdpmc
        &[0x0F, 0x77],             // emms
        &[0x0F, 0x1F, 0x00],       // nop [eax]
        &[0xF0, 0x90],             // lock nop
        &[0xF0, 0x01, 0xC8],       // lock add eax,ecx
        &[0x0F, 0xC7, 0xC8],       // cmpxchg8b eax
        &[0x0F, 0x26, 0xC0],       // mov tr0,eax
        &[0x0F, 0xAA],             // rsm
        &[0x8D, 0xC0],             // lea eax,eax
        &[0xF3, 0x0F, 0xB8, 0xC1], // popcnt
    ] {
        assert_eq!(fault(0, bytes), UD, "{bytes:02x?}");
    }
    // tzcnt is bsf with a prefix that means nothing
    let (ops, mut state) = machine(0, &[0xF3, 0x0F, 0xBC, 0xC3]);
    assert_eq!(run(&ops, &mut state).exit, Exit::Next);
    assert_eq!((state.registers.general[0], state.facts.words[0]), (20, 20));
}

#[test]
fn traps_name_their_vector() {
    assert_eq!(fault(0, &[0xCC]), Some((Vector::Breakpoint, None)));
    assert_eq!(fault(0, &[0xF1]), Some((Vector::Debug, None)));
    assert_eq!(fault(0, &[0xF7, 0xF1]), Some((Vector::DivideError, None)));
    let (ops, mut state) = machine(0, &[0xCE]);
    assert_eq!(run(&ops, &mut state).exit, Exit::Next);
    state.registers.set_eflags(OF);
    assert!(matches!(
        run(&ops, &mut state).exit,
        Exit::Fault(Fault {
            vector: Vector::Overflow,
            ..
        })
    ));
}

#[test]
fn facts_of_some_forms() {
    let facts = |bytes: &[u8]| {
        let (ops, mut state) = machine(0, bytes);
        run(&ops, &mut state);
        state.facts.words[..state.facts.len].to_vec()
    };
    assert_eq!(facts(&[0x01, 0x43, 0x04]), [DATA + 4, DATA + 4], "add [ebx+4],eax");
    assert_eq!(facts(&[0xFF, 0x33]), [DATA, STACK_TOP - 4], "push [ebx]");
    assert_eq!(
        facts(&[0x8F, 0x44, 0x24, 0x08]),
        [STACK_TOP, STACK_TOP + 12],
        "pop [esp+8]"
    );
    assert_eq!(facts(&[0xC1, 0x13, 0x25]), [DATA, DATA, 5], "rcl [ebx],25h");
    assert_eq!(facts(&[0xD1, 0x13]), [DATA, DATA], "rcl [ebx],1");
    assert_eq!(facts(&[0xFF, 0x13]), [DATA, STACK_TOP - 4], "call [ebx]");
    assert_eq!(facts(&[0x0F, 0xC7, 0x0B]), [DATA, DATA], "cmpxchg8b [ebx]");
    assert_eq!(facts(&[0xA5]), [DATA + 0x100, DATA + 0x1_0000], "movsd");
}

#[test]
fn fact_words_tells_what_instructions_push() {
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let mut checked = 0;
    for _ in 0..300_000 {
        let mut bytes = [0u8; 15];
        random.fill(&mut bytes);
        match random.u8(0..6) {
            0 => bytes[0] = 0x0F,
            1 => bytes[0] = 0x66,
            _ => {}
        }
        let isa = INSTRUCTION_SETS[random.usize(..INSTRUCTION_SETS.len())];
        let instruction = isa.decoder(32, &bytes, CODE).decode();
        let op = compile(&instruction, isa, &Mode::FLAT);
        thread_local! {
            static STATE: std::cell::RefCell<Option<State>> = const { std::cell::RefCell::new(None) };
        }
        STATE.with_borrow_mut(|kept| {
            let state = kept.get_or_insert_with(|| machine(0, &[0x90]).1);
            state.registers = Registers::flat(0);
            for value in &mut state.registers.general {
                *value = DATA + 0x8000 + random.u32(..0x8000);
            }
            let outcome = run(&[op], state);
            if outcome.executed == 1 || outcome.unfinished {
                checked += 1;
                let text = format!("{:?} {bytes:02x?} seed {seed}", instruction.code());
                assert_eq!(state.facts.len, fact_words(&instruction), "{text}");
            }
        });
    }
    assert!(checked > 20_000, "only {checked} instructions completed; seed {seed}");
}
