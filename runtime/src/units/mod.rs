//! The units with state: caches, TLBs, branch target buffer, bus and write buffers.
//!
//! They handle addresses and clocks, never register or memory values. All units are in one structure, [`Units`], that
//! is allocated once. A flush resets it in place and nothing in it ever moves, so compiled code may point into it. Code
//! and data have separate caches; for a chip with a unified cache, instruction fetch would have to look up its lines in
//! the data cache.

pub(crate) mod btb;
pub(crate) mod bus;
pub(crate) mod code_cache;
pub(crate) mod data_cache;
pub(crate) mod history;
pub(crate) mod second_level;
mod sets;
pub(crate) mod tlb;

use crate::model::{Geometry, MemoryPreset};
use btb::Btb;
use bus::Bus;
use code_cache::CodeCache;
use data_cache::DataCache;
use history::History;
use tlb::Tlb;

/// The bytes that the bus transfers at once, which is the unit of the memory presets.
pub(crate) const QUADWORD: u32 = 8;
/// The number of lines of the largest cache: 16 KiB of 32-byte lines, or 8 KiB of 16-byte lines.
const LINES: usize = 512;
/// The size of the longest line in bytes, each of which is one bit of a word.
const LONGEST_LINE: u32 = 32;
/// The number of quadwords in the longest line.
pub(crate) const QUADWORDS: usize = (LONGEST_LINE / QUADWORD) as usize;

/// All units of a chip.
#[repr(C)]
pub(crate) struct Units {
    pub(crate) data_cache: DataCache,
    pub(crate) data_tlb: Tlb,
    pub(crate) bus: Bus,
    pub(crate) btb: Btb,
    pub(crate) history: History,
    pub(crate) code_tlb: Tlb,
    pub(crate) code_cache: CodeCache,
}

impl Units {
    /// Creates the units of a chip of this geometry, all empty, with `memory` behind the bus.
    pub(crate) fn new(geometry: &Geometry, memory: &'static MemoryPreset) -> Box<Units> {
        Box::new(Units {
            data_cache: DataCache::new(geometry),
            data_tlb: Tlb::new(&geometry.data_tlb),
            bus: Bus::new(memory, geometry),
            btb: Btb::new(&geometry.branch_target_buffer),
            history: History::new(&geometry.branch_target_buffer),
            code_tlb: Tlb::new(&geometry.code_tlb),
            code_cache: CodeCache::new(&geometry.code_cache),
        })
    }
}
