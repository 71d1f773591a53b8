//! The nest of loops in traced code: which instructions belong to a loop, and at which of them its rounds are told
//! apart.
//!
//! The instructions of a loop reach each other, also on paths that were executed outside of the trace. It is entered at
//! one of them, without which only the loops inside it remain. A compiler lets several instructions of one loop be
//! targets of jumps back: its rounds begin at that target through which most of them pass.

use super::Group;
use super::extent::{extents, naming_jump};
use p5_results::{Flow, Run, Trace};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The most loops within each other that are told apart.
pub(super) const DEEPEST: usize = 16;
/// The most instructions beside the trace, nearest to it, that are looked at for paths that it does not take.
const UNTRACED: usize = 4096;

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

/// Instructions, such as those of a trace, and which of them follow which in the same procedure.
pub(super) struct Graph {
    next: BTreeMap<usize, BTreeSet<usize>>,
    previous: BTreeMap<usize, BTreeSet<usize>>,
    /// Those that other code leads to: it calls them, or is not in the trace.
    entered: BTreeSet<usize>,
}

impl Graph {
    fn of(run: &Run, (groups, from_beginning): (&[Group], bool), before: &[Option<usize>]) -> Graph {
        let mut graph = Graph {
            next: BTreeMap::new(),
            previous: BTreeMap::new(),
            entered: BTreeSet::new(),
        };
        for (at, (group, before)) in groups.iter().zip(before).enumerate() {
            graph.next.entry(group.u).or_default();
            match before {
                Some(before) => graph.join(*before, group.u),
                // After a return to code before the trace nothing is known.
                None if at > 0 && flow(run, &groups[at - 1]) == Flow::Call => _ = graph.entered.insert(group.u),
                None => {}
            }
            if let Some(v) = group.v {
                graph.join(group.u, v);
            }
        }
        if let Some(first) = groups.first().filter(|_| from_beginning) {
            graph.entered.insert(first.u);
        }
        graph.join_executed(run);
        graph
    }

    /// The instructions `of` a run, all of which were executed.
    pub(super) fn of_executed(run: &Run, of: &BTreeSet<usize>) -> Graph {
        let mut graph = Graph {
            next: of.iter().map(|&index| (index, BTreeSet::new())).collect(),
            previous: BTreeMap::new(),
            entered: BTreeSet::new(),
        };
        let begins = run
            .functions
            .iter()
            .filter_map(|function| indexed(run, function.address));
        graph.entered.extend(begins);
        for &index in of {
            for to in leads_to(run, index).into_iter().flatten().filter(|to| of.contains(to)) {
                graph.join(index, to);
            }
        }
        graph
    }

    fn join(&mut self, from: usize, to: usize) {
        self.next.entry(to).or_default();
        self.next.entry(from).or_default().insert(to);
        self.previous.entry(to).or_default().insert(from);
    }

    /// Adds what the trace does not show: where other instructions that were executed lead. Those that traced ones lead
    /// to, such as another path of a round, belong to the same loops; the others enter them.
    fn join_executed(&mut self, run: &Run) {
        let begins = run
            .functions
            .iter()
            .filter_map(|function| indexed(run, function.address));
        self.entered.extend(begins);
        let known = 0..run.instructions.len();
        let mut open: VecDeque<usize> = self.next.keys().copied().filter(|one| known.contains(one)).collect();
        let mut untraced = 0;
        while let Some(index) = open.pop_front() {
            for to in leads_to(run, index).into_iter().flatten() {
                if self.next.contains_key(&to) {
                    self.join(index, to);
                } else if untraced < UNTRACED {
                    untraced += 1;
                    self.join(index, to);
                    open.push_back(to);
                }
            }
        }
        for index in known.filter(|index| !self.next.contains_key(index)) {
            let inside = |to: &usize| self.next.contains_key(to);
            self.entered
                .extend(leads_to(run, index).into_iter().flatten().filter(inside));
        }
    }

    /// The instruction at which a loop is entered. If it is entered at several, or nothing is known, it is the one
    /// with the most visits.
    pub(super) fn entry<N: Ord>(&self, members: &BTreeSet<usize>, visits: impl Fn(usize) -> N) -> usize {
        let entered = |one: &usize| {
            let previous = self.previous.get(one);
            self.entered.contains(one) || previous.is_some_and(|all| all.iter().any(|from| !members.contains(from)))
        };
        let most = |one: &usize| (visits(*one), Reverse(*one));
        let entries = members.iter().copied().filter(entered).max_by_key(most);
        entries
            .or_else(|| members.iter().copied().max_by_key(most))
            .unwrap_or_default()
    }

    /// The largest sets of instructions of `within` that reach each other.
    pub(super) fn cycles(&self, within: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
        let order = self.finished(within);
        let (mut placed, mut sets) = (BTreeSet::new(), Vec::new());
        for &first in order.iter().rev() {
            let (mut members, mut open) = (BTreeSet::new(), vec![first]);
            while let Some(one) = open.pop() {
                if within.contains(&one) && placed.insert(one) {
                    members.insert(one);
                    open.extend(self.previous.get(&one).into_iter().flatten());
                }
            }
            let repeats = self.next.get(&first).is_some_and(|next| next.contains(&first));
            if members.len() > 1 || repeats && members.contains(&first) {
                sets.push(members);
            }
        }
        sets
    }

    /// The instructions of `within` in the order in which a search in depth leaves them.
    fn finished(&self, within: &BTreeSet<usize>) -> Vec<usize> {
        let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
        for &first in within {
            let mut open = vec![(first, false)];
            while let Some((one, left)) = open.pop() {
                if left {
                    order.push(one);
                } else if seen.insert(one) {
                    open.push((one, true));
                    let next = self.next.get(&one).into_iter().flatten();
                    open.extend(next.filter(|one| within.contains(one)).map(|&one| (one, false)));
                }
            }
        }
        order
    }
}

/// The index of the instruction at an address.
fn indexed(run: &Run, address: u32) -> Option<usize> {
    let found = run.instructions.binary_search_by_key(&address, |one| one.address);
    found.ok()
}

/// The instructions that may follow one in the same procedure.
fn leads_to(run: &Run, index: usize) -> [Option<usize>; 2] {
    let one = &run.instructions[index];
    let after = one.address.wrapping_add(one.length.into());
    let goes_on = one.needs.falls_through;
    let follows = run
        .instructions
        .get(index + 1)
        .filter(|next| goes_on && next.address == after);
    let target = one.needs.target.filter(|_| one.needs.flow == Flow::Jump);
    [
        follows.map(|_| index + 1),
        target.and_then(|target| indexed(run, target)),
    ]
}

/// The effect of a group's last instruction on the control flow.
pub(super) fn flow(run: &Run, group: &Group) -> Flow {
    group
        .executed_last()
        .and_then(|last| run.executed(last))
        .map_or(Flow::Next, |one| one.needs.flow)
}

/// Whether a jump back leads from `before` to `after`. Instructions are in address order.
fn jumps_back(run: &Run, before: &Group, after: &Group) -> bool {
    after.u <= before.last() && flow(run, before) == Flow::Jump
}
