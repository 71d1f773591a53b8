//! Tests beyond the comparison with silicon: faults of the system, pointers and images, the flawed divider.

use crate::exec::{Exit, MicroOp, Outcome, State, compile, run};
use crate::memory::Memory;
use iced_x86::CpuidFeature;
use p5_words::fault::{FaultCause, Vector};
use p5_words::fpu::{Divider, Extended, INVALID, LastInstruction};
use p5_words::isa::InstructionSet;
use p5_words::mode::Mode;
use p5_words::registers::{CR0_EM, CR0_MP, CR0_NE, CR0_PE, CR0_TS, Registers};

const CODE: u32 = 0x1000;
const DATA: u32 = 0x2000;

static CHIP: InstructionSet = InstructionSet {
    chip: "with x87",
    base: None,
    features: &[
        CpuidFeature::INTEL8086,
        CpuidFeature::FPU,
        CpuidFeature::FPU287,
        CpuidFeature::FPU387,
    ],
    without: &[],
    decoder_options: 0,
    control_register_4: 0,
};

/// A machine with a page of data, to which EBX points.
fn machine() -> State {
    let mut memory = Memory::new();
    memory.map(DATA, 0x1000, true).expect("maps");
    let mut state = State::new(Registers::flat(0), memory);
    state.registers.general[3] = DATA;
    state
}

fn execute(state: &mut State, bytes: &[u8]) -> Outcome {
    let instructions = CHIP.decoder(32, bytes, CODE);
    let ops: Vec<MicroOp> = instructions
        .into_iter()
        .map(|instruction| compile(&instruction, &CHIP, &Mode::FLAT))
        .collect();
    run(&ops, state)
}

fn fault(outcome: Outcome) -> (Vector, FaultCause) {
    match outcome.exit {
        Exit::Fault(fault) => (fault.vector, fault.cause),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_unit_that_is_emulated_or_belongs_to_another_task_is_not_available() {
    let (fnop, wait) = ([0xD9, 0xD0], [0x9B]);
    let mut state = machine();
    state.registers.cr0 |= CR0_EM;
    let emulated = (Vector::DeviceNotAvailable, FaultCause::FloatingPointEmulated);
    assert_eq!(fault(execute(&mut state, &fnop)), emulated);
    assert_eq!(fault(execute(&mut state, &[0xDF, 0xE0])), emulated);
    assert_eq!(execute(&mut state, &wait).exit, Exit::Next);
    state.registers.cr0 = CR0_PE | CR0_TS;
    let switched = (Vector::DeviceNotAvailable, FaultCause::FloatingPointAfterTaskSwitch);
    assert_eq!(fault(execute(&mut state, &fnop)), switched);
    assert_eq!(execute(&mut state, &wait).exit, Exit::Next);
    state.registers.cr0 |= CR0_MP;
    let waited = (Vector::DeviceNotAvailable, FaultCause::WaitAfterTaskSwitch);
    assert_eq!(fault(execute(&mut state, &wait)), waited);
    assert!(!state.registers.fpu.used);
}

#[test]
fn an_exception_that_is_not_masked_goes_the_way_that_cr0_says() {
    let mut state = machine();
    state.registers.fpu.set_control(0x340);
    // fchs of an empty register, then fnstsw, which does not wait, and fnop, which does.
    let bytes = [0xD9, 0xE0, 0xDF, 0xE0, 0xD9, 0xD0];
    let outcome = execute(&mut state, &bytes);
    assert_eq!(outcome.executed, 2);
    let exceptions = INVALID as u8;
    let raised = (Vector::FloatingPoint, FaultCause::FloatingPoint { exceptions });
    assert_eq!(fault(outcome), raised);
    assert_eq!(state.registers.general[0], 0x80C1);
    state.registers.cr0 &= !CR0_NE;
    let cause = FaultCause::FloatingPointErrorPin { exceptions };
    assert_eq!(fault(execute(&mut state, &[0x9B])), (Vector::FloatingPoint, cause));
}

#[test]
fn pointers_are_those_of_the_last_instruction_that_is_not_for_control() {
    let mut state = machine();
    // fld dword ptr [ebx+8]; fnstcw [ebx]
    let bytes = [0xD9, 0x43, 0x08, 0xD9, 0x3B];
    assert_eq!(execute(&mut state, &bytes).exit, Exit::Next);
    let expected = LastInstruction {
        code_selector: 0x08,
        code_offset: CODE,
        opcode: 0x143,
        data_selector: 0x10,
        data_offset: DATA + 8,
    };
    assert_eq!(state.registers.fpu.last, expected);
    // The register forms keep the operand: fadd st,st(3); fmulp st(2),st; fsqrt
    for (bytes, opcode) in [([0xD8, 0xC3], 0x0C3), ([0xDE, 0xCA], 0x6CA), ([0xD9, 0xFA], 0x1FA)] {
        execute(&mut state, &bytes);
        let last = state.registers.fpu.last;
        assert_eq!((last.opcode, last.data_offset), (opcode, DATA + 8), "{bytes:x?}");
    }
}

#[test]
fn the_four_images_have_the_layouts_of_the_manual() {
    let words = |state: &State, size: u32| -> Vec<u32> {
        let bytes = state.memory.read_bytes(DATA, 7 * size).expect("mapped");
        let number = |word: &[u8]| word.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
        bytes.chunks(size as usize).map(number).collect()
    };
    let last = LastInstruction {
        code_selector: 0x1234,
        code_offset: 0x000A_5678,
        opcode: 0x5D3,
        data_selector: 0x4321,
        data_offset: 0x000B_8765,
    };
    let cases: [(bool, u32, [u32; 4]); 4] = [
        (true, 4, [0x000A_5678, 0x05D3_1234, 0x000B_8765, 0xFFFF_4321]),
        (false, 4, [0xFFFF_79B8, 0x0000_B5D3, 0xFFFF_B975, 0x0000_F000]),
        (true, 2, [0x5678, 0x1234, 0x8765, 0x4321]),
        (false, 2, [0x79B8, 0xB5D3, 0xB975, 0xF000]),
    ];
    for (protected, size, pointers) in cases {
        let mut state = machine();
        state.registers.fpu.last = last;
        if !protected {
            state.registers.cr0 &= !CR0_PE;
        }
        let wide = [0xD9, 0x33];
        let narrow = [0x66, 0xD9, 0x33];
        let bytes: &[u8] = if size == 4 { &wide } else { &narrow };
        assert_eq!(execute(&mut state, bytes).exit, Exit::Next);
        let stored = words(&state, size);
        let unused = if size == 4 { 0xFFFF_0000 } else { 0 };
        assert_eq!(stored[..3], [0x37F, 0, 0xFFFF].map(|word: u32| word | unused));
        assert_eq!(stored[3..], pointers, "protected {protected}, {size} bytes");
        assert_eq!(state.facts.len, 7);
        assert_eq!(state.registers.fpu.control(), 0x37F);
    }
}

#[test]
fn what_fnsave_leaves_frstor_takes() {
    for bytes in [&[0xDD, 0x33, 0xDD, 0x23][..], &[0x66, 0xDD, 0x33, 0x66, 0xDD, 0x23]] {
        let mut state = machine();
        for number in 1..=3 {
            state
                .registers
                .fpu
                .push(Extended::new(0x4000 + number, 1 << 63 | u64::from(number)));
        }
        let mut before = state.registers.fpu.clone();
        assert_eq!(execute(&mut state, bytes).exit, Exit::Next);
        before.used = true;
        before.last = state.registers.fpu.last;
        assert_eq!(state.registers.fpu, before);
        assert_eq!(state.facts.len, 2 * 23);
    }
}

#[test]
fn a_store_that_faults_changes_nothing_of_the_unit() {
    let mut state = machine();
    state.registers.fpu.push(Extended::new(0x3FFD, 0xAAAA_AAAA_AAAA_AAAB));
    state.registers.general[3] = DATA + 0xFFE;
    let mut before = state.registers.fpu.clone();
    // fstp dword ptr [ebx], which would be inexact; fistp dword ptr [ebx]
    for bytes in [[0xD9, 0x1B], [0xDB, 0x1B]] {
        let (vector, _) = fault(execute(&mut state, &bytes));
        assert_eq!(vector, Vector::Page);
        before.used = true;
        assert_eq!(state.registers.fpu, before);
    }
}

#[test]
fn the_divider_is_a_property_of_the_chip() {
    for (divider, expected) in [
        (Divider::Correct, 0x3FF5_5754_1C7C_6B43),
        (Divider::Flawed, 0x3FF5_56FE_C725_4ED1),
    ] {
        let mut state = machine();
        state.registers.fpu.divider = divider;
        state.memory.write_u32(DATA, 4_195_835).expect("writes");
        state.memory.write_u32(DATA + 4, 3_145_727).expect("writes");
        // fninit; fild [ebx]; fidiv [ebx+4]; fstp qword ptr [ebx+8]
        let bytes = [0xDB, 0xE3, 0xDB, 0x03, 0xDA, 0x73, 0x04, 0xDD, 0x5B, 0x08];
        assert_eq!(execute(&mut state, &bytes).exit, Exit::Next);
        let quotient = state.memory.read_u64(DATA + 8).expect("reads");
        assert_eq!(quotient, expected, "{}", f64::from_bits(quotient));
    }
}
