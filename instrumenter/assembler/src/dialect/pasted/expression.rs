//! Expressions of GNU's assembler as MASM writes them: octal and binary numbers, characters, operators, the place `.`,
//! names that MASM gives a meaning, and what compilers append to names.

use super::word::{Edits, OF_LINKER, is_name};
use super::{Taken, cxx};
use crate::lex::{marked, marked_length};
use std::ops::Range;

/// The operators that are words in MASM.
const OPERATORS: [(&str, &str); 6] = [
    ("<<", " shl "),
    (">>", " shr "),
    ("|", " or "),
    ("&", " and "),
    ("^", " xor "),
    ("~", " not "),
];
/// The operators of these that bind less than a sum in MASM, and more in GNU's assembler.
const LOOSE: [&str; 3] = ["|", "&", "^"];

/// A number as MASM writes it, if that differs: octal digits after a zero, or binary ones after `0b`.
fn number(text: &str) -> Option<String> {
    let (digits, radix) = match text.strip_prefix("0b").or_else(|| text.strip_prefix("0B")) {
        Some(digits) => (digits, 2),
        None => (text.strip_prefix('0')?, 8),
    };
    let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    let value = valid.then(|| u64::from_str_radix(digits, radix).ok()).flatten()?;
    Some(value.to_string())
}

/// The byte that an escaped character of GNU's assembler stands for.
fn escaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        b'0' => 0,
        other => other,
    }
}

/// The edits of a part of a line that has expressions.
pub(super) fn expression_edits(line: &str, part: Range<usize>, taken: &Taken<'_>) -> Edits {
    let long = cxx::operands(line, part.clone(), false);
    edits_beside(line, part, &long, taken)
}

/// The same where `long` has the names of C++.
pub(super) fn edits_beside(line: &str, part: Range<usize>, long: &[Range<usize>], taken: &Taken<'_>) -> Edits {
    let mut long = long.iter().filter(|name| name.start >= part.start).peekable();
    let bytes = line.as_bytes();
    let mut edits: Edits = Vec::new();
    let mut at = part.start;
    // Where the binding of an operator decides, MASM would read it otherwise.
    let sums = line[part.clone()]
        .bytes()
        .enumerate()
        .any(|(place, byte)| place > 0 && matches!(byte, b'+' | b'-'));
    let mut before_offset = false;
    while at < part.end {
        let byte = bytes[at];
        let rest = &line[at..part.end];
        // Nothing is spelled otherwise within such a name.
        if let Some(name) = long.next_if(|name| name.start <= at) {
            edits.push((name.clone(), marked(&line[name.clone()])));
            at = name.end;
            let behind = line.get(at..part.end).unwrap_or_default();
            if let Some(table) = OF_LINKER.iter().find(|table| behind.starts_with(**table)) {
                edits.push((at..at + table.len(), String::new()));
                at += table.len();
            }
            continue;
        }
        if marked_length(rest) > 0 {
            at += marked_length(rest);
            continue;
        }
        if byte.is_ascii_digit() {
            let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let real = bytes.get(at + length) == Some(&b'.');
            if let Some(made) = number(&rest[..length]).filter(|_| !real) {
                edits.push((at..at + length, made));
            }
            at += length;
            if real {
                at += line[at..part.end]
                    .bytes()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'.')
                    .count();
            }
            before_offset = false;
            continue;
        }
        if is_name(byte) && byte != b'$' {
            let length = rest.bytes().take_while(|byte| is_name(*byte)).count();
            name_edits(rest, at, length, (taken, before_offset), &mut edits);
            before_offset = ["ptr", "offset"]
                .iter()
                .any(|word| rest[..length].eq_ignore_ascii_case(word));
            at += length;
            continue;
        }
        if byte == b'<'
            && let Some(length) = rest.find('>').filter(|end| rest[1..*end].bytes().all(in_brackets))
        {
            at += length + 1;
            continue;
        }
        if byte == b'%' {
            let length = rest[1..].bytes().take_while(|byte| is_name(*byte)).count();
            let register = crate::select::register(&rest[1..=length]).is_some();
            edits.push((at..at + 1, if register { "" } else { " mod " }.to_owned()));
            at += 1;
            continue;
        }
        if byte == b'"' {
            let inside = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            at += inside;
            continue;
        }
        if byte == b'\'' && part.end > at + 1 {
            let length = character(rest, at, &mut edits);
            at += length;
            continue;
        }
        let operator = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator));
        if let Some((operator, word)) = operator.filter(|(operator, _)| !(sums && LOOSE.contains(operator))) {
            edits.push((at..at + operator.len(), (*word).to_owned()));
            at += operator.len();
            continue;
        }
        if !byte.is_ascii_whitespace() {
            before_offset = false;
        }
        at += rest.chars().next().map_or(1, char::len_utf8);
    }
    edits
}

/// Whether a byte may stand in a name in angle brackets.
fn in_brackets(byte: u8) -> bool {
    is_name(byte) || matches!(byte, b'+' | b':')
}

/// The edits of a name, the first `length` bytes of `rest`, which begins at `at`.
fn name_edits(rest: &str, at: usize, length: usize, (taken, operand): (&Taken<'_>, bool), edits: &mut Edits) {
    let word = &rest[..length];
    if word == "." {
        edits.push((at..at + 1, "$".to_owned()));
        return;
    }
    let (name, table) = match word.find('@').filter(|mark| *mark > 0) {
        Some(mark) => word.split_at(mark),
        None => (word, ""),
    };
    // `offset` and `type` before an operand are operators, whatever else has such a name.
    let follows = rest[length..].trim_start();
    let operator = !operand
        && matches!(word, "offset" | "ptr" | "byte" | "word" | "dword" | "qword" | "short")
        && follows.starts_with(|first: char| first.is_ascii_alphabetic() || "_.<[".contains(first));
    if table == "@GOT" {
        edits.push((at..at + length, super::anywhere::cell(name)));
        return;
    }
    if let Some(spelled) = taken.spelled(name).filter(|_| !operator) {
        edits.push((at..at + name.len(), spelled));
    }
    if OF_LINKER.contains(&table) {
        edits.push((at + name.len()..at + length, String::new()));
    }
}

/// The edit of a character as a number, `'a` or `'a'` or `'\n'`; the length of it.
fn character(rest: &str, at: usize, edits: &mut Edits) -> usize {
    let bytes = rest.as_bytes();
    let (value, mut length) = match (bytes.get(1), bytes.get(2)) {
        (Some(b'\\'), Some(&next)) if next.is_ascii() => (escaped(next), 3),
        (Some(&byte), _) if byte.is_ascii() => (byte, 2),
        _ => return 1,
    };
    length += usize::from(bytes.get(length) == Some(&b'\''));
    edits.push((at..at + length, value.to_string()));
    length
}

/// A text with these edits, of which `base` is the start.
pub(super) fn edited(text: &str, base: usize, edits: &Edits) -> String {
    let mut made = String::with_capacity(text.len() + 8);
    let mut at = base;
    for (place, new) in edits {
        if place.start < at {
            continue;
        }
        made.push_str(text.get(at - base..place.start - base).unwrap_or_default());
        made.push_str(new);
        at = place.end;
    }
    made.push_str(text.get(at - base..).unwrap_or_default());
    made
}

/// The expression in a part of a line as MASM writes it.
pub(super) fn expression(line: &str, part: Range<usize>, taken: &Taken<'_>) -> String {
    let edits = expression_edits(line, part.clone(), taken);
    edited(&line[part.clone()], part.start, &edits)
}

/// The target of a branch as MASM writes it.
pub(super) fn target(line: &str, part: Range<usize>, taken: &Taken<'_>) -> String {
    let long = cxx::operands(line, part.clone(), true);
    let edits = edits_beside(line, part.clone(), &long, taken);
    edited(&line[part.clone()], part.start, &edits)
}

/// Whether a part of a line is the distance between two places.
pub(super) fn is_distance(line: &str, part: Range<usize>) -> bool {
    let between = line[part.clone()].bytes().skip(1).any(|byte| byte == b'-');
    between && super::word::words(line, part.clone()).len() > 1 && cxx::operands(line, part, false).is_empty()
}

/// Whether a part of a line names a place rather than only numbers.
pub(super) fn names_place(line: &str, part: Range<usize>, taken: &Taken<'_>) -> bool {
    let mut names = super::word::words(line, part).into_iter().map(|word| &line[word]);
    names.any(|name| !taken.constants.contains(name))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn a_zero_before_digits_is_octal() {
        assert_eq!(number("010").as_deref(), Some("8"));
        assert_eq!(number("0b101").as_deref(), Some("5"));
        assert_eq!(number("0777").as_deref(), Some("511"));
        for plain in ["0", "10", "0x10", "08", "0fh", "0b", "1b", "0f"] {
            assert_eq!(number(plain), None, "{plain}");
        }
    }
}
