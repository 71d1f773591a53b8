//! The error of clocks that depend on values, which no packet shows and no replay knows.
//!
//! The replay gives operands of the floating-point unit the usual values, so that none is checked, denormal or divided
//! early, and counts the fewest steps: on this every path agrees, and chance in the replay says nothing. Latencies do:
//! what an op and the next group have longer or shorter in common, and what is not told as unexplained, is the error of
//! its wait for the unit, or of its own clocks if nothing waits.

use super::inferred::{beyond_replay, charged_for};
use super::latencies::Latencies;
use super::{Blame, StallRow};
use p5_advice::Charged;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Adds the error to the rows of instructions whose clocks depend on values, and of those that wait for their results.
pub(super) fn add_values(
    rows: &mut BTreeMap<u32, StallRow>,
    charges: &FxHashMap<u32, Charged>,
    latencies: &Latencies,
    scale: f64,
) {
    for row in rows.values_mut() {
        let Some(charged) = charges.get(&row.address) else {
            continue;
        };
        let waits = charged_for(Blame::FloatingPoint, charged) > 0;
        if !charged.by_values && !waits {
            continue;
        }
        let ops = row.samples.estimate(scale).max(1.0);
        let chance = latencies.beyond(row.address).map_or(0.0, |(_, error)| error);
        let off = latencies.off(row, beyond_replay(row, charged, scale)) - row.unexplained.clocks / ops;
        let error = (off.powi(2) - chance.powi(2)).max(0.0) * ops.powi(2);
        let blame = if waits { Blame::FloatingPoint } else { Blame::Slow };
        row.causes[blame as usize].inferred += error;
        row.stall.inferred += error;
    }
}
