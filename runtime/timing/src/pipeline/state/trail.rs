//! The trail: the data of the last groups, except their clocks, that the next branch depends on.
//!
//! Modelled: the addresses that an entry of the branch target buffer is attached to, and whether the last group
//! contained a branch. Not modelled: clocks.
//!
//! The trail is static for each edge between two schedules: the interpreter writes it once per schedule, and an engine
//! that compiles edges treats it as constants. The group that last mispredicted and the code line fetched last depend
//! on outcomes, so they are in the core.

use crate::pipeline::group::Group;

#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct Trail {
    /// The U address of the last group, and of the one before it.
    pub(in crate::pipeline) last_u: u32,
    pub(in crate::pipeline) previous_u: u32,
    pub(in crate::pipeline) last_branched: bool,
}

/// The effect of a schedule's groups on the trail.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) enum Passed {
    Nothing,
    /// One group: its address, and whether it contains a branch.
    One(u32, bool),
    Several(Trail),
}

impl Trail {
    /// The trail before the first group.
    pub(in crate::pipeline) const START: Trail = Trail {
        last_u: 0,
        previous_u: 0,
        last_branched: false,
    };

    #[inline(always)]
    pub(in crate::pipeline) fn pass(&mut self, address: u32, branched: bool) {
        self.previous_u = self.last_u;
        self.last_u = address;
        self.last_branched = branched;
    }

    #[inline(always)]
    pub(in crate::pipeline) fn pass_all(&mut self, passed: &Passed) {
        match passed {
            Passed::Several(trail) => *self = *trail,
            Passed::One(address, branched) => self.pass(*address, *branched),
            Passed::Nothing => {}
        }
    }
}

impl Passed {
    /// Returns the effect of `groups` on a trail.
    pub(in crate::pipeline) fn of(groups: &[Group]) -> Passed {
        match groups {
            [] => Passed::Nothing,
            [only] => Passed::One(only.address, only.branch),
            [.., before, last] => Passed::Several(Trail {
                last_u: last.address,
                previous_u: before.address,
                last_branched: last.branch,
            }),
        }
    }
}
