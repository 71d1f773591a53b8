//! Addition, subtraction, multiplication, division and square root.
//!
//! Each function begins with the short path for normal numbers; all other cases follow in its second half.

use super::flawed;
use super::rounding::{Context, DOWN, negated, shift_right_sticky};
use p5_words::fpu::{BIAS, Divider, Extended, INTEGER_BIT, SIGN, ZERO_DIVIDE};

/// The numbers of the operations, as in the reg field of the opcodes.
pub(super) const ADD: u8 = 0;
pub(super) const MULTIPLY: u8 = 1;
pub(super) const SUBTRACT: u8 = 4;
pub(super) const SUBTRACT_REVERSED: u8 = 5;
pub(super) const DIVIDE: u8 = 6;
pub(super) const DIVIDE_REVERSED: u8 = 7;

/// The result of an operation on a destination and a source.
#[inline(always)]
pub(super) fn compute<const OPERATION: u8>(
    context: &mut Context,
    divider: Divider,
    a: Extended,
    b: Extended,
) -> Extended {
    match OPERATION {
        ADD => add(context, a, b),
        MULTIPLY => multiply(context, a, b),
        SUBTRACT => subtract(context, a, b),
        SUBTRACT_REVERSED => subtract(context, b, a),
        DIVIDE => divide(context, divider, a, b),
        _ => divide(context, divider, b, a),
    }
}

#[inline(always)]
fn add(context: &mut Context, a: Extended, b: Extended) -> Extended {
    if a.is_normal() && b.is_normal() {
        return add_numbers(
            context,
            (a.sign(), i32::from(a.exponent()), a.significand),
            (b.sign(), i32::from(b.exponent()), b.significand),
        );
    }
    add_others(context, a, b, 0)
}

#[inline(always)]
fn subtract(context: &mut Context, a: Extended, b: Extended) -> Extended {
    if a.is_normal() && b.is_normal() {
        return add_numbers(
            context,
            (a.sign(), i32::from(a.exponent()), a.significand),
            (b.sign() ^ SIGN, i32::from(b.exponent()), b.significand),
        );
    }
    add_others(context, a, b, SIGN)
}

/// The sum of two numbers, each a sign, an exponent and a normalised significand.
#[inline(always)]
fn add_numbers(context: &mut Context, a: (u16, i32, u64), b: (u16, i32, u64)) -> Extended {
    let ((sign, exponent, larger), (other_sign, other_exponent, smaller)) =
        if (b.1, b.2) > (a.1, a.2) { (b, a) } else { (a, b) };
    // One bit is left free for the carry.
    let larger = u128::from(larger) << 63;
    let smaller = u128::from(smaller) << 63;
    let distance = (exponent - other_exponent) as u32;
    // A shift of up to 63 bits loses nothing.
    let smaller = if distance < 64 {
        smaller >> distance
    } else {
        shift_right_sticky(smaller, distance)
    };
    if sign == other_sign {
        let wide = larger + smaller;
        let shift = u32::from(wide >> 127 == 0);
        return context.round(sign, exponent + 1 - shift as i32, wide << shift);
    }
    let wide = larger - smaller;
    if wide == 0 {
        return zero_sum(context);
    }
    let shift = wide.leading_zeros();
    context.round(sign, exponent + 1 - shift as i32, wide << shift)
}

/// The zero that results from equal magnitudes of opposite signs.
fn zero_sum(context: &Context) -> Extended {
    Extended::zero(if context.rounding() == DOWN { SIGN } else { 0 })
}

#[cold]
fn add_others(context: &mut Context, a: Extended, b: Extended, flip: u16) -> Extended {
    if let Some(result) = context.not_a_number(a, b) {
        return result;
    }
    let b = Extended::new(b.sign_exponent ^ flip, b.significand);
    if a.is_infinite() && b.is_infinite() {
        return if a.sign() == b.sign() { a } else { context.invalid() };
    }
    let denormal = |context: &mut Context, value: Extended| {
        if value.is_denormal() {
            context.unpack(value);
        }
    };
    denormal(context, a);
    denormal(context, b);
    if context.stops() {
        return Extended::ZERO;
    }
    if a.is_infinite() {
        return a;
    }
    if b.is_infinite() {
        return b;
    }
    match (a.is_zero(), b.is_zero()) {
        (true, true) if a.sign() == b.sign() => a,
        (true, true) => zero_sum(context),
        (true, false) => renewed(context, b),
        (false, true) => renewed(context, a),
        (false, false) => {
            let (exponent_a, significand_a) = context.unpack(a);
            let (exponent_b, significand_b) = context.unpack(b);
            add_numbers(
                context,
                (a.sign(), exponent_a, significand_a),
                (b.sign(), exponent_b, significand_b),
            )
        }
    }
}

/// The result for a number that an operation only rounds.
fn renewed(context: &mut Context, value: Extended) -> Extended {
    let (exponent, significand) = context.unpack(value);
    context.round(value.sign(), exponent, u128::from(significand) << 64)
}

#[inline(always)]
pub(super) fn multiply(context: &mut Context, a: Extended, b: Extended) -> Extended {
    let sign = a.sign() ^ b.sign();
    if a.is_normal() && b.is_normal() {
        return multiply_numbers(
            context,
            sign,
            i32::from(a.exponent()) + i32::from(b.exponent()),
            a.significand,
            b.significand,
        );
    }
    multiply_others(context, sign, a, b)
}

#[inline(always)]
fn multiply_numbers(context: &mut Context, sign: u16, exponents: i32, a: u64, b: u64) -> Extended {
    let wide = u128::from(a) * u128::from(b);
    let shift = u32::from(wide >> 127 == 0);
    context.round(sign, exponents - BIAS + 1 - shift as i32, wide << shift)
}

#[cold]
fn multiply_others(context: &mut Context, sign: u16, a: Extended, b: Extended) -> Extended {
    if let Some(result) = context.not_a_number(a, b) {
        return result;
    }
    if a.is_infinite() && b.is_zero() || a.is_zero() && b.is_infinite() {
        return context.invalid();
    }
    let (finite_a, finite_b) = (unpack_finite(context, a), unpack_finite(context, b));
    if a.is_infinite() || b.is_infinite() {
        return Extended::infinity(sign);
    }
    match (finite_a, finite_b) {
        _ if context.stops() => Extended::ZERO,
        (Some((exponent_a, a)), Some((exponent_b, b))) => {
            multiply_numbers(context, sign, exponent_a + exponent_b, a, b)
        }
        _ => Extended::zero(sign),
    }
}

/// The exponent and significand of a finite number other than zero.
fn unpack_finite(context: &mut Context, value: Extended) -> Option<(i32, u64)> {
    (!value.is_zero() && !value.is_infinite()).then(|| context.unpack(value))
}

fn divide(context: &mut Context, divider: Divider, a: Extended, b: Extended) -> Extended {
    let sign = a.sign() ^ b.sign();
    if a.is_normal() && b.is_normal() {
        let exponents = i32::from(a.exponent()) - i32::from(b.exponent());
        return divide_numbers(context, divider, sign, exponents, a.significand, b.significand);
    }
    divide_others(context, divider, sign, a, b)
}

fn divide_numbers(context: &mut Context, divider: Divider, sign: u16, exponents: i32, a: u64, b: u64) -> Extended {
    if divider == Divider::Flawed {
        let (wide, below_one) = flawed::quotient(a, b);
        return context.round(sign, exponents + BIAS - i32::from(below_one), wide);
    }
    // The quotient has 64 bits, and the remainder decides the rounding.
    let below_one = a < b;
    let numerator = u128::from(a) << (63 + u32::from(below_one));
    let quotient = numerator / u128::from(b);
    let rest = 2 * (numerator - quotient * u128::from(b));
    let low = match rest.cmp(&u128::from(b)) {
        _ if rest == 0 => 0,
        std::cmp::Ordering::Less => 1,
        std::cmp::Ordering::Equal => INTEGER_BIT,
        std::cmp::Ordering::Greater => INTEGER_BIT | 1,
    };
    context.round(
        sign,
        exponents + BIAS - i32::from(below_one),
        quotient << 64 | u128::from(low),
    )
}

#[cold]
fn divide_others(context: &mut Context, divider: Divider, sign: u16, a: Extended, b: Extended) -> Extended {
    if let Some(result) = context.not_a_number(a, b) {
        return result;
    }
    if a.is_infinite() && b.is_infinite() || a.is_zero() && b.is_zero() {
        return context.invalid();
    }
    if b.is_zero() && !a.is_infinite() {
        context.raise(ZERO_DIVIDE);
        return Extended::infinity(sign);
    }
    let (finite_a, finite_b) = (unpack_finite(context, a), unpack_finite(context, b));
    if a.is_infinite() {
        return Extended::infinity(sign);
    }
    match (finite_a, finite_b) {
        _ if context.stops() => Extended::ZERO,
        (Some((exponent_a, a)), Some((exponent_b, b))) => {
            divide_numbers(context, divider, sign, exponent_a - exponent_b, a, b)
        }
        _ => Extended::zero(sign),
    }
}

pub(super) fn square_root(context: &mut Context, value: Extended) -> Extended {
    if let Some(result) = context.not_one_number(value) {
        return result;
    }
    if value.is_zero() {
        return value;
    }
    if value.sign() != 0 {
        return context.invalid();
    }
    if value.is_infinite() {
        return value;
    }
    let (exponent, significand) = context.unpack(value);
    if context.stops() {
        return value;
    }
    // The radicand gets an even exponent, and a root of 64 bits.
    let odd = (exponent - BIAS) & 1;
    let radicand = u128::from(significand) << (63 + odd);
    let root = radicand.isqrt();
    let rest = radicand - root * root;
    let low = match rest {
        0 => 0,
        // The square of root + 1/2 is root * root + root + 1/4.
        rest if rest > root => INTEGER_BIT | 1,
        _ => 1,
    };
    context.round(0, (exponent - BIAS - odd) / 2 + BIAS, root << 64 | low as u128)
}

/// FCHS.
pub(super) fn change_sign(value: Extended) -> Extended {
    negated(value)
}

/// FABS.
pub(super) fn absolute(value: Extended) -> Extended {
    Extended::new(value.sign_exponent & !SIGN, value.significand)
}
