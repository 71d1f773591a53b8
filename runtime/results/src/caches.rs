//! The sets of the first level caches: the lines that each holds after the last run, and how often it was filled.

/// A first level cache after the last run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheResult {
    /// The kind of accesses that use the cache.
    pub kind: CacheKind,
    /// The number of lines in a set.
    pub ways: u32,
    /// The size of a line in bytes.
    pub line: u32,
    /// The sets, in the order of their numbers.
    pub sets: Vec<CacheSet>,
}

/// The kind of accesses that use a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// Fetches of code.
    Code,
    /// Reads and writes of data.
    Data,
    /// Fetches of code and accesses to data.
    Unified,
}

impl CacheKind {
    /// The short name that JSON uses.
    pub fn name(self) -> &'static str {
        match self {
            CacheKind::Code => "code",
            CacheKind::Data => "data",
            CacheKind::Unified => "unified",
        }
    }
}

/// A set of a cache after the last run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheSet {
    /// The number of lines filled in the last run. A read miss fills a line, a write miss does not. A walk of the page
    /// tables may fill lines, and code is read a line ahead.
    pub fills: u64,
    /// The cached lines, the most recently used one first.
    pub lines: Vec<CachedLine>,
}

/// A line that is cached after the last run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedLine {
    /// The linear address of its first byte.
    pub address: u32,
    /// Whether it has been written but not stored to memory.
    pub modified: bool,
}
