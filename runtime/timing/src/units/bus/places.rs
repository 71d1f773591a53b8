//! Where the state of the bus lies, for code that fills lines and buffers writes by itself, as the functions of `bus`
//! do.
//!
//! Modelled: nothing. Not modelled: buses of which a transfer takes no clocks, lines of other than the most transfers,
//! second level caches of more than one way.

use super::fill::OF_LONGEST;
use super::{Bus, Fill, NO_LINE, TRANSFERS};
use p5_chips::Transfers;
use std::mem::offset_of;

/// Offsets from the address of the units, and clocks.
#[derive(Clone, Copy, Debug)]
pub struct BusPlaces {
    /// The clock at which the bus becomes free.
    pub free: i32,
    /// The clocks of its cycles so far.
    pub busy: i32,
    /// The number of its cycles so far.
    pub cycles: i32,
    /// The base-2 logarithm of the bytes of a transfer in the last fill.
    pub fill_width: i32,
    /// The code line to be read ahead.
    pub wanted: i32,
    /// The value of `wanted` if there is none; no offset.
    pub no_line: u32,
    /// A byte: whether there is a video card.
    pub video: i32,
    /// A byte: whether memory answered the last request.
    pub of_memory: i32,
    /// For U and V, the clocks at which the write buffers become empty.
    pub empty: [i32; 2],
    /// For U and V, the number of the next write buffer.
    pub next: [i32; 2],
    /// The number of buffers.
    pub buffers: u32,
    /// What answers first, and memory if that does not.
    pub first: TransferClocks,
    /// The second level cache, if there is one.
    pub second: Option<SecondPlaces>,
}

/// The clocks of transfers.
#[derive(Clone, Copy, Debug)]
pub struct TransferClocks {
    /// Of the fill of a line.
    pub fill: u32,
    /// Of a write.
    pub write: u32,
    /// Of a line that is written back.
    pub write_back: u32,
    /// From the first transfer of a fill to its last one.
    pub after_first: u32,
    /// For each transfer that comes first, the clocks from the arrival of each to the last one, 16 bits each.
    pub orders: [u64; TRANSFERS],
}

/// The second level cache.
#[derive(Clone, Copy, Debug)]
pub struct SecondPlaces {
    /// The offset of its tags, of four bytes each.
    pub tags: i32,
    /// The bits by which a line's address is shifted down for the index of its tag.
    pub shift: u32,
    /// The bits of that which are the index.
    pub mask: u32,
    /// The bit of a modified line.
    pub modified: u32,
    /// The clocks of memory.
    pub memory: TransferClocks,
}

impl Bus {
    /// The places of its state for units at the address `units`; none if code needs more than these.
    pub(crate) fn places(&self, units: usize) -> Option<BusPlaces> {
        let in_units = (&raw const *self as usize).wrapping_sub(units);
        let place = |offset: usize| (in_units + offset) as i32;
        let clocks = |transfers: &Transfers| TransferClocks {
            fill: transfers.read_burst(self.data_transfers),
            write: transfers.write,
            write_back: transfers.write_burst(self.data_transfers),
            after_first: transfers.next_quadword * (self.data_transfers - 1),
            orders: OF_LONGEST.map(|order| u64::from(transfers.next_quadword) * order),
        };
        let memory = clocks(&self.preset.memory);
        let (first, second) = match &self.second_level {
            Some((cache, transfers)) => {
                let (tags, shift, mask) = cache.places()?;
                let tags = (tags as usize).wrapping_sub(units) as i32;
                let modified = super::super::second_level::MODIFIED;
                let second = SecondPlaces {
                    tags,
                    shift,
                    mask,
                    modified,
                    memory,
                };
                (clocks(transfers), Some(second))
            }
            None => (memory, None),
        };
        let takes = |clocks: &TransferClocks| clocks.fill > 0 && clocks.write > 0 && clocks.write_back > 0;
        if self.data_transfers as usize != TRANSFERS || !takes(&first) || !takes(&memory) {
            return None;
        }
        let of_pipe = |pipe: usize| {
            offset_of!(Bus, buffers) + size_of_val(&self.buffers[0]) * (pipe & usize::from(self.own_buffers))
        };
        Some(BusPlaces {
            free: place(offset_of!(Bus, free)),
            busy: place(offset_of!(Bus, busy)),
            cycles: place(offset_of!(Bus, cycles)),
            fill_width: place(offset_of!(Bus, fill) + offset_of!(Fill, width)),
            wanted: place(offset_of!(Bus, wanted)),
            no_line: NO_LINE,
            video: place(offset_of!(Bus, video)),
            of_memory: place(offset_of!(Bus, of_memory)),
            empty: [0, 1].map(|pipe| place(of_pipe(pipe) + offset_of!(super::Buffers, empty))),
            next: [0, 1].map(|pipe| place(of_pipe(pipe) + offset_of!(super::Buffers, next))),
            buffers: self.buffer_count,
            first,
            second,
        })
    }
}
