//! Clocks that are inferred from a replay of the code under the events that packets show, and their error.
//!
//! The mean over replayed paths has an error by chance, as the mean over samples has. If the replay and the samples
//! differ in latency, inferred causes that come and go are wrong by up to the difference. Causes that are the same in
//! every path have neither error. If all causes together take longer than the run, the replay is wrong in the same way
//! everywhere: that error adds up over the instructions.

use super::blames::{Blame, Told};
use super::latencies::Latencies;
use super::stalled::{Clocks, StallRow};
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

/// The sum of all causes may exceed the clocks of the run by this many standard errors before the rest counts as an
/// error of inference.
const SIGMAS: f64 = 2.0;

/// Adds the error that all inferred clocks that are not the same in every path have in common: what the rows explain
/// beyond the `clocks` of the run without those of issue at best. The upper limits of code misses do not count.
pub(super) fn add_common_errors(rows: &mut BTreeMap<u32, StallRow>, clocks: f64) {
    let (mut whole, mut inferred) = (Clocks::default(), 0.0);
    for row in rows.values() {
        whole.merge(&row.stall);
        whole.clocks += row.alone.clocks - row.causes[Blame::CodeMiss as usize].clocks;
        let uncertain = row.causes.iter().filter(|sum| sum.inferred > 0.0);
        inferred += uncertain.map(|sum| sum.clocks).sum::<f64>();
    }
    let excess = whole.clocks - clocks - SIGMAS * whole.error();
    if excess <= 0.0 || inferred <= 0.0 {
        return;
    }
    let share = (excess / inferred).min(1.0);
    for row in rows.values_mut() {
        for sum in row.causes.iter_mut().filter(|sum| sum.inferred > 0.0) {
            sum.common = sum.clocks * share;
            row.stall.common += sum.common;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten instructions wait 100 clocks each for a read and, as the replay says, 100 more for their stores, and the run
    /// took 1,600 clocks. So up to 400 of those for stores are too many, which no number of samples can mend.
    #[test]
    fn what_is_explained_twice_is_an_error_that_adds_up() {
        let mut rows: BTreeMap<u32, StallRow> = BTreeMap::new();
        for address in 0..10 {
            let row = rows.entry(address).or_default();
            for blame in [Blame::DataMiss, Blame::Store] {
                row.causes[blame as usize].clocks = 100.0;
                row.stall.clocks += 100.0;
            }
            row.causes[Blame::Store as usize].inferred = 1.0;
        }
        let mut enough = rows.clone();
        add_common_errors(&mut enough, 2_000.0);
        assert_eq!(enough, rows);
        add_common_errors(&mut rows, 1_600.0);
        let mut stores = Clocks::default();
        for row in rows.values() {
            assert_eq!(row.causes[Blame::DataMiss as usize].error(), 0.0);
            stores.merge(&row.causes[Blame::Store as usize]);
        }
        assert!((stores.error() - 400.0).abs() < 0.1, "{stores:?}");
    }
}
