//! The transcendental functions: their special cases, and the results of `series` for all other operands.
//!
//! Results are rounded by the rounding control to 64 bits, whatever the precision control says. Angles are reduced by
//! the unit's own pi of 66 bits.

use super::arithmetic::multiply;
use super::convert::from_integer;
use super::rounding::{Context, negated};
use super::series::{self, Logarithm, Wide};
use super::{Flow, MicroOp, State, context, finish, stack_underflow, underflowed};
use p5_words::fpu::{
    BIAS, C1, C2, Extended, INTEGER_BIT, INVALID, PRECISION, SIGN, STACK_FAULT, UNDERFLOW, ZERO_DIVIDE,
};

/// The exponent from which an angle is not reduced, and C2 is set.
const OUT_OF_RANGE: i32 = BIAS + 63;

const SINE: u8 = 0;
const COSINE: u8 = 1;

fn rounded(context: &mut Context, negative: bool, value: Wide) -> Extended {
    let sign = if negative { SIGN } else { 0 };
    context.round(sign, value.exponent, value.significand)
}

/// Unpacks a finite number other than zero; raises the denormal exception.
fn unpacked(context: &mut Context, value: Extended) -> Wide {
    let (exponent, significand) = context.unpack(value);
    Wide::of(exponent, significand)
}

/// Whether a number is finite and too large for an angle.
fn is_out_of_range(value: Extended) -> bool {
    value.significand & INTEGER_BIT != 0
        && i32::from(value.exponent()) >= OUT_OF_RANGE
        && !value.is_infinite()
        && !value.is_nan()
}

/// The exponent below which an angle equals its sine and tangent, and its cosine 1, in all bits of a register.
const TINY: i32 = BIAS - 64;

/// The sine or tangent of an angle that equals it. It is inexact, but no rounding changes it.
fn own_sine(context: &mut Context, negative: bool, angle: Wide) -> Extended {
    let result = rounded(context, negative, angle);
    context.raise(PRECISION);
    if angle.exponent <= 0 {
        context.raise(UNDERFLOW);
    }
    result
}

/// The sine and the cosine of a reduced angle, with their signs. Neither is zero.
fn sine_and_cosine(angle: Wide, negative: bool) -> [(Wide, bool); 2] {
    let reduced = series::reduce(angle.exponent, (angle.significand >> 64) as u64);
    let (sine, cosine) = (series::sine(reduced.angle), series::cosine(reduced.angle));
    let sine = (sine, reduced.negative);
    let cosine = (cosine, false);
    let opposite = |(value, negative): (Wide, bool)| (value, !negative);
    let [sine, cosine] = match reduced.quadrant {
        0 => [sine, cosine],
        1 => [cosine, opposite(sine)],
        2 => [opposite(sine), opposite(cosine)],
        _ => [opposite(cosine), sine],
    };
    [(sine.0, sine.1 != negative), cosine]
}

/// The results of FSIN, FCOS or FSINCOS, for the functions in `wanted`.
fn angle_functions<const N: usize>(context: &mut Context, value: Extended, wanted: [u8; N]) -> [Extended; N] {
    context.in_full();
    if let Some(result) = context.not_one_number(value) {
        return [result; N];
    }
    if value.is_infinite() {
        context.invalid();
        return [Extended::INDEFINITE; N];
    }
    if value.is_zero() {
        return wanted.map(|function| if function == SINE { value } else { Extended::ONE });
    }
    let angle = unpacked(context, value);
    if context.stops() {
        return [value; N];
    }
    if angle.exponent < TINY {
        context.raise(PRECISION);
        return wanted.map(|function| match function {
            SINE => own_sine(context, value.sign() != 0, angle),
            _ => Extended::ONE,
        });
    }
    let both = sine_and_cosine(angle, value.sign() != 0);
    wanted.map(|function| {
        let (value, negative) = both[usize::from(function)];
        rounded(context, negative, value)
    })
}

fn one_function<const FUNCTION: u8>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    fpu.report(C2, 0);
    if fpu.is_empty(0) {
        return underflowed(fpu, 0, false);
    }
    let mut context = context(fpu);
    let value = fpu.st(0);
    if is_out_of_range(value) {
        context.raise(C2);
        return finish(fpu, context);
    }
    let [result] = angle_functions(&mut context, value, [FUNCTION]);
    if !context.stops() {
        fpu.set(0, result);
    }
    finish(fpu, context)
}

pub(super) fn sin(op: &MicroOp, state: &mut State) -> Flow {
    one_function::<SINE>(op, state)
}

pub(super) fn cos(op: &MicroOp, state: &mut State) -> Flow {
    one_function::<COSINE>(op, state)
}

/// Replaces ST(0) by the first result and pushes the second one.
fn two_results(
    op: &MicroOp,
    state: &mut State,
    function: impl FnOnce(&mut Context, Extended) -> [Extended; 2],
) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    fpu.report(C2, 0);
    let mut context = context(fpu);
    let results = if fpu.is_empty(0) {
        if !stack_underflow(fpu) {
            return Ok(());
        }
        context.raise(INVALID | STACK_FAULT);
        [Extended::INDEFINITE; 2]
    } else if !fpu.is_empty(7) {
        context.raise(INVALID | STACK_FAULT | C1);
        [Extended::INDEFINITE; 2]
    } else if is_out_of_range(fpu.st(0)) {
        context.raise(C2);
        return finish(fpu, context);
    } else {
        function(&mut context, fpu.st(0))
    };
    if !context.stops() {
        fpu.set(0, results[0]);
        fpu.push(results[1]);
    }
    finish(fpu, context)
}

pub(super) fn sincos(op: &MicroOp, state: &mut State) -> Flow {
    two_results(op, state, |context, value| {
        angle_functions(context, value, [SINE, COSINE])
    })
}

/// FPTAN, which pushes 1.
pub(super) fn ptan(op: &MicroOp, state: &mut State) -> Flow {
    two_results(op, state, |context, value| {
        context.in_full();
        if let Some(result) = context.not_one_number(value) {
            return [result; 2];
        }
        if value.is_infinite() {
            return [context.invalid(); 2];
        }
        if value.is_zero() {
            return [value, Extended::ONE];
        }
        let angle = unpacked(context, value);
        if context.stops() {
            return [value; 2];
        }
        if angle.exponent < TINY {
            return [own_sine(context, value.sign() != 0, angle), Extended::ONE];
        }
        let [sine, cosine] = sine_and_cosine(angle, value.sign() != 0);
        let mut tangent = sine.0.over(cosine.0);
        tangent.significand |= 1;
        [rounded(context, sine.1 != cosine.1, tangent), Extended::ONE]
    })
}

/// The angle of the point (`x`, `y`).
fn angle_of(context: &mut Context, y: Extended, x: Extended) -> Extended {
    context.in_full();
    if let Some(result) = context.not_a_number(y, x) {
        return result;
    }
    let finite = [y, x].map(|value| {
        let wide = (!value.is_zero() && !value.is_infinite()).then(|| unpacked(context, value));
        (value, wide)
    });
    if context.stops() {
        return y;
    }
    let left = x.sign() != 0;
    let pi = series::pi();
    let halved = |halvings: i32| Wide {
        exponent: pi.exponent - halvings,
        ..pi
    };
    let angle = match finite {
        [(y, Some(wide_y)), (_, Some(wide_x))] => return quotient_angle(context, y.sign() != 0, wide_y, left, wide_x),
        // The point is on the axis of x, or practically on it.
        [(y, _), (x, _)] if y.is_zero() || x.is_infinite() && !y.is_infinite() => {
            if !left {
                return Extended::zero(y.sign());
            }
            pi
        }
        // The point is on the axis of y, or practically on it.
        [_, (x, _)] if !x.is_infinite() => halved(1),
        _ if left => series::from_pi(0, halved(2), false),
        _ => halved(2),
    };
    rounded(context, y.sign() != 0, angle)
}

fn quotient_angle(context: &mut Context, down: bool, y: Wide, left: bool, x: Wide) -> Extended {
    let steep = (y.exponent, y.significand) > (x.exponent, x.significand);
    let (smaller, larger) = if steep { (x, y) } else { (y, x) };
    let angle = match (steep, left) {
        // The quotient of x and a power of two is exact, but the angle is not.
        (false, false) => series::arc_tangent(smaller, larger),
        (false, true) => series::from_pi(0, series::arc_tangent(smaller, larger), false),
        (true, _) => series::from_pi(1, series::arc_tangent(smaller, larger), left),
    };
    rounded(context, down, angle)
}

/// Replaces ST(1) by a function of both and pops.
fn of_two(
    op: &MicroOp,
    state: &mut State,
    function: impl FnOnce(&mut Context, Extended, Extended) -> Extended,
) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    if fpu.is_empty(0) || fpu.is_empty(1) {
        return underflowed(fpu, 1, true);
    }
    let mut context = context(fpu);
    let result = function(&mut context, fpu.st(1), fpu.st(0));
    if !context.stops() {
        fpu.set(1, result);
        fpu.pop();
    }
    finish(fpu, context)
}

pub(super) fn patan(op: &MicroOp, state: &mut State) -> Flow {
    of_two(op, state, angle_of)
}

/// F2XM1. Outside -1 to 1 the function is not defined, and the operand does not change.
pub(super) fn two_to_x_minus_1(context: &mut Context, value: Extended) -> Extended {
    context.in_full();
    if let Some(result) = context.not_one_number(value) {
        return result;
    }
    if value.is_infinite() {
        return if value.sign() != 0 {
            negated(Extended::ONE)
        } else {
            value
        };
    }
    if value.is_zero() {
        return value;
    }
    let negative = value.sign() != 0;
    let x = unpacked(context, value);
    if context.stops() {
        return value;
    }
    if x.exponent >= BIAS {
        let is_minus_one = value == negated(Extended::ONE);
        return if is_minus_one {
            Extended::new(value.sign_exponent - 1, value.significand)
        } else {
            value
        };
    }
    rounded(context, negative, series::exponential(x, negative))
}

fn product(context: &mut Context, y: Extended, logarithm: Logarithm) -> Extended {
    match logarithm {
        Logarithm::Exact(power) => {
            // As on silicon, the product counts as inexact even if it is exact.
            if power != 0 {
                context.raise(PRECISION);
            }
            multiply(context, y, from_integer(i64::from(power)))
        }
        Logarithm::Inexact(magnitude, negative) => {
            let (exponent, significand) = context.unpack(y);
            let mut product = Wide::of(exponent, significand).times(magnitude);
            product.significand |= 1;
            rounded(context, negative != (y.sign() != 0), product)
        }
    }
}

/// The product of `y` and an infinite logarithm, or of an infinite `y` and a logarithm that is not zero.
fn infinite_product(y: Extended, negative: bool) -> Extended {
    Extended::infinity(y.sign() ^ if negative { SIGN } else { 0 })
}

/// `y` log2(`x`).
fn y_logarithm(context: &mut Context, y: Extended, x: Extended) -> Extended {
    context.in_full();
    if let Some(result) = context.not_a_number(y, x) {
        return result;
    }
    if x.sign() != 0 && !x.is_zero() {
        return context.invalid();
    }
    if x.is_zero() {
        if y.is_zero() {
            return context.invalid();
        }
        if !y.is_infinite() {
            context.raise(ZERO_DIVIDE);
        }
        return infinite_product(y, true);
    }
    if x.is_infinite() {
        if y.is_zero() {
            return context.invalid();
        }
        if y.is_denormal() {
            context.unpack(y);
        }
        return infinite_product(y, false);
    }
    let below_one = x.sign_exponent < Extended::ONE.sign_exponent;
    if y.is_infinite() {
        if x == Extended::ONE {
            return context.invalid();
        }
        if x.is_denormal() {
            context.unpack(x);
        }
        return infinite_product(y, below_one);
    }
    let number = unpacked(context, x);
    if y.is_denormal() {
        context.unpack(y);
    }
    if context.stops() {
        return y;
    }
    if y.is_zero() {
        return Extended::zero(y.sign() ^ if below_one { SIGN } else { 0 });
    }
    product(context, y, series::logarithm(number))
}

pub(super) fn yl2x(op: &MicroOp, state: &mut State) -> Flow {
    of_two(op, state, y_logarithm)
}

/// `y` log2(1 + `x`).
fn y_logarithm_of_one_and(context: &mut Context, y: Extended, x: Extended) -> Extended {
    context.in_full();
    if let Some(result) = context.not_a_number(y, x) {
        return result;
    }
    let negative = x.sign() != 0;
    let is_below = x.exponent() >= Extended::ONE.exponent() && negative;
    if is_below || x.is_infinite() && y.is_zero() || x.is_zero() && y.is_infinite() {
        return context.invalid();
    }
    for value in [x, y] {
        if value.is_denormal() {
            context.unpack(value);
        }
    }
    if context.stops() {
        return y;
    }
    if x.is_infinite() || y.is_infinite() {
        return infinite_product(y, negative);
    }
    if x.is_zero() || y.is_zero() {
        return Extended::zero(y.sign() ^ x.sign());
    }
    let (exponent, significand) = context.unpack(x);
    product(
        context,
        y,
        series::logarithm_of_one_and(exponent, significand, negative),
    )
}

/// FYL2XP1. It is only defined near 0, but is computed correctly for every operand with a value.
pub(super) fn yl2xp1(op: &MicroOp, state: &mut State) -> Flow {
    of_two(op, state, y_logarithm_of_one_and)
}
