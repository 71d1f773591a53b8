//! The registers of the floating-point unit at the end of a run.

use p5_words::fpu::{Extended, Fpu};

/// The registers of the floating-point unit after the last run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FloatingPoint {
    /// ST(0) to ST(7); an empty register has no value.
    pub stack: [Option<Extended>; 8],
    /// Whether the floating-point unit put each of these values there; other values are packed integers or initial
    /// ones.
    pub real: [bool; 8],
    /// MM0 to MM7, if MMX instructions changed them and the floating-point unit has not used them since.
    pub packed: [Option<u64>; 8],
    /// The control word, 16 bits.
    pub control: u16,
    /// The status word, including the top.
    pub status: u16,
    /// The tag word, two bits for each physical register.
    pub tags: u16,
}

const NUMBERS: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

impl FloatingPoint {
    /// The state of the unit, if the program has used it.
    pub fn of(fpu: &Fpu) -> Option<FloatingPoint> {
        let value = |number: u8| (!fpu.is_empty(number)).then(|| fpu.st(number));
        fpu.used.then(|| FloatingPoint {
            stack: NUMBERS.map(value),
            real: NUMBERS.map(|number| fpu.is_real(number)),
            packed: NUMBERS.map(|number| fpu.packed_result(number)),
            control: fpu.control(),
            status: fpu.status(),
            tags: fpu.tags(),
        })
    }
}
