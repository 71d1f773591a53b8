//! Reading: tallies, clocks, noted issues and statistics of a pipeline.
//!
//! Replays are only counted as they happen. Every method here that reads a sum brings it up to date first, so no caller can
//! forget to.

use super::Pipeline;
use super::group::NONE;
use super::stats::{self, OpStats};
use super::watch::Watched;
use crate::block::Op;
use crate::counters::Tally;

impl Pipeline {
    /// The tallies at CPL 0 to 2 and at CPL 3, up to the end of what was replayed.
    pub(crate) fn tallies(&mut self) -> (&Tally, &Tally) {
        self.settle();
        self.by_level(&self.core.counts.tally)
    }

    /// A tally of the running privilege group and the other's, in the order of [`Pipeline::tallies`].
    pub(crate) fn by_level<'t>(&'t self, running: &'t Tally) -> (&'t Tally, &'t Tally) {
        let other = &self.core.counts.other;
        if self.core.user {
            (other, running)
        } else {
            (running, other)
        }
    }

    /// Whether the program runs at CPL 1 to 3.
    #[inline(always)]
    pub(crate) fn user(&self) -> bool {
        self.core.user
    }

    /// Changes the privilege group that is counted. Schedules hold clocks that privilege decides: the caller has had them
    /// forgotten.
    pub(crate) fn set_user(&mut self, user: bool) {
        if user != self.core.user {
            self.settle();
            let counts = &mut self.core.counts;
            std::mem::swap(&mut counts.tally, &mut counts.other);
            self.core.user = user;
        }
    }

    /// When the last group issued.
    #[inline(always)]
    pub(crate) fn clock(&self) -> u64 {
        self.core.time.clock
    }

    /// When the next group could issue if nothing kept it.
    pub(crate) fn end(&self) -> u64 {
        self.core.end()
    }

    /// Asks for the issue of instruction `op` to be noted, once.
    pub(crate) fn watch_for(&mut self, op: u32) {
        // From here to that issue every group is counted as it issues.
        self.settle();
        self.core.watch.watch_for(op);
    }

    /// Whether an issue is still to be noted.
    pub(crate) fn watching(&self) -> bool {
        self.core.watch.on
    }

    /// The issues noted since the last call.
    pub(crate) fn take_watched(&mut self) -> Vec<Watched> {
        std::mem::take(&mut self.core.watch.noted)
    }

    /// Brings the tally up to date with every replay so far.
    fn settle(&mut self) {
        self.core.count_bus_cycles();
        for index in self.recent.drain(..) {
            let schedule = &mut self.schedules[index as usize];
            let times = std::mem::take(&mut schedule.recent);
            schedule.executions += times;
            schedule.counts.count(times, &mut self.core.counts.tally);
        }
    }

    /// Hands every instruction with what it came to since the last call to `keep`, but those that came to nothing.
    pub(crate) fn take_stats(&mut self, mut keep: impl FnMut(&Op, OpStats)) {
        self.settle();
        let stats = &mut self.core.counts.stats;
        for schedule in &mut self.schedules {
            stats::gather(stats, schedule);
        }
        for (op, stats) in self.ops.iter().zip(stats) {
            // Clocks may be charged to an instruction whose execution was counted under an earlier number.
            if *stats != OpStats::default() {
                keep(op, std::mem::take(stats));
            }
        }
    }

    /// How many instructions and schedules there are.
    pub(crate) fn decoded(&self) -> usize {
        self.ops.len() + self.schedules.len()
    }

    /// Forgets all schedules, and all instructions but the two that time may still charge: the one that waits in U and the
    /// one that mispredicted last; what they came to goes to `keep`. The caller forgets the blocks.
    pub(crate) fn forget(&mut self, keep: impl FnMut(&Op, OpStats)) {
        self.take_stats(keep);
        let mut kept = Vec::new();
        let [open, refill_op] = [self.core.entry.open(), self.core.front.refill_op].map(|number| {
            let Some(op) = self.ops.get(number as usize) else {
                return NONE;
            };
            kept.push(op.clone());
            kept.len() as u32 - 1
        });
        self.core.entry = self.core.entry.renumbered(open);
        self.core.front.refill_op = refill_op;
        self.core.counts.stats = vec![OpStats::default(); kept.len()];
        self.ops = kept;
        self.schedules.clear();
    }
}
