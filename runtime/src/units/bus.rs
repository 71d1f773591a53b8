//! The bus behind the first level caches: line fills, write buffers, write-backs.
//!
//! Modelled: one transfer at a time; line fills that deliver the requested quadword first and then the others one by
//! one; write buffers of each pipe or shared by both, emptied in order; a read miss waits for buffered writes, and so
//! does a write hit (strong ordering). Not modelled: pipelined bus cycles, the second level cache's contents, other bus
//! masters.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2 and 6.4.2.

use super::{QUADWORD, QUADWORDS};
use crate::model::{Geometry, MemoryPreset, WriteBuffers};

/// The bus and the write buffers. All times are absolute clocks.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    // When all buffered writes are done.
    drained: u64,
    fill: Fill,
    // When the bus becomes free.
    free: u64,
    // Clocks with a bus cycle in progress and the number of cycles, since they were last collected.
    busy: u64,
    cycles: u64,
    buffers: [Buffers; 2],
    // The number of buffers available to a write, and whether each pipe has its own.
    buffer_count: u32,
    own_buffers: bool,
    // The number of quadwords in a data cache line and in a code cache line.
    data_quadwords: u32,
    code_quadwords: u32,
    preset: &'static MemoryPreset,
}

/// Write buffers, used in rotation.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Buffers {
    // When each becomes empty.
    empty: [u64; BUFFERS],
    // The one that was filled first.
    next: u32,
}

/// The maximum number of write buffers of one pipe, or of both together.
const BUFFERS: usize = 4;

/// The current or last line fill.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    line: u32,
    arrivals: [u64; QUADWORDS],
    /// When its last quadword arrives.
    pub(crate) end: u64,
}

impl Fill {
    /// No fill.
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

    /// When the quadword at `address`, which is in the line, arrives.
    pub(crate) fn arrival(&self, address: u32) -> u64 {
        self.arrivals[(address.wrapping_sub(self.line) / QUADWORD) as usize % QUADWORDS]
    }
}

impl Bus {
    /// Creates an idle bus.
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

    /// The figures of the memory behind the caches.
    pub(crate) fn preset(&self) -> &'static MemoryPreset {
        self.preset
    }

    /// When all buffered writes will be done.
    #[inline(always)]
    pub(crate) fn drained(&self) -> u64 {
        self.drained
    }

    /// When the last fill of a data line ends.
    #[inline(always)]
    pub(crate) fn filling_until(&self) -> u64 {
        self.fill.end
    }

    /// When the quadword at `address` of a line that hits arrives: in the future only while the line is being filled.
    pub(crate) fn arrival(&self, address: u32) -> u64 {
        if self.fill.is_of(address & !(self.data_quadwords * QUADWORD - 1)) {
            self.fill.arrival(address)
        } else {
            0
        }
    }

    /// Occupies the bus for `clocks`, from `now` at the earliest. Returns when the transfer begins.
    fn take(&mut self, now: u64, clocks: u32) -> u64 {
        let begin = now.max(self.free);
        self.free = begin + u64::from(clocks);
        self.busy += u64::from(clocks);
        self.cycles += 1;
        begin
    }

    /// Fills the line of `address` for the data cache, requested at `now`. Returns when the requested quadword arrives.
    /// An evicted modified line is written back after the fill.
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
        // The burst order is the index of the requested quadword, exclusive or the step: 2, 3, 0, 1 for quadword 2.
        for step in 0..quadwords {
            arrivals[(wanted ^ step) as usize % QUADWORDS] = begin + u64::from(first + step * next);
        }
        Fill {
            line,
            arrivals,
            end: self.free,
        }
    }

    /// Writes a modified line back once the bus is free. Only the next bus cycle waits for it.
    pub(crate) fn write_back(&mut self, now: u64) {
        let clocks = self.preset.write + (self.data_quadwords - 1) * self.preset.next_quadword;
        self.take(now, clocks);
    }

    /// Puts a write into a buffer of pipe `pipe` (0 U, 1 V) at `now`. Returns the clocks it waits for an empty buffer.
    pub(crate) fn buffer_write(&mut self, pipe: usize, now: u64) -> u64 {
        let buffers = &self.buffers[pipe & usize::from(self.own_buffers)];
        let (next, count) = (buffers.next, self.buffer_count);
        let accepted = now.max(buffers.empty[next as usize % BUFFERS]);
        let begin = self.take(accepted, self.preset.write);
        // Writes are done in order, so this one is the last.
        self.drained = begin + u64::from(self.preset.write);
        let buffers = &mut self.buffers[pipe & usize::from(self.own_buffers)];
        buffers.empty[next as usize % BUFFERS] = self.drained;
        buffers.next = if next + 1 == count { 0 } else { next + 1 };
        accepted - now
    }

    /// Makes a single, strictly ordered transfer of `clocks`. Returns when it is done.
    pub(crate) fn single(&mut self, now: u64, clocks: u32) -> u64 {
        let begin = self.take(now.max(self.drained), clocks);
        begin + u64::from(clocks)
    }

    /// Returns the bus cycles since the last call, and the clocks up to `now`. Later clocks are left to a later call.
    pub(crate) fn collect(&mut self, now: u64) -> (u64, u64) {
        // The remaining clocks end when the bus becomes free, and have no gaps.
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
