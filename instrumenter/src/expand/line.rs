//! One line to be assembled: its text, where each stretch of it stands in a file, and whether it goes on in the next one.

use crate::diag::Span;
use crate::lex::{comment_start, first_words};
use crate::names::{Keyword, Names, keyword};

/// One line to be assembled, and where its text stands.
#[derive(Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) file: u32,
    pub(crate) number: u32,
    /// Where pasted text came from, in ascending order of `made`; empty if the line is as it stands in its file.
    pub(crate) columns: Vec<Column>,
}

/// A stretch of a pasted line, from `made` on.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub(crate) made: u32,
    /// The stretch of the original line it came from.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The line of the file it came from.
    pub(crate) line: u32,
    /// Whether it was copied as it is, so that columns inside it can be told.
    pub(crate) copied: bool,
}

impl Line {
    /// Goes on after `kept` bytes with the text of line `number`.
    pub(crate) fn join(&mut self, kept: usize, text: &str, number: u32) {
        if self.columns.is_empty() {
            self.columns.push(Column {
                made: 0,
                start: 0,
                end: kept as u32,
                line: self.number,
                copied: true,
            });
        }
        self.text.truncate(kept);
        self.text.push(' ');
        self.columns.push(Column {
            made: self.text.len() as u32,
            start: 0,
            end: text.len() as u32,
            line: number,
            copied: true,
        });
        self.text.push_str(text.strip_suffix('\r').unwrap_or(text));
    }

    /// The place in the source of a stretch of this line.
    pub(crate) fn span(&self, start: u32, end: u32) -> Span {
        let (line, start, end) = if self.columns.is_empty() {
            (self.number, start, end)
        } else {
            let (line, first) = self.source_column(start, false);
            let (last_line, last) = self.source_column(end.saturating_sub(1).max(start), true);
            // What goes on in a continuation line is marked to its first line's end.
            let last = if last_line == line { last.max(first) } else { u32::MAX };
            (line, first, last)
        };
        Span {
            file: self.file,
            line,
            start,
            end,
        }
    }

    fn source_column(&self, column: u32, after: bool) -> (u32, u32) {
        let next = self.columns.partition_point(|part| part.made <= column);
        match next.checked_sub(1).and_then(|index| self.columns.get(index)) {
            Some(part) if part.copied => (part.line, part.start + (column - part.made) + u32::from(after)),
            Some(part) if after => (part.line, part.end),
            Some(part) => (part.line, part.start),
            None => (self.number, column),
        }
    }
}

/// How much of a line to keep before its next line follows, if it goes on there: behind a backslash, or behind the last
/// comma of a definition of data or names.
///
/// Only the part from `from` on is looked at: the last line that was joined.
pub(crate) fn continued(names: &mut Names, text: &str, from: usize) -> Option<usize> {
    let part = text.get(from..)?;
    let trimmed = part.trim_end();
    if !trimmed.ends_with(['\\', ',']) && !trimmed.contains(';') {
        return None;
    }
    let trimmed = part.get(..comment_start(part))?.trim_end();
    if let Some(before) = trimmed.strip_suffix('\\') {
        return Some(from + before.len());
    }
    if trimmed.is_empty() && from > 0 {
        // A comment of its own between two parts.
        return Some(from);
    }
    if !trimmed.ends_with(',') {
        return None;
    }
    let (first, second) = first_words(text);
    let goes_on = [first, second].into_iter().any(|word| {
        !word.is_empty()
            && matches!(
                keyword(names.intern(word)),
                Some(
                    Keyword::Define(_)
                        | Keyword::TypeOfSize(_)
                        | Keyword::Public
                        | Keyword::Extern
                        | Keyword::Invoke
                        | Keyword::Prototype
                        | Keyword::Proc
                        | Keyword::Local
                        | Keyword::Arg
                )
            )
    });
    goes_on.then_some(from + trimmed.len())
}
