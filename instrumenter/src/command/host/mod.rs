//! `p5inst host`: the same source in both worlds, simulated and on the processor of this machine.

mod detect;
mod sample;

pub(super) use sample::sample;

use super::BAD_INPUT;
use super::args::{Amount, HostArguments, Presentation};
use super::output::print;
use super::preset::{assembled_ready, natively_possible};
use super::setting::{assembled, program_options, simulated};
use p5_assembler::Library;
use p5_assembler::diag::first_error;
use p5_assembler::source::Sources;
use runtime::image::Image;
use runtime::native::{self, Missing};
use runtime::report::host::{Worlds, write_cpi, write_run, write_tsc};
use runtime::run::Run;
use std::process::ExitCode;
use std::time::Instant;

pub(crate) fn tsc(presentation: Presentation) -> Result<ExitCode, String> {
    let host = detect::detect();
    print(presentation, Amount::default(), |format, style, out| {
        write_tsc(format, &host, style, out)
    })
}

/// Runs `sources` in the simulation with the library for the Pentium, and natively with the one for the host.
/// Diagnostics go to standard error. An error is one line: the report cannot be written.
pub(crate) fn run(sources: &Sources, arguments: &HostArguments) -> Result<ExitCode, String> {
    let Some(image) = assembled(
        sources,
        &arguments.run.program,
        Library::Pentium,
        arguments.presentation.color,
    )?
    else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    natively_possible(&image)?;
    let run = simulation(sources, &image, arguments);
    // The diagnostics of the source are printed already; an error that only the other library causes is a result.
    let assembly = assembled_ready(
        sources,
        &program_options(&arguments.run.program, Library::Host),
        &arguments.run.program,
    );
    let with_host = assembly.image.ok_or_else(|| {
        let first = first_error(&assembly.diagnostics);
        Missing::NotAssembled(first.map(|first| first.message.clone()))
    });
    let native = with_host.as_ref().map_err(Clone::clone);
    let native = native.and_then(|image| natively(image, arguments));
    let host = detect::detect();
    let worlds = Worlds {
        host: &host,
        run: &run,
        image: with_host.as_ref().unwrap_or(&image),
        native: native.as_ref(),
        uncounted: &detect::uncounted(),
    };
    print(arguments.presentation, Amount::default(), |format, style, out| {
        write_run(format, &worlds, style, out)
    })
}

/// Runs `sources` without measuring macros in both worlds. Diagnostics go to standard error. An error is one line: the
/// report cannot be written.
pub(crate) fn cpi(sources: &Sources, arguments: &HostArguments) -> Result<ExitCode, String> {
    let Some(image) = assembled(
        sources,
        &arguments.run.program,
        Library::Unmeasured,
        arguments.presentation.color,
    )?
    else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    natively_possible(&image)?;
    let run = simulation(sources, &image, arguments);
    let native = natively(&image, arguments);
    let host = detect::detect();
    let worlds = Worlds {
        host: &host,
        run: &run,
        image: &image,
        native: native.as_ref(),
        uncounted: &detect::uncounted(),
    };
    print(arguments.presentation, Amount::default(), |format, style, out| {
        write_cpi(format, &worlds, style, out)
    })
}

fn simulation(sources: &Sources, image: &Image, arguments: &HostArguments) -> Run {
    let arguments = &arguments.run;
    simulated(
        &sources.main.name,
        image,
        arguments,
        arguments.program.assembly.level(),
        Instant::now(),
    )
}

fn natively(image: &Image, arguments: &HostArguments) -> Result<native::Native, Missing> {
    let options = native::Options {
        runs: arguments.host_runs,
        ..native::Options::default()
    };
    native::run(image, &options).map_err(Missing::NotRun)
}
