//! Comparing two runs: their JSON reports, or sources and programs, which are run for it.

use super::STOPPED;
use super::args::{Amount, CompareArguments};
use super::output::{file_style, print};
use super::run::Seen;
use super::sources::file;
use super::{input, run};
use runtime::model::{self, Model};
use runtime::report::{Comparison, Format, SavedRun, write};
use std::cmp::Ordering;
use std::path::Path;
use std::process::ExitCode;

/// Compares two runs; the exit code tells whether the newer run is slower by more than the limit. An error is one
/// line about a report.
pub(super) fn compare(arguments: &CompareArguments) -> Result<ExitCode, String> {
    let standard = |path: &Path| path == Path::new("-");
    let (old_path, new_path) = (arguments.old.as_path(), arguments.newer()?);
    if standard(old_path) && standard(new_path) {
        return Err("only one of the reports can be standard input".to_owned());
    }
    let read = |path: &Path, chip: Option<&'static Model>| {
        if !standard(path) && path.try_exists().is_ok_and(|exists| !exists) {
            let name = path.display();
            return Err(format!(
                "no such file: `{name}`; `p5inst FILE --format json` writes reports"
            ));
        }
        let report = file(path)?;
        match standard(path) || is_report(path, &report.bytes) {
            true => SavedRun::read(&report.name, &report.bytes),
            false => SavedRun::read(&report.name, &report_of(path, arguments, chip)?),
        }
    };
    let (mut old, mut new) = (read(old_path, None)?, read(new_path, None)?);
    if old.cpu() != new.cpu() && !arguments.run.program.assembly.cpu_asked {
        // Each runs on the usual chip if it can, and both have to run on one.
        match old.on_later_chip().cmp(&new.on_later_chip()) {
            Ordering::Less => old = read(old_path, model::by_name(new.cpu()))?,
            Ordering::Greater => new = read(new_path, model::by_name(old.cpu()))?,
            Ordering::Equal => {}
        }
    }
    let mut comparison = Comparison::of(&old, &new, arguments.fail_over);
    if arguments.fail_on_other_results {
        comparison = comparison.with_same_results();
    }
    print(arguments.presentation, arguments.amount(), |format, style, out| {
        comparison.write(format, style, out)
    })?;
    Ok(if comparison.ok() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(STOPPED)
    })
}

/// Whether a file is a report, or was meant for one: its name ends in `.json`, or it begins as JSON does.
fn is_report(path: &Path, bytes: &[u8]) -> bool {
    let named = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    named || bytes.trim_ascii_start().starts_with(b"{")
}

/// The report of a source or a program, which is run, on this chip if one is given. Each run gets all of the standard
/// input.
fn report_of(path: &Path, compared: &CompareArguments, chip: Option<&'static Model>) -> Result<Vec<u8>, String> {
    let arguments = compared.run_of(path, chip);
    let mut report = None;
    run::run(input::read(&arguments.run.program)?, &arguments, &mut |seen| {
        if let Seen::Run(run) = seen {
            let mut bytes = Vec::new();
            write(Format::Json, run, &file_style(None, Amount::default()), &mut bytes)
                .map_err(|error| error.to_string())?;
            report = Some(bytes);
        }
        Ok(false)
    })?;
    report.ok_or_else(|| format!("`{}` has no run, as said above", path.display()))
}
