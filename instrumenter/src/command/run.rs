//! Running a program: assembled, simulated, reported.

use super::args::{Amount, AssemblyArguments, RunArguments};
use super::input::Input;
use super::output::{print, print_diagnostics};
use super::sources::standard_input;
use super::{BAD_INPUT, STOPPED};
use crate::source::Sources;
use crate::{Library, Options, assemble};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use runtime::image::Image;
use runtime::machine;
use runtime::model;
use runtime::report;
use runtime::run::Run;
use std::mem::ManuallyDrop;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long a run takes before progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// The privilege level of Linux programs.
const USER: u8 = 3;
/// The part of the time limit that is left for the report: one in so many.
const FOR_REPORT: u32 = 20;

/// Runs a program, which a source is assembled to; diagnostics go to standard error, the report to standard output.
///
/// # Errors
/// One line if an include directory does not exist or the report cannot be written.
pub(crate) fn run(input: Input<'_>, arguments: &RunArguments, amount: Amount) -> Result<ExitCode, String> {
    let started = Instant::now();
    if let Input::Program { name, image } = &input {
        let run = simulated(name, image, arguments, arguments.assembly.cpl.unwrap_or(USER), started);
        return report(run, arguments, amount);
    }
    input.source(arguments, |sources| {
        let Some(image) = assembled(sources, arguments, Library::Pentium) else {
            return Ok(ExitCode::from(BAD_INPUT));
        };
        let cpl = arguments.assembly.level();
        // The process ends with the report: what many regions and lines hold need not be freed piece by piece.
        let image = ManuallyDrop::new(image);
        let run = simulated(&sources.main.name, &image, arguments, cpl, started);
        report(run, arguments, amount)
    })
}

/// Writes the report of a run.
fn report(run: Run, arguments: &RunArguments, amount: Amount) -> Result<ExitCode, String> {
    let run = ManuallyDrop::new(run);
    print(arguments.presentation, amount, |format, style, out| {
        report::write(format, &run, style, out)
    })?;
    Ok(if run.stop.reason.by_program() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(STOPPED)
    })
}

/// The assembled program, unless it has errors; errors and warnings go to standard error.
pub(crate) fn assembled(sources: &Sources, arguments: &RunArguments, library: Library) -> Option<Image> {
    let assembly = assemble(sources, &options(&arguments.assembly, library));
    print_diagnostics(&assembly, arguments.presentation.color);
    assembly.image
}

/// The options of the assembler.
pub(crate) fn options(arguments: &AssemblyArguments, library: Library) -> Options {
    Options {
        library,
        defines: arguments.define.clone(),
        cpl: arguments.level(),
        chip: arguments.cpu,
        ..Options::default()
    }
}

/// Runs the program on the simulated chip at privilege level `cpl`, with progress on standard error. Its time limit
/// counts from `started`.
pub(crate) fn simulated(name: &str, image: &Image, arguments: &RunArguments, cpl: u8, started: Instant) -> Run {
    let for_report = arguments
        .timeout
        .0
        .map_or(Duration::ZERO, |timeout| timeout / FOR_REPORT);
    let options = machine::Options {
        cpl,
        runs: arguments.runs,
        limit: arguments.limit,
        timeout: arguments.timeout.0,
        spent: started.elapsed() + for_report,
        memory: arguments.memory,
        input: standard_input,
        ..machine::Options::default()
    };
    let mut assumed = arguments.assume.clone();
    if arguments.errata {
        assumed.extend(model::choice("errata=on"));
    }
    let mut progress = Progress::new();
    let run = machine::simulate(
        image,
        name,
        arguments.assembly.cpu.assuming(&assumed),
        &options,
        &mut |clocks| {
            progress.reached(clocks);
        },
    );
    progress.done();
    run
}

/// Progress of long runs on standard error, shown only on a terminal.
struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    fn new() -> Progress {
        Progress {
            started: Instant::now(),
            bar: None,
        }
    }

    fn reached(&mut self, clocks: u64) {
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            let bar =
                ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_elapsed(self.started.elapsed());
            let style = ProgressStyle::with_template("simulating: {human_pos} clocks, {elapsed}");
            self.bar = Some(match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            });
        }
        if let Some(bar) = &self.bar {
            bar.set_position(clocks);
        }
    }

    fn done(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
