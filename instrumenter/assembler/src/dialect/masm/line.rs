//! Lines before parsing: which lines continue on the next one, and which begin or end a body.

use super::{Keyword, keyword};
use crate::diag::{Fault, Span, fault};
use crate::dialect::DefinedName;
use crate::expand::BodyWord;
use crate::lex::{Cursor, first_words, is_word};
use crate::names::{NONE, Names};
use crate::select;
use memchr::{memchr_iter, memrchr};

/// The length up to which a line goes on because a bracket is open: what is joined is searched again for each line.
const MOST_BRACKETED: usize = 8 << 10;

/// The length to keep of a line that continues on the next one: up to a backslash, through the last comma of a
/// definition of data or names or within brackets, or all of a list of constants or fields whose brace is open.
///
/// Only the line joined last, from `from` on, is examined.
pub(super) fn continued(names: &mut Names, text: &str, from: usize) -> Option<usize> {
    let part = text.get(from..)?;
    let goes_on = |text: &[u8]| {
        let last = text.iter().rev().find(|byte| !byte.is_ascii_whitespace());
        matches!(last, Some(b'\\' | b','))
    };
    let bytes = part.as_bytes();
    if let Some(at) = remark_behind_list(names, text, from) {
        return Some(at);
    }
    let before_comment = || memchr_iter(b';', bytes).any(|at| from > 0 || goes_on(bytes.get(..at).unwrap_or(bytes)));
    let listed = opens_list(names, text);
    if !goes_on(bytes) && !listed && !before_comment() {
        return None;
    }
    let trimmed = part.get(..comment_start(part))?.trim_end();
    if let Some(before) = trimmed.strip_suffix('\\') {
        return Some(from + before.len());
    }
    if trimmed.is_empty() && from > 0 {
        // A comment line stands between two parts.
        return Some(from);
    }
    if listed || (trimmed.ends_with(',') && (is_open(text, b'<', b'>') || is_open(text, b'{', b'}'))) {
        return Some(from + trimmed.len());
    }
    if !trimmed.ends_with(',') {
        return None;
    }
    lists(names, text).then_some(from + trimmed.len())
}

/// Whether a line begins a list, which a comma at its end continues on the next line.
fn lists(names: &mut Names, text: &str) -> bool {
    let (first, second) = first_words(text);
    [first, second].into_iter().any(|word| {
        !word.is_empty()
            && matches!(
                keyword(names.intern(word)),
                Some(
                    Keyword::Define(_)
                        | Keyword::TypeOfSize(_)
                        | Keyword::Public
                        | Keyword::Extern(_)
                        | Keyword::Invoke
                        | Keyword::Prototype
                        | Keyword::Proc
                        | Keyword::Local
                        | Keyword::Arg
                )
            )
    })
}

/// The place of a backslash after a comma of a list: TASM passes over the text after it.
fn remark_behind_list(names: &mut Names, text: &str, from: usize) -> Option<usize> {
    let part = text.get(from..)?;
    let bytes = part.as_bytes();
    let behind_comma = |at: &usize| part[..*at].trim_end().ends_with(',');
    let at = memchr_iter(b'\\', bytes).find(behind_comma)?;
    let code = part.get(..comment_start(part))?;
    let quoted = part[..at].bytes().filter(|byte| matches!(byte, b'\'' | b'"')).count() % 2 == 1;
    (at < code.len() && !quoted && lists(names, text)).then_some(from + at)
}

/// Whether the last bracket of this kind in a line is open.
fn is_open(text: &str, open: u8, close: u8) -> bool {
    let bytes = text.as_bytes();
    text.len() <= MOST_BRACKETED
        && memrchr(open, bytes).is_some_and(|at| memrchr(close, bytes).is_none_or(|end| end < at))
}

/// Whether a line begins constants, fields or their values in braces, which may stand in lines of their own.
fn opens_list(names: &mut Names, text: &str) -> bool {
    if !is_open(text, b'{', b'}') {
        return false;
    }
    let (first, second) = first_words(text);
    [first, second].into_iter().any(|word| {
        if word.is_empty() {
            return false;
        }
        let name = names.intern(word);
        let list = match keyword(name) {
            Some(Keyword::Enumeration | Keyword::Record) => true,
            Some(Keyword::Structure | Keyword::Extern(_)) => has_word(text, "method"),
            _ => word.eq_ignore_ascii_case("table"),
        };
        list || names.info(name).structure != NONE
    })
}

/// Whether a text has this word in any case.
fn has_word(text: &str, word: &str) -> bool {
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|one| one.eq_ignore_ascii_case(word))
}

/// The role of a line in the body that contains it.
pub(super) fn body_word(names: &mut Names, text: &str) -> BodyWord {
    let (label, first, second) = body_words(text);
    let word = match first.as_bytes().first() {
        Some(b'e' | b'E' | b'.') => keyword(names.intern(first)),
        _ => None,
    };
    match word {
        Some(Keyword::EndMacro) => BodyWord::Ends(label),
        Some(Keyword::EndCalibration) => BodyWord::EndsCalibration,
        _ if begins(names, first, second) => BodyWord::Begins,
        _ => BodyWord::Other,
    }
}

/// The length of the label before the first two words of a line of a body, or 0, and these words. An `&` joins parts
/// of a word; a `%` before the words only expands text macros.
pub(super) fn body_words(text: &str) -> (usize, &str, &str) {
    let blank = |text: &str| text.len() - text.trim_start_matches([' ', '\t', '\u{c}']).len();
    let word = |at: usize| {
        let start = at + blank(&text[at..]);
        let bytes = text[start..].bytes().enumerate();
        let length = bytes
            .take_while(|&(place, byte)| is_word(byte) || byte == b'&' || (place == 0 && byte == b'.'))
            .count();
        (start, start + length)
    };
    let mut at = blank(text);
    let out = |at: usize| {
        text.get(at..at + 4)
            .is_some_and(|text| text.eq_ignore_ascii_case("%out"))
    };
    while text[at..].starts_with('%') && !out(at) {
        at += 1 + blank(&text[at + 1..]);
    }
    let (start, end) = word(at);
    let colon = end + blank(&text[end..]);
    let colons = text[colon..].bytes().take(2).take_while(|&byte| byte == b':').count();
    let (label, (start, end)) = match colons {
        0 => (0, (start, end)),
        _ if end == start => (0, (start, end)),
        _ => (colon + colons, word(colon + colons)),
    };
    let (second, last) = word(end);
    (label, &text[start..end], &text[second..last])
}

/// Whether a line begins a body that an `endm` ends.
pub(super) fn begins_body(names: &mut Names, text: &str) -> bool {
    let (_, first, second) = body_words(text);
    begins(names, first, second)
}

fn begins(names: &mut Names, first: &str, second: &str) -> bool {
    let is = |word: Option<Keyword>| {
        matches!(
            word,
            Some(Keyword::Repeat | Keyword::For | Keyword::ForCharacter | Keyword::While)
        )
    };
    let first_keyword = (!first.is_empty()).then(|| names.intern(first)).and_then(keyword);
    if is(first_keyword) {
        return true;
    }
    if first_keyword == Some(Keyword::Include) || is_title(first) {
        return false;
    }
    // IDEAL mode places the keyword before the name.
    [first, second]
        .into_iter()
        .any(|word| word.eq_ignore_ascii_case("macro"))
}

/// Whether a directive gives a listing its title: all behind it is text.
pub(super) fn is_title(word: &str) -> bool {
    ["title", "subttl", "subtitle"]
        .iter()
        .any(|title| word.eq_ignore_ascii_case(title))
}

/// The name that a line defines as a macro, a text macro or a number.
pub(super) fn defined_name(names: &mut Names, line: &str) -> Option<DefinedName> {
    let (first, second) = first_words(line);
    let begins = first.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let second_word = (!second.is_empty()).then(|| names.intern(second)).and_then(keyword);
    let defines = matches!(second_word, Some(Keyword::Macro | Keyword::Equ | Keyword::TextEqu))
        || line[line.len() - line.trim_start().len() + first.len()..]
            .trim_start()
            .starts_with('=');
    let name = (begins && defines).then(|| names.intern(first))?;
    keyword(name).is_none().then_some(DefinedName {
        name,
        is_macro: second_word == Some(Keyword::Macro),
    })
}

/// The start of the comment in `text` (a semicolon outside quotes), or the length of `text`.
pub(super) fn comment_start(text: &str) -> usize {
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

/// The most lines of a text in which a comment may be an instruction that someone has put into the same line.
const MOST_OF_LINES: usize = 3;

/// The warning that a comment after an instruction may be an instruction itself, in a text of a few lines.
pub(super) fn commented(text: &str) -> Option<Fault> {
    let lines = || text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    if lines().count() > MOST_OF_LINES {
        return None;
    }
    lines().find_map(|(number, line)| {
        let start = comment_start(line);
        let is_code = |text: &str| {
            let mut words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
            let known = words.next().is_some_and(|word| select::instruction(word).is_some());
            let operand = words.next().unwrap_or_default();
            known
                && (operand.starts_with(|first: char| first == '[' || first.is_ascii_digit())
                    || select::register(operand).is_some())
        };
        let comment = line.get(start + 1..)?;
        let span = Span {
            file: 0,
            line: number as u32 + 1,
            start: start as u32,
            end: line.trim_end().len() as u32,
        };
        (is_code(line.get(..start)?) && is_code(comment)).then(|| {
            fault(span, "what follows `;` is a comment and not executed").with_help("write one instruction a line")
        })
    })
}

/// The text from the cursor up to the comment, trimmed.
pub(super) fn uncommented_rest<'l>(cursor: &Cursor<'l>) -> &'l str {
    if cursor.done() {
        return "";
    }
    let text = cursor.raw_rest();
    text[..comment_start(text)].trim()
}

/// The start of the first text in some lines that is neither blank nor in a comment.
pub(super) fn first_text(lines: &str) -> Option<usize> {
    let line_end = |at: usize| {
        let rest = lines.get(at..).unwrap_or("");
        rest.find('\n').map_or(lines.len(), |end| at + end + 1)
    };
    let mut at = 0;
    while at < lines.len() {
        let end = line_end(at);
        let line = lines.get(at..end)?;
        let text = line.trim_start();
        let word = text.split(char::is_whitespace).next().unwrap_or("");
        if word.eq_ignore_ascii_case("comment") {
            let behind = text.get(word.len()..)?.trim_start();
            let delimiter = behind.chars().next()?;
            let inside = end - behind.len() + delimiter.len_utf8();
            let length = lines.get(inside..)?.find(delimiter)?;
            at = line_end(inside + length);
        } else if text.is_empty() || text.starts_with(';') {
            at = end;
        } else {
            return Some(end - text.len());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::comment_start;

    #[test]
    fn a_semicolon_in_quotes_begins_no_comment() {
        assert_eq!(comment_start("db ';' ; x"), 7);
    }
}
