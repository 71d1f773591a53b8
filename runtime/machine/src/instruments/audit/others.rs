//! The regions of the program without measuring macros, as counterparts of its regions with them.

use p5_results::{AuditedPass, RegionResult, Run, StopReason};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

pub(super) type Passed<'a> = (&'a RegionResult, &'a [AuditedPass]);

/// The regions of the program without measuring macros, by the file and the lines of their macros.
pub(super) struct Others<'a> {
    by_place: FxHashMap<(&'a str, u32, u32), VecDeque<Passed<'a>>>,
    /// The reason for the end of its run.
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

    /// The next region at the place of `region` in `run`. A macro of the user may make several regions there.
    pub(super) fn next(&mut self, region: &RegionResult, run: &'a Run) -> Option<Passed<'a>> {
        self.by_place.get_mut(&place(region, run))?.pop_front()
    }
}

fn place<'a>(region: &RegionResult, run: &'a Run) -> (&'a str, u32, u32) {
    let file = run.files.get(region.file as usize);
    let name = file.map_or("", |file| file.name.as_str());
    (name, region.start_line, region.end_line)
}
