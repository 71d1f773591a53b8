//! Audits: clocks by cause in front of, in and behind each pass of a region, between the readings that measure it.

use super::{Cause, Pass};
use std::ops::{Add, AddAssign, Sub};

/// Clocks by [`Cause`]. Those of a difference may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CauseStack([i64; Cause::ALL.len()]);

impl CauseStack {
    /// The clocks of one cause.
    pub fn of(&self, cause: Cause) -> i64 {
        self.0[cause as usize]
    }

    /// All clocks.
    pub fn total(&self) -> i64 {
        self.0.iter().sum()
    }

    /// The causes whose clocks are not 0, in the order that reports list them.
    pub fn parts(&self) -> impl Iterator<Item = (Cause, i64)> + use<> {
        let all = Cause::ALL.iter().copied().zip(self.0);
        all.filter(|(_, clocks)| *clocks != 0)
    }

    /// Adds clocks of one cause.
    pub fn add(&mut self, cause: Cause, clocks: i64) {
        self.0[cause as usize] += clocks;
    }

    /// Adds the counts of an instruction.
    pub fn add_counts(&mut self, counts: &[i32; Cause::ALL.len()]) {
        let sums = self.0.iter_mut().zip(counts);
        sums.for_each(|(sum, count)| *sum += i64::from(*count));
    }
}

impl AddAssign for CauseStack {
    fn add_assign(&mut self, other: CauseStack) {
        let sums = self.0.iter_mut().zip(other.0);
        sums.for_each(|(sum, clocks)| *sum += clocks);
    }
}

impl Add for CauseStack {
    type Output = CauseStack;

    fn add(mut self, other: CauseStack) -> CauseStack {
        self += other;
        self
    }
}

impl Sub for CauseStack {
    type Output = CauseStack;

    fn sub(mut self, other: CauseStack) -> CauseStack {
        let sums = self.0.iter_mut().zip(other.0);
        sums.for_each(|(sum, clocks)| *sum -= clocks);
        self
    }
}

/// A pass of a region whose clocks are known by cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditedPass {
    /// Its number in its run, from 0.
    pub number: u64,
    /// What was measured, and the true figures.
    pub pass: Pass,
    /// Clocks from the last reading of the start macro to the issue of the region's first instruction; none if no time
    /// stamp was read.
    pub before: Option<CauseStack>,
    /// Clocks from there to the issue of the first instruction behind the region.
    pub inside: CauseStack,
    /// Clocks from there to the first reading of the end macro; none if no time stamp was read.
    pub behind: Option<CauseStack>,
    /// Clocks between the readings of the pass through an empty region whose clocks the macros subtract; none if they
    /// have measured no such region.
    pub calibrated: Option<CauseStack>,
    /// What the two counters of a profile counted between the start macro's readings and the region's first
    /// instruction; none if they were not read.
    pub counted_before: Option<[i64; 2]>,
}

/// The first passes of one region that an audit keeps of each run, beside the last one.
pub const AUDITED: u64 = 1_000;

/// The passes that an audit keeps of all runs and regions, about 16 MB; each region has an equal share, at least two.
pub const AUDITED_IN_ALL: usize = 20_000;
