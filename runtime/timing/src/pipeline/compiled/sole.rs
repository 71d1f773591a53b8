//! The only access of a group, for compiled code: most misses are of such groups. And two accesses of a group, one of
//! each instruction in its first clock.
//!
//! Modelled: what `access` does for an access that crosses no boundary and whose page is the last one of its set in the
//! TLB, while all pages are of the usual kind. Not modelled: all others, which are left to `access`.

use crate::counters::Tally;
use crate::pipeline::Pipeline;
use crate::pipeline::core::Core;
use crate::pipeline::counts::stats::RecentStats;
use crate::pipeline::group::{Group, NONE, WRITES};
use asm_macros::events::Event;
use p5_chips::Rules;
use p5_results::Cause;
use p5_words::facts::Facts;
use p5_words::isa::PAGE;
use std::mem::offset_of;

/// What is known of the only access of a group.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct Sole {
    /// The fact word with its address.
    pub(in crate::pipeline) word: usize,
    shape: u8,
    pipe: u8,
    /// The number of its instruction, and the clocks of that and of the group in EX.
    op: u32,
    own: u32,
    clocks: u32,
}

/// The same, for code that makes the access.
#[derive(Clone, Copy, Debug)]
pub struct PlannedSole {
    /// The number of its pipe.
    pub pipe: usize,
    /// The offset in the statistics of those of its instruction.
    pub statistics: usize,
    /// The clocks that the other instruction of its pair takes longer without a wait.
    pub hidden: u32,
}

/// What is known of two accesses of a group, in its first clock: of each instruction, that of the only one.
#[derive(Clone, Copy, Debug)]
pub struct PlannedPair {
    /// That of U's instruction, and that of V's.
    pub of: [PlannedSole; 2],
    /// The clocks that the second one waits if both are of one bank.
    pub conflict: u32,
    /// In the statistics of an instruction, the clocks of that cause.
    pub conflict_cause: i32,
    /// In the pipeline, the count of such conflicts.
    pub conflicts: i32,
    /// In the pipeline, the count of such accesses in one clock, which each conflict makes one less.
    pub in_one_clock: i32,
}

impl PlannedPair {
    /// That of `group`, if it is one.
    pub(in crate::pipeline) fn of(group: &Group, rules: &Rules) -> Option<PlannedPair> {
        let event = group.together()?;
        let tally = offset_of!(Pipeline, core.counts.tally);
        let of = |pipe, op: u32, own| PlannedSole {
            pipe,
            statistics: op as usize * size_of::<RecentStats>(),
            hidden: group.clocks - own,
        };
        let one_each = group.u_accesses == 1 && group.v_accesses == 1;
        (one_each && !group.special && group.v_begins == 0).then(|| PlannedPair {
            of: [of(0, group.u, group.u_clocks), of(1, group.v, group.v_clocks)],
            conflict: rules.bank_conflict,
            conflict_cause: (offset_of!(RecentStats, causes) + Cause::BankConflict as usize * size_of::<i32>()) as i32,
            conflicts: (tally + Tally::place_of(Event::BANK_CONFLICTS)) as i32,
            in_one_clock: (tally + Tally::place_of_shared(event)) as i32,
        })
    }
}

impl Sole {
    /// What code needs to know.
    pub(in crate::pipeline) fn planned(&self) -> PlannedSole {
        PlannedSole {
            pipe: usize::from(self.pipe),
            statistics: self.op as usize * size_of::<RecentStats>(),
            hidden: self.clocks - self.own,
        }
    }

    /// The only access of `group`, if it has one in its first clock; its facts begin at `word`.
    pub(in crate::pipeline) fn of(group: &Group, word: usize) -> Option<Sole> {
        let (shape, pipe, op, own, before) = match (group.u_accesses, group.v_accesses) {
            (1, 0) => (group.shapes[0], 0, group.u, group.u_clocks, 0),
            (0, 1) => (group.shapes[2], 1, group.v, group.v_clocks, group.u_words),
            _ => return None,
        };
        (!group.special && group.v_begins == 0 && op != NONE).then_some(Sole {
            word: word + usize::from(before),
            shape,
            pipe,
            op,
            own,
            clocks: group.clocks,
        })
    }
}

impl Core {
    /// Makes an access of the last group at `address`. Returns the clocks that the group takes longer; `None`, with
    /// nothing done, if it is another's.
    #[inline(always)]
    pub(in crate::pipeline) fn access_sole(&mut self, sole: &Sole, address: u32) -> Option<u64> {
        let when = self.time.clock;
        let size = u32::from(sole.shape & !WRITES);
        let units = &mut *self.units;
        if units.data_cache.crosses(address, size)
            || !units.data_tlb.last_was(address / PAGE)
            || units.bus.is_video(address)
            || units.write_through
            || units.unified
            || self.switches.general_accesses
        {
            return None;
        }
        let (wait, event, cause) = if sole.shape & WRITES == 0 {
            let arrival = if units.data_cache.read(address) {
                units.bus.arrival(address)
            } else {
                let leaves = units.fill_data(address);
                self.counts.tally.count(Event::DATA_READ_MISS, 1);
                self.counts
                    .tally
                    .count(Event::DATA_LINES_WRITTEN_BACK, u64::from(leaves.is_some()));
                units.bus.fill_data(address, when, leaves)
            };
            (
                arrival.saturating_sub(when),
                Event::DATA_READ_STALL,
                Cause::DataReadMiss,
            )
        } else if units.data_cache.write(address) {
            let ready = units.bus.write_ready(address);
            (
                ready.saturating_sub(when),
                Event::WRITE_TO_M_OR_E_LINE_STALL,
                Cause::WriteOrder,
            )
        } else {
            self.counts.tally.count(Event::DATA_WRITE_MISS, 1);
            let wait = units.bus.buffer_write(address, usize::from(sole.pipe), when);
            (wait, Event::WRITE_BUFFER_FULL_STALL, Cause::WriteBufferFull)
        };
        if wait == 0 {
            return Some(0);
        }
        self.stalls(event, when, wait as u32);
        // What the other instruction of the pair takes longer hides the wait.
        let longer = (u64::from(sole.own) + wait).saturating_sub(u64::from(sole.clocks));
        self.counts.stats[sole.op as usize].charge(cause, longer);
        Some(longer)
    }
}

impl Pipeline {
    /// Makes the accesses of group `index` of a plan, which has issued at the current clock. Returns the clocks it
    /// takes longer.
    pub fn access_compiled(&mut self, number: u32, index: u32, facts: &Facts) -> u64 {
        let (core, compiled) = (&mut self.core, &self.compiled[number as usize]);
        if let Some(sole) = &compiled.sole[index as usize]
            && let Some(longer) = core.access_sole(sole, facts.word(sole.word))
        {
            return longer;
        }
        let group = &self.schedules[compiled.schedule as usize].groups[index as usize];
        let busy = core.time.busy;
        core.execute_plainly::<false>(group, facts, usize::from(compiled.words[index as usize]));
        let longer = core.time.busy - u64::from(group.clocks);
        core.time.busy = busy;
        longer
    }

    /// Makes the second access of group `index` of a plan, a pair, after the first one has waited `waited` clocks,
    /// whose cause is at offset `cause` in the statistics. Returns the clocks that the group takes longer.
    pub fn access_second_compiled(
        &mut self,
        number: u32,
        index: u32,
        (waited, cause, conflicts): (u32, u32, bool),
        facts: &Facts,
    ) -> u64 {
        let compiled = &self.compiled[number as usize];
        let group = &self.schedules[compiled.schedule as usize].groups[index as usize];
        let word = usize::from(compiled.words[index as usize]);
        let addresses = [facts.word(word), facts.word(word + usize::from(group.u_words))];
        let cause = (cause as usize - offset_of!(RecentStats, causes)) / size_of::<i32>();
        let first = (waited > 0).then_some((Cause::ALL[cause], waited));
        self.core.access_second(group, addresses, first, conflicts)
    }
}
