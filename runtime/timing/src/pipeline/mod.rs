//! Timing: the clock and pipe of each instruction's issue, and the causes of its waits.
//!
//! Modelled: what happens to a group from fetch to EX and after it, in `stages`; the accesses of another bus master
//! (`snoop`), HLT and interrupts (`halt`), and the program's commands to the units (`command`). Not modelled: the list
//! in snapshots/tutorials/reference/machine.md.
//!
//! A block is replayed from its schedule if its bytes are cached and its instruction lengths known. Otherwise it is
//! executed one instruction at a time, or from the groups of an earlier pass that met the same answers (`cold`). As
//! soon as a listener wants groups (`listeners`), groups are issued one at a time. The groups are formed and issued by
//! the same code on every path. What is counted is in `counts`, and what a second engine compiles in `compiled`.
//!
//! The stored result of a pass is only valid for the whole state it depends on. A state that leaves something out
//! makes clocks depend on where blocks are cut.

mod cold;
mod command;
mod compiled;
mod core;
mod counts;
mod entry;
mod group;
mod halt;
mod listeners;
pub mod needs;
mod noted;
mod reading;
mod schedule;
mod snoop;
mod stages;
mod state;

pub use self::compiled::miss_places::{
    BusPlaces, MisalignedPlaces, MissPlaces, SecondPlaces, TransferClocks, WaitPlaces,
};
pub use self::compiled::places::Places;
pub use self::compiled::planned_floating::{FloatingPlaces, PlannedFloating};
pub use self::compiled::planned_prefixes::PlannedPrefixes;
pub use self::compiled::replays::AfterCold;
pub use self::compiled::sole::{PlannedPair, PlannedSole};
pub use self::compiled::usual::{AFTERS, After, Course, ROOM, Replayed};
pub use self::compiled::{Charge, Plan, PlannedAccess, PlannedBranch, PlannedGroup};
pub(crate) use self::core::Core;
pub use self::counts::doubted::DoubtedClocks;
pub use self::counts::removed::RemovingStore;
pub use self::counts::stats::{OpStats, RecentStats};
pub use self::listeners::observer::Observed;
pub use self::needs::{Decoded, needs};
pub use self::noted::attention::{Next, Passed, Wanted};
pub use self::noted::borders::Crossing;
pub use self::noted::kept::{BriefIssue, KeptTrace};
pub use self::noted::traced::Traced;
pub use self::noted::traces::{Left, MOST_OPEN};

use self::cold::recorded::Cold;
use self::compiled::longest::Longest;
use self::compiled::{Compiled, Known};
use self::counts::StaticCounts;
use self::entry::{Entry, Noticed};
use self::group::{Group, NONE};
use self::noted::attention::Demand;
use self::schedule::{Draft, Schedule};
use self::stages::refetch::FetchedLines;
use crate::block::{Op, RegisterSet};
use asm_macros::events::Event;
use p5_chips::{MemoryPreset, Model};
use p5_results::{CacheResult, Refusal};
use p5_words::facts::Facts;
use std::cmp::Reverse;
use std::ops::Range;

/// The whole timing simulation: the core, all decoded instructions and all schedules.
pub struct Pipeline {
    /// The state that changes with time.
    pub core: Core,
    ops: Vec<Op>,
    schedules: Vec<Schedule>,
    // The schedule under construction.
    draft: Draft,
    // The schedules with replays that have not been added to the tally yet.
    recent: Vec<u32>,
    // The schedules with code of their own, and those among them with replays that have not been added to the tally.
    compiled: Vec<Compiled>,
    recent_compiled: Vec<u32>,
    // The number of schedules that only traces or an audit have used. They do not count as decoded, because the
    // retained schedules must not depend on traces; there are no more of them than instructions.
    heard_only: usize,
    // The number of schedules that have only been compiled. They do not count either, because an interpreter makes
    // none.
    planned_only: usize,
    // The number of schedules of cold passes, at most a few for each block. They do not count as decoded either,
    // because traced passes make none.
    cold: usize,
    // What is kept of the cold passes of each block.
    colds: Vec<Cold>,
    // How long a block may take.
    longest: Longest,
}

/// The timing data of a block: its instructions and its schedules.
#[derive(Debug)]
pub struct BlockTime {
    /// The numbers of its instructions.
    pub ops: Range<u32>,
    lines: FetchedLines,
    schedules: Vec<(Entry, u32)>,
    // The numbers of its compiled schedules.
    compiled: Vec<Known>,
    // The part of the entry state that affects the first instructions.
    noticed: Noticed,
    // The number of what is kept of its cold passes.
    cold: u32,
    // The steps of its instructions, if all are known beforehand.
    steps: Option<u32>,
    // Whether another bus master may write to its code lines, or to the next one. If so, each instruction checks
    // whether its line is still cached.
    snooped: bool,
}

impl Pipeline {
    /// Creates a pipeline without instructions, at clock 0.
    pub fn new(model: &'static Model, memory: &'static MemoryPreset) -> Pipeline {
        Pipeline {
            core: Core::new(&model.rules, &model.geometry, memory),
            ops: Vec::new(),
            schedules: Vec::new(),
            draft: Draft::default(),
            recent: Vec::new(),
            compiled: Vec::new(),
            recent_compiled: Vec::new(),
            heard_only: 0,
            planned_only: 0,
            cold: 0,
            colds: Vec::new(),
            longest: Longest::new(model, memory),
        }
    }

    /// Counts matches of the debug registers; bit n of `matched` is set for a match of register n.
    pub fn count_breakpoints(&mut self, matched: u32) {
        let events = [
            Event::BREAKPOINT_MATCH_DR0,
            Event::BREAKPOINT_MATCH_DR1,
            Event::BREAKPOINT_MATCH_DR2,
            Event::BREAKPOINT_MATCH_DR3,
        ];
        for (number, event) in events.into_iter().enumerate() {
            self.core.counts.tally.count(event, u64::from(matched >> number & 1));
        }
    }

    /// Counts line fills by cache set from now on, beginning with 0.
    pub fn count_line_fills(&mut self) {
        self.core.units.count_fills();
    }

    /// The line fills of every set of the caches; empty if fills are not counted.
    pub fn cache_sets(&self) -> Vec<CacheResult> {
        self.core.units.cache_sets()
    }

    /// Adds the memory of a video card to the bus.
    pub fn add_video(&mut self) {
        self.core.units.bus.add_video();
    }

    /// Whether a block of these instructions, entered with an idle pipeline, leaves its last instruction waiting in U.
    pub fn leaves_open(&self, ops: &[Op]) -> bool {
        let former = self.core.former(ops);
        let mut state = Entry::IDLE;
        for op in 0..ops.len() as u32 {
            former.take(&mut state, op, true, |_, _| ());
        }
        state.open() != NONE
    }

    /// Adds the instructions of a block, and empties `ops`.
    pub fn add_block(&mut self, ops: &mut Vec<Op>) -> BlockTime {
        let first = self.ops.len() as u32;
        // An instruction alone in its block may wait for a partner in the next block, whose addresses are not known
        // here.
        let second_addresses = match ops.as_slice() {
            [only] if only.may_open() => RegisterSet::GENERAL,
            _ => ops.get(1).map_or(RegisterSet::EMPTY, |op| op.address_registers),
        };
        let steps = ops.iter().map(Op::steps).sum();
        let noticed = ops.first().map_or(Noticed::NOTHING, |op| {
            Noticed::new(op, op.address_registers.union(second_addresses))
        });
        self.core
            .counts
            .stats
            .resize(self.ops.len() + ops.len(), RecentStats::default());
        let snooped = self.core.may_be_snooped(ops);
        let lines = self.core.lines_of(ops);
        self.colds.push(Cold::default());
        self.ops.append(ops);
        let ops = first..self.ops.len() as u32;
        self.core.counts.doubted.add(&self.ops, ops.clone());
        BlockTime {
            ops,
            lines,
            schedules: Vec::new(),
            compiled: Vec::new(),
            noticed,
            cold: self.colds.len() as u32 - 1,
            steps,
            snooped,
        }
    }

    /// Advances time by the first `executed` instructions of a block: all at once, unless a listener wants groups.
    #[inline]
    pub fn replay(&mut self, block: &mut BlockTime, facts: &Facts, executed: usize) {
        let pages = facts.pages.list();
        if pages.len() != self.core.pages.learned {
            self.core.learn_pages(pages);
        }
        debug_assert_eq!(self.core.attention.demand, self.core.demanded());
        let whole = executed == block.ops.len();
        let demand = match self.core.attention.demand {
            None if whole && !block.snooped => None,
            _ => self.attend(block, whole),
        };
        // What is written may be the line that is being read ahead, whose fetch then matters at each instruction.
        let may_fetch =
            demand != Some(Demand::Instructions) && !(facts.code_written && self.core.may_read_ahead(&block.lines));
        if may_fetch && self.fetch_block(block) {
            let schedule = self.schedule(block);
            if let Some(demand) = demand {
                if !self.core.keeps_nothing() {
                    self.count_use(schedule);
                }
                return self.replay_heard(demand, schedule, block.lines.count(), facts);
            }
            let replayed = &mut self.schedules[schedule];
            self.core.replay(replayed, &self.ops, facts);
            return self.count_replay(schedule);
        }
        match demand {
            None => self.replay_cold(block.cold, block.noticed, block.ops.clone(), facts),
            Some(_) => self.replay_singly(block.ops.start..block.ops.start + executed as u32, facts),
        }
    }

    /// How closely the listeners look at a block that is about to be replayed, `whole` or in part.
    #[inline(never)]
    fn attend(&mut self, block: &BlockTime, whole: bool) -> Option<Demand> {
        if self.core.attention.is_paused() {
            let ops = &self.ops[block.ops.start as usize..block.ops.end as usize];
            self.core.count_block(block.steps.filter(|_| whole), ops);
        }
        if self.core.traces.end_nears(block.ops.len()) {
            self.near_end_of_traces(block.ops.len());
        }
        let no_more_schedules = self.heard_only >= self.ops.len() && self.core.keeps_nothing();
        match self.core.attention.demand {
            _ if !whole || block.snooped || no_more_schedules => Some(Demand::Instructions),
            Some(Demand::Count) => None,
            demand => demand,
        }
    }

    /// Fetches the lines of a block if all are at hand and the lengths of its instructions are known. Returns whether
    /// it fetched them.
    #[inline(always)]
    fn fetch_block(&mut self, block: &mut BlockTime) -> bool {
        let line = self.core.front.line;
        let fetched = self.core.refetch(&mut block.lines);
        if fetched && self.core.attention.counts_fetches() {
            self.core.count_entered(block.lines.entered_from(line));
        }
        fetched
    }

    #[inline(always)]
    fn count_replay(&mut self, schedule: usize) {
        let replayed = &mut self.schedules[schedule];
        replayed.recent += 1;
        if replayed.recent == 1 {
            self.heard_only -= usize::from(std::mem::take(&mut replayed.heard_only));
            self.recent.push(schedule as u32);
            self.count_use(schedule);
        }
    }

    /// Counts a schedule as decoded that has only been compiled so far.
    pub(super) fn count_use(&mut self, schedule: usize) {
        let schedule = &mut self.schedules[schedule];
        self.planned_only -= usize::from(std::mem::take(&mut schedule.planned_only));
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
        let mut schedule = Schedule::new(&former, block.ops.clone(), block.lines.count(), entry, &mut self.draft);
        schedule.heard_only = self.core.keeps_nothing();
        self.heard_only += usize::from(schedule.heard_only);
        self.schedules.push(schedule);
        // Most blocks have only one schedule.
        block.schedules.reserve_exact(usize::from(block.schedules.is_empty()));
        block.schedules.push((entry, self.schedules.len() as u32 - 1));
        self.schedules.len() - 1
    }

    /// Replays the parts of a schedule before the point that `demand` names, and then the other groups one at a time.
    /// The block occupies `lines` code lines, which have been fetched.
    #[inline(never)]
    fn replay_heard(&mut self, demand: Demand, schedule: usize, lines: usize, facts: &Facts) {
        let number = schedule;
        let Pipeline {
            core, ops, schedules, ..
        } = self;
        let schedule = &schedules[number];
        let (done, mut at) = match demand {
            Demand::Clock(Reverse(from)) => core.replay_before(from, schedule, ops, facts),
            _ => (0, 0),
        };
        let (unheard, heard) = schedule.groups.split_at(done);
        if heard.is_empty() && done > 0 {
            core.leave(schedule.exit, ops, facts, at);
            return self.count_replay(number);
        }
        let counts = StaticCounts::of_all(unheard).with_code_reads(lines);
        counts.count(1, &mut core.counts.tally);
        counts::stats::charge_replayed(&mut core.counts.stats, unheard, 1);
        for group in heard {
            at = core.issue_singly(group, ops, facts, at);
        }
        core.leave(schedule.exit, ops, facts, at);
    }

    /// Closes the group of the instruction that waits in U, if there is one, because no instruction will pair with it.
    pub fn close_open(&mut self, refusal: Refusal, facts: &Facts) -> Option<Group> {
        if self.core.entry.open() == NONE {
            return None;
        }
        let former = self.core.former(&self.ops);
        let mut state = self.core.entry;
        let mut group = former.close(&mut state, None, Some(refusal));
        group.carried = true;
        self.core.issue_singly(&group, &self.ops, facts, 0);
        self.core.entry = state;
        Some(group)
    }
}
