//! `--what-if`: runs the program again under each supposition and on each other chip.

use super::args::{Arguments, Outputs, ProgramArguments};
use super::preset::assembled_ready;
use super::reports::written;
use super::setting::{Setting, assuming, program_options, simulated_on};
use p5_assembler::Library;
use p5_assembler::diag::first_error;
use p5_assembler::source::Sources;
use runtime::image::Image;
use runtime::model::{MODELS, Model, Supposed, WHAT_IFS};
use runtime::report::Format;
use runtime::report::what_if::{self, Comparison, NotRun, Outcome, Variant};
use runtime::run::Run;
use std::borrow::Cow;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Makes sure that all requested formats can show a comparison.
pub(super) fn possible(outputs: &Outputs) -> Result<(), String> {
    match outputs.0.iter().find(|output| format(output.format.name).is_none()) {
        Some(output) => Err(format!(
            "--what-if is reported as text or json, not as {}",
            output.format.name
        )),
        None => Ok(()),
    }
}

fn format(name: &str) -> Option<Format> {
    match name {
        "text" => Some(Format::Text),
        "json" => Some(Format::Json),
        _ => None,
    }
}

/// The program, assembled for the chip `has`, for another one, whose events have other names and numbers; an error if
/// it does not assemble.
pub(super) fn assembled<'i>(
    sources: &Sources,
    image: &'i Image,
    arguments: &ProgramArguments,
    has: &Model,
    model: &'static Model,
) -> Result<Cow<'i, Image>, NotRun> {
    if model.name == has.name {
        return Ok(Cow::Borrowed(image));
    }
    let options = p5_assembler::Options {
        chip: model,
        ..program_options(arguments, Library::Pentium)
    };
    let assembly = assembled_ready(sources, &options, arguments);
    assembly.image.map(Cow::Owned).ok_or_else(|| {
        let first = first_error(&assembly.diagnostics);
        NotRun::NotAssembled(first.map_or_else(String::new, |first| first.message.clone()))
    })
}

/// Reports the clocks of `run` under each supposition and on each other chip, for which `image` has the program. An
/// error is one line.
pub(super) fn compare<'i>(
    run: &Run,
    setting: &Setting,
    image: &dyn Fn(&'static Model) -> Result<Cow<'i, Image>, NotRun>,
    arguments: &Arguments,
) -> Result<ExitCode, String> {
    let Supposed { model, memory } = setting.machine;
    // A variant begins if there is time for one that takes as long as the previous one.
    let mut last = Duration::ZERO;
    let mut outcome = |machine: Supposed| {
        let begun = Instant::now();
        if setting.left(&arguments.run.program).is_some_and(|left| left <= last) {
            return Err(NotRun::OutOfTime);
        }
        let image = image(machine.model)?;
        let setting = setting.on(machine);
        let run = simulated_on(&setting, &run.program, &image, &arguments.run);
        let outcome = Outcome::of(&run);
        drop((run, image));
        last = begun.elapsed();
        Ok(outcome)
    };
    let mut variants = Vec::new();
    for what in WHAT_IFS {
        let supposed = what.of(model, memory).ok_or(NotRun::Unchanged);
        variants.push((Variant::Supposed(what), supposed.and_then(&mut outcome)));
    }
    for other in MODELS.iter().filter(|other| other.name != model.name) {
        let machine = Supposed {
            model: assuming(&arguments.run.program, other),
            memory,
        };
        variants.push((Variant::Chip(other), outcome(machine)));
    }
    let comparison = Comparison::new(run, variants);
    written(run, arguments, true, |row, style, out| {
        let format = format(row.name).unwrap_or(Format::Text);
        what_if::write(format, &comparison, style, out)
    })
}
