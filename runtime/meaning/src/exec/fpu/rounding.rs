//! Rounding: from an exact result, or one with more bits than any format, to a register, according to the control word.
//!
//! The lowest bit of an inexact result stays set ("sticky"), so that everything is rounded once.

use p5_words::facts::Circumstances;
use p5_words::fpu::{
    BIAS, C1, DENORMAL, EXCEPTIONS, Extended, INTEGER_BIT, INVALID, OVERFLOW, PRECISION, QUIET_BIT, SIGN,
    SPECIAL_EXPONENT, SafeExponents, UNDERFLOW, ZERO_DIVIDE,
};

/// The rounding controls.
pub(super) const NEAREST: u16 = 0;
pub(super) const DOWN: u16 = 1;
pub(super) const UP: u16 = 2;

/// The maximum distance from the exponent of 1.0 at which operands are safe on every chip.
const SAFE_EVERYWHERE: u16 = 0x0FFF;

/// The adjustment of an exponent after an unmasked overflow or underflow.
const ADJUSTMENT: i32 = 0x6000;

/// The context of one operation: its rounding, and the exceptions that it raises.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) control: u16,
    /// Exceptions, C1 and the stack fault, as in the status word.
    pub(super) raised: u16,
}

impl Context {
    pub(super) fn new(control: u16) -> Context {
        Context { control, raised: 0 }
    }

    #[inline(always)]
    pub(super) fn rounding(&self) -> u16 {
        self.control >> 10 & 3
    }

    /// The same context with results of 64 bits, for operations that ignore the precision control.
    pub(super) fn in_full(&mut self) {
        self.control |= 0x300;
    }

    /// Whether an unmasked exception prevents the result, so that the operands do not change.
    #[inline(always)]
    pub(super) fn stops(&self) -> bool {
        self.raised & !self.control & (INVALID | DENORMAL | ZERO_DIVIDE) != 0
    }

    /// Whether an unmasked exception prevents a store.
    #[inline(always)]
    pub(super) fn stops_store(&self) -> bool {
        self.raised & !self.control & (EXCEPTIONS & !PRECISION) != 0
    }

    /// The circumstances that decide the time of an operation that is not carried out.
    #[cold]
    pub(super) fn without_operation(&self) -> u32 {
        u32::from(self.control >> 8) & Circumstances::PRECISION | Circumstances::SPECIAL
    }

    /// The circumstances that decide the time of an operation on `a` and `b` that was carried out.
    #[inline(always)]
    pub(super) fn circumstances(&self, safe: SafeExponents, a: Extended, b: Extended) -> u32 {
        let far = |value: Extended| {
            let above = value.exponent().wrapping_sub(BIAS as u16 - SAFE_EVERYWHERE);
            above > 2 * SAFE_EVERYWHERE
        };
        let precision = u32::from(self.control >> 8) & Circumstances::PRECISION;
        if far(a) | far(b) | (self.control & PRECISION == 0) {
            return precision | self.unusual_circumstances(safe, a, b);
        }
        precision
            | if self.raised & INVALID != 0 {
                Circumstances::SPECIAL
            } else {
                0
            }
    }

    #[cold]
    fn unusual_circumstances(&self, safe: SafeExponents, a: Extended, b: Extended) -> u32 {
        // Zero has the least exponent, but its tag distinguishes it from small numbers. DOUBT: no source says whether
        // the unit looks at the tag.
        let is_safe = |value: Extended| {
            let distance = i32::from(value.exponent()) - BIAS;
            value.is_zero() || (-i32::from(safe.below)..=i32::from(safe.above)).contains(&distance)
        };
        let safe = is_safe(a) && is_safe(b) && self.control & PRECISION != 0;
        let special = a.exponent() == SPECIAL_EXPONENT
            || b.exponent() == SPECIAL_EXPONENT
            || self.raised & (INVALID | ZERO_DIVIDE) != 0;
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        flag(!safe, Circumstances::UNSAFE) | flag(special, Circumstances::SPECIAL)
    }

    pub(super) fn raise(&mut self, bits: u16) {
        self.raised |= bits;
    }

    #[cold]
    pub(super) fn invalid(&mut self) -> Extended {
        self.raised |= INVALID;
        Extended::INDEFINITE
    }

    /// The number of the 128 bits of a result that rounding removes.
    fn cut(&self) -> u32 {
        match self.control >> 8 & 3 {
            0 => 64 + 40,
            2 => 64 + 11,
            _ => 64,
        }
    }

    /// Whether a magnitude is rounded up, given the removed bits, half a unit, and whether the kept part is odd.
    #[inline(always)]
    pub(super) fn rounds_up(&self, sign: u16, rest: u128, half: u128, odd: bool) -> bool {
        match self.rounding() {
            NEAREST => rest > half || rest == half && odd,
            DOWN => sign != 0 && rest != 0,
            UP => sign == 0 && rest != 0,
            _ => false,
        }
    }

    /// The magnitude without its low `cut` bits (64 to 127), and whether it overflowed. Flags precision and C1.
    fn round_at(&mut self, sign: u16, wide: u128, cut: u32) -> (u128, bool) {
        let unit = 1u128 << cut;
        let rest = wide & (unit - 1);
        let kept = wide - rest;
        self.raised &= !C1;
        if rest == 0 {
            return (kept, false);
        }
        self.raised |= PRECISION;
        if self.rounds_up(sign, rest, unit >> 1, wide & unit != 0) {
            self.raised |= C1;
            return kept.overflowing_add(unit);
        }
        (kept, false)
    }

    /// The magnitude `wide`, whose bit 127 is set and has the biased exponent `exponent`, as a register.
    #[inline(always)]
    pub(super) fn round(&mut self, sign: u16, exponent: i32, wide: u128) -> Extended {
        if self.control & 0xF00 == 0x300 && (exponent.wrapping_sub(1) as u32) < 0x7FFD {
            // The direction of rounding cannot be predicted, so there is no branch except for the carry.
            let (high, low) = ((wide >> 64) as u64, wide as u64);
            let up = (low > INTEGER_BIT) | (low == INTEGER_BIT) & (high & 1 != 0);
            self.raised |= (u16::from(low != 0) * PRECISION) | (u16::from(up) * C1);
            let (significand, carried) = high.overflowing_add(u64::from(up));
            if carried {
                return Extended::new(sign | (exponent + 1) as u16, INTEGER_BIT);
            }
            return Extended::new(sign | exponent as u16, significand);
        }
        self.round_generally(sign, exponent, wide)
    }

    fn round_generally(&mut self, sign: u16, exponent: i32, wide: u128) -> Extended {
        let cut = self.cut();
        let before = self.raised;
        let (mut kept, carried) = self.round_at(sign, wide, cut);
        let mut exponent = exponent;
        if carried {
            kept = 1 << 127;
            exponent += 1;
        }
        if exponent <= 0 {
            if self.control & UNDERFLOW == 0 {
                self.raised |= UNDERFLOW;
                // Only FSCALE has results that are below the range of the adjustment.
                if exponent + ADJUSTMENT <= 0 {
                    self.raised = before | UNDERFLOW | PRECISION;
                    return Extended::zero(sign);
                }
                exponent += ADJUSTMENT;
            } else {
                return self.round_denormal(sign, exponent - i32::from(carried), wide, cut, before);
            }
        } else if exponent >= 0x7FFF {
            if self.control & OVERFLOW == 0 {
                self.raised |= OVERFLOW;
                if exponent - ADJUSTMENT >= 0x7FFF {
                    self.raised |= PRECISION | C1;
                    return Extended::infinity(sign);
                }
                exponent -= ADJUSTMENT;
            } else {
                return self.overflow(sign, cut);
            }
        }
        Extended::new(sign | exponent as u16, (kept >> 64) as u64)
    }

    /// A result below the smallest normal number, with underflow masked.
    #[cold]
    fn round_denormal(&mut self, sign: u16, exponent: i32, wide: u128, cut: u32, before: u16) -> Extended {
        self.raised = before;
        let wide = shift_right_sticky(wide, (1 - exponent) as u32);
        let (kept, _) = self.round_at(sign, wide, cut);
        if self.raised & PRECISION != 0 {
            self.raised |= UNDERFLOW;
        }
        let significand = (kept >> 64) as u64;
        // After rounding up, it can be the smallest normal number.
        Extended::new(sign | (significand >> 63) as u16, significand)
    }

    /// The result of a masked overflow.
    #[cold]
    fn overflow(&mut self, sign: u16, cut: u32) -> Extended {
        self.raised = self.raised & !C1 | OVERFLOW | PRECISION;
        let to_infinity = match self.rounding() {
            NEAREST => true,
            DOWN => sign != 0,
            UP => sign == 0,
            _ => false,
        };
        if to_infinity {
            self.raised |= C1;
            return Extended::infinity(sign);
        }
        Extended::new(sign | 0x7FFE, u64::MAX << (cut - 64))
    }

    /// An operand as sign, exponent and normalised significand; it must be finite and not zero. Raises the denormal
    /// exception.
    pub(super) fn unpack(&mut self, value: Extended) -> (i32, u64) {
        if value.exponent() != 0 {
            return (i32::from(value.exponent()), value.significand);
        }
        self.raised |= DENORMAL;
        let shift = value.significand.leading_zeros();
        (1 - shift as i32, value.significand << shift)
    }

    /// The result of an operation with at least one operand that is a NaN or unsupported; `None` if there is no such
    /// operand.
    pub(super) fn not_a_number(&mut self, a: Extended, b: Extended) -> Option<Extended> {
        if a.is_unsupported() || b.is_unsupported() {
            return Some(self.invalid());
        }
        if !a.is_nan() && !b.is_nan() {
            return None;
        }
        if a.is_signalling() || b.is_signalling() {
            self.raised |= INVALID;
        }
        // A quiet NaN precedes a signalling one, the larger significand the smaller, plus minus.
        let key = |value: Extended| {
            let quiet = u8::from(!value.is_signalling());
            (value.is_nan(), quiet, value.significand, value.sign() == 0)
        };
        let mut chosen = if key(b) > key(a) { b } else { a };
        if a.is_signalling() && b.is_signalling() || a.is_nan() && b.is_nan() && a.is_signalling() == b.is_signalling()
        {
            // Values of the same kind are compared after both are made quiet.
            let quiet = |value: Extended| (value.significand | QUIET_BIT, value.sign() == 0);
            chosen = if quiet(b) > quiet(a) { b } else { a };
        }
        chosen.significand |= QUIET_BIT;
        Some(chosen)
    }

    /// The result of an operation with one operand that is a NaN or unsupported, as [`Context::not_a_number`] has it
    /// for two.
    pub(super) fn not_one_number(&mut self, value: Extended) -> Option<Extended> {
        self.not_a_number(value, value)
    }
}

/// `value` shifted right, with the removed bits kept in the lowest bit.
#[inline(always)]
pub(super) fn shift_right_sticky(value: u128, count: u32) -> u128 {
    if count >= 128 {
        return u128::from(value != 0);
    }
    let kept = value >> count;
    kept | u128::from(kept << count != value)
}

/// `value` with the opposite sign.
pub(super) fn negated(value: Extended) -> Extended {
    Extended::new(value.sign_exponent ^ SIGN, value.significand)
}
