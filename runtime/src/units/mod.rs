//! The units that have state of their own: caches, TLBs, branch target buffer, bus and write buffers.
//!
//! They see addresses and clocks, never a register or memory value. All of them stand in one block, [`Units`], that is
//! allocated once: a flush resets it in place, and nothing in it ever moves, so that compiled code may point into it.
//! Code and data have caches of their own; for a chip with one cache, instruction fetch has to look its lines up among data.

pub(crate) mod btb;
pub(crate) mod bus;
pub(crate) mod code_cache;
pub(crate) mod data_cache;
mod sets;
pub(crate) mod tlb;

use crate::model::{Geometry, MemoryPreset};
use btb::Btb;
use bus::Bus;
use code_cache::CodeCache;
use data_cache::DataCache;
use tlb::Tlb;

/// Bytes of a page.
pub(crate) const PAGE: u32 = 4096;
/// Bytes the bus transfers at once, in which the memory presets count.
pub(crate) const QUADWORD: u32 = 8;
/// Lines of the largest cache: 16 KiB of 32-byte lines, or 8 KiB of 16-byte lines.
const LINES: usize = 512;
/// Bytes of the longest line: one bit of a word for each.
const LONGEST_LINE: u32 = 32;
/// Quadwords of the longest line.
pub(crate) const QUADWORDS: usize = (LONGEST_LINE / QUADWORD) as usize;

/// All units of a chip.
#[repr(C)]
pub(crate) struct Units {
    pub(crate) data_cache: DataCache,
    pub(crate) data_tlb: Tlb,
    pub(crate) bus: Bus,
    pub(crate) btb: Btb,
    pub(crate) code_tlb: Tlb,
    pub(crate) code_cache: CodeCache,
}

impl Units {
    /// The units of a chip of this geometry, all empty, with `memory` behind the bus.
    pub(crate) fn new(geometry: &Geometry, memory: &'static MemoryPreset) -> Box<Units> {
        Box::new(Units {
            data_cache: DataCache::new(geometry),
            data_tlb: Tlb::new(&geometry.data_tlb),
            bus: Bus::new(memory, geometry),
            btb: Btb::new(&geometry.branch_target_buffer),
            code_tlb: Tlb::new(&geometry.code_tlb),
            code_cache: CodeCache::new(&geometry.code_cache),
        })
    }
}
