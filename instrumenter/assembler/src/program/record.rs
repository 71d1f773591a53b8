//! What a listing shows: the lines in the order they were read, and where the bytes of each were placed.

use crate::expression::Location;
use crate::listing::Relocation;
use std::ops::Range;

/// The most lines recorded; a listing that is longer is of no use to a reader.
const MOST_LINES: usize = 1_000_000;
/// The most bytes of text recorded of lines that macros generated.
const MOST_TEXT: usize = 64 << 20;

/// The lines read so far.
#[derive(Default)]
pub(crate) struct Record {
    pub(crate) lines: Vec<RecordedLine>,
    /// The text of the lines that do not stand in a file as they were read.
    texts: String,
    /// The bytes placed, with the index of the line that placed them.
    placed: Vec<Placed>,
    /// The index of the line being read; `usize::MAX` if it is not recorded.
    current: usize,
    /// The bytes that the linker of the modules completes: where they, or the instruction that has them, begin.
    pub(crate) relocations: Vec<(Location, Relocation)>,
    /// Whether there were more lines than are recorded.
    pub(crate) cut: bool,
}

/// A line as it was read.
pub(crate) struct RecordedLine {
    pub(crate) file: u32,
    pub(crate) number: u32,
    /// The macro calls and repeats that it came from.
    pub(crate) depth: u32,
    /// Its part of `texts`; `None` if it is as it stands in its file.
    text: Option<Range<usize>>,
}

/// Bytes that a line placed.
struct Placed {
    line: usize,
    location: Location,
    extent: PlacedExtent,
}

/// What was placed at a location.
#[derive(Clone, Copy)]
pub(crate) enum PlacedExtent {
    /// Only a label.
    Label,
    /// This many bytes.
    Bytes(u32),
    /// A separate fragment, whose length the layout knows.
    Fragment,
}

impl Record {
    /// Records a line; `text` is given if it differs from the line in the file. Returns its index for
    /// [`Self::continue_with`].
    pub(crate) fn begin(&mut self, file: u32, number: u32, depth: u32, text: Option<&str>) -> usize {
        if self.lines.len() >= MOST_LINES || self.texts.len() + text.map_or(0, str::len) > MOST_TEXT {
            self.cut = true;
            return self.leave_out();
        }
        let text = text.map(|text| {
            let start = self.texts.len();
            self.texts.push_str(text);
            start..self.texts.len()
        });
        self.current = self.lines.len();
        self.lines.push(RecordedLine {
            file,
            number,
            depth,
            text,
        });
        self.current
    }

    /// Leaves out the line that is read next, and what it places.
    pub(crate) fn leave_out(&mut self) -> usize {
        self.current = usize::MAX;
        self.current
    }

    /// Continues with a line after others were read in the midst of it.
    pub(crate) fn continue_with(&mut self, line: usize) {
        self.current = line;
    }

    /// Notes that the line being read placed something.
    pub(crate) fn place(&mut self, location: Location, extent: PlacedExtent) {
        if self.current != usize::MAX {
            self.placed.push(Placed {
                line: self.current,
                location,
                extent,
            });
        }
    }

    /// The text of a line, unless it is as it stands in its file.
    pub(crate) fn text(&self, line: &RecordedLine) -> Option<&str> {
        self.texts.get(line.text.clone()?)
    }

    /// Where something was placed, and the index of the line, by line.
    pub(crate) fn placed(&mut self) -> impl Iterator<Item = (usize, Location, PlacedExtent)> {
        self.placed.sort_by_key(|placed| placed.line);
        self.placed
            .iter()
            .map(|placed| (placed.line, placed.location, placed.extent))
    }
}
