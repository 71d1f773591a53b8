//! The registers that a program could use for itself: those that C functions need not keep, and that nothing in the
//! program uses. Whoever starts a whole program does not look at them afterwards.

use super::effects::RegisterParts;
use super::instruction_at;
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Register};
use p5_image::{Image, Start};

/// The registers that C functions may change, except for the one that returns a value.
const CHANGED: [Register; 2] = [Register::ECX, Register::EDX];

/// Those of a flat program; none of one that asks its system for anything, which may read them, or that has code
/// without source lines.
pub fn unnamed(image: &Image) -> RegisterParts {
    if image.start != Start::Flat || !image.linked.is_empty() || image.fragment.is_some() {
        return RegisterParts::default();
    }
    let mut factory = InstructionInfoFactory::new();
    let mut used = RegisterParts::default();
    let own = image
        .lines
        .iter()
        .filter(|row| !row.data && Some(row.file) != image.library);
    for instruction in own.filter_map(|row| instruction_at(image, row.address)) {
        if asks(&instruction) {
            return RegisterParts::default();
        }
        for register in factory.info(&instruction).used_registers() {
            used.0 |= RegisterParts::of(register.register()).0;
        }
    }
    let free = CHANGED.iter().map(|&register| RegisterParts::of(register));
    let free = free.filter(|parts| !parts.meets(used));
    RegisterParts(free.fold(0, |all, parts| all | parts.0))
}

/// Whether an instruction leads to code that is not the program's, or saves all registers.
fn asks(instruction: &Instruction) -> bool {
    let elsewhere = matches!(
        instruction.flow_control(),
        FlowControl::Interrupt | FlowControl::Exception | FlowControl::IndirectCall | FlowControl::IndirectBranch
    );
    elsewhere || instruction.is_call_far() || instruction.is_jmp_far()
}
