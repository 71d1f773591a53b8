//! Statistics by chain of calls and instruction, while calls are counted.
//!
//! They are bounded: what comes after a large number of them is summed twice, by chain alone and by function and
//! instruction.

use super::held::Held;
use super::{Ledger, Near, parts};
use p5_image::Image;
use p5_results::Spent;
use p5_timing::block::Op;
use p5_timing::pipeline::RecentStats;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The most pairs of a chain and an instruction, and of a function and an instruction.
const MOST: usize = 1 << 17;

/// An instruction by its address, or all others of the user's program or of the library.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Of {
    Address(u32),
    Others { library: bool },
}

#[derive(Default)]
pub(super) struct ByChain {
    // The functions that the chains end with.
    targets: Vec<Option<u32>>,
    rows: FxHashMap<(u16, Of), Held>,
    by_function: FxHashMap<(Option<u32>, Of), Held>,
    // The sum of each of the addresses, if it is one of those that are summed.
    places: FxHashMap<u32, Option<u32>>,
    near: Near,
}

impl ByChain {
    pub(super) fn add(&mut self, image: &Image, op: &Op, stats: &RecentStats) {
        let own = Of::Address(op.address);
        if has_room(&self.rows, (op.chain, own)) {
            self.places.entry(op.address).or_insert(None);
            add(&mut self.rows, (op.chain, own), stats);
            return;
        }
        let library = parts::in_library_near(image, op.address, &mut self.near.row);
        add(&mut self.rows, (op.chain, Of::Others { library }), stats);
        let function = self.targets.get(usize::from(op.chain)).copied().flatten();
        if has_room(&self.by_function, (function, own)) {
            self.places.entry(op.address).or_insert(None);
            add(&mut self.by_function, (function, own), stats);
        } else {
            add(&mut self.by_function, (function, Of::Others { library }), stats);
        }
    }

    /// Notes that the statistics of an instruction are part of a sum.
    pub(super) fn summed(&mut self, address: u32, sum: u32) {
        if let Some(place) = self.places.get_mut(&address) {
            *place = Some(sum);
        }
    }
}

fn has_room<K: Eq + Hash>(rows: &FxHashMap<K, Held>, key: K) -> bool {
    rows.len() < MOST || rows.contains_key(&key)
}

fn add<K: Eq + Hash>(rows: &mut FxHashMap<K, Held>, key: K, stats: &RecentStats) {
    match rows.get_mut(&key) {
        Some(held) => held.add(stats),
        None => {
            rows.insert(key, Held::of(&stats.into()));
        }
    }
}

/// The rows by chain and instruction, and those of the instructions that are too many for that.
pub(crate) struct Told {
    pub(crate) spent: Vec<Spent>,
    pub(crate) by_function: Vec<Spent>,
    /// The index of the instruction at each address: among those listed or, from their number on, among the remainders.
    pub(crate) entries: FxHashMap<u32, u32>,
}

impl Ledger {
    /// Begins to tell chains of calls apart, or ends it.
    pub(crate) fn tell_chains(&mut self, told: bool) {
        self.by_chain = told.then(Box::default);
    }

    /// The functions that the chains end with, from the first chain on. They are needed before figures of their chains.
    pub(crate) fn tell_targets(&mut self, targets: impl Iterator<Item = Option<u32>>) {
        if let Some(by_chain) = &mut self.by_chain {
            let known = by_chain.targets.len();
            by_chain.targets.extend(targets.skip(known));
        }
    }

    /// The statistics by chain; `None` if chains are not told apart.
    pub(crate) fn by_chain(&self) -> Option<Told> {
        let by_chain = self.by_chain.as_ref()?;
        let listed = self.listed();
        let mut entries: FxHashMap<u32, u32> = FxHashMap::default();
        let numbers: FxHashMap<u32, u32> = (listed.len() as u32..)
            .zip(self.used_sums())
            .map(|(entry, sum)| (sum, entry))
            .collect();
        for (&address, sum) in &by_chain.places {
            let entry = sum.and_then(|sum| numbers.get(&sum));
            entries.extend(entry.map(|&entry| (address, entry)));
        }
        entries.extend((0..).zip(&listed).map(|(entry, kept)| (kept.op.address, entry)));
        let mut rows: Vec<(u16, Of, &Held)> = by_chain
            .rows
            .iter()
            .map(|(&(chain, of), held)| (chain, of, held))
            .collect();
        rows.sort_unstable_by_key(|&(chain, of, _)| (chain, of));
        // Any chain stands for its function.
        let mut first: FxHashMap<Option<u32>, u16> = FxHashMap::default();
        for (chain, &target) in (0..).zip(&by_chain.targets) {
            first.entry(target).or_insert(chain);
        }
        let of_function = |(&(function, of), held)| (first.get(&function).copied().unwrap_or(0), of, held);
        let mut functions: Vec<(u16, Of, &Held)> = by_chain.by_function.iter().map(of_function).collect();
        functions.sort_unstable_by_key(|&(chain, of, _)| (chain, of));
        let told = |rows: Vec<(u16, Of, &Held)>| rows.into_iter().map(|row| spent(row, &entries)).collect();
        Some(Told {
            spent: told(rows),
            by_function: told(functions),
            entries,
        })
    }
}

fn spent((chain, of, held): (u16, Of, &Held), entries: &FxHashMap<u32, u32>) -> Spent {
    let stats = held.stats();
    Spent {
        chain: chain.into(),
        entry: match of {
            Of::Address(address) => entries.get(&address).copied(),
            Of::Others { .. } => None,
        },
        library: matches!(of, Of::Others { library: true }),
        u: stats.u,
        v: stats.v,
        causes: stats.cause_cycles(),
        refusals: stats.refusal_counts(),
    }
}
