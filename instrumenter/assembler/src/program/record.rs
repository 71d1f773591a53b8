//! The record for a listing: the lines in the order in which they were read, and the places of their bytes.

use crate::expression::Location;
use crate::listing::{ListedLine, PlacedBytes, Relocation};
use crate::session::ALLOCATION;
use std::ops::Range;

/// The bytes of memory that a line takes in [`RecordedLine`] and in [`ListedLine`].
const LINE: usize = size_of::<RecordedLine>() + size_of::<ListedLine>();
/// The bytes that the text of a line takes there besides its characters.
const TEXT: usize = ALLOCATION;
/// The bytes of memory that a place takes in both, once they are sorted, without the bytes that are placed there.
const PLACE: usize = 2 * size_of::<Placed>() + 2 * size_of::<PlacedBytes>() + 2 * ALLOCATION;

pub(crate) struct Record {
    pub(crate) lines: Vec<RecordedLine>,
    /// The text of the lines that differ from their file.
    texts: String,
    /// The bytes placed, with the index of the line that placed them.
    placed: Vec<Placed>,
    /// The index of the line being read; `usize::MAX` if it is not recorded.
    current: usize,
    /// The location of each relocation, or of the instruction that contains it.
    pub(crate) relocations: Vec<(Location, Relocation)>,
    /// Whether more lines were read than are recorded.
    pub(crate) cut: bool,
    /// The approximate memory of the record and its listing, and its limit, in bytes.
    bytes: usize,
    most: usize,
}

pub(crate) struct RecordedLine {
    pub(crate) file: u32,
    pub(crate) number: u32,
    /// The number of macro calls and repeats around the line.
    pub(crate) depth: u32,
    /// Its part of `texts`; `None` if it is unchanged from its file.
    text: Option<Range<usize>>,
}

struct Placed {
    line: usize,
    location: Location,
    extent: PlacedExtent,
}

/// The extent of the bytes placed at a location.
#[derive(Clone, Copy)]
pub(crate) enum PlacedExtent {
    /// A label without bytes.
    Label,
    /// This many bytes.
    Bytes(u32),
    /// A separate fragment, whose length the layout knows.
    Fragment,
}

impl Record {
    /// An empty record, which leaves out lines once it and its listing would take more than `most` bytes of memory.
    pub(crate) fn within(most: usize) -> Record {
        Record {
            lines: Vec::new(),
            texts: String::new(),
            placed: Vec::new(),
            current: 0,
            relocations: Vec::new(),
            cut: false,
            bytes: 0,
            most,
        }
    }

    /// Counts `bytes` more; `false` if they are too many.
    fn takes(&mut self, bytes: usize) -> bool {
        let fits = self.bytes + bytes <= self.most;
        if fits {
            self.bytes += bytes;
        }
        fits
    }

    /// Records a line, with its `text` if that differs from the file. Returns its index for [`Self::continue_with`].
    pub(crate) fn begin(&mut self, file: u32, number: u32, depth: u32, text: Option<&str>) -> usize {
        // A line after the first that is left out would be among others that are.
        if self.cut || !self.takes(LINE + text.map_or(0, |text| TEXT + 2 * text.len())) {
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

    /// Omits the next line and the bytes that it places.
    pub(crate) fn leave_out(&mut self) -> usize {
        self.current = usize::MAX;
        self.current
    }

    /// Continues with a line after reading others in the middle of it.
    pub(crate) fn continue_with(&mut self, line: usize) {
        self.current = line;
    }

    /// Records the place of bytes of the current line.
    pub(crate) fn place(&mut self, location: Location, extent: PlacedExtent) {
        let bytes = match extent {
            PlacedExtent::Bytes(bytes) => bytes as usize,
            PlacedExtent::Label | PlacedExtent::Fragment => 0,
        };
        if self.current != usize::MAX && !self.takes(PLACE + bytes) {
            self.cut = true;
            self.leave_out();
        }
        if self.current != usize::MAX {
            self.placed.push(Placed {
                line: self.current,
                location,
                extent,
            });
        }
    }

    /// The text of a line, if it differs from the file.
    pub(crate) fn text(&self, line: &RecordedLine) -> Option<&str> {
        self.texts.get(line.text.clone()?)
    }

    /// The places recorded, each with the index of its line, in the order of lines.
    pub(crate) fn placed(&mut self) -> impl Iterator<Item = (usize, Location, PlacedExtent)> {
        self.placed.sort_by_key(|placed| placed.line);
        self.placed
            .iter()
            .map(|placed| (placed.line, placed.location, placed.extent))
    }
}
