//! The code that a compiler copied into a function in place of a call, and where functions are declared.

/// The calls that a compiler replaced by the code of the function that they call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inlined {
    /// The names of the functions.
    pub names: Vec<String>,
    /// The calls; one precedes those within it.
    pub calls: Vec<InlinedCall>,
    /// The code in ascending order of addresses, without overlap.
    pub pieces: Vec<InlinedPiece>,
    /// The functions that have code of their own, with the places where the source declares them.
    pub declared: Vec<Declared>,
}

/// A function that a compiler has translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The address of its first instruction.
    pub address: u32,
    /// The file, as an index into [`crate::Image::files`].
    pub file: u32,
    /// The line, from 1, that names it.
    pub line: u32,
}

/// A call that was replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InlinedCall {
    /// The index of the function's name.
    pub name: u32,
    /// The file, as an index into [`crate::Image::files`], and the line of the call, from 1, if they are known.
    pub place: Option<(u32, u32)>,
    /// The file and the line that declares the function, if they are known.
    pub declared: Option<(u32, u32)>,
    /// The call whose code it was in, if that was replaced, too.
    pub within: Option<u32>,
}

/// Adjacent bytes of the code that replaces one call, without that of calls within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlinedPiece {
    /// The linear address of the first byte.
    pub start: u32,
    /// The address after the last byte.
    pub end: u32,
    /// The call, as an index into [`Inlined::calls`].
    pub call: u32,
}

impl Inlined {
    /// The innermost call that the code at `address` replaces.
    pub fn at(&self, address: u32) -> Option<u32> {
        let after = self.pieces.partition_point(|piece| piece.start <= address);
        let piece = self.pieces.get(after.checked_sub(1)?)?;
        (address < piece.end).then_some(piece.call)
    }

    /// The name of the function that a call called.
    pub fn name(&self, call: u32) -> Option<&str> {
        let name = self.calls.get(call as usize)?.name;
        self.names.get(name as usize).map(String::as_str)
    }

    /// Adds what other files tell, of code at these addresses.
    pub fn add_files(&mut self, files: Vec<Inlined>, code: &std::ops::Range<u32>) {
        let mut pieces = std::mem::take(&mut self.pieces);
        for file in files {
            let (names, calls) = (self.names.len() as u32, self.calls.len() as u32);
            self.names.extend(file.names);
            self.calls.extend(file.calls.into_iter().map(|call| InlinedCall {
                name: call.name + names,
                within: call.within.map(|around| around + calls),
                ..call
            }));
            let declared = file.declared.into_iter();
            self.declared.extend(declared.filter(|one| code.contains(&one.address)));
            let inside = file.pieces.into_iter().filter(|piece| code.contains(&piece.start));
            pieces.extend(inside.map(|piece| InlinedPiece {
                end: piece.end.min(code.end),
                call: piece.call + calls,
                ..piece
            }));
        }
        self.add(pieces);
    }

    /// Adds the code of calls in any order. Where calls overlap, the code is that of the one which begins later, or
    /// else ends earlier, or else comes later in the list: compilers list a call before those within it.
    pub(crate) fn add(&mut self, mut code: Vec<InlinedPiece>) {
        code.retain(|piece| piece.start < piece.end);
        code.sort_by_key(|piece| (piece.start, std::cmp::Reverse(piece.end)));
        let mut open: Vec<InlinedPiece> = Vec::new();
        for piece in code {
            self.close(&mut open, piece.start);
            // A piece that reaches out of the one around it is cut.
            let end = open.last().map_or(piece.end, |around| around.end.min(piece.end));
            if let Some(around) = open.last().copied() {
                self.push(InlinedPiece {
                    end: piece.start,
                    ..around
                });
            }
            open.push(InlinedPiece { end, ..piece });
        }
        self.close(&mut open, u32::MAX);
    }

    /// Ends the pieces that end at or before `address`, the innermost first.
    fn close(&mut self, open: &mut Vec<InlinedPiece>, address: u32) {
        while let Some(piece) = open.pop_if(|piece| piece.end <= address) {
            self.push(piece);
            if let Some(around) = open.last_mut() {
                around.start = piece.end;
            }
        }
    }

    fn push(&mut self, piece: InlinedPiece) {
        if piece.start < piece.end {
            self.pieces.push(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &[(u32, u32)]) -> Vec<(u32, u32, u32)> {
        let mut inlined = Inlined::default();
        let pieces = (0..)
            .zip(code)
            .map(|(call, &(start, end))| InlinedPiece { start, end, call });
        inlined.add(pieces.collect());
        let pieces = inlined.pieces.iter();
        pieces.map(|piece| (piece.start, piece.end, piece.call)).collect()
    }

    #[test]
    fn code_belongs_to_the_innermost_call() {
        assert_eq!(of(&[(10, 20), (30, 40)]), [(10, 20, 0), (30, 40, 1)]);
        assert_eq!(of(&[(10, 20), (12, 14)]), [(10, 12, 0), (12, 14, 1), (14, 20, 0)]);
        assert_eq!(of(&[(10, 20), (10, 20)]), [(10, 20, 1)]);
        assert_eq!(
            of(&[(10, 20), (10, 12), (18, 20)]),
            [(10, 12, 1), (12, 18, 0), (18, 20, 2)]
        );
        assert_eq!(
            of(&[(10, 30), (12, 28), (14, 16), (20, 28)]),
            [
                (10, 12, 0),
                (12, 14, 1),
                (14, 16, 2),
                (16, 20, 1),
                (20, 28, 3),
                (28, 30, 0)
            ]
        );
        assert_eq!(
            of(&[(10, 20), (15, 30)]),
            [(10, 15, 0), (15, 20, 1)],
            "cut at the end of the first"
        );
        assert_eq!(of(&[(10, 10), (20, 10)]), [], "no bytes");
    }

    #[test]
    fn the_calls_of_several_files_stay_apart() {
        let file = |name: &str, start| Inlined {
            names: vec![name.to_owned()],
            calls: vec![
                InlinedCall::default(),
                InlinedCall {
                    within: Some(0),
                    ..InlinedCall::default()
                },
            ],
            pieces: vec![InlinedPiece {
                start,
                end: start + 4,
                call: 1,
            }],
            declared: vec![Declared {
                address: start,
                file: 0,
                line: 1,
            }],
        };
        let mut all = Inlined::default();
        // The last one is of code that is not in the program.
        all.add_files(vec![file("b", 20), file("a", 10), file("c", 40)], &(8..22));
        let pieces: Vec<(u32, u32, u32)> = all.pieces.iter().map(|one| (one.start, one.end, one.call)).collect();
        assert_eq!(pieces, [(10, 14, 3), (20, 22, 1)]);
        assert_eq!(
            [all.at(12).and_then(|call| all.name(call)), all.name(1)],
            [Some("a"), Some("b")]
        );
        assert_eq!([all.calls[1].within, all.calls[3].within], [Some(0), Some(2)]);
        assert_eq!(all.declared.len(), 2);
    }

    #[test]
    fn random_code_is_in_order_and_each_byte_belongs_to_a_call_around_it() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..2000 {
            let code: Vec<(u32, u32)> = (0..random.usize(0..9))
                .map(|_| (random.u32(0..40), random.u32(0..40)))
                .collect();
            let pieces = of(&code);
            assert!(pieces.is_sorted_by(|one, next| one.1 <= next.0), "{code:?}: {pieces:?}");
            for &(start, end, call) in &pieces {
                let (first, last) = code[call as usize];
                assert!(start < end && first <= start && end <= last, "{code:?}: {pieces:?}");
            }
            let nested = |byte: u32| code.iter().any(|&(start, end)| (start..end).contains(&byte));
            let inside = |byte: u32| pieces.iter().any(|&(start, end, _)| (start..end).contains(&byte));
            assert!((0..40).all(|byte| nested(byte) || !inside(byte)));
        }
    }
}
