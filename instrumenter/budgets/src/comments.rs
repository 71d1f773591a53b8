//! Finds comments in lines of MASM, GNU assembler and C: the text around them is the code of a line.

use std::ops::Range;

/// How the lines of a file have their comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// `;` begins a comment.
    Semicolon,
    /// `#`, `//` and `/* */`; a `;` separates statements, and begins a comment only of budgets.
    Gnu,
    /// `//` and `/* */`.
    C,
}

/// The most blanks between a `;` and the mark of a budget that are searched, as each `;` of a line is.
const FILLING: usize = 40;

/// The endings of the names of files with comments as in C.
const AS_IN_C: [&str; 13] = [
    "c", "h", "cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "inl", "rs", "go", "d",
];

impl Notation {
    /// The notation of a file by the ending of its name.
    pub(crate) fn of(name: &str) -> Notation {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let is = |other: &&str| other.eq_ignore_ascii_case(ending);
        match ending {
            _ if AS_IN_C.iter().any(is) => Notation::C,
            _ if ["s", "sx"].iter().any(is) => Notation::Gnu,
            _ => Notation::Semicolon,
        }
    }
}

/// A line as code and comments.
pub(crate) struct Split<'a> {
    /// The code before the first comment or, if the line begins with that, the code after it.
    pub(crate) code: &'a str,
    /// The places of the texts of the comments.
    pub(crate) comments: Vec<Range<usize>>,
}

/// The code and the comments of a line. `open` tells whether it begins in a comment that an earlier line has begun, and
/// then whether the next line does.
pub(crate) fn split<'a>(line: &'a str, notation: Notation, open: &mut bool) -> Split<'a> {
    let bytes = line.as_bytes();
    let mut comments = Vec::new();
    let mut code: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    let mut begun = 0;
    while at < bytes.len() {
        if *open || bytes[at..].starts_with(b"/*") && notation != Notation::Semicolon {
            code.push(begun..at);
            let start = if *open { at } else { at + 2 };
            let end = line[start..].find("*/").map(|end| start + end);
            comments.push(start..end.unwrap_or(line.len()));
            *open = end.is_none();
            at = end.map_or(line.len(), |end| end + 2);
            begun = at;
        } else if let Some(length) = mark_of_comment(line, at, notation) {
            code.push(begun..at);
            comments.push(at + length..line.len());
            begun = line.len();
            break;
        } else {
            at = after(bytes, at, notation);
        }
    }
    code.push(begun..line.len());
    let pieces = code.into_iter().filter_map(|piece| line.get(piece)).map(str::trim);
    let code = pieces.into_iter().find(|piece| !piece.is_empty()).unwrap_or_default();
    // What the preprocessor or the assembler does is no code.
    let directs = match notation {
        Notation::Semicolon => false,
        Notation::Gnu => code.starts_with('.') && !code.contains(':'),
        Notation::C => code.starts_with('#'),
    };
    Split {
        code: if directs { "" } else { code },
        comments,
    }
}

/// The length of the mark at `at` that makes the rest of the line a comment.
fn mark_of_comment(line: &str, at: usize, notation: Notation) -> Option<usize> {
    let rest = line.as_bytes().get(at..)?;
    let slashes = rest.starts_with(b"//").then_some(2);
    let one = |mark: u8| (rest.first() == Some(&mark)).then_some(1);
    match notation {
        Notation::Semicolon => one(b';'),
        Notation::C => slashes,
        Notation::Gnu => {
            let budget = || one(b';').filter(|_| begins_budgets(&rest[1..]));
            one(b'#').or(slashes).or_else(budget)
        }
    }
}

/// Whether a mark of budgets follows a few blanks.
fn begins_budgets(text: &[u8]) -> bool {
    let near = &text[..text.len().min(FILLING)];
    let is_more = |byte: &&u8| **byte == b';';
    let more = near.iter().take_while(is_more).count();
    let blanks = near[more..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    let mark = text.get(more + blanks..more + blanks + super::MARK.len());
    mark.is_some_and(|mark| mark.eq_ignore_ascii_case(super::MARK.as_bytes()))
}

/// The place after the character or the text in quotes at `at`.
fn after(bytes: &[u8], at: usize, notation: Notation) -> usize {
    let closes = |quote: u8, escapes: bool| {
        let mut next = at + 1;
        while let Some(&byte) = bytes.get(next) {
            match byte {
                b'\\' if escapes => next += 2,
                _ if byte == quote => return next + 1,
                _ => next += 1,
            }
        }
        bytes.len()
    };
    match (bytes[at], notation) {
        (quote @ (b'"' | b'\''), Notation::Semicolon) => closes(quote, false),
        // Raw strings of Rust have no escapes.
        (b'"', Notation::C) if at > 0 && matches!(bytes[at - 1], b'r' | b'#') => closes(b'"', false),
        (b'"', _) => closes(b'"', true),
        // A character has no second quote.
        (b'\'', Notation::Gnu) if bytes.get(at + 1) == Some(&b'\\') => at + 3,
        (b'\'', Notation::Gnu) => at + 2,
        // A character; in Rust, a lifetime has no second quote.
        (b'\'', Notation::C) if bytes.get(at + 1) == Some(&b'\\') => {
            let end = bytes.iter().skip(at + 3).position(|&byte| byte == b'\'');
            end.map_or(at + 1, |end| at + 3 + end + 1)
        }
        (b'\'', Notation::C) if bytes.get(at + 2) == Some(&b'\'') => at + 3,
        _ => at + 1,
    }
}
