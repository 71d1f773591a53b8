//! The trace of a run that has most of the code that is asked for, and whether that code was executed.

use super::groups::{Group, groups, loops};
use crate::Machine;
use p5_results::{Asked, Function, InstructionResult, Remainder};
use p5_timing::pipeline::{BriefIssue, KeptTrace};
use rustc_hash::{FxHashMap, FxHashSet};

/// The part of the most clocks that are nearly as many: so many of so many.
const NEARLY: (u64, u64) = (1, 2);

/// The number of the trace in which loops take the most clocks of the code that is `asked` for, among those whose loops
/// have nearly the most of the run's `clocks`, which are by address, of that code: a trace in which the innermost loop
/// repeats has them, rather than one that enters it now and then. If no loop has that code, it is the trace with the
/// most instructions of it; `None` if no trace has any.
pub(super) fn best<'t>(
    asked: &Asked,
    traces: impl Iterator<Item = &'t KeptTrace>,
    clocks: &FxHashMap<u32, u64>,
) -> Option<usize> {
    let shares: Vec<[u64; 3]> = traces.map(|trace| share(asked, trace.issues(), clocks)).collect();
    let most = shares.iter().map(|share| share[0]).max()?;
    let nearly = |share: &[u64; 3]| share[2] > 0 && share[0].saturating_mul(NEARLY.1) >= most.saturating_mul(NEARLY.0);
    let mut best = None;
    for (number, share) in shares.iter().enumerate().filter(|(_, share)| nearly(share)) {
        let share = &share[1..];
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
