//! Waits that packets show in full for each of several causes or for both instructions of a pair, and the waits of
//! repeated instructions, whose ops wait one after the other.

use super::inferred::charged_for;
use super::latencies::Latencies;
use super::shown::Shown;
use super::{Blame, Clocks, StallRow};
use p5_advice::Charged;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Reduces the waits that packets show to the charged clocks: if an op waits for several things at once, each clock has
/// one cause. Each wait is reduced by the mean reduction in the replay, with the error that the run may differ from it.
/// Waits that the replay has not met stay.
pub(super) fn share_waits(
    rows: &mut BTreeMap<u32, StallRow>,
    charges: &FxHashMap<u32, Charged>,
    shown: &Shown,
    scale: f64,
) {
    for row in rows.values_mut() {
        let Some(charged) = charges.get(&row.address) else {
            continue;
        };
        for blame in Blame::ALL {
            let own = row.causes[blame as usize];
            let ops = own.samples as f64 * scale;
            let hidden = shown.hidden(blame, charged) * ops;
            row.reduce(blame, hidden.min(own.clocks));
            row.add_error(blame, shown.uncertain(blame, charged) * ops);
        }
    }
}

/// Corrects the waits of stores in repeated instructions. Their ops are done one after the other, so their latencies
/// include all waits. Latency beyond the replay that no packet shows belongs to the stores.
pub(super) fn time_repeats(
    rows: &mut BTreeMap<u32, StallRow>,
    charges: &FxHashMap<u32, Charged>,
    latencies: &Latencies,
    scale: f64,
) {
    // The waits of accesses that packets show; ops that follow one another meet no bank conflict.
    const SHOWN: [Blame; 3] = [Blame::DataMiss, Blame::DataTlb, Blame::Misaligned];
    for row in rows.values_mut() {
        let charged = charges.get(&row.address).filter(|charged| charged.repeats);
        let Some((charged, latency)) = charged.zip(latencies.get(row.address)) else {
            continue;
        };
        let waits: u64 = SHOWN
            .into_iter()
            .chain([Blame::Store])
            .map(|blame| charged_for(blame, charged))
            .sum();
        let own = (charged.latency as f64 - waits as f64) / charged.ops as f64;
        let shown: f64 = SHOWN.iter().map(|&blame| row.causes[blame as usize].clocks).sum();
        let clocks = ((latency.sum - own * latency.count) * scale - shown).max(0.0);
        let before = row.causes[Blame::Store as usize];
        // An instruction that does not store in the replay does not store.
        if before.clocks > 0.0 {
            // The new figure is as uncertain as the latencies vary.
            row.causes[Blame::Store as usize] = Clocks {
                samples: row.samples.samples,
                clocks,
                squares: clocks * clocks / latency.count + latency.variance() * latency.count * scale * scale,
                ..Clocks::default()
            };
            let factor = (row.stall.clocks - before.clocks + clocks) / row.stall.clocks;
            row.stall.clocks *= factor;
            row.stall.squares *= factor * factor;
        }
    }
}
