//! Schedules: the part of a block's timing that is known before execution, as a sequence of steps.
//!
//! Modelled: the block's groups, their static clocks and counts, and the state they pass to the next block. A group
//! that depends on addresses, outcomes or counts is a step of its own. Not modelled: the clocks that depend on facts,
//! which the core adds.

use super::counts::StaticCounts;
use super::counts::stats::{self, RecentStats};
use super::entry::Entry;
use super::group::{Former, Group, NONE};
use super::state::trail::Passed;
use std::ops::Range;

/// One step of a schedule: a run of groups that need no facts, which may be empty, and the group or branch after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The number of these groups.
    pub(crate) count: u32,
    /// The clocks that the first of them waits after the end of the group before it.
    pub(crate) interlock: u32,
    /// The clocks from the issue of the first to the issue of the last.
    pub(crate) span: u32,
    /// The clocks of the last one in EX.
    pub(crate) last: u32,
    /// The clocks from the issue of the last but one to the issue of the last.
    pub(crate) between: u32,
    /// The clocks between the entry of the last into D2 and its issue, and the same for the last but one. The clocks
    /// of the first are not known.
    pub(crate) lead: u32,
    pub(crate) lead_before: u32,
    /// Whether the last one holds D2 until its last clock.
    pub(crate) holds: bool,
    /// The kind of the group or branch after them.
    pub(crate) then: Then,
    /// The number of the group that follows, or whose branch follows.
    pub(crate) group: u32,
}

/// The group or branch after the static groups of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    End,
    /// The branch of the last group that needs no facts.
    Branch,
    /// The first group, which depends on the entry state.
    First,
    /// A later group that depends on facts.
    Next,
    /// A later group that needs more than the usual path.
    Special,
}

impl Step {
    /// The clocks from the end of the group before the step to the end of its groups that need no facts.
    pub(crate) fn clocks(&self) -> u64 {
        u64::from(self.interlock + self.span + self.last)
    }

    /// The number of its groups, with the one that follows.
    pub(crate) fn groups(&self) -> usize {
        let follows = matches!(self.then, Then::First | Then::Next | Then::Special);
        self.count as usize + usize::from(follows)
    }

    const EMPTY: Step = Step {
        count: 0,
        interlock: 0,
        span: 0,
        last: 0,
        between: 0,
        lead: 0,
        lead_before: 0,
        holds: false,
        then: Then::End,
        group: 0,
    };
}

#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// The state of issue after the block.
    pub(crate) exit: Entry,
    pub(crate) steps: Box<[Step]>,
    /// The steps for entry states in which only the previous group can delay the first one.
    pub(crate) plain_steps: Box<[Step]>,
    pub(crate) groups: Box<[Group]>,
    pub(crate) counts: StaticCounts,
    /// The effect of its groups on the trail.
    pub(super) passed: Passed,
    /// The replays since the statistics were last gathered that the tally already includes.
    pub(crate) executions: u64,
    /// The replays that the tally does not include yet.
    pub(crate) recent: u64,
    /// Whether every replay so far was for traces or an audit.
    pub(crate) heard_only: bool,
    /// Whether it has only been compiled so far, because its lines have not been at hand.
    pub(crate) planned_only: bool,
}

/// Buffers in which groups and steps are laid out before their number is known. Their memory is reused.
#[derive(Default)]
pub(crate) struct Draft {
    groups: Vec<Group>,
    steps: Vec<Step>,
}

impl Schedule {
    /// Schedules the instructions `ops`, whose lengths are known and which occupy `lines` code lines, for the entry
    /// state `entry`.
    pub(crate) fn new(former: &Former<'_>, ops: Range<u32>, lines: usize, entry: Entry, draft: &mut Draft) -> Schedule {
        let mut state = entry;
        let Draft { groups, steps } = draft;
        groups.clear();
        for op in ops {
            former.take(&mut state, op, true, |group, _| groups.push(group));
        }
        if let (Some(first), true) = (groups.first_mut(), entry.open() != NONE) {
            first.carried = true;
        }
        // The interlocks of these groups depend only on the previous group, so they are counted and charged with the
        // executions.
        for group in groups.iter_mut().skip(1) {
            group.charged_later = !group.begins_slowly;
        }
        Schedule {
            exit: state,
            steps: lay_steps(groups, false, steps),
            plain_steps: lay_steps(groups, true, steps),
            counts: StaticCounts::of_all(groups).with_code_reads(lines),
            passed: Passed::of(groups),
            executions: 0,
            recent: 0,
            heard_only: false,
            planned_only: false,
            groups: groups.as_slice().into(),
        }
    }

    /// Charges the replays since the last call to the instructions.
    pub(crate) fn gather(&mut self, stats: &mut [RecentStats]) {
        let times = std::mem::take(&mut self.executions);
        if times > 0 {
            stats::charge_replayed(stats, &self.groups, times);
        }
    }

    /// Returns a schedule of groups that are issued one by one, whose exit state is `exit`.
    pub(crate) fn of_groups(groups: Vec<Group>, exit: Entry) -> Schedule {
        Schedule {
            exit,
            steps: Box::default(),
            plain_steps: Box::default(),
            counts: StaticCounts::of_all(&groups),
            passed: Passed::Nothing,
            executions: 0,
            recent: 0,
            heard_only: false,
            planned_only: false,
            groups: groups.into(),
        }
    }
}

/// Joins the groups that need no facts into static steps. The first group depends on the entry state, unless the state
/// is known to be `plain` and the group has no interlock.
fn lay_steps(groups: &[Group], plain: bool, steps: &mut Vec<Step>) -> Box<[Step]> {
    steps.clear();
    let mut step = Step::EMPTY;
    for (index, group) in groups.iter().enumerate() {
        let joins = group.is_static() && (index > 0 || (plain && group.interlock == 0));
        if joins {
            if step.count == 0 {
                step.interlock = group.interlock;
            } else {
                step.lead_before = step.lead;
                step.lead = if step.holds { 1 } else { step.last } + group.interlock;
                step.between = step.last + group.interlock;
                step.span += step.between;
            }
            step.last = group.clocks;
            step.holds = group.holds;
            step.count += 1;
        }
        if !joins || group.branch {
            step.then = match (joins, index) {
                (true, _) => Then::Branch,
                (false, 0) => Then::First,
                (false, _) if group.special => Then::Special,
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
    steps.as_slice().into()
}
