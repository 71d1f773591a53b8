//! The trace of a run that has most of the code that is asked for, and whether that code was executed.

use super::groups::{Group, groups, loops};
use crate::Machine;
use p5_results::{Asked, Function, InstructionResult, Remainder};
use p5_timing::pipeline::{BriefIssue, KeptTrace};
use rustc_hash::{FxHashMap, FxHashSet};

/// The part of the most clocks that are nearly as many: so many of so many.
const NEARLY: (u64, u64) = (1, 2);

/// A trace is typical of the code if this takes between so many times and one part in so many of the clocks in it that
/// it takes in the run.
const TYPICAL: f64 = 1.25;

/// The clocks and the executions of instructions in a run, by address.
pub(super) type Figures = FxHashMap<u32, (u64, u64)>;

/// The number of the trace in which loops take the most clocks of the code that is `asked` for, among those whose loops
/// have nearly the most of the run's clocks, which are by address, of that code: a trace in which the innermost loop
/// repeats has them, rather than one that enters it now and then. A trace in which that code takes longer than in the
/// run, as in a first call that finds nothing in the caches, is one only if there is no other. If no loop has that
/// code, it is the trace with the most instructions of it; `None` if no trace has any.
pub(super) fn best<'t>(asked: &Asked, traces: impl Iterator<Item = &'t KeptTrace>, figures: &Figures) -> Option<usize> {
    let shares: Vec<Share> = traces.map(|trace| share(asked, trace.issues(), figures)).collect();
    let most = shares.iter().map(|share| share.of_run).max()?;
    let nearly = |share: &Share| {
        share.instructions > 0 && share.of_run.saturating_mul(NEARLY.1) >= most.saturating_mul(NEARLY.0)
    };
    let mut best: Option<(usize, &Share)> = None;
    for (number, share) in shares.iter().enumerate().filter(|(_, share)| nearly(share)) {
        let beats = |other: &Share| {
            let more = || (share.taken, share.instructions) > (other.taken, other.instructions);
            share.unlike < other.unlike || share.unlike == other.unlike && more()
        };
        if best.is_none_or(|(_, other)| beats(other)) {
            best = Some((number, share));
        }
    }
    best.map(|(number, _)| number)
}

/// What a trace has of the code that is asked for.
struct Share {
    /// The clocks that its instructions in loops take in the run, and in the trace.
    of_run: u64,
    taken: u64,
    /// The number of its instructions.
    instructions: usize,
    /// How many times as long as in the run it takes in the trace, or as short; 1 if that is typical.
    unlike: f64,
}

fn share(asked: &Asked, trace: &[BriefIssue], figures: &Figures) -> Share {
    let groups: Vec<Group> = groups(trace);
    let wanted = |group: &&Group| trace[group.issues.clone()].iter().any(|one| asked.has(one.address));
    let of = |one: &BriefIssue| figures.get(&one.address).copied().unwrap_or_default();
    let mut in_loops: FxHashMap<u32, u64> = FxHashMap::default();
    let mut taken = 0;
    for group in loops(trace, &groups)
        .into_iter()
        .flat_map(|range| &groups[range])
        .filter(wanted)
    {
        taken += group.clocks;
        for one in &trace[group.issues.clone()] {
            in_loops.insert(one.address, of(one).0);
        }
    }
    // The clocks of the last group are not known.
    let (mut here, mut usually) = (0, 0.0);
    for group in groups.iter().take(groups.len().saturating_sub(1)).filter(wanted) {
        here += group.clocks;
        for (clocks, executions) in trace[group.issues.clone()].iter().map(of) {
            usually += clocks as f64 / executions.max(1) as f64;
        }
    }
    let times = if usually > 0.0 { here as f64 / usually } else { 1.0 };
    let unlike = times.max(1.0 / times);
    Share {
        of_run: in_loops.values().sum(),
        taken,
        instructions: trace.iter().filter(|one| asked.has(one.address)).count(),
        unlike: if unlike <= TYPICAL { 1.0 } else { unlike },
    }
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
