//! Pages that are not of the usual kind, and the effect of accesses to them.
//!
//! Modelled: pages of 4 MiB, which the data TLB holds as one and the code TLB by 4 KiB, and whose walk ends in the page
//! directory; data in pages with PCD, which the cache does not fill; data in pages with PWT, whose writes go to memory.
//! While there are such pages, or accesses are observed, every access takes the general path. Not modelled: PCD and PWT
//! of code, of page tables and of the directory.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapters 2 and 3; Intel Architecture Software
//! Developer's Manual 1997, volume 3, chapters 3 and 9.

use crate::pipeline::core::Core;
use p5_words::facts::PageKind;

impl Core {
    /// Learns the kinds of pages from the program's page tables.
    #[cold]
    pub(in crate::pipeline) fn learn_pages(&mut self, pages: &[(u32, PageKind)]) {
        let news = pages.iter().skip(self.pages.learned);
        self.pages.by_number.extend(news.copied());
        self.pages.learned = pages.len();
        self.switch_accesses();
    }

    /// Discards all kinds of pages, because the program's page tables may have changed.
    pub fn forget_pages(&mut self) {
        self.pages.by_number.clear();
        self.pages.learned = 0;
        self.switch_accesses();
    }

    /// Inhibits line fills of the data cache, or allows them.
    pub fn inhibit_cache(&mut self, inhibited: bool) {
        self.switches.cache_inhibited = inhibited;
        self.switch_accesses();
    }

    pub(in crate::pipeline) fn switch_accesses(&mut self) {
        self.switches.general_accesses = self.switches.cache_inhibited
            || self.attention.records()
            || self.shares_bus()
            || !self.pages.by_number.is_empty();
    }

    /// Looks up the page of a data access at `address`. Returns whether the TLB had its translation.
    pub(in crate::pipeline) fn translated(&mut self, address: u32) -> bool {
        if self.pages.kind(address).large {
            self.units.translates_large(address)
        } else {
            self.units.translates(address)
        }
    }

    /// The state in which a write to `address` found its line: exclusive or modified, or missing; `None` if it was
    /// shared.
    #[inline(always)]
    pub(in crate::pipeline) fn written(&mut self, address: u32) -> Option<bool> {
        if self.switches.general_accesses && self.pages.kind(address).write_through {
            return (!self.units.data_cache.read(address)).then_some(false);
        }
        if let Some(master) = &self.units.master
            && master.has_gone_through(address, self.time.clock)
        {
            return None;
        }
        if self.is_shared(address) {
            return None;
        }
        Some(self.units.data_cache.write(address))
    }
}
