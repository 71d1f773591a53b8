//! Directives for data: each value as MASM writes it.

use crate::statement::Alignment;
use std::fmt::Write;

/// The most bytes of a value of one directive; a larger one is left to the parser, which refuses it.
const MOST_BYTES: usize = 1 << 16;

/// The definition that a directive for data stands for, without the name before it; `None` if it is no such directive
/// or has a value that is not understood.
pub(super) fn definition(directive: &str, values: &str) -> Option<String> {
    let values = values.trim();
    let plain = |word: &str| Some(format!("{word} {values}"));
    match directive {
        ".byte" => plain("db"),
        ".short" | ".word" | ".value" | ".hword" | ".2byte" => plain("dw"),
        ".long" | ".int" | ".4byte" => plain("dd"),
        ".quad" | ".8byte" => plain("dq"),
        ".float" | ".single" => plain("real4"),
        ".double" => plain("real8"),
        ".octa" | ".16byte" => wide(values),
        ".ascii" => text(values, false),
        ".asciz" | ".string" => text(values, true),
        ".zero" | ".skip" | ".space" | ".ds.b" => {
            let (bytes, fill) = values.split_once(',').unwrap_or((values, "0"));
            Some(format!("db {} dup ({})", bytes.trim(), fill.trim()))
        }
        ".fill" => {
            let mut values = values.split(',').map(str::trim);
            let (count, size, value) = (
                values.next()?,
                values.next().unwrap_or("1"),
                values.next().unwrap_or("0"),
            );
            let word = match size {
                "1" => "db",
                "2" => "dw",
                "4" => "dd",
                "8" => "dq",
                _ => return None,
            };
            Some(format!("{word} {count} dup ({value})"))
        }
        _ => None,
    }
}

/// Numbers of 16 bytes, as two of 8 each, the lower one first.
fn wide(values: &str) -> Option<String> {
    let halves = values.split(',').map(|value| {
        let value = value.trim();
        let digits = value.strip_prefix('-').unwrap_or(value);
        let number = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
            (Some(digits), _) => u128::from_str_radix(digits, 16),
            (None, Some(digits)) if !digits.is_empty() => u128::from_str_radix(digits, 8),
            _ => digits.parse(),
        };
        let number = number.ok()?;
        let number = if digits.len() < value.len() {
            number.wrapping_neg()
        } else {
            number
        };
        Some(format!("{}, {}", number as u64, (number >> 64) as u64))
    });
    Some(format!("dq {}", halves.collect::<Option<Vec<_>>>()?.join(", ")))
}

/// What GNU's assembler makes of a real number that is infinite or none, as MASM writes its bits: `double` is whether
/// it has 8 bytes.
fn special(value: &str, double: bool) -> Option<String> {
    let name = value.trim_start_matches(['+', '-']).to_ascii_lowercase();
    let negative = u64::from(value.starts_with('-'));
    let is_number = match name.as_str() {
        "inf" | "infinity" => true,
        "nan" => false,
        _ => return None,
    };
    Some(match (double, is_number) {
        (true, true) => format!("0{:016X}r", negative << 63 | 0x7FF0_0000_0000_0000),
        (true, false) => format!("0{:016X}r", negative << 63 | 0x7FFF_FFFF_FFFF_FFFF),
        (false, true) => format!("0{:08X}r", negative << 31 | 0x7F80_0000),
        (false, false) => format!("0{:08X}r", negative << 31 | 0x7FFF_FFFF),
    })
}

/// A real number of 4 or 8 bytes as MASM writes it, which has digits and a point there, if it is written otherwise.
pub(super) fn real(value: &str, double: bool) -> Option<String> {
    if let Some(special) = special(value, double) {
        return Some(special);
    }
    let digits = value.trim_start_matches(['+', '-']);
    let sign = &value[..value.len() - digits.len()];
    // A letter that says which format it has, as in `0f1.5`.
    let lettered = digits
        .strip_prefix('0')
        .and_then(|behind| behind.strip_prefix(['f', 'F', 'd', 'D', 'r', 'R']));
    match lettered {
        Some(number) => {
            let read = special(number, double).or_else(|| decimal(number));
            Some(format!("{sign}{}", read.as_deref().unwrap_or(number)))
        }
        None => decimal(value),
    }
}

/// A decimal number with digits on both sides of a point, if it is written without.
fn decimal(value: &str) -> Option<String> {
    let digits = value.trim_start_matches(['+', '-']);
    let sign = &value[..value.len() - digits.len()];
    let place = digits.find(['e', 'E']).unwrap_or(digits.len());
    let (whole, exponent) = digits.split_at(place);
    let plain = !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit());
    match plain {
        true => Some(format!("{sign}{whole}.0{exponent}")),
        false => digits.starts_with('.').then(|| format!("{sign}0{digits}")),
    }
}

/// The bytes of quoted texts, as numbers.
fn text(values: &str, zero: bool) -> Option<String> {
    let mut made = String::from("db ");
    let mut count = 0;
    let mut add = |byte: u8| {
        let between = if count > 0 { "," } else { "" };
        count += 1;
        write!(made, "{between}{byte}").ok().filter(|()| count <= MOST_BYTES)
    };
    let mut bytes = values.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' | b'\t' | b',' => continue,
            b'"' => {}
            _ => return None,
        }
        loop {
            match bytes.next()? {
                b'"' => break,
                b'\\' => {
                    let escaped = bytes.next()?;
                    add(match escaped {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        b'b' => 8,
                        b'f' => 12,
                        b'0'..=b'7' => {
                            let mut number = u32::from(escaped - b'0');
                            for _ in 0..2 {
                                let Some(digit) = bytes.next_if(|byte| (b'0'..=b'7').contains(byte)) else {
                                    break;
                                };
                                number = number * 8 + u32::from(digit - b'0');
                            }
                            number as u8
                        }
                        b'x' | b'X' => {
                            let mut number = 0u32;
                            while let Some(digit) = bytes.next_if(u8::is_ascii_hexdigit) {
                                number = number << 4 | char::from(digit).to_digit(16)?;
                            }
                            number as u8
                        }
                        other => other,
                    })?;
                }
                byte => add(byte)?,
            }
        }
        // Texts beside each other are one.
        let mut behind = bytes.clone().skip_while(|byte| matches!(byte, b' ' | b'\t'));
        if zero && behind.next() != Some(b'"') {
            add(0)?;
        }
    }
    (count > 0).then_some(made)
}

/// The alignment that a directive with these values asks for.
pub(super) fn alignment(directive: &str, values: &[Option<i64>]) -> Option<Alignment> {
    let value = |place: usize| values.get(place).copied().flatten();
    let unit = u32::try_from(value(0)?).ok()?;
    let unit = match directive {
        ".align" | ".balign" => unit.max(1),
        ".p2align" => 1u32.checked_shl(unit).filter(|_| unit <= 16)?,
        _ => return None,
    };
    let most = value(2).and_then(|most| u32::try_from(most).ok());
    (unit.is_power_of_two() && unit <= 1 << 16).then_some(Alignment {
        unit,
        most: most.filter(|most| *most < unit).unwrap_or(u32::MAX),
        fill: value(1).map(|fill| fill as u8),
    })
}

#[cfg(test)]
mod tests {
    use super::{alignment, definition};

    #[test]
    fn texts_become_their_bytes() {
        assert_eq!(definition(".string", r#""a\n\"""#).as_deref(), Some("db 97,10,34,0"));
        assert_eq!(
            definition(".ascii", r#""\101\x42;", "c""#).as_deref(),
            Some("db 65,66,59,99")
        );
        assert_eq!(definition(".string", r#""""#).as_deref(), Some("db 0"));
        assert_eq!(definition(".string", "\"open"), None);
        assert_eq!(
            definition(".asciz", r#""a" "b", "c""#).as_deref(),
            Some("db 97,98,0,99,0")
        );
        assert_eq!(
            definition(".octa", "0x10000000000000002, -1").as_deref(),
            Some("dq 2, 1, 18446744073709551615, 18446744073709551615")
        );
        assert_eq!(definition(".octa", "name"), None);
    }

    #[test]
    fn alignments_are_multiples_or_powers() {
        let of = |directive: &str, values: &[Option<i64>]| {
            alignment(directive, values).map(|found| (found.unit, found.most, found.fill))
        };
        assert_eq!(of(".p2align", &[Some(4), None, Some(10)]), Some((16, 10, None)));
        assert_eq!(of(".p2align", &[Some(4), Some(0x90)]), Some((16, u32::MAX, Some(0x90))));
        assert_eq!(of(".align", &[Some(32)]), Some((32, u32::MAX, None)));
        for none in [Some(12), Some(-4), None] {
            assert_eq!(of(".align", &[none]), None);
        }
        assert_eq!(of(".p2align", &[Some(77)]), None);
    }
}
