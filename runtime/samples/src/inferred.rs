//! Clocks that are inferred from a replay of the code under the events that packets show, and their error.
//!
//! The mean over replayed paths has an error by chance, as the mean over samples has. If the replay and the samples
//! differ in latency, inferred causes that come and go are wrong by up to the difference. Causes that are the same in
//! every path have neither error.

use super::blames::{Blame, Told};
use super::latencies::Latencies;
use super::stalled::StallRow;
use p5_advice::Charged;
use p5_results::Cause;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Adds to `stalls` the inferred clocks of one more op of an instruction, after `samples` earlier ones. All ops of an
/// execution together get the clocks of the replay.
pub(super) fn add_inferred(stalls: &mut [u64; Blame::COUNT], charged: &Charged, samples: u64) {
    for blame in Blame::ALL.into_iter().filter(|blame| blame.told() == Told::ByCode) {
        let clocks = charged_for(blame, charged);
        let after = |samples: u64| u128::from(samples) * u128::from(clocks) / u128::from(charged.ops);
        stalls[blame as usize] = (after(samples + 1) - after(samples)) as u64;
    }
}

pub(super) fn charged_for(blame: Blame, charged: &Charged) -> u64 {
    blame.sum(|cause| charged.causes[cause as usize])
}

/// The clocks per op that the packets of an instruction show beyond its replay; negative if the replay has more.
pub(super) fn beyond_replay(row: &StallRow, charged: &Charged, scale: f64) -> f64 {
    let shown = Blame::ALL.into_iter().filter(|blame| blame.told() == Told::ByPackets);
    let (mut packets, mut replayed) = (0.0, 0);
    for blame in shown {
        packets += row.causes[blame as usize].clocks;
        replayed += charged_for(blame, charged);
    }
    let ops = row.samples.estimate(scale).max(1.0);
    packets / ops - replayed as f64 / charged.ops as f64
}

/// Adds the error to all inferred clocks.
pub(super) fn add_errors(
    rows: &mut BTreeMap<u32, StallRow>,
    charges: &FxHashMap<u32, Charged>,
    latencies: &Latencies,
    scale: f64,
) {
    for row in rows.values_mut() {
        let Some(charged) = charges.get(&row.address) else {
            continue;
        };
        let ops = row.samples.estimate(scale);
        let missed = row.causes[Blame::DataMiss as usize].varying(row.samples.samples);
        let off = latencies.off(row, beyond_replay(row, charged, scale));
        for blame in Blame::ALL.into_iter().filter(|blame| blame.told() == Told::ByCode) {
            let sum = |of: &dyn Fn(Cause) -> f64| blame.causes().iter().map(|&cause| of(cause)).sum::<f64>();
            let chance = sum(&|cause| charged.error(cause));
            if chance > 0.0 && row.causes[blame as usize].clocks > 0.0 {
                // Events in the replay are as rare as in the samples from which they are drawn, and it meets as many
                // misses as the samples happen to have.
                let draws = 1.0 + charged.ops as f64 / row.samples.samples.max(1) as f64;
                let by_misses = sum(&|cause| charged.for_each_missed(cause)).powi(2) * missed;
                let inferred = (chance.powi(2) * draws + off.powi(2)) * ops.powi(2) + by_misses;
                row.causes[blame as usize].inferred += inferred;
                row.stall.inferred += inferred;
            }
        }
    }
}
