//! The groups of a trace, and its loops.
//!
//! A loop is what is executed from the first arrival of a jump back at an instruction to the last one, with what it
//! calls; after a pause that is long beside its rounds it is another one. Loops that overlap are one.

use p5_results::Pipe;
use p5_timing::pipeline::BriefIssue;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A round of this many times the median one is a pause between two executions of a loop.
const PAUSE: usize = 16;

/// Instructions of a trace that issue together.
pub(super) struct Group {
    pub(super) issues: Range<usize>,
    /// The clocks until the next group; none for the last one.
    pub(super) clocks: u64,
}

pub(super) fn groups(trace: &[BriefIssue]) -> Vec<Group> {
    let begins = |at: &usize| trace.get(*at).is_some_and(|one| one.pipe == Pipe::U);
    let firsts: Vec<usize> = (0..trace.len()).filter(begins).collect();
    let ends = firsts.iter().skip(1).copied().chain([trace.len()]);
    let group = |(&first, end): (&usize, usize)| Group {
        clocks: trace
            .get(end)
            .map_or(0, |next| next.clock.saturating_sub(trace[first].clock)),
        issues: first..end,
    };
    firsts.iter().zip(ends).map(group).collect()
}

/// The loops of a trace, as ranges of its groups that do not overlap, in order.
pub(super) fn loops(trace: &[BriefIssue], groups: &[Group]) -> Vec<Range<usize>> {
    let mut arrivals: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (index, pair) in groups.windows(2).enumerate() {
        let [from, to] = pair else { continue };
        let (Some(from), Some(to)) = (trace[from.issues.clone()].last(), trace.get(to.issues.start)) else {
            continue;
        };
        if to.address <= from.address && from.jumps {
            arrivals.entry(to.address).or_default().push(index + 1);
        }
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for arrived in arrivals.into_values() {
        let mut rounds: Vec<usize> = arrived.windows(2).map(|pair| pair[1] - pair[0]).collect();
        rounds.sort_unstable();
        let Some(&median) = rounds.get(rounds.len() / 2) else {
            continue;
        };
        let executions = arrived.chunk_by(|one, next| next - one < PAUSE * median);
        let range = |execution: &[usize]| Some(*execution.first()?..*execution.last()?);
        ranges.extend(executions.filter_map(range).filter(|range| !range.is_empty()));
    }
    ranges.sort_by_key(|range| range.start);
    let mut apart: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match apart.last_mut().filter(|last| range.start < last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => apart.push(range),
        }
    }
    apart
}
