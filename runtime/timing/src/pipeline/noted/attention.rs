//! Attention: the point from which the listeners want to see each issued group, and the count of what passes unseen
//! before it.
//!
//! Modelled: the closest of all demands of the [`listeners`](super). A sampler wants one op or one fetch of many, so
//! observing pauses until that one comes near, and nothing is recorded in the pause. Steps and fetches are counted by
//! block meanwhile, so a pause ends with the block that contains the wanted one, or whose steps are not known
//! beforehand. A wanted clock is checked before each part of a schedule and before each group that is issued singly.
//! None of this changes a clock. Not modelled: a wanted clock on chips whose instructions wait for their bytes before
//! D1, because the clock at which the next group enters D1 is not known there.

use std::cmp::Reverse;

/// How closely a listener looks at what is issued, the closest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::pipeline) enum Demand {
    /// At the count of each block, until a wanted number is reached.
    Count,
    /// At each group that enters D1 at this clock or later.
    Clock(Reverse<u64>),
    Groups,
    /// At each instruction as it is fetched.
    Instructions,
}

/// The time at which an op or a fetch is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Never.
    Never,
    /// At this count, where 1 is the next one. Only completed fetches count.
    Count(u64),
    /// From the first entry into D1 at this clock or later. This does not apply to fetches.
    Clock(u64),
}

/// The op and the fetch that an observer wants to be recorded next.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The next op to be recorded, by its count or its clock.
    pub op: Next,
    /// The next fetch to be recorded, by its count.
    pub fetch: Next,
}

impl Wanted {
    /// Each op and each fetch is wanted.
    pub const ALL: Wanted = Wanted {
        op: Next::Count(1),
        fetch: Next::Count(1),
    };
}

/// The ops and fetches that were not recorded, all of them before those recorded since.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passed {
    /// The number of retired ops. Ops are counted only if one is wanted by its count.
    pub ops: u64,
    /// The number of completed fetches. Fetches are counted only if one is wanted.
    pub fetches: u64,
    /// Whether a pause has ended since the last call, so that recording has begun again.
    pub resumed: bool,
}

/// The demands of all listeners, and the state of observing.
#[derive(Debug)]
pub(in crate::pipeline) struct Attention {
    /// The combined demand of all listeners, if there is any.
    pub(in crate::pipeline) demand: Option<Demand>,
    /// Whether ops are observed, and whether fetches are.
    pub(in crate::pipeline) observes: bool,
    pub(in crate::pipeline) observes_fetches: bool,
    wanted: Wanted,
    /// Whether recording pauses until the wanted op or fetch is near.
    paused: bool,
    passed: Passed,
}

/// The least distance in ops, completed fetches and clocks that is worth a pause. For fetches it exceeds those of a
/// block.
const OPS_WORTH_A_PAUSE: u64 = 16;
const FETCHES_WORTH_A_PAUSE: u64 = 64;
const CLOCKS_WORTH_A_PAUSE: u64 = 64;

/// Upper bounds on the fetches completed beside those of a block's own lines, and on the ops that wait to retire.
const OTHER_FETCHES: u64 = 8;
const OTHER_OPS: u64 = 16;

/// The most ops that retire in a clock. A fetch takes at least one clock.
const OPS_OF_A_CLOCK: u64 = 2;

impl Attention {
    pub(in crate::pipeline) const NONE: Attention = Attention {
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

    /// Whether observed ops are recorded.
    #[inline(always)]
    pub(in crate::pipeline) fn records(&self) -> bool {
        self.observes && !self.paused
    }

    #[inline(always)]
    pub(in crate::pipeline) fn is_paused(&self) -> bool {
        self.paused
    }

    /// Whether the course of each fetch is followed.
    #[inline(always)]
    pub(in crate::pipeline) fn follows_fetches(&self) -> bool {
        self.observes_fetches && (!self.paused || self.wanted.fetch != Next::Never)
    }

    /// Whether fetches are counted without being recorded.
    #[inline(always)]
    pub(in crate::pipeline) fn counts_fetches(&self) -> bool {
        self.paused && self.wanted.fetch != Next::Never
    }

    /// The demand of observing.
    #[inline]
    pub(in crate::pipeline) fn of_observing(&self) -> Option<Demand> {
        self.observes.then_some(match self.wanted.op {
            Next::Clock(clock) if self.paused => Demand::Clock(Reverse(clock)),
            _ if self.paused => Demand::Count,
            _ if self.observes_fetches => Demand::Instructions,
            _ => Demand::Groups,
        })
    }

    /// Whether an op that retires at clock `retired` is recorded. Otherwise it is counted as passed if its steps are
    /// known beforehand.
    pub(in crate::pipeline) fn records_op(&self, retired: u64) -> bool {
        match self.wanted.op {
            Next::Never => false,
            Next::Count(_) => true,
            Next::Clock(clock) => retired >= clock,
        }
    }

    /// Requests that from clock `now` on only `wanted` is recorded. Pauses if that is worth while; `by_clock` is
    /// whether a pause can end at a clock. An instruction may be `waiting` in U.
    pub(in crate::pipeline) fn expect(&mut self, wanted: Wanted, now: u64, by_clock: bool, waiting: bool) {
        let is_far = |next, worth| match next {
            Next::Never => true,
            Next::Count(number) => number > worth,
            Next::Clock(clock) => by_clock && clock > now + CLOCKS_WORTH_A_PAUSE,
        };
        self.wanted = wanted;
        // A fetch under way that is not completed may come first after the completed ones.
        self.paused =
            self.observes && is_far(wanted.op, OPS_WORTH_A_PAUSE) && is_far(wanted.fetch, FETCHES_WORTH_A_PAUSE + 1);
        if self.paused {
            // The waiting instruction has been executed, and its record is the next. Only an instruction of one step
            // waits.
            self.pass_ops(u64::from(waiting));
        }
    }

    /// Counts a block in a pause, before it is executed, or ends the pause. The block has `steps`, if they are known,
    /// and this many code `lines`. An instruction that is `waiting` in U has been counted.
    #[inline]
    pub(in crate::pipeline) fn count_block(&mut self, steps: Option<u32>, lines: u32, waiting: bool) {
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

    /// Counts ops without a record, unless an op is wanted by its clock or none is wanted.
    #[inline]
    fn pass_ops(&mut self, ops: u64) {
        if let Next::Count(number) = &mut self.wanted.op {
            *number -= ops;
            self.passed.ops += ops;
        }
    }

    /// Counts the ops of a group that retires before the wanted clock.
    pub(in crate::pipeline) fn pass_group(&mut self, ops: u64) {
        self.passed.ops += ops;
    }

    /// Counts fetches that were completed in a pause.
    pub(in crate::pipeline) fn pass_fetches(&mut self, fetches: u64) {
        if let Next::Count(number) = &mut self.wanted.fetch {
            debug_assert!(fetches < *number, "a fetch that is wanted has passed");
            *number -= fetches;
            self.passed.fetches += fetches;
        }
    }

    /// Ends a pause. An instruction that is `waiting` in U has been counted, and its record is still to come.
    pub(in crate::pipeline) fn resume(&mut self, waiting: bool) {
        self.paused = false;
        self.passed.resumed = true;
        if let Next::Count(_) = self.wanted.op {
            self.passed.ops -= u64::from(waiting);
        }
    }

    /// Whether a pause has ended since the records were last taken.
    #[inline(always)]
    pub(in crate::pipeline) fn has_resumed(&self) -> bool {
        self.passed.resumed
    }

    /// Returns the ops and fetches passed since the last call.
    pub(in crate::pipeline) fn take_passed(&mut self) -> Passed {
        std::mem::take(&mut self.passed)
    }

    /// The least number of clocks until a block of up to `steps` steps may contain the wanted op or fetch; 0 if it is
    /// not known.
    pub(in crate::pipeline) fn quiet_clocks(&self, steps: u32) -> u64 {
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
