//! Branches: prediction, penalty, and what the branch target buffer learns.
//!
//! Modelled: lookup by the U address of the group before; a miss predicts fall-through; entries are made by taken branches
//! that are not on their first execution and do not jump to the next address; no prediction can be used in the group right
//! after a misprediction; an entry met by a group without a branch costs a refill. Not modelled: prediction of far
//! transfers, whose clocks include the refill. DOUBT: when exactly the first pass refuses an entry.
//!
//! Source: Agner Fog, Microarchitecture (2020-09), 3.2; Intel, Pentium Processor Family Developer's Manual 1997, 2.2.

use super::core::Core;
use super::group::{Group, NONE};
use crate::block::Op;
use crate::facts::Facts;
use asm_macros::events::Event;

/// From D1, which takes a group, over D2 to its issue into EX: the front is held so many clocks before the issue it delays.
const STAGES_TO_ISSUE: u64 = 2;

impl Core {
    /// Resolves the branch that ends `group`, already issued.
    #[inline(always)]
    pub(super) fn branch(&mut self, group: &Group, ops: &[Op], facts: &Facts) {
        let (taken, target) = (facts.taken, facts.next);
        let readable = self.mispredicted + 1 != self.groups;
        if taken
            && readable
            && self
                .units
                .btb
                .taken_as_predicted(self.trail.previous_u, target, self.groups)
        {
            self.counts.tally.count(Event::BTB_HITS, 1);
            self.front.line = NONE;
            return;
        }
        self.branch_otherwise(group, ops, facts);
    }

    /// Every other outcome.
    #[inline(never)]
    fn branch_otherwise(&mut self, group: &Group, ops: &[Op], facts: &Facts) {
        let (taken, target) = (facts.taken, facts.next);
        let found = self.units.btb.lookup(self.trail.previous_u);
        let hit = found.is_some_and(|found| found.hit);
        let readable = self.mispredicted + 1 != self.groups;
        let predicted = found.filter(|found| found.taken && readable);
        let to_next = target == group.fall_through;
        let right = match predicted {
            Some(found) => taken && found.target == target,
            None => !taken,
        };
        if hit {
            self.counts.tally.count(Event::BTB_HITS, 1);
        } else if taken {
            // Of the sum of both only what is no hit: the tally adds the hits.
            self.counts.tally.count(Event::TAKEN_BRANCH_OR_BTB_HIT, 1);
        }
        match found {
            Some(found) if hit || (taken && !to_next) => {
                self.units
                    .btb
                    .update(found, taken, target, self.groups, self.rules.btb_update_groups);
            }
            _ if taken && !to_next && self.may_allocate(group, ops) => {
                self.units
                    .btb
                    .allocate(self.trail.previous_u, target, self.groups, self.trail.previous_branched);
            }
            _ => {}
        }
        if taken {
            // The fetch goes on elsewhere: the next instruction's line is read anew.
            self.front.line = NONE;
        }
        if !right {
            let number = if group.v != NONE { group.v } else { group.u };
            let rules = self.rules;
            let penalty = if group.resolved_late {
                rules.mispredicted_in_wb
            } else {
                rules.mispredicted_in_ex
            };
            self.refill(number, penalty);
            self.mispredicted = self.groups;
            self.counts.tally.count(Event::PIPELINE_FLUSHES, 1);
        }
    }

    /// Whether a taken branch may get an entry: not while it is executed for the first time since its line was filled.
    fn may_allocate(&self, group: &Group, ops: &[Op]) -> bool {
        let op = &ops[if group.v != NONE { group.v } else { group.u } as usize];
        !self.switches.no_btb_allocation && self.units.code_cache.end_known(op.last_byte())
    }

    /// Restarts the front end so that the next group issues `penalty` clocks after it otherwise would.
    pub(super) fn refill(&mut self, op: u32, penalty: u32) {
        self.front.ready = self.end() + u64::from(penalty) - STAGES_TO_ISSUE;
        self.front.refill = u64::from(penalty);
        self.front.refill_op = op;
    }

    /// Whether the next group may meet an entry that hangs on the last one though that held a branch itself.
    #[inline(always)]
    pub(super) fn meets_entry(&self) -> bool {
        self.trail.last_branched && self.units.btb.may_cross(self.trail.last_u)
    }

    /// Before a group without a branch that follows one with: an entry attached to that one is taken at its word.
    #[inline(never)]
    pub(super) fn false_entry(&mut self, group: &Group) {
        let found = self.units.btb.lookup(self.trail.last_u);
        let Some(found) = found.filter(|found| found.taken && found.crosses) else {
            return;
        };
        let number = self.groups + 1;
        if self.mispredicted + 1 == number {
            return;
        }
        let forwarded = self.rules.btb_update_groups;
        self.units.btb.update(found, false, found.target, number, forwarded);
        self.counts.tally.count(Event::PIPELINE_FLUSHES, 1);
        let penalty = u64::from(self.rules.mispredicted_in_ex);
        self.front.ready = self.front.ready.max(self.end() + penalty - STAGES_TO_ISSUE);
        self.front.refill += penalty;
        self.front.refill_op = group.u;
        self.mispredicted = number;
    }

    /// What a group that is issued by itself leaves behind for the next branch, and the entry it may meet.
    pub(super) fn pass(&mut self, group: &Group) {
        if self.meets_entry() && !group.branch {
            self.false_entry(group);
        }
        self.groups += 1;
        self.trail.pass(group.address, group.branch);
    }
}
