//! Plans of groups with prefixes, for compiled code.
//!
//! Modelled: nothing. A [`PlannedPrefixes`] says how long the prefixes of a group are decoded that is usual otherwise.
//! Not modelled: groups with prefixes that wait for the group before them or for long work, and those with a branch.

use crate::pipeline::counts::stats::RecentStats;
use crate::pipeline::group::Group;
use p5_chips::Rules;
use p5_results::Cause;
use std::mem::offset_of;

/// What is known of prefixes.
#[derive(Clone, Copy, Debug)]
pub struct PlannedPrefixes {
    /// The clocks in which they are decoded, beginning a clock after the group before has entered D1.
    pub clocks: u32,
    /// The offset in the statistics of the clocks that they cost.
    pub statistic: usize,
}

impl PlannedPrefixes {
    /// Those of `group`, if only they make its issue depend on more than the group before.
    pub(in crate::pipeline) fn of(group: &Group, rules: &Rules) -> Option<PlannedPrefixes> {
        let others = group.special || group.awaits || group.branch || group.interlock > 0;
        let causes = group.u as usize * size_of::<RecentStats>() + offset_of!(RecentStats, causes);
        (group.prefixes > 0 && !others && rules.prefixes_decoded_ahead).then(|| PlannedPrefixes {
            clocks: group.prefixes,
            statistic: causes + Cause::Prefix as usize * size_of::<i32>(),
        })
    }
}
