//! `p5inst audit`: the regions of a program with measured and true figures, and a calibration by copies of their code.

mod copies;

use super::super::args::{Amount, AuditArguments, RunArguments};
use super::super::engines::say_what_an_audit_does_not_do;
use super::super::input::{self, Input};
use super::super::output::print;
use super::super::preset::assembled_ready;
use super::super::progress::Progress;
use super::super::setting::{assembled, chip, level_of, program_options, run_options};
use super::super::{BAD_INPUT, ended};
use p5_assembler::Library;
use p5_assembler::diag::first_error;
use p5_assembler::source::Sources;
use runtime::image::{Image, RegionKind};
use runtime::instruments::{self, Audit, Copies, Program, Uncopied};
use runtime::machine;
use runtime::report::instruments::write_audit;
use std::process::ExitCode;
use std::time::Instant;

/// For each copy, a run may take this many times the clocks of the run without copies.
const CLOCKS: u64 = 16;
/// The clocks that a run with copies may take in any case.
const LEAST: u64 = 1_000_000;
/// The maximum number of regions that are calibrated by copies.
const MOST_CALIBRATED: usize = 100;

/// Audits the regions of a program; an error is one line.
pub(crate) fn audit(arguments: &AuditArguments) -> Result<ExitCode, String> {
    let started = Instant::now();
    let AuditArguments { run, presentation, .. } = arguments;
    let audited = match input::read(&run.program)? {
        Input::Program { name, image } => {
            let options = run_options(run, &image, level_of(&run.program.assembly, &image), started);
            Some(audited(run, &name, &image, None, &options))
        }
        input @ Input::Source { .. } => input.source(&run.program, |sources| {
            let Some(image) = assembled(sources, &run.program, Library::Pentium, presentation.color)? else {
                return Ok(None);
            };
            // Only regions are compared with the program without measuring.
            let plain = (!image.regions.is_empty()).then(|| {
                let without = program_options(&run.program, Library::Unmeasured);
                assembled_ready(sources, &without, &run.program).image
            });
            let level = run.program.assembly.level();
            let options = run_options(run, &image, level, started);
            let mut audit = audited(run, &sources.main.name, &image, plain.flatten().as_ref(), &options);
            calibrate(&mut audit, sources, arguments, started);
            Ok(Some(audit))
        })?,
    };
    let Some(audit) = audited else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    let amount = Amount {
        all: arguments.all,
        ..Amount::default()
    };
    print(*presentation, amount, |format, style, out| {
        write_audit(format, &audit, style, out)
    })?;
    Ok(ended(audit.subject.stop.reason))
}

fn audited(run: &RunArguments, name: &str, image: &Image, plain: Option<&Image>, options: &machine::Options) -> Audit {
    let program = Program {
        name,
        image,
        model: chip(&run.program),
    };
    say_what_an_audit_does_not_do(&run.program, options);
    let mut progress = Progress::new(options.timeout);
    let audit = instruments::audit(&program, plain, options, &mut |reached| progress.reached(reached));
    progress.done();
    audit
}

/// Adds the calibration by copies to each region.
fn calibrate(audit: &mut Audit, sources: &Sources, arguments: &AuditArguments, started: Instant) {
    let clocks = audit.clocks;
    let mut calibrated = 0;
    let ends = audit.subject.stop.reason.by_program();
    let regions = audit.regions.iter_mut().enumerate();
    for (index, region) in regions.filter(|(_, region)| region.kind == RegionKind::Tsc) {
        // Both macros may be on one line, or the end macro may precede the start macro.
        let lines =
            (region.file == 0 && region.start_line < region.end_line).then_some(region.start_line..region.end_line);
        region.copies = match lines {
            _ if arguments.copies == 0 => Err(Uncopied::NotWanted),
            _ if !ends => Err(Uncopied::NeverEnds),
            Some(lines) if lines.len() == 1 => Err(Uncopied::Empty),
            Some(_) if calibrated == MOST_CALIBRATED => Err(Uncopied::TooMany(MOST_CALIBRATED)),
            Some(lines) => {
                calibrated += 1;
                copied(sources, arguments, (index, lines), clocks, started)
            }
            None => Err(Uncopied::NoSource),
        };
    }
}

/// Runs the program with copies of the code of region `index`, which is at these lines.
fn copied(
    sources: &Sources,
    arguments: &AuditArguments,
    (index, lines): (usize, std::ops::Range<u32>),
    clocks: u64,
    started: Instant,
) -> Result<Copies, Uncopied> {
    let (run, number) = (&arguments.run, arguments.copies);
    let edges = lines.clone();
    // If half of the time is used up, a further calibration may use up the rest.
    let limit = run.program.timeout.0;
    if limit.is_some_and(|limit| started.elapsed() >= limit / 2) {
        return Err(Uncopied::OutOfTime);
    }
    let image = |number: u32| {
        let text = copies::repeated(&sources.main.text, lines.clone(), number).ok_or(Uncopied::NoSource)?;
        let main = runtime::image::SourceFile::new(sources.main.name.clone(), text);
        let copied = Sources { main, ..*sources };
        let options = program_options(&run.program, Library::Pentium);
        let assembly = assembled_ready(&copied, &options, &run.program);
        assembly.image.ok_or_else(|| {
            let first = first_error(&assembly.diagnostics);
            Uncopied::NotAssembled(first.map_or_else(String::new, |first| first.message.clone()))
        })
    };
    let images = [image(number)?, image(2 * number)?];
    let usual = run_options(run, &images[0], run.program.assembly.level(), started);
    if usual.left().is_some_and(|left| left.is_zero()) {
        return Err(Uncopied::OutOfTime);
    }
    let most = clocks.saturating_mul(CLOCKS).saturating_mul(2 * u64::from(number));
    let limited = machine::Options {
        limit: usual.limit.min(most.max(LEAST)),
        ..usual
    };
    let programs = images.each_ref().map(|image| Program {
        name: &sources.main.name,
        image,
        model: chip(&run.program),
    });
    let mut progress = Progress::new(limited.timeout);
    let copies = instruments::copies(programs, index, number, &limited, &mut |reached| {
        progress.reached(reached);
    });
    progress.done();
    copies.map_err(|why| match why {
        Uncopied::Stopped(number, mut stop) => {
            if let Some((0, line)) = &mut stop.place {
                *line = copies::original(&edges, number, *line);
            }
            Uncopied::Stopped(number, stop)
        }
        why => why,
    })
}
