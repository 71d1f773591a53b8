//! Measurements in words.

use super::{Handed, Measurement, NOISE_DEVIATIONS};
use core::fmt;

/// A median of fewer core clocks is less than one: the frequency of the core changes by a few per cent meanwhile.
const BELOW_A_CLOCK: f64 = 0.95;

impl fmt::Display for Measurement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ticks, core) = (self.ticks(), self.core_clocks());
        if self.lost > 0 {
            return write!(
                out,
                "too noisy to judge: the processor was given to others in {} of {} runs of {} and {} executions; \
                 measure on an idle machine{}",
                self.lost,
                self.runs + self.interrupted,
                self.executions,
                2 * self.executions,
                // There can be no fewer than one.
                if self.executions > 1 {
                    ", or fewer executions, with `unroll = 1`"
                } else {
                    ""
                },
            );
        }
        if self.is_too_noisy() {
            return write!(
                out,
                "too noisy to judge: {} runs of {} and {} executions differ by more than a quarter: the machine is not \
                 idle, or the block does other work each time",
                self.runs,
                self.executions,
                2 * self.executions,
            );
        }
        if self.is_too_short() && core.median < -1.0 - core.mad * NOISE_DEVIATIONS {
            return write!(
                out,
                "cannot be judged: {} executions take longer than {} in {} runs, so that the copies in a loop change \
                 each other's time; try another `unroll`",
                self.executions,
                2 * self.executions,
                self.runs,
            );
        }
        if self.is_too_short() {
            return write!(
                out,
                "too short to judge: cannot be told from an empty block in {} runs of {} and {} executions; the \
                 compiler may have removed it: pass its inputs through black_box; repeat inline assembly within one \
                 asm!, with .rept",
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
        // If all of the shorter series were disturbed, the longer ones may have taken less. A difference of the fastest
        // ones that is not below the median is no least cost.
        if core.min > 0.0 && core.min < core.median && !core.is_walk() {
            write!(out, "least {:.2} core clocks, ", core.min)?;
        }
        write!(
            out,
            "{} runs of {} and {} executions",
            self.runs,
            self.executions,
            2 * self.executions,
        )?;
        match self.handed {
            // What a block computes from its own earlier result is in no place that a macro could see.
            None => out.write_str(", which the processor overlaps; with `chain = x`, each waits for the one before")?,
            Some(Handed::Chain(name)) => write!(out, ", each series warm, from the same `{name}`")?,
            Some(Handed::Walk(name)) => write!(out, ", with `{name}` going on from series to series")?,
        }
        if self.interrupted > 0 {
            write!(out, ", {} more interrupted", self.interrupted)?;
        }
        if self.is_often_interrupted() {
            out.write_str("; the machine was not idle: most runs may have waited for others")?;
        } else if !core.is_even() {
            let share = 100.0 * core.mad / core.median;
            let or_steps = if core.is_walk() { ", or the steps differ" } else { "" };
            write!(
                out,
                "; the machine was not idle{or_steps}: the deviation is {share:.1} % of the median"
            )?;
        } else if core.is_slowed() {
            let share = 100.0 * (core.median - core.min) / core.median;
            write!(
                out,
                "; the machine was not idle: the fastest runs took {share:.0} % less, as another program may use the \
                 same core"
            )?;
        }
        if let Some(Handed::Chain(name) | Handed::Walk(name)) = self.handed
            && self.unchanged
        {
            write!(
                out,
                "; an execution left `{name}` as it was: if the block does not assign it, as `{name} = ..` does, \
                 nothing is handed on"
            )?;
        }
        if core.median < BELOW_A_CLOCK {
            out.write_str(
                "; less than a clock: the compiler computed it beforehand (pass its inputs through black_box), or it \
                 overlaps with the loop (repeat it within one asm!, with .rept)",
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
