//! What is decided of a block's operations before code is made for them: by what each is executed, and which flags are
//! wanted.

use iced_x86::{Code, ConditionCode, Instruction, Mnemonic, OpKind};
use unit::real;

mod host;
mod repeat;
mod status;
mod unit;

pub(super) use host::{Translated, Use, has_flat_address, is_high_byte, number, register, translated};
pub(super) use repeat::{Repeat, Source};
pub(super) use status::{STATUS, Set, concerns, condition, modified, modifies};
pub(super) use unit::{Format, Real, is_of_unit};

/// How an operation is executed.
#[derive(Clone, Debug)]
pub(super) enum How {
    /// By an instruction of the host, which sets the flags so; and what it does with memory.
    Host(Translated, Set, Option<Use>),
    /// By a few instructions of the host.
    Own(Own),
    /// By its handler.
    Handler,
}

/// Operations with code of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    Nothing,
    LoadAddress,
    SignOfAccumulator,
    WidenAccumulator,
    Multiply {
        signed: bool,
    },
    Divide {
        signed: bool,
    },
    PushRegister,
    PushImmediate,
    PushMemory,
    PopRegister,
    Leave,
    /// SETcc of a register.
    SetIf,
    /// CMOVcc of a register of 32 bits, from another or from memory.
    MoveIf,
    MoveIfFromMemory,
    /// SAHF.
    StoreFlags,
    Jump,
    JumpIf,
    JumpTo,
    Call,
    CallTo,
    Return,
    Real(Real),
}

impl Own {
    /// Whether it transfers control to a target that is computed, or calls.
    pub(super) fn is_computed(self) -> bool {
        matches!(self, Own::JumpTo | Own::Call | Own::CallTo | Own::Return)
    }
}

impl How {
    /// Whether the operation may end the block.
    pub(super) fn may_leave(&self) -> bool {
        match self {
            How::Host(_, _, used) => used.is_some(),
            How::Own(own) => !matches!(
                own,
                Own::Nothing
                    | Own::LoadAddress
                    | Own::SignOfAccumulator
                    | Own::WidenAccumulator
                    | Own::Multiply { .. }
                    | Own::SetIf
                    | Own::MoveIf
                    | Own::StoreFlags
                    | Own::Jump
                    | Own::JumpIf
            ),
            How::Handler => true,
        }
    }

    /// Whether the flags that it modifies do not depend on their values before.
    pub(super) fn replaces_flags(&self) -> bool {
        matches!(self, How::Host(..) | How::Own(_))
    }
}

/// What is known of an operation before code is made for it.
pub(super) struct Planned {
    pub(super) how: How,
    /// Whether a flag that it sets may be read later.
    pub(super) flags_wanted: bool,
    /// How its flags are found if they are, unless they are kept.
    pub(super) again: Option<Repeat>,
}

/// Looks at the instructions of a block from the last to the first.
pub(super) fn plan(instructions: &[Instruction], facts: impl Fn(usize) -> usize) -> Option<Vec<Planned>> {
    // What follows the block may read any flag.
    let mut read_later = STATUS;
    let mut planned = Vec::new();
    for (index, instruction) in instructions.iter().enumerate().rev() {
        let modified = modified(instruction);
        let flags_wanted = modified & read_later != 0;
        let how = how(instruction, flags_wanted, read_later != 0, facts(index))?;
        read_later = if how.may_leave() {
            // A fault shows the flags from before the operation.
            STATUS
        } else {
            let replaced = if how.replaces_flags() { modified } else { 0 };
            read_later & !replaced | instruction.rflags_read() & STATUS
        };
        planned.push(Planned {
            how,
            flags_wanted,
            again: None,
        });
    }
    planned.reverse();
    Some(planned)
}

/// How an instruction is executed that has `facts` fact words. `wanted` if a flag that it sets may be read later, and
/// `any_wanted` if any flag may be.
pub(super) fn how(instruction: &Instruction, wanted: bool, any_wanted: bool, facts: usize) -> Option<How> {
    if instruction.has_lock_prefix() {
        return Some(How::Handler);
    }
    if let Some(own) = own(instruction, wanted, facts) {
        return Some(How::Own(own));
    }
    let host = host(instruction, wanted, any_wanted).and_then(|(set, used)| {
        let expected = used.map_or(0, Use::words);
        (expected == facts).then_some(())?;
        Some(How::Host(translated(instruction)?, set, used))
    });
    Some(host.unwrap_or(How::Handler))
}

/// How the same instruction of the host sets flags and uses memory; `None` if it does not do the same.
fn host(instruction: &Instruction, wanted: bool, any_wanted: bool) -> Option<(Set, Option<Use>)> {
    use Mnemonic::{
        Adc, Add, And, Bswap, Cmp, Dec, Imul, Inc, Mov, Movsx, Movzx, Neg, Not, Or, Rol, Ror, Sar, Sbb, Shl, Shr, Sub,
        Test, Xchg, Xor,
    };
    let in_memory = instruction.op0_kind() == OpKind::Memory;
    let reads = (1..instruction.op_count()).any(|index| instruction.op_kind(index) == OpKind::Memory);
    let used = |first: Use| match (in_memory, reads) {
        (true, _) => Some(first),
        (false, true) => Some(Use::Reads),
        (false, false) => None,
    };
    Some(match instruction.mnemonic() {
        Mov => (Set::Same, used(Use::Writes)),
        Movzx | Movsx if instruction.op0_register().is_gpr32() => (Set::Same, used(Use::Reads)),
        Bswap if instruction.op0_register().is_gpr32() => (Set::Same, None),
        Xchg if !in_memory && !reads && instruction.op0_register().is_gpr32() => (Set::Same, None),
        Add | Sub | Adc | Sbb | Neg | Inc | Dec => (Set::Same, used(Use::Modifies)),
        Cmp => (Set::Same, used(Use::Reads)),
        Test => (Set::WithoutBoth, used(Use::Reads)),
        And | Or | Xor => (Set::WithoutBoth, used(Use::Modifies)),
        Not => (Set::Same, used(Use::Modifies)),
        Imul if instruction.op_count() > 1 && instruction.op0_register().is_gpr32() => {
            (Set::Multiplied, used(Use::Reads))
        }
        Shl | Shr | Sar if !in_memory => (shifted(instruction, wanted, any_wanted)?, None),
        Rol | Ror if !in_memory => (shifted(instruction, wanted, any_wanted)?, None),
        _ => return None,
    })
}

/// How a shift of a register sets flags.
fn shifted(instruction: &Instruction, wanted: bool, any_wanted: bool) -> Option<Set> {
    if !instruction.op0_register().is_gpr32() {
        return None;
    }
    let count = match instruction.op1_kind() {
        OpKind::Immediate8 => u32::from(instruction.immediate8()) & 31,
        // A count of zero keeps the flags.
        OpKind::Register => return (!any_wanted).then_some(Set::Same),
        _ => 1,
    };
    if count == 0 {
        return None;
    }
    Some(match instruction.mnemonic() {
        _ if !wanted => Set::Shifted,
        Mnemonic::Rol => Set::RotatedLeft(number(instruction.op0_register())),
        Mnemonic::Ror => Set::RotatedRight(number(instruction.op0_register())),
        Mnemonic::Sar if count == 1 => Set::WithoutBoth,
        _ if count == 1 => Set::WithoutAf,
        // Copies of the sign, or two zeros, have come in at the top.
        Mnemonic::Sar | Mnemonic::Shr => Set::ShiftedByMore,
        _ => Set::Shifted,
    })
}

/// Whether an instruction is SETcc of a register.
fn is_set_if(instruction: &Instruction) -> bool {
    instruction.condition_code() != ConditionCode::None && instruction.op0_register().is_gpr8()
}

/// Whether an instruction is CMOVcc of a register of 32 bits.
fn is_move_if(instruction: &Instruction) -> bool {
    instruction.condition_code() != ConditionCode::None && instruction.op0_register().is_gpr32()
}

fn own(instruction: &Instruction, wanted: bool, facts: usize) -> Option<Own> {
    let flat = has_flat_address(instruction);
    let in_register = instruction.op0_kind() == OpKind::Register && register(instruction.op0_register()).is_some();
    let target = in_register || instruction.op0_kind() == OpKind::Memory && flat;
    Some(match instruction.code() {
        Code::Nopd | Code::Nopw => Own::Nothing,
        Code::Lea_r32_m if flat || instruction.memory_base().is_gpr32() || instruction.memory_index().is_gpr32() => {
            Own::LoadAddress
        }
        Code::Cdq => Own::SignOfAccumulator,
        Code::Cwde => Own::WidenAccumulator,
        Code::Mul_rm32 if in_register && !wanted && facts == 0 => Own::Multiply { signed: false },
        Code::Imul_rm32 if in_register && !wanted && facts == 0 => Own::Multiply { signed: true },
        Code::Div_rm32 if in_register && facts == 0 => Own::Divide { signed: false },
        Code::Idiv_rm32 if in_register && facts == 0 => Own::Divide { signed: true },
        Code::Push_r32 => Own::PushRegister,
        Code::Pushd_imm8 | Code::Pushd_imm32 => Own::PushImmediate,
        Code::Push_rm32 if instruction.op0_kind() == OpKind::Memory && flat && facts == 2 => Own::PushMemory,
        Code::Pop_r32 => Own::PopRegister,
        Code::Leaved => Own::Leave,
        Code::Jmp_rel8_32 | Code::Jmp_rel32_32 => Own::Jump,
        Code::Jmp_rm32 if target => Own::JumpTo,
        Code::Call_rel32_32 => Own::Call,
        Code::Call_rm32 if target => Own::CallTo,
        Code::Retnd | Code::Retnd_imm16 => Own::Return,
        Code::Sahf => Own::StoreFlags,
        _ if instruction.is_jcc_short_or_near() => Own::JumpIf,
        _ if is_set_if(instruction) => Own::SetIf,
        _ if is_move_if(instruction) && instruction.op1_kind() == OpKind::Register => Own::MoveIf,
        _ if is_move_if(instruction) && flat && facts == 1 => Own::MoveIfFromMemory,
        _ => return real(instruction, facts).map(Own::Real),
    })
}
