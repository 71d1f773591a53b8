//! Totals of a run, and of its two parts: the user's program and the bundled library.

use super::{CauseCycles, EventCount};

/// One run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// From reset of the program to its end.
    pub whole: Totals,
    /// What the user's program has of it; the rest is the bundled library's.
    pub own: Totals,
}

impl RunSummary {
    /// Adds what an instruction did, which may be one of the library's.
    pub fn add(&mut self, totals: &Totals, library: bool) {
        self.whole.add(totals);
        if !library {
            self.own.add(totals);
        }
    }
}

/// What the last run, or a part of it, did.
///
/// An instruction, its clocks and their causes belong to the part whose source file holds its text. Events belong to
/// the part that issued last; a pair's are those of its U instruction, but for the number of instructions.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The totals.
    pub totals: Totals,
    /// The clocks by cause, in the order of [`Cause::ALL`](crate::Cause::ALL); they add up to `totals.cycles`.
    pub cycle_stack: Vec<CauseCycles>,
    /// Every event that the chip's counters can be set to, in selector order.
    pub events: Vec<EventCount>,
}

/// Totals of a run or of a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Clocks from reset of the program to its end.
    pub cycles: u64,
    /// Instructions executed: `u + v`.
    pub instructions: u64,
    /// Instructions in the U pipe.
    pub u: u64,
    /// Instructions in the V pipe: the pairs that formed.
    pub v: u64,
}

impl Totals {
    /// Adds `other`.
    pub(crate) fn add(&mut self, other: &Totals) {
        self.cycles += other.cycles;
        self.instructions += other.instructions;
        self.u += other.u;
        self.v += other.v;
    }

    /// These totals without `part`, which they include.
    pub fn without(&self, part: &Totals) -> Totals {
        Totals {
            cycles: self.cycles - part.cycles,
            instructions: self.instructions - part.instructions,
            u: self.u - part.u,
            v: self.v - part.v,
        }
    }

    /// Clocks per instruction; none if nothing was executed.
    pub fn clocks_per_instruction(&self) -> Option<f64> {
        (self.instructions > 0).then(|| self.cycles as f64 / self.instructions as f64)
    }
}
