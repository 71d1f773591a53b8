//! The loops of a pass: finds where rounds begin, and folds rounds of the same path into one.
//!
//! A round begins at the loop's head, which is the target of a jump back, and lasts until the loop reaches its head
//! again. Its path is free: it may call, or leave the addresses of the loop. The last round ends after the last jump
//! back, or where the code of the loop ends.

use super::elsewhere;
use super::graph::flow;
use super::inner;
use super::nest::{self, Nest};
use super::{Group, Loop, Node, Path, Probe, instruction, steps, steps_of};
use p5_advice::bound::{self, Bound, Step};
use p5_results::{Cause, Flow, RegionResult, Run, Trace};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of loops of a pass that are folded: those with the most jumps back.
const LOOPS: usize = 64;

/// The beginnings of rounds among the groups of a pass.
struct Rounds {
    /// The loops, by their heads.
    nests: BTreeMap<usize, Nest>,
    /// For each group that begins a round, the group that begins the next one.
    next: Vec<Option<usize>>,
    /// Whether the trace has only the beginning of the pass, and whether the pass continues.
    cut: bool,
    full: bool,
    /// Whether the pass had begun before the trace.
    later: bool,
}

/// Rounds are unlike if the most frequent number of clocks is that of fewer than one in so many.
const UNLIKE: u64 = 4;

/// A round of a loop: its shown nodes, and all of its groups.
struct Round<'a> {
    nodes: Vec<Node>,
    groups: &'a [Group],
}

pub(super) fn folded(run: &Run, trace: &Trace, groups: &[Group]) -> Vec<Node> {
    let before = nest::before(run, groups);
    let nests = most_repeated(nest::nests(run, trace, groups, &before));
    let rounds = Rounds {
        next: next_rounds(run, groups, &before, &nests),
        nests,
        cut: trace.cut,
        full: trace.full,
        later: trace.from > 0,
    };
    rounds.fold(run, groups, (0, groups.len()), Vec::new())
}

/// The [`LOOPS`] loops with the most jumps back.
fn most_repeated(mut nests: BTreeMap<usize, Nest>) -> BTreeMap<usize, Nest> {
    let mut jumps: Vec<(Reverse<usize>, usize)> =
        nests.iter().map(|(&head, nest)| (Reverse(nest.jumps), head)).collect();
    jumps.sort_unstable();
    for (_, head) in jumps.drain(LOOPS.min(jumps.len())..) {
        nests.remove(&head);
    }
    nests
}

/// For each group that begins a round, the group that begins the next one. `before` are the instructions that led to
/// the groups in the same procedure.
fn next_rounds(
    run: &Run,
    groups: &[Group],
    before: &[Option<usize>],
    nests: &BTreeMap<usize, Nest>,
) -> Vec<Option<usize>> {
    let mut next = vec![None; groups.len()];
    // For each head, the group that began the current round, and the number of open calls in the round.
    let mut open: BTreeMap<usize, (usize, u32)> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        if let Some(nest) = nests.get(&group.u) {
            let repeats = before[at].is_some_and(|before| nest.members.contains(&before));
            if let Some(&(begun, _)) = open.get(&group.u).filter(|_| repeats) {
                next[begun] = Some(at);
            }
            // A round of a loop starts the loops inside it anew.
            let inside = |head: &usize| {
                let deeper = nests.get(head).is_some_and(|inner| inner.depth > nest.depth);
                deeper && nest.members.contains(head)
            };
            open.retain(|head, _| !inside(head));
            open.insert(group.u, (at, 0));
        }
        match flow(run, group) {
            Flow::Call => open.values_mut().for_each(|(_, calls)| *calls += 1),
            // A procedure leaves its loops when it returns.
            Flow::Return => open.retain(|_, (_, calls)| {
                let inside = *calls > 0;
                *calls = calls.saturating_sub(1);
                inside
            }),
            Flow::Next | Flow::Jump => {}
        }
    }
    next
}

impl Rounds {
    /// Appends the groups `at..end` to `nodes`, with their loops folded.
    fn fold(&self, run: &Run, groups: &[Group], (mut at, end): (usize, usize), mut nodes: Vec<Node>) -> Vec<Node> {
        while at < end {
            let library = groups[at..end]
                .iter()
                .take_while(|group| is_library(run, group))
                .count();
            if library > 0 {
                nodes.extend(probes(run, &groups[at..at + library]).into_iter().map(Node::Probe));
                at += library;
                continue;
            }
            let begins: Vec<usize> =
                std::iter::successors(Some(at), |&at| self.next[at].filter(|&next| next < end)).collect();
            let [.., last] = begins[..] else { break };
            let Some(nest) = self.nests.get(&groups[at].u).filter(|_| begins.len() > 1) else {
                nodes.push(Node::Group(Box::new(groups[at].clone())));
                at += 1;
                continue;
            };
            let body = begins[0]..last;
            let (until, whole) = end_of_last(run, groups, &groups[body], (last, end), nest);
            // A trace that breaks off may have only the beginning of a round.
            let broken = self.cut && !whole && until == groups.len();
            let ends = begins[1..].iter().copied().chain((!broken).then_some(until));
            let rounds: Vec<Round<'_>> = begins
                .iter()
                .zip(ends)
                .map(|(&begin, end)| {
                    let first = vec![Node::Group(Box::new(groups[begin].clone()))];
                    Round {
                        nodes: self.fold(run, groups, (begin + 1, end), first),
                        groups: &groups[begin..end],
                    }
                })
                .collect();
            let goes_on = self.full && until == groups.len();
            if rounds.len() < 2 && !goes_on {
                nodes.push(Node::Group(Box::new(groups[at].clone())));
                at += 1;
                continue;
            }
            let head = groups[at].u;
            let entered_in_v = entered_in_v(&nodes, head, nest);
            let mut found = loop_of(run, (head, nest.repeat, entered_in_v), &rounds);
            found.place = nest.place;
            let belongs = |node: &Node| match node {
                Node::Group(group) => nest.members.contains(&group.u),
                Node::Loop(inner) => nest.members.contains(&inner.head),
                Node::Probe(_) => false,
            };
            let clocks = |groups: &[Group]| groups.iter().map(|group| u64::from(group.cycles)).sum::<u64>();
            let from_begin = nodes.iter().all(belongs);
            if self.full && at > 0 && from_begin {
                found.cut[0] = clocks(&groups[..at]);
            }
            // A round that takes longer than all before it is shown by itself, with the loops inside it.
            let unfolded = broken && self.full && clocks(&groups[last..until]) > found.cycles;
            if broken && self.full && !unfolded {
                found.cut[1] = clocks(&groups[last..until]);
            }
            // Rounds before the trace or after it are those that have no other place.
            let more = |executions: &u64| goes_on || self.later && from_begin && *executions > found.rounds;
            // Behind another instruction of the loop, with which it pairs, the head is within a round.
            let within = head.checked_sub(1).filter(|before| nest.members.contains(before));
            let within = within.is_some_and(|before| follows(run, before, head));
            let head_row = run.instructions.get(head);
            let executions = head_row.map(|one| if within { one.u } else { one.executions });
            found.of = executions.filter(more);
            found.of_cycles = found.of.and_then(|_| clocks_in_run(run, nest));
            nodes.push(Node::Loop(found));
            // The last groups before a stop are shown one by one.
            at = if unfolded || broken && !self.full { last } else { until };
        }
        nodes
    }
}

/// The clocks that a loop takes in the run; `None` if its code calls other code or returns to it.
fn clocks_in_run(run: &Run, nest: &Nest) -> Option<u64> {
    let members = nest.members.iter().filter_map(|&index| instruction(run, index));
    members
        .map(|one| matches!(one.needs.flow, Flow::Next | Flow::Jump).then_some(one.cycles))
        .sum()
}

/// Whether the second of two instructions stands right after the first one.
fn follows(run: &Run, first: usize, second: usize) -> bool {
    let at = |index: usize| run.instructions.get(index);
    let ends = at(first).map(|one| one.address.wrapping_add(u32::from(one.length)));
    ends.is_some() && ends == at(second).map(|one| one.address)
}

fn is_library(run: &Run, group: &Group) -> bool {
    let members = [Some(group.u), group.v].into_iter().flatten();
    members
        .filter_map(|index| instruction(run, index))
        .all(|one| one.library)
}

/// The probes among groups of the library, one for each region.
fn probes(run: &Run, groups: &[Group]) -> Vec<Probe> {
    let mut probes: Vec<Probe> = Vec::new();
    for group in groups {
        let call = instruction(run, group.u).and_then(|one| one.outermost);
        let edge = |region: &RegionResult| {
            call.is_some_and(|(file, line)| file == region.file && [region.start_line, region.end_line].contains(&line))
        };
        let region = run.regions.iter().position(edge);
        let cycles = u64::from(group.cycles);
        match probes.last_mut().filter(|last| last.region == region) {
            Some(probe) => probe.cycles += cycles,
            None => probes.push(Probe {
                clock: group.clock,
                cycles,
                region,
            }),
        }
    }
    probes
}

/// Whether the round before these began with `head` in V. The groups and inner loops before these belong to it.
fn entered_in_v(nodes: &[Node], head: usize, nest: &Nest) -> bool {
    let inside = |index: usize| nest.members.contains(&index);
    let round = nodes.iter().rev().take_while(|node| match node {
        Node::Group(group) => inside(group.last()),
        Node::Loop(inner) => inside(inner.head) && inner.head != head,
        Node::Probe(_) => false,
    });
    let mut groups = round.filter_map(|node| match node {
        Node::Group(group) => Some(group),
        Node::Loop(_) | Node::Probe(_) => None,
    });
    groups.any(|group| group.v == Some(head))
}

/// The end of a last round that begins at group `at`, at most `end`, and whether that round is known to be complete.
/// The earlier rounds consist of `body`.
fn end_of_last(run: &Run, groups: &[Group], body: &[Group], (at, end): (usize, usize), nest: &Nest) -> (usize, bool) {
    let member = |group: &Group| nest.members.contains(&group.u);
    let known: BTreeSet<usize> = body.iter().flat_map(|group| [group.u, group.last()]).collect();
    let mut calls = 0;
    for (index, group) in groups.iter().enumerate().take(end).skip(at) {
        let belongs = member(group) || known.contains(&group.u);
        if calls == 0 && !belongs {
            return (index, true);
        }
        match flow(run, group) {
            Flow::Call => calls += 1,
            Flow::Return if calls == 0 => return (index + 1, true),
            Flow::Return => calls -= 1,
            Flow::Next | Flow::Jump => {}
        }
        let goes_on = groups.get(index + 1).filter(|_| index + 1 < end).is_some_and(member);
        if calls == 0 && group.last() == nest.tail && !goes_on {
            return (index + 1, true);
        }
    }
    (end, end < groups.len())
}

/// The loop of these rounds, of which there is at least one. It begins with an instruction that an earlier round may
/// have had in V.
fn loop_of(run: &Run, (head, repeat, entered_in_v): (usize, usize, bool), rounds: &[Round<'_>]) -> Loop {
    let mut paths: BTreeMap<Vec<usize>, Vec<&Round<'_>>> = BTreeMap::new();
    for round in rounds {
        paths.entry(path_of(&round.nodes)).or_default().push(round);
    }
    let single = paths.len() == 1;
    let clock = (rounds.first().and_then(|round| round.nodes.first())).map_or(0, Node::clock);
    let mut paths: Vec<Path> = (paths.into_values())
        .map(|rounds| path(run, &rounds, (single, clock)))
        .collect();
    // Among equally frequent paths, the one taken first comes first.
    paths.sort_by_key(|path| (Reverse(path.rounds), path.first));
    let first = |round: &[Node]| match round.first() {
        Some(Node::Group(group)) => Some((**group).clone()),
        _ => None,
    };
    let usual = paths
        .first()
        .and_then(|path| first(&path.round))
        .map_or(0, |group| group.late);
    let late = rounds.first().and_then(|round| first(&round.nodes));
    let late = late.filter(|group| group.late > 0 && group.late != usual);
    Loop {
        head,
        repeat,
        place: None,
        cut: [0, 0],
        clock,
        rounds: rounds.len() as u64,
        of: None,
        of_cycles: None,
        entered_in_v,
        alone: false,
        late: late.map(Box::new),
        cycles: rounds.iter().map(|round| clocks(&round.nodes)).sum(),
        paths,
    }
}

/// The path of a round: its instructions, where an inner loop counts as one.
fn path_of(round: &[Node]) -> Vec<usize> {
    let mut path = Vec::new();
    for node in round {
        match node {
            Node::Group(group) => path.extend([Some(group.u), group.v].into_iter().flatten()),
            Node::Loop(inner) => path.extend([usize::MAX, inner.head]),
            Node::Probe(probe) => path.extend([usize::MAX, usize::MAX, probe.region.map_or(0, |region| region + 1)]),
        }
    }
    path
}

fn clocks(round: &[Node]) -> u64 {
    round.iter().map(Node::cycles).sum()
}

/// Summarises the rounds of one path. `single` means that it is the only path of its loop, which begins at `clock`.
fn path(run: &Run, whole: &[&Round<'_>], (single, clock): (bool, u64)) -> Path {
    let rounds: Vec<&[Node]> = whole.iter().map(|round| &round.nodes[..]).collect();
    let signature = |round: &[Node]| round.iter().map(Node::signature).collect::<Vec<_>>();
    // The most frequent number of clocks; among equally frequent ones, that of the latest round. If the rounds are too
    // unlike for a frequent one, that nearest to the mean.
    let mut lengths: BTreeMap<u64, (u64, usize)> = BTreeMap::new();
    for (at, round) in rounds.iter().enumerate() {
        let (count, last) = lengths.entry(clocks(round)).or_default();
        (*count, *last) = (*count + 1, at);
    }
    let (count, all) = (
        rounds.len() as u64,
        rounds.iter().map(|round| clocks(round)).sum::<u64>(),
    );
    let frequent = lengths.iter().max_by_key(|&(_, frequency)| *frequency);
    let usual = match frequent {
        Some((_, (alike, _))) if alike.saturating_mul(UNLIKE) < count => {
            let distance = |length: u64| (length * count).abs_diff(all);
            lengths
                .iter()
                .min_by_key(|&(&length, &(alike, _))| (distance(length), Reverse(alike)))
        }
        frequent => frequent,
    };
    let (usual, alike) = usual.map_or((0, 0), |(&usual, &(count, _))| (usual, count));
    // Among the rounds with this number of clocks the most frequent kind, and again the latest.
    let mut kinds: BTreeMap<Vec<[u64; 6]>, (u64, usize)> = BTreeMap::new();
    for (at, round) in rounds.iter().enumerate().filter(|(_, round)| clocks(round) == usual) {
        let kind = kinds.entry(signature(round)).or_default();
        *kind = (kind.0 + 1, at);
    }
    let at = kinds.into_values().max().map_or(0, |(_, at)| at);
    let mut typical = rounds[at].to_vec();
    let kind = signature(&typical);
    for round in rounds.iter().filter(|round| signature(round) == kind) {
        typical.iter_mut().zip(*round).for_each(|(one, other)| one.join(other));
    }
    elsewhere::tell(&mut typical, &rounds, all);
    let others: Vec<&&[Node]> = rounds.iter().filter(|round| clocks(round) != usual).collect();
    // What one round waits longer does not make up for what another one waits shorter.
    let [mut more, mut less] = [BTreeMap::new(), BTreeMap::new()];
    for round in &others {
        let mut sums = BTreeMap::new();
        round.iter().for_each(|node| node.waits(&mut sums, 1));
        // What the first instruction of all waited for lies before the rounds.
        if let Some(Node::Group(first)) = round.first().filter(|node| node.clock() == clock) {
            for one in first.waited.by_size() {
                *sums.entry(one.cause).or_default() -= i128::from(one.cycles);
            }
        }
        typical.iter().for_each(|node| node.waits(&mut sums, -1));
        for (cause, clocks) in sums.into_iter().filter(|&(_, clocks)| clocks != 0) {
            let sum = if clocks > 0 { &mut more } else { &mut less };
            *sum.entry(cause).or_default() += clocks.unsigned_abs();
        }
    }
    let most_first = |sums: BTreeMap<Cause, u128>| -> Vec<(Cause, u64)> {
        let clocks = |clocks: u128| u64::try_from(clocks).unwrap_or(u64::MAX);
        let mut causes: Vec<(Cause, u64)> = sums.into_iter().map(|(cause, sum)| (cause, clocks(sum))).collect();
        causes.sort_by_key(|&(cause, clocks)| (Reverse(clocks), cause));
        causes
    };
    let (causes, own_causes) = (most_first(more), most_first(less));
    let of_others = || others.iter().map(|round| clocks(round));
    let innermost = typical.iter().all(|node| matches!(node, Node::Group(_)));
    let bound = if innermost {
        Some(bound_of_groups(run, &rounds, &typical, single))
    } else {
        bound_with_loops(run, whole, at)
    };
    Path {
        rounds: rounds.len() as u64,
        first: rounds[0].first().map_or(0, Node::clock),
        cycles: rounds.iter().map(|round| clocks(round)).sum(),
        round_cycles: usual,
        alike,
        others: of_others().min().zip(of_others().max()),
        causes,
        own_causes,
        inner: inner::ordering(&rounds, usual),
        bound,
        clocks_with_v: whole[at].groups.iter().filter(|group| group.v.is_some()).count() as u64,
        round: typical,
    }
}

/// The bound of rounds without loops inside. `shown` is the round that is shown; `single` means that the loop has no
/// other path.
fn bound_of_groups(run: &Run, rounds: &[&[Node]], shown: &[Node], single: bool) -> Bound {
    let least = |rounds: &[&[Node]]| {
        let steps = least_steps(run, rounds);
        // Dependence chains carry over only into a round of the same path.
        if single {
            bound::repeated(run, &steps)
        } else {
            bound::once(run, &steps)
        }
    };
    let shown = steps(run, shown);
    // A branch that is not taken may take other clocks than one that is. Therefore the bound is that of the rounds that
    // end like the shown one, unless another round was faster.
    let took = |steps: &[Step]| steps.last().map(|step| step.took);
    let last = |round: &[Node]| took(&steps(run, round.last().map_or(&[], std::slice::from_ref)));
    let alike = rounds.iter().copied().filter(|round| last(round) == took(&shown));
    let bound = least(&alike.collect::<Vec<_>>());
    let branch = shown.last().and_then(|step| run.executed(step.instruction));
    // Only the round that leaves the loop ends in another way.
    let ends_otherwise = single && branch.is_some_and(|branch| branch.needs.varies);
    let fastest = rounds.iter().map(|round| clocks(round)).min();
    let bound = match fastest {
        Some(fastest) if fastest < bound.clocks && !ends_otherwise => least(rounds),
        _ => bound,
    };
    Bound {
        work: bound::work(run, &shown),
        ..bound
    }
}

/// The bound of rounds with loops inside, for the inner rounds of round number `shown`; `None` if it contains a probe.
/// If another round with as many inner rounds was faster than this bound, it is the bound of the fastest one.
fn bound_with_loops(run: &Run, rounds: &[&Round<'_>], shown: usize) -> Option<Bound> {
    let of = |round: &Round<'_>| {
        let own = round.groups.iter().all(|group| !is_library(run, group));
        own.then(|| bound::once(run, &steps_of(run, round.groups)))
    };
    let bound = of(rounds[shown])?;
    let inner_rounds = inner::rounds(&rounds[shown].nodes);
    let alike = rounds
        .iter()
        .filter(|round| inner::rounds(&round.nodes) == inner_rounds);
    let fastest = alike.min_by_key(|round| clocks(&round.nodes))?;
    if clocks(&fastest.nodes) >= bound.clocks {
        return Some(bound);
    }
    of(fastest)
}

/// The instructions of rounds of one path, each with its minimum clocks over all rounds.
fn least_steps(run: &Run, rounds: &[&[Node]]) -> Vec<Step> {
    let mut rounds = rounds.iter().map(|round| steps(run, round));
    let mut least = rounds.next().unwrap_or_default();
    for round in rounds {
        for (least, step) in least.iter_mut().zip(round) {
            least.took = least.took.zip(step.took).map(|(one, other)| one.min(other));
            // The first round may divide with another precision than those after it.
            least.saved = least.saved.zip(step.saved).map(|(one, other)| one.max(other));
        }
    }
    least
}
