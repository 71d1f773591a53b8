//! Lines without their comments, and where the statements of a line are.

use super::cxx;
use super::word::character;
use std::ops::Range;

/// How a text marks comments and separates statements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// Whether a hash begins a comment wherever it stands; otherwise only where nothing else is possible.
    pub(super) certain: bool,
    /// Whether a semicolon separates statements; otherwise it begins a comment.
    pub(super) separates: bool,
}

/// A line in which blanks stand for comments, and its statements, without blanks around them.
pub(super) struct Clean {
    pub(super) number: u32,
    pub(super) text: String,
    pub(super) statements: Vec<Range<usize>>,
}

/// A part of a line that begins at a place outside quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Separator,
    /// A comment up to the end of the line.
    Comment,
    /// `/*`
    Opens,
}

/// The marks of a line outside quotes, with their places, as they come.
fn marks(line: &str, certain: bool, mut found: impl FnMut(usize, Mark) -> usize) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let next = bytes.get(at + 1);
        let mark = match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at += 1;
                continue;
            }
            b'\'' => {
                at += character(&line[at..]).1;
                continue;
            }
            b';' => Mark::Separator,
            b'/' if next == Some(&b'/') => Mark::Comment,
            b'/' if next == Some(&b'*') => Mark::Opens,
            b'#' if (certain || begins_comment(next)) && !cxx::is_number(line, at) => Mark::Comment,
            _ => {
                at += 1;
                continue;
            }
        };
        at = found(at, mark).max(at + 1);
    }
}

fn begins_comment(next: Option<&u8>) -> bool {
    matches!(
        next,
        None | Some(b' ' | b'\t' | b'#' | b'-' | b'=' | b'%' | b'A'..=b'Z')
    )
}

/// A line up to the comment that a hash begins; a semicolon may begin another one.
pub(super) fn uncommented(line: &str) -> &str {
    let mut end = line.len();
    marks(line, false, |at, mark| match mark {
        Mark::Separator => line.len(),
        Mark::Comment if line[at..].starts_with('#') => {
            end = at;
            line.len()
        }
        _ => at + 1,
    });
    &line[..end]
}

/// The lines of a text.
pub(super) fn clean(text: &str, style: Style) -> Vec<Clean> {
    let mut inside = false;
    let lines = (1..).zip(text.lines());
    lines
        .map(|(number, line)| of_line(number, line, style, &mut inside))
        .collect()
}

fn of_line(number: u32, line: &str, style: Style, inside: &mut bool) -> Clean {
    let mut text = line.as_bytes().to_vec();
    let mut ends = Vec::new();
    let mut first = 0;
    let blank = |text: &mut Vec<u8>, part: Range<usize>| text[part].fill(b' ');
    if *inside {
        first = line.find("*/").map_or(line.len(), |end| end + 2);
        *inside = first == line.len() && !line.ends_with("*/");
        blank(&mut text, 0..first);
    }
    let rest = &line[first..];
    marks(rest, style.certain, |at, mark| match mark {
        Mark::Separator if style.separates => {
            ends.push(first + at);
            at + 1
        }
        Mark::Separator | Mark::Comment => {
            blank(&mut text, first + at..line.len());
            rest.len()
        }
        Mark::Opens => {
            let end = rest[at + 2..].find("*/").map(|end| at + end + 4);
            *inside = end.is_none();
            let end = end.unwrap_or(rest.len());
            blank(&mut text, first + at..first + end);
            end
        }
    });
    // Whole characters were replaced, so that it still is text.
    let text = String::from_utf8(text).unwrap_or_default();
    let mut statements = Vec::with_capacity(1);
    let mut start = 0;
    for end in ends.into_iter().chain([text.len()]) {
        let part = text.get(start..end).unwrap_or_default();
        let begin = start + part.len() - part.trim_start().len();
        if !part.trim().is_empty() {
            statements.push(begin..begin + part.trim().len());
        }
        start = end + 1;
    }
    Clean {
        number,
        text,
        statements,
    }
}

#[cfg(test)]
mod tests {
    use super::{Style, clean};

    fn statements(text: &str, separates: bool) -> Vec<Vec<String>> {
        let style = Style {
            certain: true,
            separates,
        };
        let of = |line: &super::Clean| {
            line.statements
                .iter()
                .map(|part| line.text[part.clone()].to_owned())
                .collect()
        };
        clean(text, style).iter().map(of).collect()
    }

    #[test]
    fn comments_go_and_statements_stay() {
        assert_eq!(statements("a; b # c; d\n", true), [["a", "b"]]);
        assert_eq!(statements("a; b\n", false), [["a"]]);
        assert_eq!(
            statements(".ascii \"; # // \\\" /*\" // x", true),
            [[".ascii \"; # // \\\" /*\""]]
        );
        assert_eq!(statements("a /* b\nc */ d\n", true), [["a"], ["d"]]);
        let lambda = "call f::{lambda(int)#1}::operator()(int) const";
        assert_eq!(statements(&format!("{lambda} # once"), true), [[lambda]]);
        assert_eq!(statements("call f #1}", true), [["call f"]]);
        assert_eq!(statements("cmpb $';, %al; e\n", true), [["cmpb $';, %al", "e"]]);
    }
}
