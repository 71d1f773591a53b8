//! Where a loop stands in the source.

use super::{Loop, Node};
use crate::lines;
use p5_results::{InstructionResult, Run};
use std::collections::BTreeSet;

/// The file and line of a loop. In assembly source it is that of its first instruction. A compiler may have moved that
/// one from elsewhere, but gives the jump back the line of the statement that repeats. If the jump comes from a
/// function that was inlined into the loop, it is the line of the call.
pub(crate) fn place(run: &Run, inner: &Loop) -> Option<(u32, u32)> {
    let head = run.instructions.get(inner.head)?;
    let repeat = run.instructions.get(inner.repeat)?;
    let of_assembler = head.written.is_some() || !head.trail.is_empty();
    if of_assembler || repeat.outermost.is_none_or(|(file, _)| lines::is_assembly(run, file)) {
        return head.outermost;
    }
    let calls = inlined_calls(run, repeat);
    let mut common = calls.len();
    for one in instructions(run, inner).filter(|one| one.function == head.function) {
        let shared = calls
            .iter()
            .zip(inlined_calls(run, one))
            .take_while(|(call, other)| *call == other);
        common = common.min(shared.count());
    }
    let call = calls.get(common).and_then(|&call| run.inlined.get(call as usize));
    call.map_or(repeat.outermost, |call| call.place.or(repeat.outermost))
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
