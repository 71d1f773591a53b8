//! The units that have state of their own: caches, TLBs, branch target buffer, bus and write buffers.
//!
//! They see addresses and clocks, never a register or memory value.

pub(crate) mod btb;
pub(crate) mod bus;
pub(crate) mod code_cache;
pub(crate) mod data_cache;
pub(crate) mod tlb;

/// Bytes of a cache line.
pub(crate) const LINE: u32 = 32;
/// Bytes of a page.
pub(crate) const PAGE: u32 = 4096;
