//! The samples that the samplers of a study take in one run, and the exact counts of the same run.

use crate::{CountMode, Randomization};
use rustc_hash::FxHashMap;

/// One way to sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The unit that is counted: clocks or ops.
    pub mode: CountMode,
    /// The variation of the distance between samples.
    pub randomization: Randomization,
    /// Ops or clocks from one sample to the next, on average: at least 1, and half of the spread of the distance.
    pub period: u64,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// The samples of one sampler.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// The number of sampled ops.
    pub samples: u64,
    /// Attempts that found nothing to take.
    pub dropped: u64,
    /// The number of sampled ops by the linear address of their instruction.
    pub instructions: FxHashMap<u32, u64>,
}

/// The exact counts of all ops of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// The number of ops.
    pub ops: u64,
    /// One row for each instruction, in ascending address order.
    pub rows: Vec<Counted>,
    /// Whether `rows` lacks some, because there were too many.
    pub cut: bool,
}

/// The ops of one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Its linear address.
    pub address: u32,
    /// The number of its ops: at least `visits`.
    pub ops: u64,
    /// The number of times it was begun.
    pub visits: u64,
    /// Ops from one visit to the next, if most visits are that far apart; otherwise any number.
    pub distance: u64,
    /// At least this many more visits are `distance` apart than are not.
    pub steady: u64,
    /// Half clocks in which a sampler by clocks takes it if it is due; each op of a pair has one half.
    pub dispatch_halves: u64,
    /// Clocks by which it entered the pipeline later than right after the group before.
    pub waited: u64,
    /// The first instructions of the groups before its longest wait, the last group first: one for each stage from
    /// dispatch to the end of execution.
    pub behind: [Option<u32>; 3],
}
