//! The regions of a program without measuring macros, as counterparts of those with them.

use p5_results::{AuditedPass, RegionResult, Run, StopReason};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A region and its passes.
pub(super) type Passed<'a> = (&'a RegionResult, &'a [AuditedPass]);

/// The regions of the program without measuring macros, by the file and the lines of their macros.
pub(super) struct Others<'a> {
    by_place: FxHashMap<(&'a str, u32, u32), VecDeque<Passed<'a>>>,
    /// Why its run ended.
    pub(super) stop: StopReason,
}

impl<'a> Others<'a> {
    pub(super) fn of(regions: impl Iterator<Item = Passed<'a>>, run: &'a Run) -> Others<'a> {
        let mut by_place: FxHashMap<_, VecDeque<_>> = FxHashMap::default();
        for (region, passes) in regions {
            let regions = by_place.entry(place(region, run)).or_default();
            regions.push_back((region, passes));
        }
        Others {
            by_place,
            stop: run.stop.reason,
        }
    }

    /// The next one at the place of a region of another `run`: a macro of the user's may make several there.
    pub(super) fn next(&mut self, region: &RegionResult, run: &'a Run) -> Option<Passed<'a>> {
        self.by_place.get_mut(&place(region, run))?.pop_front()
    }
}

/// The name of a region's file, and its first and last line.
fn place<'a>(region: &RegionResult, run: &'a Run) -> (&'a str, u32, u32) {
    let file = run.files.get(region.file as usize);
    let name = file.map_or("", |file| file.name.as_str());
    (name, region.start_line, region.end_line)
}
