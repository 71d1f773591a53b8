//! The first exceptions of the floating-point unit that a program has masked, of each kind that spoils a result.

use super::{C1, EXCEPTIONS, Fpu, INVALID, OVERFLOW, STACK_FAULT, ZERO_DIVIDE};

/// A kind of masked exception after which a result is an infinity, or no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoiled {
    /// All registers were taken when a value was pushed; whether MMX instructions had taken the last one.
    StackOverflow {
        /// The register that was needed was left by an MMX instruction.
        by_mmx: bool,
    },
    /// A register was empty that was read.
    StackUnderflow,
    /// The operation has no result for these operands.
    Invalid,
    /// A number other than 0 was divided by 0.
    DividedByZero,
    /// The result is too large for its format.
    Overflow,
}

/// An exception and the instruction that raised it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstRaised {
    /// What it spoiled.
    pub kind: Spoiled,
    /// The selector and the offset of the instruction.
    pub at: (u16, u32),
}

/// The number of kinds of [`Spoiled`].
pub(super) const KINDS: usize = 5;

/// The exceptions among which the kinds are.
pub(super) const SPOILING: u16 = INVALID | ZERO_DIVIDE | OVERFLOW;

const _: () = assert!(SPOILING & !EXCEPTIONS == 0);

impl Fpu {
    /// The first masked exceptions of each kind, in the order of [`Spoiled`].
    pub fn first_raised(&self) -> impl Iterator<Item = FirstRaised> {
        self.first_raised.iter().copied().flatten()
    }

    /// Keeps what the last instruction raises, if it is the first of its kind. `bits` are those of the status word.
    #[cold]
    pub(super) fn keep_raised(&mut self, bits: u16) {
        let (place, kind) = match bits {
            _ if bits & (INVALID | STACK_FAULT | C1) == INVALID | STACK_FAULT | C1 => {
                let by_mmx = !self.is_real(7);
                (0, Spoiled::StackOverflow { by_mmx })
            }
            _ if bits & (INVALID | STACK_FAULT) == INVALID | STACK_FAULT => (1, Spoiled::StackUnderflow),
            _ if bits & INVALID != 0 => (2, Spoiled::Invalid),
            _ if bits & ZERO_DIVIDE != 0 => (3, Spoiled::DividedByZero),
            _ => (4, Spoiled::Overflow),
        };
        let at = (self.last.code_selector, self.last.code_offset);
        self.first_raised[place].get_or_insert(FirstRaised { kind, at });
    }
}
