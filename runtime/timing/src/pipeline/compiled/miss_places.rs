//! Places of a miss: where the state lies that a read miss, a write miss or a write that waits changes, and the clocks
//! of the bus, for an engine whose code makes such accesses.
//!
//! Modelled: nothing; these are offsets of fields and copies of what the bus was made with. Not modelled: buses and
//! caches for which code would need more than these say, which have none.

use crate::counters::Tally;
use crate::pipeline::Pipeline;
use crate::pipeline::counts::stats::RecentStats;
use crate::units::Units;
pub use crate::units::bus::{BusPlaces, SecondPlaces, TransferClocks};
use crate::units::data_cache::EMPTY;
use asm_macros::events::Event;
use p5_results::Cause;
use std::mem::offset_of;

/// Offsets as in [`Places`](super::places::Places), and clocks.
#[derive(Clone, Copy, Debug)]
pub struct MissPlaces {
    /// In the units: what the bus needs.
    pub bus: BusPlaces,
    /// In the units, a pointer: not null if line fills are counted.
    pub fills: i32,
    /// In the pipeline, a byte: not 0 if accesses take the general path.
    pub general_accesses: i32,
    /// The tag of an empty way.
    pub empty: u32,
    /// In the pipeline, the count of read misses.
    pub read_misses: i32,
    /// In the pipeline, the count of write misses.
    pub write_misses: i32,
    /// In the pipeline, the count of write misses in both pipes in one clock.
    pub both_write_misses: i32,
    /// In the pipeline, the count of lines that are written back.
    pub written_back: i32,
    /// Waits for reads.
    pub reads: WaitPlaces,
    /// Waits for a write buffer.
    pub buffers: WaitPlaces,
    /// Waits for the order of writes.
    pub order: WaitPlaces,
    /// Of accesses that cross a boundary within a line.
    pub misaligned: MisalignedPlaces,
}

/// The places of misaligned accesses, and what they cost.
#[derive(Clone, Copy, Debug)]
pub struct MisalignedPlaces {
    /// In the pipeline, the count of such accesses.
    pub references: i32,
    /// In the pipeline, the counts of reads and of writes, as which the second half of one counts.
    pub halves: [i32; 2],
    /// The clocks that one takes longer.
    pub clocks: u32,
    /// In the statistics of an instruction, the clocks of their cause.
    pub cause: i32,
}

/// The places of a kind of wait.
#[derive(Clone, Copy, Debug)]
pub struct WaitPlaces {
    /// In the pipeline, the clock up to which such waits have been counted.
    pub counted_until: i32,
    /// In the pipeline, the occurrences of its event, and its clocks.
    pub event: [i32; 2],
    /// In the statistics of an instruction, the clocks of its cause.
    pub cause: i32,
}

impl Pipeline {
    /// The places of a miss; none if code cannot make one by itself.
    pub(in crate::pipeline) fn miss_places(&self) -> Option<MissPlaces> {
        let units = &*self.core.units;
        let tally = offset_of!(Pipeline, core.counts.tally);
        let count = |event| (tally + Tally::place_of(event)) as i32;
        let of_cause = |cause| (offset_of!(RecentStats, causes) + cause as usize * size_of::<i32>()) as i32;
        let wait = |event, number: usize, cause: Cause| WaitPlaces {
            counted_until: (offset_of!(Pipeline, core.waits.counted_until) + number * size_of::<u64>()) as i32,
            event: [Tally::place_of(event), Tally::place_of_shared(event)].map(|place| (tally + place) as i32),
            cause: of_cause(cause),
        };
        if units.data_cache.places().ways != 2 || units.unified || units.write_through {
            return None;
        }
        Some(MissPlaces {
            bus: units.bus.places(&raw const *units as usize)?,
            fills: Units::FILLS as i32,
            general_accesses: offset_of!(Pipeline, core.switches.general_accesses) as i32,
            empty: EMPTY,
            read_misses: count(Event::DATA_READ_MISS),
            write_misses: count(Event::DATA_WRITE_MISS),
            both_write_misses: (tally + Tally::place_of_shared(Event::DATA_WRITE_MISS)) as i32,
            written_back: count(Event::DATA_LINES_WRITTEN_BACK),
            reads: wait(Event::DATA_READ_STALL, 0, Cause::DataReadMiss),
            buffers: wait(Event::WRITE_BUFFER_FULL_STALL, 1, Cause::WriteBufferFull),
            order: wait(Event::WRITE_TO_M_OR_E_LINE_STALL, 2, Cause::WriteOrder),
            misaligned: MisalignedPlaces {
                references: count(Event::MISALIGNED_REFERENCES),
                halves: [Event::DATA_READ, Event::DATA_WRITE].map(count),
                clocks: self.core.rules.misaligned,
                cause: of_cause(Cause::Misaligned),
            },
        })
    }
}
