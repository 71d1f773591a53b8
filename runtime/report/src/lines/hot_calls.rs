//! Who calls the hot functions of a library: the lines of the program from which the clocks of a function without
//! source lines came, in proportion to the clocks of the calls.

use super::callers::clocks_of_calls;
use super::chains::Chains;
use super::stacks::function_at;
use super::{file_name, outermost};
use crate::phrases::counted;
use crate::printable::printable;
use p5_image::asked;
use p5_results::{Call, Run};
use std::collections::{BTreeMap, BTreeSet};

/// The share of the clocks from which the callers of a function without source lines are told, one part in this many.
pub(crate) const HOT: u64 = 20;
/// The most callers of a function that are named.
const NAMED: usize = 3;

/// What a line of the program spent in a function.
#[derive(Clone, Copy, Default)]
struct Made {
    clocks: u64,
    /// How often it called the function itself; 0 if others that it called did.
    times: u64,
    /// The clocks of its calls with all that these call, if it reached the function through another one.
    whole: u64,
}

/// What lines spent in a function, each with the function through which it reached that.
type OfLines = BTreeMap<((u32, u32), Option<u32>), Made>;

/// The lines of the program that call the function at `address`, with the clocks of each, in words; `None` if the calls
/// of the run are not known, or none of them is from a line of the program.
pub(crate) fn hot_callers(run: &Run, address: u32) -> Option<String> {
    let calls = run.calls.as_ref()?;
    let chains = Chains::of(run);
    let ends_here = |chain: u32| chains.target(chain) == Some(address);
    let mut own: BTreeMap<u32, u64> = BTreeMap::new();
    for spent in calls.spent.iter().filter(|spent| ends_here(spent.chain)) {
        *own.entry(spent.chain).or_default() += spent.causes.iter().map(|part| part.cycles).sum::<u64>();
    }
    let mut into: BTreeMap<u32, Vec<(&Call, u64)>> = BTreeMap::new();
    let clocks = clocks_of_calls(calls, &chains);
    for (call, clocks) in calls
        .list
        .iter()
        .zip(clocks)
        .filter(|(call, _)| call.caller != call.called)
    {
        into.entry(call.called).or_default().push((call, clocks));
    }
    let mut made = OfLines::new();
    // The chains whose calls have been added with all that they call.
    let mut whole: BTreeSet<u32> = BTreeSet::new();
    for (&chain, &clocks) in &own {
        let mut left = clocks;
        let mut by = None;
        for link in chains.up(chain) {
            let Some(calls) = into.get(&link) else { break };
            let first = by.is_some() && whole.insert(link);
            left = shared(run, calls, left, (by, first), &mut made);
            by = chains
                .all
                .get(link as usize)
                .and_then(|chain| chain.caller)
                .and_then(|caller| chains.target(caller));
        }
    }
    // A line that reaches the function through another one may get no clock, if other lines call that one far more
    // often.
    let mut all: Vec<_> = made
        .into_iter()
        .filter(|((_, by), made)| by.is_none() || made.clocks > 0)
        .collect();
    all.sort_by_key(|(_, made)| std::cmp::Reverse(made.clocks));
    let (named, more) = all.split_at(all.len().min(NAMED));
    let mut words: Vec<String> = named
        .iter()
        .map(|&((place, by), made)| told(run, place, by, made))
        .collect();
    if !more.is_empty() {
        words.push(counted(more.len() as u64, "other line"));
    }
    (!words.is_empty()).then(|| words.join(", "))
}

/// Gives `clocks` to the lines of the program among the `calls`, those of `by` if the function is reached through that,
/// and returns those of the other calls. `first` says whether the clocks of the calls were not added before.
fn shared(run: &Run, calls: &[(&Call, u64)], clocks: u64, (by, first): (Option<u32>, bool), made: &mut OfLines) -> u64 {
    let timed = calls.iter().any(|(call, _)| call.clocks > 0);
    let weight = |call: &Call| u128::from(if timed { call.clocks } else { call.times });
    let all: u128 = calls.iter().map(|(call, _)| weight(call)).sum::<u128>().max(1);
    let (mut before, mut given, mut left) = (0, 0, 0);
    for &(call, inclusive) in calls {
        before += weight(call);
        let until = (u128::from(clocks) * before / all) as u64;
        let share = until - given;
        given = until;
        let from = call.entries[0].and_then(|entry| outermost(run, entry as usize));
        let Some(place) = from.filter(|&(file, _)| file_name(run, file).is_some()) else {
            left += share;
            continue;
        };
        let line = made.entry((place, by)).or_default();
        line.clocks += share;
        line.times += if by.is_none() { call.times } else { 0 };
        line.whole += if first { inclusive } else { 0 };
    }
    left
}

/// One line and what it spent.
fn told(run: &Run, (file, line): (u32, u32), by: Option<u32>, made: Made) -> String {
    let place = format!("{}:{line}", printable(file_name(run, file).unwrap_or_default()));
    let clocks = counted(made.clocks, "clock");
    match by.map(|by| function_at(run, by)) {
        Some(by) => {
            let by = printable(&asked::brief(&by));
            let whole = (made.whole > made.clocks).then(|| format!("; {} with all that {by} calls", made.whole));
            format!("through {by} by {place} ({clocks}{})", whole.unwrap_or_default())
        }
        None => format!("{} by {place} ({clocks})", counted(made.times, "time")),
    }
}
