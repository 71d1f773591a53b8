//! Tokens of NASM's lines: names, numbers in every notation, and strings in three kinds of quotes.

use crate::lex::{Kind, Token};
use crate::names::Names;
use iced_x86::Register;

/// The longest name, in bytes.
const MOST_OF_NAME: usize = 4095;

/// Whether `byte` may begin a name.
pub(super) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'?' | b'@') || byte >= 0x80
}

/// Whether `byte` may occur in a name.
pub(super) fn is_word(byte: u8) -> bool {
    begins_name(byte) || byte.is_ascii_digit() || matches!(byte, b'$' | b'#' | b'~')
}

/// The length of the name at the start of a text, or 0.
pub(super) fn name_length(text: &str) -> usize {
    match text.bytes().next() {
        Some(first) if begins_name(first) => text.bytes().take_while(|&byte| is_word(byte)).count(),
        _ => 0,
    }
}

/// The length of the string at the start of a text, with its quotes; to the end of the text if nothing closes it.
pub(super) fn string_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let Some(&quote) = bytes.first() else { return 0 };
    let mut at = 1;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'\\' if quote == b'`' => at += 1,
            _ if byte == quote => return at,
            _ => {}
        }
    }
    text.len()
}

/// Whether a string is closed.
fn is_closed(text: &str) -> bool {
    let quote = text.chars().next();
    let inside = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
    let escapes = inside.len() - inside.trim_end_matches('\\').len();
    // In back quotes, a backslash keeps the last quote from closing.
    let kept = quote == Some('`') && escapes % 2 == 1;
    text.len() > 1 && quote.is_some() && text.chars().next_back() == quote && !kept
}

/// The start of the comment in `text`, or its length.
pub(super) fn comment_start(text: &str) -> usize {
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        at += match byte {
            b';' => return at,
            b'\'' | b'"' | b'`' => string_length(&text[at..]),
            _ => 1,
        };
    }
    text.len()
}

/// The tokens of a line up to its comment, into `found`, which is cleared first.
pub(super) fn tokens(text: &str, names: &mut Names, found: &mut Vec<Token>) {
    found.clear();
    let mut at = 0;
    while let Some(&first) = text.as_bytes().get(at) {
        let rest = &text[at..];
        let (length, kind) = match first {
            b' ' | b'\t' | b'\r' | 0xC => {
                at += 1;
                continue;
            }
            b';' => return,
            b'0'..=b'9' => number(rest),
            b'\'' | b'"' | b'`' => {
                let length = string_length(rest);
                match is_closed(&rest[..length]) {
                    true => (length, Kind::String),
                    false => (length, Kind::Bad("unterminated string")),
                }
            }
            // A directive of the preprocessor.
            b'%' if found.is_empty() && name_length(&rest[1..]) > 0 => {
                let length = 1 + name_length(&rest[1..]);
                (length, name(&rest[..length], names))
            }
            b'$' if rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) => {
                let (length, kind) = number(&rest[1..]);
                match kind {
                    Kind::Number(_) | Kind::Bad(_) => hexadecimal(rest, length + 1),
                    other => (length + 1, other),
                }
            }
            b'$' if name_length(&rest[1..]) > 0 => {
                // A name that is a word elsewhere.
                let length = 1 + name_length(&rest[1..]);
                let plain = names.intern(&rest[1..length]);
                let info = names.info(plain);
                let meant = info.mnemonic || info.register != Register::None;
                let id = if meant {
                    names.intern_apart(&rest[1..length])
                } else {
                    plain
                };
                (length, Kind::Name(id))
            }
            _ if begins_name(first) => match name_length(rest) {
                1 if first == b'?' => (1, Kind::Mark(b'?')),
                length => (length, name(&rest[..length], names)),
            },
            0x21..=0x7E => (1, Kind::Mark(first)),
            _ => {
                let width = rest.chars().next().map_or(1, char::len_utf8);
                (width, Kind::Bad("unexpected character outside a string or comment"))
            }
        };
        found.push(Token {
            kind,
            start: at as u32,
            end: (at + length) as u32,
        });
        at += length;
    }
}

fn name(text: &str, names: &mut Names) -> Kind {
    match text.len() <= MOST_OF_NAME {
        true => Kind::Name(names.intern(text)),
        false => Kind::Bad("name longer than 4,095 characters"),
    }
}

/// `$0F`: a dollar sign before a digit makes a number hexadecimal.
fn hexadecimal(text: &str, length: usize) -> (usize, Kind) {
    (length, digits(&text[1..length], 16))
}

/// The number at the start of a text, with its length.
fn number(text: &str) -> (usize, Kind) {
    let bytes = text.as_bytes();
    let word = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count()
    };
    let whole = word(0);
    let is_decimal = |part: &[u8]| part.iter().all(|byte| byte.is_ascii_digit() || *byte == b'_');
    let signed = |end: usize| match bytes.get(end) {
        // The sign of an exponent.
        Some(b'+' | b'-') if matches!(bytes.get(end.wrapping_sub(1)), Some(b'e' | b'E')) => word(end + 1),
        _ => end,
    };
    if bytes.get(whole) == Some(&b'.') && is_decimal(&bytes[..whole]) {
        return (signed(word(whole + 1)), Kind::Real);
    }
    let mantissa = bytes[..whole].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if matches!(bytes.get(mantissa), Some(b'e' | b'E')) && is_decimal(&bytes[mantissa + 1..whole]) {
        let end = signed(whole);
        let has_digits = end > mantissa + 1;
        if has_digits && bytes[..end].last().is_some_and(u8::is_ascii_digit) {
            return (end, Kind::Real);
        }
    }
    (whole, integer(&text[..whole]))
}

/// The radix of a letter before or after the digits of a number.
fn radix_of(letter: u8) -> u32 {
    match letter.to_ascii_lowercase() {
        b'b' | b'y' => 2,
        b'o' | b'q' => 8,
        b'd' | b't' => 10,
        b'h' | b'x' => 16,
        _ => 0,
    }
}

/// An integer: of a letter before its digits and one after them, the larger radix decides.
fn integer(text: &str) -> Kind {
    let bytes = text.as_bytes();
    let before = match bytes {
        [b'0', letter, _, ..] => radix_of(*letter),
        _ => 0,
    };
    let after = match bytes {
        [_, .., letter] => radix_of(*letter),
        _ => 0,
    };
    if before > after {
        digits(&text[2..], before)
    } else if after > before {
        digits(&text[..text.len() - 1], after)
    } else {
        digits(text, 10)
    }
}

fn digits(text: &str, radix: u32) -> Kind {
    let mut value: u64 = 0;
    let mut any = false;
    for byte in text.bytes().filter(|byte| *byte != b'_') {
        let Some(digit) = (byte as char).to_digit(radix) else {
            return Kind::Bad(match radix {
                2 => "invalid digit in a binary number",
                8 => "invalid digit in an octal number",
                10 => "invalid digit in a decimal number; write `0x` before a hexadecimal number",
                _ => "invalid number",
            });
        };
        any = true;
        let next = value
            .checked_mul(u64::from(radix))
            .and_then(|value| value.checked_add(u64::from(digit)));
        match next {
            Some(next) => value = next,
            None => return Kind::Bad("number does not fit in 64 bits"),
        }
    }
    match any {
        true => Kind::Number(value),
        false => Kind::Bad("invalid number"),
    }
}

/// The bytes of a string token: in back quotes, a backslash begins the escapes of C.
pub(super) fn string_bytes(token: &str, out: &mut Vec<u8>) {
    let inside = token.get(1..token.len().saturating_sub(1)).unwrap_or_default();
    if !token.starts_with('`') {
        out.extend(inside.chars().map(byte_of));
        return;
    }
    let mut rest = inside.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            out.push(byte_of(character));
            continue;
        }
        let Some(escape) = rest.next() else {
            out.push(b'\\');
            return;
        };
        let mut take = |radix: u32, most: usize, mut value: u32| {
            for _ in 0..most {
                let Some(digit) = rest.peek().and_then(|next| next.to_digit(radix)) else {
                    break;
                };
                value = value * radix + digit;
                rest.next();
            }
            value
        };
        match escape {
            'a' => out.push(7),
            'b' => out.push(8),
            't' => out.push(9),
            'n' => out.push(10),
            'v' => out.push(11),
            'f' => out.push(12),
            'r' => out.push(13),
            'e' => out.push(27),
            'x' => out.push(take(16, 2, 0) as u8),
            '0'..='7' => {
                let first = escape.to_digit(8).unwrap_or(0);
                out.push(take(8, 2, first) as u8);
            }
            'u' | 'U' => {
                let most = if escape == 'u' { 4 } else { 8 };
                let character = char::from_u32(take(16, most, 0)).unwrap_or(char::REPLACEMENT_CHARACTER);
                let mut bytes = [0; 4];
                out.extend_from_slice(character.encode_utf8(&mut bytes).as_bytes());
            }
            other => out.push(byte_of(other)),
        }
    }
}

fn byte_of(character: char) -> u8 {
    crate::source::raw_byte(character).unwrap_or(b'?')
}
