//! The moving parts of time: the clock, what the last group left behind, the units, the tallies.
//!
//! Modelled: D1, D2 and EX as three stages that hold one group each. A group enters D1 when the one before leaves it, stays
//! a clock and one more for each prefix, enters D2 when that is free, and EX when that is free and its addresses are known.
//! From this follow prefix shadowing (an instruction that stays long in EX hides the prefixes of the next two groups),
//! interlocks absorbed by bubbles, and refills after mispredictions. Not modelled: prefetching ahead of the line in use.

use super::entry::Entry;
use super::schedule::{Group, NONE, Schedule, Then};
use super::stats::OpStats;
use crate::block::Op;
use crate::counters::Tally;
use crate::facts::Facts;
use crate::model::{Geometry, MemoryPreset, Rules};
use crate::run::Cause;
use crate::units::Units;
use crate::units::bus::Fill;
use asm_macros::events::Event;

/// Time's state. Clocks are absolute, from reset.
pub(crate) struct Core {
    pub(crate) rules: &'static Rules,
    /// When the last group issued to EX.
    pub(crate) clock: u64,
    /// How long it stays there.
    pub(crate) busy: u64,
    /// How many clocks before that it entered D2.
    pub(super) lead: u64,
    /// The earliest clock in which D1 can take the next group.
    pub(super) front: u64,
    /// How much of that a misprediction caused, which instruction mispredicted, and how much a code TLB miss caused.
    pub(super) refill: u64,
    pub(super) refill_op: u32,
    pub(super) code_walk: u64,
    /// Groups issued so far.
    pub(crate) groups: u64,
    /// The U address of the last group, and of the one before it.
    pub(super) last_u: u32,
    pub(super) previous_u: u32,
    /// Whether the last group held a branch, and which group last mispredicted.
    pub(super) last_branched: bool,
    pub(super) previous_branched: bool,
    pub(super) mispredicted: u64,
    /// The instruction that waits in U and its facts.
    pub(crate) state: Entry,
    pub(super) carried: [u32; 4],
    /// Where the last group went, for the trace.
    pub(super) waited: Option<Cause>,
    /// Waits of the group at hand, U's and V's.
    pub(super) waits: [Waits; 2],
    /// Until when waits for reads, for a full write buffer and for write order were counted: a clock in which both pipes
    /// wait is one clock.
    pub(super) stalled_until: [u64; 3],
    /// A repeat that was interrupted and goes on at this address; its visits that were counted and are to be taken back.
    pub(super) repeating: u32,
    pub(super) uncounted: u64,
    /// The instructions whose issue is to be noted, whether there are any, and what was noted.
    pub(crate) watch: Vec<u32>,
    pub(crate) watching: bool,
    pub(crate) watched: Vec<Watched>,
    pub(super) units: Box<Units>,
    /// The code line fill under way or last finished, and the line that was fetched last.
    pub(super) code_fill: Fill,
    pub(super) fetch_line: u32,
    /// Test register 12's switches.
    pub(crate) single_pipe: bool,
    pub(crate) no_btb_allocation: bool,
    pub(crate) cache_inhibited: bool,
    /// Whether the program runs at CPL 1 to 3.
    pub(crate) user: bool,
    /// The tally at the present privilege level.
    pub(crate) tally: Tally,
    pub(crate) stats: Vec<OpStats>,
}

/// What the issue of a watched instruction looked like.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    /// The instruction's number.
    pub(crate) op: u32,
    /// The clock of its issue.
    pub(crate) clock: u64,
    /// The tally just before its group was counted.
    pub(crate) tally: Tally,
}

/// Waits of one instruction, by cause, in the order they happened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    causes: [(Cause, u32); 8],
    len: u8,
}

impl Waits {
    /// None yet.
    pub(super) const NONE: Waits = Waits {
        causes: [(Cause::Issue, 0); 8],
        len: 0,
    };

    /// Adds a wait; beyond eight different ones the last cause takes the rest.
    pub(super) fn add(&mut self, cause: Cause, clocks: u32) {
        let known = self.causes[..usize::from(self.len)]
            .iter_mut()
            .find(|(other, _)| *other == cause);
        if let Some((_, sum)) = known {
            *sum += clocks;
        } else if usize::from(self.len) < self.causes.len() {
            self.causes[usize::from(self.len)] = (cause, clocks);
            self.len += 1;
        } else {
            self.causes[self.causes.len() - 1].1 += clocks;
        }
    }
}

impl Core {
    /// Everything empty and idle at clock 0.
    pub(crate) fn new(rules: &'static Rules, geometry: &Geometry, memory: &'static MemoryPreset) -> Core {
        Core {
            rules,
            clock: 0,
            busy: 1,
            lead: 1,
            front: 0,
            refill: 0,
            refill_op: NONE,
            code_walk: 0,
            groups: 1,
            last_u: 0,
            previous_u: 0,
            last_branched: false,
            previous_branched: false,
            mispredicted: 0,
            state: Entry::IDLE,
            carried: [0; 4],
            waited: None,
            waits: [Waits::NONE; 2],
            stalled_until: [0; 3],
            repeating: NONE,
            uncounted: 0,
            watch: Vec::new(),
            watching: false,
            watched: Vec::new(),
            units: Units::new(geometry, memory),
            code_fill: Fill::NONE,
            fetch_line: NONE,
            single_pipe: false,
            no_btb_allocation: false,
            cache_inhibited: false,
            user: false,
            tally: Tally::default(),
            stats: Vec::new(),
        }
    }

    /// The clock at which the next group could issue if nothing kept it.
    #[inline(always)]
    pub(crate) fn end(&self) -> u64 {
        self.clock + self.busy
    }

    /// Replays a schedule over the facts its block left.
    #[inline]
    pub(crate) fn replay(&mut self, schedule: &Schedule, ops: &[Op], facts: &Facts) {
        let mut at = 0;
        let plain = self.front < self.clock && !self.meets_entry();
        for step in if plain { &schedule.plain_steps } else { &schedule.steps } {
            if step.count > 0 {
                // Nothing but the group before holds them up: the front end is a full group ahead.
                let first = self.busy + u64::from(step.interlock);
                self.clock += first + u64::from(step.span);
                self.busy = u64::from(step.last);
                self.groups += u64::from(step.count);
                let several = step.count > 1;
                self.lead = if several { u64::from(step.lead) } else { first };
                self.previous_u = if several { step.before } else { self.last_u };
                self.previous_branched = !several && self.last_branched;
                self.last_u = step.address;
                self.last_branched = false;
            }
            match step.then {
                Then::Next => {
                    let group = &schedule.groups[step.group as usize];
                    self.begin_next(group);
                    at = self.execute::<false>(group, ops, facts, at);
                }
                Then::Branch => {
                    self.last_branched = true;
                    self.branch(&schedule.groups[step.group as usize], ops, facts);
                }
                Then::First => at = self.issue(&schedule.groups[step.group as usize], ops, facts, at),
                Then::End => {}
            }
        }
        self.leave(schedule.exit, ops, facts, at);
        self.count_bus_cycles();
    }

    /// Counts the bus cycles since the last time.
    #[inline(always)]
    pub(super) fn count_bus_cycles(&mut self) {
        if let Some((cycles, clocks)) = self.units.bus.collect(self.end()) {
            self.tally.lasted(Event::BUS_CYCLE_DURATION, cycles, clocks);
        }
    }

    /// The program starts anew: as after a jump, with caches, TLBs and predictions as they are.
    pub(crate) fn restart(&mut self) {
        // As if a group of one clock had just issued: the next one issues where the last run ended.
        self.clock = self.clock + self.busy - 1;
        self.busy = 1;
        self.lead = 1;
        self.front = 0;
        self.refill = 0;
        self.code_walk = 0;
        self.last_branched = false;
        self.state = Entry::IDLE;
        self.fetch_line = NONE;
        self.repeating = NONE;
        self.watch.clear();
        self.watching = false;
        self.watched.clear();
    }

    /// Keeps what an instruction left open in U needs when its group is closed in the next block.
    #[inline(always)]
    pub(super) fn leave(&mut self, exit: Entry, ops: &[Op], facts: &Facts, at: usize) {
        self.state = exit;
        if exit.open() != NONE {
            let words = ops[exit.open() as usize].accesses.len().min(4);
            for (slot, word) in self.carried.iter_mut().zip(&facts.words[at..at + words]) {
                *slot = *word;
            }
        }
    }

    /// Issues one group whose facts begin at word `at`; where the next group's begin.
    #[inline]
    pub(super) fn issue(&mut self, group: &Group, ops: &[Op], facts: &Facts, at: usize) -> usize {
        self.begin(group);
        if self.watching {
            self.look_at(group);
        }
        self.execute::<true>(group, ops, facts, at)
    }

    /// The group's stay in EX: its accesses, its branch.
    #[inline(always)]
    fn execute<const FIRST: bool>(&mut self, group: &Group, ops: &[Op], facts: &Facts, at: usize) -> usize {
        if group.complex {
            return self.issue_complex(group, ops, facts, at);
        }
        let (mut next, mut u_waits, mut v_waits) = (at, 0, 0);
        if group.u_accesses + group.v_accesses > 0 {
            let mut u_addresses = [facts.word(at), facts.word(at + 1)];
            if FIRST && group.carried {
                // Only a block's first group can have been opened by the block before.
                u_addresses = [self.carried[0], self.carried[1]];
            } else {
                next += usize::from(group.u_accesses);
            }
            if group.u_accesses > 0 {
                u_waits = self.access(group.shapes[0], u_addresses[0], 0, self.clock);
            }
            if group.u_accesses > 1 {
                // A read-modify-write writes in its last clock.
                let when = self.clock + u64::from(group.u_clocks - 1 + u_waits);
                u_waits += self.access(group.shapes[1], u_addresses[1], 0, when);
            }
            if group.v_accesses > 0 {
                let v_addresses = [facts.word(next), facts.word(next + 1)];
                next += usize::from(group.v_accesses);
                v_waits = self.access_in_v(group, u_addresses, v_addresses, u_waits);
            }
        }
        if u_waits | v_waits == 0 {
            self.busy = u64::from(group.clocks);
        } else {
            let u_total = group.u_clocks + u_waits;
            let v_begins = if group.v_begins > 0 { u_total - 1 } else { 0 };
            let total = if group.v == NONE {
                u_total
            } else {
                u_total.max(v_begins + group.v_clocks + v_waits)
            };
            self.busy = u64::from(total);
            self.charge_waits(group, total - group.clocks);
        }
        self.last_branched = group.branch;
        if group.branch {
            self.branch(group, ops, facts);
        }
        next
    }

    /// Notes the issue of the watched instruction.
    #[cold]
    fn look_at(&mut self, group: &Group) {
        for op in [group.u, group.v] {
            if let Some(index) = self.watch.iter().position(|&watched| watched == op) {
                self.watch.swap_remove(index);
                self.watching = !self.watch.is_empty();
                self.watched.push(Watched {
                    op,
                    clock: self.clock,
                    tally: self.tally.clone(),
                });
            }
        }
    }

    /// Asks for the issue of instruction `op` to be noted, once.
    pub(crate) fn watch_for(&mut self, op: u32) {
        if !self.watch.contains(&op) {
            self.watch.push(op);
        }
        self.watching = true;
    }

    /// V's accesses beside U's, with the bank they may have to share.
    #[inline]
    fn access_in_v(&mut self, group: &Group, u: [u32; 2], v: [u32; 2], u_waits: u32) -> u32 {
        let (mut waits, mut both_write) = (0, false);
        let shapes = [group.shapes[2], group.shapes[3]];
        if group.u_accesses > 0 {
            self.tally.count(Event::MEMORY_ACCESSES_IN_BOTH_PIPES, 1);
            // Both accesses of one clock: U's only or last one, and V's first.
            let last = usize::from(group.v_begins > 0);
            if self.units.data_cache.same_bank(u[last], v[0]) {
                self.tally.count(Event::BANK_CONFLICTS, 1);
                waits = self.rules.bank_conflict;
                self.waits[1].add(Cause::BankConflict, waits);
            } else {
                // Two accesses in one clock: two occurrences, one clock.
                let event = match (group.shapes[last] & 0x80 != 0, shapes[0] & 0x80 != 0) {
                    (false, false) => Event::DATA_READ,
                    (true, true) => Event::DATA_WRITE,
                    _ => Event::DATA_READ_OR_WRITE,
                };
                self.tally.shared(event, 1);
                both_write = event == Event::DATA_WRITE;
            }
        }
        let begins = if group.v_begins > 0 {
            group.v_begins + u_waits
        } else {
            0
        };
        waits += self.access(shapes[0], v[0], 1, self.clock + u64::from(begins + waits));
        if both_write && waits + u_waits == 0 {
            // No write changes whether its line is cached, so looking again tells what each found.
            let found = |core: &mut Core, address: u32| core.units.data_cache.write(address);
            match (found(self, u[usize::from(group.v_begins > 0)]), found(self, v[0])) {
                (true, true) => self.tally.shared(Event::WRITE_HIT_TO_M_OR_E_LINE, 1),
                (false, false) => self.tally.shared(Event::DATA_WRITE_MISS, 1),
                _ => {}
            }
        }
        if group.v_accesses > 1 {
            let when = self.clock + u64::from(begins + group.v_clocks - 1 + waits);
            waits += self.access(shapes[1], v[1], 1, when);
        }
        waits
    }

    /// Charges `extra` clocks beyond the group's static ones to the waits that made them, U's first.
    pub(super) fn charge_waits(&mut self, group: &Group, extra: u32) {
        let mut left = extra;
        for (pipe, op) in [(0, group.u), (1, if group.v == NONE { group.u } else { group.v })] {
            for at in 0..self.waits[pipe].causes.len().min(usize::from(self.waits[pipe].len)) {
                let (cause, clocks) = self.waits[pipe].causes[at];
                let share = left.min(clocks);
                if share > 0 {
                    self.stats[op as usize].causes[cause as usize] += u64::from(share);
                    self.waited.get_or_insert(cause);
                }
                left -= share;
            }
            self.waits[pipe].len = 0;
        }
        if left > 0 {
            // Two waits that overlap in the units but not in the pipes: V's own work was pushed out by them.
            let op = if group.v == NONE { group.u } else { group.v };
            self.stats[op as usize].causes[Cause::Lockstep as usize] += u64::from(left);
        }
    }
}
