//! Attention: from when on somebody wants to see the groups that are issued, and what passes unseen before.
//!
//! Modelled: the closest of what all [`listeners`](super::listeners) demand. Who samples wants one op or one fetch of
//! many: until that comes near, observing pauses, and nothing is recorded. Steps and fetches are counted by block
//! meanwhile, so that a pause ends with the block that has what is wanted, or which has steps that are not known
//! beforehand. A clock is looked at before each part of a schedule and before each group that is issued singly. None of
//! this changes a clock. Not modelled: a wanted clock on chips whose instructions wait for their bytes before D1: when
//! the next group enters it is not known there.

use std::cmp::Reverse;

/// How closely somebody looks at what is issued, the closest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Demand {
    /// At the count of each block, until it makes a number.
    Count,
    /// At each group that enters D1 at this clock or later.
    Clock(Reverse<u64>),
    /// At each group.
    Groups,
    /// At each instruction as it is fetched.
    Instructions,
}

/// When an op or a fetch is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Never.
    Never,
    /// When it makes this count: the next one is 1. Of fetches only those count that are completed.
    Count(u64),
    /// When it enters D1 at this clock or later; not for fetches.
    Clock(u64),
}

/// What somebody who observes wants to be recorded next.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The op.
    pub op: Next,
    /// The fetch.
    pub fetch: Next,
}

impl Wanted {
    /// Every op and every fetch.
    pub const ALL: Wanted = Wanted {
        op: Next::Count(1),
        fetch: Next::Count(1),
    };
}

/// What has not been recorded, all of it before what has been recorded since.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed {
    /// The ops that have retired, as far as they were counted: if an op is wanted by its count.
    pub ops: u64,
    /// The fetches that were completed, if a fetch is wanted.
    pub fetches: u64,
    /// Whether a pause has ended.
    pub resumed: bool,
}

/// From when on groups are wanted.
#[derive(Debug)]
pub(super) struct Attention {
    /// What all listeners demand together, if anything.
    pub(super) demand: Option<Demand>,
    /// Whether somebody observes ops, and whether fetches, too.
    pub(super) observes: bool,
    pub(super) observes_fetches: bool,
    wanted: Wanted,
    /// Whether nothing is recorded before what is wanted.
    paused: bool,
    passed: Passed,
}

/// The ops, the completed fetches and the clocks for which a pause is worth while: for fetches more than a block has.
const OPS_WORTH_A_PAUSE: u64 = 16;
const FETCHES_WORTH_A_PAUSE: u64 = 64;
const CLOCKS_WORTH_A_PAUSE: u64 = 64;

/// More fetches than are completed beside those of a block's own lines, and more ops than wait to retire.
const OTHER_FETCHES: u64 = 8;
const OTHER_OPS: u64 = 16;

/// The most ops of a clock. A fetch takes at least one.
const OPS_OF_A_CLOCK: u64 = 2;

impl Attention {
    /// Nobody wants anything.
    pub(super) const NONE: Attention = Attention {
        demand: None,
        observes: false,
        observes_fetches: false,
        wanted: Wanted::ALL,
        paused: false,
        passed: Passed {
            ops: 0,
            fetches: 0,
            resumed: false,
        },
    };

    /// Whether what is observed is recorded.
    #[inline(always)]
    pub(super) fn records(&self) -> bool {
        self.observes && !self.paused
    }

    /// Whether nothing is recorded for the time being.
    #[inline(always)]
    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether what becomes of fetches is followed.
    #[inline(always)]
    pub(super) fn follows_fetches(&self) -> bool {
        self.observes_fetches && (!self.paused || self.wanted.fetch != Next::Never)
    }

    /// Whether fetches are counted that are not recorded.
    #[inline(always)]
    pub(super) fn counts_fetches(&self) -> bool {
        self.paused && self.wanted.fetch != Next::Never
    }

    /// What observing demands.
    #[inline]
    pub(super) fn of_observing(&self) -> Option<Demand> {
        self.observes.then_some(match self.wanted.op {
            Next::Clock(clock) if self.paused => Demand::Clock(Reverse(clock)),
            _ if self.paused => Demand::Count,
            _ if self.observes_fetches => Demand::Instructions,
            _ => Demand::Groups,
        })
    }

    /// Whether an op that retires at clock `retired` is recorded. If not, and if its steps are known beforehand, it
    /// passes.
    pub(super) fn records_op(&self, retired: u64) -> bool {
        match self.wanted.op {
            Next::Never => false,
            Next::Count(_) => true,
            Next::Clock(clock) => retired >= clock,
        }
    }

    /// From clock `now` on only what is `wanted` has to be recorded. Pauses if that is worth while; `by_clock` is
    /// whether a pause can end for a clock. An instruction may be `waiting` in U.
    pub(super) fn expect(&mut self, wanted: Wanted, now: u64, by_clock: bool, waiting: bool) {
        let is_far = |next, worth| match next {
            Next::Never => true,
            Next::Count(number) => number > worth,
            Next::Clock(clock) => by_clock && clock > now + CLOCKS_WORTH_A_PAUSE,
        };
        self.wanted = wanted;
        // A fetch that is not completed may be the one after so many that are.
        self.paused =
            self.observes && is_far(wanted.op, OPS_WORTH_A_PAUSE) && is_far(wanted.fetch, FETCHES_WORTH_A_PAUSE + 1);
        if self.paused {
            // It has been executed, and its record would be the next. Only an instruction of one step waits.
            self.pass_ops(u64::from(waiting));
        }
    }

    /// In a pause, a block of `steps`, if they are known, in so many code `lines` is about to be executed: counts it,
    /// or ends the pause before it. An instruction may be `waiting` in U, which has been counted.
    #[inline]
    pub(super) fn count_block(&mut self, steps: Option<u32>, lines: u32, waiting: bool) {
        let fetch_is_far = match self.wanted.fetch {
            Next::Count(number) => number > u64::from(lines) + OTHER_FETCHES + 1,
            _ => true,
        };
        let steps = steps.map(u64::from);
        let op_is_far = match self.wanted.op {
            Next::Never => true,
            Next::Count(number) => steps.is_some_and(|steps| steps < number),
            Next::Clock(_) => steps.is_some(),
        };
        if fetch_is_far && op_is_far {
            self.pass_ops(steps.unwrap_or(0));
        } else {
            self.resume(waiting);
        }
    }

    /// Counts ops that are not recorded, unless one is wanted by its clock or none is.
    #[inline]
    fn pass_ops(&mut self, ops: u64) {
        if let Next::Count(number) = &mut self.wanted.op {
            *number -= ops;
            self.passed.ops += ops;
        }
    }

    /// Counts ops of a group that retires before the clock from which on they are wanted.
    pub(super) fn pass_group(&mut self, ops: u64) {
        self.passed.ops += ops;
    }

    /// In a pause, so many fetches have been completed.
    pub(super) fn pass_fetches(&mut self, fetches: u64) {
        if let Next::Count(number) = &mut self.wanted.fetch {
            debug_assert!(fetches < *number, "a fetch that is wanted has passed");
            *number -= fetches;
            self.passed.fetches += fetches;
        }
    }

    /// Ends a pause. An instruction may be `waiting` in U: it has been counted, and its record is still to come.
    pub(super) fn resume(&mut self, waiting: bool) {
        self.paused = false;
        self.passed.resumed = true;
        if let Next::Count(_) = self.wanted.op {
            self.passed.ops -= u64::from(waiting);
        }
    }

    /// Whether a pause has ended since what was recorded was last taken.
    #[inline(always)]
    pub(super) fn has_resumed(&self) -> bool {
        self.passed.resumed
    }

    /// What has passed since this was last asked.
    pub(super) fn take_passed(&mut self) -> Passed {
        std::mem::take(&mut self.passed)
    }

    /// The clocks that pass at least until a block of up to `steps` steps may have what is wanted; 0 if that is not
    /// known.
    pub(super) fn quiet_clocks(&self, steps: u32) -> u64 {
        let clocks = |next, near: u64, in_a_clock: u64| match next {
            Next::Never => u64::MAX,
            Next::Count(number) => number.saturating_sub(near) / in_a_clock,
            Next::Clock(_) => 0,
        };
        let of_ops = clocks(self.wanted.op, u64::from(steps) + OTHER_OPS, OPS_OF_A_CLOCK);
        let of_fetches = clocks(self.wanted.fetch, FETCHES_WORTH_A_PAUSE + 1, 1);
        if self.paused { of_ops.min(of_fetches) } else { 0 }
    }
}
