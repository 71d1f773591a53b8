//! The flags that operations read and change, and how those of the host differ.

use iced_x86::{ConditionCode, Instruction, Mnemonic, RflagsBits};

/// The six status flags.
pub(in crate::emit) const STATUS: u32 =
    RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::CF | RflagsBits::PF;

/// How the flags that the host sets differ from those of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Set {
    /// They are the same.
    Same,
    /// AF and OF are clear.
    WithoutBoth,
    /// The same, but the host leaves OF undefined.
    ShiftedByMore,
    /// AF is clear.
    WithoutAf,
    /// AF is clear, and OF says whether CF differs from the top bit of the result.
    Shifted,
    /// Only CF and OF are set, by a rotation to the left of this register, or to the right.
    RotatedLeft(u8),
    RotatedRight(u8),
    /// Only CF and OF are set, to the same.
    Multiplied,
}

/// The status flags that an instruction may change. A multiplication changes only two, a division none.
pub(in crate::emit) fn modified(instruction: &Instruction) -> u32 {
    let all = instruction.rflags_modified() & STATUS;
    match instruction.mnemonic() {
        Mnemonic::Mul | Mnemonic::Imul => all & (RflagsBits::CF | RflagsBits::OF),
        Mnemonic::Div | Mnemonic::Idiv => 0,
        _ => all,
    }
}

/// Whether an instruction may change a status flag.
pub(in crate::emit) fn modifies(instruction: &Instruction) -> bool {
    instruction.rflags_modified() & STATUS != 0
}

/// Whether an instruction depends on a status flag or changes one.
pub(in crate::emit) fn concerns(instruction: &Instruction) -> bool {
    (instruction.rflags_modified() | instruction.rflags_read()) & STATUS != 0
}

/// The condition of a Jcc, SETcc or CMOVcc, as its opcode has it in the lowest bits.
pub(in crate::emit) fn condition(instruction: &Instruction) -> u8 {
    (instruction.condition_code() as u8).wrapping_sub(ConditionCode::o as u8)
}
