//! The shape of the caches in the JSON report.

use schemars::JsonSchema;

/// A first level cache after the last run.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct Cache {
    /// `code`, `data`, or `unified` if the chip has one for both.
    pub(in crate::report) kind: &'static str,
    /// The lines of a set.
    pub(in crate::report) ways: u32,
    /// Bytes of a line.
    pub(in crate::report) line: u32,
    /// Every set, in the order of their numbers.
    pub(in crate::report) sets: Vec<CacheSet>,
}

/// A set of a cache.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct CacheSet {
    /// How many lines were filled in the last run, page walks and code lines read ahead included.
    pub(in crate::report) fills: u64,
    /// The lines that are cached, the one used last first.
    pub(in crate::report) lines: Vec<CachedLine>,
}

/// A cached line.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct CachedLine {
    /// Its first address.
    pub(in crate::report) address: u32,
    /// Whether it has been written and memory has not.
    pub(in crate::report) modified: bool,
}
