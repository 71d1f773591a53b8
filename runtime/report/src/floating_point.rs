//! The registers of the floating-point unit in words, and the MMX registers, which are aliased to them.

use super::document::document;
use super::ordered::Ordered;
use p5_results::FloatingPoint as Unit;
use p5_words::fpu::{
    BIAS, DENORMAL, Extended, INITIAL_CONTROL, INVALID, OVERFLOW, PRECISION, STACK_FAULT, UNDERFLOW, ZERO_DIVIDE,
};

document! {
    /// The floating-point unit.
    pub(super) struct FloatingPoint {
        /// The control word.
        control: u16 = unit.control,
        /// The status word.
        status: u16 = unit.status,
        /// The tag word.
        tags: u16 = unit.tags,
        /// ST(0) to ST(7); null for an empty register.
        stack: Vec<Option<FloatingRegister>> = registers
            .map(|(value, real)| value.map(|value| FloatingRegister::of(value, real)))
            .collect(),
        /// Those of MM0 to MM7 that MMX instructions changed, in hexadecimal.
        mmx: Ordered<String> = Ordered(packed(unit).collect()),
    }
    from (unit: &Unit) {
        let registers = unit.stack.iter().copied().zip(unit.real);
    }

    /// A register of the floating-point stack.
    pub(super) struct FloatingRegister {
        /// Sign and exponent, then the significand, in hexadecimal.
        bits: String = bits(value),
        /// The value in decimal, or what it is; `MMX data` if an MMX instruction put it there.
        value: String = if real || value == Extended::ZERO {
            described(value)
        } else {
            "MMX data".to_owned()
        },
    }
    from (value: Extended, real: bool)
}

/// The lines of a short report, of at most `width` columns: the values of the registers, and the control and status
/// words if they differ from those of a new unit. `None` if the unit is unchanged.
pub(super) fn short_lines(unit: &Unit, width: usize) -> Vec<String> {
    let registers = unit.stack.iter().zip(unit.real).enumerate();
    let mut parts: Vec<String> = registers
        .filter_map(|(number, (value, real))| {
            let value = value.filter(|_| real)?;
            Some(format!("st({number}) {}", described(value)))
        })
        .collect();
    parts.extend(packed(unit).map(|(name, value)| format!("{name} {value}")));
    if unit.control != INITIAL_CONTROL {
        parts.push(format!("fpu control {:04X}h", unit.control));
    }
    if unit.status != 0 {
        parts.extend(status_in_words(unit.status));
    }
    let full = unit.stack.iter().any(Option::is_some);
    if full
        && !unit
            .stack
            .iter()
            .zip(unit.real)
            .any(|(value, real)| value.is_some() && real)
    {
        parts.push("no emms after mmx".to_owned());
    }
    // Each line holds as many values as fit, without a break between a name and its value.
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.len() + 2 + part.len() <= width => *line = format!("{line}  {part}"),
            _ => lines.push(part),
        }
    }
    lines
}

/// The status word, and each exception that it tells of.
fn status_in_words(status: u16) -> impl Iterator<Item = String> {
    let exceptions = [
        (STACK_FAULT, "stack fault"),
        (INVALID, "invalid"),
        (DENORMAL, "denormal"),
        (ZERO_DIVIDE, "divided by 0"),
        (OVERFLOW, "overflow"),
        (UNDERFLOW, "underflow"),
        (PRECISION, "inexact"),
    ];
    let raised = exceptions.into_iter().filter(move |(bit, _)| status & bit != 0);
    let words = raised.map(|(_, word)| word.to_owned());
    std::iter::once(format!("fpu status {status:04X}h")).chain(words)
}

/// The lines of a text report, of at most `width` columns: the stack registers that are not empty, the changed MMX
/// registers, then the control and status words.
pub(super) fn lines(unit: &Unit, width: usize) -> Vec<String> {
    let registers = unit.stack.iter().zip(unit.real).enumerate();
    let mut lines: Vec<String> = registers
        .filter_map(|(number, (value, real))| {
            let value = value.filter(|_| real)?;
            Some((
                format!("st({number}) {}", described(value)),
                format!("({})", bits(value)),
            ))
        })
        .flat_map(|(name, bits)| beside(name, " ", bits, width))
        .collect();
    let left = match unit.stack.iter().flatten().count() {
        0 => "stack empty",
        _ if lines.is_empty() => "no emms after mmx",
        _ => "",
    };
    let packed: Vec<String> = packed(unit).map(|(name, value)| format!("{name} {value}")).collect();
    let each = packed.first().map_or(1, |first| first.len() + 2);
    lines.extend(packed.chunks((width / each).max(1)).map(|some| some.join("  ")));
    let words = format!("control {:04X}h  status {:04X}h", unit.control, unit.status);
    lines.extend(beside(words, ", ", left.to_owned(), width));
    lines
}

/// Both texts in one line, or in two lines if that is too wide.
fn beside(first: String, between: &str, second: String, width: usize) -> Vec<String> {
    let fits = first.len() + between.len() + second.len() <= width;
    match (second.is_empty(), fits) {
        (true, _) => vec![first],
        (_, true) => vec![first + between + &second],
        _ => vec![first, second],
    }
}

fn packed(unit: &Unit) -> impl Iterator<Item = (String, String)> {
    let registers = unit.packed.iter().enumerate();
    registers.filter_map(|(number, value)| Some((format!("mm{number}"), format!("{:016X}h", (*value)?))))
}

/// The bits of a value: sign and exponent, then the significand.
fn bits(value: Extended) -> String {
    format!("{:04X}:{:016X}h", value.sign_exponent, value.significand)
}

/// A value in decimal, or its class if it is not a finite number.
pub(super) fn described(value: Extended) -> String {
    let sign = if value.sign() == 0 { "" } else { "-" };
    if value.is_zero() {
        return format!("{sign}0.0");
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
    // This is the nearest double: the significand is rounded, the power of two is exact.
    let magnitude = value.significand as f64 / 2f64.powi(63) * 2f64.powi(power);
    let about = if value.significand & 0x7FF == 0 { "" } else { "about " };
    if (1e-5..1e16).contains(&magnitude) {
        format!("{about}{sign}{magnitude:?}")
    } else {
        format!("{about}{sign}{magnitude:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_words::fpu::{INTEGER_BIT, SIGN};

    #[test]
    fn every_class_of_value_is_named() {
        let described = |sign_exponent, significand| described(Extended::new(sign_exponent, significand));
        assert_eq!(described(0x4001, 0x9000_0000_0000_0000), "4.5");
        assert_eq!(described(0x3FFD, 0xAAAA_AAAA_AAAA_AAAB), "about 0.3333333333333333");
        assert_eq!(described(SIGN | 0x4040, INTEGER_BIT), "-3.6893488147419103e19");
        assert_eq!(described(0x7000, INTEGER_BIT), "2^12289 and more");
        assert_eq!(described(SIGN, 0), "-0.0");
        assert_eq!(described(0x4000, 0xC000_0000_0000_0000), "3.0");
        assert_eq!(described(0, 1), "denormal");
        assert_eq!(described(SIGN | 0x7FFF, INTEGER_BIT), "-infinity");
        assert_eq!(described(0x7FFF, u64::MAX), "quiet NaN");
        assert_eq!(described(0x7FFF, INTEGER_BIT | 1), "signalling NaN");
        assert_eq!(described(0x4000, 1), "unsupported");
    }

    #[test]
    fn an_empty_stack_is_said() {
        let mut unit = Unit {
            stack: [None; 8],
            real: [false; 8],
            packed: [None; 8],
            control: 0x37F,
            status: 0,
            tags: 0xFFFF,
        };
        assert_eq!(lines(&unit, 78), ["control 037Fh  status 0000h, stack empty"]);
        (unit.stack[1], unit.real[1]) = (Some(Extended::ONE), true);
        let expected = ["st(1) 1.0 (3FFF:8000000000000000h)", "control 037Fh  status 0000h"];
        assert_eq!(lines(&unit, 78), expected);
    }

    #[test]
    fn registers_of_mmx_are_shown_by_their_own_names() {
        let mut unit = Unit {
            stack: [Some(Extended::ZERO); 8],
            real: [false; 8],
            packed: [None; 8],
            control: 0x37F,
            status: 0,
            tags: 0,
        };
        (unit.stack[3], unit.packed[3]) = (Some(Extended::new(u16::MAX, 1 << 63)), Some(1 << 63));
        (unit.stack[4], unit.packed[4]) = (Some(Extended::new(u16::MAX, 7)), Some(7));
        let control = "control 037Fh  status 0000h, no emms after mmx";
        let both = "mm3 8000000000000000h  mm4 0000000000000007h";
        assert_eq!(lines(&unit, 46), [both, control]);
        let [one, other] = [&both[..21], &both[23..]];
        let [first, second] = ["control 037Fh  status 0000h", "no emms after mmx"];
        assert_eq!(lines(&unit, 45), [one, other, first, second]);
        assert_eq!(short_lines(&unit, 44), [both, "no emms after mmx"]);
        assert_eq!(short_lines(&unit, 43), [one, &format!("{other}  no emms after mmx")]);
        let json = serde_json::to_value(FloatingPoint::of(&unit)).expect("JSON");
        assert_eq!(json["stack"][3]["value"], "MMX data");
        assert_eq!(json["mmx"], serde_json::json!({"mm3": &one[4..], "mm4": &other[4..]}));
    }
}
