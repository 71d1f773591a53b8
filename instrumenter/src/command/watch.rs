//! `--rerun`: runs a program again whenever one of its sources is saved, and names the changes since the previous run.
//! The whole report follows only with `--long` or `--all`.
//!
//! Files are polled several times a second. Unlike notifications, this works with every file system and editor; many
//! editors write a new file and rename it.

use super::args::{Amount, Arguments, Color};
use super::output::{print_colored, reader_is_gone};
use super::run::{Seen, run};
use super::{complain, input};
use runtime::report::{Comparison, Format, RunFormat, SavedRun};
use runtime::run::Run;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::{Duration, SystemTime};

/// The interval between two polls.
const EVERY: Duration = Duration::from_millis(200);

/// The number of consecutive polls without a known file after which it counts as removed.
const REMOVED: u32 = 5;

/// The modification time and size of a file, which tell that it was saved; `None` if it cannot be read now.
type State = Option<(SystemTime, u64)>;

/// Runs the program until the process ends or nobody reads the output; an error is one line.
pub(super) fn watch(arguments: &Arguments) -> Result<ExitCode, String> {
    let given = arguments.run.program.file.iter().chain(&arguments.run.program.more);
    let mut files: BTreeSet<PathBuf> = given.cloned().collect();
    if files.contains(Path::new("-")) {
        return Err("standard input cannot be watched; name a file".to_owned());
    }
    let mut before: Option<SavedRun> = None;
    loop {
        // The states are taken before the files are read, and those of new files after that, so that a file saved
        // during a run is noticed.
        let mut known = states(&files);
        let mut read: Vec<(PathBuf, State)> = Vec::new();
        let done = input::read(&arguments.run.program).and_then(|input| {
            run(input, arguments, &mut |seen| match seen {
                Seen::Files(all) => {
                    let paths = all.iter().map(|file| PathBuf::from(&file.name));
                    read.extend(paths.map(|path| (path.clone(), state(&path))));
                    Ok(true)
                }
                Seen::Run(run) => {
                    let now = saved(run)?;
                    let whole = arguments.amount.long || arguments.amount.all;
                    let told = match &before {
                        None => Ok(true),
                        Some(before) => tell(before, &now, arguments.color).map(|()| whole),
                    };
                    before = Some(now);
                    told
                }
            })
        });
        if let Err(problem) = done {
            complain(&problem);
        }
        // An include that could not be read because of an error may be the file that the user corrects.
        for (file, state) in read {
            if files.insert(file.clone()) {
                known.push((file, state));
            }
        }
        if !wait(&known) {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// Reads the run back from its JSON report.
fn saved(run: &Run) -> Result<SavedRun, String> {
    let mut report = Vec::new();
    let style = super::output::file_style(None, Amount::default());
    let json = RunFormat::by_name("json").ok_or("there is no JSON")?;
    json.write(run, &style, &mut report)
        .map_err(|error| error.to_string())?;
    SavedRun::read("", &report)
}

/// Writes the changes between two runs.
fn tell(before: &SavedRun, now: &SavedRun, color: Color) -> Result<(), String> {
    let comparison = Comparison::of(before, now, None);
    print_colored(Some(color), Amount::default(), |style, out| {
        if comparison.same() {
            return writeln!(out, "\nSaved: no clock changed\n");
        }
        writeln!(out, "\nSaved: what changed; `--long` shows the whole report too\n")?;
        comparison.write(Format::Text, style, out)?;
        writeln!(out)
    })
}

fn states(files: &BTreeSet<PathBuf>) -> Vec<(PathBuf, State)> {
    files.iter().map(|file| (file.clone(), state(file))).collect()
}

fn state(file: &Path) -> State {
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// Waits until a file has left the known state and its new state is stable. Returns false if nobody reads the output
/// any more.
fn wait(known: &[(PathBuf, State)]) -> bool {
    let now = || known.iter().map(|(file, _)| state(file)).collect::<Vec<State>>();
    let mut last: Vec<State> = known.iter().map(|(_, state)| *state).collect();
    let first = last.clone();
    let mut alike = 0;
    loop {
        let seen = now();
        alike = if seen == last { alike + 1 } else { 0 };
        // A file that is being replaced is missing for a moment; a removed one stays missing.
        let complete = seen
            .iter()
            .zip(&first)
            .all(|(seen, first)| seen.is_some() || first.is_none());
        let enough = if complete { 1 } else { REMOVED };
        if seen != first && alike >= enough {
            return true;
        }
        if reader_is_gone() {
            return false;
        }
        last = seen;
        sleep(EVERY);
    }
}
