//! The state of the timing simulation: the clock, the effects of the last group, the units, the tallies.
//!
//! Modelled: D1, D2 and EX as three stages that hold one group each. A group's prefixes are decoded before D1, one
//! clock each, beginning one clock after the previous group enters D1. The group enters D1 when the previous group
//! leaves it and its prefixes are decoded, D2 when D2 is free, and EX when EX is free and the group's addresses are
//! known. A microcoded instruction holds D2 until its last clock. This accounts for prefix shadowing (an instruction
//! that stays long in EX hides the prefixes of the next two or three groups), for interlocks absorbed by bubbles, and
//! for refills after mispredictions. Not modelled here: a FIFO before D1, which is in `queue`.
//!
//! `execute`, `access` and `complex` compute the waits of one group from its facts. A replay makes these calls and adds
//! the static clocks between them. An engine that compiles schedules makes the same additions, and calls the same
//! functions where it generates no code.

use super::counts::Counts;
use super::entry::Entry;
use super::group::{Former, NONE};
use super::noted::attention::Attention;
use super::noted::audit::Audit;
use super::noted::borders::Borders;
use super::noted::records::Records;
use super::noted::traces::Traces;
use super::schedule::{Schedule, Step, Then};
use super::state::prefetched::Prefetched;
use super::state::queue::Queue;
use super::state::readiness::Readiness;
use super::state::trail::Trail;
use super::state::waits::{Late, Waiting};
use crate::block::Op;
use crate::units::Units;
use crate::units::bus::Fill;
use asm_macros::events::Event;
use p5_chips::{Geometry, MemoryPreset, Rules};
use p5_words::facts::{Facts, PageKind};
use p5_words::isa::PAGE;
use rustc_hash::FxHashMap;

/// The state of the timing simulation. Clocks are absolute, counted from reset.
pub struct Core {
    pub(super) rules: &'static Rules,
    /// Whether the program runs at CPL 1 to 3.
    pub(super) user: bool,
    pub(super) time: Time,
    pub(super) trail: Trail,
    /// The number of groups issued so far, and the number of the last one that mispredicted.
    pub(super) groups: u64,
    pub(super) mispredicted: u64,
    /// The last byte of the other branch whose entry misled the last branch, on chips where branches share entries.
    pub(super) misled_by: Option<u32>,
    /// Whether the last branch was mispredicted by patterns that lack its last outcomes.
    pub(super) hurried: bool,
    /// The clock up to which clocks have been counted as not halted.
    pub(super) counted_until: u64,
    pub(super) queue: Queue,
    pub(super) prefetched: Prefetched,
    /// The state of issue, and the facts of the instruction that waits in U.
    pub(super) entry: Entry,
    pub(super) carried: [u32; 4],
    pub(super) readiness: Readiness,
    pub(super) front: FrontEnd,
    pub(super) waits: Waiting,
    /// The groups that late bytes have delayed since a span began to be measured.
    pub(super) late: Late,
    #[cfg(feature = "tally")]
    pub(super) spans_replayed: usize,
    /// The demands of the listeners, and their data.
    pub(super) attention: Attention,
    pub(super) borders: Borders,
    pub(super) audit: Audit,
    pub(super) records: Box<Records>,
    pub(super) traces: Traces,
    /// The address of an interrupted repeat that continues.
    pub(super) repeating: u32,
    pub(super) units: Box<Units>,
    pub(super) pages: Pages,
    pub switches: Switches,
    pub(super) counts: Counts,
}

pub(super) struct Time {
    /// The clock in which the last group issued to EX.
    pub(super) clock: u64,
    /// The clocks that the last group stays in EX.
    pub(super) busy: u64,
    /// The clocks between the last group's entry into D2 and its issue.
    pub(super) lead: u64,
    /// The clocks between the last group's entry into D1, with its prefixes decoded, and its issue.
    pub(super) ahead: u64,
    /// Whether the last group holds D2 until its last clock in EX.
    pub(super) holds: bool,
}

impl Time {
    /// The clock at which the last group entered D1, or D2 if that was earlier; not less than its leads after reset.
    #[inline(always)]
    pub(super) fn decoded(&self) -> u64 {
        self.clock - self.lead.max(self.ahead)
    }

    /// The clocks between the entry of the next group into D2 and its issue, if only this group delays it and it waits
    /// `interlock` clocks for this group.
    #[inline(always)]
    pub(super) fn next_lead(&self, interlock: u64) -> u64 {
        (if self.holds { 1 } else { self.busy }) + interlock
    }
}

pub(super) struct FrontEnd {
    /// The earliest clock in which the next group can enter D1.
    pub(super) ready: u64,
    /// The clock at which the last instruction fetched from the same line as the previous one could enter D1 if no
    /// bytes were late.
    pub(super) decodes: u64,
    /// The clocks of `ready` that a misprediction caused, the instruction that mispredicted, and the clocks that a
    /// code TLB miss caused.
    pub(super) refill: u64,
    pub(super) refill_op: u32,
    pub(super) code_walk: u64,
    /// The current or last code line fill, and the line fetched last.
    pub(super) fill: Fill,
    pub(super) line: u32,
    /// The last line that was read ahead of its use, and whether its first use counts that read as its own.
    pub(super) ahead: Fill,
    pub(super) read_ahead: u32,
    /// The clock until which a code line is being filled; the largest one while a line is requested.
    pub(super) filling: u64,
}

/// The features that the program has disabled.
#[derive(Default)]
pub struct Switches {
    pub(super) single_pipe: bool,
    /// Allocation in the branch target buffer.
    pub no_btb_allocation: bool,
    pub(super) cache_inhibited: bool,
    /// The data cache's fast path.
    pub(super) general_accesses: bool,
}

/// The pages that are not of the usual kind.
#[derive(Default)]
pub(super) struct Pages {
    pub(super) by_number: FxHashMap<u32, PageKind>,
    /// The number of facts about pages learned so far.
    pub(super) learned: usize,
}

impl Pages {
    pub(super) fn kind(&self, address: u32) -> PageKind {
        self.by_number
            .get(&(address / PAGE))
            .copied()
            .unwrap_or(PageKind::USUAL)
    }
}

impl Core {
    pub(super) fn new(rules: &'static Rules, geometry: &Geometry, memory: &'static MemoryPreset) -> Core {
        Core {
            rules,
            user: false,
            time: Time {
                clock: 0,
                busy: 1,
                lead: 1,
                ahead: 2,
                holds: false,
            },
            trail: Trail::START,
            groups: 1,
            mispredicted: 0,
            misled_by: None,
            hurried: false,
            counted_until: 0,
            queue: Queue::new(rules),
            prefetched: Prefetched::new(rules),
            entry: Entry::IDLE,
            carried: [0; 4],
            readiness: Readiness::IDLE,
            front: FrontEnd {
                ready: 0,
                decodes: 0,
                refill: 0,
                refill_op: NONE,
                code_walk: 0,
                fill: Fill::NONE,
                line: NONE,
                ahead: Fill::NONE,
                read_ahead: NONE,
                filling: 0,
            },
            waits: Waiting::NONE,
            late: Late::default(),
            #[cfg(feature = "tally")]
            spans_replayed: 0,
            attention: Attention::NONE,
            borders: Borders::default(),
            audit: Audit::default(),
            records: Box::default(),
            traces: Traces::default(),
            repeating: NONE,
            units: Units::new(geometry, memory),
            pages: Pages::default(),
            switches: Switches::default(),
            counts: Counts::default(),
        }
    }

    /// Creates a former of groups for `ops` with the pipes that the program has enabled.
    pub(super) fn former<'a>(&self, ops: &'a [Op]) -> Former<'a> {
        Former {
            ops,
            rules: self.rules,
            user: self.user,
            single_pipe: self.switches.single_pipe || self.rules.pipes == 1,
        }
    }

    /// The clock in which the next group issues if nothing delays it.
    #[inline(always)]
    pub(super) fn end(&self) -> u64 {
        self.time.clock + self.time.busy
    }

    #[inline]
    pub(super) fn replay(&mut self, schedule: &Schedule, ops: &[Op], facts: &Facts) {
        let mut at = 0;
        if let Some(first) = schedule.groups.first()
            && !first.branch
            && self.meets_entry()
        {
            self.false_entry(first.u);
        }
        self.groups += schedule.groups.len() as u64;
        self.trail.pass_all(&schedule.passed);
        let plain = self.front.ready < self.time.clock;
        for step in if plain { &schedule.plain_steps } else { &schedule.steps } {
            at = self.replay_step(step, schedule, ops, facts, at);
        }
        self.leave(schedule.exit, ops, facts, at);
    }

    /// Replays a step of a schedule. Returns the word at which the facts of the next one begin.
    #[inline(always)]
    pub(super) fn replay_step(
        &mut self,
        step: &Step,
        schedule: &Schedule,
        ops: &[Op],
        facts: &Facts,
        at: usize,
    ) -> usize {
        if step.count > 0 {
            // Only the previous group can delay these groups: the front end is a full group ahead.
            let first = self.time.busy + u64::from(step.interlock);
            let lead = self.time.next_lead(u64::from(step.interlock));
            self.time.clock += first + u64::from(step.span);
            self.time.busy = u64::from(step.last);
            self.time.holds = step.holds;
            (self.time.lead, self.time.ahead) = match step.count {
                1 => (lead, first + self.time.lead),
                2 => (u64::from(step.lead), u64::from(step.between) + lead),
                _ => (u64::from(step.lead), u64::from(step.between + step.lead_before)),
            };
        }
        let group = schedule.groups.get(step.group as usize);
        match (step.then, group) {
            (Then::Next, Some(group)) => {
                self.begin_next(group, ops);
                return self.execute::<false>(group, ops, facts, at);
            }
            (Then::Special, Some(group)) => return self.issue_specially(group, ops, facts, at),
            (Then::Branch, Some(group)) => self.branch(group, ops, facts),
            (Then::First, Some(group)) => return self.issue(group, ops, facts, at),
            _ => {}
        }
        at
    }

    /// Replays the first groups of a schedule as [`Self::replay`] does, up to the last one that certainly enters D1
    /// before clock `from`. Returns their number and the words of their facts. The caller applies the counts of the
    /// schedule and the exit state.
    pub(super) fn replay_before(
        &mut self,
        from: u64,
        schedule: &Schedule,
        ops: &[Op],
        facts: &Facts,
    ) -> (usize, usize) {
        let groups = &schedule.groups;
        let may_enter = |core: &Core, step: &Step| {
            let prefixes = groups.get(step.group as usize).map_or(0, |group| group.prefixes);
            core.may_enter_from(from, step.clocks(), prefixes)
        };
        let mut first = [&schedule.steps, &schedule.plain_steps]
            .into_iter()
            .flat_map(|steps| steps.first());
        if first.any(|step| may_enter(self, step)) {
            return (0, 0);
        }
        if let Some(first) = groups.first()
            && !first.branch
            && self.meets_entry()
        {
            self.false_entry(first.u);
        }
        let plain = self.front.ready < self.time.clock;
        let steps = if plain { &schedule.plain_steps } else { &schedule.steps };
        let (mut at, mut done) = (0, 0);
        for step in steps {
            if done > 0 && may_enter(self, step) {
                let passed = groups[..done].iter();
                passed.for_each(|group| self.trail.pass(group.address, group.branch));
                self.groups += done as u64;
                break;
            }
            done += step.groups();
            // Only a branch, which comes last, reads the trail.
            if done == groups.len() {
                self.groups += done as u64;
                self.trail.pass_all(&schedule.passed);
            }
            at = self.replay_step(step, schedule, ops, facts, at);
            debug_assert!(!self.has_passed_wanted(), "an op that is wanted has passed");
        }
        (done, at)
    }

    /// Disables the V pipe, or enables it.
    pub fn use_single_pipe(&mut self, single: bool) {
        self.switches.single_pipe = single;
        self.ask_listeners();
    }

    /// Restarts the program, as after code that is not part of it. Caches, TLBs and predictions are kept. The code in
    /// between meets an entry attached to the last group, as the next group of a longer program would, and lasts until
    /// the transfers under way are done, so that the lines requested by a short program are there when it runs again.
    pub fn restart(&mut self) {
        if self.meets_entry() {
            self.false_entry(NONE);
            self.groups += 1;
        }
        self.leave_code();
        self.count_clocks();
        // The state is that of a one-clock group that has just issued, so the next group issues where the last run
        // ended or the bus becomes free.
        self.time = Time {
            clock: self.end().max(self.units.bus.free()) - 1,
            busy: 1,
            lead: 1,
            ahead: 2,
            holds: false,
        };
        self.counted_until = self.end();
        self.count_bus_cycles();
        self.front.ready = 0;
        self.front.refill = 0;
        self.front.code_walk = 0;
        self.queue
            .restart(self.time.clock - self.time.ahead.min(self.time.clock));
        self.prefetched.restart(self.end());
        self.trail.last_branched = false;
        self.entry = Entry::IDLE;
        self.readiness = Readiness::IDLE;
        self.repeating = NONE;
        self.borders = Borders::default();
        self.ask_listeners();
        self.waits.overlapped = false;
        self.units.bus.asked_video = false;
    }

    /// Counts the clocks up to the end of the last group as not halted; [`Pipeline::halt`](super::Pipeline::halt) has
    /// counted the clocks of HLT.
    pub(super) fn count_clocks(&mut self) {
        self.count_clocks_to(self.end());
    }

    /// Counts the clocks up to `clock` as not halted, unless later ones were counted already.
    pub(super) fn count_clocks_to(&mut self, clock: u64) {
        let clocks = clock.saturating_sub(self.counted_until);
        self.counted_until += clocks;
        self.counts.tally.lasted(Event::CLOCKS_NOT_HALTED, 0, clocks);
    }

    /// Adds the bus cycles up to the end of the last group to the tally.
    pub(super) fn count_bus_cycles(&mut self) {
        self.snoop_past();
        self.collect_bus_cycles();
    }

    /// Adds the bus cycles up to the end of the last group, without the pending accesses of another master.
    pub(super) fn collect_bus_cycles(&mut self) {
        let (cycles, clocks) = self.units.bus.collect(self.end());
        self.counts.tally.lasted(Event::BUS_CYCLE_DURATION, cycles, clocks);
        if let Some(master) = &mut self.units.master {
            let (cycles, clocks) = master.collect(clocks);
            self.counts.tally.lasted(Event::BUS_USED_BY_PROCESSOR, cycles, clocks);
        }
    }

    /// Keeps the facts of an instruction that waits in U until its group is closed in the next block.
    #[inline(always)]
    pub(super) fn leave(&mut self, exit: Entry, ops: &[Op], facts: &Facts, at: usize) {
        self.entry = exit;
        if exit.open() != NONE {
            let words = ops[exit.open() as usize].fact_words().min(4);
            for (slot, word) in self.carried.iter_mut().zip(&facts.words[at..at + words]) {
                *slot = *word;
            }
        }
    }
}
