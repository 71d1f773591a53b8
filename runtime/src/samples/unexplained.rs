//! Stalls that nothing explains: ops that take longer than the code does where it meets what their packets say.
//!
//! A packet has the clocks from the tag of an op to its retirement, in which it waits for the groups before it, too:
//! for the two that are in D2 and EX when it enters D1. So what an op waits for itself is in its own latency, and in
//! those of the next two groups. What is left of all three when the latencies of the replayed code are taken away is a
//! stall that the code does not say.

use super::{Blame, Clocks, Recording, SampleKind, StallRow, Told};
use crate::advice::Charged;
use crate::model::ibs::TAG_TO_RET_CTR;
use crate::records::STAGES_TO_EXECUTION;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The least share of an op's latency that is worth a word, and the fewest clocks.
const SHARE: f64 = 0.25;
const FEWEST: f64 = 1.0;
/// The standard errors that chance hardly makes.
const SIGMAS: f64 = 4.0;
/// The groups behind an op in whose latencies its stalls are.
const BEHIND: usize = 2;
/// The clocks of an op that waits for nothing: those of the stages before EX, and that of EX.
const UNDISTURBED: f64 = (STAGES_TO_EXECUTION + 1) as f64;

/// Latencies.
#[derive(Clone, Copy, Debug, Default)]
struct Latencies {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Latencies {
    fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }

    fn error(&self) -> f64 {
        let variance = self.squares / self.count.max(1.0) - self.mean().powi(2);
        (variance.max(0.0) / self.count.max(1.0)).sqrt()
    }
}

/// The clocks for each op that the packets of an instruction show and its replay does not have.
fn beyond_replay(row: &StallRow, charged: &Charged, scale: f64) -> f64 {
    let shown = Blame::ALL.into_iter().filter(|blame| blame.told() == Told::ByPackets);
    let (mut packets, mut replayed) = (0.0, 0);
    for blame in shown {
        packets += row.causes[blame as usize].clocks;
        replayed += blame.sum(|cause| charged.causes[cause as usize]);
    }
    let ops = row.samples.estimate(scale).max(1.0);
    (packets / ops - replayed as f64 / charged.ops.max(1) as f64).max(0.0)
}

/// Adds what nothing explains to the stalls of each instruction.
pub(super) fn add_unexplained(
    recording: &Recording,
    rows: &mut BTreeMap<u32, StallRow>,
    charges: &FxHashMap<u32, Charged>,
    scale: f64,
) {
    let mut latencies: FxHashMap<u32, Latencies> = FxHashMap::default();
    for sample in recording.samples.iter().filter(|sample| sample.kind == SampleKind::Op) {
        let found = sample.address().zip(sample.images.field(&TAG_TO_RET_CTR));
        let Some((address, latency)) = found else { continue };
        let (own, latency) = (latencies.entry(address).or_default(), latency as f64);
        own.count += 1.0;
        own.sum += latency;
        own.squares += latency * latency;
    }
    let longer = |address: u32| -> Option<f64> {
        let own = latencies.get(&address)?;
        let expected = match charges.get(&address).filter(|charged| charged.ops > 0) {
            Some(charged) => charged.latency as f64 / charged.ops as f64,
            None => UNDISTURBED + rows.get(&address)?.stall_per_op(scale),
        };
        let longer = own.mean() - expected;
        let worth = longer >= FEWEST.max(SHARE * own.mean()) && longer > SIGMAS * own.error();
        Some(if worth { longer } else { 0.0 })
    };
    let after = |&address: &u32| charges.get(&address).and_then(|charged| charged.after);
    let mut found: Vec<(u32, f64)> = Vec::new();
    for &address in rows.keys() {
        let groups = std::iter::successors(Some(address), after).take(1 + BEHIND);
        let least = groups.filter_map(longer).fold(f64::INFINITY, f64::min);
        if least.is_finite() && least > 0.0 {
            found.push((address, least));
        }
    }
    for (address, clocks) in found {
        let Some(row) = rows.get_mut(&address) else { continue };
        // What its packets show beyond the replay is explained.
        let beyond = charges
            .get(&address)
            .map_or(0.0, |charged| beyond_replay(row, charged, scale));
        let clocks = clocks - beyond;
        if clocks < FEWEST {
            continue;
        }
        // The instruction in U waits for that in V, which has it.
        let shared = charges.get(&address).is_some_and(|charged| charged.beside.is_some());
        if !shared {
            let (samples, each) = (row.samples.samples as f64, clocks * scale);
            row.unexplained = Clocks {
                samples: row.samples.samples,
                clocks: samples * each,
                squares: samples * each * each,
            };
            row.stall.merge(&row.unexplained);
        }
    }
}
