//! The direct path for instructions of the floating-point unit whose time depends only on its registers, one access
//! and the circumstances of an operation. `complex` handles all others.
//!
//! Modelled: the wait for the unit and its registers, the access, the work left under way, and the FXCH beside it.
//! Not modelled: instructions with several accesses, and those that may do more than compute.

use crate::block::{Floating, Op};
use crate::pipeline::core::Core;
use crate::pipeline::group::{Group, NONE, WRITES};
use asm_macros::events::Event;
use p5_chips::Extra;
use p5_results::{Cause, WaitCauses};
use p5_words::facts::{Circumstances, Facts};

impl Core {
    /// Issues a group that needs more than the usual path, after one without a branch that left the front end ahead.
    #[inline(never)]
    pub(in crate::pipeline) fn issue_specially(
        &mut self,
        group: &Group,
        ops: &[Op],
        facts: &Facts,
        at: usize,
    ) -> usize {
        match plain(group, ops) {
            // The interlock of such a group would begin slowly, too.
            Some(floating) if !group.begins_slowly && !self.is_packed() => {
                self.begin_floating(group, floating);
                self.execute_floating(group, ops, floating, facts, at)
            }
            _ => {
                self.begin_next(group, ops);
                self.execute_specially(group, ops, facts, at)
            }
        }
    }

    /// Advances the clock to the issue of a group that may have to wait only for the unit and its registers.
    #[inline(always)]
    fn begin_floating(&mut self, group: &Group, floating: &Floating) {
        let mut after = self.time.busy;
        let mut lead = self.time.next_lead(0);
        if let Some(until) = self.delayed_until(floating) {
            let wait = until - self.end();
            after += wait;
            lead += wait;
            self.counts.stats[group.u as usize].charge(Cause::FloatingPoint, wait);
            self.waits.delayed = WaitCauses::of(Cause::FloatingPoint, wait as u32);
            self.counts.tally.lasted(Event::FLOATING_POINT_STALL, 1, wait);
            self.front.refill = 0;
            self.front.code_walk = 0;
            self.front.ready = 0;
        }
        self.time.ahead = after + self.time.lead;
        self.time.lead = lead;
        self.time.clock += after;
        self.time.holds = group.holds;
    }

    /// Executes a group whose instruction in U is plain and does the work `floating`. Returns the word at which the
    /// facts of the next group begin.
    #[inline(always)]
    pub(in crate::pipeline) fn execute_floating(
        &mut self,
        group: &Group,
        ops: &[Op],
        floating: &Floating,
        facts: &Facts,
        at: usize,
    ) -> usize {
        let [address, last] = if group.carried {
            [self.carried[0], self.carried[usize::from(group.u_accesses & 1)]]
        } else {
            [facts.word(at), facts.word(at + usize::from(group.u_accesses))]
        };
        let next = if group.carried {
            at
        } else {
            at + usize::from(group.u_words)
        };
        let wait = if group.u_accesses > 0 {
            self.access_floating(group, address)
        } else {
            0
        };
        self.waits.own = group.u_clocks;
        self.time.busy = u64::from(group.u_clocks + wait);
        if wait > 0 || !self.waits.are_none() {
            self.charge_waits(group, wait);
        }
        let circumstances = Circumstances(if floating.counted {
            last
        } else {
            Circumstances::PRECISION
        });
        self.leave_plainly(group, ops, floating, circumstances);
        next
    }

    /// Records the work of a plain instruction and of the FXCH beside it, and counts its operations.
    #[inline(always)]
    pub(in crate::pipeline) fn leave_plainly(
        &mut self,
        group: &Group,
        ops: &[Op],
        floating: &Floating,
        circumstances: Circumstances,
    ) {
        self.leave_on_stack(floating, group.address, circumstances);
        if group.v != NONE {
            self.leave_exchange(group, ops, circumstances);
        }
        let counts = if circumstances.is_special() {
            0
        } else {
            floating.operations
        };
        self.counts.tally.count(Event::FLOPS, u64::from(counts));
    }

    /// Makes the access of a plain instruction. Returns the clocks it waits.
    #[inline(always)]
    pub(in crate::pipeline) fn access_floating(&mut self, group: &Group, address: u32) -> u32 {
        let shape = group.shapes[0];
        let writes = shape & WRITES != 0;
        let event = if writes { Event::DATA_WRITE } else { Event::DATA_READ };
        self.counts.tally.count(event, 1);
        let wait = self.access(shape, address, 0, self.time.clock);
        if wait > 0 && writes && self.units.data_cache.misaligned(address, u32::from(shape & !WRITES)) {
            self.counts.tally.count_extra(Extra::MisalignedFloatingStore, 1);
        }
        wait
    }

    /// Renames registers as the FXCH in V does. The integer pipes wait if the operands beside it are unsafe.
    #[inline(always)]
    pub(in crate::pipeline) fn leave_exchange(&mut self, group: &Group, ops: &[Op], circumstances: Circumstances) {
        if let Some(exchange) = &ops[group.v as usize].floating {
            self.readiness.exchange(exchange.exchanges);
        }
        if circumstances.is_unsafe() {
            // After FXCH the integer pipes wait as well; the clock of FXCH itself, before them, is an interlock.
            let wait = self
                .rules
                .unsafe_operands
                .saturating_sub(self.rules.exchange_before_integer);
            self.time.busy += u64::from(wait);
            self.counts.stats[group.u as usize].charge(Cause::FloatingPoint, u64::from(wait));
            self.waits.slowed.add(Cause::FloatingPoint, wait);
            self.counts
                .tally
                .lasted(Event::FLOATING_POINT_STALL, 1, u64::from(wait));
        }
    }
}

/// The work of the instruction in U if it is plain.
#[inline(always)]
pub(in crate::pipeline) fn plain<'a>(group: &Group, ops: &'a [Op]) -> Option<&'a Floating> {
    ops[group.u as usize]
        .floating
        .as_ref()
        .filter(|floating| floating.plain)
}
