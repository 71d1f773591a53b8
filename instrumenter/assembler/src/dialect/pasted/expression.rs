//! Expressions of GNU's assembler as MASM writes them: octal and binary numbers, characters, operators, the place `.`,
//! names that MASM gives a meaning, and what compilers append to names.

use super::table::is_before_operand;
use super::tree::{self, Atom};
use super::word::{Edits, OF_LINKER, character, is_name};
use super::{Taken, cxx};
use crate::lex::{marked, marked_length};
use std::ops::Range;

/// The operators that MASM has other words for, or another order. A comparison may begin like a name in brackets.
const OTHERS: &str = "~|&^!=<>%";

/// A number as MASM writes it, if that differs: octal digits after a zero, or binary ones after `0b`.
fn number(text: &str) -> Option<String> {
    let plain = !text.starts_with('0') || text.len() == 1 || text[1..].starts_with(['x', 'X']);
    value(text).filter(|_| !plain).map(|value| value.to_string())
}

/// The value of a number.
pub(super) fn value(text: &str) -> Option<u64> {
    let behind = |marks: [&str; 2]| marks.iter().find_map(|mark| text.strip_prefix(mark));
    let (digits, radix) = match (behind(["0b", "0B"]), behind(["0x", "0X"]), text.strip_prefix('0')) {
        (Some(digits), _, _) => (digits, 2),
        (_, Some(digits), _) => (digits, 16),
        (_, _, Some(digits)) if !digits.is_empty() => (digits, 8),
        _ => (text, 10),
    };
    let valid = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    valid.then(|| u64::from_str_radix(digits, radix).ok()).flatten()
}

/// The edits of a part of a line that has expressions.
pub(super) fn expression_edits(line: &str, part: Range<usize>, taken: &Taken<'_>) -> Edits {
    let long = cxx::operands(line, part.clone(), false);
    edits_beside(line, part, &long, taken)
}

/// The same where `all` has the names of C++.
pub(super) fn edits_beside(line: &str, part: Range<usize>, all: &[Range<usize>], taken: &Taken<'_>) -> Edits {
    let mut long = all.iter().filter(|name| name.start >= part.start).peekable();
    let bytes = line.as_bytes();
    let mut edits: Edits = Vec::new();
    let mut at = part.start;
    let mut begins = true;
    let mut before_offset = false;
    while at < part.end {
        let byte = bytes[at];
        let rest = &line[at..part.end];
        // A stretch between commas, brackets and words for sizes is one expression.
        if std::mem::take(&mut begins) {
            let end = at + stretch(line, at..part.end, all);
            if let Some((start, made)) = computed(line, at..end, all, taken) {
                edits.push((start..end, made));
                at = end;
                continue;
            }
        }
        begins = matches!(byte, b',' | b'[' | b']');
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
        if in_brackets(rest) > 0 {
            at += in_brackets(rest);
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
        if byte == b'\'' {
            let (value, length) = character(rest);
            if let Some(value) = value {
                edits.push((at..at + length, value.to_string()));
            }
            at += length;
            continue;
        }
        if !byte.is_ascii_whitespace() {
            before_offset = false;
        }
        at += rest.chars().next().map_or(1, char::len_utf8);
    }
    edits
}

/// The length of a name in angle brackets at the start of a text, or 0.
fn in_brackets(text: &str) -> usize {
    let Some(inside) = text.strip_prefix('<') else { return 0 };
    let of_name = |byte: &u8| is_name(*byte) || matches!(byte, b'+' | b':');
    let length = inside.bytes().take_while(of_name).count();
    match length > 0 && inside[length..].starts_with('>') {
        true => length + 2,
        false => 0,
    }
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
        edits.push((at..at + length, super::position_independent::cell(name)));
        return;
    }
    if let Some(spelled) = taken.spelled(name).filter(|_| !operator) {
        edits.push((at..at + name.len(), spelled));
    }
    if OF_LINKER.contains(&table) {
        edits.push((at + name.len()..at + length, String::new()));
    }
}

/// The length of the expression at the start of a part: up to a comma, a bracket or a text.
fn stretch(line: &str, part: Range<usize>, long: &[Range<usize>]) -> usize {
    let mut at = part.start;
    while at < part.end {
        let rest = &line[at..part.end];
        if let Some(name) = name_at(long, at) {
            at = name.end;
            continue;
        }
        let whole = marked_length(rest).max(in_brackets(rest));
        at += match rest.as_bytes()[0] {
            _ if whole > 0 => whole,
            b',' | b'[' | b']' | b'"' => break,
            b'\'' => character(rest).1,
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    at.min(part.end) - part.start
}

/// The operand at a place of an expression, without the operators before it, and the end of the operand; `None` if none
/// begins there.
fn atom(text: &str, at: usize, long: &[Range<usize>], taken: &Taken<'_>) -> Option<(usize, Atom)> {
    let rest = &text[at..];
    if let Some(name) = name_at(long, at) {
        let behind = &text[name.end..];
        let table = OF_LINKER.iter().find(|table| behind.starts_with(**table));
        let end = name.end + table.map_or(0, |table| table.len());
        return Some((end, Atom::Text(marked(&text[name.clone()]))));
    }
    let whole = marked_length(rest).max(in_brackets(rest));
    if whole > 0 {
        return Some((at + whole, Atom::Text(rest[..whole].to_owned())));
    }
    let first = rest.bytes().next()?;
    let length = rest.bytes().take_while(|byte| is_name(*byte)).count();
    let word = &rest[..length];
    match first {
        b'\'' => {
            let (value, length) = character(rest);
            Some((at + length, Atom::Number(i64::from(value?))))
        }
        b'0'..=b'9' => match value(word) {
            Some(value) => Some((at + length, Atom::Number(value as i64))),
            // A number as Intel writes it, or a label that is one.
            None if word.ends_with(['h', 'H', 'b', 'f']) => Some((at + length, Atom::Text(word.to_owned()))),
            None => None,
        },
        b'%' => {
            let length = rest[1..].bytes().take_while(u8::is_ascii_alphanumeric).count();
            let name = &rest[1..=length];
            let register = crate::select::register(name).is_some();
            register.then(|| (at + 1 + length, Atom::Text(name.to_owned())))
        }
        _ if length > 0 && first != b'$' => {
            if let Some(value) = taken.value(word) {
                return Some((at + length, Atom::Number(value)));
            }
            let mut edits = Vec::new();
            name_edits(rest, at, length, (taken, true), &mut edits);
            Some((at + length, Atom::Text(edited(word, at, &edits))))
        }
        _ => None,
    }
}

/// The name of C++ that begins at a place.
fn name_at(long: &[Range<usize>], at: usize) -> Option<&Range<usize>> {
    let next = long.partition_point(|name| name.start < at);
    long.get(next).filter(|name| name.start == at)
}

/// An expression as MASM computes it, with where it begins after the words before it; `None` if it needs no other
/// order.
fn computed(line: &str, part: Range<usize>, long: &[Range<usize>], taken: &Taken<'_>) -> Option<(usize, String)> {
    // Most have no operator, or none of these.
    let text = &line[..part.end];
    let is_sign = |byte: u8| matches!(byte, b'+' | b'-');
    let marks = line[part.clone()].bytes().filter(|byte| !byte.is_ascii_whitespace());
    let mut pairs = marks.clone().zip(marks.clone().skip(1));
    let orders = marks.clone().any(|byte| OTHERS.as_bytes().contains(&byte))
        || pairs.any(|(one, next)| is_sign(next) && (is_sign(one) || matches!(one, b'*' | b'/')));
    let adds = marks
        .clone()
        .skip(1)
        .any(|byte| matches!(byte, b'+' | b'-' | b'*' | b'/'));
    if !orders && !adds {
        return None;
    }
    let mut start = part.start;
    loop {
        let rest = &text[start..];
        start += rest.len() - rest.trim_start().len();
        let rest = &text[start..];
        let length = rest.bytes().take_while(|byte| is_name(*byte)).count();
        let (word, behind) = rest.split_at(length);
        // A name that the text defines may be such a word.
        let is_own = taken.defined.contains(word) && behind.trim_start().starts_with(['+', '-', '*', '/']);
        let is_word = is_before_operand(word) && behind.starts_with([' ', '\t']) && !is_own;
        match behind.starts_with(':') && !behind.starts_with("::") && name_at(long, start).is_none() {
            true => start += length + 1,
            false if is_word => start += length,
            false => break,
        }
    }
    let atom = |at: usize| atom(text, at, long, taken);
    let (made, differs) = tree::written(text, start, &atom)?;
    (orders || differs).then_some((start, made))
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

/// The value of an expression of numbers and of names whose values are known.
pub(super) fn constant(line: &str, part: Range<usize>, taken: &Taken<'_>) -> Option<i64> {
    let text = &line[..part.end];
    let atom = |at: usize| atom(text, at, &[], taken);
    tree::number(text, part.start, &atom)
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
    let mut names = super::word::words(line, part.clone())
        .into_iter()
        .map(|word| &line[word]);
    names.any(|name| !taken.constants.contains(name)) || super::word::has_numbered(line, part)
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
