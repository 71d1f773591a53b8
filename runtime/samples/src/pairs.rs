//! Overlap and unused issue slots from pairs of ops, as ProfileMe's paired sampling estimates them.
//!
//! The second op of a pair is one of the W ops after the first, each with the same probability. If the second is tagged
//! while the first is in flight in some share of the pairs, so is that share of W ops. The remaining slots of those
//! clocks were not used.

use super::Analysis;
use p5_chips::ibs::TAG_TO_RET_CTR;
use p5_record::{Flight, slots};
use p5_record::{SampleKind, TruePairs};
use std::collections::BTreeMap;

/// The sampled pairs whose first op belongs to one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairRow {
    /// The linear address of the instruction.
    pub address: u32,
    /// The number of pairs.
    pub pairs: u64,
    /// Pairs whose second was tagged before the first had retired.
    pub overlapping: u64,
    /// Slots of the clocks between the tag and the retirement of the first, summed; none if their number is unknown.
    pub slots: Option<u64>,
    /// Pairs whose second was tagged in one of these clocks.
    pub used: u64,
    /// Exact figures, if they are known.
    pub exact: Option<TruePairs>,
}

impl PairRow {
    /// The share of pairs that overlap, 0 to 1.
    pub fn overlap(&self) -> f64 {
        self.overlapping as f64 / (self.pairs as f64).max(1.0)
    }

    /// The mean number of unused slots while one op of the instruction is in flight; none if the slots of a clock are
    /// not known. With few pairs it may be negative, as an estimate of a difference.
    pub fn wasted(&self, window: u32) -> Option<f64> {
        let used = self.used as f64 * f64::from(window);
        Some((self.slots? as f64 - used) / (self.pairs as f64).max(1.0))
    }

    /// The standard error of [`PairRow::wasted`], from the random choice of the second op.
    pub fn wasted_error(&self, window: u32) -> f64 {
        let pairs = (self.pairs as f64).max(1.0);
        // If none or all of few pairs use a slot, chance is not 0: as if two more had been found, one of each.
        let share = (self.used as f64 + 1.0) / (pairs + 2.0);
        f64::from(window) * (share * (1.0 - share) / pairs).sqrt()
    }

    /// The exact share of overlapping pairs, 0 to 1.
    pub fn exact_overlap(&self) -> Option<f64> {
        let exact = self.exact.filter(|exact| exact.pairs > 0)?;
        Some(exact.overlapping as f64 / exact.pairs as f64)
    }

    /// The exact mean of unused slots.
    pub fn exact_wasted(&self) -> Option<f64> {
        let exact = self.exact.filter(|exact| exact.flights > 0)?;
        Some(exact.wasted as f64 / exact.flights as f64)
    }
}

impl Analysis {
    /// The pairs by instruction, the most unused slots first, or else the most pairs.
    pub fn pairs(&self) -> Vec<PairRow> {
        let width = self.machine.width.map(u64::from);
        let mut rows: BTreeMap<u32, PairRow> = BTreeMap::new();
        for sample in &self.samples {
            let (Some(pair), Some(address)) = (&sample.pair, sample.address()) else {
                continue;
            };
            let Some(latency) = sample.images.field(&TAG_TO_RET_CTR) else {
                continue;
            };
            let row = rows.entry(address).or_insert(PairRow {
                address,
                slots: width.map(|_| 0),
                ..PairRow::default()
            });
            let flight = Flight {
                tagged: 0,
                retired: latency,
            };
            row.pairs += 1;
            if let (Some(sum), Some(width)) = (&mut row.slots, width) {
                *sum += slots(flight, width);
            }
            if pair.clocks < latency {
                row.overlapping += 1;
                row.used += u64::from(pair.clocks > 0);
            }
        }
        if let Some(truth) = self.comparable(SampleKind::Op) {
            for exact in &truth.pairs {
                if let Some(row) = rows.get_mut(&exact.address) {
                    row.exact = Some(*exact);
                }
            }
        }
        let window = self.sampling.choice.window.unwrap_or(1);
        let mut rows: Vec<PairRow> = rows.into_values().collect();
        let wasted = |row: &PairRow| row.wasted(window).unwrap_or(1.0) * row.pairs as f64;
        rows.sort_by(|one, other| {
            wasted(other)
                .total_cmp(&wasted(one))
                .then(one.address.cmp(&other.address))
        });
        rows
    }
}
