//! The caches in the JSON report of a run.

use crate::document::document;
use p5_results::CacheResult;

document! {
    /// A first level cache after the last run.
    pub(crate) struct Cache {
        /// `code`, `data`, or `unified` if the chip has one for both.
        kind: &'static str = cache.kind.name(),
        /// The lines of a set.
        ways: u32 = cache.ways,
        /// Bytes of a line.
        line: u32 = cache.line,
        /// Every set, in the order of their numbers.
        sets: Vec<CacheSet> = cache.sets.iter().map(CacheSet::of).collect(),
    }
    from (cache: &CacheResult)

    /// A set of a cache.
    pub(crate) struct CacheSet {
        /// The number of lines filled in the last run, including page walks and code lines read ahead.
        fills: u64 = set.fills,
        /// The lines that are cached, the one used last first.
        lines: Vec<CachedLine> = set.lines.iter().map(CachedLine::of).collect(),
    }
    from (set: &p5_results::CacheSet)

    /// A cached line.
    pub(crate) struct CachedLine {
        /// Its first address.
        address: u32 = line.address,
        /// Whether it has been written and memory has not.
        modified: bool = line.modified,
    }
    from (line: &p5_results::CachedLine)
}
