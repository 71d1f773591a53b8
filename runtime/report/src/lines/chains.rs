//! The chains of calls of a run, and the clocks of its stacks by chain.

use super::stacks::{Stack, before, function_at};
use super::{Entry, Sum};
use crate::Detail;
use p5_results::{Chain, Run, Spent};
use std::collections::{BTreeMap, HashMap};

/// The name of the functions that a chain leaves out.
pub(crate) const DEEPER: &str = "(deeper)";

/// The chains of calls with their names.
pub(crate) struct Chains<'a> {
    pub(crate) all: &'a [Chain],
    names: Vec<String>,
}

impl<'a> Chains<'a> {
    /// The chains of a run; none without calls.
    pub(crate) fn of(run: &'a Run) -> Chains<'a> {
        let all = run.calls.as_ref().map_or(&[][..], |calls| &calls.chains);
        let name = |chain: &Chain| match (chain.target, chain.caller) {
            (None, _) => DEEPER.to_owned(),
            // A measuring macro may stand between the label of the start and the first instruction.
            (Some(target), None) => {
                before(run, target).map_or_else(|| function_at(run, target), |label| label.name.clone())
            }
            (Some(target), Some(_)) => function_at(run, target),
        };
        Chains {
            all,
            names: all.iter().map(name).collect(),
        }
    }

    /// The function that a chain ends with.
    pub(crate) fn name(&self, chain: u32) -> &str {
        self.names.get(chain as usize).map_or("", String::as_str)
    }

    /// The linear address of the function that a chain ends with.
    pub(crate) fn target(&self, chain: u32) -> Option<u32> {
        self.all.get(chain as usize)?.target
    }

    /// A chain and those that it is called from, up to the program.
    pub(crate) fn up(&self, chain: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(chain), |&chain| self.all.get(chain as usize)?.caller)
    }

    /// The functions of a chain, the outermost first.
    pub(crate) fn frames(&self, chain: u32) -> Vec<&str> {
        let mut frames: Vec<&str> = self.up(chain).map(|chain| self.name(chain)).collect();
        frames.reverse();
        frames
    }

    /// Whether the label of a stack is that of the function of this chain, or only precedes this function.
    pub(crate) fn tells_label(&self, run: &Run, chain: u32, stack: &Stack) -> bool {
        let Some(target) = self.target(chain) else {
            return false;
        };
        let unlabelled = before(run, target).is_none_or(|label| label.address != target);
        let precedes = || {
            let start = stack.start(run);
            let label = start.and_then(|start| before(run, start));
            start.is_some_and(|start| start >= target) && label.is_none_or(|label| label.address < target)
        };
        self.name(chain) == stack.function || unlabelled && precedes()
    }
}

/// Figures of a run by chain of calls and by the number of one of its `stacks`, if there is one. What has none, because
/// its instructions are too many to tell, comes last.
pub(crate) fn by_chain(spent: &[Spent], stacks: &[Stack], detail: Detail) -> BTreeMap<(usize, u32), Sum> {
    let owners: HashMap<Entry, usize> = (0..)
        .zip(stacks)
        .flat_map(|(number, stack)| stack.entries.iter().map(move |&entry| (entry, number)))
        .collect();
    let mut sums: BTreeMap<(usize, u32), Sum> = BTreeMap::new();
    for spent in spent {
        let owner = match spent.entry {
            Some(entry) => owners.get(&(entry as usize)).copied(),
            None => (detail == Detail::All || !spent.library).then_some(stacks.len()),
        };
        if let Some(owner) = owner {
            sums.entry((owner, spent.chain)).or_default().add_spent(spent);
        }
    }
    sums
}
