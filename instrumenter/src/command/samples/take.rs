//! `p5inst sample`: runs a program and writes the samples of its last run.

use super::super::args::{Amount, SampleArguments, SampleForm, SampleMode, SampleRandom, Sampler};
use super::super::engines::say_what_is_not_done;
use super::super::input::{self, Input};
use super::super::output::print_colored;
use super::super::progress::Progress;
use super::super::replace::Replacement;
use super::super::setting::{assembled, chip, level_of, run_options};
use super::super::{BAD_INPUT, STOPPED, complain, ended};
use p5_assembler::Library;
use p5_assembler::spelling::nearest;
use runtime::image::Image;
use runtime::machine::{self, SampleOptions, Sampled};
use runtime::model::ibs::{FIELDS, SAMPLE_REGISTERS, sample_field};
use runtime::record::{Choice, CountMode, Randomization, SampleKind};
use runtime::report::samples::{AnswerForm, overview, write_answer};
use runtime::report::{escaped, stopped_words};
use runtime::run::{Run, StopDetail};
use runtime::samples::Analysis;
use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The default mean distance between two samples of ops.
const USUAL: u64 = 1000;

/// The default for distances that vary by 4096 ops, which must be longer.
const USUAL_LFSR12: u64 = 4096;

/// The words for a program of which nothing was sampled, because `run` or one before it was stopped.
pub(super) fn nothing_sampled(run: &Run) -> String {
    match (&run.stop.detail, stopped_words(run)) {
        (Some(StopDetail::Misfit(_)), Some(why)) => format!("nothing was sampled: {why}"),
        _ => "a run before the last one reached a limit, so nothing was sampled; use --runs 1, or a larger limit"
            .to_owned(),
    }
}

/// Samples a program.
///
/// # Errors
/// One line: the defect of an option or a file, or why the samples cannot be written.
pub(super) fn sample(arguments: &SampleArguments, started: Instant) -> Result<ExitCode, String> {
    let form = match arguments.format {
        SampleForm::Text => AnswerForm::Text,
        SampleForm::Json => AnswerForm::Json,
        SampleForm::Html => return Err("a page is of a study only; add --study, or use --format text".to_owned()),
    };
    let output = arguments
        .output
        .as_deref()
        .ok_or("there is no file to write; name one with -o, or show a study with --study")?;
    no_standard_output(output)?;
    let wanted = wanted(arguments)?;
    let SampleArguments { run, color, .. } = arguments;
    let sampled = match input::read(&run.program)? {
        Input::Program { name, image } => {
            let level = level_of(&run.program.assembly, &image);
            Some(sampled(arguments, output, &wanted, &name, &image, level, started)?)
        }
        input @ Input::Source { .. } => input.source(&run.program, |sources| {
            let Some(image) = assembled(sources, &run.program, Library::Pentium, *color)? else {
                return Ok(None);
            };
            let level = run.program.assembly.level();
            sampled(arguments, output, &wanted, &sources.main.name, &image, level, started).map(Some)
        })?,
    };
    let Some(Sampled { run, mut recording, .. }) = sampled else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    if recording.sampling.runs.0 == 0 {
        complain(&nothing_sampled(&run));
        return Ok(ExitCode::from(STOPPED));
    }
    recording.stopped = stopped_words(&run);
    super::write(&recording, output)?;
    let recording = Analysis(recording);
    let mut answer = overview(&recording);
    if let Some(question) = arguments.events.question() {
        answer.note(format!("`p5inst query FILE {question}` shows these events by line"));
    }
    let color = (form == AnswerForm::Text).then_some(*color);
    print_colored(color, Amount::default(), |style, out| {
        write_answer(form, &answer, style, out)
    })?;
    Ok(ended(run.stop.reason))
}

/// Rejects `-`, which stands for standard output, as the file of samples.
pub(in super::super) fn no_standard_output(output: &Path) -> Result<(), String> {
    match output == Path::new("-") {
        true => Err("samples are a database, which cannot go to standard output; name a file with -o".to_owned()),
        false => Ok(()),
    }
}

/// Runs the program, after making sure that its samples can be written.
fn sampled(
    arguments: &SampleArguments,
    output: &Path,
    wanted: &SampleOptions,
    name: &str,
    image: &Image,
    cpl: u8,
    started: Instant,
) -> Result<Sampled, String> {
    let program = &arguments.run.program;
    may_be_written(output, image)?;
    let options = machine::Options {
        for_each_row: Some(super::write::time_of_row),
        ..run_options(&arguments.run, image, cpl, started)
    };
    say_what_is_not_done(program, &options);
    let mut progress = Progress::new(options.timeout);
    let sampled = machine::sample(image, name, chip(program), &options, wanted, &mut |reached| {
        progress.reached(reached);
    });
    progress.done();
    Ok(sampled)
}

/// Makes sure that samples of `image` can be written to `output`: that the file replaces no input and nothing else that
/// is no file of samples.
pub(in super::super) fn may_be_written(output: &Path, image: &Image) -> Result<(), String> {
    possible(output, image)?;
    super::guard::may_be_replaced(output)?;
    super::holds_program(image)
}

/// Makes sure that `output` can be written and is not one of the input files.
pub(super) fn possible(output: &Path, image: &Image) -> Result<(), String> {
    // This file has no name, so that an interrupted run leaves nothing.
    let file = Replacement::new(output)?;
    let sources = image.files.iter().map(|file| Path::new(&file.name));
    file.must_not_replace(sources)
}

pub(super) fn kind(arguments: &SampleArguments) -> (CountMode, Randomization) {
    let mode = arguments.mode.unwrap_or(SampleMode::Dispatch).into();
    let randomization = match arguments.rand {
        SampleRandom::None => Randomization::None,
        SampleRandom::Hw => Randomization::Hardware,
        SampleRandom::Lfsr12 => Randomization::Lfsr12,
    };
    (mode, randomization)
}

fn wanted(arguments: &SampleArguments) -> Result<SampleOptions, String> {
    let events = &arguments.events;
    let kept = match arguments.keep.as_slice() {
        [] => None,
        names => {
            let named = names.iter().map(|name| register(name));
            let mut kept = named.collect::<Result<BTreeSet<u32>, String>>()?;
            kept.extend(events.registers());
            Some(kept.into_iter().collect())
        }
    };
    let (mut mode, randomization) = kind(arguments);
    let given = |option: &str, mean: u64| (format!("--{option} {mean}"), mean);
    let of_events = |sampler: &Sampler| (format!("--event {}", escaped(sampler.text)), sampler.mean);
    let usual = match arguments.rand {
        SampleRandom::Lfsr12 => USUAL_LFSR12,
        SampleRandom::None | SampleRandom::Hw => USUAL,
    };
    let usual = (arguments.fetch.is_none() && events.is_empty()).then_some(usual);
    let mut fetch = arguments.fetch.map(|mean| given("fetch", mean));
    let mut op = arguments.op.or(usual).map(|mean| given("op", mean));
    if let Some(sampler) = events.sampler(SampleKind::Fetch)? {
        fetch = Some(of_events(&sampler));
    }
    if let Some(sampler) = events.sampler(SampleKind::Op)? {
        op = Some(of_events(&sampler));
        mode = sampler.mode.into();
    }
    if op.is_none() {
        let of_ops = [
            ("--ldlat", arguments.ldlat.is_some()),
            ("--paired", arguments.paired),
            ("--mode", arguments.mode.is_some()),
            ("--rand lfsr12", arguments.rand == SampleRandom::Lfsr12),
        ];
        if let Some((option, _)) = of_ops.into_iter().find(|(_, given)| *given) {
            return Err(only_for_ops(option));
        }
    }
    for (kind, asked) in [(SampleKind::Fetch, &fetch), (SampleKind::Op, &op)] {
        if let Some((given, mean)) = asked {
            enough(given, kind, *mean, randomization)?;
        }
    }
    let distance = |asked: Option<(String, u64)>| asked.and_then(|(_, mean)| NonZeroU64::new(mean));
    Ok(SampleOptions {
        fetch: distance(fetch),
        op: distance(op),
        choice: Choice {
            mode,
            randomization,
            seed: arguments.seed,
            kept,
            load_latency: arguments.ldlat,
            last_level_misses_only: arguments.l2miss_only,
            window: arguments.paired.then_some(arguments.window),
        },
        truth: arguments.truth,
    })
}

/// The message for an option that needs ops when only fetches are sampled.
pub(in super::super) fn only_for_ops(option: &str) -> String {
    format!("{option} is for samples of ops, and only fetches are sampled; add --op N, or an --event of ops")
}

/// Makes sure that the mean distance `mean`, which the user wrote as `given`, is at least as long as its random part.
pub(super) fn enough(given: &str, kind: SampleKind, mean: u64, randomization: Randomization) -> Result<(), String> {
    let least = |randomization| {
        let choice = Choice {
            randomization,
            ..Choice::default()
        };
        choice.spread(kind) / 2
    };
    let needed = least(randomization);
    if mean >= needed {
        return Ok(());
    }
    Err(format!(
        "{given} is too small for --rand {}, which needs at least {needed}; use {}",
        randomization.name(),
        if mean >= least(Randomization::Hardware) {
            "--rand hw"
        } else {
            "a larger one, or --rand none"
        }
    ))
}

/// The register with this name, with or without `Ibs`, or the register with this field.
fn register(name: &str) -> Result<u32, String> {
    let name = name.trim();
    let short = |full: &str| full.strip_prefix("Ibs").unwrap_or(full).to_ascii_lowercase();
    let is = |full: &str| full.eq_ignore_ascii_case(name) || short(full) == name.to_ascii_lowercase();
    let op = format!("IbsOp{name}");
    let registers = SAMPLE_REGISTERS.iter();
    let found = registers.map(|register| (register.name, register.number));
    if let Some((_, number)) = found
        .clone()
        .find(|(full, _)| is(full) || full.eq_ignore_ascii_case(&op))
    {
        return Ok(number);
    }
    if let Some(field) = sample_field(name).or_else(|| FIELDS.iter().find(|field| is(field.name))) {
        return Ok(field.register);
    }
    let names = found.map(|(full, _)| full).chain(FIELDS.iter().map(|field| field.name));
    Err(match nearest(name, names) {
        Some(near) => format!(
            "there is no register or field `{}`; did you mean `{near}`?",
            escaped(name)
        ),
        None => format!(
            "there is no register or field `{}`; `p5inst query FILE names` lists the fields",
            escaped(name)
        ),
    })
}
