//! How often the code of a budget was executed or passed.

use super::{Entry, Sum, Unjudged, Value, holds, summary};
use p5_results::{Budget, Flow, RegionResult, Run, Scope};
use std::collections::BTreeSet;

/// How often the code of a budget was executed.
pub(super) fn executions(run: &Run, budget: &Budget, sum: &Sum, entries: &[Entry]) -> Result<u64, Unjudged> {
    let mut rows = entries.iter().filter_map(|&entry| run.instructions.get(entry));
    match &budget.scope {
        // A function is called as often as its first instruction is executed, whatever is known of the others; a part
        // of it is jumped to.
        Scope::Function { addresses, .. } => {
            let part = |address| {
                let function = run.functions.iter().find(|function| function.address == address);
                function.is_some_and(|function| function.name.contains(".cold") || function.name.contains(".part"))
            };
            let whole: Vec<u32> = addresses.iter().copied().filter(|&address| !part(address)).collect();
            let first = if whole.is_empty() { addresses } else { &whole };
            let calls = rows
                .filter(|row| first.contains(&row.address))
                .map(|row| row.executions);
            Some(calls.sum()).filter(|&calls| calls > 0).ok_or(Unjudged::NoCalls)
        }
        _ if sum.unlisted > 0 => sum.times.ok_or(Unjudged::NotCounted),
        Scope::Statement(_) => sum.times.ok_or(Unjudged::OnlyLoops),
        // Rows are in the order of their addresses.
        _ => rows.next().map(|first| first.executions).ok_or(Unjudged::NotCounted),
    }
}

/// The number of passes of a region in the last run.
pub(super) fn passes(run: &Run, region: &RegionResult) -> Result<u64, Unjudged> {
    let kept = summary::passes_by_run(run, region).last().copied().unwrap_or(0);
    match kept {
        _ if region.pass_count > region.passes.len() as u64 => Err(Unjudged::NotCounted),
        0 => Err(Unjudged::NotPassed),
        kept => Ok(kept),
    }
}

/// The clocks of a pass of a region: of its first one, or the median of its warm ones.
pub(super) fn clocks_of(run: &Run, region: &RegionResult, cold: bool) -> Result<u64, Unjudged> {
    let summary = summary::region(run, region);
    match (cold, summary.cold, &summary.warm) {
        (true, Some(cold), _) => Ok(cold.cycles),
        (true, None, _) => Err(Unjudged::NotCold),
        (false, _, Some(_)) => summary.warm_clocks().ok_or(Unjudged::NotCounted),
        (false, Some(_), None) => Err(Unjudged::OnlyCold),
        (false, None, None) => Err(Unjudged::NotPassed),
    }
}

/// Whether executed calls among these instructions lead to others.
pub(super) fn calls_others(run: &Run, entries: &[Entry]) -> bool {
    let rows = || entries.iter().filter_map(|&entry| run.instructions.get(entry));
    let inside: BTreeSet<u32> = rows().map(|row| row.address).collect();
    let mut calls = rows().filter(|row| row.needs.flow == Flow::Call && row.executions > 0);
    calls.any(|call| call.needs.target.is_none_or(|target| !inside.contains(&target)))
}

/// The clocks of the last run, without those of the measuring macros.
pub(super) fn total(run: &Run, budget: &Budget) -> Result<Value, Unjudged> {
    let last = run.runs.last().filter(|_| run.stop.reason.by_program());
    let cycles = last.ok_or(Unjudged::NotEnded)?.own.cycles;
    Ok(Value {
        amount: cycles.into(),
        per: 1,
        holds: holds(budget, cycles, 1),
    })
}
