//! Which instructions follow which in the same procedure: those of a trace, or of the whole run.

use super::Group;
use p5_results::{Flow, Run};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The most loops within each other that are told apart.
pub(super) const DEEPEST: usize = 16;
/// The most instructions beside the trace, nearest to it, that are looked at for paths that it does not take.
const UNTRACED: usize = 4096;

/// Instructions, such as those of a trace, and which of them follow which in the same procedure.
pub(super) struct Graph {
    pub(super) next: BTreeMap<usize, BTreeSet<usize>>,
    previous: BTreeMap<usize, BTreeSet<usize>>,
    /// Those that other code leads to: it calls them, or is not in the trace.
    entered: BTreeSet<usize>,
}

impl Graph {
    pub(super) fn of(run: &Run, (groups, from_beginning): (&[Group], bool), before: &[Option<usize>]) -> Graph {
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
