//! The words of a line, by their places.

use std::ops::Range;

/// What follows a name to say by which of a linker's tables it is found. Addresses are known here, and a table of
/// offsets begins at 0, so that the name alone is its own offset.
pub(super) const OF_LINKER: [&str; 5] = ["@GOTOFF", "@PLT", "@plt", "@NTPOFF", "@GOTPCREL"];

/// Parts of a line that other text replaces.
pub(super) type Edits = Vec<(Range<usize>, String)>;

/// Whether a byte belongs to a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'@')
}

/// The byte that an escaped character of GNU's assembler stands for, outside texts.
fn escaped(byte: u8) -> u8 {
    match byte {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        other => other,
    }
}

/// The value of the character constant with which a text begins, `'a`, `'a'` or `'\n'`, and its length; `None` and the
/// length if there is none that has one byte.
pub(super) fn character(text: &str) -> (Option<u8>, usize) {
    let mut behind = text.chars().skip(1);
    let (value, length) = match (behind.next(), behind.next()) {
        (Some('\\'), Some(next)) => (u8::try_from(next).ok().map(escaped), 2 + next.len_utf8()),
        (Some(first), _) => (u8::try_from(first).ok(), 1 + first.len_utf8()),
        (None, _) => return (None, 1),
    };
    let closed = text[length..].starts_with('\'');
    (value.filter(u8::is_ascii), length + usize::from(closed))
}

/// The words of a part of a line that can be names, by their places.
pub(super) fn words(line: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = part.start;
    let mut quoted = false;
    while at < part.end {
        quoted ^= bytes[at] == b'"' && bytes.get(at.wrapping_sub(1)) != Some(&b'\\');
        if bytes[at] == b'\'' && !quoted {
            at += character(&line[at..part.end]).1;
            continue;
        }
        // A mark of AT&T syntax stands before names, as in `$.LC0`, and in some of them.
        if quoted || bytes[at] == b'$' || !is_name(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..part.end].iter().take_while(|byte| is_name(**byte)).count();
        if !bytes[at].is_ascii_digit() {
            found.push(at..at + length);
        }
        at += length;
    }
    found
}

/// Whether a part of a line names a label that is a number: `1b`, `1f`.
pub(super) fn has_numbered(line: &str, part: Range<usize>) -> bool {
    let mut words = line[part].split(|byte: char| !byte.is_ascii_alphanumeric() && !"_.$@'\\".contains(byte));
    words.any(|word| {
        let digits = word.strip_suffix(['b', 'f']).unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// The first word of a part of a line, and what follows it.
pub(super) fn first_word(line: &str, part: Range<usize>) -> (Range<usize>, Range<usize>) {
    let text = &line[part.clone()];
    let start = part.start + text.len() - text.trim_start().len();
    let rest = &line[start..part.end];
    let end = start + rest.find([' ', '\t']).unwrap_or(rest.len());
    let behind = &line[end..part.end];
    let begin = end + behind.len() - behind.trim_start().len();
    (start..end, begin..part.end)
}
