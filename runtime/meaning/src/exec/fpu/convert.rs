//! Conversions between registers and the formats of memory: reals of 32 and 64 bits, integers, packed decimal.

use super::rounding::{Context, NEAREST, shift_right_sticky};
use p5_words::fpu::{
    BIAS, C1, Extended, INTEGER_BIT, OVERFLOW, PRECISION, QUIET_BIT, SIGN, SPECIAL_EXPONENT, UNDERFLOW,
};

/// A real format of memory.
pub(super) struct Format {
    /// The number of bits in the fraction.
    fraction: u32,
    /// The exponent of infinities and NaNs.
    special: i32,
}

/// The format of 32 bits.
pub(super) const SINGLE: Format = Format {
    fraction: 23,
    special: 0xFF,
};
/// The format of 64 bits.
pub(super) const DOUBLE: Format = Format {
    fraction: 52,
    special: 0x7FF,
};

impl Format {
    const fn bias(&self) -> i32 {
        self.special >> 1
    }

    const fn sign_shift(&self) -> u32 {
        self.fraction + self.special.count_ones()
    }

    const fn pack(&self, sign: u16, exponent: i32, fraction: u64) -> u64 {
        (((sign >> 15) as u64) << self.sign_shift()) | ((exponent as u64) << self.fraction) | fraction
    }
}

/// A real from memory as a register, exactly, and whether it was a denormal. A signalling value stays signalling.
#[inline(always)]
pub(super) fn widen(format: &Format, bits: u64) -> (Extended, bool) {
    let sign = ((bits >> format.sign_shift()) as u16) << 15;
    let exponent = (bits >> format.fraction) as i32 & format.special;
    let fraction = bits << (63 - format.fraction) & !INTEGER_BIT;
    if (exponent - 1) as u32 >= (format.special - 1) as u32 {
        return widen_others(format, sign, exponent, fraction);
    }
    let exponent = (exponent - format.bias() + BIAS) as u16;
    (Extended::new(sign | exponent, INTEGER_BIT | fraction), false)
}

#[cold]
fn widen_others(format: &Format, sign: u16, exponent: i32, fraction: u64) -> (Extended, bool) {
    if exponent != 0 {
        return (Extended::new(sign | SPECIAL_EXPONENT, INTEGER_BIT | fraction), false);
    }
    if fraction == 0 {
        return (Extended::zero(sign), false);
    }
    let shift = fraction.leading_zeros();
    let exponent = 1 - format.bias() + BIAS - shift as i32;
    (Extended::new(sign | exponent as u16, fraction << shift), true)
}

/// The value of a register, rounded to a format of reals in memory.
#[inline(always)]
pub(super) fn narrow(context: &mut Context, format: &Format, value: Extended) -> u64 {
    let exponent = i32::from(value.exponent()) - BIAS + format.bias();
    let in_range = ((exponent - 1) as u32) < (format.special - 2) as u32;
    if value.is_normal() && in_range && context.rounding() == NEAREST {
        let cut = 63 - format.fraction;
        let (kept, rest) = (value.significand >> cut, value.significand << (64 - cut));
        let up = (rest > INTEGER_BIT) | ((rest == INTEGER_BIT) & (kept & 1 != 0));
        context.raised |= (u16::from(rest != 0) * PRECISION) | (u16::from(up) * C1);
        // A carry out of the fraction goes to the exponent.
        let fraction = kept - (1 << format.fraction) + u64::from(up);
        return format.pack(value.sign(), exponent, 0) + fraction;
    }
    narrow_others(context, format, value)
}

fn narrow_others(context: &mut Context, format: &Format, value: Extended) -> u64 {
    let sign = value.sign();
    let kept = 63 - format.fraction;
    if let Some(result) = context.not_one_number(value) {
        return format.pack(
            result.sign(),
            format.special,
            (result.significand & !INTEGER_BIT) >> kept,
        );
    }
    if value.is_infinite() {
        return format.pack(sign, format.special, 0);
    }
    if value.is_zero() {
        return format.pack(sign, 0, 0);
    }
    let mut unpacked = *context;
    let (exponent, significand) = unpacked.unpack(value);
    let exponent = exponent - BIAS + format.bias();
    let wide = u128::from(significand);
    let (rounded, carried) = round_bits(context, sign, wide, kept);
    let normal = exponent + i32::from(carried);
    if normal >= format.special {
        context.raised = context.raised & !(PRECISION | C1) | OVERFLOW;
        if context.stops_store() {
            return 0;
        }
        context.raised |= PRECISION;
        // As for registers, the result is infinity if rounding goes away from zero.
        if context.rounds_up(sign, 3, 2, true) {
            context.raised |= C1;
            return format.pack(sign, format.special, 0);
        }
        return format.pack(sign, format.special - 1, (1 << format.fraction) - 1);
    }
    if normal > 0 {
        return format.pack(sign, normal, rounded & ((1 << format.fraction) - 1));
    }
    context.raised &= !(PRECISION | C1);
    if context.control & UNDERFLOW == 0 {
        context.raised |= UNDERFLOW;
        return 0;
    }
    let denormal = shift_right_sticky(wide << 32, (1 - exponent) as u32);
    let (rounded, _) = round_bits(context, sign, denormal, kept + 32);
    if context.raised & PRECISION != 0 {
        context.raised |= UNDERFLOW;
    }
    // A fraction that was rounded up to the integer bit is the smallest normal number.
    format.pack(sign, 0, 0) + rounded
}

/// Cuts the low `cut` bits of `wide` and rounds; also returns whether it became a bit longer. Flags precision and C1.
fn round_bits(context: &mut Context, sign: u16, wide: u128, cut: u32) -> (u64, bool) {
    let kept = (wide >> cut) as u64;
    let rest = wide & ((1 << cut) - 1);
    if rest == 0 {
        return (kept, false);
    }
    context.raised |= PRECISION;
    if !context.rounds_up(sign, rest, 1 << (cut - 1), kept & 1 != 0) {
        return (kept, false);
    }
    context.raised |= C1;
    let rounded = kept + 1;
    (rounded, rounded.leading_zeros() < kept.leading_zeros())
}

/// An integer as a register, without rounding.
#[inline(always)]
pub(super) fn from_integer(value: i64) -> Extended {
    if value == 0 {
        return Extended::ZERO;
    }
    let magnitude = value.unsigned_abs();
    let shift = magnitude.leading_zeros();
    let sign = if value < 0 { SIGN } else { 0 };
    Extended::new(sign | (BIAS + 63 - shift as i32) as u16, magnitude << shift)
}

/// The magnitude of a finite number rounded to an integer; `None` if it exceeds 64 bits. Flags precision and C1.
pub(super) fn round_magnitude(context: &mut Context, value: Extended) -> Option<u64> {
    if value.is_zero() {
        return Some(0);
    }
    let exponent = i32::from(value.exponent().max(1)) - BIAS;
    if exponent > 63 {
        return None;
    }
    let wide = shift_right_sticky(u128::from(value.significand) << 64, (63 - exponent) as u32);
    let (kept, rest) = ((wide >> 64) as u64, wide as u64);
    if rest == 0 {
        return Some(kept);
    }
    context.raised |= PRECISION;
    if !context.rounds_up(value.sign(), u128::from(rest), 1 << 63, kept & 1 != 0) {
        return Some(kept);
    }
    context.raised |= C1;
    kept.checked_add(1)
}

/// A register as an integer of `bits` bits. A value out of range is invalid and becomes the most negative integer.
pub(super) fn to_integer(context: &mut Context, value: Extended, bits: u32) -> i64 {
    let indefinite = i64::MIN >> (64 - bits);
    let most = indefinite.unsigned_abs();
    let mut rounding = *context;
    let magnitude = if value.exponent() == SPECIAL_EXPONENT || value.is_unsupported() {
        None
    } else {
        round_magnitude(&mut rounding, value)
    };
    match magnitude {
        Some(magnitude) if value.sign() == 0 && magnitude < most => {
            *context = rounding;
            magnitude as i64
        }
        Some(magnitude) if value.sign() != 0 && magnitude <= most => {
            *context = rounding;
            (magnitude as i64).wrapping_neg()
        }
        _ => {
            context.invalid();
            indefinite
        }
    }
}

/// The result of a masked invalid store of packed decimal.
const DECIMAL_INDEFINITE: (u64, u16) = (0xC000_0000_0000_0000, 0xFFFF);
/// The smallest integer that is too large for packed decimal.
const DECIMAL_LIMIT: u64 = 1_000_000_000_000_000_000;

/// A register as packed decimal of 18 digits and a sign: the low 8 bytes and the high 2.
pub(super) fn to_decimal(context: &mut Context, value: Extended) -> (u64, u16) {
    let mut rounding = *context;
    let magnitude = if value.exponent() == SPECIAL_EXPONENT || value.is_unsupported() {
        None
    } else {
        round_magnitude(&mut rounding, value).filter(|&magnitude| magnitude < DECIMAL_LIMIT)
    };
    let Some(magnitude) = magnitude else {
        context.invalid();
        return DECIMAL_INDEFINITE;
    };
    *context = rounding;
    let digits = |mut number: u64, count: u32| {
        (0..count).fold(0u64, |packed, digit| {
            let low = number % 10;
            number /= 10;
            packed | low << (4 * digit)
        })
    };
    let split = 10_000_000_000_000_000;
    let high = digits(magnitude / split, 2) as u16;
    (digits(magnitude % split, 16), value.sign() | high)
}

/// Packed decimal as a register. A digit above nine counts as its value.
pub(super) fn from_decimal(low: u64, high: u16) -> Extended {
    let digits = u128::from(low) | u128::from(high & 0xFF) << 64;
    let magnitude = (0..18).rev().fold(0u64, |sum, digit| {
        sum.wrapping_mul(10).wrapping_add((digits >> (4 * digit)) as u64 & 15)
    });
    let value = from_integer(magnitude as i64);
    Extended::new(value.sign_exponent | high & SIGN, value.significand)
}

/// A value loaded from 32 or 64 bits. A signalling NaN becomes quiet and is invalid.
pub(super) fn quieted(context: &mut Context, value: Extended) -> Extended {
    if value.is_signalling() {
        context.invalid();
        return Extended::new(value.sign_exponent, value.significand | QUIET_BIT);
    }
    value
}
