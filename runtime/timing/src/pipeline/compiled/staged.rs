//! Staging: the state of the units before a replay, set from outside.
//!
//! Modelled: a line or a page that is there or not, a misprediction of a branch that the chip would have predicted,
//! and a group that meets the entry of another branch. Staging takes no clock by itself; the replay that follows does.
//! Not modelled: the history that led to this state. A run never calls this: it is for code that is replayed under
//! given conditions, without the program around it.

use crate::pipeline::{Pipeline, RecentStats};
use p5_chips::Resolved;
use p5_results::Refusal;
use p5_words::facts::Facts;
use p5_words::isa::PAGE;

impl Pipeline {
    /// Whether the data cache holds the line of `address`.
    pub fn holds_data(&self, address: u32) -> bool {
        self.core.units.data_cache.holds(address)
    }

    /// Makes the data cache hold the line of `address`, or not. The line that leaves is not written back.
    pub fn stage_data(&mut self, address: u32, held: bool) {
        let units = &mut self.core.units;
        if held == units.data_cache.holds(address) {
            return;
        }
        if held {
            // The line came from the second level cache.
            units.bus.stage(address, true, false);
        }
        match (held, units.unified) {
            (true, true) => units.fill_unified(address),
            (true, false) => {
                units.data_cache.fill(address);
            }
            (false, _) => {
                units.data_cache.invalidate(address);
            }
        }
    }

    /// Makes the fetch of the line of `address`, which is not cached, replace a modified line.
    pub fn stage_modified(&mut self, address: u32) {
        let units = &mut self.core.units;
        if !units.unified && !units.write_through {
            let other = units.data_cache.stage_modified(address);
            units.bus.stage(other, true, false);
        }
    }

    /// Makes the second level cache, if there is one, hold the line of `address`, or not. The line that its fetch
    /// replaces becomes `modified`, or not.
    pub fn stage_second_level(&mut self, address: u32, held: bool, modified: bool) {
        self.core.units.bus.stage(address, held, modified);
    }

    /// Makes the data TLB hold the page of `address`, or not.
    pub fn stage_page(&mut self, address: u32, known: bool) {
        let page = address / PAGE;
        if known {
            self.core.units.translates(address);
        } else {
            self.core.units.retain_plain(|_, _| false);
            self.core.units.data_tlb.forget(page);
        }
    }

    /// Makes the code cache hold the line of `address` with the lengths of its instructions, or not.
    pub fn stage_code(&mut self, address: u32, held: bool) {
        let units = &mut self.core.units;
        let line = units.code_cache.line(address);
        if held && !units.has_line(line) {
            units.fill_code_line(line);
            let bytes = units.code_cache.line_size();
            (0..bytes).for_each(|byte| units.code_cache.learn_end(line + byte));
        } else if !held {
            units.code_cache.invalidate(line);
            if units.unified {
                units.data_cache.invalidate(line);
            }
        }
    }

    /// Makes the TLB of instruction fetch hold the page of `address`, or not.
    pub fn stage_code_page(&mut self, address: u32, known: bool) {
        let page = address / PAGE;
        let tlb = self.core.units.fetch_tlb();
        if known {
            tlb.access(page);
        } else {
            tlb.forget(page);
        }
    }

    /// Treats the branch `op`, which has just issued in V or in U, as mispredicted. Returns the clocks of its refill.
    pub fn stage_misprediction(&mut self, op: u32, in_v: bool) -> u32 {
        let core = &mut self.core;
        let penalty = core.rules.mispredicted(self.ops[op as usize].resolved(in_v));
        if penalty > 0 {
            core.refill(op, penalty);
        }
        core.mispredicted = core.groups;
        penalty
    }

    /// Lets the next instruction, `op`, meet the entry of another branch. Returns the clocks of its refill.
    pub fn stage_false_entry(&mut self, op: u32, facts: &Facts) -> u32 {
        self.close_open(Refusal::LastInstruction, facts);
        let penalty = self.core.rules.mispredicted(Resolved::InEx);
        if penalty > 0 {
            self.core.refill(op, penalty);
        }
        penalty
    }

    /// The statistics charged to instruction `op` since they were last taken, of groups that were observed.
    pub fn charged(&self, op: u32) -> RecentStats {
        self.core.counts.stats[op as usize].clone()
    }

    /// Replaces the statistics charged to instruction `op`.
    pub fn set_charged(&mut self, op: u32, stats: RecentStats) {
        self.core.counts.stats[op as usize] = stats;
    }

    /// Moves the fetch elsewhere, as at the beginning of a new path of code.
    pub fn stage_departure(&mut self) {
        self.core.leave_code();
    }
}
