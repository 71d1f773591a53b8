//! The sizes of a chip's units, from which the units are constructed.
//!
//! Modelled: sets, ways and lines of both caches, entries and ways of both TLBs and of the branch target buffer, write
//! buffers, banks of the data cache, the boundaries of accesses. Not modelled: the behaviour of the units, which is in
//! `units`.

/// The sizes of a chip's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The size of the code cache, or of the unified cache.
    pub code_cache: CacheGeometry,
    /// The size of the data cache.
    pub data_cache: CacheGeometry,
    /// Whether one cache and one TLB, of these sizes, serve code and data.
    pub unified: bool,
    /// Whether writes that hit the data cache also go to memory.
    pub write_through: bool,
    /// The size of the code TLB.
    pub code_tlb: TableGeometry,
    /// The size of the data TLB.
    pub data_tlb: TableGeometry,
    /// The size of the data TLB for pages of 4 MiB; `None` if the other one also holds these pages.
    pub large_tlb: Option<TableGeometry>,
    /// The size of the branch target buffer.
    pub branch_target_buffer: TableGeometry,
    /// The write buffers of the pipes.
    pub write_buffers: WriteBuffers,
    /// The number of bytes in one bus transfer, a power of two.
    pub bus_width: u32,
    /// The number of data cache banks, a power of two.
    pub banks: u32,
    /// The width of a bank in bytes, a power of two.
    pub bank_width: u32,
    /// The alignment boundary in bytes, a power of two: an access that crosses a multiple of it is misaligned.
    pub alignment: u32,
    /// The alignment boundary for accesses of at least this many bytes.
    pub wide_alignment: u32,
    /// The size of the widest access in bytes. A wider operand takes several accesses, each aligned or not, whose
    /// clocks are part of the instruction's.
    pub widest_access: u32,
}

/// The number of write buffers, of each pipe or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteBuffers {
    /// This many for each pipe.
    OfEachPipe(u32),
    /// This many for both pipes together.
    Shared(u32),
}

/// The dimensions of a cache.
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
    /// The number of sets, a power of two.
    pub const fn sets(&self) -> u32 {
        self.size / (self.ways * self.line)
    }
}

/// The dimensions of a TLB or of a branch target buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableGeometry {
    /// The total number of entries.
    pub entries: u32,
    /// The number of entries in a set; equal to `entries` if the table is fully associative.
    pub ways: u32,
}

impl TableGeometry {
    /// The number of sets, a power of two.
    pub const fn sets(&self) -> u32 {
        self.entries / self.ways
    }
}
