//! The sizes of a chip's units. The units are constructed from them.
//!
//! Modelled: sets, ways and lines of both caches, entries and ways of both TLBs and of the branch target buffer, write
//! buffers, banks of the data cache, the boundaries of accesses. Not modelled: the behaviour of the units, which is in
//! `units`.

/// The sizes of a chip's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The code cache.
    pub code_cache: CacheGeometry,
    /// The data cache.
    pub data_cache: CacheGeometry,
    /// Whether both are one cache, and both TLBs one TLB, of these sizes.
    pub unified: bool,
    /// Whether writes that hit the data cache go to memory, too.
    pub write_through: bool,
    /// The code TLB.
    pub code_tlb: TableGeometry,
    /// The data TLB.
    pub data_tlb: TableGeometry,
    /// The data TLB of pages of 4 MiB; none if the other holds them, too.
    pub large_tlb: Option<TableGeometry>,
    /// The branch target buffer.
    pub branch_target_buffer: TableGeometry,
    /// The write buffers.
    pub write_buffers: WriteBuffers,
    /// The bytes that the bus transfers at once, a power of two.
    pub bus_width: u32,
    /// The number of data cache banks, a power of two.
    pub banks: u32,
    /// The width of a bank in bytes, a power of two.
    pub bank_width: u32,
    /// An access that crosses a multiple of this many bytes, a power of two, is misaligned.
    pub alignment: u32,
    /// The same for accesses of at least this many bytes.
    pub wide_alignment: u32,
    /// The bytes of the widest access. A wider one is several of this size, of which each is aligned or not, and whose
    /// clocks are those of the instruction.
    pub widest_access: u32,
}

/// The number of write buffers, and whether the pipes share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteBuffers {
    /// This many for each pipe.
    OfEachPipe(u32),
    /// This many for both pipes together.
    Shared(u32),
}

/// The size of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheGeometry {
    /// The total size in bytes: `sets * ways * line`.
    pub size: u32,
    /// The number of lines in a set.
    pub ways: u32,
    /// The size of a line in bytes, a power of two.
    pub line: u32,
}

impl CacheGeometry {
    /// Sets, a power of two.
    pub const fn sets(&self) -> u32 {
        self.size / (self.ways * self.line)
    }
}

/// The size of a TLB or of a branch target buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableGeometry {
    /// The total number of entries.
    pub entries: u32,
    /// The number of entries in a set; equal to `entries` if the table is fully associative.
    pub ways: u32,
}

impl TableGeometry {
    /// Sets, a power of two.
    pub const fn sets(&self) -> u32 {
        self.entries / self.ways
    }
}
