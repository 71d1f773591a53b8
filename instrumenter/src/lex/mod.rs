//! Splits one physical line into tokens: words, numbers, strings and single characters, each with its position.
//!
//! A line is lexed independently of its neighbours. Invalid text becomes a [`Kind::Bad`] token, which is an error
//! only if a parser reaches it, because text directives take the rest of their line verbatim.

mod cursor;
mod line;
mod number;

pub(crate) use cursor::Cursor;
pub(crate) use line::{Column, Line};

use crate::names::{NameId, Names};
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_while1};
use nom::character::complete::char;
use nom::combinator::recognize;
use nom::multi::many0_count;
use nom::{IResult, Parser};
use number::number;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// A word.
    Name(NameId),
    /// An integer.
    Number(u64),
    /// A real number in decimal, or its bytes in hexadecimal followed by `r`.
    Real,
    /// A string with its quotes.
    String,
    /// Any other single character.
    Mark(u8),
    /// Invalid text, and why.
    Bad(&'static str),
}

/// A token and the bytes of the line it covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Lexes `text` up to its comment into `tokens`, which is cleared first.
pub(crate) fn lex(text: &str, radix: u32, names: &mut Names, tokens: &mut Vec<Token>) {
    tokens.clear();
    let mut rest = text;
    loop {
        rest = skip_blanks(rest);
        let Some(&first) = rest.as_bytes().first() else {
            return;
        };
        let start = text.len() - rest.len();
        let (after, kind) = match first {
            b';' => return,
            b'0'..=b'9' => number(rest, radix),
            b'\'' | b'"' => string(rest, first),
            b'.' if tokens.is_empty() => directive(rest, names),
            _ if is_word(first) => name(rest, names),
            b'%' if tokens.is_empty() => percent(rest, names),
            0x21..=0x7E => (&rest[1..], Kind::Mark(first)),
            _ => {
                let width = rest.chars().next().map_or(1, char::len_utf8);
                (
                    &rest[width..],
                    Kind::Bad("unexpected character outside a string or comment"),
                )
            }
        };
        tokens.push(Token {
            kind,
            start: start as u32,
            end: (text.len() - after.len()) as u32,
        });
        rest = after;
    }
}

/// Where the comment of `text` begins (a semicolon outside quotes), or the length of `text`.
pub(crate) fn comment_start(text: &str) -> usize {
    let mut quote = 0u8;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        match byte {
            b';' if quote == 0 => return at,
            b'\'' | b'"' if quote == 0 => quote = byte,
            _ if byte == quote => quote = 0,
            _ => {}
        }
    }
    text.len()
}

/// Whether `byte` may occur in a name.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b'$' | b'?')
}

/// The first two words of a line, without lexing it: enough to find `IF`, `ENDIF`, `name MACRO` and `ENDM`.
pub(crate) fn first_words(text: &str) -> (&str, &str) {
    let text = skip_blanks(text);
    let (rest, first) = leading_word(text);
    let rest = skip_blanks(rest);
    (first, leading_word(rest).1)
}

/// The bytes of a string token in code page 437, with doubled quotes collapsed.
pub(crate) fn string_bytes(token_text: &str, out: &mut Vec<u8>) {
    let mut characters = token_text.chars();
    let Some(quote) = characters.next() else {
        return;
    };
    let mut pending = false;
    for character in characters {
        if character == quote && !pending {
            pending = true;
            continue;
        }
        pending = false;
        out.push(crate::source::raw_byte(character).unwrap_or(b'?'));
    }
}

fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\u{c}', '\r'])
}

fn leading_word(text: &str) -> (&str, &str) {
    let lead = usize::from(text.starts_with(['.', '%']));
    let length = text[lead..].bytes().take_while(|&byte| is_word(byte)).count() + lead;
    (&text[length..], &text[..length])
}

fn word(input: &str) -> IResult<&str, &str> {
    take_while1(|character: char| character.is_ascii() && is_word(character as u8)).parse(input)
}

fn name<'a>(input: &'a str, names: &mut Names) -> (&'a str, Kind) {
    match word(input) {
        Ok((rest, text)) if text.len() <= 4095 => match text {
            "$" => (rest, Kind::Mark(b'$')),
            "?" => (rest, Kind::Mark(b'?')),
            _ => (rest, Kind::Name(names.intern(text))),
        },
        Ok((rest, _)) => (rest, Kind::Bad("name longer than 4,095 characters")),
        Err(_) => ("", Kind::Bad("invalid word")),
    }
}

/// A word that starts with a dot, allowed only at the start of a line: `.model`, `.586`.
fn directive<'a>(input: &'a str, names: &mut Names) -> (&'a str, Kind) {
    match recognize((char('.'), word)).parse(input) {
        Ok((rest, text)) if text.len() <= 4095 => (rest, Kind::Name(names.intern(text))),
        _ => (&input[1..], Kind::Mark(b'.')),
    }
}

/// `%out` is one word; another `%` at the start of a line is a mark.
fn percent<'a>(input: &'a str, names: &mut Names) -> (&'a str, Kind) {
    let (rest, text) = leading_word(input);
    if text.eq_ignore_ascii_case("%out") {
        (rest, Kind::Name(names.intern(text)))
    } else {
        (&input[1..], Kind::Mark(b'%'))
    }
}

/// A string; a quote inside it is doubled.
fn string(input: &str, quote: u8) -> (&str, Kind) {
    let (one, two) = if quote == b'"' { ("\"", "\"\"") } else { ("'", "''") };
    let inside = many0_count(alt((is_not(one), tag(two))));
    let closed: IResult<&str, _> = (tag(one), inside, tag(one)).parse(input);
    match closed {
        Ok((rest, _)) => (rest, Kind::String),
        Err(_) => ("", Kind::Bad("unterminated string")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut names = Names::new();
        let mut tokens = Vec::new();
        lex(text, 10, &mut names, &mut tokens);
        tokens.iter().map(|token| token.kind).collect()
    }

    #[test]
    fn numbers_in_every_notation() {
        for (text, value) in [
            ("0fh", 15),
            ("0010000000b", 128),
            ("101B", 5),
            ("10o", 8),
            ("17q", 15),
            ("10d", 10),
            ("12t", 12),
            ("0x1F", 31),
            ("0FFFFFFFFh", 0xFFFF_FFFF),
            ("1101y", 13),
        ] {
            assert_eq!(kinds(text), [Kind::Number(value)], "{text}");
        }
        for text in ["12b", "9o", "12ab", "0x", "99999999999999999999"] {
            assert!(matches!(kinds(text)[..], [Kind::Bad(_)]), "{text}");
        }
        for text in ["1.5", "1.", "1.0e-3", "3F800000r"] {
            assert_eq!(kinds(text), [Kind::Real], "{text}");
        }
    }

    #[test]
    fn strings_comments_and_marks() {
        assert_eq!(kinds("'it''s' ; no"), [Kind::String]);
        assert_eq!(kinds("\"a;b\""), [Kind::String]);
        assert!(matches!(kinds("'open")[..], [Kind::Bad(_)]));
        let mut bytes = Vec::new();
        string_bytes("'it''s é'", &mut bytes);
        assert_eq!(bytes, b"it's \x82");
        assert_eq!(kinds("$ ? ["), [Kind::Mark(b'$'), Kind::Mark(b'?'), Kind::Mark(b'[')]);
        assert_eq!(comment_start("db ';' ; x"), 7);
        assert_eq!(first_words("  StartTSC\tMACRO a"), ("StartTSC", "MACRO"));
    }
}
