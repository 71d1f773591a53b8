//! Operands after evaluation: the input of instruction selection.
//!
//! Dialect independent. All numbers are those of the current layout pass; `select` is called again in each pass.

use iced_x86::Register;

/// The size that operands and addresses have in code without prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeSize {
    Bits16,
    Bits32,
}

/// Where an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its offset in the code segment.
    pub(crate) address: u32,
    /// The size of the code around it.
    pub(crate) size: CodeSize,
}

/// One operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A general, segment, control, debug, test, x87 or MMX register.
    Register(Register),
    /// A number.
    Immediate(Immediate),
    /// A memory operand.
    Memory(Memory),
    /// The code address of a direct branch or call.
    Target(Target),
    /// A far pointer written out, `selector:offset`.
    FarPointer {
        /// The segment selector.
        selector: u16,
        /// The offset.
        offset: u32,
        /// Whether it leads to 32-bit code, so that the offset needs 32 bits.
        wide: bool,
    },
}

/// A number used as an immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Immediate {
    /// Its value; unsigned 32-bit notation and negative numbers are both in range.
    pub(crate) value: i64,
    /// A size the source forces, in bytes (`byte ptr 5`).
    pub(crate) size: Option<u8>,
    /// Whether the value may change in a later pass (an address, a forward reference): the full-size form is used then.
    pub(crate) volatile: bool,
}

/// A memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// The access size in bytes if the source or the symbol's type gives it: 1, 2, 4, 6, 8, 10.
    pub(crate) size: Option<u8>,
    /// Whether the size comes from an explicit `ptr` (which must fit) rather than from a symbol's type.
    pub(crate) explicit_size: bool,
    /// A segment override the source writes, or `Register::None`.
    pub(crate) segment: Register,
    /// The base register, or `Register::None`.
    pub(crate) base: Register,
    /// The index register, or `Register::None`.
    pub(crate) index: Register,
    /// The index's factor: 1, 2, 4 or 8.
    pub(crate) scale: u8,
    /// The displacement, 32-bit two's complement.
    pub(crate) displacement: i64,
    /// Whether the displacement may change in a later pass: the full-size form is used then.
    pub(crate) volatile: bool,
    /// Whether it contains a symbol or a number (`[ebx+0]` has a displacement, `[ebx]` has none).
    pub(crate) has_displacement: bool,
}

/// The target of a direct branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The offset in the code segment.
    pub(crate) address: u32,
    /// The distance given in the source.
    pub(crate) distance: Distance,
}

/// How far a direct branch may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distance {
    /// The layout chooses the shortest that reaches.
    Any,
    /// `short`: 8-bit displacement, an error if it does not reach.
    Short,
    /// `near`: the full displacement.
    Near,
}

/// A repeat prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum RepeatPrefix {
    /// None.
    #[default]
    None,
    /// `rep`, F3h.
    Rep,
    /// `repe` and `repz`, F3h.
    Repe,
    /// `repne` and `repnz`, F2h.
    Repne,
}
