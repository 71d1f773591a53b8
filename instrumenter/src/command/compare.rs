//! Comparing two JSON reports.

use super::STOPPED;
use super::args::CompareArguments;
use super::output::print;
use super::sources::file;
use runtime::report::{Comparison, SavedRun};
use std::path::Path;
use std::process::ExitCode;

/// Compares two reports; the exit code tells whether the newer run is slower by more than the limit. An error is one
/// line about a report.
pub(super) fn compare(arguments: &CompareArguments) -> Result<ExitCode, String> {
    let standard = |path: &Path| path == Path::new("-");
    if standard(&arguments.old) && standard(&arguments.new) {
        return Err("only one of the reports can be standard input".to_owned());
    }
    let read = |path: &Path| {
        if !standard(path) && path.try_exists().is_ok_and(|exists| !exists) {
            let name = path.display();
            return Err(format!(
                "no such file: `{name}`; `p5inst FILE --format json` writes reports"
            ));
        }
        let report = file(path)?;
        SavedRun::read(&report.name, &report.bytes)
    };
    let (old, new) = (read(&arguments.old)?, read(&arguments.new)?);
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
