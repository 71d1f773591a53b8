//! Branches: prediction, penalty, and updates of the branch target buffer.
//!
//! Modelled: the lookup by the U address of the previous group; a miss predicts fall-through; a taken branch allocates
//! an entry unless it executes for the first time or jumps to the next address; the group right after a misprediction
//! cannot use a prediction; an entry that applies to a group without a branch costs a refill. Other chips have a
//! history for each branch and a stack of return addresses, or no prediction, or a prediction that is always right.
//! Not modelled: prediction of far transfers, whose clocks include the refill. DOUBT: the exact condition under which
//! the first execution allocates no entry.
//!
//! Source: Agner Fog, Microarchitecture (2020-09), 3.2; Intel, Pentium Processor Family Developer's Manual 1997, 2.2.

use crate::block::{Branch, ExClocks, Op};
use crate::pipeline::core::Core;
use crate::pipeline::group::{Group, NONE};
use asm_macros::events::Event;
use p5_chips::{Prediction, Resolved};
use p5_results::records::STAGES_TO_EXECUTION;
use p5_words::facts::Facts;

impl Core {
    /// Resolves the branch that ends `group`, which has already issued.
    #[inline(always)]
    pub(in crate::pipeline) fn branch(&mut self, group: &Group, ops: &[Op], facts: &Facts) {
        if self.rules.prediction != Prediction::Counter {
            return self.branch_on_other_chips(group, ops, facts);
        }
        let (taken, target) = (facts.taken, facts.next);
        let readable = self.mispredicted + 1 != self.groups;
        if taken && readable && self.units.btb.taken_as_predicted(self.trail.previous_u, target) {
            self.counts.tally.count(Event::BTB_HITS, 1);
            self.front.line = NONE;
            return;
        }
        self.branch_otherwise(group, ops, facts);
    }

    /// Resolves a branch unless it is a correctly predicted taken one.
    #[inline(never)]
    pub(in crate::pipeline) fn branch_otherwise(&mut self, group: &Group, ops: &[Op], facts: &Facts) {
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
            // Only the taken branches without a hit are counted here. The tally adds the hits.
            self.counts.tally.count(Event::TAKEN_BRANCH_OR_BTB_HIT, 1);
        }
        match found {
            // A branch that is not taken leaves the lowest state as it is, but the entry is written back all the same.
            Some(found) if hit || !taken || !to_next => {
                self.units
                    .btb
                    .update(found, taken, target, self.groups, self.rules.btb_update_groups);
            }
            _ if taken && !to_next && self.may_allocate(group, ops) => {
                self.units.btb.allocate(self.trail.previous_u, target);
            }
            None if !taken => self.units.btb.note_absent(self.trail.previous_u),
            _ => {}
        }
        if taken {
            // Fetch continues at another address, so the next instruction's line is read again.
            self.front.line = NONE;
        }
        if !right {
            self.mispredict(group, ops);
        }
    }

    /// Refills the pipeline after the mispredicted branch of `group`.
    fn mispredict(&mut self, group: &Group, ops: &[Op]) {
        let number = if group.v != NONE { group.v } else { group.u };
        let resolved = ops[number as usize].resolved(number == group.v);
        self.refill(number, self.rules.mispredicted(resolved));
        self.mispredicted = self.groups;
        let tally = &mut self.counts.tally;
        tally.count(Event::PIPELINE_FLUSHES, 1);
        // Some chips have no counter for these flushes, but a monitor may have one.
        tally.count(Event::MISPREDICTED_FLUSHES, 1);
        tally.count(Event::MISPREDICTED_FLUSHES_IN_WB, u64::from(resolved == Resolved::InWb));
    }

    #[inline(never)]
    fn branch_on_other_chips(&mut self, group: &Group, ops: &[Op], facts: &Facts) {
        if self.rules.prediction == Prediction::History {
            return self.branch_by_history(group, ops, facts);
        }
        if self.rules.prediction == Prediction::Perfect {
            let op = &ops[if group.v != NONE { group.v } else { group.u } as usize];
            let returns = u64::from(op.branch == Branch::Return);
            // The tally counts a hit as a taken branch, too.
            self.counts.tally.count(Event::BTB_HITS, u64::from(facts.taken));
            self.counts.tally.count(Event::TAKEN_BRANCHES, u64::from(facts.taken));
            self.counts.tally.count(Event::RETURNS, returns);
            self.counts.tally.count(Event::PREDICTED_RETURNS, returns);
            if facts.taken {
                self.front.line = NONE;
            }
        } else if facts.taken {
            self.counts.tally.count(Event::TAKEN_BRANCH_OR_BTB_HIT, 1);
            self.counts.tally.count(Event::TAKEN_BRANCHES, 1);
            self.front.line = NONE;
            self.prefetched.jump(facts.next);
        }
    }

    /// Resolves a branch that is predicted by its history. A miss predicts fall-through, and a return that hits is
    /// predicted to go back to the last call.
    fn branch_by_history(&mut self, group: &Group, ops: &[Op], facts: &Facts) {
        let (taken, target) = (facts.taken, facts.next);
        let op = &ops[if group.v != NONE { group.v } else { group.u } as usize];
        let returns = op.branch == Branch::Return;
        let history = &mut self.units.history;
        let now = self.queue.instructions;
        let found = history.lookup(op.last_byte(), now, self.rules.history_update_instructions);
        let back = returns.then(|| history.returned()).flatten();
        if op.branch == Branch::Call {
            history.call(group.fall_through);
        }
        let predicted = found.and_then(|found| match op.branch {
            Branch::Return => back.or(Some(found.target)),
            _ => found.taken.then_some(found.target),
        });
        // LOOP and JECXZ, whose clocks depend on the outcome, have no history.
        let patterned = !matches!(op.clocks, ExClocks::ByOutcome(..));
        match found {
            Some(found) => {
                history.update(found, taken.then_some(target), op.last_byte(), now, patterned);
            }
            None if taken && target != group.fall_through && !self.switches.no_btb_allocation => {
                history.allocate(op.last_byte(), target, now);
            }
            None => {}
        }
        let tally = &mut self.counts.tally;
        if found.is_some() {
            tally.count(Event::BTB_HITS, 1);
        } else if taken {
            tally.count(Event::TAKEN_BRANCH_OR_BTB_HIT, 1);
        }
        if taken {
            tally.count(Event::TAKEN_BRANCHES, 1);
            self.front.line = NONE;
        }
        let wrong = predicted != taken.then_some(target);
        self.misled_by = found
            .filter(|_| wrong)
            .and_then(|found| found.of_another(op.last_byte()));
        self.hurried = wrong && !returns && patterned && found.is_some_and(|found| found.is_hurried());
        if returns {
            tally.count(Event::RETURNS, 1);
            tally.count(Event::PREDICTED_RETURNS, u64::from(predicted.is_some()));
            tally.count(Event::RETURNS_NOT_PREDICTED, u64::from(wrong));
        }
        if wrong {
            tally.count(Event::BTB_FALSE_ENTRIES, u64::from(self.misled_by.is_some()));
            tally.count(Event::NOT_TAKEN_PREDICTED_TAKEN, u64::from(!taken));
            self.mispredict(group, ops);
        }
    }

    /// Whether a taken branch may allocate an entry. It may not during its first execution since its line was filled.
    fn may_allocate(&self, group: &Group, ops: &[Op]) -> bool {
        let op = &ops[if group.v != NONE { group.v } else { group.u } as usize];
        !self.switches.no_btb_allocation && self.units.code_cache.end_known(op.last_byte())
    }

    /// Restarts the front end so that the next group issues `penalty` clocks later.
    pub(in crate::pipeline) fn refill(&mut self, op: u32, penalty: u32) {
        self.front.ready = self.end() + u64::from(penalty) - STAGES_TO_EXECUTION;
        self.front.refill = u64::from(penalty);
        self.front.code_walk = 0;
        self.front.refill_op = op;
    }

    /// Whether the next group may find an entry attached to the last group, which itself contained a branch.
    #[inline(always)]
    pub(in crate::pipeline) fn meets_entry(&mut self) -> bool {
        self.trail.last_branched
            && self.rules.prediction == Prediction::Counter
            && self.units.btb.meets(self.trail.last_u)
    }

    /// Handles a group without a branch, whose instruction in U is `op`, after a group with one. An entry attached to
    /// the earlier group is used as a prediction, which is wrong.
    #[inline(never)]
    pub(in crate::pipeline) fn false_entry(&mut self, op: u32) {
        let found = self.units.btb.lookup(self.trail.last_u);
        let Some(found) = found.filter(|found| found.taken) else {
            return;
        };
        let number = self.groups + 1;
        if self.mispredicted + 1 == number {
            return;
        }
        let forwarded = self.rules.btb_update_groups;
        self.units.btb.update(found, false, found.target, number, forwarded);
        self.counts.tally.count(Event::PIPELINE_FLUSHES, 1);
        let penalty = u64::from(self.rules.mispredicted(Resolved::InEx));
        self.front.ready = self.front.ready.max(self.end() + penalty - STAGES_TO_EXECUTION);
        self.front.refill += penalty;
        self.front.refill_op = op;
        self.mispredicted = number;
    }

    /// Records a group that is issued outside a schedule for the next branch, and applies an entry that it may find.
    pub(in crate::pipeline) fn pass(&mut self, group: &Group) {
        if !group.branch && self.meets_entry() {
            self.false_entry(group.u);
        }
        self.groups += 1;
        self.trail.pass(group.address, group.branch);
    }
}
