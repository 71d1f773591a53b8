//! The form of an instruction, against which the conditions of timing rows are checked.

use iced_x86::{
    Code, Instruction, InstructionInfoFactory, InstructionInfoOptions, Mnemonic, OpAccess, OpKind, Register,
};
use p5_chips::When;
use p5_words::isa::shifts_by_one;
use p5_words::mode::{Mode, Operation};

/// Whether one of the operands is memory, even if it is not accessed, as with LEA.
pub(super) fn has_memory_operand(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory)
        && instruction.mnemonic() != Mnemonic::Nop
}

/// Whether one of the operands is memory that the instruction accesses.
pub(super) fn has_memory(instruction: &Instruction) -> bool {
    has_memory_operand(instruction) && !matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Invlpg)
}

/// Whether the memory operand is read, and whether it is written.
pub(super) fn memory_use(instruction: &Instruction, info: &mut InstructionInfoFactory) -> (bool, bool) {
    if !has_memory(instruction) {
        return (false, false);
    }
    let only_operands = InstructionInfoOptions::NO_MEMORY_USAGE | InstructionInfoOptions::NO_REGISTER_USAGE;
    let info = info.info_options(instruction, only_operands);
    let mut used = (false, false);
    for operand in 0..instruction.op_count() {
        if instruction.op_kind(operand) == OpKind::Memory {
            match info.op_access(operand) {
                OpAccess::Read | OpAccess::CondRead => used.0 = true,
                OpAccess::Write | OpAccess::CondWrite => used.1 = true,
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => used = (true, true),
                OpAccess::None | OpAccess::NoMemAccess => {}
            }
        }
    }
    used
}

/// The size in bytes of the memory operand, or else of the operand.
pub(super) fn memory_or_operand_size(instruction: &Instruction) -> usize {
    match instruction.op_kind(0) {
        OpKind::Register => instruction.op0_register().size(),
        _ => instruction.memory_size().size(),
    }
}

pub(super) fn segment_operand(instruction: &Instruction, operand: u32) -> bool {
    operand < instruction.op_count()
        && instruction.op_kind(operand) == OpKind::Register
        && instruction.op_register(operand).is_segment_register()
}

pub(super) fn has_immediate(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| {
        matches!(
            instruction.op_kind(operand),
            OpKind::Immediate8
                | OpKind::Immediate8_2nd
                | OpKind::Immediate16
                | OpKind::Immediate32
                | OpKind::Immediate8to16
                | OpKind::Immediate8to32
        )
    })
}

/// Whether a shift uses the encoding D0h or D1h.
pub(super) fn by_one(instruction: &Instruction) -> bool {
    shifts_by_one(instruction.code())
}

pub(super) fn is_far(instruction: &Instruction) -> bool {
    matches!(instruction.op_kind(0), OpKind::FarBranch16 | OpKind::FarBranch32)
        || instruction.is_jmp_far_indirect()
        || instruction.is_call_far_indirect()
}

/// Whether a jump or call has a near target in the instruction.
pub(super) fn is_direct(instruction: &Instruction) -> bool {
    matches!(instruction.op_kind(0), OpKind::NearBranch16 | OpKind::NearBranch32)
}

/// Whether a condition of a row holds for an instruction. `used` is whether its memory operand is read, and written.
pub(super) fn holds(when: When, instruction: &Instruction, used: (bool, bool), mode: &Mode) -> bool {
    let register = |operand: u32| {
        if operand < instruction.op_count() && instruction.op_kind(operand) == OpKind::Register {
            instruction.op_register(operand)
        } else {
            Register::None
        }
    };
    match when {
        When::Register => !has_memory(instruction),
        When::Read => used == (true, false),
        When::Write => used == (false, true),
        When::Modify => used == (true, true),
        When::Memory => has_memory(instruction),
        When::ByOne => by_one(instruction),
        When::ByImmediate => has_immediate(instruction) && !by_one(instruction),
        When::ByCl => register(instruction.op_count().saturating_sub(1)) == Register::CL,
        When::Byte => memory_or_operand_size(instruction) == 1,
        When::Word => memory_or_operand_size(instruction) == 2,
        When::Dword => memory_or_operand_size(instruction) == 4,
        When::Extended => instruction.memory_size().size() == 10,
        When::ToSegment => segment_operand(instruction, 0),
        When::ToStackSegment => register(0) == Register::SS,
        When::FromSegment => segment_operand(instruction, 1) || segment_operand(instruction, 0),
        When::OneOperand => instruction.op_count() == 1,
        When::SeveralOperands => instruction.op_count() > 1,
        When::Immediate => has_immediate(instruction),
        When::ShortAccumulator => {
            matches!(
                instruction.code(),
                Code::Test_AL_imm8 | Code::Test_AX_imm16 | Code::Test_EAX_imm32
            )
        }
        When::WithAccumulator => {
            matches!(
                instruction.code(),
                Code::Xchg_r16_AX | Code::Xchg_r32_EAX | Code::Nopw | Code::Nopd
            )
        }
        When::Repeated => instruction.has_rep_prefix() || instruction.has_repne_prefix(),
        When::Direct => is_direct(instruction),
        When::Far => is_far(instruction),
        When::Real => mode.operation == Operation::Real,
        When::Virtual => mode.operation == Operation::Virtual,
        When::ToControl => register(0).is_cr(),
        When::FromControl => register(1).is_cr(),
        When::ToDebug => register(0).is_dr() || register(0).is_tr(),
        When::FromDebug => register(1).is_dr() || register(1).is_tr(),
        When::ControlZero => register(0) == Register::CR0,
    }
}
