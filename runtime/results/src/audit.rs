//! Audits: clocks by cause before, in and after each pass of a region, between the readings that measure it.

use super::{Cause, Pass};
use std::ops::{Add, AddAssign, Sub};

/// Clocks by [`Cause`], which may be negative in a difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CauseStack([i64; Cause::ALL.len()]);

impl CauseStack {
    /// The clocks of one cause.
    pub fn of(&self, cause: Cause) -> i64 {
        self.0[cause as usize]
    }

    /// The sum of the clocks of all causes.
    pub fn total(&self) -> i64 {
        self.0.iter().sum()
    }

    /// The causes whose clocks are not 0, in the order that reports list them.
    pub fn parts(&self) -> impl Iterator<Item = (Cause, i64)> + use<> {
        let all = Cause::ALL.iter().copied().zip(self.0);
        all.filter(|(_, clocks)| *clocks != 0)
    }

    /// Adds clocks to one cause.
    pub fn add(&mut self, cause: Cause, clocks: i64) {
        self.0[cause as usize] += clocks;
    }

    /// Adds the clocks of an instruction, in the order of [`Cause::ALL`].
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

/// A pass of a region with its clocks by cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditedPass {
    /// The number of the pass in its run, from 0.
    pub number: u64,
    /// The measured and the true figures.
    pub pass: Pass,
    /// The clocks from the last reading of the start macro to the issue of the region's first instruction; `None` if no
    /// time stamp was read.
    pub before: Option<CauseStack>,
    /// The clocks from there to the issue of the first instruction after the region.
    pub inside: CauseStack,
    /// The clocks from there to the first reading of the end macro; `None` if no time stamp was read.
    pub behind: Option<CauseStack>,
    /// The clocks between the readings of the pass through an empty region, which the macros subtract; `None` if they
    /// have measured no such region.
    pub calibrated: Option<CauseStack>,
    /// The counts of a profile's two counters between the start macro's readings and the region's first instruction;
    /// `None` if they were not read.
    pub counted_before: Option<[i64; 2]>,
}

/// The number of first passes of a region that an audit keeps in each run, in addition to the last pass.
pub const AUDITED: u64 = 1_000;

/// The maximum number of passes that an audit keeps of all runs and regions, about 16 MB. Each region has an equal
/// share, at least two.
pub const AUDITED_IN_ALL: usize = 20_000;
