//! The sizes of a chip's units, from which the units are made.
//!
//! Modelled: sets, ways and lines of both caches, entries and ways of both TLBs and of the branch target buffer, write
//! buffers, banks of the data cache. Not modelled: anything the units do with them; that stands in `units`.

/// The sizes of a chip's units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The code cache.
    pub code_cache: CacheGeometry,
    /// The data cache.
    pub data_cache: CacheGeometry,
    /// The code TLB.
    pub code_tlb: TableGeometry,
    /// The data TLB.
    pub data_tlb: TableGeometry,
    /// The branch target buffer.
    pub branch_target_buffer: TableGeometry,
    /// Write buffers.
    pub write_buffers: WriteBuffers,
    /// Banks of the data cache, a power of two.
    pub banks: u32,
    /// Bytes of one bank's word, a power of two.
    pub bank_width: u32,
}

/// How many write buffers there are, and behind which pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteBuffers {
    /// So many behind each pipe.
    OfEachPipe(u32),
    /// So many, for both pipes.
    Shared(u32),
}

/// The size of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheGeometry {
    /// Bytes in all: `sets * ways * line`.
    pub size: u32,
    /// Lines of one set.
    pub ways: u32,
    /// Bytes of one line, a power of two.
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
    /// Entries in all.
    pub entries: u32,
    /// Entries of one set; as many as `entries` if the table is fully associative.
    pub ways: u32,
}

impl TableGeometry {
    /// Sets, a power of two.
    pub const fn sets(&self) -> u32 {
        self.entries / self.ways
    }
}
