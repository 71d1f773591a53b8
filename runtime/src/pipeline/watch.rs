//! Watches: the clock and the tally at the issue of instructions with which regions begin or end.
//!
//! Modelled: one issue of each of these instructions. Not modelled: the evaluation of regions.

use super::core::Core;
use super::group::Group;
use crate::counters::Tally;

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
}

/// The recorded issue of a watched instruction.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    /// The instruction's number.
    pub(crate) op: u32,
    /// The clock of its issue.
    pub(crate) clock: u64,
    /// The tally just before its group was counted, but with the group's waits before its issue.
    pub(crate) tally: Tally,
    /// Whether it issued in V.
    pub(crate) in_v: bool,
    /// The tally before anything of its group, or after all of it if the instruction issued in V.
    pub(crate) border: Tally,
}

impl Watch {
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
                self.watch.noted.push(Watched {
                    op,
                    clock: self.time.clock,
                    tally: self.counts.tally.clone(),
                    in_v: op == group.v,
                    border: self.watch.border.clone(),
                });
            }
        }
    }
}
