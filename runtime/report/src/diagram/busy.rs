//! How long a group keeps the floating-point unit, and how much of that other work hides.

use super::Group;
use p5_results::{Cause, Run};

/// The fewest clocks of the floating-point unit beyond those of the pipes that a diagram tells of.
const LONG: u32 = 8;

/// The clocks during which a group keeps the floating-point unit, and how many of those after its own other groups use.
pub(super) fn busy(run: &Run, groups: &[Group], index: usize) -> Option<(u32, Option<u32>)> {
    let group = groups.get(index)?;
    let user = group.executed.into_iter().flatten().find_map(|one| {
        let floating = run.executed(one)?.needs.floating.filter(|one| one.stack.is_some())?;
        // An exchange in V takes no time in the unit.
        let longer = floating.throughput + group.unit.checked;
        Some(floating.latency.max(longer).saturating_sub(group.unit.saved))
    });
    let busy = user.filter(|&busy| busy >= group.own.saturating_add(LONG))?;
    let until = group.clock + u64::from(busy);
    let mut waited = 0;
    for later in groups.iter().skip(index + 1) {
        if later.clock >= until {
            // The last of these may have waited beyond the end, which counts up to there.
            let began = later.clock - u64::from(later.late);
            let late = until.saturating_sub(began).min(u64::from(later.late));
            waited += u64::from(floating_part(later)).min(late);
            let hidden = u64::from(busy - group.own).saturating_sub(waited);
            return Some((busy, Some(hidden as u32)));
        }
        waited += u64::from(floating_part(later));
    }
    Some((busy, None))
}

/// The clocks of a group's wait that are due to the floating-point unit.
fn floating_part(group: &Group) -> u32 {
    group.waited.clocks_of(Cause::FloatingPoint).min(group.late)
}
