//! Pauses of an observer: nothing is recorded until a step, a fetch or a clock that is wanted comes near.
//!
//! Modelled: steps and fetches are counted by block, so that a pause ends with the block that has what is wanted. A
//! clock is looked at before each part of a schedule and before each group that is issued singly. What becomes of
//! fetches is followed meanwhile if one is wanted. None of this changes a clock. Not modelled: a wanted clock on chips
//! whose instructions wait for their bytes before D1: when the next group enters it is not known there.

use super::super::core::Core;
use super::super::counts::StaticCounts;
use super::super::group::{Group, NONE};
use super::super::schedule::{Schedule, Step};
use super::super::{Pipeline, issue_singly, stats};
use super::Observer;
use crate::block::Op;
use p5_words::facts::Facts;
use p5_words::isa::LONGEST_INSTRUCTION;

/// A pause of an observer.
#[derive(Debug)]
pub(in crate::pipeline) struct Pause {
    pub(super) wanted: Wanted,
    /// The fetches that were completed in it.
    fetched: u64,
    pub(super) observer: Box<Observer>,
}

/// What a pause ends for.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The steps to the one that is wanted, with it; none if no step is.
    pub steps: Option<u64>,
    /// The fetches that are completed before the one that is wanted; none if no fetch is.
    pub fetches: Option<u64>,
    /// The clock before which no op that enters D1 is wanted; none if ops are not wanted by their clock.
    pub clock: Option<u64>,
}

/// What a pause has left behind.
#[derive(Clone, Copy, Debug)]
pub struct Resumed {
    /// The steps to the one that is wanted, with it.
    pub left: Option<u64>,
    /// The records at the front that are of steps before those.
    pub before: usize,
    /// The fetches that were completed meanwhile; 0 if none was wanted.
    pub fetched: u64,
}

/// More fetches than are completed beside those of a block's own lines.
const OTHER_FETCHES: u64 = 8;

/// More clocks than pass between the end of a group, or the arrival of code, and the entry of the next one into D1,
/// without its prefixes: those of a misprediction. With a decoder before D1, it decodes two instructions meanwhile.
const CLOCKS_TO_D1: u64 = 8;
const CLOCKS_TO_D1_AFTER_DECODING: u64 = CLOCKS_TO_D1 + 2 * LONGEST_INSTRUCTION as u64;

impl Core {
    /// Records nothing until the block that has what is `wanted`, from the next instruction on. What becomes of fetches
    /// is followed if one is wanted.
    pub(in crate::pipeline) fn pause_observing(&mut self, wanted: Wanted) {
        if let Some(mut observer) = self.observer.take() {
            observer.forget(wanted.fetches.is_some());
            self.pause = Some(Box::new(Pause {
                wanted,
                fetched: 0,
                observer,
            }));
            self.switch_observing();
        }
    }

    /// Counts a block of `steps`, if they are known, in so many code `lines` that is about to be executed; or ends the
    /// pause before it. An instruction may be `waiting` in U, which has been counted.
    #[cold]
    pub(in crate::pipeline) fn count_unobserved(&mut self, steps: Option<u32>, lines: u32, waiting: bool) {
        let Some(pause) = &mut self.pause else { return };
        pause.fetched += pause.observer.forget_fetches();
        let wanted = &mut pause.wanted;
        let far = wanted
            .fetches
            .is_none_or(|fetches| fetches > pause.fetched + u64::from(lines) + OTHER_FETCHES);
        match (wanted.steps, steps.map(u64::from)) {
            (None, Some(_)) if far => {}
            (None, None) if far && wanted.clock.is_none() => {}
            (Some(left), Some(steps)) if far && steps < left => wanted.steps = Some(left - steps),
            _ => self.end_pause(waiting),
        }
    }

    /// Records from now on. An instruction may be `waiting` in U, which has been counted.
    fn end_pause(&mut self, waiting: bool) {
        let Some(pause) = self.pause.take() else { return };
        let Wanted { steps, fetches, .. } = pause.wanted;
        debug_assert!(fetches.is_none_or(|fetches| pause.fetched <= fetches));
        // Only an instruction of one step waits for a partner. If no step is wanted, none was counted.
        self.resumed = Some(Resumed {
            left: steps,
            before: usize::from(waiting && steps.is_some()),
            fetched: pause.fetched,
        });
        self.observer = Some(pause.observer);
        self.switch_observing();
    }

    /// Whether a pause ends for a step or a fetch, so that those of each block are counted.
    pub(in crate::pipeline) fn counts_blocks(&self) -> bool {
        let wanted = self.pause.as_ref().map(|pause| &pause.wanted);
        wanted.is_some_and(|wanted| wanted.steps.is_some() || wanted.fetches.is_some())
    }

    /// In a pause, the clock before which no op is wanted, if ops are wanted by their clock.
    pub(in crate::pipeline) fn wanted_from(&self) -> Option<u64> {
        self.pause.as_ref().and_then(|pause| pause.wanted.clock)
    }

    /// Whether the next group, before which others take so many `clocks`, and which has so many clocks of prefixes, may
    /// enter D1 at clock `from` or later.
    #[inline(always)]
    pub(in crate::pipeline) fn may_enter_from(&self, from: u64, clocks: u64, prefixes: u32) -> bool {
        let decoding = if self.queue.exists {
            CLOCKS_TO_D1_AFTER_DECODING
        } else {
            CLOCKS_TO_D1
        };
        self.end().max(self.front.ready) + clocks + u64::from(prefixes) + decoding >= from
    }

    /// In a pause, a group is about to issue: ends the pause if the group may be wanted.
    #[cold]
    pub(in crate::pipeline) fn approach_wanted(&mut self, group: &Group) {
        let from = self.wanted_from();
        if from.is_some_and(|from| self.may_enter_from(from, 0, group.prefixes)) {
            self.end_pause(false);
        }
    }

    /// In a pause, what is left of what is wanted. Of an instruction that waits in U, the step has been counted.
    pub(in crate::pipeline) fn left_of_pause(&self) -> Option<Wanted> {
        self.pause.as_ref().map(|pause| Wanted {
            steps: pause.wanted.steps,
            fetches: pause
                .wanted
                .fetches
                .map(|fetches| fetches.saturating_sub(pause.fetched)),
            clock: pause.wanted.clock,
        })
    }

    /// In a pause, so many lines have been entered that were at hand, and the line after them is.
    #[cold]
    pub(in crate::pipeline) fn count_entered(&mut self, lines: usize) {
        if let Some(pause) = &mut self.pause
            && lines > 0
        {
            pause.fetched += u64::from(pause.wanted.fetches.is_some()) * lines as u64;
            (pause.observer.requested, pause.observer.ahead) = (None, None);
        }
    }

    /// Replays the first groups of a schedule, whose instructions have one step each, as [`Self::replay`] does: those
    /// that enter D1 before clock `from` in any case. Returns how many they are and the words of their facts; leaves
    /// the counts of the schedule and, if there are others, the exit state to the caller.
    pub(in crate::pipeline) fn replay_before(
        &mut self,
        from: u64,
        schedule: &Schedule,
        ops: &[Op],
        facts: &Facts,
    ) -> (usize, usize) {
        let groups = &schedule.groups;
        let may_enter = |core: &Core, step: &Step| {
            let prefixes = groups.get(step.group as usize).map_or(0, |group| group.prefixes);
            core.may_enter_from(from, step.clocks(), prefixes)
        };
        let mut first = [&schedule.steps, &schedule.plain_steps]
            .into_iter()
            .flat_map(|steps| steps.first());
        if first.any(|step| may_enter(self, step)) {
            return (0, 0);
        }
        if let Some(first) = groups.first()
            && !first.branch
            && self.meets_entry()
        {
            self.false_entry(first.u);
        }
        let plain = self.front.ready < self.time.clock;
        let steps = if plain { &schedule.plain_steps } else { &schedule.steps };
        let (mut at, mut done) = (0, 0);
        for step in steps {
            if done > 0 && may_enter(self, step) {
                let passed = groups[..done].iter();
                passed.for_each(|group| self.trail.pass(group.address, group.branch));
                self.groups += done as u64;
                return (done, at);
            }
            done += step.groups();
            // Only a branch, which is last, looks at what has passed.
            if done == groups.len() {
                self.groups += done as u64;
                self.trail.pass_all(&schedule.passed);
            }
            at = self.replay_step(step, schedule, ops, facts, at);
            debug_assert!(
                self.time.clock.saturating_sub(self.time.ahead) < from,
                "an op that is wanted has passed"
            );
        }
        self.leave(schedule.exit, ops, facts, at);
        (done, at)
    }
}

impl Pipeline {
    /// Records nothing until the block that has what is `wanted`, counted from the next instruction to be executed on.
    /// What has been recorded must have been taken.
    pub fn pause_observing(&mut self, wanted: Wanted) {
        self.core.pause_observing(wanted);
    }

    /// In a pause, what is left of what is wanted.
    pub fn left_of_pause(&self) -> Option<Wanted> {
        self.core.left_of_pause()
    }

    /// Whether nothing is recorded for the time being.
    pub fn pauses(&self) -> bool {
        self.core.pause.is_some()
    }

    /// Whether an instruction waits in U, which has been executed and will be recorded when it issues.
    pub fn has_waiting(&self) -> bool {
        self.core.entry.open() != NONE
    }

    /// If recording has begun again after a pause: how many steps are left, and how many records at the front are of
    /// instructions before that. Says so once.
    pub fn resumed(&mut self) -> Option<Resumed> {
        self.core.resumed.take()
    }

    /// Whether [`Self::resumed`] has something to say.
    #[inline(always)]
    pub fn has_resumed(&self) -> bool {
        self.core.resumed.is_some()
    }

    /// Replays a schedule in a pause that ends before a group that may enter D1 at clock `from` or later.
    #[inline(never)]
    pub(in crate::pipeline) fn replay_before(&mut self, from: u64, schedule: usize, lines: usize, facts: &Facts) {
        let (done, mut at) = self
            .core
            .replay_before(from, &self.schedules[schedule], &self.ops, facts);
        if done == self.schedules[schedule].groups.len() {
            return self.count_replay(schedule);
        }
        let Pipeline {
            core,
            ops,
            schedules,
            traces,
            ..
        } = self;
        let schedule = &schedules[schedule];
        let replayed = &schedule.groups[..done];
        let counts = StaticCounts::of_all(replayed).with_code_reads(lines);
        counts.count(1, &mut core.counts.tally);
        stats::charge_replayed(&mut core.counts.stats, replayed, 1);
        for group in &schedule.groups[done..] {
            at = issue_singly(core, group, ops, facts, at, traces);
        }
        core.leave(schedule.exit, ops, facts, at);
    }

    /// Whether a pause can end for a clock: on chips whose groups wait for their code before D1, it cannot.
    pub fn pauses_by_clock(&self) -> bool {
        !self.core.prefetched.exists
    }
}

impl Observer {
    /// Forgets what has been recorded and what is being recorded; of fetches not what is under way if that is
    /// `followed`.
    fn forget(&mut self, followed: bool) {
        self.ops.clear();
        self.fetches.clear();
        self.accesses.clear();
        if !followed {
            (self.requested, self.ahead, self.fetch) = (None, None, None);
        }
    }

    /// Forgets the fetches that have ended. Returns how many were completed.
    fn forget_fetches(&mut self) -> u64 {
        let completed = self.fetches.iter().filter(|fetch| fetch.completed).count() as u64;
        self.fetches.clear();
        completed
    }
}
