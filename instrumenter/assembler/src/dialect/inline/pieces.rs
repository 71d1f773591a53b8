//! A text of C or Rust as its strings and the code between them, without comments.

use std::ops::Range;

/// A part of such a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// The contents of a string.
    Quoted(Range<usize>),
    Code(Range<usize>),
}

/// The parts of a text, in their order.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut begun) = (0, 0);
    let code = |found: &mut Vec<Piece>, part: Range<usize>| {
        if !part.is_empty() {
            found.push(Piece::Code(part));
        }
    };
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"//") || rest.starts_with(b"/*") {
            code(&mut found, begun..at);
            let end = match rest[1] {
                b'/' => rest.iter().position(|byte| *byte == b'\n'),
                _ => rest[2..].windows(2).position(|two| two == b"*/").map(|end| end + 4),
            };
            at += end.unwrap_or(rest.len());
            begun = at;
            continue;
        }
        if rest[0] != b'"' {
            at += 1;
            continue;
        }
        code(&mut found, begun..at);
        let hashes = bytes[..at].iter().rev().take_while(|byte| **byte == b'#').count();
        let raw = bytes[..at - hashes].ends_with(b"r");
        let end = match raw {
            true => {
                let close = format!("\"{}", "#".repeat(hashes));
                text[at + 1..].find(&close)
            }
            false => unescaped(&rest[1..]),
        };
        let end = end.map_or(bytes.len(), |end| at + 1 + end);
        found.push(Piece::Quoted(at + 1..end));
        at = (end + 1).min(bytes.len());
        begun = at;
    }
    code(&mut found, begun..bytes.len());
    found
}

/// The place of the next quote without a backslash before it.
fn unescaped(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}
