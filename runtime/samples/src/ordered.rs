//! Which of several stores waits for the ones before it.
//!
//! A store waits while the modified line is written that a fetch before it replaces. Packets do not show which fetches
//! replace one: the replay assumes the same of all near each other, so it may give to one store what another waits.
//! The latencies tell: a stall is in those of its own group and of the next two, so a wait that the replay lacks makes
//! them longer from its own group on, and shorter again from the third one after it. Where they do not tell, the error
//! is as large as the wait. Not modelled: an instruction that different ones precede; of these the usual one counts.

use super::inferred::{beyond_replay, charged_for};
use super::latencies::Latencies;
use super::shown::Shown;
use super::{Blame, StallRow};
use p5_advice::Charged;
use p5_results::Cause;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The groups whose latencies include a stall.
const GROUPS: usize = 3;
/// The standard errors that chance hardly reaches.
const SIGMAS: f64 = 3.0;
/// The times that all stores are placed: one depends on others.
const TIMES: usize = 3;

/// The groups of the replay, each by its instruction in U.
struct Chain<'c> {
    charges: &'c FxHashMap<u32, Charged>,
    /// The instruction beside each.
    beside: FxHashMap<u32, u32>,
    /// The group that usually comes before each.
    before: FxHashMap<u32, u32>,
}

/// What the latencies say of a wait, in clocks per op.
#[derive(Clone, Copy)]
struct Placed {
    /// The clocks by which it is longer than in the replay.
    longer: f64,
    error: f64,
}

impl<'c> Chain<'c> {
    fn of(charges: &'c FxHashMap<u32, Charged>) -> Chain<'c> {
        let pairs = charges.iter().filter_map(|(&v, charged)| Some((charged.beside?, v)));
        let mut chain = Chain {
            charges,
            beside: pairs.collect(),
            before: FxHashMap::default(),
        };
        let mut groups: Vec<(u64, u32)> = charges.iter().map(|(&at, charged)| (charged.ops, at)).collect();
        groups.sort_unstable();
        // The last one that is inserted is executed most often.
        for (_, at) in groups {
            if let Some(next) = chain.after(at).filter(|_| chain.first(at) == at) {
                chain.before.insert(next, at);
            }
        }
        chain
    }

    /// The first instruction of the group of one.
    fn first(&self, address: u32) -> u32 {
        let beside = self.charges.get(&address).and_then(|charged| charged.beside);
        beside.unwrap_or(address)
    }

    fn after(&self, group: u32) -> Option<u32> {
        Some(self.first(self.charges.get(&group)?.after?))
    }

    fn members(&self, group: u32) -> impl Iterator<Item = u32> {
        [Some(group), self.beside.get(&group).copied()].into_iter().flatten()
    }

    /// So many groups after one.
    fn behind(&self, group: u32, count: usize) -> Option<u32> {
        (0..count).try_fold(group, |at, _| self.after(at))
    }

    /// So many groups before one.
    fn ahead(&self, group: u32, count: usize) -> Option<u32> {
        (0..count).try_fold(group, |at, _| self.before.get(&at).copied())
    }

    /// Whether a read misses between a group and the ones whose stalls are in its latency.
    fn follows_fetch(&self, group: u32) -> bool {
        let near = (0..=GROUPS).filter_map(|count| self.ahead(group, count));
        let mut near = near.flat_map(|group| self.members(group));
        near.any(|at| self.charges.get(&at).is_some_and(|charged| charged.waits.misses > 0))
    }
}

/// Moves waits of stores for the stores before them to where the latencies have them, and adds the error that remains.
/// `shown` tells which other waits of the same group they hide.
pub(super) fn place_waits(
    rows: &mut BTreeMap<u32, StallRow>,
    charges: &FxHashMap<u32, Charged>,
    latencies: &Latencies,
    shown: &Shown,
    scale: f64,
) {
    let chain = Chain::of(charges);
    let waits_for_order = |row: &StallRow| {
        let charged = charges.get(&row.address).filter(|charged| !charged.repeats)?;
        let order = charged.causes[Cause::WriteOrder as usize];
        let waits = 2 * order > charged_for(Blame::Store, charged) && charged.error(Cause::WriteOrder) > 0.0;
        let first = chain.first(row.address);
        (waits && row.causes[Blame::Store as usize].clocks > 0.0 && chain.follows_fetch(first)).then_some(first)
    };
    let mut stores: Vec<u32> = rows.values().filter_map(waits_for_order).collect();
    stores.dedup();
    let beyond = |group: u32| -> f64 {
        let each = chain.members(group).map(|at| rows.get(&at).zip(charges.get(&at)));
        each.flatten()
            .map(|(row, charged)| beyond_replay(row, charged, scale))
            .sum()
    };
    let mut placed: FxHashMap<u32, Placed> = FxHashMap::default();
    for _ in 0..TIMES {
        for &group in &stores {
            let other = |at: u32| beyond(at) + placed.get(&at).map_or(0.0, |other| other.longer);
            let mut chance = 0.0;
            let mut step = |from: Option<u32>, to: Option<u32>, other_end: Option<u32>, sign: f64| {
                let (from, to) = (latencies.beyond(from?)?, latencies.beyond(to?)?);
                let end = other_end.filter(|&end| end != group)?;
                chance = f64::max(chance, from.1.hypot(to.1));
                Some(sign * (to.0 - from.0) + other(end) - beyond(group))
            };
            let begins = step(chain.ahead(group, 1), Some(group), chain.ahead(group, GROUPS), 1.0);
            let (last, end) = (chain.behind(group, GROUPS - 1), chain.behind(group, GROUPS));
            let ends = step(last, end, end, -1.0);
            let Some((begins, ends)) = begins.zip(ends) else {
                continue;
            };
            let (least, most) = (begins.min(ends), begins.max(ends));
            let longer = Some(0.0f64.clamp(least, most)).filter(|longer| longer.abs() > SIGMAS * chance);
            let error = chance.max((most - least) / 2.0);
            placed.insert(
                group,
                Placed {
                    longer: longer.unwrap_or(0.0),
                    error,
                },
            );
        }
    }
    for group in stores {
        let members: Vec<u32> = chain.members(group).collect();
        let ops = |row: &StallRow| row.samples.estimate(scale).max(1.0);
        let store = |row: &StallRow| row.causes[Blame::Store as usize].clocks / ops(row);
        let before: f64 = members.iter().filter_map(|at| rows.get(at)).map(store).sum();
        let told = placed.get(&group).copied().unwrap_or(Placed {
            longer: 0.0,
            error: before,
        });
        let after = (before + told.longer).max(0.0);
        let error = told.error.min(before.max(after));
        for at in members {
            let (Some(row), Some(charged)) = (rows.get_mut(&at), charges.get(&at)) else {
                continue;
            };
            let share = store(row) / before;
            row.reduce(Blame::Store, (before - after) * share * ops(row));
            row.add_error(Blame::Store, error * share * ops(row));
            for blame in [Blame::Misaligned, Blame::BankConflict] {
                let hidden = shown.hidden(blame, charged) * row.causes[blame as usize].samples as f64 * scale;
                if hidden > 0.0 {
                    row.reduce(blame, hidden * (after / before - 1.0));
                    row.add_error(blame, hidden * error / before);
                }
            }
        }
    }
}
