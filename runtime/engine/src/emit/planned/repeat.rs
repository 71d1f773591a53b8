//! Operations that can be undone, so that their flags need not be kept: they are executed once more for them.

use super::host::number;
use iced_x86::{Instruction, Mnemonic, OpKind};

/// An operation that can be undone and executed once more, on registers of the host by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Repeat {
    /// A logical operation with this result, which says all.
    Result(u8),
    Add(u8, Source),
    Subtract(u8, Source),
    Compare(u8, Source),
    Test(u8, Source),
    Negate(u8),
    /// These keep CF.
    Increment(u8),
    Decrement(u8),
    /// These set only CF and OF.
    RotateLeft(u8, u8),
    RotateRight(u8, u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Source {
    Register(u8),
    Immediate(i32),
}

impl Repeat {
    /// What `instruction` does; `None` if it cannot be undone.
    pub(in crate::emit) fn of(instruction: &Instruction) -> Option<Repeat> {
        let wide = instruction.op0_kind() == OpKind::Register && instruction.op0_register().is_gpr32();
        let to = wide.then(|| number(instruction.op0_register()))?;
        let source = || {
            Some(match instruction.op1_kind() {
                OpKind::Register if instruction.op1_register().is_gpr32() => {
                    Source::Register(number(instruction.op1_register()))
                }
                OpKind::Immediate32 | OpKind::Immediate8to32 => Source::Immediate(instruction.immediate(1) as i32),
                _ => return None,
            })
        };
        let count = || match instruction.op1_kind() {
            OpKind::Immediate8 => Some(instruction.immediate8() & 31),
            _ => None,
        };
        let itself = Some(Source::Register(to));
        Some(match instruction.mnemonic() {
            Mnemonic::And | Mnemonic::Or | Mnemonic::Xor => Repeat::Result(to),
            // The difference is 0.
            Mnemonic::Sub if source() == itself => Repeat::Result(to),
            Mnemonic::Add if source() != itself => Repeat::Add(to, source()?),
            Mnemonic::Sub => Repeat::Subtract(to, source()?),
            Mnemonic::Cmp => Repeat::Compare(to, source()?),
            Mnemonic::Test => Repeat::Test(to, source()?),
            Mnemonic::Neg => Repeat::Negate(to),
            Mnemonic::Inc => Repeat::Increment(to),
            Mnemonic::Dec => Repeat::Decrement(to),
            Mnemonic::Rol => Repeat::RotateLeft(to, count()?),
            Mnemonic::Ror => Repeat::RotateRight(to, count()?),
            _ => return None,
        })
    }

    /// The operation that undoes it; `None` if it changes no register, or tells only its result.
    pub(in crate::emit) fn inverse(self) -> Option<Repeat> {
        Some(match self {
            Repeat::Add(to, source) => Repeat::Subtract(to, source),
            Repeat::Subtract(to, source) => Repeat::Add(to, source),
            Repeat::Negate(to) => Repeat::Negate(to),
            Repeat::Increment(to) => Repeat::Decrement(to),
            Repeat::Decrement(to) => Repeat::Increment(to),
            Repeat::RotateLeft(to, count) => Repeat::RotateRight(to, count),
            Repeat::RotateRight(to, count) => Repeat::RotateLeft(to, count),
            Repeat::Result(_) | Repeat::Compare(..) | Repeat::Test(..) => return None,
        })
    }

    /// Whether it sets all flags.
    pub(in crate::emit) fn sets_all(self) -> bool {
        !matches!(
            self,
            Repeat::Increment(_) | Repeat::Decrement(_) | Repeat::RotateLeft(..) | Repeat::RotateRight(..)
        )
    }

    /// The registers that it needs as they are after it, as bits.
    pub(in crate::emit) fn needs(self) -> u32 {
        let of = |source: Source| match source {
            Source::Register(register) => 1 << register,
            Source::Immediate(_) => 0,
        };
        match self {
            Repeat::Add(to, source)
            | Repeat::Subtract(to, source)
            | Repeat::Compare(to, source)
            | Repeat::Test(to, source) => 1 << to | of(source),
            Repeat::Result(to)
            | Repeat::Negate(to)
            | Repeat::Increment(to)
            | Repeat::Decrement(to)
            | Repeat::RotateLeft(to, _)
            | Repeat::RotateRight(to, _) => 1 << to,
        }
    }
}
