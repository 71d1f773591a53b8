//! The two parts of the executed code: the user's program, and the macros of the bundled library.
//!
//! An instruction belongs to the part whose source file holds its text. A pair belongs to the part of its U
//! instruction, except that each of the two counts as an instruction of its own part. Code without a source line
//! belongs to the program.

use asm_macros::events::Event;
use p5_image::{Image, LineRow, Near};
use p5_timing::counters::Tally;

/// The part that is executing, and the library's events in this run.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) library: Tally,
    // The events so far when the library was last entered, if it is executing.
    entered: Option<Tally>,
    // The part of the code that was entered last.
    in_library: bool,
}

/// Whether the instruction at `address` belongs to the library.
pub(super) fn in_library(image: &Image, address: u32) -> bool {
    in_library_near(image, address, &mut Near::default())
}

/// Whether the instruction at `address`, whose row is probably `near`, belongs to the library.
pub(super) fn in_library_near(image: &Image, address: u32, near: &mut Near) -> bool {
    image.library.is_some()
        && image
            .line_near(address, near)
            .is_some_and(|(_, row)| of_library(image, &row))
}

/// Whether the text of a row belongs to the library.
pub(super) fn of_library(image: &Image, row: &LineRow) -> bool {
    image.library == Some(row.file)
}

/// The addresses at which the code of one part ends and that of the other begins, in ascending order.
pub(super) fn borders(image: &Image) -> Vec<u32> {
    let Some(library) = image.library else {
        return Vec::new();
    };
    let mut borders = Vec::new();
    let mut part = false;
    let mut end = 0;
    for row in &image.lines {
        if row.address > end && part {
            // Bytes without a line belong to the program.
            borders.push(end);
            part = false;
        }
        if (row.file == library) != part {
            borders.push(row.address);
            part = !part;
        }
        end = row.address.saturating_add(row.length);
    }
    borders
}

impl Parts {
    /// Begins a run, in the program.
    pub(super) fn begin_run(&mut self) {
        *self = Parts::default();
    }

    /// Whether code of the other part has been reached. If so, the caller reports the issue of its first instruction.
    pub(super) fn changes(&mut self, in_library: bool) -> bool {
        std::mem::replace(&mut self.in_library, in_library) != in_library
    }

    /// Enters the library (`entering`) or the program with the issue of its first instruction. `tally` counts
    /// everything before it; if it issued in V, everything up to its own group.
    pub(super) fn cross(&mut self, entering: bool, in_v: bool, tally: Tally) {
        if entering {
            if in_v {
                // The V instruction belongs to the library.
                self.library.count(Event::INSTRUCTIONS_EXECUTED, 1);
                self.library.shared(Event::INSTRUCTIONS_EXECUTED, 1);
                self.library.count(Event::INSTRUCTIONS_EXECUTED_V_PIPE, 1);
            }
            self.entered.get_or_insert(tally);
        } else if let Some(entered) = self.entered.take() {
            self.library.add_difference(&tally, &entered);
            if in_v {
                // The V instruction belongs to the program.
                self.library.uncount(Event::INSTRUCTIONS_EXECUTED, 1);
                self.library.unshared(Event::INSTRUCTIONS_EXECUTED, 1);
                self.library.uncount(Event::INSTRUCTIONS_EXECUTED_V_PIPE, 1);
            }
        }
    }

    /// Ends the run with the counts in `tally`.
    pub(super) fn end_run(&mut self, tally: &Tally) {
        self.cross(false, false, tally.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_lie_between_the_files_and_where_lines_end() {
        let row = |address, length, file| LineRow {
            address,
            length,
            file,
            line: 1,
            written: (0, 0),
            origin: None,
            ..LineRow::default()
        };
        let mut image = Image {
            lines: [
                row(10, 2, 0),
                row(12, 3, 1),
                row(15, 1, 1),
                row(16, 1, 0),
                row(17, 2, 1),
                row(30, 1, 0),
            ]
            .into_iter()
            .collect(),
            library: Some(1),
            ..Image::default()
        };
        assert_eq!(borders(&image), [12, 16, 17, 19]);
        for (address, library) in [
            (11, false),
            (12, true),
            (15, true),
            (16, false),
            (18, true),
            (19, false),
        ] {
            assert_eq!(in_library(&image, address), library, "{address}");
        }
        image.library = None;
        assert!(borders(&image).is_empty() && !in_library(&image, 12));
    }

    #[test]
    fn the_library_has_what_happened_between_its_first_issue_and_the_next_of_the_program() {
        let (mut parts, mut all) = (Parts::default(), Tally::default());
        let count = |all: &mut Tally, times| all.count(Event::INSTRUCTIONS_EXECUTED, times);
        assert!(!parts.changes(false) && parts.changes(true) && !parts.changes(true));
        count(&mut all, 5);
        parts.cross(true, false, all.clone());
        count(&mut all, 7);
        parts.cross(false, false, all.clone());
        count(&mut all, 100);
        assert_eq!(parts.library.get(Event::INSTRUCTIONS_EXECUTED, false), 7);
        parts.cross(true, true, all.clone());
        count(&mut all, 2);
        parts.end_run(&all);
        assert_eq!(parts.library.get(Event::INSTRUCTIONS_EXECUTED, false), 10);
        assert_eq!(parts.library.get(Event::INSTRUCTIONS_EXECUTED_V_PIPE, false), 1);
    }
}
