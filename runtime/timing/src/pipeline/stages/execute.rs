//! EX: the clocks a group stays in it, its accesses and their waits.
//!
//! Modelled: the accesses of U and V, bank conflicts between them, a read-modify-write that writes in its last clock,
//! and both pipes in lockstep. Not modelled: a single access, which is in `access`, and the instructions of `floating`
//! and `complex`.

use crate::block::Op;
use crate::pipeline::core::Core;
use crate::pipeline::group::{Group, NONE, WRITES};
use crate::pipeline::stages::floating::plain;
use asm_macros::events::Event;
use p5_results::Cause;
use p5_words::facts::Facts;

impl Core {
    /// Issues one group whose facts begin at word `at`. Returns the word at which the facts of the next group begin.
    #[inline]
    pub(in crate::pipeline) fn issue(&mut self, group: &Group, ops: &[Op], facts: &Facts, at: usize) -> usize {
        self.begin(group, ops);
        if self.borders.await_any() {
            self.cross_border(group);
        }
        self.execute::<true>(group, ops, facts, at)
    }

    /// Executes a group: its accesses and its branch.
    #[inline(always)]
    pub(in crate::pipeline) fn execute<const FIRST: bool>(
        &mut self,
        group: &Group,
        ops: &[Op],
        facts: &Facts,
        at: usize,
    ) -> usize {
        if group.special {
            return self.execute_specially(group, ops, facts, at);
        }
        let next = self.execute_plainly::<FIRST>(group, facts, at);
        if group.branch {
            self.branch(group, ops, facts);
        }
        next
    }

    #[inline(never)]
    pub(in crate::pipeline) fn execute_specially(
        &mut self,
        group: &Group,
        ops: &[Op],
        facts: &Facts,
        at: usize,
    ) -> usize {
        if let Some(floating) = plain(group, ops) {
            return self.execute_floating(group, ops, floating, facts, at);
        }
        if group.complex {
            return self.issue_complex(group, ops, facts, at);
        }
        let next = self.execute_packed(group, ops, facts, at);
        if group.branch {
            self.branch(group, ops, facts);
        }
        next
    }

    /// Makes the accesses of a group and determines its clocks in EX.
    #[inline(always)]
    pub(in crate::pipeline) fn execute_plainly<const FIRST: bool>(
        &mut self,
        group: &Group,
        facts: &Facts,
        at: usize,
    ) -> usize {
        let (mut next, mut u_waits, mut v_waits) = (at, 0, 0);
        if group.u_accesses + group.v_accesses > 0 {
            let mut u_addresses = [facts.word(at), facts.word(at + 1)];
            if FIRST && group.carried {
                // Only the first group of a block can have been opened by the previous block.
                u_addresses = [self.carried[0], self.carried[1]];
            } else {
                next += usize::from(group.u_words);
            }
            if group.u_accesses > 0 {
                u_waits = self.access(group.shapes[0], u_addresses[0], 0, self.time.clock);
            }
            if group.u_accesses > 1 {
                // A read-modify-write writes in its last clock.
                let when = self.time.clock + u64::from(group.u_clocks - 1 + u_waits);
                u_waits += self.access(group.shapes[1], u_addresses[1], 0, when);
            }
            if group.v_accesses > 0 {
                let v_addresses = [facts.word(next), facts.word(next + 1)];
                next += usize::from(group.v_accesses);
                v_waits = self.access_in_v(group, u_addresses, v_addresses, u_waits);
            }
        }
        if u_waits | v_waits == 0 {
            self.time.busy = u64::from(group.clocks);
        } else {
            let u_total = group.u_clocks + u_waits;
            let v_begins = if group.v_begins > 0 { u_total - 1 } else { 0 };
            let total = if group.v == NONE {
                u_total
            } else {
                u_total.max(v_begins + group.v_clocks + v_waits)
            };
            self.time.busy = u64::from(total);
            if u_waits.min(v_waits) > 0 && v_begins == 0 {
                self.waits.side_by_side();
            }
            self.charge_waits(group, total - group.clocks);
        }
        next
    }

    /// Makes V's accesses, including bank conflicts with U's. Returns the clocks they wait.
    #[inline]
    fn access_in_v(&mut self, group: &Group, u: [u32; 2], v: [u32; 2], u_waits: u32) -> u32 {
        let (mut waits, mut both_write) = (0, false);
        let shapes = [group.shapes[2], group.shapes[3]];
        if let Some(event) = group.together() {
            let sized = |address, shape: u8| (address, u32::from(shape & !WRITES));
            let of_u = sized(u[group.beside_v()], group.shapes[group.beside_v()]);
            if self.units.data_cache.same_bank(of_u, sized(v[0], shapes[0])) {
                self.counts.tally.count(Event::BANK_CONFLICTS, 1);
                // The schedule counts two accesses in one clock.
                self.counts.tally.unshared(event, 1);
                waits = self.rules.bank_conflict;
                self.waits.of_pipe[1].add(Cause::BankConflict, waits);
                self.waits.bank = Some(self.units.data_cache.bank(v[0]));
            } else {
                both_write = event == Event::DATA_WRITE;
            }
        }
        let begins = if group.v_begins > 0 {
            group.v_begins + u_waits
        } else {
            0
        };
        waits += self.access(shapes[0], v[0], 1, self.time.clock + u64::from(begins + waits));
        if both_write && waits + u_waits == 0 {
            self.count_both_writes(u[group.beside_v()], v[0]);
        }
        if group.v_accesses > 1 {
            let when = self.time.clock + u64::from(begins + group.v_clocks - 1 + waits);
            waits += self.access(shapes[1], v[1], 1, when);
        }
        waits
    }

    /// Counts two writes of one clock, which have not waited, if both have hit or both have missed.
    #[inline]
    fn count_both_writes(&mut self, of_u: u32, of_v: u32) {
        // A write does not change whether its line is cached, so a second lookup shows whether each write hit.
        match (self.written(of_u), self.written(of_v)) {
            (Some(true), Some(true)) => self.counts.tally.shared(Event::WRITE_HIT_TO_M_OR_E_LINE, 1),
            (Some(false), Some(false)) => self.counts.tally.shared(Event::DATA_WRITE_MISS, 1),
            _ => {}
        }
    }

    /// Makes V's only access of a group both of whose instructions access memory once, in its first clock, at these
    /// addresses. U's has been made, and has waited so if it has `waited`; a conflict of both, if there is one, has
    /// been counted. Returns the clocks that the group takes longer.
    pub(in crate::pipeline) fn access_second(
        &mut self,
        group: &Group,
        [of_u, of_v]: [u32; 2],
        waited: Option<(Cause, u32)>,
        conflicts: bool,
    ) -> u64 {
        let mut u_waits = 0;
        if let Some((cause, clocks)) = waited {
            self.waits.of_pipe[0].add(cause, clocks);
            u_waits = clocks;
        }
        let mut waits = 0;
        if conflicts {
            waits = self.rules.bank_conflict;
            self.waits.of_pipe[1].add(Cause::BankConflict, waits);
        }
        waits += self.access(group.shapes[2], of_v, 1, self.time.clock + u64::from(waits));
        if !conflicts && waits + u_waits == 0 && group.together() == Some(Event::DATA_WRITE) {
            self.count_both_writes(of_u, of_v);
        }
        let total = (group.u_clocks + u_waits).max(group.v_clocks + waits);
        if u_waits | waits > 0 {
            self.charge_waits(group, total - group.clocks);
        }
        u64::from(total - group.clocks)
    }

    /// Counts `wait` clocks from `when` on as `event`, except clocks in which the other pipe's wait is already
    /// counted.
    pub(in crate::pipeline) fn stalls(&mut self, event: Event, when: u64, wait: u32) {
        let counted_until = match event {
            Event::WRITE_BUFFER_FULL_STALL => &mut self.waits.counted_until[1],
            Event::WRITE_TO_M_OR_E_LINE_STALL => &mut self.waits.counted_until[2],
            Event::DATA_TLB_MISS_STALL => &mut self.waits.counted_until[3],
            _ => &mut self.waits.counted_until[0],
        };
        let until = when + u64::from(wait);
        let clocks = until.saturating_sub(when.max(*counted_until));
        if clocks > 0 {
            *counted_until = until;
            self.counts.tally.lasted(event, 1, clocks);
        }
    }

    /// Charges the `extra` clocks beyond the group's static ones to the waits that caused them, U's first.
    pub(in crate::pipeline) fn charge_waits(&mut self, group: &Group, extra: u32) {
        let mut left = extra;
        for (pipe, op) in [(0, group.u), (1, if group.v == NONE { group.u } else { group.v })] {
            for at in 0..self.waits.of_pipe[pipe]
                .causes
                .len()
                .min(usize::from(self.waits.of_pipe[pipe].len))
            {
                let (cause, clocks) = self.waits.of_pipe[pipe].causes[at];
                let share = left.min(clocks);
                if share > 0 {
                    self.counts.stats[op as usize].charge(cause, u64::from(share));
                    self.waits.slowed.add(cause, share);
                }
                left -= share;
            }
            self.waits.of_pipe[pipe].len = 0;
        }
        if left > 0 {
            // Two waits that overlap in the units but not in the pipes have delayed V's own work.
            let op = if group.v == NONE { group.u } else { group.v };
            self.counts.stats[op as usize].charge(Cause::Lockstep, u64::from(left));
        }
    }
}
