//! Compares the states of a program and of the same program laid out otherwise, in which code and data have moved.
//!
//! Memory is compared with memory at its new place. A register, and a word or dword of memory, may hold an address: it
//! is the same if it lies in something that has moved, or at its end, and differs by exactly that move. Every other
//! difference is one.

use super::{Difference, Excused, FinalState, is_within};
use p5_words::isa::PAGE;
use std::ops::Range;

/// Bytes that have moved together, or stayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The linear address in the program as it was.
    pub old: u32,
    /// The linear address in the program as it is laid out now.
    pub new: u32,
    /// The number of bytes.
    pub length: u32,
}

/// Where everything of a program has moved.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// In ascending order and without overlap, in both programs.
    pub pieces: Vec<Piece>,
    /// The linear addresses from which 16-bit offsets may count; none in a flat program.
    pub bases: Vec<u32>,
}

impl Layout {
    /// Whether the linear addresses are those of the same place in both programs.
    fn same(&self, old: u32, new: u32) -> bool {
        let after = self.pieces.partition_point(|piece| piece.old <= old);
        // The end of a piece may be the beginning of the next one, which has moved otherwise.
        self.pieces[after.saturating_sub(2)..after].iter().any(|piece| {
            let distance = old - piece.old;
            distance <= piece.length && piece.new.wrapping_add(distance) == new
        })
    }

    /// Whether two 16-bit offsets are those of the same place from one of the bases.
    fn same_offset(&self, old: u16, new: u16) -> bool {
        let linear = |base: u32, offset: u16| base.wrapping_add(u32::from(offset));
        let mut bases = self.bases.iter();
        bases.any(|&base| self.same(linear(base, old), linear(base, new)))
    }

    /// Whether two registers hold the address of the same place.
    fn same_register(&self, old: u32, new: u32) -> bool {
        self.same(old, new) || (old >> 16 == new >> 16 && self.same_offset(old as u16, new as u16))
    }

    /// Whether the bytes at `at` belong to a word or dword that is the address of the same place in both.
    fn same_around(&self, old: &[u8], new: &[u8], at: usize) -> bool {
        let words = |width: usize| at.saturating_sub(width - 1)..=at;
        words(4).any(|at| matches!([dword(old, at), dword(new, at)], [Some(old), Some(new)] if self.same(old, new)))
            || words(2).any(
                |at| matches!([word(old, at), word(new, at)], [Some(old), Some(new)] if self.same_offset(old, new)),
            )
    }

    fn moved(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(|piece| piece.old != piece.new)
    }
}

fn dword(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl FinalState {
    /// The first difference to the same program in another layout, apart from those that the layout explains and those
    /// in `excused`, whose memory both programs have.
    pub fn difference_as_laid_out(
        &self,
        other: &FinalState,
        layout: &Layout,
        excused: &Excused<'_>,
    ) -> Option<Difference> {
        let same = |own, new| layout.same_register(own, new);
        self.difference_of_registers(other, excused, &same)
            .or_else(|| self.difference_of_moved(other, layout, excused))
            .or_else(|| self.difference_of_unmoved(other, layout, excused))
    }

    /// The first difference of what has moved, as an address in this program.
    fn difference_of_moved(&self, other: &FinalState, layout: &Layout, excused: &Excused<'_>) -> Option<Difference> {
        layout.moved().find_map(|piece| {
            let (own, new) = (
                self.bytes_at(piece.old, piece.length),
                other.bytes_at(piece.new, piece.length),
            );
            self.first_byte(piece.old, [&own, &new], layout, excused)
        })
    }

    /// The first difference of memory from which nothing has moved, and to which nothing has.
    fn difference_of_unmoved(&self, other: &FinalState, layout: &Layout, excused: &Excused<'_>) -> Option<Difference> {
        let moved = layout.moved();
        let mut places: Vec<Range<u32>> = moved
            .flat_map(|piece| [piece.old, piece.new].map(|from| from..from.saturating_add(piece.length)))
            .collect();
        places.extend_from_slice(excused.memory);
        let places = super::joined(places);
        let excused = Excused {
            memory: &places,
            ..*excused
        };
        self.pages.iter().find_map(|&number| {
            let (own, new) = (self.page(number)?, other.page(number)?);
            if own == new {
                return None;
            }
            self.first_byte(number * PAGE, [own, new], layout, &excused)
        })
    }

    /// The first byte that differs, of the bytes that both programs have at `address` of the older layout.
    fn first_byte(
        &self,
        address: u32,
        [own, new]: [&[u8]; 2],
        layout: &Layout,
        excused: &Excused<'_>,
    ) -> Option<Difference> {
        let timed = |at: u32, own: u8| {
            let mut others = excused.timed.iter();
            others.any(|timed| timed.bytes_at(at, 1).first().is_some_and(|&other| other != own))
        };
        (0..own.len().min(new.len())).find_map(|at| {
            let place = address + at as u32;
            let same = own[at] == new[at]
                || is_within(place, excused.memory)
                || layout.same_around(own, new, at)
                // A time is an aligned dword, any byte of which may be the same by chance.
                || (place & !3..=place | 3).any(|byte| {
                    let index = (byte.wrapping_sub(address)) as usize;
                    own.get(index).is_some_and(|&own| timed(byte, own))
                });
            (!same).then_some(Difference::Memory(place))
        })
    }

    /// The bytes from `address` on, as far as they are mapped.
    fn bytes_at(&self, address: u32, length: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut at = u64::from(address);
        let end = at + u64::from(length);
        while at < end {
            let (number, offset) = (at / u64::from(PAGE), (at % u64::from(PAGE)) as usize);
            let Some(page) = u32::try_from(number).ok().and_then(|number| self.page(number)) else {
                break;
            };
            let rest = &page[offset..];
            let taken = rest.len().min((end - at) as usize);
            bytes.extend_from_slice(&rest[..taken]);
            at += taken as u64;
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_same_only_if_it_moves_with_what_it_points_at() {
        let layout = Layout {
            pieces: [(0x100, 0x100, 16), (0x110, 0x111, 0x20), (0x130, 0x134, 8)]
                .map(|(old, new, length)| Piece { old, new, length })
                .to_vec(),
            bases: vec![0],
        };
        for (old, new, expected) in [
            (0x110, 0x111, true),
            (0x12F, 0x130, true),
            // The end of the second piece, and the beginning of the third.
            (0x130, 0x131, true),
            (0x130, 0x134, true),
            (0x130, 0x132, false),
            (0x138, 0x13C, true),
            (0x139, 0x13D, false),
            (0x108, 0x109, false),
            (0x0FF, 0x100, false),
            (0x111, 0x111, false),
        ] {
            assert_eq!(layout.same(old, new), expected, "{old:X} {new:X}");
        }
        assert!(layout.same_register(0xABCD_0112, 0xABCD_0113));
        assert!(!layout.same_register(0xABCD_0112, 0xABCE_0113));
        let (old, new) = ([7, 0x12, 0x01, 9], [7, 0x13, 0x01, 9]);
        assert!(layout.same_around(&old, &new, 1), "a word at an odd place");
        assert!(!layout.same_around(&old, &[7, 0x14, 0x01, 9], 1));
    }
}
