//! The loop that is asked for by the name of a function or by a line, rather than the one with the most clocks.

use super::graph::flow;
use super::place::place;
use super::{Diagram, Loop, Node};
use p5_results::{Asked, AskedBy, Flow, Run, Trace};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What a trace has of the code that is asked for.
pub(crate) struct Found<'a> {
    pub(crate) trace: &'a Trace,
    /// One loop; or what was traced from the first instruction of that code on, if no loop has it.
    pub(crate) nodes: Vec<Node>,
    /// The clocks of the loop, in this many executions of which `nodes` has one; none without a loop.
    pub(crate) in_loop: u64,
    pub(crate) executions: u64,
    /// The clocks traced.
    pub(crate) all: u64,
}

/// The loop with the most clocks in the code that is asked for, of the traced passes of regions or the run, or else
/// that code without a loop; `None` if it was not traced.
pub(crate) fn found<'a>(run: &'a Run, asked: &Asked) -> Option<Found<'a>> {
    let regions = run.regions.iter().map(|region| &region.trace);
    let mut best: Option<Found> = None;
    for trace in regions.chain([&run.trace]) {
        let found = Diagram::of(run, trace).and_then(|diagram| diagram.found(run, trace, asked));
        if let Some(found) = found
            && best.as_ref().is_none_or(|best| found.in_loop > best.in_loop)
        {
            best = Some(found);
        }
    }
    best
}

/// The loops of the traced passes with their clocks, the most first.
pub(crate) fn traced_loops(run: &Run) -> Vec<(u64, Loop)> {
    let regions = run.regions.iter().map(|region| &region.trace);
    let mut all = Vec::new();
    for trace in regions.chain([&run.trace]) {
        if let Some(diagram) = Diagram::of(run, trace) {
            add_loops(&diagram.nodes, 1, &mut all);
        }
    }
    all.sort_by_key(|(clocks, _)| Reverse(*clocks));
    all
}

fn add_loops(nodes: &[Node], times: u64, all: &mut Vec<(u64, Loop)>) {
    for node in nodes {
        let Node::Loop(inner) = node else { continue };
        all.push((times.saturating_mul(node.whole_cycles()), inner.clone()));
        for path in &inner.paths {
            add_loops(&path.round, times.saturating_mul(path.rounds), all);
        }
    }
}

impl Diagram {
    fn found<'a>(self, run: &Run, trace: &'a Trace, asked: &Asked) -> Option<Found<'a>> {
        let all = self.nodes.iter().map(Node::whole_cycles).sum();
        let mut candidates = Candidates::default();
        candidates.search(run, asked, &self.nodes, 1);
        let Candidates { begin, pass } = candidates;
        if let Some((in_loop, executions, node)) = typical(begin).or_else(|| typical(pass)) {
            let mut node = node.clone();
            node.stand_alone();
            return Some(Found {
                trace,
                nodes: vec![node],
                in_loop,
                executions,
                all,
            });
        }
        let at = self.nodes.iter().position(|node| is_in(run, asked, node))?;
        let mut nodes = self.nodes;
        nodes.drain(..at);
        if matches!(asked.by, AskedBy::Name(_)) {
            let end = end_of_function(run, asked, &nodes);
            nodes.truncate(end);
        }
        Some(Found {
            trace,
            nodes,
            in_loop: 0,
            executions: 0,
            all,
        })
    }
}

/// The number of nodes up to the return from the function that they begin in, with what it calls; if it does not
/// return, up to the last one of it.
fn end_of_function(run: &Run, asked: &Asked, nodes: &[Node]) -> usize {
    let mut calls = 0_u32;
    for (number, node) in nodes.iter().enumerate() {
        let Node::Group(group) = node else { continue };
        match flow(run, group) {
            Flow::Call => calls += 1,
            Flow::Return if calls == 0 => return number + 1,
            Flow::Return => calls -= 1,
            Flow::Next | Flow::Jump => {}
        }
    }
    let last = nodes.iter().rposition(|node| is_in(run, asked, node));
    last.map_or(nodes.len(), |last| last + 1)
}

/// Traced executions of loops, each with how often it occurs.
#[derive(Default)]
struct Candidates<'a> {
    /// Of the outermost ones that begin or end in the code that is asked for, or are named by it.
    begin: Vec<(u64, &'a Node)>,
    /// Of the innermost ones that pass through it.
    pass: Vec<(u64, &'a Node)>,
}

impl<'a> Candidates<'a> {
    /// Looks through nodes that occur this many `times`.
    fn search(&mut self, run: &Run, asked: &Asked, nodes: &'a [Node], times: u64) {
        for node in nodes {
            let Node::Loop(inner) = node else { continue };
            if begins(run, asked, inner) {
                self.begin.push((times, node));
                continue;
            }
            let mut rounds = inner.paths.iter().flat_map(|path| &path.round);
            if rounds.any(|node| is_in(run, asked, node)) {
                self.pass.push((times, node));
            }
            for path in &inner.paths {
                self.search(run, asked, &path.round, times.saturating_mul(path.rounds));
            }
        }
    }
}

/// The loop with the most clocks of `executions`: its clocks, how often it is executed, and an execution with the
/// median clocks of a round. A first call may find nothing in the caches, and its rounds take much longer than others.
fn typical(executions: Vec<(u64, &Node)>) -> Option<(u64, u64, &Node)> {
    let head = |node: &Node| match node {
        Node::Loop(inner) => Some(inner.head),
        Node::Group(_) | Node::Probe(_) => None,
    };
    let mut clocks: BTreeMap<Option<usize>, u64> = BTreeMap::new();
    for &(times, node) in &executions {
        let all = clocks.entry(head(node)).or_default();
        *all = all.saturating_add(times.saturating_mul(node.whole_cycles()));
    }
    let (most, in_loop) = clocks.into_iter().max_by_key(|&(head, all)| (all, Reverse(head)))?;
    let mut own: Vec<(f64, u64, &Node)> = (executions.into_iter())
        .filter(|(_, node)| head(node) == most)
        .filter_map(|(times, node)| match node {
            Node::Loop(inner) => {
                let of_round = inner.cycles as f64 / inner.rounds.max(1) as f64;
                Some((of_round, times.saturating_mul(inner.rounds), node))
            }
            Node::Group(_) | Node::Probe(_) => None,
        })
        .collect();
    own.sort_by(|(one, ..), (other, ..)| one.total_cmp(other));
    let rounds: u64 = own.iter().map(|(_, rounds, _)| rounds).sum();
    let mut before = 0;
    let median = own.iter().find(|(_, rounds_here, _)| {
        before += rounds_here;
        before.saturating_mul(2) >= rounds
    });
    // How often one occurs is its rounds by those of each time.
    let times = own.iter().map(|&(_, all, node)| match node {
        Node::Loop(inner) => all / inner.rounds.max(1),
        Node::Group(_) | Node::Probe(_) => 0,
    });
    median.map(|&(_, _, node)| (in_loop, times.sum(), node))
}

/// Whether a loop begins in the code, or is named by the line, that is asked for.
pub(crate) fn begins(run: &Run, asked: &Asked, inner: &Loop) -> bool {
    let named = match asked.by {
        AskedBy::Line { file, line } => place(run, inner) == Some((file, line)),
        AskedBy::Name(_) => false,
    };
    named || has(run, asked, inner.head)
}

/// Whether a group, which is no loop, has an instruction of the code that is asked for.
fn is_in(run: &Run, asked: &Asked, node: &Node) -> bool {
    match node {
        Node::Group(group) => has(run, asked, group.u) || group.v.is_some_and(|v| has(run, asked, v)),
        Node::Loop(_) | Node::Probe(_) => false,
    }
}

fn has(run: &Run, asked: &Asked, instruction: usize) -> bool {
    let instruction = run.instructions.get(instruction);
    instruction.is_some_and(|one| asked.has(one.address))
}
