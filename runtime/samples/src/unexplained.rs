//! Unexplained stalls: ops take longer than a replay of the code under the events that their packets show.

use super::inferred::beyond_replay;
use super::latencies::Latencies;
use super::{Clocks, StallRow};
use p5_advice::Charged;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The least share of an op's latency, and the fewest clocks, that are worth a report.
const SHARE: f64 = 0.25;
const FEWEST: f64 = 1.0;
/// The standard errors that chance hardly reaches.
const SIGMAS: f64 = 4.0;

pub(super) fn add_unexplained(
    rows: &mut BTreeMap<u32, StallRow>,
    charges: &FxHashMap<u32, Charged>,
    latencies: &Latencies,
    scale: f64,
) {
    let stall = |address: u32| rows.get(&address).map(|row| row.stall_per_op(scale));
    // Ops wait for a repeated instruction before them as long as it takes, which varies from one execution to the next.
    let repeated = charges.iter().filter(|(_, charged)| charged.repeats);
    let behind: FxHashSet<u32> = repeated.flat_map(|(&address, _)| latencies.behind(address)).collect();
    let mut found: Vec<(u32, f64)> = Vec::new();
    for &address in rows.keys().filter(|address| !behind.contains(address)) {
        let least = latencies.all_longer(address, stall, |longer, own| {
            longer >= FEWEST.max(SHARE * own.mean()) && longer > SIGMAS * own.error()
        });
        if least > 0.0 {
            found.push((address, least));
        }
    }
    for (address, clocks) in found {
        let Some(row) = rows.get_mut(&address) else { continue };
        // Clocks that its packets show beyond the replay are explained.
        let charged = charges.get(&address);
        let clocks = clocks - charged.map_or(0.0, |charged| beyond_replay(row, charged, scale).max(0.0));
        // The instruction in U waits for the one in V, to which the stall belongs.
        let shared = charged.is_some_and(|charged| charged.beside.is_some());
        if clocks >= FEWEST && !shared {
            row.unexplained = Clocks::of(row.samples.samples, clocks * scale);
            row.stall.merge(&row.unexplained);
        }
    }
}
