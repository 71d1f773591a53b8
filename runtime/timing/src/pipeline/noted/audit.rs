//! The audit: all clocks by cause so far.
//!
//! Modelled: their sum up to each group, because the statistics of instructions are only complete at the end of a run.
//! Not modelled: the evaluation by region, and the charging of clocks.

use crate::pipeline::counts::stats::RecentStats;
use crate::pipeline::group::{Group, NONE};
use p5_results::{Cause, CauseStack};

#[derive(Default)]
pub(in crate::pipeline) struct Audit {
    /// Whether the run asks for the audit.
    pub(in crate::pipeline) on: bool,
    /// The clocks by cause before the current group.
    causes: CauseStack,
    // The instructions that this group's clocks may be charged to, and their clocks before the group.
    charged: [u32; 3],
    before: CauseStack,
}

impl Audit {
    /// Begins a group that is about to be issued, after instruction `mispredicted`.
    pub(in crate::pipeline) fn begin(&mut self, group: &Group, mispredicted: u32, stats: &[RecentStats]) {
        if !self.on {
            return;
        }
        self.charged = [group.u, group.v, NONE];
        if ![group.u, group.v].contains(&mispredicted) {
            self.charged[2] = mispredicted;
        }
        self.before = self.charged(stats);
    }

    /// Ends the group, which has been charged.
    pub(in crate::pipeline) fn end(&mut self, stats: &[RecentStats]) {
        if self.on {
            self.causes = self.now(stats);
        }
    }

    /// All clocks by cause so far, within a group; none without an audit.
    pub(in crate::pipeline) fn now(&self, stats: &[RecentStats]) -> CauseStack {
        if self.on {
            self.causes + self.charged(stats) - self.before
        } else {
            CauseStack::default()
        }
    }

    /// All clocks by cause up to the issue of the last group, an instruction without accesses that has taken `clocks`.
    pub(in crate::pipeline) fn at_issue(&self, clocks: u64) -> CauseStack {
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
