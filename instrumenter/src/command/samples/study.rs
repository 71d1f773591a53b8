//! `p5inst sample --study`: the quality of sampling, on a run with exact figures.
//!
//! The program is simulated twice: once to count its ops, which determines the samples, and once with all samplers at
//! the same run. Their samples depend only on their seeds.

use super::super::args::{Amount, SampleArguments, SampleForm, TopBy};
use super::super::engines::say_what_is_not_done;
use super::super::input::{self, Input};
use super::super::output::{file_style, print_colored};
use super::super::progress::Progress;
use super::super::replace::Replacement;
use super::super::setting::{assembled, chip, level_of, run_options};
use super::super::{BAD_INPUT, STOPPED, complain, ended};
use super::take::{enough, kind, nothing_sampled, possible};
use p5_assembler::Library;
use runtime::image::Image;
use runtime::machine;
use runtime::record::{Grouping, SampleKind};
use runtime::report::samples::{StudyForm, write_study};
use runtime::run::{Run, StopReason};
use runtime::samples::Analysis;
use runtime::samples::study::{FEWEST, MOST_SAMPLERS, NoPlan, Plan, Study};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

struct Studied {
    run: Run,
    recording: Analysis,
    study: Study,
}

/// Studies the sampling of a program; an error is one line.
pub(super) fn study(arguments: &SampleArguments, started: Instant) -> Result<ExitCode, String> {
    let (_, randomization) = kind(arguments);
    for &period in &arguments.periods {
        enough(&format!("--periods {period}"), SampleKind::Op, period, randomization)?;
    }
    too_many(arguments.periods.len() as u64 * u64::from(arguments.seeds))?;
    let program = &arguments.run.program;
    let studied = match input::read(program)? {
        Input::Program { name, image } => {
            let level = level_of(&program.assembly, &image);
            Some(studied(arguments, &name, &image, level, started)?)
        }
        input @ Input::Source { .. } => input.source(program, |sources| {
            let Some(image) = assembled(sources, program, Library::Pentium, arguments.color)? else {
                return Ok(None);
            };
            let level = program.assembly.level();
            studied(arguments, &sources.main.name, &image, level, started).map(Some)
        })?,
    };
    let Studied { run, recording, study } = match studied {
        None => return Ok(ExitCode::from(BAD_INPUT)),
        Some(Err(stopped)) => {
            complain(&stopped);
            return Ok(ExitCode::from(STOPPED));
        }
        Some(Ok(studied)) => studied,
    };
    let form = match arguments.format {
        SampleForm::Text => StudyForm::Text,
        SampleForm::Json => StudyForm::Json,
        SampleForm::Html => StudyForm::Html,
    };
    let color = (form == StudyForm::Text).then_some(arguments.color);
    match file(arguments) {
        Some(path) => {
            let mut file = Replacement::new(path)?;
            let style = file_style(color, Amount::default());
            file.written(|out| write_study(form, &study, &recording, &style, out))?;
            file.finish()?;
        }
        None => print_colored(color, Amount::default(), |style, out| {
            write_study(form, &study, &recording, style, out)
        })?,
    }
    Ok(ended(run.stop.reason))
}

/// The file to write; `None` for standard output.
fn file(arguments: &SampleArguments) -> Option<&Path> {
    arguments.output.as_deref().filter(|path| *path != Path::new("-"))
}

/// The study of a program, or why there is none of a run that was stopped.
fn studied(
    arguments: &SampleArguments,
    name: &str,
    image: &Image,
    cpl: u8,
    started: Instant,
) -> Result<Result<Studied, String>, String> {
    let program = &arguments.run.program;
    if let Some(output) = file(arguments) {
        possible(output, image)?;
        super::guard::is_no_recording(output)?;
    }
    let options = || run_options(&arguments.run, image, cpl, started);
    say_what_is_not_done(program, &options());
    let model = chip(program);
    let mut progress = Progress::new(program.timeout.0);
    let counted = machine::census(image, name, model, &options(), &mut |reached| progress.reached(reached));
    progress.done();
    let census = match whole(&counted.run, counted.seen) {
        Ok(census) => census,
        Err(stopped) => return Ok(Err(stopped)),
    };
    let by = match arguments.by {
        TopBy::Insn => Grouping::Instruction,
        TopBy::Proc => Grouping::Procedure,
        TopBy::Line => Grouping::Line,
    };
    let seeds = (arguments.seed, arguments.seeds);
    let plan = Plan::new(&census, by, seeds, kind(arguments), &arguments.periods).map_err(refused)?;
    let mut progress = Progress::new(program.timeout.0);
    let probed = machine::probe(image, name, model, &options(), &plan.probes(), &mut |reached| {
        progress.reached(reached);
    });
    progress.done();
    let taken = match whole(&probed.run, probed.seen) {
        Ok(taken) => taken,
        Err(stopped) => return Ok(Err(stopped)),
    };
    let recording = Analysis(counted.recording);
    let study = Study::new(plan, &recording, &census, &taken);
    Ok(Ok(Studied {
        run: counted.run,
        recording,
        study,
    }))
}

/// The observations of the last run, unless its length depends on this machine.
fn whole<T>(run: &Run, seen: Option<T>) -> Result<T, String> {
    if run.stop.reason == StopReason::Timeout {
        let words = "the time limit was reached, so exact counts are missing; give a longer --timeout";
        return Err(words.to_owned());
    }
    seen.ok_or_else(|| nothing_sampled(run))
}

fn too_many(samplers: u64) -> Result<(), String> {
    if samplers <= MOST_SAMPLERS {
        return Ok(());
    }
    Err(format!(
        "{samplers} samplers, which are seeds times periods, are too many; the most are {MOST_SAMPLERS}"
    ))
}

fn refused(why: NoPlan) -> String {
    match why {
        NoPlan::NoOps => "the last run executed no op, so there is nothing to sample".to_owned(),
        NoPlan::TooMany(samplers) => too_many(samplers).err().unwrap_or_default(),
        NoPlan::TooFew { period, samples } => format!(
            "a period of {period} gives {samples} samples in a run, and a study needs at least {FEWEST}; give shorter \
             --periods, or let the program run longer"
        ),
    }
}
