//! Code of others that a compiler brought into the program's own text by inlining: it belongs to the line of the
//! program that calls it, as no other line of the program says what it does.

use crate::{Image, InlinedPiece, LineRow};

/// Code that belongs to another line than that which it was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brought {
    /// The linear address of the first byte.
    pub address: u32,
    /// The number of bytes.
    pub length: u32,
    /// The file and the line that it was written in.
    pub place: (u32, u32),
}

impl Image {
    /// Gives the code of a library, Rust's or that of the system's headers, where it was inlined, to the nearest line
    /// of the program's own text among those that call it, and to the function of that line. [`Image::brought_at`] has
    /// the line that it was written in. A header of the program itself keeps its code: its author can change that.
    pub fn give_to_callers(&mut self) {
        let of_library = |row: &LineRow| {
            self.files
                .get(row.file as usize)
                .is_some_and(|file| file.is_of_system())
        };
        if self.inlined.pieces.is_empty() || !self.lines.iter().any(|row| of_library(&row)) {
            return;
        }
        let mut brought = Vec::new();
        let mut calls: Vec<InlinedPiece> = Vec::new();
        let moved = |row: LineRow| {
            let found = Some(&row)
                .filter(|row| of_library(row))
                .and_then(|row| self.own_place(row.address));
            let Some(((file, line), within)) = found else {
                return row;
            };
            brought.push(Brought {
                address: row.address,
                length: row.length,
                place: (row.file, row.line),
            });
            calls.extend(within.map(|call| InlinedPiece {
                start: row.address,
                end: row.address.saturating_add(row.length),
                call,
            }));
            LineRow { file, line, ..row }
        };
        let rows = self.lines.iter().map(moved).collect();
        let pieces = std::mem::take(&mut self.inlined.pieces);
        self.inlined.pieces = without(pieces, &brought);
        self.inlined.pieces.extend(calls);
        self.inlined.pieces.sort_by_key(|piece| piece.start);
        self.lines = rows;
        self.brought = brought;
    }

    /// The file and the line that the code at `address` was written in, if it was given to a line that calls it.
    pub fn brought_at(&self, address: u32) -> Option<(u32, u32)> {
        let after = self.brought.partition_point(|one| one.address <= address);
        let one = self.brought.get(after.checked_sub(1)?)?;
        (address - one.address < one.length).then_some(one.place)
    }
}

/// The pieces without the code of others, which is in the order of addresses, as they are.
fn without(pieces: Vec<InlinedPiece>, brought: &[Brought]) -> Vec<InlinedPiece> {
    let mut rest = Vec::with_capacity(pieces.len());
    for mut piece in pieces {
        let first = brought.partition_point(|one| one.address.saturating_add(one.length) <= piece.start);
        for one in brought.iter().skip(first).take_while(|one| one.address < piece.end) {
            let before = InlinedPiece {
                end: one.address,
                ..piece
            };
            rest.extend((before.start < before.end).then_some(before));
            piece.start = one.address.saturating_add(one.length);
        }
        rest.extend((piece.start < piece.end).then_some(piece));
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InlinedCall, SourceFile};

    #[test]
    fn code_of_the_library_belongs_to_the_line_that_calls_it() {
        let library = SourceFile {
            elsewhere: Some("/rustc/0/library/core/src/slice.rs".to_owned()),
            ..SourceFile::new("slice.rs", "")
        };
        let mut image = Image {
            files: vec![SourceFile::new("main.rs", ""), library],
            ..Image::default()
        };
        // A line of the program, code that it brings, a closure within that, and code without a caller.
        for (number, (file, line)) in (0..).zip([(0, 7), (1, 40), (0, 8), (1, 41), (1, 90)]) {
            image.lines.push(LineRow {
                address: 0x1000 + 0x10 * number,
                length: 0x10,
                file,
                line,
                ..LineRow::default()
            });
        }
        let call = |place, within| InlinedCall {
            place: Some(place),
            within,
            ..InlinedCall::default()
        };
        // A function of the program in another one, the library in that, and the closure in the library.
        image.inlined.calls = vec![call((0, 20), None), call((0, 7), Some(0)), call((1, 40), Some(1))];
        let piece = |start, end, call| InlinedPiece { start, end, call };
        image.inlined.pieces = vec![
            piece(0x1000, 0x1010, 0),
            piece(0x1010, 0x1020, 1),
            piece(0x1020, 0x1030, 2),
            piece(0x1030, 0x1040, 1),
        ];
        // A header of the program keeps its code, and one of the system does not.
        let file = |name: &str, folder: &str| SourceFile {
            elsewhere: Some(format!("{folder}/{name}")),
            ..SourceFile::new(name, "")
        };
        image.files.extend([
            file("mine.h", "/home/me"),
            file("stl_map.h", "/usr/include/c++/12/bits"),
        ]);
        for (number, file) in (5..).zip([2, 3]) {
            image.lines.push(LineRow {
                address: 0x1000 + 0x10 * number,
                length: 0x10,
                file,
                line: 5,
                ..LineRow::default()
            });
        }
        image.inlined.pieces.push(piece(0x1050, 0x1070, 1));
        image.give_to_callers();
        let headers = [0x1050, 0x1060].map(|address| {
            let row = image.line_at(address).map(|row| (row.file, row.line));
            (row, image.inlined.at(address), image.brought_at(address))
        });
        let kept = (Some((2, 5)), Some(1), None);
        assert_eq!(headers, [kept, (Some((0, 7)), Some(0), Some((3, 5)))]);
        let told = [0x1000, 0x1010, 0x1020, 0x1030, 0x1040].map(|address| {
            let row = image.line_at(address).map(|row| (row.file, row.line));
            (row, image.inlined.at(address), image.brought_at(address))
        });
        assert_eq!(
            told,
            [
                (Some((0, 7)), Some(0), None),
                (Some((0, 7)), Some(0), Some((1, 40))),
                (Some((0, 8)), Some(2), None),
                (Some((0, 7)), Some(0), Some((1, 41))),
                (Some((1, 90)), None, None),
            ]
        );
    }
}
