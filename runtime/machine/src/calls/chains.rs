//! The chains of calls of a run. They are bounded: a chain that is too long, or one of too many, goes through one
//! without a target, which stands for the functions that are left out.

use p5_results::Chain;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most chains of calls, and the most with those that are not told in full.
const MOST_CHAINS: usize = 1 << 14;
const MOST_IN_ALL: usize = 1 << 15;
/// The most functions of a chain.
const DEEPEST: u16 = 256;
/// The functions of a chain after which it does not become longer where functions call each other in a circle.
const REPEATS: u16 = DEEPEST / 2;

/// The number of the chain of the program itself.
pub(super) const ROOT: u16 = 0;

struct Told {
    chain: Chain,
    // The number of the function with known ends that it ends with.
    function: Option<usize>,
    depth: u16,
    // Whether functions before its last one are left out.
    cut: bool,
}

pub(super) struct Chains {
    all: Vec<Told>,
    // The chains by caller and target.
    known: FxHashMap<(u16, Option<u32>), u16>,
}

impl Chains {
    /// The chain of a program that begins at `entry`, in this one of the functions with known ends.
    pub(super) fn of(entry: u32, function: Option<usize>) -> Chains {
        let root = Told {
            chain: Chain {
                caller: None,
                target: Some(entry),
            },
            function,
            depth: 1,
            cut: false,
        };
        Chains {
            all: vec![root],
            known: FxHashMap::default(),
        }
    }

    /// The program starts at another address than its entry.
    pub(super) fn start(&mut self, address: u32, function: Option<usize>) {
        if let Some(root) = self.all.first_mut() {
            (root.chain.target, root.function) = (Some(address), function);
        }
    }

    pub(super) fn function(&self, chain: u16) -> Option<usize> {
        self.all.get(usize::from(chain)).and_then(|one| one.function)
    }

    /// The chain of `target`, which `caller` calls.
    pub(super) fn called(&mut self, caller: u16, target: u32, function: Option<usize>) -> u16 {
        let Some(from) = self.all.get(usize::from(caller)) else {
            return caller;
        };
        if from.chain.target == Some(target) {
            return caller;
        }
        if let Some(&known) = self.known.get(&(caller, Some(target))) {
            return known;
        }
        if from.depth >= REPEATS
            && !from.cut
            && let Some(chain) = self.repeated(caller, target)
        {
            self.known.insert((caller, Some(target)), chain);
            return chain;
        }
        let Some(from) = self.all.get(usize::from(caller)) else {
            return caller;
        };
        if from.cut || from.depth >= DEEPEST || self.all.len() >= MOST_CHAINS {
            return self.left_out(caller, target, function);
        }
        self.add(caller, Some(target), function).unwrap_or(caller)
    }

    /// The last chain on the way to `caller` that ends with `target`, if the functions after it are active before it,
    /// too, as where functions call each other in a circle: then a clock counts for the same functions in either.
    fn repeated(&self, caller: u16, target: u32) -> Option<u16> {
        let up = |chain: u16| {
            let chains = std::iter::successors(Some(chain), |&chain| {
                let caller = self.all.get(usize::from(chain))?.chain.caller?;
                u16::try_from(caller).ok()
            });
            chains.map(|chain| (chain, self.all.get(usize::from(chain)).and_then(|one| one.chain.target)))
        };
        let (same, _) = up(caller).find(|(_, of)| *of == Some(target))?;
        let active: FxHashSet<Option<u32>> = up(same).map(|(_, of)| of).collect();
        let mut after = up(caller).take_while(|(chain, _)| *chain != same);
        after.all(|(_, of)| active.contains(&of)).then_some(same)
    }

    /// The chain of `target`, which `caller` calls, with what lies between left out.
    pub(super) fn left_out(&mut self, caller: u16, target: u32, function: Option<usize>) -> u16 {
        let cut = self.all.get(usize::from(caller)).is_some_and(|one| one.cut);
        let caller_of = |chain: u16| self.all.get(usize::from(chain)).and_then(|one| one.chain.caller);
        let between = match cut {
            // The calls of a function that is not told in full are beside it.
            true => caller_of(caller).map_or(ROOT, |caller| caller as u16),
            false => self.add(caller, None, None).unwrap_or(ROOT),
        };
        if between == ROOT {
            // There are too many to tell any function.
            return self.rest();
        }
        self.add(between, Some(target), function).unwrap_or_else(|| self.rest())
    }

    /// The chain of all that is beyond the most chains.
    fn rest(&mut self) -> u16 {
        let next = self.all.len() as u16;
        let rest = *self.known.entry((ROOT, None)).or_insert(next);
        if rest == next {
            self.push(ROOT, None, None);
        }
        rest
    }

    /// The chain of `target` in `caller`, new if there was none; `None` if there are too many.
    fn add(&mut self, caller: u16, target: Option<u32>, function: Option<usize>) -> Option<u16> {
        if let Some(&known) = self.known.get(&(caller, target)) {
            return Some(known);
        }
        let number = u16::try_from(self.all.len())
            .ok()
            .filter(|&number| usize::from(number) < MOST_IN_ALL)?;
        self.known.insert((caller, target), number);
        self.push(caller, target, function);
        Some(number)
    }

    fn push(&mut self, caller: u16, target: Option<u32>, function: Option<usize>) {
        let from = self.all.get(usize::from(caller));
        let (depth, cut) = from.map_or((1, false), |from| (from.depth, from.cut));
        self.all.push(Told {
            chain: Chain {
                caller: Some(caller.into()),
                target,
            },
            function,
            depth: depth.saturating_add(1),
            cut: cut || target.is_none(),
        });
    }

    /// The functions that the chains end with.
    pub(super) fn targets(&self) -> impl Iterator<Item = Option<u32>> {
        self.all.iter().map(|one| one.chain.target)
    }

    /// The chains, each after its caller, and whether some are not told in full.
    pub(super) fn told(&self) -> (Vec<Chain>, bool) {
        let cut = self.all.iter().any(|one| one.cut);
        (self.all.iter().map(|one| one.chain).collect(), cut)
    }
}

#[cfg(test)]
mod tests {
    use super::{Chains, DEEPEST};

    #[test]
    fn functions_that_call_each_other_deeply_are_told() {
        let mut chains = Chains::of(0, None);
        let mut at = 0;
        for depth in 0..u32::from(DEEPEST) * 8 {
            at = chains.called(at, 1 + depth % 3, None);
        }
        let (all, cut) = chains.told();
        assert!(!cut && all.len() <= usize::from(DEEPEST), "{} chains", all.len());
        // There is room for what is called from there.
        chains.called(at, 9, None);
        assert!(!chains.told().1);
    }

    #[test]
    fn functions_that_are_not_in_a_circle_are_left_out() {
        let mut chains = Chains::of(0, None);
        let mut at = 0;
        for depth in 0..u32::from(DEEPEST) + 2 {
            at = chains.called(at, 1 + depth, None);
        }
        assert!(chains.told().1);
    }
}
