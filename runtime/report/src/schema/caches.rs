//! The shape of the caches in the JSON report.

use schemars::JsonSchema;

/// A first level cache after the last run.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Cache {
    /// `code`, `data`, or `unified` if the chip has one for both.
    pub(crate) kind: &'static str,
    /// The lines of a set.
    pub(crate) ways: u32,
    /// Bytes of a line.
    pub(crate) line: u32,
    /// Every set, in the order of their numbers.
    pub(crate) sets: Vec<CacheSet>,
}

/// A set of a cache.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct CacheSet {
    /// How many lines were filled in the last run, page walks and code lines read ahead included.
    pub(crate) fills: u64,
    /// The lines that are cached, the one used last first.
    pub(crate) lines: Vec<CachedLine>,
}

/// A cached line.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct CachedLine {
    /// Its first address.
    pub(crate) address: u32,
    /// Whether it has been written and memory has not.
    pub(crate) modified: bool,
}
