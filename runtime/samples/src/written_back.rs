//! The share of read misses that replace a modified line, as a part of its upper limit, by the latencies of the ops
//! near them.
//!
//! How many lines of a page are written to is known, but not whether a fetch meets one of these or one of the others:
//! the limit assumes that they lie anywhere. While a modified line is written, the op itself and those after it wait.
//! So the sampled latencies lie between those of a replay in which no fetch replaces a modified line and those of one
//! in which as many do as may be, in proportion to the share. What packets show beyond the replay is taken out of the
//! latencies first: reads may wait for more than the replay knows, such as for code on the bus. Not modelled: other
//! causes for which the latencies of samples and of the replay differ.

use super::met::AllMet;
use p5_advice::Charged;
use rustc_hash::FxHashMap;

/// The instructions, in address order, and their replayed ops, from which one part is derived: of fewer ops chance
/// would decide.
const INSTRUCTIONS: usize = 32;
const OPS: u64 = 1 << 14;
/// The least difference in clocks between the two replays, per op, from which a part is derived.
const LEAST: f64 = 0.5;

/// The part of the upper limit that is assumed of the fetches of an instruction.
pub(super) enum WrittenBack {
    /// No fetch replaces a modified line.
    Nothing,
    /// As many do as may be.
    Limit,
    /// The part by the address of the instruction; the limit for other instructions.
    Parts(FxHashMap<u32, f64>),
}

impl WrittenBack {
    pub(super) fn of(&self, address: u32) -> f64 {
        match self {
            WrittenBack::Nothing => 0.0,
            WrittenBack::Limit => 1.0,
            WrittenBack::Parts(parts) => parts.get(&address).copied().unwrap_or(1.0),
        }
    }
}

/// Sums over some instructions, of which each counts as often as it was sampled.
#[derive(Clone, Copy, Default)]
struct Piece {
    instructions: usize,
    /// The ops of the shorter of the two replays.
    ops: u64,
    samples: f64,
    /// The clocks beyond the replay in which nothing is written back: of the samples, and of the replay at the limit.
    sampled: Beyond,
    limit: Beyond,
}

/// Clocks beyond those of the replay in which nothing is written back.
#[derive(Clone, Copy, Default)]
struct Beyond {
    /// Latencies. A clock in which an op waits is also in the latencies of ops after it.
    latency: f64,
    /// Clocks of any cause; samples do not tell them.
    clocks: f64,
    /// The clocks that packets show, of misses and walks.
    shown: f64,
}

impl Beyond {
    fn add(&mut self, other: &Beyond) {
        self.latency += other.latency;
        self.clocks += other.clocks;
        self.shown += other.shown;
    }

    /// The clocks that packets do not show, if each one is in this many latencies.
    fn hidden(&self, latencies: f64) -> f64 {
        self.latency / latencies - self.shown
    }
}

impl Piece {
    fn is_whole(&self) -> bool {
        self.instructions >= INSTRUCTIONS && self.ops >= OPS
    }

    fn add(&mut self, other: &Piece) {
        self.instructions += other.instructions;
        self.ops += other.ops;
        self.samples += other.samples;
        self.sampled.add(&other.sampled);
        self.limit.add(&other.limit);
    }

    fn part(&self) -> f64 {
        let least = LEAST * self.samples;
        if self.limit.clocks <= least {
            return 1.0;
        }
        let latencies = (self.limit.latency / self.limit.clocks).max(1.0);
        let limit = self.limit.hidden(latencies);
        if limit <= least {
            return 1.0;
        }
        (self.sampled.hidden(latencies) / limit).clamp(0.0, 1.0)
    }
}

/// The part for each instruction that both replays have. `ends` are the costs of the code if nothing is written back,
/// and at the limit.
pub(super) fn written_back(met: &AllMet, ends: &[FxHashMap<u32, Charged>; 2]) -> WrittenBack {
    let each = |charged: &Charged, clocks: u64| clocks as f64 / charged.ops as f64;
    let beyond = |charged: &Charged| Beyond {
        latency: each(charged, charged.latency),
        clocks: each(charged, charged.causes.iter().sum()),
        shown: each(charged, charged.waits.missed + charged.waits.walked),
    };
    let of = |address: u32| {
        let ends = [ends[0].get(&address)?, ends[1].get(&address)?];
        let [none, limit] = ends.map(beyond);
        let own = met.instructions.get(&address)?;
        let samples = own.samples.len() as f64;
        Some(Piece {
            instructions: 1,
            ops: ends[0].ops.min(ends[1].ops),
            samples,
            sampled: Beyond {
                latency: own.latency as f64 - none.latency * samples,
                clocks: 0.0,
                shown: own.shown as f64 - none.shown * samples,
            },
            limit: Beyond {
                latency: (limit.latency - none.latency) * samples,
                clocks: (limit.clocks - none.clocks) * samples,
                shown: (limit.shown - none.shown) * samples,
            },
        })
    };
    let mut known: Vec<(u32, Piece)> = ends[0].keys().filter_map(|&at| Some((at, of(at)?))).collect();
    known.sort_unstable_by_key(|&(address, _)| address);
    let mut pieces: Vec<Piece> = Vec::new();
    // The number of the piece of each.
    let mut numbers: Vec<usize> = Vec::with_capacity(known.len());
    for (_, one) in &known {
        if pieces.last().is_none_or(Piece::is_whole) {
            pieces.push(Piece::default());
        }
        numbers.push(pieces.len() - 1);
        if let Some(piece) = pieces.last_mut() {
            piece.add(one);
        }
    }
    // The rest belongs to the piece before it.
    if let Some(rest) = pieces.pop_if(|piece| !piece.is_whole()) {
        match pieces.last_mut() {
            Some(before) => before.add(&rest),
            None => pieces.push(rest),
        }
    }
    let part = |number: usize| pieces.get(number).or(pieces.last()).map_or(1.0, Piece::part);
    let parts = known.iter().zip(numbers);
    WrittenBack::Parts(parts.map(|((address, _), number)| (*address, part(number))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Analysis, sampled_op};
    use p5_chips::ibs::*;
    use p5_record::{Images, Recording};
    use p5_results::Cause;

    /// Each op waits at most 10 clocks until a modified line is written, and 4 clocks for a read that takes none in the
    /// replay; both are in the latencies of three ops. So 12 of the 27 clocks of latency beyond the replay are of
    /// reads, and the other 15 are half of the 30 clocks that writing lines can take.
    #[test]
    fn latencies_tell_the_part_that_is_written_back() {
        let samples = (0..100).map(|_| {
            let mut images = Images::default();
            for (field, value) in [
                (&OP_RIP, 1),
                (&TAG_TO_RET_CTR, 10 + 27),
                (&LD_OP, 1),
                (&DC_MISS, 1),
                (&DC_MISS_LAT, 4),
            ] {
                images.put(field, value);
            }
            sampled_op(images)
        });
        let given = Analysis(Recording {
            samples: samples.collect(),
            ..Recording::default()
        });
        let ends = [0, 10].map(|waits| {
            let mut charged = Charged {
                ops: 50,
                latency: 50 * (10 + 3 * waits),
                ..Charged::default()
            };
            charged.causes[Cause::WriteOrder as usize] = 50 * waits;
            FxHashMap::from_iter([(1, charged)])
        });
        let found = written_back(&AllMet::of(&given, 32), &ends);
        assert!((found.of(1) - 0.5).abs() < 1e-9, "{}", found.of(1));
        // Nothing is known of others.
        assert_eq!(found.of(2), 1.0);
    }
}
