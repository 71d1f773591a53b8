//! The code whose loop a report is asked to show.

use std::ops::Range;

/// Code that the user asks for, by the name of a function or by a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// How it is asked for.
    pub by: AskedBy,
    /// Its linear addresses: ranges in ascending order that do not overlap.
    pub code: Vec<Range<u32>>,
    /// Whether any of it was executed in the last run; false before a run.
    pub executed: bool,
}

/// How code is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedBy {
    /// By the name of a function or of a label.
    Name(String),
    /// By a line of a file, as an index into the files of the program.
    Line {
        /// The file.
        file: u32,
        /// The line, from 1.
        line: u32,
    },
}

impl Asked {
    /// Whether the instruction at `address` belongs to it.
    pub fn has(&self, address: u32) -> bool {
        let after = self.code.partition_point(|range| range.start <= address);
        let range = after.checked_sub(1).and_then(|at| self.code.get(at));
        range.is_some_and(|range| range.contains(&address))
    }
}
