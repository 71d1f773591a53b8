//! The nest of loops in traced code: which instructions belong to a loop, and at which of them its rounds are told
//! apart.
//!
//! The instructions of a loop reach each other, also on paths that were executed outside of the trace. It is entered at
//! one of them, without which only the loops inside it remain. A compiler lets several instructions of one loop be
//! targets of jumps back: its rounds begin at that target through which most of them pass.

use super::Group;
use super::extent::{extents, naming_jump};
use super::graph::{DEEPEST, Graph, flow};
use p5_results::{Flow, Run, Trace};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A loop of the traced code.
pub(super) struct Nest {
    /// Its instructions, with those of the loops inside it.
    pub(super) members: BTreeSet<usize>,
    /// The number of loops around it.
    pub(super) depth: usize,
    /// The last instruction that jumps back to its head.
    pub(super) tail: usize,
    /// The jump whose line names it.
    pub(super) repeat: usize,
    /// Its file and line, if it is a loop over the whole run.
    pub(super) place: Option<(u32, u32)>,
    /// The number of jumps back.
    pub(super) jumps: usize,
}

/// The loops of traced groups, by the instruction that begins a round.
pub(super) fn nests(run: &Run, trace: &Trace, groups: &[Group], before: &[Option<usize>]) -> BTreeMap<usize, Nest> {
    let jumps = jumps(run, groups);
    if jumps.is_empty() {
        return BTreeMap::new();
    }
    let graph = Graph::of(run, (groups, trace.from == 0), before);
    let mut visits: BTreeMap<usize, usize> = BTreeMap::new();
    for group in groups {
        *visits.entry(group.u).or_default() += 1;
    }
    let mut found = BTreeMap::new();
    let all: BTreeSet<usize> = graph.next.keys().copied().collect();
    let mut open = vec![(all, 0)];
    while let Some((within, depth)) = open.pop() {
        for members in graph.cycles(&within) {
            let entry = graph.entry(&members, |one| visits.get(&one).copied().unwrap_or(0));
            let inner: BTreeSet<usize> = members.iter().copied().filter(|&one| one != entry).collect();
            let inside = graph.cycles(&inner);
            // The jumps back of this loop, by target.
            let mut own: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
            for (&(from, to), &count) in &jumps {
                let both = |of: &BTreeSet<usize>| of.contains(&from) && of.contains(&to);
                if both(&members) && !inside.iter().any(both) {
                    own.entry(to).or_default().push((from, count));
                }
            }
            let head = own
                .keys()
                .copied()
                .filter(|head| !found.contains_key(head))
                .max_by_key(|head| (visits.get(head).copied(), Reverse(*head)));
            let own_jumps = own.values().flatten().map(|(_, count)| count).sum();
            if let Some((head, tails)) = head.and_then(|head| Some((head, own.get(&head)?))) {
                let Some(tail) = tails.iter().map(|(from, _)| *from).max() else {
                    continue;
                };
                let back: Vec<usize> = own.values().flatten().map(|&(from, _)| from).collect();
                let repeat = naming_jump(run, &members, &back).unwrap_or(tail);
                let nest = Nest {
                    members,
                    depth,
                    tail,
                    repeat,
                    place: None,
                    jumps: own_jumps,
                };
                found.insert(head, nest);
            }
            if depth < DEEPEST {
                open.push((inner, depth + 1));
            }
        }
    }
    name_by_run(run, &mut found);
    found
}

/// Names the loops as those of the whole run, of which the trace may have only a part.
fn name_by_run(run: &Run, nests: &mut BTreeMap<usize, Nest>) {
    let functions: BTreeSet<Option<u32>> = nests
        .keys()
        .filter_map(|&head| Some(run.instructions.get(head)?.function))
        .collect();
    let whole = extents(run, |one| functions.contains(&one.function));
    for (&head, nest) in nests {
        if let Some(extent) = whole.get(&head) {
            nest.repeat = extent.repeat;
            nest.place = extent.site(run, head).place;
        }
    }
}

/// How often each jump back was taken, by its instruction and its target.
fn jumps(run: &Run, groups: &[Group]) -> BTreeMap<(usize, usize), usize> {
    let mut jumps = BTreeMap::new();
    for pair in groups.windows(2) {
        let [before, after] = pair else { continue };
        if jumps_back(run, before, after) {
            *jumps.entry((before.last(), after.u)).or_default() += 1;
        }
    }
    jumps
}

/// For each group the instruction that led to it in the same procedure: a call, if it follows a return from it.
pub(super) fn before(run: &Run, groups: &[Group]) -> Vec<Option<usize>> {
    let mut calls: Vec<usize> = Vec::new();
    let mut last = None;
    let befores = groups.iter().map(|group| {
        let before = last;
        last = match flow(run, group) {
            Flow::Call => {
                calls.push(group.last());
                None
            }
            Flow::Return => calls.pop(),
            Flow::Next | Flow::Jump => Some(group.last()),
        };
        before
    });
    befores.collect()
}

/// Whether a jump back leads from `before` to `after`. Instructions are in address order.
fn jumps_back(run: &Run, before: &Group, after: &Group) -> bool {
    after.u <= before.last() && flow(run, before) == Flow::Jump
}
