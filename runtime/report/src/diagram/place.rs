//! Where a loop stands in the source.

use super::{Loop, Node};
use crate::lines;
use p5_results::{InstructionResult, Run};
use std::collections::BTreeSet;

/// Where a loop stands.
pub(crate) struct Site {
    /// Its file and line.
    pub(crate) place: Option<(u32, u32)>,
    /// The innermost inlined call that has this line, as an index into those of the run.
    pub(crate) call: Option<u32>,
}

/// The file and line of a loop of a diagram.
pub(crate) fn place(run: &Run, inner: &Loop) -> Option<(u32, u32)> {
    let shown = || site(run, [inner.head, inner.repeat], instructions(run, inner));
    inner.place.or_else(|| shown().place)
}

/// Where the loop of these instructions stands, with the index of its first one and of the jump back. In assembly
/// source it is the line of its first instruction. A compiler may have moved that one from elsewhere, but gives the
/// jump back the line of the statement that repeats. If the jump comes from a function that was inlined into the loop,
/// it is the line of the call.
pub(crate) fn site<'a>(
    run: &'a Run,
    [head, repeat]: [usize; 2],
    within: impl Iterator<Item = &'a InstructionResult>,
) -> Site {
    let instruction = |index: usize| run.instructions.get(index);
    let (Some(head), Some(repeat)) = (instruction(head), instruction(repeat)) else {
        let (place, call) = (None, None);
        return Site { place, call };
    };
    let of_assembler = head.written.is_some() || !head.trail.is_empty();
    if of_assembler || repeat.outermost.is_none_or(|(file, _)| lines::is_assembly(run, file)) {
        return Site {
            place: head.outermost,
            call: head.inlined,
        };
    }
    let calls = inlined_calls(run, repeat);
    let mut common = calls.len();
    for one in within.filter(|one| one.function == head.function) {
        let shared = calls
            .iter()
            .zip(inlined_calls(run, one))
            .take_while(|(call, other)| *call == other);
        common = common.min(shared.count());
    }
    let inner = calls.get(common).and_then(|&call| run.inlined.get(call as usize));
    Site {
        place: inner.map_or(repeat.outermost, |call| call.place.or(repeat.outermost)),
        call: common.checked_sub(1).and_then(|last| calls.get(last).copied()),
    }
}

/// The inlined calls around an instruction, from the outermost one.
fn inlined_calls(run: &Run, one: &InstructionResult) -> Vec<u32> {
    let within = |&call: &u32| run.inlined.get(call as usize)?.within;
    let mut calls: Vec<u32> = std::iter::successors(one.inlined, within).collect();
    calls.reverse();
    calls
}

/// The instructions of the rounds that are shown.
fn instructions<'a>(run: &'a Run, inner: &Loop) -> impl Iterator<Item = &'a InstructionResult> {
    let mut open: Vec<&Node> = inner.paths.iter().flat_map(|path| &path.round).collect();
    let mut found = BTreeSet::new();
    while let Some(node) = open.pop() {
        match node {
            Node::Group(group) => found.extend([Some(group.u), group.v].into_iter().flatten()),
            Node::Loop(inner) => open.extend(inner.paths.iter().flat_map(|path| &path.round)),
            Node::Probe(_) => {}
        }
    }
    found.into_iter().filter_map(|index| run.instructions.get(index))
}
