//! The stalls that the packet of an op shows, each by itself, and those that it would show for a replayed op.
//!
//! Clocks in which an op waits for several things, or in which the other instruction of its pair waits too, are shown
//! in full for each; `shared` reduces them to the charged ones.

use super::Blame;
use super::code::CodeFacts;
use super::inferred::charged_for;
use p5_advice::Charged;
use p5_chips::ibs::*;
use p5_chips::{Resolved, Rules};
use p5_record::Images;

/// The facts that are needed to read packets.
pub(super) struct Shown<'r> {
    /// The rules of the chip, if it is known.
    pub(super) rules: Option<&'r Rules>,
    /// The facts of the code; none without code.
    pub(super) facts: Option<&'r CodeFacts>,
}

impl Shown<'_> {
    /// The clocks that the packet of an op of the instruction at `address` shows, by cause.
    pub(super) fn by_packet(&self, address: u32, images: &Images) -> [u64; Blame::COUNT] {
        let mut stalls = [0; Blame::COUNT];
        stalls[Blame::DataMiss as usize] = self.waiting_for_line(address, images);
        if images.flag(&DC_L1_TLB_MISS) {
            stalls[Blame::DataTlb as usize] = images.field(&TLB_REFILL_LAT).unwrap_or_default();
        }
        let Some(rules) = self.rules else { return stalls };
        let fixed = |flag: bool, clocks: u32| if flag { u64::from(clocks) } else { 0 };
        // The clocks of far transfers and interrupts include their refill.
        let resolved = match self.facts {
            Some(facts) => facts.branches.get(&address).copied(),
            None => Some(Resolved::InEx),
        };
        let refill = resolved.map_or(0, |resolved| rules.mispredicted(resolved));
        // An instruction that meets the entry of another branch refills the pipeline as a misprediction does.
        let met_entry = fixed(images.flag(&OP_BRN_RESYNC), rules.mispredicted(Resolved::InEx));
        stalls[Blame::Misprediction as usize] = fixed(images.flag(&OP_BRN_MISP), refill).max(met_entry);
        stalls[Blame::Misaligned as usize] = fixed(images.flag(&DC_MIS_ACC), rules.misaligned);
        let conflict = images.flag(&DC_LD_BNK_CON) || images.flag(&DC_ST_BNK_CON);
        stalls[Blame::BankConflict as usize] = fixed(conflict, rules.bank_conflict);
        stalls
    }

    /// The clocks that a read waits for its line.
    fn waiting_for_line(&self, address: u32, images: &Images) -> u64 {
        let waits = || Some(&self.facts?.charges.get(&address)?.waits);
        match waits().filter(|waits| waits.filling > 0) {
            // It has the bus for itself, which is another cause.
            _ if images.flag(&DC_LOCKED_OP) => 0,
            _ if images.flag(&LD_OP) && images.flag(&DC_MISS) => images.field(&DC_MISS_LAT).unwrap_or_default(),
            // The packet says that it waits for a line that another access has missed, but not how long.
            Some(waits) if images.flag(&DC_MAB_HIT) => (waits.filled + waits.filling / 2) / waits.filling,
            _ => 0,
        }
    }

    /// The clocks of a wait for a cause that are charged to another one, by the replay on average; 0 if packets do not
    /// show the cause.
    pub(super) fn hidden(&self, blame: Blame, charged: &Charged) -> f64 {
        let replayed = self.by_replay(blame, charged).filter(|&(waits, _)| waits > 0);
        replayed.map_or(0.0, |(waits, clocks)| {
            let hidden = (clocks as f64 - charged_for(blame, charged) as f64) / waits as f64;
            // The clocks of a refill may count and the refill not, as it belongs to the warming up.
            let least = if blame == Blame::Misprediction { 0.0 } else { hidden };
            hidden.max(least)
        })
    }

    /// The standard deviation of what is hidden of one wait, where something hides all of it or nothing: a longer wait
    /// of the next group, or a store. The replay draws the outcome of each branch anew, so its loops end sooner or
    /// later than those of the run, all of whose waits may be hidden, or none.
    pub(super) fn uncertain(&self, blame: Blame, charged: &Charged) -> f64 {
        if !matches!(blame, Blame::Misprediction | Blame::BankConflict) {
            return 0.0;
        }
        let replayed = self.by_replay(blame, charged).filter(|&(waits, _)| waits > 0);
        replayed.map_or(0.0, |(waits, clocks)| {
            let each = clocks as f64 / waits as f64;
            let hidden = self.hidden(blame, charged).clamp(0.0, each);
            (hidden * (each - hidden)).sqrt()
        })
    }

    /// The number of replayed ops that wait for a cause, and their clocks, if packets would show them; otherwise none.
    fn by_replay(&self, blame: Blame, charged: &Charged) -> Option<(u64, u64)> {
        let (rules, waits) = (self.rules?, &charged.waits);
        let fixed = |waits: u64, clocks: u32| Some((waits, waits * u64::from(clocks)));
        match blame {
            Blame::DataMiss => Some((waits.misses + waits.filling, waits.missed + waits.filled)),
            Blame::DataTlb => Some((waits.walks, waits.walked)),
            Blame::Misprediction => Some((waits.refills, waits.refilled)),
            Blame::Misaligned => fixed(waits.misaligned, rules.misaligned),
            Blame::BankConflict => fixed(waits.conflicts, rules.bank_conflict),
            _ => None,
        }
    }
}
