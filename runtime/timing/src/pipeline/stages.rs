//! The stages before EX: the clock of a group's issue, and the causes of its delay. The modules below have what a group
//! meets on its way: its bytes (`fetch`, `refetch`), `branch`, units (`under_way`, `floating`, `packed`), and EX
//! (`execute`, `complex`) with its data (`access`, `pages`). What one group leaves to the next is in `state`.
//!
//! Modelled: D1, D2 and EX as `core` describes them; interlocks, prefixes, refills and late code bytes, which cost
//! clocks only where nothing else hides them. Not modelled here: a FIFO before D1 (`queue`).

pub(super) mod access;
pub(super) mod branch;
pub(super) mod complex;
pub(super) mod execute;
pub(super) mod fetch;
pub(super) mod floating;
pub(super) mod packed;
pub(super) mod pages;
pub(super) mod refetch;
pub(super) mod under_way;

use super::core::Core;
use super::counts::stats;
use super::group::{Group, NONE};
use super::state::readiness::Wait;
use crate::block::Op;
use asm_macros::events::Event;
use p5_results::{Awaited, Cause, WaitCauses};

impl Core {
    /// Advances the clock to the group's issue.
    #[inline(always)]
    pub(super) fn begin(&mut self, group: &Group, ops: &[Op]) {
        if self.front.ready < self.time.clock && group.interlock == 0 {
            return self.begin_next(group, ops);
        }
        self.begin_slowly(group, ops);
    }

    /// Advances the clock to the issue of a group after one without a branch that left the front end ahead. The cost
    /// of an interlock is charged with the schedule's executions.
    #[inline(always)]
    pub(super) fn begin_next(&mut self, group: &Group, ops: &[Op]) {
        if group.begins_slowly || group.awaits && self.is_delayed(group, ops) {
            return self.begin_slowly(group, ops);
        }
        let interlock = u64::from(group.interlock);
        let after = self.time.busy + interlock;
        self.time.ahead = after + self.time.lead;
        self.time.lead = self.time.next_lead(interlock);
        self.time.clock += after;
        self.time.holds = group.holds;
    }

    #[inline(never)]
    fn begin_slowly(&mut self, group: &Group, ops: &[Op]) {
        let free = self.time.clock + self.time.busy;
        let wait = match group.awaits {
            true => self.awaited(group, ops),
            false => Wait::NONE,
        };
        let ex = (free + u64::from(group.interlock)).max(wait.until);
        // The clocks at which the previous group entered D1 and D2, and leaves D2.
        let [decoded, entered] = [self.time.ahead, self.time.lead].map(|lead| self.time.clock.saturating_sub(lead));
        let leaves = self.time.clock + if self.time.holds { self.time.busy - 1 } else { 0 };
        let prefixes = u64::from(group.prefixes);
        let mut starved = 0;
        let (d1_plain, d1) = if self.queue.exists {
            let begins = (decoded + 1).max(entered);
            (begins.max(self.front.ready), self.enter_from_queue(group, begins))
        } else if self.prefetched.exists {
            let op = &ops[group.u as usize];
            let accesses = op.accesses.len();
            starved = u64::from(self.prefetched.take(u32::from(op.length), accesses, free));
            let begins = entered.max(self.front.ready) + starved;
            (begins, begins + prefixes)
        } else if self.rules.prefixes_decoded_ahead {
            let begins = decoded.max(self.front.ready.saturating_sub(1)) + 1;
            (begins.max(entered), (begins + prefixes).max(entered))
        } else {
            let begins = entered.max(self.front.ready);
            (begins, begins + prefixes)
        };
        let (d2_plain, d2) = ((d1_plain + 1).max(leaves), (d1 + 1).max(leaves));
        let plain = (d2_plain + 1).max(ex);
        let issue = (d2 + 1).max(ex);
        if issue > free {
            self.charge_delay(
                group,
                ops,
                &Delay {
                    free,
                    ex,
                    d2_plain,
                    plain,
                    issue,
                    starved,
                    awaited: wait.awaited.0,
                    done: wait.done,
                },
            );
        }
        self.front.refill = 0;
        self.front.code_walk = 0;
        self.front.ready = 0;
        self.time.ahead = issue - d1;
        self.time.lead = issue - d2;
        self.time.clock = issue;
        self.time.holds = group.holds;
    }

    /// Charges the delay of the issue of `group` to its causes.
    fn charge_delay(&mut self, group: &Group, ops: &[Op], delay: &Delay) {
        let Delay {
            free,
            ex,
            d2_plain,
            plain,
            issue,
            starved,
            awaited,
            done,
        } = *delay;
        let interlock = ex - free;
        let stats = &mut self.counts.stats[group.u as usize];
        stats.charge(Cause::Prefix, issue - plain);
        let mut waited = plain - free;
        // Only a trace asks for the causes of one delay.
        let traced = self.traces.growing();
        let mut waits = WaitCauses::NONE;
        let mut note = |cause, clocks: u64| {
            if traced {
                waits.add(cause, clocks.min(u64::from(u32::MAX)) as u32);
            }
        };
        if interlock > 0 {
            // An interlock hidden by a front end refill costs nothing and is not counted.
            let share = if d2_plain + 1 > ex { 0 } else { waited.min(interlock) };
            let cause = stats::interlock_cause(group);
            let of_group = share.min(u64::from(group.interlock));
            stats.charge(cause, of_group);
            // The rest of the delay is a wait for long work.
            stats.charge(Cause::FloatingPoint, share - of_group);
            note(cause, of_group);
            note(Cause::FloatingPoint, share - of_group);
            if of_group > 0 && cause == Cause::Agi {
                let addresses = u64::from(group.stalled_addresses);
                self.counts.tally.lasted(Event::AGI_STALLS, addresses, of_group);
            } else if of_group > 0 && cause == Cause::FloatingPoint {
                self.counts.tally.lasted(Event::FLOATING_POINT_STALL, 1, of_group);
            }
            // Before the registers are switched, the unit works.
            let (awaited, of_event) = match awaited {
                Awaited::Switch => (
                    Awaited::Unit,
                    done.saturating_sub(free + of_group).min(share - of_group),
                ),
                _ => (awaited, share - of_group),
            };
            if of_event > 0
                && let Some(event) = stalled(awaited, &ops[group.u as usize])
            {
                self.counts.tally.lasted(event, 1, of_event);
            }
            waited -= share;
        }
        if waited > 0 && starved > 0 {
            let share = waited.min(starved);
            stats.charge(Cause::PrefetchQueue, share);
            note(Cause::PrefetchQueue, share);
            waited -= share;
        }
        if waited > 0 {
            let walk = waited.min(self.front.code_walk);
            stats.charge(Cause::CodeTlbMiss, walk);
            waited -= walk;
            let refill = waited.min(self.front.refill);
            stats.charge(Cause::CodeMiss, waited - refill);
            self.late.add(group.u, waited - refill);
            if refill > 0 {
                // If the branch has been discarded, its refill is charged to the group that waited.
                let op = if self.front.refill_op == NONE {
                    group.u
                } else {
                    self.front.refill_op
                };
                self.counts.stats[op as usize].charge(Cause::Misprediction, refill);
            }
            // Of equal clocks, those of the code itself come first.
            note(Cause::CodeMiss, waited - refill);
            note(Cause::CodeTlbMiss, walk);
            note(Cause::Misprediction, refill);
        }
        note(Cause::Prefix, issue - plain);
        self.waits.delayed = waits;
    }

    /// Takes `group` out of the queue into D1, which is ready at clock `begins`. Returns the clock at which it enters
    /// D1.
    fn enter_from_queue(&mut self, group: &Group, begins: u64) -> u64 {
        let [of_u, of_v] = group.decoding;
        let pair = group.v != NONE;
        let first = self.queue.decode(of_u, 0, self.front.ready);
        let last = if pair { self.queue.decode(of_v, 1, 0) } else { first };
        let enters = begins.max(last);
        if first > begins {
            self.counts.tally.count(Event::D1_STARVED, 1);
        }
        if last > first.max(begins) {
            self.counts.tally.count(Event::D1_HAD_ONE_INSTRUCTION, 1);
        }
        self.queue.take(pair, enters);
        enters
    }
}

/// The clock of a group's issue, and the clocks without some of the delays.
struct Delay {
    /// The clock at which EX is free.
    free: u64,
    /// The clock at which EX is free and the operands are there.
    ex: u64,
    /// The clock of entry into D2 without prefixes.
    d2_plain: u64,
    /// The clock of issue without prefixes.
    plain: u64,
    issue: u64,
    /// The clocks of waiting for bytes in the prefetch queue.
    starved: u64,
    /// The longer work whose end the group waits for last.
    awaited: Awaited,
    /// The clock at which the unit has done the work that an MMX instruction waits for.
    done: u64,
}

/// The event of a wait of `op`, the instruction in U, for `awaited`. No event counts the switch between the
/// floating-point unit and MMX. DOUBT: the manual defines the unit's event as any freeze of the pipeline by the unit.
fn stalled(awaited: Awaited, op: &Op) -> Option<Event> {
    match awaited {
        Awaited::Packed(_) if op.packed_use.is_some_and(|used| used.stores) => Some(Event::MMX_STORE_STALL),
        Awaited::Packed(_) => Some(Event::MMX_MULTIPLY_STALL),
        Awaited::General | Awaited::Switch => None,
        _ => Some(Event::FLOATING_POINT_STALL),
    }
}
