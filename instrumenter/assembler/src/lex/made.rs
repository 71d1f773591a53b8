//! Lines made of the lines of a text, of which each part knows where it comes from.

use super::{Column, Line};
use crate::names::NONE;
use std::ops::Range;

/// A line in another notation than that of the text. Reports show the line of the text.
pub(crate) struct Made {
    text: String,
    number: u32,
    columns: Vec<Column>,
    /// The file that has the text, if it is not the one that is read.
    file: Option<u32>,
    /// The macro call or the pass of a repeat that it comes from, or `NONE`.
    origin: u32,
}

/// A part of a line that stands for another one of the line from which it was made.
pub(crate) struct Edit {
    pub(crate) made: Range<usize>,
    pub(crate) source: Range<usize>,
}

/// The column in that line of a column in the made one: of one within an edit, where that begins.
pub(crate) fn moved(edits: &[Edit], at: usize) -> usize {
    let before = edits.iter().rev().find(|edit| edit.made.start < at);
    match before {
        Some(edit) if at < edit.made.end => edit.source.start,
        Some(edit) => edit.source.end + (at - edit.made.end),
        None => at,
    }
}

impl Made {
    pub(crate) fn new(number: u32) -> Made {
        Made {
            text: String::new(),
            number,
            columns: Vec::new(),
            file: None,
            origin: NONE,
        }
    }

    /// The same line, of this file, from a macro call or the pass of a repeat.
    pub(crate) fn within(self, file: u32, origin: u32) -> Made {
        Made {
            file: Some(file),
            origin,
            ..self
        }
    }

    /// The macro call or the pass of a repeat that it comes from, or `NONE`.
    pub(crate) fn origin(&self) -> u32 {
        self.origin
    }

    /// Appends a part of the text's line as it stands there.
    pub(crate) fn copy(&mut self, line: &str, part: Range<usize>) {
        if let Some(text) = line.get(part.clone()).filter(|text| !text.is_empty()) {
            self.column(part, true);
            self.text.push_str(text);
        }
    }

    /// Appends `text`, which stands for a part of the text's line.
    pub(crate) fn put(&mut self, text: &str, part: Range<usize>) {
        if !text.is_empty() {
            self.column(part, false);
            self.text.push_str(text);
        }
    }

    /// Appends a part of the text's line with edits: parts that other text replaces, in ascending order.
    pub(crate) fn edit(&mut self, line: &str, part: Range<usize>, edits: &[(Range<usize>, String)]) {
        let mut at = part.start;
        for (place, text) in edits {
            if place.start < at || place.end > part.end {
                continue;
            }
            self.copy(line, at..place.start);
            self.put(text, place.clone());
            at = place.end;
        }
        self.copy(line, at..part.end);
        self.end(part.end);
    }

    /// Ends what stands for a part of the text's line that ends at `end`, whatever stands for its last characters.
    pub(crate) fn end(&mut self, end: usize) {
        self.column(end..end, true);
    }

    /// Appends `text`, which stands for a part of line `number` of the text.
    pub(crate) fn put_of(&mut self, number: u32, text: &str, part: Range<usize>) {
        self.put(text, part);
        if let Some(last) = self.columns.last_mut() {
            last.line = number;
        }
    }

    fn column(&mut self, part: Range<usize>, copied: bool) {
        self.columns.push(Column {
            made: self.text.len() as u32,
            start: part.start as u32,
            end: part.end as u32,
            line: self.number,
            copied,
        });
    }

    /// The same line for a text from which that of this one was made: `place` has the number of a line there, and what
    /// stands otherwise in it.
    pub(crate) fn moved<'e>(&self, place: impl Fn(u32) -> (u32, &'e [Edit])) -> Made {
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let (line, edits) = place(column.line);
            let of = |at: u32| moved(edits, at as usize) as u32;
            if !column.copied || column.start == column.end {
                let (start, end) = (of(column.start), of(column.end));
                columns.push(Column {
                    start,
                    end,
                    line,
                    ..*column
                });
                continue;
            }
            let mut from = column.start;
            while from < column.end {
                let edit = edits.iter().find(|edit| edit.made.end > from as usize);
                let within = edit.filter(|edit| edit.made.start <= from as usize);
                let most = edit.map_or(column.end as usize, |edit| match within {
                    Some(_) => edit.made.end,
                    None => edit.made.start,
                });
                let to = column.end.min(most as u32);
                let source = match within {
                    Some(edit) => edit.source.start as u32..edit.source.end as u32,
                    None => of(from)..of(from) + (to - from),
                };
                columns.push(Column {
                    made: column.made + (from - column.start),
                    start: source.start,
                    end: source.end,
                    line,
                    copied: within.is_none(),
                });
                from = to;
            }
            // What follows an edit begins behind it.
            if let Some(last) = columns.last().copied().filter(|last| !last.copied) {
                columns.push(Column {
                    made: column.made + (column.end - column.start),
                    start: last.end,
                    copied: true,
                    ..last
                });
            }
        }
        Made {
            text: self.text.clone(),
            number: place(self.number).0,
            columns,
            file: self.file,
            origin: self.origin,
        }
    }

    /// The number of the line of the text.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// The bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Made>() + self.text.capacity() + self.columns.capacity() * size_of::<Column>()
    }

    /// Fills a line that is about to be read.
    pub(crate) fn fill(&self, line: &mut Line) {
        line.text.push_str(&self.text);
        line.columns.extend_from_slice(&self.columns);
        line.number = self.number;
        line.file = self.file.unwrap_or(line.file);
    }
}
