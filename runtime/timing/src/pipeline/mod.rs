//! Timing: when each instruction issues, in which pipe, and what it waits for.
//!
//! Modelled: see `stages`, `pair`, `access`, `branch`, `fetch`, `complex`, `floating` (plain x87 instructions),
//! `packed` (MMX), `queue` (decoding ahead), `prefetched` (bytes ahead), `readiness` (what outlasts EX), `snoop`
//! (another bus master). Not modelled: what README.md lists. A block is replayed from its schedule if its bytes are
//! cached and its instruction lengths known; while a region is traced, one group of the schedule at a time. Otherwise
//! it is replayed one instruction at a time, or from the groups of an earlier pass that met the same answers (`cold`),
//! of which a `span` is applied at once if it met the same state. What is kept of a pass is only valid for all that it
//! depends on: a state that leaves something out makes clocks depend on where blocks are cut. The groups are formed and
//! issued by the same code on every path.

mod access;
mod branch;
mod cold;
mod command;
mod complex;
mod core;
mod counts;
mod entry;
mod execute;
mod fetch;
mod floating;
mod group;
mod halt;
pub mod needs;
mod observer;
mod packed;
mod pages;
mod pair;
mod prefetched;
mod queue;
mod readiness;
mod reading;
mod schedule;
mod snoop;
mod span;
mod staged;
mod stages;
mod stats;
mod traces;
mod trail;
mod waits;
mod watch;

pub(crate) use self::core::Core;
pub use self::needs::{Decoded, needs};
pub use self::observer::{Resumed, Wanted};
pub use self::stats::{OpStats, RecentStats};
pub use self::traces::{MOST_OPEN, Traced, Traces};
pub use self::watch::Watched;

use self::cold::Cold;
use self::counts::StaticCounts;
use self::entry::{Entry, Noticed};
use self::fetch::FetchedLines;
use self::group::{Group, NONE};
use self::readiness::Wait;
use self::schedule::{Draft, Schedule};
use crate::block::{Op, RegisterSet};
use asm_macros::events::Event;
use p5_chips::{MemoryPreset, Model};
use p5_results::records::{FetchRecord, OpRecord};
use p5_results::{CacheResult, Cause, Pipe, Refusal};
use p5_words::facts::Facts;
use std::ops::Range;

/// The whole timing simulation: the core, every decoded instruction and every schedule.
pub struct Pipeline {
    /// The state that changes with time.
    pub core: Core,
    /// Every instruction, by number.
    ops: Vec<Op>,
    schedules: Vec<Schedule>,
    // The schedule that is made.
    draft: Draft,
    // The schedules with replays that have not been added to the tally yet.
    recent: Vec<u32>,
    // The number of schedules that only traces have used. What is kept must not depend on what is traced, so they do
    // not count as decoded; there are no more of them than instructions.
    traced_only: usize,
    // The number of schedules of cold passes, at most one for each block. Traced passes make none, so they do not
    // count either.
    cold: usize,
    /// The traces in progress.
    pub traces: Traces,
}

/// The timing data of a block.
#[derive(Debug)]
pub struct BlockTime {
    /// Its instructions' numbers.
    pub ops: Range<u32>,
    lines: FetchedLines,
    // The schedules, each with its entry state.
    schedules: Vec<(Entry, u32)>,
    // The part of the entry state that affects the first instructions.
    noticed: Noticed,
    cold: Cold,
    // The steps of its instructions, if all are known beforehand.
    steps: Option<u32>,
    // Whether another bus master may write to its code lines, or to the one after: then each instruction has to look
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
            traced_only: 0,
            cold: 0,
            traces: Traces::default(),
        }
    }

    /// Records what retires and what is fetched from now on.
    pub fn observe(&mut self) {
        self.core.begin_observing(true);
    }

    /// Records what retires from now on, and only some of what is fetched.
    pub fn observe_ops(&mut self) {
        self.core.begin_observing(false);
    }

    /// The ops that have retired and the fetches that have ended since the caller last emptied these; nothing unless
    /// they are observed.
    pub fn observed(&mut self) -> Option<(&mut Vec<OpRecord>, &mut Vec<FetchRecord>)> {
        self.core.observer.as_mut().map(|observer| observer.records())
    }

    /// From now on, records only ops that retire at clock `from` or later, and some of those before. The others are
    /// counted.
    pub fn record_ops_from(&mut self, from: u64) {
        if let Some(observer) = &mut self.core.observer {
            observer.record_ops_from(from);
        }
    }

    /// The ops that were counted since this was last asked; they retired before those that are now recorded.
    pub fn counted(&mut self) -> u64 {
        self.core.observer.as_mut().map_or(0, |observer| observer.counted())
    }

    /// Observes nothing any more, and forgets what has been recorded.
    pub fn stop_observing(&mut self) {
        self.core.end_observing();
    }

    /// The run has ended: what is still being fetched is recorded.
    pub fn end_observing(&mut self) {
        if let Some(observer) = &mut self.core.observer {
            observer.end();
        }
    }

    /// Counts matches of the debug registers whose bits are set.
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

    /// Every set of the caches; none if their fills have not been counted.
    pub fn cache_sets(&self) -> Vec<CacheResult> {
        self.core.units.cache_sets()
    }

    /// Adds the memory of a video card.
    pub fn add_video(&mut self) {
        self.core.units.bus.add_video();
    }

    /// Whether a block of these instructions, entered with an idle pipeline, leaves its last one waiting in U.
    pub fn leaves_open(&self, ops: &[Op]) -> bool {
        let former = self.core.former(ops);
        let mut state = Entry::IDLE;
        for op in 0..ops.len() as u32 {
            former.take(&mut state, op, true, |_, _| ());
        }
        state.open() != NONE
    }

    /// Adds the instructions of a block.
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
        self.ops.append(ops);
        let ops = first..self.ops.len() as u32;
        BlockTime {
            ops,
            lines: FetchedLines::default(),
            schedules: Vec::new(),
            noticed,
            cold: Cold::default(),
            steps,
            snooped,
        }
    }

    /// Advances time by the executed part of a block, its first `executed` instructions.
    #[inline]
    pub fn replay(&mut self, block: &mut BlockTime, facts: &Facts, executed: usize) {
        let pages = facts.pages.list();
        if pages.len() != self.core.pages.learned {
            self.core.learn_pages(pages);
        }
        let whole = executed == block.ops.len();
        let paused = self.core.pause.is_some();
        if paused {
            let waiting = self.core.entry.open() != NONE;
            let ops = &self.ops[block.ops.start as usize..block.ops.end as usize];
            let steps = block.steps.filter(|_| whole);
            if self.core.counts_blocks() || steps.is_none() {
                self.core.count_unobserved(steps, self.core.lines_spanned(ops), waiting);
            }
        }
        let singly = self.core.watch.on
            || self.core.switches.single_pipe
            || self.core.switches.fetches_observed
            || block.snooped
            || self.traces.growing() && self.traced_only >= self.ops.len();
        if whole && !singly {
            if block.lines.count() == 0 {
                let ops = &self.ops[block.ops.start as usize..block.ops.end as usize];
                block.lines = self.core.fetched_lines(ops).unwrap_or_default();
            }
            let line = self.core.front.line;
            if self.core.refetch(&block.lines) {
                if paused {
                    self.core.count_entered(block.lines.entered_from(line));
                }
                let schedule = self.schedule(block);
                if self.traces.growing() || self.core.switches.observed {
                    return self.replay_traced(schedule, block.lines.count(), facts);
                }
                if paused && let Some(from) = self.core.wanted_from() {
                    return self.replay_before(from, schedule, block.lines.count(), facts);
                }
                let replayed = &mut self.schedules[schedule];
                self.core.replay(replayed, &self.ops, facts);
                self.count_replay(schedule);
                return;
            }
        }
        // The lines may change before the block is executed again, if it is at all.
        block.lines = FetchedLines::default();
        let by_clock = paused && self.core.wanted_from().is_some();
        if whole && !singly && !self.traces.growing() && !self.core.switches.observed && !by_clock {
            self.replay_cold(&mut block.cold, block.ops.clone(), facts);
        } else {
            let executed = block.ops.start..block.ops.start + executed as u32;
            self.replay_singly(executed, facts);
        }
    }

    /// Counts a replay of a schedule.
    #[inline(always)]
    fn count_replay(&mut self, schedule: usize) {
        let replayed = &mut self.schedules[schedule];
        replayed.recent += 1;
        if replayed.recent == 1 {
            self.traced_only -= usize::from(std::mem::take(&mut replayed.traced_only));
            self.recent.push(schedule as u32);
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
        let mut schedule = Schedule::new(&former, block.ops.clone(), block.lines.count(), entry, &mut self.draft);
        schedule.traced_only = self.traces.growing();
        self.traced_only += usize::from(schedule.traced_only);
        self.schedules.push(schedule);
        // Most blocks have only one.
        block.schedules.reserve_exact(usize::from(block.schedules.is_empty()));
        block.schedules.push((entry, self.schedules.len() as u32 - 1));
        self.schedules.len() - 1
    }

    /// Replays the groups of a schedule one at a time and traces or observes them. The block occupies `lines` code
    /// lines, which have been fetched.
    #[inline(never)]
    fn replay_traced(&mut self, schedule: usize, lines: usize, facts: &Facts) {
        let Pipeline {
            core,
            ops,
            schedules,
            traces,
            ..
        } = self;
        let schedule = &schedules[schedule];
        core.counts.tally.count(Event::CODE_READ, lines as u64);
        let mut at = 0;
        for group in &schedule.groups {
            at = issue_singly(core, group, ops, facts, at, traces);
        }
        core.leave(schedule.exit, ops, facts, at);
    }

    /// Closes the group of the instruction that waits in U, if there is one, because nothing will pair with it.
    pub fn close_open(&mut self, refusal: Refusal, facts: &Facts) -> Option<Group> {
        if self.core.entry.open() == NONE {
            return None;
        }
        let former = self.core.former(&self.ops);
        let mut state = self.core.entry;
        let mut group = former.close(&mut state, None, Some(refusal));
        group.carried = true;
        issue_singly(&mut self.core, &group, &self.ops, facts, 0, &mut self.traces);
        self.core.entry = state;
        Some(group)
    }
}

/// Issues a group and counts, charges and traces it at once. Returns the word at which the facts of the next group
/// begin.
fn issue_singly(core: &mut Core, group: &Group, ops: &[Op], facts: &Facts, at: usize, traces: &mut Traces) -> usize {
    if core.pause.is_some() {
        core.approach_wanted(group);
    }
    let traced = traces.growing();
    if traced {
        core.waits.decisive = None;
        core.waits.slowest = None;
        core.waits.addresses = [None; Cause::ALL.len()];
        core.waits.bank = None;
    }
    let end = core.end();
    // What was counted before a group with a watched instruction.
    let border = core.watch.on && core.watch.wants(group);
    if border {
        core.look_ahead();
        core.count_bus_cycles();
        core.count_clocks();
        core.watch.border.clone_from(&core.counts.tally);
    }
    let wait = (traced && group.awaits).then(|| core.awaited(group, ops));
    let audited = core.watch.audited;
    if audited {
        core.begin_charging(group);
    }
    let observed = core.switches.observed;
    if observed {
        core.begin_group();
    }
    core.pass(group);
    let next = core.issue(group, ops, facts, at);
    debug_assert!(
        core.wanted_from()
            .is_none_or(|from| core.time.clock.saturating_sub(core.time.ahead) < from),
        "an op that is wanted has passed"
    );
    if observed {
        core.end_group(group, ops, facts);
    }
    core.count_bus_cycles();
    let counts = &mut core.counts;
    StaticCounts::of(group).count(1, &mut counts.tally);
    stats::charge(&mut counts.stats, group, 1);
    if border {
        core.watch.counted(&counts.tally);
    }
    if audited {
        core.end_charging();
    }
    if traced {
        core.trace(group, ops, end, wait, traces);
    }
    next
}

impl Core {
    /// Records the group that has issued last. The one before it ended at clock `end`, and longer work made it `wait`.
    fn trace(&self, group: &Group, ops: &[Op], end: u64, wait: Option<Wait>, traces: &mut Traces) {
        // A count, iterations or the branch taken are a complex instruction's own work.
        let own = if group.complex { self.waits.own } else { group.clocks };
        let clock = self.time.clock;
        let u = Traced {
            address: group.address,
            clock,
            pipe: Pipe::U,
            late: clock.saturating_sub(end) as u32,
            longer: self.time.busy.saturating_sub(u64::from(own)) as u32,
            waited: self.waits.decisive,
            slowed: self.waits.slowest,
            awaited: wait
                .filter(|wait| {
                    let waited = self.waits.decisive;
                    waited.is_some_and(|main| main.cause == Cause::FloatingPoint) && wait.until > end
                })
                .map(|wait| wait.awaited),
            data: self.waits.slowest_address(),
            bank: self.waits.bank,
            // The refill after a branch is charged to the branch.
            met_entry: !group.branch && self.mispredicted == self.groups,
            delivery: ops.get(group.u as usize).is_some_and(|op| op.delivery),
            refusal: group.refusal,
        };
        match ops.get(group.v as usize) {
            Some(v) => traces.add(&[u, Traced::in_v(v.address, clock)]),
            None => traces.add(&[u]),
        }
    }
}
