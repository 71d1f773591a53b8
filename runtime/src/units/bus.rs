//! The bus behind the first level caches: line fills, write buffers, write-backs.
//!
//! Modelled: one transfer at a time; a line fill that brings the wanted quadword first and the others one by one; one write
//! buffer a pipe, emptied in order; a read miss waits for buffered writes; a write that hits waits for them too (strong
//! ordering). Not modelled: pipelined bus cycles, the second level cache's contents, other bus masters.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2 and 6.4.2.

use super::LINE;
use crate::model::MemoryPreset;

/// The bus and what waits for it. All times are absolute clocks.
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    preset: &'static MemoryPreset,
    // When the bus is next free.
    free: u64,
    // When each pipe's write buffer is empty.
    buffers: [u64; 2],
    fill: Fill,
    // Clocks with a bus cycle in progress, and how many cycles there were, not yet collected.
    busy: u64,
    cycles: u64,
}

/// The data line fill under way or last finished.
#[derive(Clone, Copy, Debug)]
struct Fill {
    line: u32,
    arrivals: [u64; 4],
    end: u64,
}

impl Bus {
    /// An idle bus.
    pub(crate) fn new(preset: &'static MemoryPreset) -> Bus {
        let fill = Fill {
            line: u32::MAX,
            arrivals: [0; 4],
            end: 0,
        };
        Bus {
            preset,
            free: 0,
            buffers: [0; 2],
            fill,
            busy: 0,
            cycles: 0,
        }
    }

    /// The figures behind the caches.
    pub(crate) fn preset(&self) -> &'static MemoryPreset {
        self.preset
    }

    /// When all buffered writes will be done.
    #[inline(always)]
    pub(crate) fn drained(&self) -> u64 {
        self.buffers[0].max(self.buffers[1])
    }

    /// Until when a fill of some data line is under way.
    #[inline(always)]
    pub(crate) fn filling_until(&self) -> u64 {
        self.fill.end
    }

    /// When the quadword at `address` of a line that hits is there: later than now only while its fill is under way.
    pub(crate) fn arrival(&self, address: u32) -> u64 {
        if self.fill.line == address / LINE {
            self.fill.arrivals[(address % LINE / 8) as usize]
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
        let arrivals = self.fill_line(address, now.max(self.drained()));
        self.fill = Fill {
            line: address / LINE,
            arrivals,
            end: self.free,
        };
        if write_back {
            self.write_back(now);
        }
        arrivals[(address % LINE / 8) as usize]
    }

    /// Fills the line of `address` for the code cache; when each of its quadwords is there.
    pub(crate) fn fill_code(&mut self, address: u32, now: u64) -> [u64; 4] {
        self.fill_line(address, now)
    }

    fn fill_line(&mut self, address: u32, now: u64) -> [u64; 4] {
        let (first, next) = (self.preset.first_quadword, self.preset.next_quadword);
        let begin = self.take(now, first + 3 * next);
        let wanted = address % LINE / 8;
        let mut arrivals = [0; 4];
        // The burst order is the wanted quadword with its index's bits counted up in exclusive or: 2 asks 2, 3, 0, 1.
        for step in 0..4u32 {
            arrivals[(wanted ^ step) as usize] = begin + u64::from(first + step * next);
        }
        arrivals
    }

    /// Writes a modified line back once the bus is free; nobody waits for it but the next bus cycle.
    pub(crate) fn write_back(&mut self, now: u64) {
        let clocks = self.preset.write + 3 * self.preset.next_quadword;
        self.take(now, clocks);
    }

    /// Puts a write into the buffer of pipe `pipe` (0 U, 1 V) at `now`; how long the buffer's last write keeps it waiting.
    pub(crate) fn buffer_write(&mut self, pipe: usize, now: u64) -> u64 {
        let accepted = now.max(self.buffers[pipe]);
        let begin = self.take(accepted, self.preset.write);
        self.buffers[pipe] = begin + u64::from(self.preset.write);
        accepted - now
    }

    /// A single transfer nobody may overtake, of `clocks`; when it is done.
    pub(crate) fn single(&mut self, now: u64, clocks: u32) -> u64 {
        let begin = self.take(now.max(self.drained()), clocks);
        begin + u64::from(clocks)
    }

    /// Bus cycles since the last call that found any, and their clocks up to `now`; later ones are left to a later call.
    #[inline(always)]
    pub(crate) fn collect(&mut self, now: u64) -> Option<(u64, u64)> {
        if self.cycles == 0 {
            return None;
        }
        Some(self.collect_until(now))
    }

    /// The same whether or not a cycle began since the last call.
    pub(crate) fn collect_until(&mut self, now: u64) -> (u64, u64) {
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

    fn bus() -> Bus {
        Bus::new(MemoryPreset::by_name("ideal").expect("a preset"))
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
        assert_eq!(bus.collect(104), Some((1, 4)), "the rest is to come");
        assert_eq!(bus.collect_until(200), (0, 3));
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
}
