//! Whether stores that miss the data cache find their lines in the second level cache, by how long the ops near them
//! take.
//!
//! A store is done when it is in a buffer; how long the buffer is busy is what the stores after it wait for. So the
//! answer for a store is in the latencies of the ops that follow it. Between what they are if no store finds its line
//! and if all do, the sampled ones lie as far along as the share of those that do.

use super::met::AllMet;
use p5_advice::Charged;
use rustc_hash::FxHashMap;

/// The groups after a store that are looked at.
const GROUPS: usize = 12;
/// The least difference in clocks between both ends that says anything.
const LEAST: f64 = 0.5;

/// How likely a store that misses the data cache finds its line in the second level cache.
pub(super) enum Held {
    /// None does.
    Never,
    /// All do.
    Always,
    /// By the address of the instruction; of others, none does.
    Shares(FxHashMap<u32, f64>),
}

impl Held {
    /// The probability for a store of the instruction at an address.
    pub(super) fn of(&self, address: u32) -> f64 {
        match self {
            Held::Never => 0.0,
            Held::Always => 1.0,
            Held::Shares(shares) => shares.get(&address).copied().unwrap_or(0.0),
        }
    }
}

/// The share of the missing stores of each of the instructions `storing` that find their lines. `ends` is what the code
/// costs if none does, and if all do.
pub(super) fn held(met: &AllMet, storing: &[u32], ends: &[FxHashMap<u32, Charged>; 2]) -> Held {
    let mean = |charged: &Charged| charged.latency as f64 / charged.ops as f64;
    // How much shorter the sampled latency is than that of no store finding its line, and that of all, with how often
    // it was sampled.
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
