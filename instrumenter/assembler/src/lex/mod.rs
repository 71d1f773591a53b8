//! Splits one physical line into tokens: words, numbers, strings and single characters, each with its position.
//!
//! A line is lexed independently of its neighbours. Invalid text becomes a [`Kind::Bad`] token, which is an error
//! only if a parser reaches it, because text directives take the rest of their line verbatim.

mod cursor;
mod line;
mod made;
mod number;

pub(crate) use cursor::{Cursor, Extra};
pub(crate) use line::{Column, Line};
pub(crate) use made::{Edit, Made, moved};

use crate::names::{NameId, Names};
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_while1};
use nom::character::complete::char;
use nom::combinator::recognize;
use nom::multi::many0_count;
use nom::{IResult, Parser};
use number::number;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Name(NameId),
    /// An integer.
    Number(u64),
    /// A real number in decimal, or its bytes in hexadecimal followed by `r`.
    Real,
    String,
    /// Any other single character.
    Mark(u8),
    /// Invalid text, and the reason.
    Bad(&'static str),
}

/// A token and the bytes of the line it covers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The longest name, in bytes.
const MOST_OF_NAME: usize = 4095;
const LONG_NAME: &str = "name longer than 4,095 characters";

pub(crate) struct Notation {
    /// The mark that begins a comment.
    pub(crate) comment: u8,
    /// Whether the first word of a line may begin with a dot.
    pub(crate) dotted: bool,
    /// First words of a line that begin with a mark other than a dot.
    pub(crate) words: &'static [&'static str],
    /// Whether names may have dots, as compilers make them, stand in angle brackets with a distance, or be [`marked`].
    pub(crate) compilers: bool,
}

impl Notation {
    /// The notation in which only a semicolon has a meaning: it begins a comment.
    pub(crate) const PLAIN: Notation = Notation {
        comment: b';',
        dotted: false,
        words: &[],
        compilers: false,
    };
}

/// Lexes `text` up to its comment into `tokens`, which is cleared first.
pub(crate) fn lex(text: &str, notation: &Notation, radix: u32, names: &mut Names, tokens: &mut Vec<Token>) {
    tokens.clear();
    let mut rest = text;
    loop {
        rest = skip_blanks(rest);
        let Some(&first) = rest.as_bytes().first() else {
            return;
        };
        if let Some((quoted, after)) = back_quoted(rest).filter(|_| !notation.compilers) {
            let start = (text.len() - rest.len() + 1) as u32;
            let end = start + quoted.len() as u32;
            let kind = plain_name(quoted, names);
            tokens.push(Token { kind, start, end });
            rest = after;
            continue;
        }
        let start = text.len() - rest.len();
        let (after, kind) = match first {
            b'0'..=b'9' => number(rest, radix),
            b'\'' | b'"' => string(rest, first),
            _ if notation.compilers && compiled_name(rest) > 0 => {
                let (name, rest) = rest.split_at(compiled_name(rest));
                let name = without_marks(name);
                let listed = name.strip_prefix('<').and_then(|name| name.strip_suffix('>'));
                let name = listed.unwrap_or(name);
                let kind = match name.strip_prefix(':') {
                    Some(name) if name.len() <= MOST_OF_NAME => Kind::Name(names.intern_apart(name)),
                    _ => plain_name(name, names),
                };
                (rest, kind)
            }
            b'.' if notation.dotted && (begins_statement(tokens) || is_target(tokens, text, rest, names)) => {
                dotted(rest, names)
            }
            _ if is_word(first) => name(rest, names),
            _ if first == notation.comment => return,
            0x21..=0x7E if tokens.is_empty() => first_mark(rest, notation, names),
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

/// The name in back quotes that `text` begins with, as Watcom's assembler has it, and the text after it.
fn back_quoted(text: &str) -> Option<(&str, &str)> {
    let (name, after) = text.strip_prefix('`')?.split_once('`')?;
    let is_name = name.bytes().all(is_word) && !name.starts_with(|first: char| first.is_ascii_digit());
    (is_name && !name.is_empty()).then_some((name, after))
}

/// Whether a statement begins after these tokens: marks that expand the line, or a label.
fn begins_statement(tokens: &[Token]) -> bool {
    let mark = |token: &Token, mark| token.kind == Kind::Mark(mark);
    match tokens {
        [] => true,
        [first] => mark(first, b'%'),
        [first, colon] | [first, colon, _] if mark(colon, b':') => {
            matches!(first.kind, Kind::Name(_)) && tokens.last().is_some_and(|last| mark(last, b':'))
        }
        _ => false,
    }
}

/// Whether a dot after these tokens of `text` begins the target of a branch, `rest`: compilers give labels such names.
/// `.type` is an operator there.
fn is_target(tokens: &[Token], text: &str, rest: &str, names: &Names) -> bool {
    let word = |token: &Token| &text[token.start as usize..token.end as usize];
    let branches = |token: &Token| matches!(token.kind, Kind::Name(name) if names.info(name).branch);
    let follows = match tokens {
        [.., branch, distance] if branches(branch) => ["short", "near"]
            .iter()
            .any(|one| word(distance).eq_ignore_ascii_case(one)),
        [.., branch] => branches(branch),
        [] => false,
    };
    follows && !leading_word(rest).1.eq_ignore_ascii_case(".type")
}

/// Whether `byte` may occur in a name.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b'$' | b'?')
}

/// The first two words of a line, without lexing it: enough to find what begins or ends a body.
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
        Ok((rest, text)) if text.len() <= MOST_OF_NAME => match text {
            "$" => (rest, Kind::Mark(b'$')),
            "?" => (rest, Kind::Mark(b'?')),
            _ => (rest, Kind::Name(names.intern(text))),
        },
        Ok((rest, _)) => (rest, Kind::Bad(LONG_NAME)),
        Err(_) => ("", Kind::Bad("invalid word")),
    }
}

/// The marks around a name that may have any other characters, in lines that are made.
const MARKS: [char; 2] = ['\u{1}', '\u{2}'];

/// A name, whatever its characters are, as made lines in the notation of compilers have it.
pub(crate) fn marked(name: &str) -> String {
    let [begin, end] = MARKS;
    format!("{begin}{}{end}", name.replace(MARKS, "?"))
}

/// The length of a [`marked`] name at the start of a text, with its marks, or 0.
pub(crate) fn marked_length(text: &str) -> usize {
    let inside = text.strip_prefix(MARKS[0]);
    let is_end = |byte: u8| char::from(byte) == MARKS[1];
    let length = inside.and_then(|inside| inside.bytes().take(MOST_OF_NAME + 1).position(is_end));
    length.map_or(0, |length| length + 2)
}

/// The parts of a made line between the marks of its names.
pub(crate) fn between_marks(line: &str) -> impl Iterator<Item = &str> {
    line.split(MARKS)
}

/// A name of a made line as the source spells it.
pub(super) fn without_marks(text: &str) -> &str {
    let inside = text.strip_prefix(MARKS[0]).and_then(|name| name.strip_suffix(MARKS[1]));
    inside.unwrap_or(text)
}

/// The length of a name of a compiler at the start of a text, or 0: `.L3`, `counter.0`, `<main+0x12>`, `<:add>`, a name
/// that is no instruction, and names that are [`marked`].
fn compiled_name(text: &str) -> usize {
    if text.starts_with(MARKS[0]) {
        return marked_length(text);
    }
    let of_name = |byte: &u8| is_word(*byte) || *byte == b'.';
    if let Some(inside) = text.strip_prefix('<') {
        let lead = usize::from(inside.starts_with(':'));
        let length = lead
            + inside[lead..]
                .bytes()
                .take_while(|byte| of_name(byte) || *byte == b'+')
                .count();
        let closed = inside.as_bytes().get(length) == Some(&b'>');
        return if length > lead && closed { length + 2 } else { 0 };
    }
    let length = text.bytes().take_while(of_name).count();
    let lone = length == 1 && !text.as_bytes()[0].is_ascii_alphabetic() && !text.starts_with('_');
    if lone { 0 } else { length }
}

fn plain_name(text: &str, names: &mut Names) -> Kind {
    match text.len() <= MOST_OF_NAME {
        true => Kind::Name(names.intern(text)),
        false => Kind::Bad(LONG_NAME),
    }
}

/// A word that starts with a dot, allowed only at the start of a line.
fn dotted<'a>(input: &'a str, names: &mut Names) -> (&'a str, Kind) {
    match recognize((char('.'), word)).parse(input) {
        Ok((rest, text)) if text.len() <= MOST_OF_NAME => (rest, Kind::Name(names.intern(text))),
        _ => (&input[1..], Kind::Mark(b'.')),
    }
}

/// A mark at the start of a line: the beginning of one of the notation's words, or a mark by itself.
fn first_mark<'a>(input: &'a str, notation: &Notation, names: &mut Names) -> (&'a str, Kind) {
    let word = notation.words.iter().find_map(|word| {
        let text = input.get(..word.len()).filter(|text| text.eq_ignore_ascii_case(word))?;
        let rest = &input[text.len()..];
        (!rest.bytes().next().is_some_and(is_word)).then_some((text, rest))
    });
    match word {
        Some((text, rest)) => (rest, Kind::Name(names.intern(text))),
        None => (&input[1..], Kind::Mark(input.as_bytes()[0])),
    }
}

/// A string, in which a quote is doubled.
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
    use crate::names::Meaning;

    fn kinds(text: &str) -> Vec<Kind> {
        let mut names = Names::new(|_| Meaning::default());
        let mut tokens = Vec::new();
        lex(text, &Notation::PLAIN, 10, &mut names, &mut tokens);
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
        assert_eq!(first_words("  StartTSC\tMACRO a"), ("StartTSC", "MACRO"));
    }
}
