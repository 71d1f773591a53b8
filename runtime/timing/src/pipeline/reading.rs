//! Results of a pipeline: tallies, clocks, noted issues, traces and statistics.
//!
//! A replay only increments the counter of its schedule. Every method here that reads a sum brings it up to date
//! first.

use super::Pipeline;
use super::RemovingStore;
use super::counts::stats::{RECENT, RecentStats};
use super::group::NONE;
use super::noted::borders::Crossing;
use super::noted::kept::KeptTrace;
use super::noted::traced::Traced;
use super::noted::traces::Left;
use super::state::readiness::Precisions;
use crate::block::Op;
use crate::counters::Tally;
use p5_results::{CauseStack, Refusal};
use p5_words::facts::Facts;
use std::ops::Range;

impl Pipeline {
    /// The tallies at CPL 0 to 2 and at CPL 3, up to the end of the last replay. A line that is read ahead since the
    /// last fetch is counted by the next one: to look for it here would decide whether what follows pairs.
    pub fn tallies(&mut self) -> (&Tally, &Tally) {
        self.settle();
        self.by_level(&self.core.counts.tally)
    }

    /// Ends a run: no instruction pairs with its last one, and a line whose read ahead has begun belongs to it,
    /// whatever instructions a block has and so at whatever clock the read was looked for last.
    pub fn end_run(&mut self, facts: &Facts) {
        self.close_open(Refusal::LastInstruction, facts);
        self.core.begin_ahead(self.core.end());
    }

    /// Orders a tally of the current privilege group and the tally of the other group as [`Pipeline::tallies`] does.
    pub fn by_level<'t>(&'t self, running: &'t Tally) -> (&'t Tally, &'t Tally) {
        let other = &self.core.counts.other;
        if self.core.user {
            (other, running)
        } else {
            (running, other)
        }
    }

    /// How often a store has removed a line with executed code from the code cache, and the last such store.
    pub fn removed_lines(&self) -> (u64, Option<RemovingStore>) {
        self.core.counts.removed.all()
    }

    /// How often stores have removed a line of the instruction of `length` bytes at `address`, in this run.
    pub fn removals_of(&self, address: u32, length: u32) -> u64 {
        let cache = &self.core.units.code_cache;
        let lines = [address, address.wrapping_add(length.max(1) - 1)].map(|address| cache.line(address));
        lines
            .into_iter()
            .map(|line| self.core.counts.removed.of_run(line))
            .max()
            .unwrap_or(0)
    }

    /// Begins to count removed lines of another run.
    pub fn begin_removals(&mut self) {
        self.core.counts.removed.begin_run();
    }

    /// Whether the program runs at CPL 3.
    pub fn is_user(&self) -> bool {
        self.core.user
    }

    /// Changes the current privilege group. Schedules contain clocks that depend on it, so the blocks that follow must
    /// have schedules made in the new group.
    pub fn set_user(&mut self, user: bool) {
        if user != self.core.user {
            self.settle();
            let counts = &mut self.core.counts;
            std::mem::swap(&mut counts.tally, &mut counts.other);
            self.core.user = user;
        }
    }

    /// The clock in which the last group issued.
    #[inline(always)]
    pub fn clock(&self) -> u64 {
        self.core.time.clock
    }

    /// The clock in which the next group issues if nothing delays it.
    pub fn end(&self) -> u64 {
        self.core.end()
    }

    /// The clocks that a next instruction would wait for the refill after the last one, if that was mispredicted.
    pub fn unspent_refill(&self) -> u32 {
        self.core.front.refill as u32
    }

    /// The precision controls with which divisions were made in this run.
    pub fn precisions(&self) -> Precisions {
        self.core.readiness.precisions()
    }

    /// Whether misaligned accesses of both instructions of a pair have waited at the same time in this run.
    pub fn overlapped(&self) -> bool {
        self.core.waits.overlapped
    }

    /// Whether a video card has answered a read or write in this run.
    pub fn asked_video(&self) -> bool {
        self.core.units.bus.asked_video
    }

    /// Awaits and records the next issue of instruction `op`, at which a region or library code begins or ends.
    pub fn await_crossing(&mut self, op: u32) {
        // Every group is counted as it issues, up to that issue.
        self.settle();
        if self.core.traces.any_left() && self.core.counts.doubted.any() {
            self.gather();
        }
        self.core.borders.await_issue(op);
        self.core.ask_listeners();
    }

    /// Stops awaiting the issue of instruction `op`. Returns false if it was not awaited, or it has issued.
    pub fn forget_crossing(&mut self, op: u32) -> bool {
        let awaited = self.core.borders.forget(op);
        self.core.ask_listeners();
        awaited
    }

    /// Whether an issue is awaited.
    pub fn awaits_crossing(&self) -> bool {
        self.core.borders.await_any()
    }

    /// Swaps the list of issues recorded since the last call with `noted`, which is empty.
    pub fn take_crossings(&mut self, noted: &mut Vec<Crossing>) {
        std::mem::swap(noted, &mut self.core.borders.noted);
    }

    /// Begins to count clocks by cause, which makes the run slower.
    pub fn audit(&mut self) {
        self.core.audit.on = true;
        self.core.ask_listeners();
    }

    /// The clocks by cause up to the issue of the last group, an instruction without accesses.
    pub fn causes_at_issue(&self) -> CauseStack {
        self.core.audit.at_issue(self.core.time.busy)
    }

    /// Begins the trace of `region` anew; `None` is the whole run.
    pub fn begin_trace(&mut self, region: Option<usize>) {
        self.core.traces.begin(region);
        self.core.ask_listeners();
    }

    /// Lets the trace of the whole run, which has begun, begin anew from time to time, if it is full: `often`, if it is
    /// that of a process.
    pub fn sample_traces(&mut self, often: bool) {
        let clock = self.end();
        self.core.traces.sample_from(clock, often);
    }

    /// Watches issues for the next trace of the whole run if it begins within `ahead` clocks. Has to be called at least
    /// once in this many clocks.
    pub fn watch_traces(&mut self, ahead: u64) {
        let clock = self.end();
        self.core.traces.come_near(clock, ahead);
        self.core.ask_listeners();
    }

    /// Lets a trace of the whole run begin after the jump back at `address` of the program's own source, if it is
    /// executed for the first time and traces begin often.
    pub fn await_jump(&mut self, address: u32) {
        if self.core.traces.await_jump(address) {
            self.core.ask_listeners();
        }
    }

    /// Lets the traces of the whole run that begin anew do so in code at these addresses, if it is executed soon.
    pub fn want_traces(&mut self, code: &[Range<u32>]) {
        self.core.traces.want(code);
    }

    /// Lets a trace of the whole run begin with the instructions at these addresses, which are about to be executed, as
    /// soon as each issues for the first time, unless a trace has room for what follows.
    pub fn await_wanted(&mut self, addresses: impl Iterator<Item = u32>) {
        if self.core.traces.await_wanted(addresses) {
            self.core.ask_listeners();
        }
    }

    /// The full traces of the whole run before the one that [`Pipeline::take_trace`] returns, and those of them that
    /// began with a loop.
    pub fn take_earlier_traces(&mut self) -> [Vec<KeptTrace>; 2] {
        self.core.traces.take_earlier()
    }

    /// Ends the trace of `region` and returns it; empty if there is none. If the trace was full, also returns the
    /// point at which it ended.
    pub fn take_trace(&mut self, region: Option<usize>) -> (Vec<Traced>, Option<Left>) {
        let trace = self.core.traces.take(region);
        self.core.ask_listeners();
        trace.unwrap_or_default()
    }

    /// Keeps the memory of `trace` for the next trace.
    pub fn reuse_trace(&mut self, trace: Vec<Traced>) {
        self.core.traces.reuse(trace);
    }

    /// Brings the tally up to date with every replay so far.
    pub(super) fn settle(&mut self) {
        self.core.count_bus_cycles();
        self.core.count_clocks();
        for index in self.recent.drain(..) {
            let schedule = &mut self.schedules[index as usize];
            let times = std::mem::take(&mut schedule.recent);
            schedule.executions += times;
            schedule.counts.count(times, &mut self.core.counts.tally);
        }
        self.settle_compiled();
    }

    /// Passes every instruction to `read` with its statistics since the last [`Pipeline::take_stats`].
    pub fn read_stats(&mut self, mut read: impl FnMut(&Op, &RecentStats)) {
        self.gather();
        let stats = &self.core.counts.stats;
        self.ops.iter().zip(stats).for_each(|(op, stats)| read(op, stats));
    }

    /// Passes every instruction to `keep` with its statistics since the last call, unless they are empty.
    pub fn take_stats(&mut self, mut keep: impl FnMut(&Op, &RecentStats)) {
        self.gather();
        self.core.counts.keep_doubted(&self.ops);
        self.core.counts.taken = self.end();
        let stats = &mut self.core.counts.stats;
        for (op, stats) in self.ops.iter().zip(stats) {
            // Clocks may be charged to an instruction whose execution was counted under an earlier number.
            if !stats.is_empty() {
                keep(op, stats);
                *stats = RecentStats::default();
            }
        }
    }

    /// The number of instructions that [`Pipeline::take_stats`] visits.
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// Whether the statistics have to be taken before their counters overflow.
    pub fn stats_are_due(&self) -> bool {
        self.end() - self.core.counts.taken >= RECENT
    }

    /// Charges every replay so far to the instructions.
    pub(super) fn gather(&mut self) {
        self.settle();
        for schedule in &mut self.schedules {
            schedule.gather(&mut self.core.counts.stats);
        }
    }

    /// Two numbers: the schedules of cold passes, and the spans that were replayed.
    #[cfg(feature = "tally")]
    pub fn replayed(&self) -> [usize; 2] {
        [self.cold, self.core.spans_replayed]
    }

    /// The number of instructions.
    pub fn instructions(&self) -> usize {
        self.ops.len()
    }

    /// The number of instructions, and of schedules except those of cold passes, and those used only by traces or not
    /// at all.
    pub fn decoded(&self) -> usize {
        self.ops.len() + self.schedules.len() - self.heard_only - self.planned_only - self.cold
    }

    /// Discards all schedules, and all instructions except the two that may still be charged: the one that waits in U
    /// and the one that mispredicted last. Passes the statistics to `keep`. The caller discards the blocks.
    pub fn forget(&mut self, mut keep: impl FnMut(&Op, &RecentStats)) {
        self.gather();
        self.core.counts.keep_doubted(&self.ops);
        let stats = self.core.counts.stats.iter();
        let counted = self.ops.iter().zip(stats).filter(|(_, stats)| !stats.is_empty());
        counted.for_each(|(op, stats)| keep(op, stats));
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
        // The memory of the discarded vectors is reused.
        self.core.counts.taken = self.end();
        self.core.counts.stats.clear();
        self.core.counts.stats.resize(kept.len(), RecentStats::default());
        self.ops.clear();
        self.ops.append(&mut kept);
        self.core.counts.doubted.renumber(&self.ops);
        self.schedules.clear();
        self.compiled.clear();
        self.heard_only = 0;
        self.planned_only = 0;
        self.cold = 0;
        self.colds.clear();
    }
}
