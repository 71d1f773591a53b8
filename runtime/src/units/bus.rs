//! The bus behind the first level caches: line fills, write buffers, write-backs.
//!
//! Modelled: one transfer at a time; a line fill that brings the wanted quadword first and the others one by one; write
//! buffers of each pipe or shared by both, emptied in order; a read miss waits for buffered writes; a write that hits waits for them too (strong
//! ordering). Not modelled: pipelined bus cycles, the second level cache's contents, other bus masters.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2 and 6.4.2.

use super::{QUADWORD, QUADWORDS};
use crate::model::{Geometry, MemoryPreset, WriteBuffers};

/// The bus and what waits for it. All times are absolute clocks.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    // When all buffered writes are done.
    drained: u64,
    fill: Fill,
    // When the bus is next free.
    free: u64,
    // Clocks with a bus cycle in progress, and how many cycles there were, not yet collected.
    busy: u64,
    cycles: u64,
    buffers: [Buffers; 2],
    // How many buffers a write chooses from, and whether each pipe has its own.
    buffer_count: u32,
    own_buffers: bool,
    // Quadwords of a data cache line and of a code cache line.
    data_quadwords: u32,
    code_quadwords: u32,
    preset: &'static MemoryPreset,
}

/// Write buffers that are used in turn.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Buffers {
    // When each is empty.
    empty: [u64; BUFFERS],
    // The one that was filled first.
    next: u32,
}

/// Write buffers of one pipe, or of both together, at most.
const BUFFERS: usize = 4;

/// A line fill under way or last finished.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    line: u32,
    arrivals: [u64; QUADWORDS],
    /// When its last quadword is there.
    pub(crate) end: u64,
}

impl Fill {
    /// None so far.
    pub(crate) const NONE: Fill = Fill {
        line: u32::MAX,
        arrivals: [0; QUADWORDS],
        end: 0,
    };

    /// Whether it is a fill of the line that begins at `line`.
    #[inline(always)]
    pub(crate) fn is_of(&self, line: u32) -> bool {
        self.line == line
    }

    /// When the quadword at `address`, which is in the line, is there.
    pub(crate) fn arrival(&self, address: u32) -> u64 {
        self.arrivals[(address.wrapping_sub(self.line) / QUADWORD) as usize % QUADWORDS]
    }
}

impl Bus {
    /// An idle bus.
    pub(crate) fn new(preset: &'static MemoryPreset, geometry: &Geometry) -> Bus {
        let (own_buffers, buffer_count) = match geometry.write_buffers {
            WriteBuffers::OfEachPipe(count) => (true, count),
            WriteBuffers::Shared(count) => (false, count),
        };
        assert!(
            (1..=BUFFERS as u32).contains(&buffer_count),
            "{geometry:?} has more write buffers than the bus"
        );
        let buffers = Buffers {
            empty: [0; BUFFERS],
            next: 0,
        };
        Bus {
            drained: 0,
            fill: Fill::NONE,
            free: 0,
            busy: 0,
            cycles: 0,
            buffers: [buffers; 2],
            buffer_count,
            own_buffers,
            data_quadwords: geometry.data_cache.line / QUADWORD,
            code_quadwords: geometry.code_cache.line / QUADWORD,
            preset,
        }
    }

    /// The figures behind the caches.
    pub(crate) fn preset(&self) -> &'static MemoryPreset {
        self.preset
    }

    /// When all buffered writes will be done.
    #[inline(always)]
    pub(crate) fn drained(&self) -> u64 {
        self.drained
    }

    /// Until when a fill of some data line is under way.
    #[inline(always)]
    pub(crate) fn filling_until(&self) -> u64 {
        self.fill.end
    }

    /// When the quadword at `address` of a line that hits is there: later than now only while its fill is under way.
    pub(crate) fn arrival(&self, address: u32) -> u64 {
        if self.fill.is_of(address & !(self.data_quadwords * QUADWORD - 1)) {
            self.fill.arrival(address)
        } else {
            0
        }
    }

    /// Takes the bus for `clocks` from `now` at the earliest; when it begins.
    fn take(&mut self, now: u64, clocks: u32) -> u64 {
        let begin = now.max(self.free);
        self.free = begin + u64::from(clocks);
        self.busy += u64::from(clocks);
        self.cycles += 1;
        begin
    }

    /// Fills the line of `address` for the data cache, asked for at `now`; when the wanted quadword is there. A modified
    /// line that leaves is written back behind the fill.
    pub(crate) fn fill_data(&mut self, address: u32, now: u64, write_back: bool) -> u64 {
        self.fill = self.fill_line(address, now.max(self.drained), self.data_quadwords);
        if write_back {
            self.write_back(now);
        }
        self.fill.arrival(address)
    }

    /// Fills the line of `address` for the code cache.
    pub(crate) fn fill_code(&mut self, address: u32, now: u64) -> Fill {
        self.fill_line(address, now, self.code_quadwords)
    }

    fn fill_line(&mut self, address: u32, now: u64, quadwords: u32) -> Fill {
        let (first, next) = (self.preset.first_quadword, self.preset.next_quadword);
        let begin = self.take(now, first + (quadwords - 1) * next);
        let line = address & !(quadwords * QUADWORD - 1);
        let wanted = (address - line) / QUADWORD;
        let mut arrivals = [0; QUADWORDS];
        // The burst order is the wanted quadword with its index's bits counted up in exclusive or: 2 asks 2, 3, 0, 1.
        for step in 0..quadwords {
            arrivals[(wanted ^ step) as usize % QUADWORDS] = begin + u64::from(first + step * next);
        }
        Fill {
            line,
            arrivals,
            end: self.free,
        }
    }

    /// Writes a modified line back once the bus is free; nobody waits for it but the next bus cycle.
    pub(crate) fn write_back(&mut self, now: u64) {
        let clocks = self.preset.write + (self.data_quadwords - 1) * self.preset.next_quadword;
        self.take(now, clocks);
    }

    /// Puts a write into a buffer of pipe `pipe` (0 U, 1 V) at `now`; how long it waits for one to be empty.
    pub(crate) fn buffer_write(&mut self, pipe: usize, now: u64) -> u64 {
        let buffers = &self.buffers[pipe & usize::from(self.own_buffers)];
        let (next, count) = (buffers.next, self.buffer_count);
        let accepted = now.max(buffers.empty[next as usize % BUFFERS]);
        let begin = self.take(accepted, self.preset.write);
        // Writes leave in order, so this one is the last to be done.
        self.drained = begin + u64::from(self.preset.write);
        let buffers = &mut self.buffers[pipe & usize::from(self.own_buffers)];
        buffers.empty[next as usize % BUFFERS] = self.drained;
        buffers.next = if next + 1 == count { 0 } else { next + 1 };
        accepted - now
    }

    /// A single transfer nobody may overtake, of `clocks`; when it is done.
    pub(crate) fn single(&mut self, now: u64, clocks: u32) -> u64 {
        let begin = self.take(now.max(self.drained), clocks);
        begin + u64::from(clocks)
    }

    /// Bus cycles since the last call, and their clocks up to `now`; later ones are left to a later call.
    pub(crate) fn collect(&mut self, now: u64) -> (u64, u64) {
        // What is still to come ends when the bus is free, and has no gaps.
        let to_come = self.free.saturating_sub(now).min(self.busy);
        let past = self.busy - to_come;
        self.busy = to_come;
        (std::mem::take(&mut self.cycles), past)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::MODELS;

    fn bus_with(write_buffers: WriteBuffers) -> Bus {
        let geometry = Geometry {
            write_buffers,
            ..MODELS[0].geometry
        };
        Bus::new(MemoryPreset::by_name("ideal").expect("a preset"), &geometry)
    }

    fn bus() -> Bus {
        bus_with(WriteBuffers::OfEachPipe(1))
    }

    #[test]
    fn the_wanted_quadword_comes_first() {
        let mut bus = bus();
        assert_eq!(bus.fill_data(0x58, 100, false), 104);
        assert_eq!(
            [0x40, 0x48, 0x50, 0x58].map(|address| bus.arrival(address)),
            [107, 106, 105, 104]
        );
        assert_eq!(bus.arrival(0x60), 0, "another line is not waited for");
        assert_eq!(bus.collect(104), (1, 4), "the rest is to come");
        assert_eq!(bus.collect(200), (0, 3));
    }

    #[test]
    fn each_pipe_has_one_write_buffer_and_reads_wait_for_both() {
        let mut bus = bus();
        assert_eq!(bus.buffer_write(0, 10), 0);
        assert_eq!(bus.buffer_write(1, 10), 0);
        assert_eq!(bus.buffer_write(0, 11), 1, "U's buffer empties at 12");
        assert_eq!(bus.drained(), 16);
        assert_eq!(bus.fill_data(0, 11, false), 20);
    }
    #[test]
    fn shared_buffers_take_the_writes_of_either_pipe() {
        let mut bus = bus_with(WriteBuffers::Shared(4));
        let waits: Vec<u64> = (0..6).map(|write| bus.buffer_write(write & 1, 10)).collect();
        assert_eq!(waits, [0, 0, 0, 0, 2, 4], "one write leaves every two clocks");
        assert_eq!(bus.drained(), 22);
    }
}
