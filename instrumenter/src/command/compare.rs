//! Comparing two runs: their JSON reports, or sources and programs, which are run for it.

use super::BAD_INPUT;
use super::STOPPED;
use super::args::CompareArguments;
use super::output::print;
use super::sources::file;
use runtime::report::{Comparison, SavedRun};
use std::cmp::Ordering;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Compares two runs; the exit code tells whether the newer run is slower by more than the limit. An error is one
/// line about a report.
pub(super) fn compare(arguments: &CompareArguments) -> Result<ExitCode, String> {
    let standard = |path: &Path| path == Path::new("-");
    if standard(&arguments.old) && standard(&arguments.new) {
        return Err("only one of the reports can be standard input".to_owned());
    }
    let read = |path: &Path, chip: Option<&str>| {
        if !standard(path) && path.try_exists().is_ok_and(|exists| !exists) {
            let name = path.display();
            return Err(format!(
                "no such file: `{name}`; `p5inst FILE --format json` writes reports"
            ));
        }
        let report = file(path)?;
        match standard(path) || is_report(path, &report.bytes) {
            true => SavedRun::read(&report.name, &report.bytes),
            false => SavedRun::read(&report.name, &run(path, arguments, chip)?),
        }
    };
    let (mut old, mut new) = (read(&arguments.old, None)?, read(&arguments.new, None)?);
    if old.cpu() != new.cpu() && !arguments.run.names_chip() {
        // Each runs on the usual chip if it can, and both have to run on one.
        match old.on_later_chip().cmp(&new.on_later_chip()) {
            Ordering::Less => old = read(&arguments.old, Some(new.cpu()))?,
            Ordering::Greater => new = read(&arguments.new, Some(old.cpu()))?,
            Ordering::Equal => {}
        }
    }
    let comparison = Comparison::of(&old, &new, arguments.fail_over);
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

/// The report of a source or a program, which another process runs, on this chip if one is given.
fn run(path: &Path, compared: &CompareArguments, chip: Option<&str>) -> Result<Vec<u8>, String> {
    let name = path.display();
    let failed = |error: std::io::Error| format!("`{name}` cannot be run: {error}");
    let command = std::env::current_exe().map_err(failed)?;
    let output = Command::new(command)
        .args(["--format", "json"])
        .args(compared.run.words())
        .args(chip.into_iter().flat_map(|chip| ["--cpu", chip]))
        .arg("--")
        .arg(path)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(failed)?;
    if output.status.code() == Some(BAD_INPUT.into()) {
        return Err(format!("`{name}` has no run, as said above"));
    }
    Ok(output.stdout)
}
