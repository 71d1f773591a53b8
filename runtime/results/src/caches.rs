//! The sets of the first level caches: what each of them holds after the last run, and how often it was filled in it.

/// A first level cache after the last run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheResult {
    /// What it caches.
    pub kind: CacheKind,
    /// The lines of a set.
    pub ways: u32,
    /// Bytes of a line.
    pub line: u32,
    /// Every set, in the order of their numbers.
    pub sets: Vec<CacheSet>,
}

/// What a cache caches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheKind {
    /// Code.
    Code,
    /// Data.
    Data,
    /// Both.
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

/// A set of a cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheSet {
    /// How many lines were filled in the last run. A read miss fills a line, a write miss does not; a walk of the page
    /// tables may fill lines, and code is read a line ahead.
    pub fills: u64,
    /// The lines that are cached, the one used last first.
    pub lines: Vec<CachedLine>,
}

/// A cached line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedLine {
    /// Its first address.
    pub address: u32,
    /// Whether it has been written and memory has not.
    pub modified: bool,
}
