//! The commands that read the counters and the other model specific registers: `stat`, `ratio`, `watch` and `msr dump`;
//! and `audit`, which checks a program's measurements.

mod audit;
mod msr;
mod stat;

pub(crate) use audit::audit;
pub(crate) use msr::dump as msr_dump;
pub(crate) use stat::stat;

use super::args::{Amount, Color, Presentation, ProgramArguments, RatioArguments, WatchArguments};
use super::diagnostics::source_error;
use super::engines::say_what_is_not_done;
use super::input::{self, Input};
use super::output::print;
use super::preset::assembled_ready;
use super::progress::Progress;
use super::setting::{assembled, chip, level_of, machine_options, program_options};
use super::{BAD_INPUT, ended, event};
use p5_assembler::{Assembly, Library};
use runtime::image::Image;
use runtime::instruments::{self, LibraryMacros, Program, Subject};
use runtime::machine;
use runtime::model::Selection;
use runtime::report::instruments::{Watching, write_ratio, write_watch};
use runtime::report::numbered_events;
use std::num::NonZeroU64;
use std::process::ExitCode;
use std::time::Instant;

struct Loaded {
    name: String,
    image: Image,
    options: machine::Options,
    library: LibraryMacros,
}

impl Loaded {
    /// The program on a chip with this clock rate, which the program can measure.
    fn at(mut self, megahertz: Option<f64>) -> Loaded {
        let hertz = megahertz.and_then(super::args::hertz);
        self.options.hertz = hertz.unwrap_or(self.options.hertz);
        self
    }

    fn program(&self, arguments: &ProgramArguments) -> Program<'_> {
        Program {
            name: &self.name,
            image: &self.image,
            model: chip(arguments),
        }
    }
}

/// Reads and assembles the program of `arguments` without the library's measuring macros: they must not be counted,
/// and those that count events would set the counters. If it does not assemble without them, they are kept, which
/// reports say. The time limit counts from `started`. Diagnostics go to standard error; `None` if there are errors.
fn load(arguments: &ProgramArguments, color: Color, started: Instant) -> Result<Option<Loaded>, String> {
    load_with(arguments, color, started, false)
}

/// Like [`load`], but with the library's measuring macros.
fn load_whole(arguments: &ProgramArguments, color: Color) -> Result<Option<Loaded>, String> {
    load_with(arguments, color, Instant::now(), true)
}

fn load_with(
    arguments: &ProgramArguments,
    color: Color,
    started: Instant,
    whole: bool,
) -> Result<Option<Loaded>, String> {
    let loaded = match input::read(arguments)? {
        Input::Program { name, image } => Some(Loaded {
            name,
            options: machine_options(arguments, &image, level_of(&arguments.assembly, &image), started),
            image: *image,
            library: LibraryMacros::Unused,
        }),
        input @ Input::Source { .. } => input.source(arguments, |sources| {
            let Some(mut image) = assembled(sources, arguments, Library::Pentium, color)? else {
                return Ok(None);
            };
            let measured = !whole && image.regions.iter().any(|region| region.library);
            let without = || {
                let options = program_options(arguments, Library::Unmeasured);
                assembled_ready(sources, &options, arguments)
            };
            let library = match measured.then(without) {
                None => LibraryMacros::Unused,
                Some(Assembly { image: Some(plain), .. }) => {
                    image = plain;
                    LibraryMacros::LeftOut
                }
                Some(assembly) => LibraryMacros::Counted {
                    error: source_error(&assembly.diagnostics, &assembly.files),
                },
            };
            Ok(Some(Loaded {
                name: sources.main.name.clone(),
                options: machine_options(arguments, &image, arguments.assembly.level(), started),
                image,
                library,
            }))
        })?,
    };
    if let Some(loaded) = &loaded {
        say_what_is_not_done(arguments, &loaded.options);
    }
    Ok(loaded)
}

/// The exit code for the ending of `subject`.
fn code(subject: &Subject) -> ExitCode {
    ended(subject.stop.reason)
}

/// The event called `wanted`, if it is ever raised.
fn raised(wanted: &str, arguments: &ProgramArguments) -> Result<Selection, String> {
    let model = chip(arguments);
    let selection = event(wanted, model)?;
    match model.events.why_unavailable(selection.event) {
        Some(why) => Err(format!("{} is not raised: {why}", selection.event.name())),
        None => Ok(selection),
    }
}

/// Shows the mean clocks of an event; an error is one line.
pub(crate) fn ratio(arguments: &RatioArguments) -> Result<ExitCode, String> {
    mean_clocks(&arguments.event, &arguments.program, arguments.presentation)
}

/// Shows the mean clocks of the event that `event` names; an error is one line.
fn mean_clocks(event: &str, program: &ProgramArguments, presentation: Presentation) -> Result<ExitCode, String> {
    let selection = raised(event, program)?;
    let Some(loaded) = load(program, presentation.color, Instant::now())? else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    let mut progress = Progress::new(program.timeout.0);
    let mut ratio = instruments::ratio(&loaded.program(program), selection, &loaded.options, &mut |reached| {
        progress.reached(reached);
    });
    progress.done();
    ratio.subject.library = loaded.library;
    print(presentation, Amount::default(), |format, style, out| {
        write_ratio(format, &ratio, style, out)
    })?;
    Ok(code(&ratio.subject))
}

/// Shows one or two events while a program runs; an error is one line.
pub(crate) fn watch(arguments: &WatchArguments) -> Result<ExitCode, String> {
    intervals(
        &arguments.ev,
        arguments.every,
        &arguments.program,
        arguments.presentation,
    )
}

/// Shows the events that `events` names in each interval of `every` clocks; an error is one line.
fn intervals(
    events: &[String],
    every: NonZeroU64,
    program: &ProgramArguments,
    presentation: Presentation,
) -> Result<ExitCode, String> {
    let selections = counters(events, program)?;
    let Some(loaded) = load(program, presentation.color, Instant::now())? else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    let subject = Subject {
        library: loaded.library.clone(),
        ..Subject::of(&loaded.program(program), &loaded.options)
    };
    let watching = Watching {
        subject: &subject,
        selections,
        every,
    };
    let mut ended = ExitCode::SUCCESS;
    print(presentation, Amount::default(), |format, style, out| {
        let run = |show: &mut dyn FnMut(&instruments::Interval)| {
            let mut watched = instruments::watch(
                &loaded.program(program),
                selections,
                every,
                &loaded.options,
                show,
                &mut |_| {},
            );
            watched.subject.library = loaded.library.clone();
            watched
        };
        ended = code(&write_watch(format, watching, run, style, out)?.subject);
        Ok(())
    })?;
    Ok(ended)
}

/// The event called `wanted`, if it is ever raised. If a number means another event on each counter, `counter`
/// decides, if it is given.
fn raised_on(wanted: &str, counter: Option<usize>, program: &ProgramArguments) -> Result<Selection, String> {
    match counter {
        Some(counter) if numbered_events(chip(program), wanted).len() > 1 => {
            raised(&format!("{wanted}:{counter}"), program)
        }
        _ => raised(wanted, program),
    }
}

/// The event for each counter. The first of two is for the first counter, unless only the second one counts it.
fn counters(wanted: &[String], program: &ProgramArguments) -> Result<[Option<Selection>; 2], String> {
    if wanted.len() > 2 {
        return Err("there are two counters, so `--event` can be given twice".to_owned());
    }
    let both = wanted.len() == 2;
    let mut events = (0..)
        .zip(wanted)
        .map(|(counter, wanted)| raised_on(wanted, both.then_some(counter), program));
    let first = events.next().transpose()?;
    let second = events.next().transpose()?;
    let fits = |selection: Option<Selection>, own: u8| {
        let counter = selection.and_then(|selection| selection.counter);
        counter.is_none_or(|counter| counter == own)
    };
    match (first, second) {
        (first, second) if fits(first, 0) && fits(second, 1) => Ok([first, second]),
        (first, second) if fits(first, 1) && fits(second, 0) => Ok([second, first]),
        (Some(first), Some(second)) => Err(format!(
            "counter {} alone counts both {} and {}; watch them one at a time",
            first.counter.unwrap_or_default(),
            first.event.name(),
            second.event.name()
        )),
        (first, second) => Ok([first, second]),
    }
}
