//! Waits of both instructions of a pair at the same time, which their packets show twice, and of repeated instructions,
//! whose ops wait one after the other.

use super::{Blame, Clocks, Recording, SampleKind, StallRow};
use crate::advice::Charged;
use crate::model::ibs::TAG_TO_RET_CTR;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Takes away what is waited for at the same time. Of misaligned accesses of both instructions, and of a bank
/// conflict of V while the read in U alone waits for its line, that is the part in V; of a read in U that misses, the
/// clocks in which the instruction in V goes on anyway. V waits for nothing at the same time as a U that reads and
/// writes the same place: it begins in the last clock of that. What happens to one in an execution is taken as
/// independent of the other.
pub(super) fn share_waits(rows: &mut BTreeMap<u32, StallRow>, charges: &FxHashMap<u32, Charged>, scale: f64) {
    let beside = |address: &u32| charges.get(address)?.beside;
    let at_once = |u: &u32| charges.get(u).is_some_and(|charged| !charged.rewrites);
    let pairs = rows.keys().filter_map(|v| Some((*v, beside(v).filter(at_once)?)));
    let pairs: Vec<(u32, u32)> = pairs.collect();
    for (v, u) in pairs {
        let (Some(in_v), Some(in_u)) = (rows.get(&v), rows.get(&u)) else {
            continue;
        };
        let misses = &in_u.causes[Blame::DataMiss as usize];
        let meanwhile = per_op(in_v, Blame::Lockstep, scale).min(each(misses, scale));
        let hidden = misses.samples as f64 * scale * meanwhile;
        // A read in V that misses, too, begins the later for the bank.
        let alone = waiting(in_u, Blame::DataMiss, scale) * (1.0 - waiting(in_v, Blame::DataMiss, scale));
        let taken = [
            (Blame::Misaligned, waiting(in_u, Blame::Misaligned, scale)),
            (Blame::BankConflict, alone),
        ];
        let taken = taken.map(|(cause, share)| (cause, in_v.causes[cause as usize].clocks * share));
        reduce(rows.get_mut(&u), Blame::DataMiss, hidden);
        for (cause, clocks) in taken {
            reduce(rows.get_mut(&v), cause, clocks);
        }
    }
}

impl Recording {
    /// Corrects what the stores of repeated instructions wait for. Their ops are done one after the other, so that
    /// all that they wait for is in their latencies: what is there beyond that of the replayed ones, and no packet
    /// shows, is the stores'.
    pub(super) fn time_repeats(
        &self,
        rows: &mut BTreeMap<u32, StallRow>,
        charges: &FxHashMap<u32, Charged>,
        scale: f64,
    ) {
        let mut latencies: FxHashMap<u32, (u64, u128)> = FxHashMap::default();
        for sample in self.samples.iter().filter(|sample| sample.kind == SampleKind::Op) {
            let repeats = |address: &u32| charges.get(address).is_some_and(|charged| charged.repeats);
            if let Some(address) = sample.address().filter(repeats) {
                let latency = sample.images.field(&TAG_TO_RET_CTR).unwrap_or_default();
                let (sum, squares) = latencies.entry(address).or_default();
                *sum += latency;
                *squares += u128::from(latency).pow(2);
            }
        }
        const SHOWN: [Blame; 3] = [Blame::DataMiss, Blame::DataTlb, Blame::Misaligned];
        for (address, (latency, squares)) in latencies {
            let found = rows.get_mut(&address).zip(charges.get(&address));
            let Some((row, charged)) = found.filter(|(_, charged)| charged.ops > 0) else {
                continue;
            };
            let count = row.samples.samples as f64;
            let replayed = |blame: Blame| blame.sum(|cause| charged.causes[cause as usize]);
            let waits: u64 = SHOWN.into_iter().chain([Blame::Store]).map(replayed).sum();
            let own = (charged.latency as f64 - waits as f64) / charged.ops as f64;
            let shown: f64 = SHOWN.iter().map(|&blame| row.causes[blame as usize].clocks).sum();
            let clocks = ((latency as f64 - own * count) * scale - shown).max(0.0);
            let before = std::mem::take(&mut row.causes[Blame::Store as usize]);
            // Nothing stores that does not in the replay.
            if before.clocks > 0.0 {
                // They wait longer now than then, as much as their latencies vary.
                let variance = squares as f64 / count - (latency as f64 / count).powi(2);
                row.causes[Blame::Store as usize] = Clocks {
                    samples: row.samples.samples,
                    clocks,
                    squares: clocks * clocks / count + variance.max(0.0) * count * scale * scale,
                };
                let factor = (row.stall.clocks - before.clocks + clocks) / row.stall.clocks;
                row.stall.clocks *= factor;
                row.stall.squares *= factor * factor;
            }
        }
    }
}

/// The clocks of a cause for one op, on average.
fn per_op(row: &StallRow, cause: Blame, scale: f64) -> f64 {
    let ops = row.samples.estimate(scale);
    if ops > 0.0 {
        row.causes[cause as usize].clocks / ops
    } else {
        0.0
    }
}

/// The share of an instruction's ops that wait for a cause.
fn waiting(row: &StallRow, cause: Blame, scale: f64) -> f64 {
    let each = each(&row.causes[cause as usize], scale);
    if each > 0.0 {
        (per_op(row, cause, scale) / each).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// The clocks of one wait, on average.
fn each(waits: &Clocks, scale: f64) -> f64 {
    waits.clocks / waits.samples.max(1) as f64 / scale
}

fn reduce(row: Option<&mut StallRow>, cause: Blame, clocks: f64) {
    if let Some(row) = row.filter(|_| clocks > 0.0) {
        row.causes[cause as usize].reduce(clocks);
        row.stall.reduce(clocks);
    }
}
