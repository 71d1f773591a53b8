//! The share of stores that miss the data cache and find their lines in the second level cache, by the latencies of the
//! ops near them.
//!
//! A store is done when it is in a buffer, and later stores wait while the buffer is busy. So the latencies of the ops
//! after a store depend on whether it finds its line. The sampled latencies lie between those of a replay in which no
//! store finds its line and those of one in which all do, in proportion to the share.

use super::met::AllMet;
use p5_advice::Charged;
use rustc_hash::FxHashMap;

/// The groups after a store that are examined.
const GROUPS: usize = 12;
/// The least difference in clocks between the two replays from which a share is derived.
const LEAST: f64 = 0.5;

/// The probability that a store that misses the data cache finds its line in the second level cache.
pub(super) enum Held {
    /// No store finds its line.
    Never,
    /// Every store finds its line.
    Always,
    /// The share by the address of the instruction; 0 for other instructions.
    Shares(FxHashMap<u32, f64>),
}

impl Held {
    pub(super) fn of(&self, address: u32) -> f64 {
        match self {
            Held::Never => 0.0,
            Held::Always => 1.0,
            Held::Shares(shares) => shares.get(&address).copied().unwrap_or(0.0),
        }
    }
}

/// The share of missing stores that find their lines, for each of the instructions `storing`. `ends` are the costs of
/// the code if none does, and if all do.
pub(super) fn held(met: &AllMet, storing: &[u32], ends: &[FxHashMap<u32, Charged>; 2]) -> Held {
    let mean = |charged: &Charged| charged.latency as f64 / charged.ops as f64;
    // The excess of the latency if no store finds its line over the sampled one, and over the one if all do; and the
    // number of samples.
    let shorter = |address: u32| -> Option<(f64, f64, f64)> {
        let [none, all] = [ends[0].get(&address)?, ends[1].get(&address)?].map(mean);
        let own = met.instructions.get(&address)?;
        let count = own.samples.len() as f64;
        Some((none - own.latency as f64 / count, none - all, count))
    };
    let after = |&address: &u32| ends[0].get(&address).and_then(|charged| charged.after);
    let share = |store: u32| {
        let (mut product, mut square) = (0.0, 0.0);
        for address in std::iter::successors(Some(store), after).take(GROUPS) {
            let Some((sampled, whole, count)) = shorter(address) else {
                continue;
            };
            if whole.abs() >= LEAST {
                product += sampled * whole * count;
                square += whole * whole * count;
            }
        }
        if square > 0.0 {
            (product / square).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    Held::Shares(storing.iter().map(|&store| (store, share(store))).collect())
}
