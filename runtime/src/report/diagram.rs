//! A traced pass as a diagram: what issued in each clock, with the rounds of a loop folded into one.
//!
//! A loop is found by its jumps back. Of its rounds the most frequent one is kept, with the clocks of all; ties go to
//! the later one, which is warmer. Of nested loops the inner ones are folded first.

use super::bound::{self, Bound, Step};
use crate::run::{Awaited, Cause, CauseCycles, InstructionResult, Pipe, Refusal, Run, Trace};
use std::collections::BTreeMap;

/// What issued in a pass, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Diagram {
    pub(super) nodes: Vec<Node>,
    /// The least clocks that the instructions of a pass without loops can take.
    pub(super) bound: Option<Bound>,
}

/// A group of instructions, or a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    Group(Group),
    Loop(Loop),
}

/// One instruction, or a pair, in one clock. Instructions are indices into [`Run::instructions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The clock of its issue.
    pub(super) clock: u64,
    /// Clocks until the next group issued.
    pub(super) cycles: u32,
    /// Of these, the clocks that its instructions take by the timing table.
    pub(super) own: u32,
    pub(super) u: usize,
    pub(super) v: Option<usize>,
    /// Clocks it waited before its issue, unless its predecessor was mispredicted.
    pub(super) late: u32,
    /// Clocks it executed beyond those of the timing table.
    pub(super) longer: u32,
    /// The main reason for `late`, with its part of it.
    pub(super) waited: Option<CauseCycles>,
    /// The main reason for `longer`, with its part of it.
    pub(super) slowed: Option<CauseCycles>,
    /// What it waited for in the floating-point unit, and the instruction at work on that.
    pub(super) awaited: Option<(Awaited, Option<usize>)>,
    /// The address of the data it waited for; in a folded loop, that of one round.
    pub(super) data: Option<u32>,
    /// Whether other rounds like this one waited for other data.
    pub(super) other_data: bool,
    /// The data cache bank that both its instructions wanted.
    pub(super) bank: Option<u32>,
    /// Clocks the next group waited because its branch was mispredicted.
    pub(super) mispredicted: u32,
    /// Whether the group before it was mispredicted, so that its own branch could not be predicted.
    pub(super) after_misprediction: bool,
    /// Why U issued alone.
    pub(super) refusal: Option<Refusal>,
    /// The instructions of the group before it.
    pub(super) before: [Option<usize>; 2],
    /// The instruction that issued next.
    pub(super) next: Option<usize>,
}

/// The rounds of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loop {
    /// The instruction it begins with.
    pub(super) head: usize,
    /// The clock in which the first of the rounds begins.
    pub(super) clock: u64,
    /// The number of rounds.
    pub(super) rounds: u64,
    /// Whether a round before these began as the second half of a pair, and is not one of them.
    pub(super) entered_in_v: bool,
    /// The first group of the first round, if it waited for a group of this trace, and not as long as in the most
    /// frequent round.
    pub(super) late: Option<Box<Group>>,
    /// The clocks of all rounds.
    pub(super) cycles: u64,
    /// The most frequent round.
    pub(super) round: Vec<Node>,
    /// Its clocks.
    pub(super) round_cycles: u64,
    /// How many rounds take as many.
    pub(super) alike: u64,
    /// The least and the most clocks of the other rounds.
    pub(super) others: Option<(u64, u64)>,
    /// The causes of the other rounds' waits beyond those of the most frequent round, with their clocks, most first.
    pub(super) causes: Vec<(Cause, u64)>,
    /// The least clocks that the instructions of a round can take, unless it has an inner loop.
    pub(super) bound: Option<Bound>,
}

impl Diagram {
    /// The diagram of a trace; none if nothing was traced.
    pub(super) fn of(run: &Run, trace: &Trace) -> Option<Diagram> {
        let groups = groups(run, trace);
        if groups.is_empty() {
            return None;
        }
        let loops = loops(run, &groups);
        let mut nodes: Vec<Node> = groups.into_iter().map(Node::Group).collect();
        for &(head, tail) in &loops {
            nodes = fold(run, nodes, trace.cut, (head, tail));
        }
        let straight = !trace.cut && nodes.iter().all(|node| matches!(node, Node::Group(_)));
        let bound = straight.then(|| bound::once(run, &steps(run, &nodes)));
        Some(Diagram { nodes, bound })
    }
}

impl Node {
    /// The first instruction.
    fn first(&self) -> usize {
        match self {
            Node::Group(group) => group.u,
            Node::Loop(inner) => inner.head,
        }
    }

    /// The last instruction of a group. A loop's last round may differ from the one it shows, so it has none.
    fn last(&self) -> Option<usize> {
        match self {
            Node::Group(group) => Some(group.v.unwrap_or(group.u)),
            Node::Loop(_) => None,
        }
    }

    fn clock(&self) -> u64 {
        match self {
            Node::Group(group) => group.clock,
            Node::Loop(inner) => inner.clock,
        }
    }

    fn cycles(&self) -> u64 {
        match self {
            Node::Group(group) => u64::from(group.cycles),
            Node::Loop(inner) => inner.cycles,
        }
    }

    /// Everything that makes a round differ from another one.
    fn signature(&self) -> [u64; 6] {
        match self {
            Node::Group(group) => [
                group.u as u64,
                group.v.map_or(u64::MAX, |v| v as u64),
                u64::from(group.cycles) << 32 | u64::from(group.late),
                u64::from(group.longer) << 32 | u64::from(group.mispredicted),
                u64::from(cause_number(group.waited)) << 32 | u64::from(cause_number(group.slowed)),
                group.refusal.map_or(u64::MAX, |refusal| refusal as u64),
            ],
            Node::Loop(inner) => [
                inner.head as u64,
                u64::MAX - 1,
                inner.cycles,
                inner.rounds,
                inner.alike,
                0,
            ],
        }
    }

    /// Adds the waits by cause.
    fn waits(&self, sums: &mut BTreeMap<Cause, i128>, sign: i128) {
        match self {
            Node::Group(group) => {
                for (cause, clocks) in [(group.waited, group.late), (group.slowed, group.longer)] {
                    if let Some(main) = cause {
                        *sums.entry(main.cause).or_default() += sign * i128::from(clocks);
                    }
                }
                *sums.entry(Cause::Misprediction).or_default() += sign * i128::from(group.mispredicted);
            }
            Node::Loop(inner) => {
                for &(cause, clocks) in &inner.causes {
                    *sums.entry(cause).or_default() += sign * i128::from(clocks);
                }
                for node in &inner.round {
                    node.waits(sums, sign * i128::from(inner.rounds));
                }
            }
        }
    }
}

/// A cause as a number; none is the greatest.
fn cause_number(main: Option<CauseCycles>) -> u32 {
    main.map_or(u32::MAX, |main| main.cause as u32)
}

/// Every instruction of the groups among `nodes`, with its clocks.
fn steps(run: &Run, nodes: &[Node]) -> Vec<Step> {
    let groups = nodes.iter().filter_map(|node| match node {
        Node::Group(group) => Some(group),
        Node::Loop(_) => None,
    });
    let steps = groups.flat_map(|group| {
        let exchange = group.v.and_then(|v| instruction(run, v)).map(|v| v.needs.exchanges());
        let of_u = Step {
            instruction: group.u,
            took: exchange.unwrap_or(true).then_some(group.own),
        };
        let of_v = group.v.map(|v| Step {
            instruction: v,
            took: None,
        });
        [Some(of_u), of_v]
    });
    steps.flatten().collect()
}

fn groups(run: &Run, trace: &Trace) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for one in &trace.issued {
        let instruction = one.instruction as usize;
        if run.instructions.get(instruction).is_none() {
            continue;
        }
        // A region may begin with the second half of a pair, which has no group to join.
        if let (Pipe::V, Some(group)) = (one.pipe, groups.last_mut()) {
            group.v = Some(instruction);
            continue;
        }
        let mut late = one.late;
        let mut before = [None; 2];
        if let Some(last) = groups.last_mut() {
            if one.waited.is_some_and(|main| main.cause == Cause::Misprediction) {
                last.mispredicted = std::mem::take(&mut late);
            }
            last.next = Some(instruction);
            before = [Some(last.u), last.v];
        }
        groups.push(Group {
            clock: one.clock,
            cycles: one.cycles,
            own: 0,
            u: instruction,
            v: None,
            late,
            longer: one.longer,
            waited: one.waited.filter(|_| late > 0),
            slowed: one.slowed.filter(|_| one.longer > 0),
            awaited: one.awaited.map(|(what, by)| (what, by.map(|index| index as usize))),
            data: one.data,
            other_data: false,
            bank: one.bank,
            mispredicted: 0,
            after_misprediction: groups.last().is_some_and(|last| last.mispredicted > 0),
            refusal: one.refusal,
            before,
            next: None,
        });
    }
    if let Some(last) = groups.last_mut() {
        last.mispredicted = trace.mispredicted;
    }
    let waits: Vec<u32> = groups.iter().skip(1).map(|group| group.late).chain([0]).collect();
    for (group, next) in groups.iter_mut().zip(waits) {
        let lost = group.longer + group.mispredicted + next;
        group.own = group.cycles.saturating_sub(lost);
    }
    groups
}

/// The loops of a pass as their first instruction and the last one that jumps back to it, the shortest first.
fn loops(run: &Run, groups: &[Group]) -> Vec<(usize, usize)> {
    let mut tails: BTreeMap<usize, usize> = BTreeMap::new();
    for pair in groups.windows(2) {
        let [before, after] = pair else { continue };
        let last = before.v.unwrap_or(before.u);
        // Instructions are in address order.
        if jumps(run, last) && after.u <= last {
            let tail = tails.entry(after.u).or_insert(last);
            *tail = last.max(*tail);
        }
    }
    let mut loops: Vec<(usize, usize)> = tails.into_iter().collect();
    loops.sort_by_key(|(head, tail)| tail - head);
    loops.truncate(LOOPS);
    loops
}

/// The most loops of a pass that are folded.
const LOOPS: usize = 64;

fn instruction(run: &Run, index: usize) -> Option<&InstructionResult> {
    run.instructions.get(index)
}

fn jumps(run: &Run, index: usize) -> bool {
    instruction(run, index).is_some_and(|one| one.needs.jump)
}

/// Folds all rounds of the loop from `head` to `tail`, wherever at least two follow one another. If the trace is `cut`,
/// a round that it has only the beginning of is left out.
fn fold(run: &Run, nodes: Vec<Node>, cut: bool, (head, tail): (usize, usize)) -> Vec<Node> {
    let mut folded: Vec<Node> = Vec::new();
    let mut rest = nodes.as_slice();
    while let Some(node) = rest.first() {
        let mut rounds: Vec<&[Node]> = Vec::new();
        let mut after = rest;
        while after.first().is_some_and(|node| node.first() == head) {
            let (round, behind) = after.split_at(round_length(run, after, head, tail));
            rounds.push(round);
            after = behind;
            let jumped = round.last().and_then(Node::last).is_some_and(|last| jumps(run, last));
            if !jumped {
                if cut && after.is_empty() && rounds.len() > 2 {
                    rounds.pop();
                }
                break;
            }
        }
        if rounds.len() < 2 {
            folded.push(node.clone());
            rest = &rest[1..];
            continue;
        }
        // The groups before belong to the round that was entered, unless that began as the first half of a pair.
        let inside = |node: &&Node| (head..=tail).contains(&node.last().unwrap_or(node.first()));
        let entered_in_v = folded
            .iter()
            .rev()
            .take_while(inside)
            .any(|node| matches!(node, Node::Group(group) if group.v == Some(head)));
        folded.push(Node::Loop(rounds_of(run, head, entered_in_v, &rounds)));
        rest = after;
    }
    folded
}

/// The number of nodes of the round that `nodes` begins with, at least 1.
fn round_length(run: &Run, nodes: &[Node], head: usize, tail: usize) -> usize {
    for (at, node) in nodes.iter().enumerate() {
        let last = node.last();
        let Some(next) = nodes.get(at + 1) else { break };
        let jumped = last.is_some_and(|last| jumps(run, last));
        let left = !(head..=tail).contains(&next.first());
        if last == Some(tail) || jumped && (left || next.first() == head) {
            return at + 1;
        }
    }
    nodes.len()
}

fn rounds_of(run: &Run, head: usize, entered_in_v: bool, rounds: &[&[Node]]) -> Loop {
    let clocks = |round: &[Node]| round.iter().map(Node::cycles).sum::<u64>();
    let signature = |round: &[Node]| round.iter().map(Node::signature).collect::<Vec<_>>();
    // The most frequent number of clocks; of equally frequent ones that of the longest round, which is whole.
    let mut lengths: BTreeMap<u64, (u64, usize)> = BTreeMap::new();
    for round in rounds {
        let (count, nodes) = lengths.entry(clocks(round)).or_default();
        (*count, *nodes) = (*count + 1, round.len().max(*nodes));
    }
    let usual = lengths.iter().max_by_key(|&(_, frequency)| *frequency);
    let (usual, alike) = usual.map_or((0, 0), |(&usual, &(count, _))| (usual, count));
    // Of the rounds with so many clocks the most frequent one; of equally frequent ones the last, which is warmest.
    let mut kinds: BTreeMap<Vec<[u64; 6]>, (u64, usize)> = BTreeMap::new();
    for (at, round) in rounds.iter().enumerate().filter(|(_, round)| clocks(round) == usual) {
        let kind = kinds.entry(signature(round)).or_default();
        *kind = (kind.0 + 1, at);
    }
    let at = kinds.into_values().max().map_or(0, |(_, at)| at);
    let mut typical = rounds[at].to_vec();
    let kind = signature(&typical);
    for round in rounds.iter().filter(|round| signature(round) == kind) {
        for pair in typical.iter_mut().zip(*round) {
            if let (Node::Group(group), Node::Group(other)) = pair {
                group.other_data |= group.data != other.data;
            }
        }
    }
    let others: Vec<&&[Node]> = rounds.iter().filter(|round| clocks(round) != usual).collect();
    let mut sums = BTreeMap::new();
    for round in &others {
        round.iter().for_each(|node| node.waits(&mut sums, 1));
        typical.iter().for_each(|node| node.waits(&mut sums, -1));
    }
    let mut causes: Vec<(Cause, u64)> = sums
        .into_iter()
        .filter_map(|(cause, clocks)| Some((cause, u64::try_from(clocks).ok().filter(|&clocks| clocks > 0)?)))
        .collect();
    causes.sort_by_key(|&(cause, clocks)| (std::cmp::Reverse(clocks), cause));
    let first = |round: &[Node]| match round.first() {
        Some(Node::Group(group)) => Some(group.clone()),
        _ => None,
    };
    let late = |group: &Group| group.late;
    let usual_late = first(&typical).map_or(0, |group| late(&group));
    let late =
        first(rounds[0]).filter(|group| group.before != [None; 2] && late(group) > 0 && late(group) != usual_late);
    let of_others = || others.iter().map(|round| clocks(round));
    let innermost = typical.iter().all(|node| matches!(node, Node::Group(_)));
    Loop {
        head,
        clock: rounds[0].first().map_or(0, Node::clock),
        rounds: rounds.len() as u64,
        entered_in_v,
        late: late.map(Box::new),
        cycles: rounds.iter().map(|round| clocks(round)).sum(),
        round_cycles: usual,
        alike,
        others: of_others().min().zip(of_others().max()),
        causes,
        bound: innermost.then(|| bound::repeated(run, &steps(run, &typical))),
        round: typical,
    }
}
