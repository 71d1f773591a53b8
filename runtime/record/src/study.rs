//! What the samplers of a study take in one run, and the exact counts of the same run.

use crate::{CountMode, Randomization};
use rustc_hash::FxHashMap;

/// One way to sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// What is counted.
    pub mode: CountMode,
    /// How the distance varies.
    pub randomization: Randomization,
    /// Ops or clocks from one sample to the next, on average: at least 1 and half of what the distance spreads over.
    pub period: u64,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// What a sampler took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// How many ops.
    pub samples: u64,
    /// Attempts at which there was nothing to take.
    pub dropped: u64,
    /// How many ops of each instruction, by linear address.
    pub instructions: FxHashMap<u32, u64>,
}

/// All ops of a run, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// How many.
    pub ops: u64,
    /// By instruction, in ascending address order.
    pub rows: Vec<Counted>,
    /// Whether `rows` lacks some, because there were too many.
    pub cut: bool,
}

/// The ops of one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Its linear address.
    pub address: u32,
    /// How many ops: at least `visits`.
    pub ops: u64,
    /// How often it was begun.
    pub visits: u64,
    /// Ops from one visit to the next, if most of them are that far apart; else any.
    pub distance: u64,
    /// At least so many more visits are `distance` apart than are not.
    pub steady: u64,
    /// The halves of clocks at which a sampler by clocks takes it if it is due then: each op of a pair has one half.
    pub dispatch_halves: u64,
    /// The clocks that it entered the pipeline later than right behind the group before.
    pub waited: u64,
    /// The first instructions of the groups before, the last one first, when it waited longest: as many as there are
    /// stages from dispatch to the end of execution.
    pub behind: [Option<u32>; 3],
}
