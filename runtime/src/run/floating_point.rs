//! The registers of the floating-point unit at the end of a run.

use crate::fpu::{Extended, Fpu};

/// The floating-point unit after the last run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatingPoint {
    /// ST(0) to ST(7); an empty register has no value.
    pub stack: [Option<Extended>; 8],
    /// The control word.
    pub control: u16,
    /// The status word.
    pub status: u16,
    /// The tag word.
    pub tags: u16,
}

impl FloatingPoint {
    /// The state of the unit, if the program has used it.
    pub(crate) fn of(fpu: &Fpu) -> Option<FloatingPoint> {
        let value = |number: u8| (!fpu.is_empty(number)).then(|| fpu.st(number));
        fpu.used.then(|| FloatingPoint {
            stack: [0, 1, 2, 3, 4, 5, 6, 7].map(value),
            control: fpu.control(),
            status: fpu.status(),
            tags: fpu.tags(),
        })
    }
}
