//! Reports on two worlds: the simulated run beside the same program's native runs, and the host's time stamp counter.
//!
//! Ticks are those of the time stamp counter and are never called clocks. Core clocks of the host are estimated from a
//! chain of additions and labelled as estimates. A missing figure is a `-` with the number of a note that says why.

mod cpi;
mod figures;
pub(crate) mod json;
mod regions;
mod sampling;
#[cfg(test)]
mod specimen;
#[cfg(test)]
mod tests;
mod tsc;
mod wording;

pub use cpi::write_cpi;
pub use regions::write_run;
pub use sampling::write_sampled;
pub use tsc::write_tsc;

use super::phrases::{counted, lines};
use super::{FAILURE, HEADING, Style, ending, painted, paragraph, printable};
use p5_host::native::summary::{Summary, Timing};
use p5_host::native::{self, Missing, Native};
use p5_image::Image;
use p5_results::{Run, StopReason};
use std::io::{self, Write};

/// The machine that runs programs natively.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// The processor's name as CPUID reports it, or the reason why there is none.
    pub processor: Result<String, String>,
    /// The hypervisor's name, if there is one.
    pub hypervisor: Option<String>,
    /// The time stamp counter, or the reason why it cannot be read.
    pub counter: Result<Counter, String>,
}

/// The time stamp counter of the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// Whether its rate is constant in all power states of the processor.
    pub invariant: bool,
    /// Whether the processor has RDTSCP.
    pub rdtscp: bool,
    /// The numbers of the processor and the memory node in IA32_TSC_AUX, or the reason why they cannot be read.
    pub auxiliary: Result<(u32, u32), String>,
    /// Ticks per second and the source of that figure, or the reason why it is unknown.
    pub frequency: Result<(u64, String), String>,
    /// The step of the counter, in ticks.
    pub quantum: u64,
    /// Core clocks per tick at the time of detection.
    pub core_clocks_per_tick: f64,
    /// The ticks of one CPUID.
    pub cpuid_ticks: u64,
    /// Whether a hypervisor intercepts CPUID.
    pub cpuid_traps: bool,
    /// The fences that may order readings.
    pub fences: Vec<FenceLine>,
}

/// A fence, as measured on this host.
#[derive(Clone, Debug, PartialEq)]
pub struct FenceLine {
    /// The name by which macros select it.
    pub name: String,
    /// Ticks of an empty pair of readings with the fence, and whether it orders readings on this host; or the reason
    /// why it does not exist.
    pub cost: Result<(f64, bool), String>,
    /// Whether the host's macros use it by default.
    pub default: bool,
}

/// A program with its simulated and its native runs.
#[derive(Clone, Copy, Debug)]
pub struct Worlds<'a> {
    /// The machine of the native runs.
    pub host: &'a Host,
    /// The simulated run.
    pub run: &'a Run,
    /// The program that ran natively: the same source with the host's library, or without any library in both worlds.
    pub image: &'a Image,
    /// The native runs, or the reason why there are none.
    pub native: Result<&'a Native, &'a Missing>,
    /// The reason why the host's own events are not counted.
    pub uncounted: &'a str,
}

impl Worlds<'_> {
    fn summary(&self) -> Result<Summary, Missing> {
        match self.native {
            Ok(native) => Ok(native::summary::summary(self.image, native)),
            Err(why) => Err(why.clone()),
        }
    }

    /// Whether the simulated run left figures: the program ended it, or it reached a limit.
    fn simulated_completed(&self) -> bool {
        !matches!(self.run.stop.reason, StopReason::Fault | StopReason::Unsupported)
    }

    /// Whether no run of the program was completed in either world, so that there is no figure.
    fn none_completed(&self) -> bool {
        let natively = self.native.is_ok_and(|native| !native.runs.is_empty());
        !natively && !self.simulated_completed()
    }

    fn words(&self, missing: &Missing) -> String {
        wording::missing(missing, self.uncounted, &self.image.files)
    }
}

/// A number of ticks or clocks with one decimal, if that decimal is significant.
fn figure(value: f64) -> String {
    let text = if value.abs() < 9_999.95 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    };
    // A small negative value rounds to -0.
    if text == "-0.0" { "0.0".to_owned() } else { text }
}

/// The mean with its standard error, in the digits that are significant.
fn mean(timing: &Timing) -> String {
    let Some(error) = timing.standard_error else {
        return figure(timing.mean);
    };
    let digits = match error {
        9.5.. => 0,
        0.095.. => 1,
        0.0095.. => 2,
        _ => 3,
    };
    let mean = format!("{:.digits$}", timing.mean);
    // A small negative mean rounds to -0.
    let plain = mean
        .strip_prefix('-')
        .filter(|rest| rest.chars().all(|digit| "0.".contains(digit)));
    format!("{} ± {error:.digits$}", plain.unwrap_or(&mean))
}

/// Writes the beginning of a report: the program, its machines, and its ending in each world.
fn head(worlds: &Worlds, summary: &Result<Summary, Missing>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let run = worlds.run;
    writeln!(out, "{}", painted(style, HEADING, &printable::printable(&run.program)))?;
    let ended = |words: &str, failed: bool, out: &mut dyn Write| {
        for line in printable::folded(words, style.width.saturating_sub(2)) {
            let line = if failed { painted(style, FAILURE, &line) } else { line };
            writeln!(out, "  {line}")?;
        }
        Ok(())
    };
    let simulated = format!(
        "simulated: {}, CPL {}, memory {}; {}",
        run.cpu_title,
        run.cpl,
        run.memory,
        counted(run.runs.len() as u64, "run")
    );
    lines(&simulated, style, out)?;
    let words = ending::ended(&run.stop, &run.files, ending::CLOCK_LIMIT);
    ended(&words, ending::failed(&run.stop), out)?;
    lines(&format!("host: {}", described(worlds.host)), style, out)?;
    match (worlds.native, summary) {
        (Ok(native), Ok(_)) if native.runs.is_empty() && ending::failed(&native.stop) => {
            let words = format!(
                "did not complete: {}",
                wording::ended(&native.stop, &worlds.image.files)
            );
            ended(&words, true, out)
        }
        (Ok(native), Ok(summary)) => {
            let words = wording::ended(&native.stop, &worlds.image.files);
            let completed = counted(native.runs.len() as u64, "run");
            let words = format!("{completed} completed, {words}");
            ended(&words, ending::failed(&native.stop), out)?;
            let step = match native.quantum {
                Err(missing) => format!("the counter's step is unknown: {}", missing.0),
                Ok(quantum) => format!("the counter advances in steps of {}", counted(quantum, "tick")),
            };
            let ratio = match &summary.core_clocks_per_tick {
                Ok(ratio) => format!("{ratio:.3} core clocks per tick while it ran"),
                Err(why) => format!("core clocks per tick unknown: {}", worlds.words(why)),
            };
            paragraph(style, &format!("{step}; {ratio}"), out)
        }
        (Err(why), _) | (Ok(_), Err(why)) => paragraph(style, &format!("not run natively: {}", worlds.words(why)), out),
    }
}

fn described(host: &Host) -> String {
    let mut words = match &host.processor {
        Ok(name) => printable::printable(name),
        Err(why) => format!("unnamed processor ({why})"),
    };
    if let Some(hypervisor) = &host.hypervisor {
        words += &format!(" under {}", printable::printable(hypervisor));
    }
    match &host.counter {
        Ok(counter) => match &counter.frequency {
            Ok((hertz, source)) => words += &format!(", {} ticks per second ({source})", megahertz(*hertz)),
            Err(why) => words += &format!(", ticks per second unknown: {why}"),
        },
        Err(why) => words += &format!(", no time stamp counter: {why}"),
    }
    words
}

/// A frequency in megahertz, as in `2596.122 million`.
fn megahertz(hertz: u64) -> String {
    format!("{:.3} million", hertz as f64 / 1e6)
}
