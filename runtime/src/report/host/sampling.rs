//! `p5inst host sample` in words: what was recorded, or what is missing and what would help.

use super::super::{Style, paragraph, printable};
use super::wording::ended;
use crate::image::SourceFile;
use crate::perf::raw::BadRecord;
use crate::perf::sysfs::DEVICES;
use crate::perf::{Sampled, Sampler, UNIT_OF_PERIODS, Unit, Unsampled};
use crate::samples::CountMode;
use asm_macros::Reason;
use std::fmt;
use std::io::{self, Write};

/// How to get instruction-based sampling.
const WHERE_IBS: &str = "instruction-based sampling is in AMD processors from family 10h on; a virtual machine has it only if \
                         its host passes it on";

/// Writes what was recorded to `file`, and what the reader should know of it.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_sampled(
    sampled: &Sampled,
    file: &str,
    files: &[SourceFile],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let recording = &sampled.recording;
    let (samples, runs) = (recording.samples.len(), sampled.native.runs.len());
    writeln!(
        out,
        "{}: {samples} samples of {runs} native runs on {}",
        printable::printable(file),
        printable::printable(&recording.machine.chip_title)
    )?;
    for sampler in &sampled.samplers {
        let attempts = match sampler.unit {
            Unit::IbsFetch => recording.sampling.fetch,
            Unit::IbsOp | Unit::Processor => recording.sampling.op,
        };
        let period = attempts.map_or(0, |attempts| attempts.period);
        let counted = match (sampler.unit, recording.sampling.choice.mode) {
            (Unit::IbsFetch, _) => "fetches",
            (Unit::IbsOp, CountMode::Dispatch) => "dispatched ops",
            (Unit::IbsOp, CountMode::Cycles) | (Unit::Processor, _) => "clocks",
        };
        writeln!(
            out,
            "  {:<9}  {} in the program, {} elsewhere; one every {period} {counted}",
            sampler.unit.name(),
            sampler.kept,
            sampler.outside
        )?;
    }
    for note in notes(sampled, files) {
        paragraph(style, &note, out)?;
    }
    Ok(())
}

/// What the reader should know.
fn notes(sampled: &Sampled, files: &[SourceFile]) -> Vec<String> {
    let mut notes = Vec::new();
    if !sampled.native.stop.reason.by_program() {
        notes.push(format!("the program was {}", ended(&sampled.native.stop, files)));
    }
    for sampler in &sampled.samplers {
        of_sampler(sampler, &mut notes);
    }
    notes
}

fn of_sampler(sampler: &Sampler, notes: &mut Vec<String>) {
    let name = sampler.unit.name();
    if sampler.kept == 0 {
        notes.push(format!(
            "{name} took no sample in the program; take a smaller period, or repeat the program's work in a loop"
        ));
    }
    if sampler.unit == Unit::Processor {
        let where_from = match sampler.precise {
            0 => "the address is that of an instruction some way behind the one that took the clock",
            1 => "the address is a constant number of instructions behind the one that took the clock",
            _ => "the address is exact as far as the processor can tell",
        };
        notes.push(format!(
            "this machine has no {}: a sample has the address of an instruction and nothing else, and {where_from}",
            Unit::IbsOp.name()
        ));
    }
    if sampler.lost > 0 {
        notes.push(format!(
            "{name}: the kernel lost {} samples because they came too fast; take a larger period",
            sampler.lost
        ));
    }
    if sampler.throttled > 0 {
        notes.push(format!(
            "{name}: the kernel stopped sampling {} times for a while (kernel.perf_event_max_sample_rate); take a larger \
             period",
            sampler.throttled
        ));
    }
    if sampler.cut > 0 {
        notes.push(format!("{name}: {} samples are more than a file holds", sampler.cut));
    }
    if let Some(why) = sampler.first_bad {
        notes.push(format!(
            "{name}: {} samples were left out: the first {why}",
            sampler.bad
        ));
    }
    if sampler.with_unknown > 0 {
        notes.push(format!(
            "{name}: {} samples have registers that this p5inst does not know; those are left out",
            sampler.with_unknown
        ));
    }
}

impl fmt::Display for BadRecord {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRecord::Short { needed, found } => write!(
                out,
                "has {found} bytes of registers, and its capabilities call for {needed}"
            ),
            BadRecord::Ragged { found } => write!(out, "has {found} bytes of registers, which are no whole registers"),
            BadRecord::Long { found } => write!(out, "has {found} bytes of registers, more than any processor has"),
            BadRecord::NotValid => out.write_str("says itself that no sample is there"),
        }
    }
}

/// An option with the value that is meant: of the modes, only one needs anything.
fn spelled(option: &str) -> &str {
    if option == "--mode" { "--mode dispatch" } else { option }
}

impl fmt::Display for Unsampled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsampled::NotRun(error) => error.fmt(out),
            Unsampled::OtherHost => out.write_str(
                "samples are taken through Linux performance events on x86-64, and p5inst was built for another machine; \
                 `p5inst sample` samples the simulated chip",
            ),
            Unsampled::NoUnit { hypervisor } => write!(
                out,
                "this machine has nothing to sample with: {DEVICES} has neither {} nor {}, and {}; {WHERE_IBS}",
                Unit::IbsOp.name(),
                Unit::Processor.name(),
                Reason::NoPmu {
                    hypervisor: *hypervisor
                }
            ),
            Unsampled::NeedsIbs {
                option,
                unit,
                ordinary,
                hypervisor,
            } => {
                write!(out, "`{}` needs {}, and {DEVICES} has none", spelled(option), unit.name())?;
                if *ordinary {
                    write!(out, "; without it, the addresses of instructions can be sampled by clocks")?;
                } else if *hypervisor {
                    write!(out, "; neither has this virtual machine an ordinary unit")?;
                }
                write!(out, "; {WHERE_IBS}")
            }
            Unsampled::NoFormat { option, unit, format } => write!(
                out,
                "`{}` is not possible here: this processor or this kernel has no {DEVICES}/{}/format/{format}; leave the \
                 option out, or try a later kernel",
                spelled(option),
                unit.name()
            ),
            Unsampled::StrangeFormat { unit, format, text } => write!(
                out,
                "{DEVICES}/{}/format/{format} says `{}`, which does not place the option; a later p5inst may know it",
                unit.name(),
                printable::escaped(text.trim())
            ),
            Unsampled::NotSixteens { option, period } => {
                let below = (period / UNIT_OF_PERIODS).max(1) * UNIT_OF_PERIODS;
                write!(
                    out,
                    "`{option} {period}` cannot be counted: instruction-based sampling counts in sixteens; take {below} or {}",
                    below.saturating_add(UNIT_OF_PERIODS)
                )
            }
            Unsampled::Latency { latency, least, most } => write!(
                out,
                "`--ldlat {latency}` is no threshold: it can be {least} to {most} clocks"
            ),
            Unsampled::Refused { unit, reason } => write!(out, "{} cannot be sampled: {reason}", unit.name()),
            Unsampled::Invalid { unit } => {
                write!(out, "the kernel does not accept this event of {}", unit.name())?;
                if *unit == Unit::Processor {
                    write!(out, ": perhaps the unit cannot interrupt, as in some virtual machines")
                } else {
                    write!(
                        out,
                        ": kernels before 6.2 sample whole processors only, and short periods are refused; try a period of 160 \
                         or more, or a later kernel"
                    )
                }
            }
            Unsampled::NoMemory { kib, errno } => write!(
                out,
                "the kernel does not give {kib} KiB for samples ({}); raise `sysctl kernel.perf_event_mlock_kb` or end other \
                 profilers",
                io::Error::from_raw_os_error(*errno)
            ),
        }
    }
}
