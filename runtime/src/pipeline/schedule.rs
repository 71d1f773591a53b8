//! A schedule: what is known of a block's time before it runs, as a little program of steps.
//!
//! Modelled: the block's groups, what they take and count whatever their facts, and what they leave to the next block. What
//! depends on addresses, outcomes or counts is left as a group of its own. Not modelled here: time itself, which the core
//! adds up.

use super::counts::StaticCounts;
use super::entry::Entry;
use super::group::{Former, Group, NONE};
use super::trail::Passed;
use std::ops::Range;

/// One step of a schedule: first groups that need no facts, if there are any, then what ends them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// How many groups need no facts.
    pub(crate) count: u32,
    /// Clocks the first of them waits for the group before it, beyond its end.
    pub(crate) interlock: u32,
    /// From the first one's issue to the last one's.
    pub(crate) span: u32,
    /// The last one's clocks in EX.
    pub(crate) last: u32,
    /// From the last but one's issue to the last one's.
    pub(crate) lead: u32,
    /// What comes then.
    pub(crate) then: Then,
    /// The group that it concerns.
    pub(crate) group: u32,
}

/// What ends a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The block's end.
    End,
    /// The branch of the last group that needs no facts.
    Branch,
    /// The first group, which depends on the state of entry.
    First,
    /// A later group that depends on facts.
    Next,
}

impl Step {
    const EMPTY: Step = Step {
        count: 0,
        interlock: 0,
        span: 0,
        last: 0,
        lead: 0,
        then: Then::End,
        group: 0,
    };
}

/// A block's time for one state of entry.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// The state it leaves.
    pub(crate) exit: Entry,
    /// What to do.
    pub(crate) steps: Box<[Step]>,
    /// What to do if nothing holds the first group up but the one before it.
    pub(crate) plain_steps: Box<[Step]>,
    /// The groups, in issue order.
    pub(crate) groups: Box<[Group]>,
    /// Whose interlocks are charged with the schedule's executions.
    pub(crate) charged_later: Box<[bool]>,
    /// What a replay counts whatever its facts.
    pub(crate) counts: StaticCounts,
    /// What its groups leave for the next branch.
    pub(super) passed: Passed,
    /// How often it was replayed since the statistics were last gathered, as far as the tally has it.
    pub(crate) executions: u64,
    /// How often it was replayed since then.
    pub(crate) recent: u64,
}

impl Schedule {
    /// Schedules the instructions `ops`, all of known length and in `lines` code lines, entered in state `entry`.
    pub(crate) fn new(former: &Former<'_>, ops: Range<u32>, lines: usize, entry: Entry) -> Schedule {
        let mut state = entry;
        let mut groups = Vec::new();
        for op in ops {
            for group in former.take(&mut state, op, true).into_iter().flatten() {
                groups.push(group);
            }
        }
        if let (Some(first), true) = (groups.first_mut(), entry.open() != NONE) {
            first.carried = true;
        }
        // Their interlocks depend on nothing but the group before, and are counted and charged with the executions.
        let charged_later: Box<[bool]> = groups
            .iter()
            .enumerate()
            .map(|(index, group)| index > 0 && group.prefixes == 0)
            .collect();
        let mut schedule = Schedule {
            exit: state,
            steps: Box::default(),
            plain_steps: Box::default(),
            counts: StaticCounts::of_all(&groups, &charged_later).with_code_reads(lines),
            passed: Passed::of(&groups),
            charged_later,
            executions: 0,
            recent: 0,
            groups: groups.into(),
        };
        schedule.steps = schedule.lay_steps(false);
        schedule.plain_steps = schedule.lay_steps(true);
        schedule
    }

    /// Joins the groups that need no facts into static steps. The first group looks at the state of entry, unless that is
    /// known to be `plain` and the group has nothing of its own that could wait.
    fn lay_steps(&self, plain: bool) -> Box<[Step]> {
        let mut steps = Vec::new();
        let mut step = Step::EMPTY;
        for (index, group) in self.groups.iter().enumerate() {
            let joins = group.is_static() && (index > 0 || (plain && group.interlock == 0));
            if joins {
                if step.count == 0 {
                    step.interlock = group.interlock;
                } else {
                    step.lead = step.last + group.interlock;
                    step.span += step.lead;
                }
                step.last = group.clocks;
                step.count += 1;
            }
            if !joins || group.branch {
                step.then = match (joins, index) {
                    (true, _) => Then::Branch,
                    (false, 0) => Then::First,
                    (false, _) => Then::Next,
                };
                step.group = index as u32;
                steps.push(step);
                step = Step::EMPTY;
            }
        }
        if step.count > 0 {
            steps.push(step);
        }
        steps.into()
    }
}
