//! The figures of both worlds that text and JSON share, or the reasons why they are missing.

use super::Worlds;
use crate::summary;
use p5_host::native::Missing;
use p5_host::native::summary::{RegionTiming, Summary};
use p5_results::RegionResult;

/// The native figures of a region, or the reason why there are none.
pub(super) fn region(worlds: &Worlds, summary: &Result<Summary, Missing>, index: usize) -> RegionTiming {
    let missing = |why: Missing| RegionTiming {
        timing: Err(why.clone()),
        core_clocks: Err(why),
        notes: Vec::new(),
    };
    let summary = match summary {
        Ok(summary) => summary,
        Err(why) => return missing(why.clone()),
    };
    let simulated = worlds.run.regions.get(index).map(|one| (one.start_line, one.end_line));
    let native = worlds
        .image
        .regions
        .get(index)
        .map(|one| (one.start_line, one.end_line));
    match summary.regions.get(index) {
        Some(region) if simulated == native => region.clone(),
        // The source can test with which library it is assembled, so the regions may differ.
        _ => missing(Missing::SimulatedOnly),
    }
}

/// The reason why a simulated figure of a region is missing, if one is.
pub(super) fn unsimulated(region: &RegionResult, summary: &summary::RegionSummary) -> Option<&'static str> {
    match &summary.warm {
        // The region may have been entered: a pass is counted when it reaches its end.
        _ if region.pass_count == 0 => Some("no pass reached its end macro in the simulated run"),
        None => {
            Some("only one simulated pass, so there is no warm figure; `p5inst` without `host` shows the cold pass")
        }
        Some(warm) if warm.measured.is_none() => Some("the end macro left no result in the simulated run"),
        Some(_) => None,
    }
}

/// The reason why the host's own counters have no figure.
pub(super) fn uncounted(worlds: &Worlds) -> String {
    format!("INST_RETIRED and CPU_CLK_UNHALTED: {}", worlds.uncounted)
}
