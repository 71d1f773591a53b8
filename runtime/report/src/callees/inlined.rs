//! The clocks of inlined functions with those of what they call: the code that replaces their calls, that of functions
//! inlined into it, and what any of this calls until it returns.
//!
//! Calls from several places that lead to one chain of calls share its clocks in proportion to those between call and
//! return.

use crate::Detail;
use crate::lines;
use p5_results::{Call, Run};
use std::collections::{BTreeMap, BTreeSet};

/// A function, by its number, and the name of one that was inlined into it.
pub(crate) type Key<'a> = (Option<u32>, &'a str);

/// The functions whose inlined code an entry is part of, the innermost first.
fn keys(run: &Run, entry: u32) -> Vec<Key<'_>> {
    let function = lines::function(run, entry as usize);
    let around = |&call: &u32| run.inlined.get(call as usize)?.within;
    let calls = std::iter::successors(lines::inlined(run, entry as usize), around);
    let mut keys: Vec<Key> = Vec::new();
    for call in calls {
        let Some(call) = run.inlined.get(call as usize) else {
            break;
        };
        let key = (function, call.name.as_str());
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The clocks of each; none of what calls the function that it is in, or if the calls are not known in full.
pub(crate) fn with_callees(run: &Run, detail: Detail) -> BTreeMap<Key<'_>, u64> {
    let Some(calls) = run.calls.as_ref().filter(|calls| calls.complete && !calls.cut) else {
        return BTreeMap::new();
    };
    let mut own: BTreeMap<Key, BTreeMap<u32, u64>> = BTreeMap::new();
    let mut whole: Vec<u64> = vec![0; calls.chains.len()];
    for one in calls.spent.iter().filter(|one| detail == Detail::All || !one.library) {
        let clocks: u64 = one.causes.iter().map(|part| part.cycles).sum();
        if let Some(whole) = whole.get_mut(one.chain as usize) {
            *whole += clocks;
        }
        for key in one.entry.map(|entry| keys(run, entry)).unwrap_or_default() {
            *own.entry(key).or_default().entry(one.chain).or_default() += clocks;
        }
    }
    let mut inside: Vec<Vec<u32>> = vec![Vec::new(); calls.chains.len()];
    for (chain, one) in (0..).zip(&calls.chains) {
        if let Some(inside) = one.caller.and_then(|caller| inside.get_mut(caller as usize)) {
            inside.push(chain);
        }
    }
    let mut all: BTreeMap<u32, Weight> = BTreeMap::new();
    let mut made: BTreeMap<Key, BTreeMap<u32, Weight>> = BTreeMap::new();
    let mut recursive: BTreeSet<Key> = BTreeSet::new();
    for call in &calls.list {
        let from = call.entries[0].map(|entry| keys(run, entry)).unwrap_or_default();
        if call.caller == call.called {
            // Of one chain, nobody knows what passed inside which call.
            recursive.extend(from);
            continue;
        }
        all.entry(call.called).or_default().add(call);
        for key in from {
            made.entry(key).or_default().entry(call.called).or_default().add(call);
        }
    }
    let clocks = |key: &Key, own: BTreeMap<u32, u64>| {
        let made = made.get(key);
        // The share of each chain that was active inside the inlined code; each chain stands after its caller.
        let mut shares: BTreeMap<u32, f64> = BTreeMap::new();
        let mut waiting: BTreeSet<u32> = made.iter().flat_map(|made| made.keys().copied()).collect();
        while let Some(chain) = waiting.pop_first() {
            let caller = calls.chains.get(chain as usize).and_then(|one| one.caller);
            let before = caller.and_then(|caller| shares.get(&caller)).copied().unwrap_or(0.0);
            let called = made.and_then(|made| made.get(&chain)).zip(all.get(&chain));
            let called = called.map_or(0.0, |(made, all)| made.part_of(all));
            shares.insert(chain, before + (1.0 - before) * called);
            waiting.extend(inside.get(chain as usize).into_iter().flatten());
        }
        let called = shares.iter().map(|(chain, share)| {
            let inlined = own.get(chain).copied().unwrap_or(0);
            let rest = whole.get(*chain as usize).map_or(0, |whole| whole - inlined);
            (share * rest as f64).round() as u64
        });
        own.values().sum::<u64>() + called.sum::<u64>()
    };
    let known = own.into_iter().filter(|(key, _)| !recursive.contains(key));
    known.map(|(key, own)| (key, clocks(&key, own))).collect()
}

/// How much calls weigh: the clocks until they return or, if none took any, how often they were made.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    clocks: u64,
    times: u64,
}

impl Weight {
    fn add(&mut self, call: &Call) {
        self.clocks += call.clocks;
        self.times += call.times;
    }

    fn part_of(&self, all: &Weight) -> f64 {
        match all.clocks {
            0 => self.times as f64 / all.times.max(1) as f64,
            clocks => self.clocks as f64 / clocks as f64,
        }
    }
}
