//! Scratch memory: what pointers point at.

use super::AROUND;
use super::width::Width;
use p5_image::{Holds, Segment};

/// A selector of all memory that every privilege level may load.
const DATA: u16 = 0x23;

/// What scratch memory is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    /// Bytes of 1, which end no string.
    Bytes,
    /// Dwords of this number, which index tables.
    Dwords(u32),
    /// Reals of 1.0.
    Single,
    Double,
    /// The address of the memory itself, for lists.
    Itself,
    /// That address with a selector.
    Far,
}

/// A piece of scratch memory.
pub(super) struct Scratch {
    pub(super) address: u32,
    pub(super) bytes: u32,
    pub(super) filling: Filling,
}

impl Filling {
    /// The same for the user.
    pub(super) fn holds(self, width: Width) -> Holds {
        let word = width.bytes as u8;
        match self {
            Filling::Bytes => Holds::Numbers(1, 1),
            Filling::Dwords(number) => Holds::Numbers(number, word),
            Filling::Single => Holds::Reals(4),
            Filling::Double => Holds::Reals(8),
            Filling::Itself => Holds::Addresses(word),
            Filling::Far => Holds::Addresses(word + 2),
        }
    }

    /// The bytes that repeat in memory at `address`.
    pub(super) fn bytes(self, address: u32, width: Width) -> Vec<u8> {
        let mut own = address.to_le_bytes().to_vec();
        own.truncate(width.bytes as usize);
        match self {
            Filling::Bytes => vec![1; 4],
            Filling::Dwords(number) if width.is_narrow() => (number as u16).to_le_bytes().to_vec(),
            Filling::Dwords(number) => number.to_le_bytes().to_vec(),
            Filling::Single => 1f32.to_le_bytes().to_vec(),
            Filling::Double => 1f64.to_le_bytes().to_vec(),
            Filling::Itself => own,
            Filling::Far => {
                let selector = match width.is_narrow() {
                    true => (width.base >> 4) as u16,
                    false => DATA,
                };
                own.extend(selector.to_le_bytes());
                own
            }
        }
    }
}

/// One segment with all scratch memory and what surrounds it.
pub(super) fn segment(scratch: Vec<Scratch>, width: Width) -> Option<Segment> {
    let around = if width.is_narrow() { 0 } else { AROUND };
    let first = scratch.first()?.address - around;
    let end = scratch.iter().map(|one| one.address + one.bytes).max()?;
    let mut bytes = vec![0; (end - first) as usize];
    for one in scratch {
        let start = (one.address - first) as usize;
        let filled = one.filling.bytes(one.address, width);
        let place = bytes.get_mut(start..start + one.bytes as usize).unwrap_or_default();
        place
            .iter_mut()
            .zip(filled.iter().cycle())
            .for_each(|(byte, value)| *byte = *value);
    }
    Some(Segment {
        name: "scratch".to_owned(),
        address: width.base + first,
        bytes,
        zeroes: around,
        writable: true,
    })
}
