//! Timing: when each instruction issues, in which pipe, and what it waits for.
//!
//! Modelled: see `core` (stages), `pair`, `access`, `branch`, `fetch`, `complex`, `readiness` (what outlasts EX).
//! Not modelled: MMX, interrupts, single-stepping; README.md lists all that is not modelled.
//! A block is replayed from its schedule if its bytes are cached and its instruction lengths known. Otherwise, while a
//! region is traced, and while an issue is watched for, it is replayed one instruction at a time. Both paths form the
//! same groups and issue them with the same code.

mod access;
mod branch;
mod command;
mod complex;
mod core;
mod counts;
mod entry;
mod execute;
mod fetch;
mod group;
mod needs;
mod pair;
mod readiness;
mod reading;
mod schedule;
mod stages;
mod stats;
mod traces;
mod trail;
mod waits;
mod watch;

pub(crate) use self::core::Core;
pub(crate) use self::needs::{Decoded, needs};
pub(crate) use self::stats::OpStats;
#[cfg(test)]
pub(crate) use self::traces::MOST_OPEN;
pub(crate) use self::traces::{Traced, Traces};
pub(crate) use self::watch::Watched;

use self::counts::StaticCounts;
use self::entry::{Entry, Noticed};
use self::fetch::FetchedLines;
use self::group::{Group, NONE};
use self::schedule::Schedule;
use crate::block::{Op, RegisterSet};
use crate::facts::Facts;
use crate::model::{MemoryPreset, Model};
use crate::run::{Cause, Pipe, Refusal};
use std::ops::Range;

/// The whole timing simulation: the core, every decoded instruction and every schedule.
pub(crate) struct Pipeline {
    /// The state that changes with time.
    pub(crate) core: Core,
    /// Every instruction, by number.
    ops: Vec<Op>,
    schedules: Vec<Schedule>,
    // The schedules with replays that have not been added to the tally yet.
    recent: Vec<u32>,
    /// The traces in progress.
    pub(crate) traces: Traces,
}

/// The timing data of a block.
#[derive(Debug)]
pub(crate) struct BlockTime {
    /// Its instructions' numbers.
    pub(crate) ops: Range<u32>,
    lines: FetchedLines,
    // The schedules, each with its entry state.
    schedules: Vec<(Entry, u32)>,
    // The part of the entry state that affects the first instructions.
    noticed: Noticed,
}

impl Pipeline {
    /// Creates a pipeline without instructions, at clock 0.
    pub(crate) fn new(model: &'static Model, memory: &'static MemoryPreset) -> Pipeline {
        Pipeline {
            core: Core::new(&model.rules, &model.geometry, memory),
            ops: Vec::new(),
            schedules: Vec::new(),
            recent: Vec::new(),
            traces: Traces::default(),
        }
    }

    /// Whether a block of these instructions, entered with an idle pipeline, leaves its last one waiting in U.
    pub(crate) fn leaves_open(&self, ops: &[Op]) -> bool {
        let former = self.core.former(ops);
        let mut state = Entry::IDLE;
        for op in 0..ops.len() as u32 {
            former.take(&mut state, op, true);
        }
        state.open() != NONE
    }

    /// Adds the instructions of a block.
    pub(crate) fn add_block(&mut self, ops: &mut Vec<Op>) -> BlockTime {
        let first = self.ops.len() as u32;
        // An instruction alone in its block may wait for a partner in the next block, whose addresses are not known
        // here.
        let second_addresses = match ops.as_slice() {
            [only] if only.may_open() => RegisterSet::GENERAL,
            _ => ops.get(1).map_or(RegisterSet::EMPTY, |op| op.address_registers),
        };
        let noticed = ops.first().map_or(Noticed::NOTHING, |op| {
            Noticed::new(op, op.address_registers.union(second_addresses))
        });
        self.core
            .counts
            .stats
            .resize(self.ops.len() + ops.len(), OpStats::default());
        self.ops.append(ops);
        let ops = first..self.ops.len() as u32;
        BlockTime {
            ops,
            lines: FetchedLines::default(),
            schedules: Vec::new(),
            noticed,
        }
    }

    /// Advances time by the executed part of a block, its first `executed` instructions.
    #[inline]
    pub(crate) fn replay(&mut self, block: &mut BlockTime, facts: &Facts, executed: usize) {
        let whole = executed == block.ops.len();
        let traced = self.core.watch.on || self.traces.growing();
        if whole
            && !traced
            && !self.core.switches.single_pipe
            && block.lines.count() > 0
            && self.core.refetch(&block.lines)
        {
            let schedule = self.schedule(block);
            let replayed = &mut self.schedules[schedule];
            self.core.replay(replayed, &self.ops, facts);
            replayed.recent += 1;
            if replayed.recent == 1 {
                self.recent.push(schedule as u32);
            }
            return;
        }
        self.replay_singly(block, facts, executed);
        block.lines = FetchedLines::default();
        if whole {
            let ops = &self.ops[block.ops.start as usize..block.ops.end as usize];
            block.lines = self.core.fetched_lines(ops).unwrap_or_default();
        }
    }

    /// The block's schedule for the current entry state.
    #[inline(always)]
    fn schedule(&mut self, block: &mut BlockTime) -> usize {
        let entry = self.core.entry.noticed(block.noticed);
        for &(other, schedule) in &block.schedules {
            if other == entry {
                return schedule as usize;
            }
        }
        self.make_schedule(block, entry)
    }

    #[cold]
    fn make_schedule(&mut self, block: &mut BlockTime, entry: Entry) -> usize {
        let former = self.core.former(&self.ops);
        let schedule = Schedule::new(&former, block.ops.clone(), block.lines.count(), entry);
        self.schedules.push(schedule);
        block.schedules.push((entry, self.schedules.len() as u32 - 1));
        self.schedules.len() - 1
    }

    /// Replays one instruction at a time: cold code, traces, and blocks that were not executed to their end.
    fn replay_singly(&mut self, block: &BlockTime, facts: &Facts, executed: usize) {
        let mut at = 0;
        for number in block.ops.clone().take(executed) {
            let op = &self.ops[number as usize];
            let words = op.fact_words();
            if self.core.entry.open() != NONE && !self.core.is_fetched(op) {
                self.close_open(Refusal::SecondNotFetched, facts);
            }
            let op = &self.ops[number as usize];
            self.core.fetch(op);
            let known = self.core.length_known(op);
            let former = self.core.former(&self.ops);
            let mut state = self.core.entry;
            let groups = former.take(&mut state, number, known);
            for (index, group) in groups.into_iter().enumerate() {
                if let Some(mut group) = group {
                    // An earlier instruction opened the first of the two.
                    group.carried = index == 0;
                    self.issue_singly(&group, facts, at);
                }
            }
            self.core.leave(state, &self.ops, facts, at);
            self.core.learn_length(&self.ops[number as usize]);
            at += words;
        }
    }

    /// Closes the group of the instruction that waits in U, if there is one, because nothing will pair with it.
    pub(crate) fn close_open(&mut self, refusal: Refusal, facts: &Facts) {
        if self.core.entry.open() == NONE {
            return;
        }
        let former = self.core.former(&self.ops);
        let mut state = self.core.entry;
        let mut group = former.close(&mut state, None, Some(refusal));
        group.carried = true;
        self.issue_singly(&group, facts, 0);
        self.core.entry = state;
    }

    fn issue_singly(&mut self, group: &Group, facts: &Facts, at: usize) {
        self.core.waits.decisive = None;
        self.core.waits.slowest = None;
        self.core.waits.address = None;
        self.core.waits.bank = None;
        let end = self.core.end();
        let noted = self.core.watch.noted.len();
        let watched = self.core.watch.on && self.core.watch.wants(group);
        let before = watched.then(|| self.core.counts.tally.clone());
        let wait = self.core.readiness.wait(&self.ops[group.u as usize]);
        self.core.pass(group);
        self.core.issue(group, &self.ops, facts, at);
        self.core.count_bus_cycles();
        let counts = &mut self.core.counts;
        StaticCounts::of(group).count(1, &mut counts.tally);
        stats::charge(&mut counts.stats, group, 1);
        if let Some(before) = before {
            for watched in &mut self.core.watch.noted[noted..] {
                watched.border = if watched.in_v {
                    counts.tally.clone()
                } else {
                    before.clone()
                };
            }
        }
        // A count, iterations or the branch taken are a complex instruction's own work.
        let own = if group.complex {
            self.core.waits.own
        } else {
            group.clocks
        };
        let time = &self.core.time;
        let (clock, waited) = (time.clock, self.core.waits.decisive);
        if !self.traces.growing() {
            return;
        }
        let u = Traced {
            address: group.address,
            clock,
            pipe: Pipe::U,
            late: clock.saturating_sub(end) as u32,
            longer: time.busy.saturating_sub(u64::from(own)) as u32,
            waited,
            slowed: self.core.waits.slowest,
            awaited: Some(wait.awaited)
                .filter(|_| waited.is_some_and(|main| main.cause == Cause::FloatingPoint) && wait.until > end),
            data: self.core.waits.address,
            bank: self.core.waits.bank,
            refusal: group.refusal,
        };
        match self.ops.get(group.v as usize) {
            Some(v) => self.traces.add(&[u, Traced::in_v(v.address, clock)]),
            None => self.traces.add(&[u]),
        }
    }
}
