//! Watches: the clock and the tally at the issue of instructions with which regions begin or end.
//!
//! Modelled: one issue of each of these instructions. Not modelled: the evaluation of regions.

use super::core::Core;
use super::group::{Group, NONE};
use crate::counters::Tally;
use p5_results::{Cause, CauseStack};

/// The requested and the recorded issues.
#[derive(Default)]
pub(super) struct Watch {
    /// Whether an issue is requested. Until it has been recorded, groups are issued one at a time.
    pub(super) on: bool,
    ops: Vec<u32>,
    /// The tally before anything of the current group, if the issue of one of its instructions is requested.
    pub(super) border: Tally,
    /// The recorded issues.
    pub(super) noted: Vec<Watched>,
    /// Whether clocks are wanted by cause.
    pub(super) audited: bool,
    /// All clocks by cause before the current group, if so.
    causes: CauseStack,
    // The instructions that this group's clocks may be charged to, and what was charged to them before.
    charged: [u32; 3],
    before: CauseStack,
}

/// The recorded issue of a watched instruction.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The instruction's number.
    pub op: u32,
    /// The clock of its issue.
    pub clock: u64,
    /// The tally just before its group was counted, but with the group's waits before its issue.
    pub tally: Tally,
    /// Whether it issued in V.
    pub in_v: bool,
    /// The tally before anything of its group, or after all of it if the instruction issued in V.
    pub border: Tally,
    /// All clocks by cause up to this issue, if they are wanted.
    pub causes: CauseStack,
}

impl Watch {
    /// Nothing is requested any longer. Clocks by cause are counted on.
    pub(super) fn restart(&mut self) {
        *self = Watch {
            audited: self.audited,
            causes: self.causes,
            ..Watch::default()
        };
    }

    /// Requests that the next issue of instruction `op` is recorded.
    pub(super) fn watch_for(&mut self, op: u32) {
        if !self.ops.contains(&op) {
            self.ops.push(op);
        }
        self.on = true;
    }

    /// Withdraws the request for the issue of instruction `op`. Returns false if there is none.
    pub(super) fn forget(&mut self, op: u32) -> bool {
        let found = self.ops.iter().position(|&watched| watched == op);
        if let Some(index) = found {
            self.ops.swap_remove(index);
            self.on = !self.ops.is_empty();
        }
        found.is_some()
    }

    /// Whether the issue of an instruction of `group` is requested.
    pub(super) fn wants(&self, group: &Group) -> bool {
        self.ops.contains(&group.u) || self.ops.contains(&group.v)
    }

    /// All of a group with a watched instruction has been counted in `tally`.
    pub(super) fn counted(&mut self, tally: &Tally) {
        if let Some(watched) = self.noted.last_mut().filter(|watched| watched.in_v) {
            watched.border.clone_from(tally);
        }
    }
}

impl Core {
    /// Records the issue of a watched instruction.
    #[cold]
    pub(super) fn look_at(&mut self, group: &Group) {
        for op in [group.u, group.v] {
            if let Some(index) = self.watch.ops.iter().position(|&watched| watched == op) {
                self.watch.ops.swap_remove(index);
                self.watch.on = !self.watch.ops.is_empty();
                let causes = if self.watch.audited {
                    self.causes()
                } else {
                    CauseStack::default()
                };
                self.watch.noted.push(Watched {
                    op,
                    clock: self.time.clock,
                    tally: self.counts.tally.clone(),
                    in_v: op == group.v,
                    border: self.watch.border.clone(),
                    causes,
                });
            }
        }
    }

    /// Counts clocks by cause from here on.
    pub(super) fn audit(&mut self) {
        self.watch.audited = true;
    }

    /// All clocks by cause up to the issue of the last group, an instruction without accesses.
    pub(super) fn causes_at_issue(&self) -> CauseStack {
        let mut own = CauseStack::default();
        own.add(Cause::Issue, 1);
        own.add(Cause::Execution, self.time.busy as i64 - 1);
        self.watch.causes - own
    }

    /// A group is about to issue whose clocks are wanted by cause.
    #[cold]
    pub(super) fn begin_charging(&mut self, group: &Group) {
        self.watch.charged = [group.u, group.v, NONE];
        let mispredicted = self.front.refill_op;
        if ![group.u, group.v].contains(&mispredicted) {
            self.watch.charged[2] = mispredicted;
        }
        self.watch.before = self.charged();
    }

    /// The group has been charged.
    #[cold]
    pub(super) fn end_charging(&mut self) {
        self.watch.causes = self.causes();
    }

    /// All clocks by cause so far.
    fn causes(&self) -> CauseStack {
        self.watch.causes + self.charged() - self.watch.before
    }

    /// The clocks charged so far to the instructions of the current group.
    fn charged(&self) -> CauseStack {
        let mut sum = CauseStack::default();
        let stats = self.watch.charged.iter();
        for stats in stats.filter_map(|&op| self.counts.stats.get(op as usize)) {
            sum.add_counts(&stats.causes);
        }
        sum
    }
}
