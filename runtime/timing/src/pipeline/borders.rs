//! Borders: the clock and the tally at the issue of instructions with which regions, or the library, begin or end.
//!
//! Modelled: one issue of each of these instructions. Not modelled: the evaluation of regions.

use super::doubted::DoubtedClocks;
use super::group::Group;
use crate::counters::Tally;
use p5_results::CauseStack;

/// The instructions whose next issue is awaited, and the issues that have been noted.
#[derive(Default)]
pub(super) struct Borders {
    awaited: Vec<u32>,
    /// The issues that have been noted.
    pub(super) noted: Vec<Crossing>,
    /// Whether one of the current group's instructions is awaited, and the tally before anything of that group.
    near: bool,
    before: Tally,
    /// The clocks of doubted rows before it, if a trace has been left.
    pub(super) doubted: DoubtedClocks,
}

/// The issue of an instruction that was awaited.
#[derive(Clone, Debug)]
pub struct Crossing {
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
    /// The clocks that doubted rows have given before its group, if a trace had been left by then.
    pub doubted: DoubtedClocks,
}

impl Borders {
    /// Whether any issue is awaited.
    #[inline(always)]
    pub(super) fn await_any(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// Awaits the next issue of instruction `op`.
    pub(super) fn await_issue(&mut self, op: u32) {
        if !self.awaited.contains(&op) {
            self.awaited.push(op);
        }
    }

    /// Awaits the issue of instruction `op` no longer. Returns false if it was not awaited.
    pub(super) fn forget(&mut self, op: u32) -> bool {
        let found = self.awaited.iter().position(|&awaited| awaited == op);
        found.map(|index| self.awaited.swap_remove(index)).is_some()
    }

    /// Whether `group` is near a border: one of its instructions is awaited.
    pub(super) fn comes_near(&mut self, group: &Group) -> bool {
        self.near = self.awaited.contains(&group.u) || self.awaited.contains(&group.v);
        self.near
    }

    /// Before anything of a group near a border, `tally` has been counted.
    pub(super) fn begin(&mut self, tally: &Tally) {
        self.before.clone_from(tally);
    }

    /// The group issues at clock `clock`.
    pub(super) fn cross(&mut self, group: &Group, clock: u64, tally: &Tally, causes: impl Fn() -> CauseStack) {
        for op in [group.u, group.v] {
            if self.forget(op) {
                self.noted.push(Crossing {
                    op,
                    clock,
                    tally: tally.clone(),
                    in_v: op == group.v,
                    border: self.before.clone(),
                    causes: causes(),
                    doubted: self.doubted.clone(),
                });
            }
        }
    }

    /// All of the group has been counted in `tally`.
    pub(super) fn end(&mut self, tally: &Tally) {
        if let Some(crossing) = self.noted.last_mut().filter(|crossing| self.near && crossing.in_v) {
            crossing.border.clone_from(tally);
        }
    }
}
