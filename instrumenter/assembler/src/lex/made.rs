//! Lines made of the lines of a text, of which each part knows where it comes from.

use super::{Column, Line};
use std::ops::Range;

/// A line in another notation than that of the text. Reports show the line of the text.
pub(crate) struct Made {
    text: String,
    number: u32,
    columns: Vec<Column>,
}

impl Made {
    pub(crate) fn new(number: u32) -> Made {
        Made {
            text: String::new(),
            number,
            columns: Vec::new(),
        }
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
    }
}
