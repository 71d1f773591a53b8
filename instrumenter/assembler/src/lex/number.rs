//! Numbers: integers in every notation, reals as written.

use super::{Kind, is_word};
use nom::branch::alt;
use nom::bytes::complete::{take_while, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{opt, recognize};
use nom::{IResult, Parser};

/// A number that begins with a decimal digit, and the text after it.
pub(super) fn number(input: &str, radix: u32) -> (&str, Kind) {
    let length = input.bytes().take_while(|&byte| is_word(byte)).count();
    let (text, rest) = input.split_at(length);
    if text.bytes().all(|byte| byte.is_ascii_digit())
        && let Ok((after, fraction)) = fraction(rest)
    {
        // `1..2` is not a number, and a number has no fields.
        if fraction.len() > 1 || !after.bytes().next().is_some_and(is_word) {
            return (after, Kind::Real);
        }
    }
    (rest, whole(text, radix))
}

fn fraction(input: &str) -> IResult<&str, &str> {
    let digits = |input| take_while(|character: char| character.is_ascii_digit()).parse(input);
    let exponent = (
        alt((char('e'), char('E'))),
        opt(one_of("+-")),
        take_while1(|character: char| character.is_ascii_digit()),
    );
    recognize((char('.'), digits, opt(exponent))).parse(input)
}

fn whole(text: &str, radix: u32) -> Kind {
    let bytes = text.as_bytes();
    let Some((&last, body)) = bytes.split_last() else {
        return Kind::Bad("invalid number");
    };
    if bytes.len() > 2 && bytes[0] == b'0' && (bytes[1] | 32) == b'x' {
        return digits(&bytes[2..], 16);
    }
    match last | 32 {
        b'0'..=b'9' => digits(bytes, radix),
        b'h' => digits(body, 16),
        b'r' if body.iter().all(u8::is_ascii_hexdigit) => Kind::Real,
        b'y' => digits(body, 2),
        b't' => digits(body, 10),
        b'o' | b'q' => digits(body, 8),
        // Where they are digits, too, MASM 5 and TASM still take them as suffixes.
        b'b' if radix <= 11 || has_digits(body, 2) => digits(body, 2),
        b'd' if radix <= 13 || has_digits(body, 10) => digits(body, 10),
        _ => digits(bytes, radix),
    }
}

fn has_digits(bytes: &[u8], radix: u32) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| (byte as char).is_digit(radix))
}

fn digits(bytes: &[u8], radix: u32) -> Kind {
    let mut value: u64 = 0;
    for &byte in bytes {
        let Some(digit) = (byte as char).to_digit(radix) else {
            return Kind::Bad(match radix {
                2 => "invalid digit in a binary number",
                8 => "invalid digit in an octal number",
                10 => "invalid digit in a decimal number; write `h` after a hexadecimal number",
                _ => "invalid number",
            });
        };
        let next = value
            .checked_mul(u64::from(radix))
            .and_then(|value| value.checked_add(u64::from(digit)));
        match next {
            Some(next) => value = next,
            None => return Kind::Bad("number does not fit in 64 bits"),
        }
    }
    if bytes.is_empty() {
        return Kind::Bad("invalid number");
    }
    Kind::Number(value)
}
