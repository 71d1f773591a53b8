//! Partial remainders, scaling by powers of two, exponent and significand, rounding to an integer.

use super::convert::{from_integer, round_magnitude};
use super::rounding::Context;
use super::{Flow, MicroOp, State, context, finish, stack_underflow, underflowed};
use p5_words::fpu::{
    BIAS, C0, C1, C2, C3, Extended, INTEGER_BIT, INVALID, SIGN, SPECIAL_EXPONENT, STACK_FAULT, ZERO_DIVIDE,
};

/// The limit of the difference of exponents below which a reduction is complete.
const COMPLETE: i32 = 64;

/// The result of FPREM and FPREM1: the remainder, and the condition code unless an operand had no remainder.
struct Remainder {
    value: Extended,
    conditions: Option<u16>,
}

/// The remainder of `a` by `b`, with the quotient cut, or rounded to nearest if `nearest`.
fn remainder(context: &mut Context, a: Extended, b: Extended, nearest: bool) -> Remainder {
    let without = |value| Remainder {
        value,
        conditions: None,
    };
    if let Some(result) = context.not_a_number(a, b) {
        return without(result);
    }
    if a.is_infinite() || b.is_zero() {
        return without(context.invalid());
    }
    context.in_full();
    let sign = a.sign();
    if a.is_zero() {
        if b.is_denormal() {
            context.unpack(b);
        }
        return Remainder {
            value: a,
            conditions: Some(0),
        };
    }
    let (exponent, significand) = context.unpack(a);
    if context.stops() {
        return without(a);
    }
    if b.is_infinite() {
        return Remainder {
            value: unchanged(a),
            conditions: Some(0),
        };
    }
    let (divisor_exponent, divisor) = context.unpack(b);
    if context.stops() {
        return without(a);
    }
    let difference = exponent - divisor_exponent;
    if difference >= COMPLETE {
        // A partial reduction takes away 32 to 63 bits.
        let bits = difference & 31 | 32;
        let rest = ((u128::from(significand) << bits) % u128::from(divisor)) as u64;
        return Remainder {
            value: pack_exactly(context, sign, exponent - bits, rest),
            conditions: Some(C2),
        };
    }
    let (mut quotient, mut rest, mut sign) = (0u64, u128::from(significand), sign);
    let mut scale = exponent;
    if difference >= 0 {
        let dividend = u128::from(significand) << difference;
        quotient = (dividend / u128::from(divisor)) as u64;
        rest = dividend % u128::from(divisor);
        scale = divisor_exponent;
    }
    if nearest && difference >= -1 {
        // Twice the rest is compared with the divisor; if the difference is -1, the rest counts half.
        let doubled = if difference < 0 { rest } else { 2 * rest };
        let divisor = u128::from(divisor);
        if doubled > divisor || doubled == divisor && quotient & 1 != 0 {
            quotient = quotient.wrapping_add(1);
            rest = if difference < 0 {
                2 * divisor - rest
            } else {
                divisor - rest
            };
            sign ^= SIGN;
        }
    }
    let bit = |number: u32, code: u16| if quotient >> number & 1 != 0 { code } else { 0 };
    // The rest has at most 65 bits. If it has 65, the lowest is 0.
    let value = if rest == 0 {
        Extended::zero(a.sign())
    } else {
        let shift = rest.leading_zeros();
        context.round(sign, scale + 64 - shift as i32, rest << shift)
    };
    Remainder {
        value,
        conditions: Some(bit(0, C1) | bit(1, C3) | bit(2, C0)),
    }
}

/// The remainder by infinity, or the product with 1. A denormal is not rounded, but a pseudo-denormal gets its
/// exponent.
fn unchanged(value: Extended) -> Extended {
    let exponent = u16::from(value.is_denormal() && value.significand & INTEGER_BIT != 0);
    Extended::new(value.sign_exponent | exponent, value.significand)
}

/// A number that needs no rounding unless it is a denormal.
fn pack_exactly(context: &mut Context, sign: u16, exponent: i32, significand: u64) -> Extended {
    if significand == 0 {
        return Extended::zero(sign);
    }
    let shift = significand.leading_zeros();
    context.round(sign, exponent - shift as i32, u128::from(significand << shift) << 64)
}

/// FPREM, and FPREM1 with the quotient rounded to nearest.
pub(super) fn partial_remainder<const NEAREST_QUOTIENT: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    fpu.report(C2, 0);
    if fpu.is_empty(0) || fpu.is_empty(1) {
        return underflowed(fpu, 0, false);
    }
    let mut context = context(fpu);
    let result = remainder(&mut context, fpu.st(0), fpu.st(1), NEAREST_QUOTIENT);
    if !context.stops() {
        fpu.set(0, result.value);
        if let Some(conditions) = result.conditions {
            fpu.report(C0 | C2 | C3, 0);
            context.raise(conditions);
        }
    }
    finish(fpu, context)
}

/// ST(0) times two to the power of ST(1), which is truncated to an integer.
fn scaled(context: &mut Context, a: Extended, b: Extended) -> Extended {
    if let Some(result) = context.not_a_number(a, b) {
        return result;
    }
    context.in_full();
    let down = b.sign() != 0;
    if b.is_infinite() && (a.is_infinite() && down || a.is_zero() && !down) {
        return context.invalid();
    }
    if b.is_denormal() {
        context.unpack(b);
    }
    if a.is_infinite() || a.is_zero() {
        return a;
    }
    let (exponent, significand) = context.unpack(a);
    if context.stops() {
        return a;
    }
    if b.is_zero() {
        return unchanged(a);
    }
    if b.is_infinite() {
        return if down {
            Extended::zero(a.sign())
        } else {
            Extended::infinity(a.sign())
        };
    }
    let power = match i32::from(b.exponent()) - BIAS {
        // This exceeds every difference of exponents.
        power if power > 15 => 1 << 16,
        power if power < 0 => 0,
        power => (b.significand >> (63 - power)) as i32,
    };
    let scale = if down { -power } else { power };
    context.round(a.sign(), exponent + scale, u128::from(significand) << 64)
}

/// FSCALE.
pub(super) fn scale(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    if fpu.is_empty(0) || fpu.is_empty(1) {
        return underflowed(fpu, 0, false);
    }
    let mut context = context(fpu);
    let result = scaled(&mut context, fpu.st(0), fpu.st(1));
    if !context.stops() {
        fpu.set(0, result);
    }
    finish(fpu, context)
}

/// FXTRACT: the exponent replaces ST(0), and the significand is pushed.
pub(super) fn extract(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    let indefinite = (Extended::INDEFINITE, Extended::INDEFINITE);
    let mut context = context(fpu);
    let (exponent, significand) = if fpu.is_empty(0) {
        if !stack_underflow(fpu) {
            return Ok(());
        }
        context.raise(INVALID | STACK_FAULT);
        indefinite
    } else if !fpu.is_empty(7) {
        context.raise(INVALID | STACK_FAULT | C1);
        indefinite
    } else {
        extracted(&mut context, fpu.st(0))
    };
    if !context.stops() {
        fpu.set(0, exponent);
        fpu.push(significand);
    }
    finish(fpu, context)
}

fn extracted(context: &mut Context, value: Extended) -> (Extended, Extended) {
    if let Some(result) = context.not_one_number(value) {
        return (result, result);
    }
    if value.is_infinite() {
        return (Extended::infinity(0), value);
    }
    if value.is_zero() {
        context.raise(ZERO_DIVIDE);
        return (Extended::infinity(SIGN), value);
    }
    let (exponent, significand) = context.unpack(value);
    let one = Extended::ONE.sign_exponent | value.sign();
    (
        from_integer(i64::from(exponent - BIAS)),
        Extended::new(one, significand),
    )
}

/// A register rounded to an integer according to the rounding control.
pub(super) fn round_to_integer(context: &mut Context, value: Extended) -> Extended {
    if let Some(result) = context.not_one_number(value) {
        return result;
    }
    if value.exponent() == SPECIAL_EXPONENT || value.is_zero() || i32::from(value.exponent()) >= BIAS + 63 {
        return value;
    }
    if value.is_denormal() {
        context.unpack(value);
        if context.stops() {
            return value;
        }
    }
    let magnitude = round_magnitude(context, value).unwrap_or(0);
    let rounded = from_integer(magnitude as i64);
    Extended::new(rounded.sign_exponent & !SIGN | value.sign(), rounded.significand)
}
