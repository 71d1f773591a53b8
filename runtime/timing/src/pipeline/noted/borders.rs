//! Borders: the clock and the tally at the issue of the instructions at which regions or library code begin or end.
//!
//! Modelled: one issue of each of these instructions. Not modelled: the evaluation of regions.

use crate::counters::Tally;
use crate::pipeline::counts::doubted::DoubtedClocks;
use crate::pipeline::group::Group;
use p5_results::CauseStack;

#[derive(Default)]
pub(in crate::pipeline) struct Borders {
    awaited: Vec<u32>,
    pub(in crate::pipeline) noted: Vec<Crossing>,
    /// Whether one of the current group's instructions is awaited, and the tally before the group.
    near: bool,
    before: Tally,
    /// The clocks of doubted rows before the group, if a trace has been left.
    pub(in crate::pipeline) doubted: DoubtedClocks,
}

/// The issue of an instruction that was awaited.
#[derive(Clone, Debug)]
pub struct Crossing {
    /// The number of the instruction in the pipeline.
    pub op: u32,
    /// The absolute clock of its issue.
    pub clock: u64,
    /// The tally just before its group was counted, but with the group's waits before its issue.
    pub tally: Tally,
    /// Whether it issued in V.
    pub in_v: bool,
    /// The tally before the whole group, or after all of it if the instruction issued in V.
    pub border: Tally,
    /// All clocks by cause up to this issue, if they are wanted.
    pub causes: CauseStack,
    /// The clocks given by doubted rows before the group, if a trace had been left by then.
    pub doubted: DoubtedClocks,
}

impl Borders {
    #[inline(always)]
    pub(in crate::pipeline) fn await_any(&self) -> bool {
        !self.awaited.is_empty()
    }

    pub(in crate::pipeline) fn await_issue(&mut self, op: u32) {
        if !self.awaited.contains(&op) {
            self.awaited.push(op);
        }
    }

    /// Stops awaiting the issue of instruction `op`. Returns false if it was not awaited.
    pub(in crate::pipeline) fn forget(&mut self, op: u32) -> bool {
        let found = self.awaited.iter().position(|&awaited| awaited == op);
        found.map(|index| self.awaited.swap_remove(index)).is_some()
    }

    /// Whether one of the instructions of `group` is awaited.
    pub(in crate::pipeline) fn comes_near(&mut self, group: &Group) -> bool {
        self.near = self.awaited.contains(&group.u) || self.awaited.contains(&group.v);
        self.near
    }

    /// Begins a group near a border. `tally` excludes the whole group.
    pub(in crate::pipeline) fn begin(&mut self, tally: &Tally) {
        self.before.clone_from(tally);
    }

    /// Records the issue of the group at clock `clock`.
    pub(in crate::pipeline) fn cross(
        &mut self,
        group: &Group,
        clock: u64,
        tally: &Tally,
        causes: impl Fn() -> CauseStack,
    ) {
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

    /// Ends the group, which `tally` includes completely.
    pub(in crate::pipeline) fn end(&mut self, tally: &Tally) {
        if let Some(crossing) = self.noted.last_mut().filter(|crossing| self.near && crossing.in_v) {
            crossing.border.clone_from(tally);
        }
    }
}
