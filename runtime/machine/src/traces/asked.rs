//! The trace of a run that has most of the code that is asked for, and whether that code was executed.

use super::groups::{Group, groups, loops};
use crate::Machine;
use p5_results::{Asked, Function, InstructionResult, Remainder};
use p5_timing::pipeline::{BriefIssue, KeptTrace};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of the trace in which loops with the code that is `asked` for take the most of the run's `clocks`, which
/// are by address; if no loop has that code, of the one with the most clocks of it. `None` if no trace has any.
pub(super) fn best<'t>(
    asked: &Asked,
    traces: impl Iterator<Item = &'t KeptTrace>,
    clocks: &FxHashMap<u32, u64>,
) -> Option<usize> {
    let shares = traces.map(|trace| share(asked, trace.issues(), clocks)).enumerate();
    let mut best = None;
    for (number, share) in shares.filter(|(_, share)| share[2] > 0) {
        if best.is_none_or(|(_, most)| share > most) {
            best = Some((number, share));
        }
    }
    best.map(|(number, _)| number)
}

/// What a trace has of the code that is asked for: the clocks that its instructions in loops take in the run, those
/// that they take in the trace, and the number of its instructions.
fn share(asked: &Asked, trace: &[BriefIssue], clocks: &FxHashMap<u32, u64>) -> [u64; 3] {
    let groups: Vec<Group> = groups(trace);
    let loops = loops(trace, &groups);
    let wanted = |group: &Group| trace[group.issues.clone()].iter().any(|one| asked.has(one.address));
    let mut in_loops: FxHashMap<u32, u64> = FxHashMap::default();
    let mut taken = 0;
    for group in loops
        .into_iter()
        .flat_map(|range| &groups[range])
        .filter(|group| wanted(group))
    {
        taken += group.clocks;
        for one in &trace[group.issues.clone()] {
            in_loops.insert(one.address, clocks.get(&one.address).copied().unwrap_or(0));
        }
    }
    let number = trace.iter().filter(|one| asked.has(one.address)).count();
    [in_loops.values().sum(), taken, number as u64]
}

impl Machine<'_> {
    /// Whether the last run executed any of the code that is asked for. Where instructions have no rows, those of the
    /// same line or, without lines, of the same function count.
    pub(crate) fn executes(
        &self,
        asked: &Asked,
        instructions: &[InstructionResult],
        remainders: &[Remainder],
        functions: &[Function],
    ) -> bool {
        let executed = |one: &InstructionResult| one.executions > 0 && asked.has(one.address);
        if instructions.iter().any(executed) {
            return true;
        }
        let rows = asked.code.iter().flat_map(|code| {
            let rows = self.image.lines.starting_from(code.start);
            rows.take_while(|row| row.address < code.end)
        });
        let lines: FxHashSet<(u32, u32)> = rows.map(|row| (row.file, row.line)).collect();
        let summed = |one: &Remainder| match (one.place, one.function) {
            (Some(place), _) => lines.contains(&place),
            (None, Some(function)) => (functions.get(function as usize)).is_some_and(|one| asked.has(one.address)),
            (None, None) => false,
        };
        remainders.iter().any(|one| one.executions > 0 && summed(one))
    }
}
