//! The units with state: caches, TLBs, branch target buffer, bus and write buffers.
//!
//! They handle addresses and clocks, never register or memory values. All units are in one structure, `Units`, that
//! is allocated once. A flush resets it in place and nothing in it ever moves, so compiled code may point into it. On a
//! chip with a unified cache, the data cache holds the lines of both, and the code cache repeats those that have been
//! fetched, for the sake of the numbers of their fills. The data TLB then serves both.

pub(crate) mod btb;
pub(crate) mod bus;
pub(crate) mod code_cache;
pub(crate) mod data_cache;
mod fills;
pub(crate) mod history;
pub(crate) mod master;
mod plain;
pub(crate) mod second_level;
mod sets;
pub(crate) mod tlb;

pub(crate) use sets::TRANSFERS;

use btb::Btb;
use bus::Bus;
use code_cache::CodeCache;
use data_cache::DataCache;
use history::History;
use master::Master;
use p5_chips::{Geometry, MemoryPreset};
use p5_words::isa::PAGE;
use std::mem::offset_of;
use tlb::Tlb;

/// The size of a large page in bytes.
const LARGE_PAGE: u32 = 4 << 20;
/// Marks the number of a large page in a TLB for both sizes. No page of 4 KiB has a number with this bit.
const AMONG_SMALL: u32 = 1 << 20;

#[repr(C)]
pub(crate) struct Units {
    pub(crate) data_cache: DataCache,
    pub(crate) data_tlb: Tlb,
    // The TLB for pages of 4 MiB; none if the other TLB holds them, too.
    large_tlb: Option<Tlb>,
    pub(crate) bus: Bus,
    pub(crate) btb: Btb,
    pub(crate) history: History,
    pub(crate) code_tlb: Tlb,
    pub(crate) code_cache: CodeCache,
    /// Whether both caches are one, and whether writes go through it.
    pub(crate) unified: bool,
    pub(crate) write_through: bool,
    /// Another master of the bus, if the run has one.
    pub(crate) master: Option<Box<Master>>,
    // Line fills by set, if the run counts them.
    fills: Option<Box<Fills>>,
}

/// Line fills by set. The fills of a unified cache are among those of data.
#[derive(Clone, Debug)]
struct Fills {
    code: Vec<u64>,
    data: Vec<u64>,
}

impl Units {
    /// The offset of the pointer to the line fills by set.
    pub(crate) const FILLS: usize = offset_of!(Units, fills);

    /// Creates the units of a chip of this geometry, all empty, with `memory` on the bus.
    pub(crate) fn new(geometry: &Geometry, memory: &'static MemoryPreset) -> Box<Units> {
        Box::new(Units {
            data_cache: DataCache::new(geometry),
            data_tlb: Tlb::new(&geometry.data_tlb),
            large_tlb: geometry.large_tlb.as_ref().map(Tlb::new),
            bus: Bus::new(memory, geometry),
            btb: Btb::new(&geometry.branch_target_buffer),
            history: History::new(&geometry.branch_target_buffer),
            code_tlb: Tlb::new(&geometry.code_tlb),
            code_cache: CodeCache::new(&geometry.code_cache),
            unified: geometry.unified,
            write_through: geometry.write_through,
            master: None,
            fills: None,
        })
    }

    /// Looks up the page of 4 MiB of a data access at `address`, and fills it in on a miss. Returns true on a hit.
    pub(crate) fn translates_large(&mut self, address: u32) -> bool {
        let page = address / LARGE_PAGE;
        match &mut self.large_tlb {
            Some(tlb) => tlb.access(page),
            None => {
                self.data_cache.plain().clear();
                self.data_tlb.access(AMONG_SMALL | page)
            }
        }
    }

    /// Looks up the page of a data access at `address`, and fills it in on a miss. Returns true on a hit.
    #[inline(always)]
    pub(crate) fn translates(&mut self, address: u32) -> bool {
        let page = address / PAGE;
        if self.data_tlb.last_was(page) {
            return true;
        }
        self.data_cache.plain().displaces(self.data_tlb.set_of(page));
        self.data_tlb.access(page)
    }

    /// Lets code look up the line of an access at `address`, which has just hit, by itself, if it is plain. `mapped`
    /// says how its page is mapped, and `base` where its bytes are.
    pub(crate) fn keep_plain(&mut self, address: u32, written: bool, mapped: u64, base: u64) {
        let page = address / PAGE;
        if self.data_tlb.last_was(page) && self.data_cache.is_recent(address, written) {
            let (line, set) = (address & !(self.data_cache.line_size() - 1), self.data_tlb.set_of(page));
            self.data_cache.plain().keep(line, set, page, mapped, base, written);
        }
    }

    /// Forgets all plain lines unless `is_mapped` still holds for the pages of all of them, and how these were mapped.
    pub(crate) fn retain_plain(&mut self, is_mapped: impl FnMut(u32, u64) -> bool) {
        self.data_cache.plain().retain(is_mapped);
    }

    /// Discards the data translations of every page.
    pub(crate) fn flush_data_translations(&mut self) {
        self.data_cache.plain().clear();
        self.data_tlb.flush();
        self.large_tlb.iter_mut().for_each(Tlb::flush);
    }

    /// Discards the data translation of the page of `address`, whatever its size.
    pub(crate) fn forget_data_translation(&mut self, address: u32) {
        self.data_cache.plain().clear();
        self.data_tlb.forget(address / PAGE);
        match &mut self.large_tlb {
            Some(tlb) => tlb.forget(address / LARGE_PAGE),
            None => self.data_tlb.forget(AMONG_SMALL | (address / LARGE_PAGE)),
        }
    }

    pub(crate) fn fetch_tlb(&mut self) -> &mut Tlb {
        if self.unified {
            self.data_cache.plain().clear();
            &mut self.data_tlb
        } else {
            &mut self.code_tlb
        }
    }

    /// Looks up the code line of `address` and makes it the most recent of its set. Returns whether it is cached.
    pub(crate) fn fetch_line(&mut self, address: u32) -> bool {
        if !self.unified {
            return self.code_cache.access(address);
        }
        let hit = self.data_cache.read(address);
        if hit && !self.code_cache.access(address) {
            self.code_cache.fill(address);
        }
        hit
    }

    /// Whether the code line of `address` is cached. A chip with a unified cache may have read it as data.
    pub(crate) fn has_line(&mut self, address: u32) -> bool {
        let fetched = self.code_cache.peek(address).is_some();
        if self.unified && !fetched && self.data_cache.holds(address) {
            self.code_cache.fill(address);
            return true;
        }
        fetched
    }

    pub(crate) fn fill_code_line(&mut self, address: u32) {
        if self.unified {
            // The line may have been read as data since the request.
            if !self.data_cache.holds(address) {
                self.fill_unified(address);
            }
            if self.code_cache.peek(address).is_some() {
                return;
            }
        }
        self.count_code_fill(address);
        self.code_cache.fill(address);
    }

    /// Fills the line of `address` in the data cache. Returns the first address of the modified line that was evicted,
    /// if one was.
    #[inline(always)]
    pub(crate) fn fill_data(&mut self, address: u32) -> Option<u32> {
        self.count_data_fill(address);
        self.data_cache.fill(address)
    }

    /// Fills the line of `address` of a unified cache, for code or data. The line that leaves is removed from code,
    /// too.
    pub(crate) fn fill_unified(&mut self, address: u32) {
        self.count_data_fill(address);
        if let Some(left) = self.data_cache.replace(address) {
            self.code_cache.invalidate(left);
        }
    }
}
