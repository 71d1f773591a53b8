//! Line fills by cache set, for runs that ask for them.
//!
//! Modelled: the number of fills of each set. Not modelled: references and misses that fill no line, such as write
//! misses; counting changes no clock.

use super::{Fills, Units};
use p5_results::{CacheKind, CacheResult, CacheSet, CachedLine};

impl Units {
    /// Counts line fills by set from now on, beginning with 0.
    pub(crate) fn count_fills(&mut self) {
        self.fills = Some(Box::new(Fills {
            code: vec![0; self.code_cache.sets().count()],
            data: vec![0; self.data_cache.sets().count()],
        }));
    }

    pub(super) fn count_code_fill(&mut self, address: u32) {
        if let Some(fills) = &mut self.fills {
            fills.code[self.code_cache.sets().number(address)] += 1;
        }
    }

    /// Counts a fill of the line of `address` in the data cache, or in the unified one.
    pub(super) fn count_data_fill(&mut self, address: u32) {
        if let Some(fills) = &mut self.fills {
            fills.data[self.data_cache.sets().number(address)] += 1;
        }
    }

    /// Every set of the caches, the code cache first. The list is empty if fills are not counted.
    pub(crate) fn cache_sets(&self) -> Vec<CacheResult> {
        let Some(fills) = &self.fills else { return Vec::new() };
        let sets = |fills: &[u64], lines: &dyn Fn(usize) -> Vec<CachedLine>| -> Vec<CacheSet> {
            let set = |(number, &fills): (usize, &u64)| CacheSet {
                fills,
                lines: lines(number),
            };
            fills.iter().enumerate().map(set).collect()
        };
        let code = CacheResult {
            kind: CacheKind::Code,
            ways: self.code_cache.sets().ways() as u32,
            line: self.code_cache.line_size(),
            sets: sets(&fills.code, &|number| self.code_cache.lines_of(number)),
        };
        let data = CacheResult {
            kind: if self.unified {
                CacheKind::Unified
            } else {
                CacheKind::Data
            },
            ways: self.data_cache.sets().ways() as u32,
            line: self.data_cache.line_size(),
            sets: sets(&fills.data, &|number| self.data_cache.lines_of(number)),
        };
        // The data cache of a chip with a unified cache includes the fills of code.
        if self.unified { vec![data] } else { vec![code, data] }
    }
}
