//! The registers of the floating-point unit, in words.

use crate::fpu::{BIAS, Extended};
use crate::run::FloatingPoint;
use schemars::JsonSchema;
use serde::Serialize;

/// The floating-point unit.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FloatingPoint")]
pub(super) struct Json {
    /// The control word.
    pub(super) control: u16,
    /// The status word.
    pub(super) status: u16,
    /// The tag word.
    pub(super) tags: u16,
    /// ST(0) to ST(7); null for an empty register.
    pub(super) stack: Vec<Option<Register>>,
}

/// A register of the floating-point stack.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FloatingRegister")]
pub(super) struct Register {
    /// Sign and exponent, then the significand, in hexadecimal.
    pub(super) bits: String,
    /// The value in decimal, or what it is.
    pub(super) value: String,
}

/// The lines of a text report: the registers that are not empty, then the control and status words.
pub(super) fn lines(unit: &FloatingPoint) -> Vec<String> {
    let registers = unit.stack.iter().enumerate();
    let mut lines: Vec<String> = registers
        .filter_map(|(number, value)| {
            let value = (*value)?;
            Some(format!("st({number}) {} ({})", described(value), bits(value)))
        })
        .collect();
    let empty = if lines.is_empty() { ", stack empty" } else { "" };
    lines.push(format!(
        "control {:04X}h  status {:04X}h{empty}",
        unit.control, unit.status
    ));
    lines
}

/// The unit as the JSON report has it.
pub(super) fn json(unit: &FloatingPoint) -> Json {
    let registers = unit.stack.iter();
    Json {
        control: unit.control,
        status: unit.status,
        tags: unit.tags,
        stack: registers
            .map(|value| {
                value.map(|value| Register {
                    bits: bits(value),
                    value: described(value),
                })
            })
            .collect(),
    }
}

/// Sign and exponent, then the significand.
fn bits(value: Extended) -> String {
    format!("{:04X}:{:016X}h", value.sign_exponent, value.significand)
}

/// A value in decimal, or what it is if it has none.
pub(super) fn described(value: Extended) -> String {
    let sign = if value.sign() == 0 { "" } else { "-" };
    if value.is_zero() {
        return format!("{sign}0");
    }
    if value.is_infinite() {
        return format!("{sign}infinity");
    }
    if value.is_unsupported() {
        return "unsupported".to_owned();
    }
    if value.is_nan() {
        let kind = if value.is_signalling() { "signalling" } else { "quiet" };
        return format!("{kind} NaN");
    }
    if value.is_denormal() {
        return "denormal".to_owned();
    }
    let power = i32::from(value.exponent()) - BIAS;
    if !(-1022..=1023).contains(&power) {
        return format!("{sign}2^{power} and more");
    }
    // The nearest double: the significand is rounded, the power of two is exact.
    let magnitude = value.significand as f64 / 2f64.powi(63) * 2f64.powi(power);
    let about = if value.significand & 0x7FF == 0 { "" } else { "about " };
    if (1e-5..1e16).contains(&magnitude) {
        format!("{about}{sign}{magnitude}")
    } else {
        format!("{about}{sign}{magnitude:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fpu::{INTEGER_BIT, SIGN};

    #[test]
    fn every_class_of_value_is_named() {
        let described = |sign_exponent, significand| described(Extended::new(sign_exponent, significand));
        assert_eq!(described(0x4001, 0x9000_0000_0000_0000), "4.5");
        assert_eq!(described(0x3FFD, 0xAAAA_AAAA_AAAA_AAAB), "about 0.3333333333333333");
        assert_eq!(described(SIGN | 0x4040, INTEGER_BIT), "-3.6893488147419103e19");
        assert_eq!(described(0x7000, INTEGER_BIT), "2^12289 and more");
        assert_eq!(described(SIGN, 0), "-0");
        assert_eq!(described(0, 1), "denormal");
        assert_eq!(described(SIGN | 0x7FFF, INTEGER_BIT), "-infinity");
        assert_eq!(described(0x7FFF, u64::MAX), "quiet NaN");
        assert_eq!(described(0x7FFF, INTEGER_BIT | 1), "signalling NaN");
        assert_eq!(described(0x4000, 1), "unsupported");
    }

    #[test]
    fn an_empty_stack_is_said() {
        let mut unit = FloatingPoint {
            stack: [None; 8],
            control: 0x37F,
            status: 0,
            tags: 0xFFFF,
        };
        assert_eq!(lines(&unit), ["control 037Fh  status 0000h, stack empty"]);
        unit.stack[1] = Some(Extended::ONE);
        let expected = ["st(1) 1 (3FFF:8000000000000000h)", "control 037Fh  status 0000h"];
        assert_eq!(lines(&unit), expected);
    }
}
