//! Operands after evaluation: the input of instruction selection.
//!
//! Operands do not depend on the dialect. All numbers are those of the current layout pass; `select` is called again in
//! each pass.

use iced_x86::Register;

/// The default size of operands and addresses in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CodeSize {
    Bits16,
    Bits32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its offset in the code segment.
    pub(crate) address: u32,
    /// The size of the code at that address.
    pub(crate) size: CodeSize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A general, segment, control, debug, test, x87 or MMX register.
    Register(Register),
    Immediate(Immediate),
    Memory(Memory),
    /// The code address of a direct branch or call.
    Target(Target),
    /// A literal far pointer, `selector:offset`.
    FarPointer {
        selector: u16,
        offset: u32,
        /// Whether it leads to 32-bit code, so that the offset needs 32 bits.
        wide: bool,
    },
}

/// A number used as an immediate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Immediate {
    /// Its value, as an unsigned 32-bit or a negative number.
    pub(crate) value: i64,
    /// The size in bytes that the source forces (`byte ptr 5`).
    pub(crate) size: Option<u8>,
    /// Whether the value may change in a later pass (an address, a forward reference), so that the full-size form is
    /// used.
    pub(crate) volatile: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// The access size in bytes if the source or the symbol's type gives it: 1, 2, 4, 6, 8, 10.
    pub(crate) size: Option<u8>,
    /// Whether the size comes from an explicit `ptr`, which must fit, rather than from a symbol's type.
    pub(crate) explicit_size: bool,
    /// A segment override the source writes, or `Register::None`.
    pub(crate) segment: Register,
    pub(crate) base: Register,
    pub(crate) index: Register,
    /// The factor of the index: 1, 2, 4 or 8.
    pub(crate) scale: u8,
    /// The displacement, 32-bit two's complement.
    pub(crate) displacement: i64,
    /// Whether the displacement may change in a later pass, so that the full-size form is used.
    pub(crate) volatile: bool,
    /// Whether it contains a symbol or a number (`[ebx+0]` has a displacement, `[ebx]` has none).
    pub(crate) has_displacement: bool,
}

impl Memory {
    /// The size that stands for a pointer of four bytes that is not the usual one: to code of 32 bits in the segment
    /// in 16-bit code, to 16-bit code elsewhere in 32-bit code.
    pub(crate) const OTHER_POINTER: u8 = 5;
}

/// The target of a direct branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The offset in the code segment.
    pub(crate) address: u32,
    pub(crate) distance: Distance,
}

/// The distance of a direct branch in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Distance {
    /// The layout chooses the shortest form that reaches.
    Any,
    /// `short`: 8-bit displacement, an error if it does not reach.
    Short,
    /// `near`: the full displacement.
    Near,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum RepeatPrefix {
    #[default]
    None,
    /// `rep`, F3h.
    Rep,
    /// `repe` and `repz`, F3h.
    Repe,
    /// `repne` and `repnz`, F2h.
    Repne,
}

/// A number of 32 bits as one with a sign where it stands for fewer: MASM computes with 32 bits, so that 0FFFFFFFEh
/// is -2.
pub(crate) fn narrowed(number: i64, bits: u32) -> i64 {
    match number {
        0x8000_0000..=0xFFFF_FFFF if bits < 32 => number - (1 << 32),
        number => number,
    }
}
