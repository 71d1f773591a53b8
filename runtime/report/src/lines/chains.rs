//! The chains of calls that lead to functions, and how a function's clocks are divided among them.

use super::function_at;
use crate::printable::printable;
use p5_results::{Chain, Run};
use std::collections::BTreeMap;

/// The chains of calls by the function that they end with.
pub(crate) struct Chains<'a> {
    all: &'a [Chain],
    by_function: BTreeMap<u32, Vec<u32>>,
}

impl<'a> Chains<'a> {
    /// The chains of a run; none without calls.
    pub(crate) fn of(run: &'a Run) -> Chains<'a> {
        let all = run.calls.as_ref().map_or(&[][..], |calls| &calls.chains);
        let mut by_function: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        if all.len() > 1 {
            for (number, chain) in (0..).zip(all) {
                by_function.entry(chain.target).or_default().push(number);
            }
        }
        Chains { all, by_function }
    }

    /// The called function that the code at `address` belongs to, and the chains that lead to it.
    pub(crate) fn function(&self, address: u32) -> Option<(u32, &[u32])> {
        let (&function, chains) = self.by_function.range(..=address).next_back()?;
        Some((function, chains))
    }

    /// The functions of a chain, the outermost first.
    pub(crate) fn frames(&self, run: &Run, chain: u32) -> Vec<String> {
        let up = std::iter::successors(self.all.get(chain as usize), |chain| {
            self.all.get(chain.caller? as usize)
        });
        let mut frames: Vec<String> = up.map(|chain| printable(function_at(run, chain.target))).collect();
        frames.reverse();
        frames
    }

    /// The chains that lead to a function, each with a share of its clocks in proportion to the chain's own clocks. The
    /// shares add up to all of them.
    pub(crate) fn divided(&self, function: u32, clocks: u64) -> Vec<(u32, u64)> {
        let chains = self.by_function.get(&function).map_or(&[][..], Vec::as_slice);
        let own = |chain: u32| self.all.get(chain as usize).map_or(0, |chain| u128::from(chain.clocks));
        let whole = chains.iter().map(|&chain| own(chain)).sum::<u128>();
        let (mut before, mut given) = (0, 0);
        let share = |&chain: &u32| {
            before += own(chain);
            // Without clocks of their own, the first one has all.
            let until = match whole {
                0 => clocks,
                whole => (u128::from(clocks) * before / whole) as u64,
            };
            let share = until - given;
            given = until;
            (chain, share)
        };
        chains.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_results::Calls;

    #[test]
    fn shares_of_chains_add_up() {
        let chain = |caller, target, clocks| Chain { caller, target, clocks };
        let mut run = crate::specimen::run();
        assert!(Chains::of(&run).by_function.is_empty());
        run.calls = Some(Calls {
            chains: vec![
                chain(None, 0, 5),
                chain(Some(0), 64, 10),
                chain(Some(0), 128, 1),
                chain(Some(2), 64, 20),
                chain(Some(1), 192, 0),
                chain(Some(3), 192, 0),
            ],
            ..Calls::default()
        });
        let chains = Chains::of(&run);
        assert_eq!(chains.function(127), Some((64, &[1, 3][..])));
        assert_eq!(chains.divided(64, 100), [(1, 33), (3, 67)]);
        assert_eq!(chains.divided(192, 7), [(4, 7), (5, 0)]);
        assert_eq!(chains.divided(128, 9), [(2, 9)]);
        assert_eq!(chains.divided(1, 9), []);
    }
}
