//! One line to be assembled: its text and the source position of each part.

use crate::diag::Span;

#[derive(Default)]
pub(crate) struct Line {
    pub(crate) text: String,
    pub(crate) file: u32,
    pub(crate) number: u32,
    /// The sources of expanded text, in ascending order of `made`; empty if the line is unchanged from its file.
    pub(crate) columns: Vec<Column>,
}

/// A part of an expanded line, which begins at `made`.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub(crate) made: u32,
    /// The start of the same part in the original line.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// The line of the file that contains the part.
    pub(crate) line: u32,
    /// Whether it was copied verbatim, so that columns inside it can be mapped.
    pub(crate) copied: bool,
}

impl Line {
    /// A separate line for text within `span`.
    pub(crate) fn within(span: Span, text: &str) -> Line {
        Line {
            text: text.to_owned(),
            file: span.file,
            number: span.line,
            columns: vec![Column {
                made: 0,
                start: span.start,
                end: span.end,
                line: span.line,
                copied: false,
            }],
        }
    }

    /// Truncates the line to `kept` bytes and appends the text of line `number`.
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

    /// The source span of a part of this line.
    pub(crate) fn span(&self, start: u32, end: u32) -> Span {
        let (line, start, end) = if self.columns.is_empty() {
            (self.number, start, end)
        } else {
            let (line, first) = self.source_column(start, false);
            let (last_line, last) = self.source_column(end.saturating_sub(1).max(start), true);
            // A span that extends into a continuation line is marked to the end of its first line.
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

    /// The line with the text from `start` to `end` replaced by `text`.
    pub(crate) fn pasted(&self, start: usize, end: usize, text: &str) -> Option<Line> {
        let mut pasted = Line {
            file: self.file,
            number: self.number,
            ..Line::default()
        };
        let parts = [
            (self.text.get(..start)?, 0, start, true),
            (text, start, end, false),
            (self.text.get(end..)?, end, self.text.len(), true),
        ];
        for (text, start, end, copied) in parts {
            let made = pasted.text.len() as u32;
            pasted.text.push_str(text);
            let span = self.span(start as u32, end as u32);
            let whole = Column {
                made,
                start: span.start,
                end: span.end,
                line: span.line,
                copied,
            };
            if copied && !self.columns.is_empty() {
                // The line is already expanded: keep its columns, shifted to the new position of the text.
                let covers = |column: &&Column| (start..end.max(start + 1)).contains(&(column.made as usize));
                let begins = |column: &Column| column.made as usize == start;
                if !self.columns.iter().any(|column| covers(&column) && begins(column)) {
                    pasted.columns.push(whole);
                }
                for column in self.columns.iter().filter(covers) {
                    pasted.columns.push(Column {
                        made: made + (column.made - start as u32),
                        ..*column
                    });
                }
            } else {
                pasted.columns.push(whole);
            }
        }
        Some(pasted)
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
