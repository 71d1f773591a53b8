//! What the program tells the units to do: invalidations and flushes.
//!
//! Modelled: their effect on tags and the bus cycles of written back lines. Not modelled: how long silicon takes to walk
//! a cache, beyond the instruction's own clocks.

use super::core::Core;
use crate::units::{LINE, PAGE};
use asm_macros::events::Event;

impl Core {
    /// A store changed code: its lines leave the code cache.
    pub(crate) fn code_stored(&mut self, address: u32, length: u32) {
        for line in address / LINE..=address.wrapping_add(length.max(1) - 1) / LINE {
            self.code_cache.invalidate(line);
        }
    }

    /// Everything translated or predicted is forgotten, as when CR3 is loaded.
    pub(crate) fn page_directory_loaded(&mut self) {
        self.data_tlb.flush();
        self.code_tlb.flush();
        self.btb.flush();
    }

    /// One page's translations are forgotten.
    pub(crate) fn page_invalidated(&mut self, address: u32) {
        self.data_tlb.forget(address / PAGE);
        self.code_tlb.forget(address / PAGE);
    }

    /// Both caches are emptied; modified data lines go over the bus first if `write_back` says so.
    pub(crate) fn caches_flushed(&mut self, write_back: bool) {
        let modified = self.data_cache.flush();
        self.code_cache.flush();
        if write_back {
            self.tally.count(Event::DATA_LINES_WRITTEN_BACK, modified);
            (0..modified).for_each(|_| self.bus.write_back(self.clock + self.busy));
        }
    }
}
