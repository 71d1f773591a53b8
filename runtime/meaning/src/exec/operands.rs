//! What the operands of a decoded instruction are.

use iced_x86::{Instruction, MemorySize, OpKind, Register};

/// The register that is the operand with this number; `Register::None` if it is no register.
pub(super) fn operand_register(instruction: &Instruction, index: u32) -> Register {
    if index < instruction.op_count() && instruction.op_kind(index) == OpKind::Register {
        instruction.op_register(index)
    } else {
        Register::None
    }
}

/// Whether a jump or a call gives a code segment, too.
pub(super) fn is_far(instruction: &Instruction) -> bool {
    matches!(instruction.op0_kind(), OpKind::FarBranch16 | OpKind::FarBranch32)
        || (instruction.op0_kind() == OpKind::Memory
            && matches!(instruction.memory_size(), MemorySize::SegPtr16 | MemorySize::SegPtr32))
}
