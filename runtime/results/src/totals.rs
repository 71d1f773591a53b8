//! Totals of a run and of its two parts: the user's program and the bundled library.

use super::{Cause, CauseCycles, CauseStack, EventCount};

/// The totals of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// The totals from reset of the program to its end.
    pub whole: Totals,
    /// The share of the user's program; the rest belongs to the bundled library.
    pub own: Totals,
    /// The clocks of that share by cause.
    pub causes: CauseStack,
}

impl RunSummary {
    /// Adds the totals of an instruction and its clocks by cause, which belong to the library if `library` is set.
    pub fn add(&mut self, totals: &Totals, causes: &[u64; Cause::ALL.len()], library: bool) {
        self.whole.add(totals);
        if !library {
            self.own.add(totals);
            for (&cause, &clocks) in Cause::ALL.iter().zip(causes) {
                self.causes.add(cause, clocks as i64);
            }
        }
    }
}

/// The totals, clocks and events of the last run or of a part of it.
///
/// An instruction, its clocks and their causes belong to the part whose source file holds its text. Events belong to
/// the part that issued last. Those of a pair belong to its U instruction, except the number of instructions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// The totals of the part.
    pub totals: Totals,
    /// The clocks by cause, in the order of [`Cause::ALL`](crate::Cause::ALL); they add up to `totals.cycles`.
    pub cycle_stack: Vec<CauseCycles>,
    /// Every event that the chip's counters can be set to, in selector order.
    pub events: Vec<EventCount>,
}

/// The clocks and instructions of a run or of a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The clocks from reset of the program to its end.
    pub cycles: u64,
    /// The instructions executed: `u + v`.
    pub instructions: u64,
    /// The instructions executed in the U pipe.
    pub u: u64,
    /// The instructions executed in the V pipe, which is the number of pairs.
    pub v: u64,
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Totals) {
        self.cycles += other.cycles;
        self.instructions += other.instructions;
        self.u += other.u;
        self.v += other.v;
    }

    /// These totals minus `part`, which they include.
    pub fn without(&self, part: &Totals) -> Totals {
        Totals {
            cycles: self.cycles - part.cycles,
            instructions: self.instructions - part.instructions,
            u: self.u - part.u,
            v: self.v - part.v,
        }
    }

    /// The clocks per instruction; `None` if nothing was executed.
    pub fn clocks_per_instruction(&self) -> Option<f64> {
        (self.instructions > 0).then(|| self.cycles as f64 / self.instructions as f64)
    }
}
