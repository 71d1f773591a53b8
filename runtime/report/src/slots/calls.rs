//! Calls of library code in a diagram, each of which is one row: procedures that p5inst brings, such as those of a
//! course's library, and in a short report of a program of Linux with source lines, code without lines.

use super::super::bundled::is_executed;
use super::super::diagram::{Group, Node};
use super::super::phrases::counted;
use super::super::printable::printable;
use super::{Detail, EMPTY, Row};
use p5_results::{InstructionResult, Run};

/// A node as it is, or the row for a call of library code.
pub(super) enum Shown<'a> {
    Node(&'a Node),
    Call(Row),
}

/// Whose code a node is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Code {
    Own,
    Bundled,
    Library,
}

/// The nodes with calls of library code as rows, whose clocks count from `start`.
pub(super) fn shown<'a>(run: &Run, nodes: &'a [Node], (start, depth): (u64, usize), detail: Detail) -> Vec<Shown<'a>> {
    let folds = detail == Detail::Short && run.cpl == 3;
    if run.bundled.is_empty() && !folds {
        return nodes.iter().map(Shown::Node).collect();
    }
    let code = |node: &Node| match first(node) {
        Some(index) if is_executed(run, index) => Code::Bundled,
        Some(index) if folds && run.executed(index).is_some_and(|one| one.place.is_none()) => Code::Library,
        _ => Code::Own,
    };
    // Where a run ends in a library, its last instructions tell more than the call.
    let last_own = nodes.iter().rposition(|node| code(node) == Code::Own).unwrap_or(0);
    let (mut all, mut at) = (Vec::new(), 0);
    for part in nodes.chunk_by(|one, next| code(one) == code(next)) {
        let called = at > 0 && (depth > 0 || at < last_own);
        at += part.len();
        match part.first().map(code) {
            Some(of @ Code::Bundled) => all.push(Shown::Call(row(run, part, of, (start, depth)))),
            Some(of @ Code::Library) if called => all.push(Shown::Call(row(run, part, of, (start, depth)))),
            _ => all.extend(part.iter().map(Shown::Node)),
        }
    }
    all
}

/// The first instruction of a node.
fn first(node: &Node) -> Option<usize> {
    match node {
        Node::Group(group) => group.executed[0].or(Some(group.u)),
        Node::Loop(inner) => Some(inner.head),
        Node::Probe(_) => None,
    }
}

fn row(run: &Run, nodes: &[Node], code: Code, (start, depth): (u64, usize)) -> Row {
    let (clock, clocks) = (
        nodes.first().map_or(0, Node::clock).saturating_sub(start),
        nodes.iter().map(Node::cycles).sum::<u64>(),
    );
    let name = nodes
        .first()
        .and_then(first)
        .and_then(|index| name(run, run.executed(index)?));
    let instructions = counted(nodes.iter().map(|node| count(node, 1)).sum(), "instruction");
    Row {
        depth,
        clock,
        clocks: [clocks as u32, 0],
        u: format!("in {}", name.map_or_else(|| "a library".to_owned(), printable)),
        v: EMPTY.to_owned(),
        reason: format!(
            "{}, {instructions} {}",
            counted(clocks, "clock"),
            if code == Code::Bundled {
                "of p5inst"
            } else {
                "without lines"
            }
        ),
        count: 1,
        last: clock + clocks.max(1) - 1,
    }
}

fn name<'a>(run: &'a Run, one: &InstructionResult) -> Option<&'a str> {
    let function = run.functions.get(one.function? as usize)?;
    Some(&function.name)
}

/// The instructions that a node stands for, `rounds` times.
fn count(node: &Node, rounds: u64) -> u64 {
    let of_group = |group: &Group| 1 + u64::from(group.v.is_some());
    rounds
        * match node {
            Node::Group(group) => of_group(group),
            Node::Loop(inner) => inner
                .paths
                .iter()
                .flat_map(|path| path.round.iter().map(|node| count(node, path.rounds)))
                .sum(),
            Node::Probe(_) => 0,
        }
}
