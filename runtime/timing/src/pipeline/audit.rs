//! The audit: all clocks by cause so far.
//!
//! Modelled: their sum up to each group, because the statistics of instructions are only complete at the end of a run.
//! Not modelled: what regions make of it, nor what charges the clocks.

use super::group::{Group, NONE};
use super::stats::RecentStats;
use p5_results::{Cause, CauseStack};

/// The clocks by cause so far, if they are wanted.
#[derive(Default)]
pub(super) struct Audit {
    /// Whether they are wanted.
    pub(super) on: bool,
    /// All of them before the current group.
    causes: CauseStack,
    // The instructions that this group's clocks may be charged to, and what was charged to them before.
    charged: [u32; 3],
    before: CauseStack,
}

impl Audit {
    /// A group is about to be issued, after instruction `mispredicted`.
    pub(super) fn begin(&mut self, group: &Group, mispredicted: u32, stats: &[RecentStats]) {
        if !self.on {
            return;
        }
        self.charged = [group.u, group.v, NONE];
        if ![group.u, group.v].contains(&mispredicted) {
            self.charged[2] = mispredicted;
        }
        self.before = self.charged(stats);
    }

    /// The group has been charged.
    pub(super) fn end(&mut self, stats: &[RecentStats]) {
        if self.on {
            self.causes = self.now(stats);
        }
    }

    /// All clocks by cause so far, within a group; nothing if they are not wanted.
    pub(super) fn now(&self, stats: &[RecentStats]) -> CauseStack {
        if self.on {
            self.causes + self.charged(stats) - self.before
        } else {
            CauseStack::default()
        }
    }

    /// The same up to the issue of the last group, an instruction without accesses that has taken `clocks`.
    pub(super) fn at_issue(&self, clocks: u64) -> CauseStack {
        let mut own = CauseStack::default();
        own.add(Cause::Issue, 1);
        own.add(Cause::Execution, clocks as i64 - 1);
        self.causes - own
    }

    /// The clocks charged so far to the instructions of the current group.
    fn charged(&self, stats: &[RecentStats]) -> CauseStack {
        let mut sum = CauseStack::default();
        for stats in self.charged.iter().filter_map(|&op| stats.get(op as usize)) {
            sum.add_counts(&stats.causes);
        }
        sum
    }
}
