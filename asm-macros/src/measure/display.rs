//! Measurements in words.

use super::Measurement;
use core::fmt;

impl fmt::Display for Measurement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ticks, core) = (self.ticks(), self.core_clocks());
        if self.is_too_noisy() {
            return write!(
                out,
                "too noisy to judge: {} runs of {} and {} executions differ by more than a quarter; measure on an idle \
                 machine",
                self.runs,
                self.executions,
                2 * self.executions,
            );
        }
        if self.is_too_short() {
            return write!(
                out,
                "too short to judge: not told from an empty block in {} runs of {} and {} executions; if it should not be, \
                 the compiler may have removed it: pass its inputs through black_box",
                self.runs,
                self.executions,
                2 * self.executions,
            );
        }
        write!(
            out,
            "{:.2} core clocks ({:.2} ticks), deviation {:.2} core clocks, ",
            core.median, ticks.median, core.mad,
        )?;
        // In a run whose shorter series was disturbed, the longer one may have taken less.
        if core.min > 0.0 {
            write!(out, "least {:.2} core clocks, ", core.min)?;
        }
        write!(
            out,
            "{} runs of {} and {} executions",
            self.runs,
            self.executions,
            2 * self.executions,
        )?;
        if self.interrupted > 0 {
            write!(out, ", {} more interrupted", self.interrupted)?;
        }
        if !core.is_quiet() {
            let share = 100.0 * core.mad / core.median;
            write!(
                out,
                "; the machine was not idle: the deviation is {share:.1} % of the median"
            )?;
        }
        if self.debug {
            out.write_str(crate::OF_DEBUG_BUILD)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Measurement {
    /// Shows both units, with four decimal places.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Measurement")
            .field("core_clocks", &Figures(&self.core_clocks()))
            .field("ticks", &Figures(&self.ticks()))
            .field("runs", &self.runs)
            .field("interrupted", &self.interrupted)
            .field("executions", &self.executions)
            .finish()
    }
}

struct Figures<'a>(&'a Measurement);

impl fmt::Debug for Figures<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measurement {
            min,
            median,
            mad,
            quantum,
            overhead,
            ..
        } = self.0;
        out.debug_struct("Figures")
            .field("min", &format_args!("{min:.4}"))
            .field("median", &format_args!("{median:.4}"))
            .field("mad", &format_args!("{mad:.4}"))
            .field("quantum", &format_args!("{quantum:.4}"))
            .field("overhead", &format_args!("{overhead:.0}"))
            .finish()
    }
}
