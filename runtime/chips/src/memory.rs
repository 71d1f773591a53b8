//! The memory beyond the first level caches, as a few named presets.
//!
//! Modelled: the clocks from a miss to the first and to each further quadword of a line, of a single write, and of a
//! locked access, in memory and in a second level cache with contents; the clocks of a page walk beside its reads; of
//! inquire cycles, and of a bus that changes its owner.
//! Not modelled: DRAM pages and refresh.
//!
//! Sources: Intel, Pentium Processor Family Developer's Manual 1997, 6.4.2 (2-1-1-1 bursts) and the core to bus ratios
//! of the P54C; Intel, Architecture Optimization Manual 1997, 2.1.2 (the minimum delay of a miss is 4 clocks). Inquire
//! cycles: the same, chapter 6 (HIT# and HITM# come two clocks after EADS#). DOUBT: the clocks of a page walk are
//! undocumented, and so is how soon PBGNT# follows PBREQ#. DOUBT: the boards of `l2`, `dram` and `vga` are those that
//! were usual with a Pentium 100; no document decides their clocks or the size of their second level cache.

use super::CacheGeometry;
use std::num::NonZeroU64;

/// The memory beyond the first level caches. All figures are core clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPreset {
    /// The name that `--memory` accepts.
    pub name: &'static str,
    /// The description of the preset, for lists.
    pub title: &'static str,
    /// The clocks of transfers from and to memory.
    pub memory: Transfers,
    /// The second level cache between the first level caches and memory, if there is one.
    pub second_level: Option<SecondLevelCache>,
    /// The clocks of a single read or write in I/O space.
    pub io: u32,
    /// The clocks of a TLB miss whose two reads, of the page directory and of the page table, hit the data cache.
    pub page_walk: u32,
    /// The clocks from the address of an inquire cycle to its answer: two bus clocks.
    pub inquire: u32,
    /// The clocks from the request of an idle bus that another processor owns to its grant: a bus clock.
    pub grant: u32,
    /// Whether there is [`VIDEO`] memory. A program that starts in real mode always has it.
    pub video: bool,
}

/// A second level cache: write-back, filled by read misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondLevelCache {
    /// The dimensions of the cache.
    pub geometry: CacheGeometry,
    /// The clocks of its transfers.
    pub transfers: Transfers,
}

/// The clocks of transfers, in core clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfers {
    /// The clocks from a miss to the requested quadword.
    pub first_quadword: u32,
    /// The clocks from one quadword of a line to the next.
    pub next_quadword: u32,
    /// The clocks of a single write on the bus.
    pub write: u32,
    /// The clocks of a locked read and write on the bus, in addition to the instruction's own clocks.
    pub locked: u32,
}

impl Transfers {
    /// The clocks to read `quadwords` quadwords.
    pub const fn read_burst(&self, quadwords: u32) -> u32 {
        self.first_quadword + (quadwords - 1) * self.next_quadword
    }

    /// The clocks to write `quadwords` quadwords.
    pub const fn write_burst(&self, quadwords: u32) -> u32 {
        self.write + (quadwords - 1) * self.next_quadword
    }
}

const DRAM: Transfers = Transfers {
    first_quadword: 16,
    next_quadword: 6,
    write: 14,
    locked: 28,
};

/// The clocks per second by which an operating system tells a program the time, unless a run states another rate: those
/// of a Pentium 100, to which the clocks of these memories belong.
pub const HERTZ: NonZeroU64 = NonZeroU64::new(100_000_000).expect("not 0");

/// The memory of a video card: graphics at A0000h, text at B8000h.
#[derive(Clone, Copy, Debug)]
pub struct VideoMemory {
    /// The linear address of its first byte.
    pub first: u32,
    /// The linear address of its last byte.
    pub last: u32,
    /// The clocks of its transfers. Each is single, because this memory is not cached.
    pub transfers: Transfers,
}

/// A card on a PCI bus at 33 MHz with a core at 100 MHz. DOUBT: cards differ; a read takes about 16 bus clocks, a write
/// about 6.
pub static VIDEO: VideoMemory = VideoMemory {
    first: 0x000A_0000,
    last: 0x000B_FFFF,
    transfers: Transfers {
        first_quadword: 48,
        next_quadword: 48,
        write: 18,
        locked: 66,
    },
};

const L2: MemoryPreset = MemoryPreset {
    name: "l2",
    title: "256 KiB second level cache (3-1-1-1) before DRAM (7-3-3-3), bus at half the core clock",
    memory: DRAM,
    second_level: Some(SecondLevelCache {
        geometry: CacheGeometry {
            size: 256 << 10,
            ways: 1,
            line: 32,
        },
        transfers: Transfers {
            first_quadword: 8,
            next_quadword: 2,
            write: 6,
            locked: 12,
        },
    }),
    io: 16,
    page_walk: 4,
    inquire: 4,
    grant: 2,
    video: false,
};

/// Every preset, the default first.
pub static MEMORY_PRESETS: &[MemoryPreset] = &[
    L2,
    MemoryPreset {
        name: "ideal",
        title: "fastest bus, one to one with the core (2-1-1-1)",
        memory: Transfers {
            first_quadword: 4,
            next_quadword: 1,
            write: 2,
            locked: 8,
        },
        second_level: None,
        io: 8,
        page_walk: 4,
        inquire: 2,
        grant: 1,
        video: false,
    },
    MemoryPreset {
        name: "dram",
        title: "DRAM without a second level cache, bus at half the core clock (7-3-3-3)",
        memory: DRAM,
        second_level: None,
        io: 16,
        page_walk: 4,
        inquire: 4,
        grant: 2,
        video: false,
    },
    MemoryPreset {
        name: "vga",
        title: "as l2, with the memory of a video card at A0000h to BFFFFh, not cached",
        video: true,
        ..L2
    },
];

impl MemoryPreset {
    /// The preset with every line and every translation cached: a miss and a write take no clocks. Locked accesses and
    /// I/O, which no cache avoids, take the clocks of the fastest memory of this preset.
    pub(super) const fn all_cached(&self) -> MemoryPreset {
        let locked = match &self.second_level {
            Some(cache) => cache.transfers.locked,
            None => self.memory.locked,
        };
        MemoryPreset {
            memory: Transfers {
                first_quadword: 0,
                next_quadword: 0,
                write: 0,
                locked,
            },
            second_level: None,
            page_walk: 0,
            ..*self
        }
    }

    /// Returns the preset called `name`; `None` if there is none.
    pub fn by_name(name: &str) -> Option<&'static MemoryPreset> {
        MEMORY_PRESETS
            .iter()
            .find(|preset| preset.name.eq_ignore_ascii_case(name))
    }
}
