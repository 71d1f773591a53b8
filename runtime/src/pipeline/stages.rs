//! The way to EX: when a group issues, and what made it late.
//!
//! Modelled: D1, D2 and EX as `core` describes them; interlocks, prefixes, refills and late code bytes, of which only what
//! nothing else hides costs clocks. Not modelled: a queue between D1 and D2, which this chip does not have.

use super::core::Core;
use super::schedule::{Group, NONE};
use super::stats;
use crate::run::Cause;
use asm_macros::events::Event;

impl Core {
    /// Moves the clock to the group's issue.
    #[inline(always)]
    pub(super) fn begin(&mut self, group: &Group) {
        let ahead = self.front < self.clock && !self.meets_entry();
        if ahead && group.interlock == 0 {
            return self.begin_next(group);
        }
        self.begin_slowly(group);
    }

    /// The same after a group that was no branch and left the front end ahead. What an interlock costs is charged with the
    /// schedule's executions.
    #[inline(always)]
    pub(super) fn begin_next(&mut self, group: &Group) {
        if group.prefixes > 0 {
            return self.begin_slowly(group);
        }
        self.previous_u = self.last_u;
        self.last_u = group.address;
        self.previous_branched = self.last_branched;
        self.groups += 1;
        self.lead = self.busy + u64::from(group.interlock);
        self.clock += self.lead;
    }

    #[inline(never)]
    fn begin_slowly(&mut self, group: &Group) {
        let meets_entry = self.meets_entry();
        self.previous_u = self.last_u;
        self.last_u = group.address;
        self.previous_branched = self.last_branched;
        self.groups += 1;
        let free = self.clock + self.busy;
        if meets_entry && !group.branch {
            self.false_entry(group, free);
        }
        let ex = free + u64::from(group.interlock);
        let d1 = (self.clock - self.lead.min(self.clock)).max(self.front);
        let d2_plain = (d1 + 1).max(self.clock);
        let d2 = (d1 + 1 + u64::from(group.prefixes)).max(self.clock);
        let plain = (d2_plain + 1).max(ex);
        let issue = (d2 + 1).max(ex);
        let causes = &mut self.stats[group.u as usize].causes;
        causes[Cause::Prefix as usize] += issue - plain;
        let mut waited = plain - free;
        if issue > free {
            self.waited = Some(Cause::Prefix);
        }
        if group.interlock > 0 {
            // An interlock that the refilled front end hides costs nothing and is none.
            let share = if d2_plain + 1 > ex {
                0
            } else {
                waited.min(u64::from(group.interlock))
            };
            let cause = stats::interlock_cause(group);
            causes[cause as usize] += share;
            if share > 0 {
                self.waited = Some(cause);
                let addresses = if cause == Cause::Agi {
                    group.stalled_addresses
                } else {
                    0
                };
                if addresses > 0 {
                    self.tally.lasted(Event::AGI_STALLS, u64::from(addresses), share);
                }
            }
            waited -= share;
        }
        if waited > 0 {
            let walk = waited.min(self.code_walk);
            causes[Cause::CodeTlbMiss as usize] += walk;
            waited -= walk;
            let refill = waited.min(self.refill);
            causes[Cause::CodeMiss as usize] += waited - refill;
            if refill > 0 {
                // A branch that was forgotten since is charged to what it kept waiting.
                let op = if self.refill_op == NONE {
                    group.u
                } else {
                    self.refill_op
                };
                self.stats[op as usize].causes[Cause::Misprediction as usize] += refill;
            }
            self.waited = Some(match (waited - refill, refill) {
                (0, 0) => Cause::CodeTlbMiss,
                (0, _) => Cause::Misprediction,
                _ => Cause::CodeMiss,
            });
        }
        self.refill = 0;
        self.code_walk = 0;
        self.front = 0;
        self.lead = issue - d2;
        self.clock = issue;
    }
}
