//! Budgets of clocks, and the uncertainty of a measurement.

use super::{Measurement, NOISE_CLOCKS, Unit};
use core::fmt;

/// Medians that differ by up to this many deviations are the same.
const CHANGE_DEVIATIONS: f64 = 3.0;

/// The error for a measurement above its budget.
#[derive(Clone, Copy, PartialEq)]
pub struct OverBudget {
    /// The measurement, converted to core clocks.
    pub measurement: Measurement,
    /// The maximum number of core clocks for one execution.
    pub limit: f64,
}

impl Measurement {
    /// How far the median may be from that of another measurement of the same code, in the measurement's unit: three
    /// times [`mad`](Measurement::mad), one [`quantum`](Measurement::quantum), or 32 core clocks divided by the
    /// executions, whichever is most.
    pub fn uncertainty(&self) -> f64 {
        let ends = NOISE_CLOCKS / self.executions as f64;
        let in_unit = match self.unit {
            Unit::CoreClocks => ends,
            Unit::Ticks => ends * self.median / self.core_clocks().median,
        };
        let least = if in_unit.is_finite() { in_unit.abs() } else { 0.0 };
        (self.mad * CHANGE_DEVIATIONS).max(self.quantum).max(least)
    }

    /// Checks a budget of core clocks for one execution: a test fails with the figure and the limit if it calls
    /// `measure!(...).within(12.5).unwrap()` or returns the error. A result that is dropped checks nothing, of which
    /// the compiler warns; a test does not fail for it.
    ///
    /// ```compile_fail
    /// #![deny(unused_must_use)]
    /// asm_macros::measure!(std::hint::black_box(1)).within(12.5);
    /// ```
    ///
    /// Without `chain = x`, the figure is that of executions beside each other: a budget of it limits how many there
    /// are in a time, and not how long one takes until its result is there.
    ///
    /// # Errors
    /// The median is above the limit by more than its [`uncertainty`](Measurement::uncertainty). Code that is too short
    /// to judge exceeds no budget. A measurement that is too noisy to judge may exceed one for that alone, and the
    /// error says so.
    #[must_use = "a budget that is over fails no test by itself: `.unwrap()` the result, or return the error"]
    pub fn within(&self, core_clocks: f64) -> Result<(), OverBudget> {
        let measured = self.core_clocks();
        if measured.is_too_short() || measured.median - measured.uncertainty() <= core_clocks {
            return Ok(());
        }
        Err(OverBudget {
            measurement: measured,
            limit: core_clocks,
        })
    }
}

impl fmt::Display for OverBudget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measurement { median, min, .. } = self.measurement;
        match self.measurement.is_too_noisy() {
            true => write!(
                out,
                "over the budget of {:.2} core clocks by its median, {median:.2}, least {min:.2}: {}",
                self.limit, self.measurement
            ),
            false => write!(
                out,
                "over the budget of {:.2} core clocks: {}",
                self.limit, self.measurement
            ),
        }
    }
}

impl fmt::Debug for OverBudget {
    /// Shows the displayed form, because `unwrap` and a test that returns an error print this.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl core::error::Error for OverBudget {}
