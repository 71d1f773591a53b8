//! The series of the transcendental functions, on fractions of 128 bits.
//!
//! Results have at least 100 correct bits, so that rounding them once to 64 is almost always right. Except in cases
//! that callers handle, results are irrational, so their lowest bit is set.

use super::coefficients::{
    ARC_TANGENT, ARC_TANGENTS, COSINE, EXPONENTIAL, LN_2, LOG2_E, LOGARITHM, LOGARITHMS, PI, RECIPROCALS, SINE,
};
use p5_words::fpu::BIAS;

const TOP: u128 = 1 << 127;

/// A positive number with a significand of 128 bits whose top bit is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide {
    /// The biased exponent of the top bit.
    pub(super) exponent: i32,
    pub(super) significand: u128,
}

impl Wide {
    /// The number with this exponent for bit 127 of `bits`, which is not 0.
    pub(super) fn normalized(exponent: i32, bits: u128) -> Wide {
        let shift = bits.leading_zeros();
        Wide {
            exponent: exponent - shift as i32,
            significand: bits << shift,
        }
    }

    /// The number with a normalised significand of 64 bits.
    pub(super) fn of(exponent: i32, significand: u64) -> Wide {
        Wide {
            exponent,
            significand: u128::from(significand) << 64,
        }
    }

    /// The number as an integer in units of 2 to the power of `-point`, truncated.
    fn fixed(self, point: i32) -> u128 {
        let shift = 127 + BIAS - self.exponent - point;
        self.significand.checked_shr(shift as u32).unwrap_or(0)
    }

    pub(super) fn times(self, other: Wide) -> Wide {
        let product = high(self.significand, other.significand);
        Wide::normalized(self.exponent + other.exponent - BIAS + 1, product)
    }

    /// The product with a factor that has one bit before the point.
    fn scaled(self, factor: u128) -> Wide {
        self.times(Wide::normalized(BIAS, factor))
    }

    pub(super) fn over(self, other: Wide) -> Wide {
        let (divisor, mut rest) = (other.significand, self.significand);
        let above_one = rest >= divisor;
        let mut quotient = 0u128;
        if above_one {
            (rest, quotient) = (rest - divisor, 1);
        }
        for _ in 0..128 - u32::from(above_one) {
            let carried = rest >> 127 != 0;
            rest <<= 1;
            quotient <<= 1;
            if carried || rest >= divisor {
                rest = rest.wrapping_sub(divisor);
                quotient |= 1;
            }
        }
        Wide {
            exponent: self.exponent - other.exponent + BIAS - i32::from(!above_one),
            significand: quotient | u128::from(rest != 0),
        }
    }

    /// The next smaller number with the lowest bit set, for a truncated decreasing series.
    fn below(self) -> Wide {
        let mut below = Wide::normalized(self.exponent, self.significand - 1);
        below.significand |= 1;
        below
    }
}

/// The upper half of a product of fractions.
fn high(a: u128, b: u128) -> u128 {
    const HALF: u128 = u64::MAX as u128;
    let (a_high, a_low, b_high, b_low) = (a >> 64, a & HALF, b >> 64, b & HALF);
    let first = a_high * b_low + ((a_low * b_low) >> 64);
    let second = a_low * b_high + (first & HALF);
    a_high * b_high + (first >> 64) + (second >> 64)
}

/// The first coefficient minus `z` times the second plus ...
fn alternating(coefficients: &[u128], z: u128) -> u128 {
    coefficients.iter().rev().fold(0, |sum, &one| one - high(sum, z))
}

/// The first coefficient plus `z` times the second plus ...
fn adding(coefficients: &[u128], z: u128) -> u128 {
    coefficients.iter().rev().fold(0, |sum, &one| one + high(sum, z))
}

/// 1 - `z` times the series, with one bit before the point.
fn one_less(coefficients: &[u128], z: u128) -> u128 {
    TOP - (high(alternating(coefficients, z), z) >> 1)
}

/// The square of a number below one, as a fraction.
fn square(number: Wide) -> u128 {
    let square = high(number.significand, number.significand);
    let shift = 2 * (BIAS - number.exponent) - 2;
    square.checked_shr(shift as u32).unwrap_or(0)
}

/// The sine of an angle up to pi/4.
pub(super) fn sine(angle: Wide) -> Wide {
    angle.scaled(one_less(&SINE, square(angle))).below()
}

/// The cosine of an angle up to pi/4.
pub(super) fn cosine(angle: Wide) -> Wide {
    Wide::normalized(BIAS, one_less(&COSINE, square(angle))).below()
}

/// The unit's pi of 66 bits, times 2 to the power of 66.
const UNIT_PI: u128 = 0xC_90FD_AA22_168C_234C;
/// The exponent from which an angle is reduced: that of 1/2, the last power of two below pi/4.
const REDUCED: i32 = BIAS - 1;

/// An angle up to pi/4 that remains after multiples of pi/2 are subtracted.
pub(super) struct Reduced {
    pub(super) angle: Wide,
    /// Whether the angle is below the multiple.
    pub(super) negative: bool,
    /// The low two bits of the multiple.
    pub(super) quadrant: u8,
}

/// Reduces an angle below 2 to the power of 63 exactly, by the unit's pi.
pub(super) fn reduce(exponent: i32, significand: u64) -> Reduced {
    let whole = Reduced {
        angle: Wide::of(exponent, significand),
        negative: false,
        quadrant: 0,
    };
    if exponent < REDUCED {
        return whole;
    }
    // In units of 2 to the power of -67, pi/2 is an integer.
    let (mut rest, mut quotient) = (u128::from(significand) % UNIT_PI, u128::from(significand) / UNIT_PI);
    let mut bits = (exponent - BIAS + 4) as u32;
    while bits > 0 {
        // The rest has 68 bits.
        let step = bits.min(56);
        rest <<= step;
        quotient = (quotient << step) | (rest / UNIT_PI);
        rest %= UNIT_PI;
        bits -= step;
    }
    let negative = 2 * rest > UNIT_PI;
    if negative {
        rest = UNIT_PI - rest;
        quotient += 1;
    }
    if quotient == 0 {
        return whole;
    }
    Reduced {
        angle: Wide::normalized(BIAS + 60, rest),
        negative,
        quadrant: (quotient & 3) as u8,
    }
}

pub(super) fn pi() -> Wide {
    Wide {
        exponent: BIAS + 1,
        significand: PI | 1,
    }
}

/// The number of bits after the point in a sum of angles.
const ANGLE_POINT: i32 = 126;

/// The angle of a number with two bits before the point.
fn angle(bits: u128) -> Wide {
    let mut angle = Wide::normalized(BIAS + 1, bits);
    angle.significand |= 1;
    angle
}

/// pi divided by 2 to the power of `halvings`, minus an angle, or plus it.
pub(super) fn from_pi(halvings: u32, other: Wide, plus: bool) -> Wide {
    let (whole, other) = (PI >> halvings, other.fixed(ANGLE_POINT));
    angle(if plus { whole + other } else { whole - other })
}

/// The angle whose tangent is `y / x`, which is at most 1.
pub(super) fn arc_tangent(y: Wide, x: Wide) -> Wide {
    let distance = (x.exponent - y.exponent) as u32;
    let index = if distance > 5 {
        0
    } else {
        let (y, x) = ((y.significand >> 64) >> distance, x.significand >> 64);
        (16 * y + x / 2) / x
    };
    if index == 0 {
        let ratio = y.over(x);
        return ratio.scaled(one_less(&ARC_TANGENT, square(ratio))).below();
    }
    // tan(a - b) = (tan(a) - tan(b)) / (1 + tan(a) tan(b)), with tan(b) = index / 16.
    let (y, x) = (y.significand >> 9 >> distance, x.significand >> 9);
    let (upper, lower) = (16 * y, index * x);
    let table = ARC_TANGENTS[index as usize];
    if upper == lower {
        return angle(table);
    }
    let divisor = Wide::normalized(BIAS, 16 * x + index * y);
    let ratio = Wide::normalized(BIAS, upper.abs_diff(lower)).over(divisor);
    let rest = ratio.scaled(one_less(&ARC_TANGENT, square(ratio))).fixed(ANGLE_POINT);
    angle(if upper > lower { table + rest } else { table - rest })
}

/// The magnitude of 2^x - 1 for x between -1 and 1, neither 0 nor a bound.
pub(super) fn exponential(x: Wide, negative: bool) -> Wide {
    let power = x.times(Wide::normalized(BIAS - 1, LN_2));
    let z = power.fixed(128);
    let factor = if negative {
        one_less(&EXPONENTIAL, z)
    } else {
        TOP + (high(adding(&EXPONENTIAL, z), z) >> 1)
    };
    let mut result = power.scaled(factor);
    result.significand |= 1;
    result
}

/// A logarithm to base 2.
pub(super) enum Logarithm {
    /// The logarithm of a power of two.
    Exact(i32),
    /// The magnitude of any other logarithm, and whether it is negative.
    Inexact(Wide, bool),
}

/// log2(1 + `rest`) for a rest up to a 32nd in magnitude.
pub(super) fn logarithm_near_one(rest: Wide, negative: bool) -> Wide {
    let z = rest.fixed(128);
    let factor = if negative {
        LOG2_E + (high(adding(&LOGARITHM, z), z) >> 1)
    } else {
        LOG2_E - (high(alternating(&LOGARITHM, z), z) >> 1)
    };
    let mut result = rest.scaled(factor);
    result.significand |= 1;
    result
}

/// The number of bits after the point in a sum of logarithms.
const LOGARITHM_POINT: i32 = 112;

pub(super) fn logarithm(number: Wide) -> Logarithm {
    let index = (number.significand >> 122) as usize & 31;
    // From the square root of 2 on, the number is halved.
    let power = number.exponent - BIAS + i32::from(index >= 14);
    let (rest, negative) = match index {
        // The reciprocals are 1 and 1/2, so the rest is exact.
        0 if number.significand == TOP => return Logarithm::Exact(power),
        0 => (Wide::normalized(BIAS, number.significand - TOP), false),
        31 => (Wide::normalized(BIAS - 1, number.significand.wrapping_neg()), true),
        _ => {
            let product = (number.significand >> 8) * u128::from(RECIPROCALS[index]);
            let one = 1u128 << 126;
            if product == one {
                let whole = (i128::from(power) << LOGARITHM_POINT) + LOGARITHMS[index];
                return of_sum(whole);
            }
            (Wide::normalized(BIAS + 1, product.abs_diff(one)), product < one)
        }
    };
    let part = logarithm_near_one(rest, negative);
    if power == 0 && LOGARITHMS[index] == 0 {
        return Logarithm::Inexact(part, negative);
    }
    let part = part.fixed(LOGARITHM_POINT) as i128;
    let whole = (i128::from(power) << LOGARITHM_POINT) + LOGARITHMS[index];
    of_sum(if negative { whole - part } else { whole + part })
}

fn of_sum(sum: i128) -> Logarithm {
    let mut magnitude = Wide::normalized(BIAS + 127 - LOGARITHM_POINT, sum.unsigned_abs());
    magnitude.significand |= 1;
    Logarithm::Inexact(magnitude, sum < 0)
}

/// The logarithm of 1 + x, which must be positive and not 1. `exponent` and `significand` belong to x.
pub(super) fn logarithm_of_one_and(exponent: i32, significand: u64, negative: bool) -> Logarithm {
    let x = Wide::of(exponent, significand);
    // For x below a 64th, the rest is x itself.
    if exponent < BIAS - 6 {
        return Logarithm::Inexact(logarithm_near_one(x, negative), negative);
    }
    if exponent < BIAS {
        let x = x.fixed(127);
        return logarithm(Wide::normalized(BIAS, if negative { TOP - x } else { TOP + x }));
    }
    // The 1 is below the top bit of x. Far below, it does not matter.
    let one = TOP.checked_shr((exponent - BIAS) as u32).unwrap_or(0);
    let (sum, carried) = x.significand.overflowing_add(one);
    logarithm(if carried {
        Wide {
            exponent: exponent + 1,
            significand: TOP | sum >> 1,
        }
    } else {
        Wide {
            exponent,
            significand: sum,
        }
    })
}
