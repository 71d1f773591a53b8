//! The loops of a program of Linux over its whole run, and which of their jumps names them.
//!
//! The table of loops and the diagrams both ask here, so that a loop has one name, whichever part of it was traced.

use super::graph::{DEEPEST, Graph};
use super::site;
use p5_results::{Flow, InstructionResult, Run};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A loop over the whole last run.
pub(crate) struct Extent {
    /// The indexes of its instructions, with those of the loops inside it.
    pub(crate) members: BTreeSet<usize>,
    /// The jump whose line names it.
    pub(crate) repeat: usize,
}

impl Extent {
    /// Where the loop with this first instruction stands.
    pub(crate) fn site(&self, run: &Run, head: usize) -> super::Site {
        let instructions = self.members.iter().filter_map(|&index| run.instructions.get(index));
        site(run, [head, self.repeat], instructions)
    }
}

/// The loops of code with source lines in the functions of a program of Linux that are `wanted`, by the index of the
/// first instruction of a round.
pub(crate) fn extents(run: &Run, wanted: impl Fn(&InstructionResult) -> bool) -> BTreeMap<usize, Extent> {
    // In assembly source, a label names each loop.
    if run.cpl != 3 {
        return BTreeMap::new();
    }
    let executed = |one: &InstructionResult| one.executions > 0;
    let indexed = |address: u32| run.instructions.binary_search_by_key(&address, |one| one.address).ok();
    // The jumps back of the user's own code.
    let back = run.instructions.iter().enumerate().filter_map(|(from, one)| {
        let jumps = one.needs.flow == Flow::Jump && executed(one) && !one.library && one.place.is_some();
        let target = one.needs.target.filter(|&target| jumps && target <= one.address);
        let to = target.and_then(indexed).filter(|&to| {
            let begins = &run.instructions[to];
            begins.function == one.function && begins.executions > 1
        })?;
        wanted(one).then_some((from, to))
    });
    let back: Vec<(usize, usize)> = back.collect();
    let functions: BTreeSet<Option<u32>> = back.iter().map(|&(from, _)| function(run, from)).collect();
    let code = run.instructions.iter().enumerate();
    let code = code.filter(|(_, one)| executed(one) && functions.contains(&one.function));
    let all: BTreeSet<usize> = code.map(|(index, _)| index).collect();
    let graph = Graph::of_executed(run, &all);
    let (mut found, mut open) = (BTreeMap::new(), vec![(all, 0)]);
    while let Some((within, depth)) = open.pop() {
        for members in graph.cycles(&within) {
            let visits = |one: usize| run.instructions[one].executions;
            let entry = graph.entry(&members, visits);
            let inner: BTreeSet<usize> = members.iter().copied().filter(|&one| one != entry).collect();
            let inside = graph.cycles(&inner);
            let own = back.iter().filter(|(from, to)| {
                let both = |of: &BTreeSet<usize>| of.contains(from) && of.contains(to);
                both(&members) && !inside.iter().any(both)
            });
            let own: Vec<(usize, usize)> = own.copied().collect();
            let heads = own.iter().map(|&(_, to)| to).filter(|to| !found.contains_key(to));
            let head = heads.max_by_key(|&to| (visits(to), Reverse(to)));
            let jumps: Vec<usize> = own.iter().map(|&(from, _)| from).collect();
            if let Some((head, repeat)) = head.zip(naming_jump(run, &members, &jumps)) {
                found.insert(head, Extent { members, repeat });
            }
            if depth < DEEPEST {
                open.push((inner, depth + 1));
            }
        }
    }
    found
}

/// The number of the function of an instruction.
fn function(run: &Run, index: usize) -> Option<u32> {
    run.instructions.get(index)?.function
}

/// The jump whose line names a loop with these instructions and jumps back: the only one, or of several that jump back
/// or leave the loop the one with the first line of all. The statement that repeats begins before its body. Inlined
/// code has lines of other functions.
pub(super) fn naming_jump(run: &Run, members: &BTreeSet<usize>, back: &[usize]) -> Option<usize> {
    if let [only] = back {
        return Some(*only);
    }
    let one = |index: usize| run.instructions.get(index);
    let has = |address: u32| {
        let index = run.instructions.binary_search_by_key(&address, |one| one.address);
        index.is_ok_and(|index| members.contains(&index))
    };
    let leaves = |&index: &usize| {
        one(index).is_some_and(|one| {
            let after = one.address.wrapping_add(one.length.into());
            let goes_out = one.needs.target.is_some_and(|target| !has(target));
            one.needs.flow == Flow::Jump && (goes_out || one.needs.falls_through && !has(after))
        })
    };
    let depth = |index: usize| {
        let within = |&call: &u32| run.inlined.get(call as usize)?.within;
        std::iter::successors(one(index).and_then(|one| one.inlined), within).count()
    };
    let back = back.iter().copied();
    let all: Vec<usize> = back.chain(members.iter().copied().filter(leaves)).collect();
    let outermost = all.iter().map(|&index| depth(index)).min()?;
    let own = all.into_iter().filter(|&index| depth(index) == outermost);
    own.min_by_key(|&index| (one(index).and_then(|one| one.outermost), Reverse(index)))
}
