//! Which text of a program of another tool is its own, rather than that of the system's headers.

use crate::{Image, SourceFile};

impl SourceFile {
    /// Whether it is a header of the system or of the compiler.
    pub fn is_of_system(&self) -> bool {
        let of_system = |path: &String| {
            let begins = ["/usr/include/", "/usr/lib/", "/usr/local/include/"];
            begins.iter().any(|begin| path.starts_with(begin)) || path.contains("/lib/gcc/")
        };
        self.elsewhere.as_ref().is_some_and(of_system)
    }
}

impl Image {
    /// The file and line of the program's own text for the code at `address`: its line or, if that is in a header
    /// of the system, the call that was replaced by the code of that file. Beside it the call that the line itself is
    /// in, if that was inlined, too.
    pub fn own_place(&self, address: u32) -> Option<((u32, u32), Option<u32>)> {
        let own = |place: (u32, u32)| {
            let file = self.files.get(place.0 as usize);
            file.is_some_and(|file| !file.is_of_system()).then_some(place)
        };
        let row = self.line_at(address)?;
        let mut call = self.inlined.at(address);
        if let Some(place) = own(self.outermost(&row)) {
            return Some((place, call));
        }
        while let Some(inlined) = call.and_then(|call| self.inlined.calls.get(call as usize)) {
            if let Some(place) = inlined.place.and_then(own) {
                return Some((place, inlined.within));
            }
            call = inlined.within;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InlinedCall, InlinedPiece, LineRow};

    #[test]
    fn code_of_a_header_of_the_system_is_at_the_call_that_it_replaces() {
        let file = |name: &str, elsewhere: Option<&str>| SourceFile {
            name: name.to_owned(),
            elsewhere: elsewhere.map(str::to_owned),
            text: "".into(),
        };
        let mut image = Image {
            files: vec![
                file("main.c", None),
                file("stdlib.h", Some("/usr/include/stdlib.h")),
                file("mine.h", Some("/home/me/mine.h")),
            ],
            ..Image::default()
        };
        for (number, (file, line)) in (0..).zip([(0, 7), (1, 364), (1, 366), (2, 3), (1, 1)]) {
            image.lines.push(LineRow {
                address: 0x1000 + 0x10 * number,
                length: 0x10,
                file,
                line,
                ..LineRow::default()
            });
        }
        let call = |place, within| InlinedCall { name: 0, place, within };
        image.inlined.names = vec!["atoi".to_owned()];
        image.inlined.calls = vec![
            call(Some((0, 9)), None),
            call(Some((1, 365)), Some(0)),
            call(Some((0, 4)), None),
        ];
        image.inlined.pieces = vec![
            InlinedPiece {
                start: 0x1000,
                end: 0x1010,
                call: 2,
            },
            InlinedPiece {
                start: 0x1010,
                end: 0x1020,
                call: 0,
            },
            InlinedPiece {
                start: 0x1020,
                end: 0x1030,
                call: 1,
            },
        ];
        let at = [0x1008, 0x1018, 0x1028, 0x1038, 0x1048, 0x1058].map(|address| image.own_place(address));
        assert_eq!(
            at,
            [
                Some(((0, 7), Some(2))),
                Some(((0, 9), None)),
                Some(((0, 9), None)),
                Some(((2, 3), None)),
                None,
                None
            ]
        );
    }
}
