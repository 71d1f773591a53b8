//! The latencies of ops beside those of the replayed code.
//!
//! The latency of an op is the number of clocks from its tag to its retirement. It includes waits for the groups before
//! it: for the two that are in D2 and EX when it enters D1. So a stall of an op is in its own latency and in those of
//! the next two groups. If all three differ from the replayed latencies by the same amount, the replay is wrong by it.

use super::Analysis;
use super::StallRow;
use p5_advice::Charged;
use p5_chips::ibs::TAG_TO_RET_CTR;
use p5_record::SampleKind;
use p5_results::records::STAGES_TO_EXECUTION;
use rustc_hash::FxHashMap;

/// The number of groups after an op whose latencies include its stalls.
const AFTER: usize = 2;
/// The clocks of an op that waits for nothing: the stages before EX, and EX.
const UNDISTURBED: f64 = (STAGES_TO_EXECUTION + 1) as f64;

/// The latencies of the sampled ops of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Latency {
    pub(super) count: f64,
    pub(super) sum: f64,
    squares: f64,
}

impl Latency {
    pub(super) fn mean(&self) -> f64 {
        self.sum / self.count.max(1.0)
    }

    pub(super) fn variance(&self) -> f64 {
        (self.squares / self.count.max(1.0) - self.mean().powi(2)).max(0.0)
    }

    /// The standard error of the mean.
    pub(super) fn error(&self) -> f64 {
        (self.variance() / self.count.max(1.0)).sqrt()
    }
}

pub(super) struct Latencies<'c> {
    sampled: FxHashMap<u32, Latency>,
    charges: &'c FxHashMap<u32, Charged>,
}

impl<'c> Latencies<'c> {
    /// The latencies in a recording whose replayed code costs `charges`.
    pub(super) fn of(recording: &Analysis, charges: &'c FxHashMap<u32, Charged>) -> Latencies<'c> {
        let mut sampled: FxHashMap<u32, Latency> = FxHashMap::default();
        for sample in recording.samples.iter().filter(|sample| sample.kind == SampleKind::Op) {
            let found = sample.address().zip(sample.images.field(&TAG_TO_RET_CTR));
            let Some((address, latency)) = found else { continue };
            let (own, latency) = (sampled.entry(address).or_default(), latency as f64);
            own.count += 1.0;
            own.sum += latency;
            own.squares += latency * latency;
        }
        Latencies { sampled, charges }
    }

    pub(super) fn get(&self, address: u32) -> Option<&Latency> {
        self.sampled.get(&address)
    }

    /// The instruction at an address and the next ones that issued in U, `count` groups in all.
    fn groups(&self, address: u32, count: usize) -> impl Iterator<Item = u32> {
        let after = |&address: &u32| self.charges.get(&address).and_then(|charged| charged.after);
        std::iter::successors(Some(address), after).take(count)
    }

    /// The instructions after one whose latencies include its stalls.
    pub(super) fn behind(&self, address: u32) -> impl Iterator<Item = u32> {
        self.groups(address, 1 + AFTER).skip(1)
    }

    /// The clocks by which the latency of an op of an instruction exceeds that of the replay, with the sampled latency.
    /// Without a replay, the instruction takes as long as its `stall` clocks make it.
    fn longer(&self, address: u32, stall: impl Fn(u32) -> Option<f64>) -> Option<(f64, &Latency)> {
        let own = self.sampled.get(&address)?;
        let expected = match self.charges.get(&address) {
            Some(charged) => charged.latency as f64 / charged.ops as f64,
            None => UNDISTURBED + stall(address)?,
        };
        Some((own.mean() - expected, own))
    }

    /// The clocks by which the latency of an op exceeds that of the replay, with the standard error.
    pub(super) fn beyond(&self, address: u32) -> Option<(f64, f64)> {
        let (longer, own) = self.longer(address, |_| None)?;
        Some((longer, own.error()))
    }

    /// The least number of clocks by which an op and the ops of the next two groups all take longer than in the replay,
    /// if `worth` accepts all of them; otherwise 0.
    pub(super) fn all_longer(
        &self,
        address: u32,
        stall: impl Fn(u32) -> Option<f64>,
        worth: impl Fn(f64, &Latency) -> bool,
    ) -> f64 {
        let longer = self
            .groups(address, 1 + AFTER)
            .filter_map(|address| self.longer(address, &stall));
        let longer = longer.map(|(longer, own)| if worth(longer, own) { longer } else { 0.0 });
        let least = longer.fold(f64::INFINITY, f64::min);
        if least.is_finite() { least.max(0.0) } else { 0.0 }
    }

    /// The largest error of the replay of an op, in clocks, on which its latency and that of the next group agree:
    /// positive if the replay is too short. `shown` are the clocks that its packets show beyond the replay.
    pub(super) fn off(&self, row: &StallRow, shown: f64) -> f64 {
        let differences = self
            .groups(row.address, 2)
            .filter_map(|address| Some(self.longer(address, |_| None)?.0 - shown));
        let (mut shortest, mut longest) = (f64::INFINITY, f64::NEG_INFINITY);
        for difference in differences {
            shortest = shortest.min(difference);
            longest = longest.max(difference);
        }
        // Without any difference, the two are infinite and in the wrong order.
        if shortest <= longest {
            0.0f64.clamp(shortest, longest)
        } else {
            0.0
        }
    }
}
