//! Commands of the program to the units: invalidations and flushes.
//!
//! Modelled: their effect on tags, and the bus cycles of lines that are written back. Not modelled: the time silicon
//! takes to walk a cache, beyond the instruction's own clocks.

use super::core::Core;
use asm_macros::events::Event;
use p5_words::isa::PAGE;

impl Core {
    /// Invalidates the code cache lines of a store of `length` bytes at `address`, which the instruction at `by` made.
    pub fn code_stored(&mut self, address: u32, length: u32, by: Option<u32>) {
        let cache = &mut self.units.code_cache;
        let last = cache.line(address.saturating_add(length.max(1) - 1));
        let mut line = cache.line(address);
        loop {
            // A line that was read ahead alone is not missed.
            let executed = cache.has_executed(line);
            if cache.invalidate(line) && executed {
                self.counts.removed.note(line, address.max(line), by);
            }
            if line == last {
                break;
            }
            line += cache.line_size();
        }
    }

    /// Discards all translations and predictions, as a load of CR3 does.
    pub fn page_directory_loaded(&mut self) {
        self.units.flush_data_translations();
        self.units.code_tlb.flush();
        self.units.btb.flush();
        self.units.history.flush();
    }

    /// Discards the translations of the page of `address`, as INVLPG does.
    pub fn page_invalidated(&mut self, address: u32) {
        self.units.forget_data_translation(address);
        self.units.code_tlb.forget(address / PAGE);
    }

    /// Empties both caches. With `write_back`, modified data lines are written to memory.
    pub fn caches_flushed(&mut self, write_back: bool) {
        let now = self.end();
        self.leave_code();
        self.take_bus(now);
        let (units, tally) = (&mut *self.units, &mut self.counts.tally);
        units.data_cache.flush(|line| {
            if write_back {
                tally.count(Event::DATA_LINES_WRITTEN_BACK, 1);
                units.bus.write_back(line, now);
            }
        });
        units.code_cache.flush();
        units.bus.flush(write_back, now);
    }
}
