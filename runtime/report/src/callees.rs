//! The clocks of functions with those of the functions that they call, if the calls of the run are known.
//!
//! A clock counts once for each function that is active when it passes, however often that is active: so a function
//! that calls itself has no more clocks than the run, and the first function has all that is spent until it ends.

pub(crate) mod inlined;

use super::Detail;
use p5_results::{Run, RunSummary};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a function took with all that it called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WithCallees {
    pub(crate) clocks: u64,
    /// How often it was called; the function with which the program begins once more.
    pub(crate) calls: u64,
    /// How many of these calls were made while it was active already.
    pub(crate) by_itself: u64,
}

/// By the number of the function; `None` if the calls are not known, or not in full.
pub(crate) fn with_callees(run: &Run, detail: Detail) -> Option<BTreeMap<u32, WithCallees>> {
    let calls = run.calls.as_ref().filter(|calls| calls.complete && !calls.cut)?;
    let begins: HashMap<u32, u32> = (0..)
        .zip(&run.functions)
        .map(|(number, one)| (one.address, number))
        .collect();
    let at = |address: u32| {
        let inside = || {
            let place = run
                .instructions
                .binary_search_by_key(&address, |one| one.address)
                .ok()?;
            run.instructions.get(place)?.function
        };
        begins.get(&address).copied().or_else(inside)
    };
    let targets: Vec<Option<u32>> = calls.chains.iter().map(|chain| at(chain.target?)).collect();
    let mut spent: BTreeMap<(u32, Option<u32>), u64> = BTreeMap::new();
    for one in calls.spent.iter().filter(|one| detail == Detail::All || !one.library) {
        let own = one.entry.and_then(|entry| {
            let entry = entry as usize;
            let rest = entry.checked_sub(run.instructions.len());
            match rest {
                None => run.instructions.get(entry)?.function,
                Some(rest) => run.remainders.get(rest)?.function,
            }
        });
        *spent.entry((one.chain, own)).or_default() += one.causes.iter().map(|part| part.cycles).sum::<u64>();
    }
    let mut found: BTreeMap<u32, WithCallees> = BTreeMap::new();
    for ((chain, own), clocks) in spent {
        let up = std::iter::successors(Some(chain), |&chain| calls.chains.get(chain as usize)?.caller);
        let active = up.filter_map(|chain| targets.get(chain as usize).copied().flatten());
        for function in active.chain(own).collect::<BTreeSet<u32>>() {
            found.entry(function).or_default().clocks += clocks;
        }
    }
    let first = calls.chains.first().and_then(|chain| chain.target).and_then(at);
    let is_active = |chain: u32, function: u32| {
        let mut up = std::iter::successors(Some(chain), |&chain| calls.chains.get(chain as usize)?.caller);
        up.any(|chain| targets.get(chain as usize).copied().flatten() == Some(function))
    };
    // What is called inside a function, as a subroutine without a name, is no call of it.
    for call in &calls.list {
        let Some(&function) = begins.get(&call.target) else {
            continue;
        };
        let by_itself = is_active(call.caller, function);
        let sum = found.entry(function).or_default();
        sum.calls += call.times;
        sum.by_itself += if by_itself { call.times } else { 0 };
    }
    if let Some(first) = first {
        found.entry(first).or_default().calls += 1;
    }
    Some(found)
}

/// The addresses of the functions that spend most of their clocks in calls from the functions that `is_own` tells, by
/// their numbers; `None` if the calls are not known.
pub(crate) fn called_by_own(run: &Run, is_own: impl Fn(u32) -> bool) -> Option<BTreeSet<u32>> {
    let calls = run.calls.as_ref()?;
    let numbers: HashMap<u32, u32> = (0..)
        .zip(&run.functions)
        .map(|(number, one)| (one.address, number))
        .collect();
    let own = |chain: u32| {
        let target = calls.chains.get(chain as usize)?.target?;
        numbers.get(&target).copied().filter(|&number| is_own(number))
    };
    // Each chain stands after its caller.
    let mut under: Vec<bool> = Vec::with_capacity(calls.chains.len());
    for (chain, one) in (0..).zip(&calls.chains) {
        let around = one.caller.and_then(|caller| under.get(caller as usize)).copied();
        under.push(around == Some(true) || own(chain).is_some());
    }
    let mut spent: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
    for one in &calls.spent {
        let Some(target) = calls.chains.get(one.chain as usize).and_then(|chain| chain.target) else {
            continue;
        };
        let called = under.get(one.chain as usize) == Some(&true);
        spent.entry(target).or_default()[usize::from(called)] += one.causes.iter().map(|part| part.cycles).sum::<u64>();
    }
    let mostly = spent.into_iter().filter(|(_, [other, called])| called > other);
    Some(mostly.map(|(target, _)| target).collect())
}

/// The most clocks of all runs together of which calls are followed without being asked for: about a second.
pub const MOST_FOLLOWED: u64 = 100_000_000;

/// Why [`with_callees`] is `None`, as a sentence.
pub(crate) fn why_untold(run: &Run) -> &'static str {
    match &run.calls {
        Some(_) => "Clocks with callees are not known: calls are nested too deeply, or there are too many.",
        None if run.stop.reason.by_program() && fewer_would_do(run) => {
            "Clocks with callees are not known: the runs are long; `--runs 2` has them, and `--format callgrind` follows \
             calls in any case."
        }
        None if run.stop.reason.by_program() => {
            "Clocks with callees are not known: calls were not followed; `--format callgrind` follows them."
        }
        None => {
            "Clocks with callees are not known: calls are followed in another run, and only if the program ends by \
             itself; `--format callgrind` follows them from the start."
        }
    }
}

/// Whether the calls of two runs would be followed, while those of all are too many.
fn fewer_would_do(run: &Run) -> bool {
    let clocks = |runs: &mut dyn Iterator<Item = &RunSummary>| runs.map(|one| one.whole.cycles).sum::<u64>();
    let all = clocks(&mut run.runs.iter());
    all > MOST_FOLLOWED && clocks(&mut run.runs.iter().take(2)) <= MOST_FOLLOWED
}

impl WithCallees {
    /// The clocks of a call from outside; with one decimal, unless all took the same whole number.
    pub(crate) fn each(&self) -> Option<String> {
        let calls = self.calls - self.by_itself.min(self.calls);
        match (self.clocks.checked_rem(calls)?, self.clocks / calls) {
            (0, each) => Some(each.to_string()),
            _ => Some(format!("{:.1}", self.clocks as f64 / calls as f64)),
        }
    }
}
