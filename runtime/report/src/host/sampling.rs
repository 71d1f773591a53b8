//! `p5inst host sample` in words: the contents of the recording, or the requirement that is missing and its remedy.

use super::super::{Style, paragraph, printable};
use super::wording::ended;
use p5_host::perf::{Sampled, Sampler, Unit};
use p5_image::SourceFile;
use p5_record::CountMode;
use std::io::{self, Write};

/// Writes the contents of the recording in `file`, and notes on it.
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
            0 => "the address is that of an instruction some way after the one that took the clock",
            1 => "the address is a constant number of instructions after the one that took the clock",
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
            "{name}: the kernel stopped sampling {} times for a while (kernel.perf_event_max_sample_rate); take a \
             larger period",
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
