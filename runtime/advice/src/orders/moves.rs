//! Moves of instructions in a complete order: each that saves clocks, and then random ones that cost none, which lead
//! out of orders that no single move improves.

use super::Search;
use rustc_hash::FxHashMap;

/// The number of random moves without a gain after which no more are tried.
const PATIENCE: u64 = 700;
/// The most instructions that move together.
const TOGETHER: usize = 3;
/// One random move in this many may cost a clock.
const WORSE: u64 = 24;

/// A sequence of numbers without a pattern, always the same one: the same program has the same advice.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit.max(1)
    }
}

impl Search<'_> {
    /// Moves one instruction at a time to a position that saves clocks, until no move saves any. Returns the order and
    /// its clocks.
    pub(super) fn climb(&mut self, mut clocks: u64, mut order: Vec<usize>) -> Option<(u64, Vec<usize>)> {
        let mut improved = true;
        while std::mem::take(&mut improved) {
            for from in 0..order.len() {
                for to in 0..order.len() {
                    let mut moved = order.clone();
                    let index = moved.remove(from);
                    moved.insert(to, index);
                    if from == to || to + 1 == from || !self.dependences.allow(&moved) {
                        continue;
                    }
                    if self.found.tried >= self.limit {
                        return Some((clocks, order));
                    }
                    let took = self.try_order(&moved)?;
                    if took < clocks {
                        (clocks, order, improved) = (took, moved, true);
                    }
                }
            }
        }
        Some((clocks, order))
    }

    /// Makes random moves that cost nothing, until many of them have saved nothing either.
    pub(super) fn wander(&mut self, mut clocks: u64, mut order: Vec<usize>) -> Option<()> {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut known: FxHashMap<Vec<usize>, u64> = FxHashMap::default();
        let (mut best, mut since) = (clocks, 0);
        while since < PATIENCE && self.found.tried < self.limit {
            since += 1;
            let together = 1 + random.below(TOGETHER.min(order.len() - 1));
            let from = random.below(order.len() - together + 1);
            let mut moved = order.clone();
            let taken: Vec<usize> = moved.drain(from..from + together).collect();
            let to = random.below(moved.len() + 1);
            moved.splice(to..to, taken);
            if to == from || !self.dependences.allow(&moved) {
                continue;
            }
            let took = match known.get(&moved) {
                Some(took) => *took,
                None => self.try_order(&moved)?,
            };
            known.insert(moved.clone(), took);
            let worse = took == clocks + 1 && took <= best + 1 && random.below(WORSE as usize) == 0;
            if took <= clocks || worse {
                (clocks, order) = (took, moved);
            }
            if clocks < best {
                (best, since) = (clocks, 0);
            }
        }
        Some(())
    }
}
