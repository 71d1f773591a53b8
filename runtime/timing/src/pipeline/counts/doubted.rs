//! The clocks that doubted rows of the timing table give, by doubt.
//!
//! Modelled: a sum over the statistics of the instructions that have such a row. It costs nothing until a trace is
//! full: from then on until its region ends, all replays are charged and summed at each border of a region, if the
//! program has such instructions at all. Not modelled: what those instructions wait for.

use crate::block::Op;
use crate::pipeline::Pipeline;
use crate::pipeline::counts::Counts;
use p5_chips::Doubt;
use std::ops::Range;

/// Clocks by doubt since the pipeline was created. Only differences are meaningful.
pub type DoubtedClocks = Vec<(Doubt, i64)>;

/// The data of the sums besides the statistics.
#[derive(Default)]
pub(in crate::pipeline) struct Doubted {
    ops: Vec<u32>,
    // The sums over the statistics that have been taken.
    taken: DoubtedClocks,
}

impl Doubted {
    /// Adds the instructions `added`.
    pub(in crate::pipeline) fn add(&mut self, ops: &[Op], added: Range<u32>) {
        let doubtful = |number: &u32| ops[*number as usize].doubtful;
        self.ops.extend(added.filter(doubtful));
    }

    /// Whether any instruction has a doubted row, or had one whose statistics have been taken.
    pub(in crate::pipeline) fn any(&self) -> bool {
        !self.ops.is_empty() || !self.taken.is_empty()
    }

    /// The instructions have other numbers now: these are all.
    pub(in crate::pipeline) fn renumber(&mut self, ops: &[Op]) {
        self.ops.clear();
        self.add(ops, 0..ops.len() as u32);
    }
}

impl Counts {
    /// The clocks that doubted rows of `ops`, all instructions, have given so far. All replays must have been charged.
    pub(in crate::pipeline) fn doubted(&self, ops: &[Op]) -> DoubtedClocks {
        let mut sums = self.doubted.taken.clone();
        for &number in &self.doubted.ops {
            let (op, stats) = (&ops[number as usize], &self.stats[number as usize]);
            let clocks = stats.of_row();
            let Some(doubt) = op.doubt_of(stats.executions(), clocks).filter(|_| clocks != 0) else {
                continue;
            };
            match sums.iter_mut().find(|(known, _)| *known == doubt) {
                Some((_, sum)) => *sum += clocks,
                None => sums.push((doubt, clocks)),
            }
        }
        sums
    }

    /// Keeps the sums of statistics that are about to be taken.
    pub(in crate::pipeline) fn keep_doubted(&mut self, ops: &[Op]) {
        self.doubted.taken = self.doubted(ops);
    }
}

impl Pipeline {
    /// Charges every replay so far, because some region's trace may become full with this many `instructions`. Until
    /// then, groups are charged as they issue.
    #[cold]
    pub(in crate::pipeline) fn near_end_of_traces(&mut self, instructions: usize) {
        self.gather();
        self.core.traces.near_end(instructions);
    }

    /// The clocks given by doubted rows after the end of a trace that became full.
    pub fn doubted_since(before: &DoubtedClocks, now: &DoubtedClocks) -> Vec<(Doubt, u64)> {
        let known = |doubt: &Doubt| before.iter().find(|(other, _)| other == doubt);
        let since = now.iter().map(|&(doubt, clocks)| {
            let since = clocks - known(&doubt).map_or(0, |&(_, clocks)| clocks);
            (doubt, u64::try_from(since).unwrap_or(0))
        });
        let mut since: Vec<(Doubt, u64)> = since.filter(|&(_, clocks)| clocks > 0).collect();
        since.sort_by_key(|(doubt, _)| (doubt.form, doubt.why));
        since
    }
}
