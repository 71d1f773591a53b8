//! Orders that grow from the beginning: of all beginnings with as many instructions, those are continued that take the
//! fewest clocks and leave the shortest chains of dependences.

use super::Search;
use crate::dependences::Placed;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The number of beginnings of one length that are continued, if there is time for so many.
const BEGINNINGS: usize = 24;
/// The number of beginnings that take as long to compare as one complete order.
const EACH: u64 = 6;
/// The number of these that consist of the same instructions.
const ALIKE: usize = 3;

/// The beginning of an order.
struct Begun {
    placed: Placed,
    order: Vec<usize>,
    // The clocks that an order takes at least that begins like this, and what is left of all chains.
    rank: (u64, u64),
}

impl Search<'_> {
    /// Complete orders, the most promising first; none if there is no time to compare beginnings.
    pub(super) fn composed(&mut self) -> Option<Vec<Vec<usize>>> {
        let all = self.dependences.len();
        // About a quarter of the instructions may come next at each place.
        let each = (all * all / 4).max(1) as u64;
        let limit = self.limit.saturating_mul(EACH);
        let width = usize::try_from(limit / each).unwrap_or(usize::MAX).min(BEGINNINGS);
        if width == 0 {
            return Some(Vec::new());
        }
        let chains = self.chains()?;
        let nothing = Begun {
            placed: Placed::NOTHING,
            order: Vec::new(),
            rank: (0, 0),
        };
        let mut begun = vec![nothing];
        let mut left = limit;
        for _ in 0..all {
            let mut longer = Vec::new();
            for one in &begun {
                for index in (0..all).filter(|&index| self.dependences.may_follow(&one.placed, index)) {
                    if left == 0 {
                        return Some(Vec::new());
                    }
                    left -= 1;
                    longer.push(self.continued(one, index, &chains)?);
                }
            }
            longer.sort_by_key(|one| one.rank);
            let mut alike: HashMap<u64, usize> = HashMap::new();
            longer.retain(|one| {
                let count = alike.entry(one.placed.done).or_default();
                *count += 1;
                *count <= ALIKE
            });
            longer.truncate(width);
            begun = longer;
        }
        Some(begun.into_iter().map(|one| one.order).collect())
    }

    fn continued(&mut self, begun: &Begun, index: usize, chains: &[u64]) -> Option<Begun> {
        let all = self.dependences.len();
        let mut placed = begun.placed;
        self.dependences.place(&mut placed, index);
        let order = [&begun.order[..], &[index]].concat();
        let took = (self.clocks)(&order)?;
        let open = || (0..all).filter(|&other| placed.done >> other & 1 == 0);
        let longest = open().map(|other| chains[other]).max().unwrap_or(0);
        let rest = longest.max((all - order.len()).div_ceil(2) as u64);
        let sum = open().map(|other| chains[other]).sum();
        Some(Begun {
            placed,
            order,
            rank: (took + rest, sum),
        })
    }

    /// For each instruction, the clocks from its beginning to the end of the longest chain of dependences that begins
    /// with it, by the clocks of each pair of instructions in a chain.
    fn chains(&mut self) -> Option<Vec<u64>> {
        let all = self.dependences.len();
        let mut chains = vec![0; all];
        let mut alone = vec![0; all];
        for (index, alone) in alone.iter_mut().enumerate() {
            *alone = (self.clocks)(&[index])?;
        }
        for index in (0..all).rev() {
            let follows = |one: usize, other: usize| self.dependences.precedes(one, other);
            let later: Vec<usize> = (index + 1..all).filter(|&other| follows(index, other)).collect();
            // What follows another one that follows is in a longer chain.
            let mut next: Vec<usize> = later
                .iter()
                .copied()
                .filter(|&other| !later.iter().any(|&between| between < other && follows(between, other)))
                .collect();
            next.sort_by_key(|&other| Reverse(chains[other]));
            let mut longest = alone[index];
            for other in next {
                let both = (self.clocks)(&[index, other])?;
                longest = longest.max(both.saturating_sub(alone[other]) + chains[other]);
            }
            chains[index] = longest;
        }
        Some(chains)
    }
}
