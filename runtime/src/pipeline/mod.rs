//! Time: when each instruction issues, in which pipe, and what it waits for.
//!
//! Modelled: see `core` (stages), `pair`, `access`, `branch`, `fetch`, `complex`. Not modelled: x87 overlap, interrupts,
//! single-stepping. A block is replayed from its schedule when its bytes are cached and its lengths known; otherwise, and
//! while a region is traced, one instruction at a time. Both ways form the same groups and issue them by the same code.

mod access;
mod branch;
mod command;
mod complex;
mod core;
mod entry;
mod fetch;
mod pair;
mod schedule;
mod stages;
mod stats;

pub(crate) use self::core::Core;
pub(crate) use self::stats::OpStats;

use self::entry::{Entry, Noticed};
use self::fetch::FetchedLine;
use self::schedule::{Former, Group, NONE, Schedule};
use crate::block::{Op, RegisterSet};
use crate::facts::Facts;
use crate::model::{MemoryPreset, Model};
use crate::run::{Cause, Pipe, Refusal, TRACE_CAPACITY};
use asm_macros::events::Event;
use std::ops::Range;

/// Time as a whole: the core, every instruction seen and every schedule made.
pub(crate) struct Pipeline {
    /// The moving parts.
    pub(crate) core: Core,
    /// Every instruction, by number.
    pub(crate) ops: Vec<Op>,
    schedules: Vec<Schedule>,
    // The schedules replayed since their static events were last counted.
    recent: Vec<u32>,
    /// The trace being taken, if one is.
    pub(crate) trace: Option<Vec<Traced>>,
}

/// What time keeps of a block.
#[derive(Debug)]
pub(crate) struct BlockTime {
    /// Its instructions' numbers.
    pub(crate) ops: Range<u32>,
    lines: Vec<FetchedLine>,
    // State of entry, and the schedule made for it.
    schedules: Vec<(Entry, u32)>,
    // What the first instructions can notice of the state of entry.
    noticed: Noticed,
}

/// One issue in a trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Traced {
    /// The instruction's address: its number may mean another one before the trace is read.
    pub(crate) address: u32,
    /// The clock of its issue.
    pub(crate) clock: u64,
    /// Its pipe.
    pub(crate) pipe: Pipe,
    /// Why it issued late.
    pub(crate) waited: Option<Cause>,
    /// Why it issued alone.
    pub(crate) refusal: Option<Refusal>,
}

impl Pipeline {
    /// Nothing seen, at clock 0.
    pub(crate) fn new(model: &'static Model, memory: &'static MemoryPreset) -> Pipeline {
        Pipeline {
            core: Core::new(&model.rules, &model.geometry, memory),
            ops: Vec::new(),
            schedules: Vec::new(),
            recent: Vec::new(),
            trace: None,
        }
    }

    /// Takes a block's instructions in.
    pub(crate) fn add_block(&mut self, ops: Vec<Op>) -> BlockTime {
        let first = self.ops.len() as u32;
        // An instruction alone in its block may wait for a partner in the next one, whose addresses are not known here.
        let second_addresses = match ops.as_slice() {
            [only] if only.may_open() => RegisterSet::GENERAL,
            _ => ops.get(1).map_or(RegisterSet::EMPTY, |op| op.address_registers),
        };
        let noticed = match ops.first() {
            Some(op) => Noticed::new(op.address_registers.union(second_addresses), op.microcode_uses()),
            None => Noticed::new(RegisterSet::EMPTY, RegisterSet::EMPTY),
        };
        self.core.stats.resize(self.ops.len() + ops.len(), OpStats::default());
        self.ops.extend(ops);
        let ops = first..self.ops.len() as u32;
        BlockTime {
            ops,
            lines: Vec::new(),
            schedules: Vec::new(),
            noticed,
        }
    }

    /// Moves time by what was executed of a block: its first `executed` instructions.
    #[inline]
    pub(crate) fn replay(&mut self, block: &mut BlockTime, facts: &Facts, executed: usize) {
        let whole = executed == block.ops.len();
        let traced = self.core.watching || self.trace.as_ref().is_some_and(|trace| trace.len() < TRACE_CAPACITY);
        if whole && !traced && !self.core.single_pipe && !block.lines.is_empty() && self.core.refetch(&block.lines) {
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
        block.lines = Vec::new();
        if whole {
            let ops = &self.ops[block.ops.start as usize..block.ops.end as usize];
            block.lines = self.core.fetched_lines(ops).unwrap_or_default();
        }
    }

    /// The block's schedule for the present state of entry.
    #[inline(always)]
    fn schedule(&mut self, block: &mut BlockTime) -> usize {
        let entry = self.core.state.noticed(block.noticed);
        for &(other, schedule) in &block.schedules {
            if other == entry {
                return schedule as usize;
            }
        }
        self.make_schedule(block, entry)
    }

    #[cold]
    fn make_schedule(&mut self, block: &mut BlockTime, entry: Entry) -> usize {
        let former = Former {
            ops: &self.ops,
            rules: self.core.rules,
            user: self.core.user,
            single_pipe: false,
        };
        let schedule = Schedule::new(&former, block.ops.clone(), entry);
        self.schedules.push(schedule);
        block.schedules.push((entry, self.schedules.len() as u32 - 1));
        self.schedules.len() - 1
    }

    /// One instruction at a time: cold code, traces, and blocks that were not executed to their end.
    fn replay_singly(&mut self, block: &BlockTime, facts: &Facts, executed: usize) {
        let mut at = 0;
        for number in block.ops.clone().take(executed) {
            let op = &self.ops[number as usize];
            let words = op.fact_words();
            if self.core.state.open() != NONE && !self.core.is_fetched(op) {
                self.close_open(Refusal::SecondNotFetched, facts);
            }
            let op = &self.ops[number as usize];
            self.core.fetch(op);
            let known = self.core.length_known(op);
            let former = Former {
                ops: &self.ops,
                rules: self.core.rules,
                user: self.core.user,
                single_pipe: self.core.single_pipe,
            };
            let mut state = self.core.state;
            let groups = former.take(&mut state, number, known);
            for (index, group) in groups.into_iter().enumerate() {
                if let Some(mut group) = group {
                    // The first of the two was opened by an earlier instruction.
                    group.carried = index == 0;
                    self.issue_singly(&group, facts, at);
                }
            }
            self.core.leave(state, &self.ops, facts, at);
            self.core.learn_length(&self.ops[number as usize]);
            at += words;
        }
    }

    /// Closes the instruction that waits in U, if one does, because nothing will pair with it.
    pub(crate) fn close_open(&mut self, refusal: Refusal, facts: &Facts) {
        if self.core.state.open() == NONE {
            return;
        }
        let former = Former {
            ops: &self.ops,
            rules: self.core.rules,
            user: self.core.user,
            single_pipe: false,
        };
        let mut state = self.core.state;
        let mut group = former.close(&mut state, None, Some(refusal));
        group.carried = true;
        self.issue_singly(&group, facts, 0);
        self.core.state = state;
    }

    fn issue_singly(&mut self, group: &Group, facts: &Facts, at: usize) {
        self.core.waited = None;
        self.core.issue(group, &self.ops, facts, at);
        self.core.count_bus_cycles();
        let pairs = u64::from(group.v != NONE);
        self.core.tally.count(Event::INSTRUCTIONS_EXECUTED, 1 + pairs);
        self.core.tally.shared(Event::INSTRUCTIONS_EXECUTED, pairs);
        self.core.tally.count(Event::BRANCHES, u64::from(group.branch));
        if group.v != NONE {
            self.core.tally.count(Event::INSTRUCTIONS_EXECUTED_V_PIPE, 1);
        }
        stats::charge(&mut self.core.stats, group, 1);
        let (clock, waited) = (self.core.clock, self.core.waited);
        if let Some(trace) = self.trace.as_mut().filter(|trace| trace.len() < TRACE_CAPACITY) {
            trace.push(Traced {
                address: group.address,
                clock,
                pipe: Pipe::U,
                waited,
                refusal: group.refusal,
            });
            if let Some(v) = self.ops.get(group.v as usize) {
                trace.push(Traced {
                    address: v.address,
                    clock,
                    pipe: Pipe::V,
                    waited: None,
                    refusal: None,
                });
            }
        }
    }

    /// Counts the static events of every replay so far: whoever looks at the tally calls this first.
    pub(crate) fn count_replays(&mut self) {
        let (cycles, clocks) = self.core.units.bus.collect_until(self.core.end());
        self.core.tally.lasted(Event::BUS_CYCLE_DURATION, cycles, clocks);
        let tally = &mut self.core.tally;
        for index in self.recent.drain(..) {
            let schedule = &mut self.schedules[index as usize];
            let times = std::mem::take(&mut schedule.recent);
            schedule.executions += times;
            tally.count(Event::INSTRUCTIONS_EXECUTED, times * schedule.instructions);
            tally.shared(Event::INSTRUCTIONS_EXECUTED, times * schedule.pairs);
            tally.count(Event::INSTRUCTIONS_EXECUTED_V_PIPE, times * schedule.pairs);
            tally.count(Event::BRANCHES, times * schedule.branches);
            tally.lasted(
                Event::AGI_STALLS,
                times * schedule.interlocks.0,
                times * schedule.interlocks.1,
            );
        }
        tally.uncount(Event::INSTRUCTIONS_EXECUTED, std::mem::take(&mut self.core.uncounted));
    }

    /// Brings the statistics up to date with every replay so far.
    pub(crate) fn gather(&mut self) {
        self.count_replays();
        for schedule in &mut self.schedules {
            stats::gather(&mut self.core.stats, schedule);
        }
    }

    /// How many instructions and schedules there are.
    pub(crate) fn decoded(&self) -> usize {
        self.ops.len() + self.schedules.len()
    }

    /// Forgets all schedules, and all instructions but the two that time may still charge: the one that waits in U and the
    /// one that mispredicted last. The caller has gathered the statistics and forgets the blocks.
    pub(crate) fn forget(&mut self) {
        let mut kept = Vec::new();
        let [open, refill_op] = [self.core.state.open(), self.core.refill_op].map(|number| {
            let Some(op) = self.ops.get(number as usize) else {
                return NONE;
            };
            kept.push(op.clone());
            kept.len() as u32 - 1
        });
        self.core.state = self.core.state.renumbered(open);
        self.core.refill_op = refill_op;
        self.core.stats = vec![OpStats::default(); kept.len()];
        self.ops = kept;
        self.schedules.clear();
    }
}
