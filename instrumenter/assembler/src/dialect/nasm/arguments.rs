//! The arguments of macros, which commas separate.

use super::tokens::string_length;
use std::ops::Range;

/// The arguments of a call.
pub(super) fn arguments(text: &str) -> Vec<String> {
    let parts = parts(text);
    parts
        .into_iter()
        .map(|part| without_braces(&text[part]).to_owned())
        .collect()
}

/// The places of the arguments of a call: commas separate them, but not within quotes or braces. An empty text has
/// none.
pub(super) fn parts(text: &str) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let (mut depth, mut start, mut at) = (0usize, 0, 0);
    let trimmed = |start: usize, end: usize| {
        let part = &text[start..end];
        let before = part.len() - part.trim_start().len();
        let inside = part.trim().len();
        start + before..start + before + inside
    };
    while let Some(byte) = text.as_bytes().get(at) {
        let length = match byte {
            b'\'' | b'"' | b'`' => string_length(&text[at..]),
            _ => text[at..].chars().next().map_or(1, char::len_utf8),
        };
        match byte {
            b',' if depth == 0 => {
                all.push(trimmed(start, at));
                start = at + 1;
            }
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += length;
    }
    if !text.trim().is_empty() {
        all.push(trimmed(start, text.len()));
    }
    all
}

/// What stands in the braces around a whole argument.
pub(super) fn without_braces(argument: &str) -> &str {
    let inside = argument.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inside.unwrap_or(argument)
}
