//! The registers of the floating-point unit: the stack of 80-bit registers with its tags, the control and status words,
//! and the pointers to the last instruction and its operand.

mod raised;

pub use raised::{FirstRaised, Spoiled};

use std::mem::offset_of;

/// An 80-bit real: sign, 15-bit exponent, and a significand with an explicit integer bit.
///
/// In memory, its first ten bytes are those of the format of 80 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Extended {
    /// The 64 bits of the significand; bit 63 is the explicit integer bit.
    pub significand: u64,
    /// Bit 15: the sign; bits 0-14: the exponent, biased by 3FFFh.
    pub sign_exponent: u16,
}

/// The sign bit in [`Extended::sign_exponent`].
pub const SIGN: u16 = 0x8000;
/// The exponent of infinities and NaNs.
pub const SPECIAL_EXPONENT: u16 = 0x7FFF;
/// The biased exponent of 1.0.
pub const BIAS: i32 = 0x3FFF;
/// The integer bit of a significand.
pub const INTEGER_BIT: u64 = 1 << 63;
/// The bit that is set in quiet NaNs and clear in signalling ones.
pub const QUIET_BIT: u64 = 1 << 62;

impl Extended {
    /// Positive zero.
    pub const ZERO: Extended = Extended::new(0, 0);
    /// The number 1.0.
    pub const ONE: Extended = Extended::new(BIAS as u16, INTEGER_BIT);
    /// The quiet NaN that is the result of masked invalid operations.
    pub const INDEFINITE: Extended = Extended::new(SIGN | SPECIAL_EXPONENT, INTEGER_BIT | QUIET_BIT);

    /// The real with this sign, exponent and significand.
    pub const fn new(sign_exponent: u16, significand: u64) -> Extended {
        Extended {
            sign_exponent,
            significand,
        }
    }

    /// Infinity with the sign in bit 15 of `sign`.
    pub const fn infinity(sign: u16) -> Extended {
        Extended::new(sign & SIGN | SPECIAL_EXPONENT, INTEGER_BIT)
    }

    /// Zero with the sign in bit 15 of `sign`.
    pub const fn zero(sign: u16) -> Extended {
        Extended::new(sign & SIGN, 0)
    }

    /// The sign, in bit 15.
    #[inline(always)]
    pub const fn sign(self) -> u16 {
        self.sign_exponent & SIGN
    }

    /// The exponent, biased by 3FFFh.
    #[inline(always)]
    pub const fn exponent(self) -> u16 {
        self.sign_exponent & SPECIAL_EXPONENT
    }

    /// Whether it is a normal number: neither zero, denormal, infinite, a NaN nor an unsupported encoding.
    #[inline(always)]
    pub const fn is_normal(self) -> bool {
        (self.exponent().wrapping_sub(1)) < SPECIAL_EXPONENT - 1 && self.significand & INTEGER_BIT != 0
    }

    /// Whether it is +0.0 or -0.0.
    pub const fn is_zero(self) -> bool {
        self.exponent() == 0 && self.significand == 0
    }

    /// Whether it is a denormal or a pseudo-denormal.
    pub const fn is_denormal(self) -> bool {
        self.exponent() == 0 && self.significand != 0
    }

    /// Whether it is infinite.
    pub const fn is_infinite(self) -> bool {
        self.exponent() == SPECIAL_EXPONENT && self.significand == INTEGER_BIT
    }

    /// Whether it is a NaN, quiet or signalling.
    pub const fn is_nan(self) -> bool {
        self.exponent() == SPECIAL_EXPONENT && self.significand > INTEGER_BIT
    }

    /// Whether it is a signalling NaN.
    pub const fn is_signalling(self) -> bool {
        self.is_nan() && self.significand & QUIET_BIT == 0
    }

    /// Whether it is an encoding that only the 8087 and 80287 accepted: an unnormal, a pseudo-infinity, or a
    /// pseudo-NaN.
    pub const fn is_unsupported(self) -> bool {
        self.exponent() != 0 && self.significand & INTEGER_BIT == 0
    }
}

/// Control and status: invalid operation.
pub const INVALID: u16 = 1 << 0;
/// Control and status: an operand is a denormal.
pub const DENORMAL: u16 = 1 << 1;
/// Control and status: division by zero.
pub const ZERO_DIVIDE: u16 = 1 << 2;
/// Control and status: overflow.
pub const OVERFLOW: u16 = 1 << 3;
/// Control and status: underflow.
pub const UNDERFLOW: u16 = 1 << 4;
/// Control and status: precision, an inexact result.
pub const PRECISION: u16 = 1 << 5;
/// The bits of the six exceptions. Exceptions that are set in the control word are masked.
pub const EXCEPTIONS: u16 = 0x3F;
/// Status: the invalid operation was an overflow or underflow of the stack.
pub const STACK_FAULT: u16 = 1 << 6;
/// Status: an unmasked exception is pending.
pub const SUMMARY: u16 = 1 << 7;
/// Status: condition code 0.
pub const C0: u16 = 1 << 8;
/// Status: condition code 1.
pub const C1: u16 = 1 << 9;
/// Status: condition code 2.
pub const C2: u16 = 1 << 10;
/// Status: condition code 3.
pub const C3: u16 = 1 << 14;
/// Status: a copy of [`SUMMARY`].
pub const BUSY: u16 = 1 << 15;
/// Status: the lowest bit of the number of the top register.
pub const TOP_SHIFT: u32 = 11;

/// The control word after FNINIT: all exceptions masked, 64-bit precision, rounding to nearest.
pub const INITIAL_CONTROL: u16 = 0x037F;
/// The bits of the control word that a program can change.
pub const CONTROL_DEFINED: u16 = 0x1F3F;
/// The bit of the control word that always reads as 1.
pub const CONTROL_FIXED: u16 = 0x0040;

/// The number of words in an environment, of 2 or 4 bytes each: control, status and tag word, and the pointers.
pub const ENVIRONMENT_WORDS: usize = 7;
/// The number of registers in the stack.
pub const STACK: usize = 8;

/// The addresses of the last instruction and its operand, for exception handlers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LastInstruction {
    /// The selector of the code segment.
    pub code_selector: u16,
    /// The offset of the instruction, prefixes included.
    pub code_offset: u32,
    /// The opcode: the low three bits of its first byte, and its second byte.
    pub opcode: u16,
    /// The selector of the operand's segment.
    pub data_selector: u16,
    /// The offset of the memory operand.
    pub data_offset: u32,
}

/// The exponents of operands that exclude overflow and underflow, by their distance from the exponent of 1.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SafeExponents {
    /// The largest distance below.
    pub below: u16,
    /// The largest distance above.
    pub above: u16,
}

/// The divider that FDIV and its relatives use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Divider {
    /// A divider with the complete table of quotient digits.
    #[default]
    Correct,
    /// The divider of the first Pentiums, whose table lacks five entries.
    Flawed,
}

/// The registers and the state of the floating-point unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fpu {
    registers: [Extended; 8],
    top: u8,
    /// Which registers are empty: one bit for each physical register.
    empty: u8,
    /// One bit for each physical register, set if the floating-point unit put its value there.
    real: u8,
    control: u16,
    /// The status word without the top.
    status: u16,
    /// The last instruction that was not a control instruction.
    pub last: LastInstruction,
    /// The divider of the chip.
    pub divider: Divider,
    /// The operands that the chip considers safe.
    pub safe: SafeExponents,
    /// Whether an instruction of the unit has been executed.
    pub used: bool,
    first_raised: [Option<FirstRaised>; raised::KINDS],
}

/// Offsets of the fields of [`Fpu`], for code that works on them.
#[derive(Clone, Copy, Debug)]
pub struct FpuPlaces {
    /// The registers, by their numbers in the unit.
    pub registers: usize,
    /// In a register, the sign and the exponent.
    pub sign_exponent: usize,
    /// The number of the register that is ST(0), a byte.
    pub top: usize,
    /// One bit for each register that is empty.
    pub empty: usize,
    /// One bit for each register whose value the unit has put there.
    pub real: usize,
    /// The control word.
    pub control: usize,
    /// The status word without the top.
    pub status: usize,
    /// The last instruction.
    pub last: usize,
}

impl Default for Fpu {
    fn default() -> Self {
        Fpu {
            registers: [Extended::ZERO; 8],
            top: 0,
            empty: 0xFF,
            real: 0,
            control: INITIAL_CONTROL,
            status: 0,
            last: LastInstruction::default(),
            divider: Divider::default(),
            safe: SafeExponents::default(),
            used: false,
            first_raised: [None; raised::KINDS],
        }
    }
}

impl Fpu {
    /// Where its fields are.
    pub const PLACES: FpuPlaces = FpuPlaces {
        registers: offset_of!(Fpu, registers),
        sign_exponent: offset_of!(Extended, sign_exponent),
        top: offset_of!(Fpu, top),
        empty: offset_of!(Fpu, empty),
        real: offset_of!(Fpu, real),
        control: offset_of!(Fpu, control),
        status: offset_of!(Fpu, status),
        last: offset_of!(Fpu, last),
    };

    /// A bit for each part that differs from `other`, except the last instruction: bits 0 to 7 for ST(0) to ST(7) with
    /// their tags, then the top, the control word and the properties of the chip, and from bit 16 on each bit of the
    /// status.
    pub fn differing_parts(&self, other: &Fpu) -> u64 {
        let register = |fpu: &Fpu, number: u8| {
            let physical = fpu.physical(number);
            let tags = [fpu.empty, fpu.real].map(|bits| bits >> physical & 1);
            (fpu.registers[physical], tags)
        };
        let chip = |fpu: &Fpu| (fpu.divider, fpu.safe, fpu.used);
        let others = [
            self.top != other.top,
            self.control != other.control,
            chip(self) != chip(other),
        ];
        let registers = (0..8).map(|number| register(self, number) != register(other, number));
        let parts = registers.chain(others).enumerate();
        let parts = parts.fold(0, |parts, (place, differs)| parts | u64::from(differs) << place);
        parts | u64::from(self.status ^ other.status) << 16
    }

    #[inline(always)]
    fn physical(&self, number: u8) -> usize {
        usize::from(self.top.wrapping_add(number) & 7)
    }

    /// The value of ST(`number`), even if it is empty.
    #[inline(always)]
    pub fn st(&self, number: u8) -> Extended {
        self.registers[self.physical(number)]
    }

    /// Whether ST(`number`) is empty.
    #[inline(always)]
    pub fn is_empty(&self, number: u8) -> bool {
        self.empty >> self.physical(number) & 1 != 0
    }

    /// Sets ST(`number`) and marks it as not empty.
    #[inline(always)]
    pub fn set(&mut self, number: u8, value: Extended) {
        let physical = self.physical(number);
        self.registers[physical] = value;
        self.empty &= !(1 << physical);
        self.real |= 1 << physical;
    }

    /// Whether the floating-point unit put the value of ST(`number`) there.
    pub fn is_real(&self, number: u8) -> bool {
        self.real >> self.physical(number) & 1 != 0
    }

    /// Marks ST(`number`) as empty; its value remains.
    #[inline(always)]
    pub fn free(&mut self, number: u8) {
        self.empty |= 1 << self.physical(number);
    }

    /// Moves the top by `step` registers: 1 for a pop, -1 for a push.
    #[inline(always)]
    pub fn rotate(&mut self, step: i8) {
        self.top = self.top.wrapping_add_signed(step) & 7;
    }

    /// Marks ST(0) as empty and moves the top by 1.
    #[inline(always)]
    pub fn pop(&mut self) {
        self.free(0);
        self.rotate(1);
    }

    /// Moves the top by -1 and sets ST(0) to `value`.
    #[inline(always)]
    pub fn push(&mut self, value: Extended) {
        self.rotate(-1);
        self.set(0, value);
    }

    /// The number of the physical register that is ST(0), 0 to 7.
    pub fn top(&self) -> u8 {
        self.top
    }

    /// The control word, 16 bits.
    #[inline(always)]
    pub fn control(&self) -> u16 {
        self.control
    }

    /// Sets the control word. Flagged exceptions become pending if they are no longer masked.
    pub fn set_control(&mut self, word: u16) {
        self.control = word & CONTROL_DEFINED | CONTROL_FIXED;
        self.summarize();
    }

    /// The status word, including the top.
    #[inline(always)]
    pub fn status(&self) -> u16 {
        self.status | u16::from(self.top) << TOP_SHIFT
    }

    /// Sets the status word and the top. The summary follows from the exceptions and their masks.
    pub fn set_status(&mut self, word: u16) {
        self.top = (word >> TOP_SHIFT) as u8 & 7;
        self.status = word & !(7 << TOP_SHIFT);
        self.summarize();
    }

    /// Clears the bits `cleared` of the status word, then sets the bits `bits`; neither includes the top.
    #[inline(always)]
    pub fn report(&mut self, cleared: u16, bits: u16) {
        self.status = self.status & !cleared | bits;
        if bits & EXCEPTIONS & !self.control != 0 {
            self.status |= SUMMARY | BUSY;
        }
        if bits & self.control & raised::SPOILING != 0 {
            self.keep_raised(bits);
        }
    }

    fn summarize(&mut self) {
        self.status &= !(SUMMARY | BUSY);
        if self.status & EXCEPTIONS & !self.control != 0 {
            self.status |= SUMMARY | BUSY;
        }
    }

    /// Whether an unmasked exception is pending.
    #[inline(always)]
    pub fn is_pending(&self) -> bool {
        self.status & SUMMARY != 0
    }

    /// The tag word: two bits for each physical register, 0 valid, 1 zero, 2 special, 3 empty.
    pub fn tags(&self) -> u16 {
        (0..8).fold(0, |tags, physical| {
            let value = self.registers[physical];
            let tag = if self.empty >> physical & 1 != 0 {
                3
            } else if value.is_zero() {
                1
            } else if value.is_normal() {
                0
            } else {
                2
            };
            tags | tag << (2 * physical)
        })
    }

    /// Marks registers as empty or not. The unit derives the other tags from the values.
    pub fn set_tags(&mut self, tags: u16) {
        self.empty = (0..8).fold(0, |empty, physical| {
            empty | u8::from(tags >> (2 * physical) & 3 == 3) << physical
        });
    }

    /// Executes FNINIT: all registers become empty; their values remain.
    pub fn initialize(&mut self) {
        self.top = 0;
        self.empty = 0xFF;
        self.control = INITIAL_CONTROL;
        self.status = 0;
        self.last = LastInstruction::default();
    }

    /// Begins the use of the registers as packed integers: all become valid, and the first one the top.
    #[inline(always)]
    pub fn begin_packed(&mut self) {
        self.top = 0;
        self.empty = 0;
    }

    /// Makes the first register the top. A store from a packed register does so before its access, on silicon even if
    /// that faults.
    #[inline(always)]
    pub fn top_first(&mut self) {
        self.top = 0;
    }

    /// The value of MM`number`: the significand of that physical register.
    #[inline(always)]
    pub fn packed(&self, number: u8) -> u64 {
        self.registers[usize::from(number & 7)].significand
    }

    /// Sets MM`number`, and begins the use of the registers as packed integers.
    #[inline(always)]
    pub fn set_packed(&mut self, number: u8, value: u64) {
        self.begin_packed();
        self.registers[usize::from(number & 7)] = Extended::new(u16::MAX, value);
        self.real &= !(1 << (number & 7));
    }

    /// The value of MM`number`, unless the floating-point unit put it there or it still has its initial 0.
    pub fn packed_result(&self, number: u8) -> Option<u64> {
        let real = self.real >> (number & 7) & 1 != 0;
        Some(self.packed(number)).filter(|&value| !real && value != 0)
    }

    /// Executes EMMS: all registers become empty, and the first one the top.
    pub fn empty_all(&mut self) {
        self.top = 0;
        self.empty = 0xFF;
    }

    /// Sets ST(`number`) and leaves it empty or not, as FRSTOR does.
    pub fn restore(&mut self, number: u8, value: Extended) {
        let physical = self.physical(number);
        let before = std::mem::replace(&mut self.registers[physical], value);
        if before != value {
            // Only MMX instructions leave such a value.
            let packed = value.sign_exponent == u16::MAX && value.is_unsupported();
            self.real = self.real & !(1 << physical) | u8::from(!packed) << physical;
        }
    }
}

#[cfg(test)]
mod tests;
