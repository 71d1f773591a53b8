//! The trail: what the groups before leave for the next branch, apart from their clocks.
//!
//! Modelled: the addresses an entry of the branch target buffer is attached to, and whether groups held branches.
//! Not modelled: clocks.
//!
//! All of it is static for each edge between two schedules: the interpreter writes it once a schedule, and an engine that
//! compiles edges has it as constants. Which group last mispredicted and which code line was fetched last depend on outcomes,
//! and stay with the core.

use super::group::Group;

/// Where the last two groups were, and what they held.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trail {
    /// The U address of the last group, and of the one before it.
    pub(super) last_u: u32,
    pub(super) previous_u: u32,
    /// Whether they held a branch.
    pub(super) last_branched: bool,
    pub(super) previous_branched: bool,
}

/// What the groups of a schedule make of the trail.
#[derive(Clone, Copy, Debug)]
pub(super) enum Passed {
    /// There is none.
    Nothing,
    /// One group: its address, and whether it holds a branch.
    One(u32, bool),
    /// Several groups.
    Several(Trail),
}

impl Trail {
    /// No group so far.
    pub(super) const START: Trail = Trail {
        last_u: 0,
        previous_u: 0,
        last_branched: false,
        previous_branched: false,
    };

    /// One group more.
    #[inline(always)]
    pub(super) fn pass(&mut self, address: u32, branched: bool) {
        self.previous_u = self.last_u;
        self.previous_branched = self.last_branched;
        self.last_u = address;
        self.last_branched = branched;
    }

    /// All groups of a schedule more.
    #[inline(always)]
    pub(super) fn pass_all(&mut self, passed: &Passed) {
        match passed {
            Passed::Several(trail) => *self = *trail,
            Passed::One(address, branched) => self.pass(*address, *branched),
            Passed::Nothing => {}
        }
    }
}

impl Passed {
    /// What `groups` make of a trail.
    pub(super) fn of(groups: &[Group]) -> Passed {
        match groups {
            [] => Passed::Nothing,
            [only] => Passed::One(only.address, only.branch),
            [.., before, last] => Passed::Several(Trail {
                last_u: last.address,
                previous_u: before.address,
                last_branched: last.branch,
                previous_branched: before.branch,
            }),
        }
    }
}
