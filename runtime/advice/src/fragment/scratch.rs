//! Scratch memory: what pointers point at.

use super::AROUND;
use p5_image::Segment;

/// What scratch memory is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filling {
    /// Bytes of 1, which end no string.
    Bytes,
    /// Dwords of 1, which index tables.
    Dwords,
    /// Reals of 1.0.
    Single,
    Double,
    /// The address of the memory itself, for lists.
    Itself,
}

/// A piece of scratch memory.
pub(super) struct Scratch {
    pub(super) address: u32,
    pub(super) bytes: u32,
    pub(super) filling: Filling,
}

/// One segment with all scratch memory and what surrounds it.
pub(super) fn segment(scratch: Vec<Scratch>) -> Option<Segment> {
    let first = scratch.first()?.address - AROUND;
    let end = scratch.last().map(|one| one.address + one.bytes)?;
    let mut bytes = vec![0; (end - first) as usize];
    for one in scratch {
        let start = (one.address - first) as usize;
        let filled = match one.filling {
            Filling::Bytes => vec![1; 4],
            Filling::Dwords => 1u32.to_le_bytes().to_vec(),
            Filling::Single => 1f32.to_le_bytes().to_vec(),
            Filling::Double => 1f64.to_le_bytes().to_vec(),
            Filling::Itself => one.address.to_le_bytes().to_vec(),
        };
        let place = bytes.get_mut(start..start + one.bytes as usize).unwrap_or_default();
        place
            .iter_mut()
            .zip(filled.iter().cycle())
            .for_each(|(byte, value)| *byte = *value);
    }
    Some(Segment {
        name: "scratch".to_owned(),
        address: first,
        bytes,
        zeroes: AROUND,
        writable: true,
    })
}
