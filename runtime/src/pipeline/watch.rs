//! Watches: the clock and the tally at the issue of instructions that regions begin or end with.
//!
//! Modelled: each of these issues, once. Not modelled: what a region makes of it.

use super::core::Core;
use super::group::Group;
use crate::counters::Tally;

/// What is to be noted, and what was.
#[derive(Default)]
pub(super) struct Watch {
    /// Whether an issue is to be noted. Until it is, groups are issued one at a time.
    pub(super) on: bool,
    ops: Vec<u32>,
    /// What was noted.
    pub(super) noted: Vec<Watched>,
}

/// What the issue of a watched instruction looked like.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    /// The instruction's number.
    pub(crate) op: u32,
    /// The clock of its issue.
    pub(crate) clock: u64,
    /// The tally just before its group was counted.
    pub(crate) tally: Tally,
}

impl Watch {
    /// Asks for the issue of instruction `op` to be noted, once.
    pub(super) fn watch_for(&mut self, op: u32) {
        if !self.ops.contains(&op) {
            self.ops.push(op);
        }
        self.on = true;
    }
}

impl Core {
    /// Notes the issue of a watched instruction.
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
                });
            }
        }
    }
}
