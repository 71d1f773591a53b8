//! The moving parts of time: the clock, what the last group left behind, the units, the tallies.
//!
//! Modelled: D1, D2 and EX as three stages that hold one group each. A group enters D1 when the one before leaves it, stays
//! a clock and one more for each prefix, enters D2 when that is free, and EX when that is free and its addresses are known.
//! From this follow prefix shadowing (an instruction that stays long in EX hides the prefixes of the next two groups),
//! interlocks absorbed by bubbles, and refills after mispredictions. Not modelled: prefetching ahead of the line in use.
//!
//! `execute`, `access` and `complex` compute what a group waits for from its facts, one group at a time. A replay consists of
//! these calls with everything static added up in between. An engine that compiles schedules does the same additions, and
//! calls the same functions where it has no code of its own.

use super::counts::Counts;
use super::entry::Entry;
use super::group::NONE;
use super::schedule::{Schedule, Then};
use super::trail::Trail;
use super::waits::Waiting;
use super::watch::Watch;
use crate::block::Op;
use crate::facts::Facts;
use crate::model::{Geometry, MemoryPreset, Rules};
use crate::units::Units;
use crate::units::bus::Fill;
use asm_macros::events::Event;

/// Time's state. Clocks are absolute, from reset.
pub(crate) struct Core {
    pub(super) rules: &'static Rules,
    /// Whether the program runs at CPL 1 to 3.
    pub(super) user: bool,
    pub(super) time: Time,
    pub(super) trail: Trail,
    /// Groups issued so far, and which of them last mispredicted.
    pub(super) groups: u64,
    pub(super) mispredicted: u64,
    /// The state of issue, and the facts of the instruction that waits in U.
    pub(super) entry: Entry,
    pub(super) carried: [u32; 4],
    pub(super) front: FrontEnd,
    pub(super) waits: Waiting,
    pub(super) watch: Watch,
    /// A repeat that was interrupted and goes on at this address.
    pub(super) repeating: u32,
    pub(super) units: Box<Units>,
    pub(crate) switches: Switches,
    pub(super) counts: Counts,
}

/// Where EX and D2 stand.
pub(super) struct Time {
    /// When the last group issued to EX.
    pub(super) clock: u64,
    /// How long it stays there.
    pub(super) busy: u64,
    /// How many clocks before that it entered D2.
    pub(super) lead: u64,
}

/// Where fetch and D1 stand.
pub(super) struct FrontEnd {
    /// The earliest clock in which D1 can take the next group.
    pub(super) ready: u64,
    /// How much of that a misprediction caused, which instruction mispredicted, and how much a code TLB miss caused.
    pub(super) refill: u64,
    pub(super) refill_op: u32,
    pub(super) code_walk: u64,
    /// The code line fill under way or last finished, and the line that was fetched last.
    pub(super) fill: Fill,
    pub(super) line: u32,
}

/// What the program has switched off.
#[derive(Default)]
pub(crate) struct Switches {
    /// The V pipe.
    pub(crate) single_pipe: bool,
    /// New entries of the branch target buffer.
    pub(crate) no_btb_allocation: bool,
    /// Line fills of the data cache.
    pub(crate) cache_inhibited: bool,
}

impl Core {
    /// Everything empty and idle at clock 0.
    pub(super) fn new(rules: &'static Rules, geometry: &Geometry, memory: &'static MemoryPreset) -> Core {
        Core {
            rules,
            user: false,
            time: Time {
                clock: 0,
                busy: 1,
                lead: 1,
            },
            trail: Trail::START,
            groups: 1,
            mispredicted: 0,
            entry: Entry::IDLE,
            carried: [0; 4],
            front: FrontEnd {
                ready: 0,
                refill: 0,
                refill_op: NONE,
                code_walk: 0,
                fill: Fill::NONE,
                line: NONE,
            },
            waits: Waiting::NONE,
            watch: Watch::default(),
            repeating: NONE,
            units: Units::new(geometry, memory),
            switches: Switches::default(),
            counts: Counts::default(),
        }
    }

    /// The clock at which the next group could issue if nothing kept it.
    #[inline(always)]
    pub(super) fn end(&self) -> u64 {
        self.time.clock + self.time.busy
    }

    /// Replays a schedule over the facts its block left.
    #[inline]
    pub(super) fn replay(&mut self, schedule: &Schedule, ops: &[Op], facts: &Facts) {
        let mut at = 0;
        if self.meets_entry()
            && let Some(first) = schedule.groups.first()
            && !first.branch
        {
            self.false_entry(first);
        }
        self.groups += schedule.groups.len() as u64;
        self.trail.pass_all(&schedule.passed);
        let plain = self.front.ready < self.time.clock;
        for step in if plain { &schedule.plain_steps } else { &schedule.steps } {
            if step.count > 0 {
                // Nothing but the group before holds them up: the front end is a full group ahead.
                let first = self.time.busy + u64::from(step.interlock);
                self.time.clock += first + u64::from(step.span);
                self.time.busy = u64::from(step.last);
                self.time.lead = if step.count > 1 { u64::from(step.lead) } else { first };
            }
            match step.then {
                Then::Next => {
                    let group = &schedule.groups[step.group as usize];
                    self.begin_next(group);
                    at = self.execute::<false>(group, ops, facts, at);
                }
                Then::Branch => self.branch(&schedule.groups[step.group as usize], ops, facts),
                Then::First => at = self.issue(&schedule.groups[step.group as usize], ops, facts, at),
                Then::End => {}
            }
        }
        self.leave(schedule.exit, ops, facts, at);
    }

    /// The program starts anew: as after a jump, with caches, TLBs and predictions as they are.
    pub(crate) fn restart(&mut self) {
        // As if a group of one clock had just issued: the next one issues where the last run ended.
        self.time = Time {
            clock: self.end() - 1,
            busy: 1,
            lead: 1,
        };
        self.front.ready = 0;
        self.front.refill = 0;
        self.front.code_walk = 0;
        self.front.line = NONE;
        self.trail.last_branched = false;
        self.entry = Entry::IDLE;
        self.repeating = NONE;
        self.watch = Watch::default();
    }

    /// Brings the bus cycles in the tally up to the end of the last group.
    pub(super) fn count_bus_cycles(&mut self) {
        let (cycles, clocks) = self.units.bus.collect(self.end());
        self.counts.tally.lasted(Event::BUS_CYCLE_DURATION, cycles, clocks);
    }

    /// Keeps what an instruction left open in U needs when its group is closed in the next block.
    #[inline(always)]
    pub(super) fn leave(&mut self, exit: Entry, ops: &[Op], facts: &Facts, at: usize) {
        self.entry = exit;
        if exit.open() != NONE {
            let words = ops[exit.open() as usize].accesses.len().min(4);
            for (slot, word) in self.carried.iter_mut().zip(&facts.words[at..at + words]) {
                *slot = *word;
            }
        }
    }
}
