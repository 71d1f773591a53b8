//! Memory behind the first level caches, as a few named presets.
//!
//! Modelled: the clocks from a miss to the first and to each further quadword of a line, of a single write, and of a
//! locked or uncached access; the total clocks of a page walk. Not modelled: the contents of a second level cache (with
//! its preset, every miss hits there), DRAM pages and refresh, other bus masters.
//!
//! Sources: Intel, Pentium Processor Family Developer's Manual 1997, 6.4.2 (2-1-1-1 bursts) and the core to bus ratios
//! of the P54C; Intel, Architecture Optimization Manual 1997, 2.1.2 (the minimum delay of a miss is 4 clocks). DOUBT:
//! the clocks of a page walk are undocumented.

/// Memory behind the first level caches. All figures are core clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPreset {
    /// The name that `--memory` accepts.
    pub name: &'static str,
    /// The description of the preset.
    pub title: &'static str,
    /// From a miss to the requested quadword.
    pub first_quadword: u32,
    /// From one quadword of a line to the next.
    pub next_quadword: u32,
    /// A single write on the bus.
    pub write: u32,
    /// A locked read and write on the bus, in addition to the instruction's own clocks.
    pub locked: u32,
    /// A single read or write in I/O space.
    pub io: u32,
    /// A TLB miss: reading the page directory and the page table.
    pub page_walk: u32,
}

/// Every preset, the default first.
#[rustfmt::skip] // One preset per row.
pub static MEMORY_PRESETS: &[MemoryPreset] = &[
    MemoryPreset { name: "l2",    title: "burst second level cache, 66 MHz bus at half the core clock (3-1-1-1)", first_quadword:  8, next_quadword: 2, write:  6, locked: 12, io: 16, page_walk: 12 },
    MemoryPreset { name: "ideal", title: "fastest bus, one to one with the core (2-1-1-1)",                        first_quadword:  4, next_quadword: 1, write:  2, locked:  8, io:  8, page_walk: 12 },
    MemoryPreset { name: "dram",  title: "DRAM without a second level cache, bus at half the core clock (7-3-3-3)", first_quadword: 16, next_quadword: 6, write: 14, locked: 28, io: 16, page_walk: 24 },
];

impl MemoryPreset {
    /// Returns the preset called `name`, if there is one.
    pub fn by_name(name: &str) -> Option<&'static MemoryPreset> {
        MEMORY_PRESETS
            .iter()
            .find(|preset| preset.name.eq_ignore_ascii_case(name))
    }
}
