//! The lines with executed code that stores have removed from the code cache.
//!
//! Modelled: how often, for each line of a run, and the last such store. Not modelled: lines beyond the first
//! [`LINES`], of which only the sum is known; what their removal costs, which the fetch has.

use rustc_hash::FxHashMap;

/// The most lines of a run that are told apart.
const LINES: usize = 1 << 12;

/// A store into a line with executed code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovingStore {
    /// The linear address of the first byte that it wrote in the line.
    pub address: u32,
    /// The linear address of the instruction that made it, if one did.
    pub by: Option<u32>,
}

#[derive(Default)]
pub(in crate::pipeline) struct Removed {
    times: u64,
    last: Option<RemovingStore>,
    of_run: FxHashMap<u32, u64>,
}

impl Removed {
    /// Notes that the line at address `line` was removed by a store at `address` of the instruction at `by`.
    pub(in crate::pipeline) fn note(&mut self, line: u32, address: u32, by: Option<u32>) {
        self.times += 1;
        self.last = Some(RemovingStore { address, by });
        if self.of_run.len() < LINES || self.of_run.contains_key(&line) {
            *self.of_run.entry(line).or_default() += 1;
        }
    }

    /// How often a line was removed in all runs, and by which store the last time.
    pub(in crate::pipeline) fn all(&self) -> (u64, Option<RemovingStore>) {
        (self.times, self.last)
    }

    /// How often the line at this address was removed in this run.
    pub(in crate::pipeline) fn of_run(&self, line: u32) -> u64 {
        self.of_run.get(&line).copied().unwrap_or(0)
    }

    pub(in crate::pipeline) fn begin_run(&mut self) {
        self.of_run.clear();
    }
}
