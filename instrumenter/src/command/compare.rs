//! Comparing two runs: their JSON reports, or sources and programs, which are run for it.

use super::STOPPED;
use super::args::{Amount, Command, CompareArguments, SideOptions};
use super::output::{file_style, print};
use super::run::Seen;
use super::sources::file;
use super::{input, parsed, run};
use runtime::model::{self, Model};
use runtime::report::{Comparison, Format, SavedRun, write};
use std::cmp::Ordering;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compares two runs; the exit code tells whether the newer run is slower by more than the limit. An error is one
/// line about a report.
pub(super) fn compare(arguments: &CompareArguments, line: &[OsString]) -> Result<ExitCode, String> {
    let older = Side::of(arguments, line, "old", (&arguments.only_old, &arguments.old_args))?;
    let newer = Side::of(arguments, line, "new", (&arguments.only_new, &arguments.new_args))?;
    let standard = |path: &Path| path == Path::new("-");
    let (old_path, new_path) = (arguments.old.as_path(), arguments.newer()?);
    if standard(old_path) && standard(new_path) {
        return Err("only one of the reports can be standard input".to_owned());
    }
    let read = |path: &Path, side: &Side, chip: Option<&'static Model>| {
        if !standard(path) && path.try_exists().is_ok_and(|exists| !exists) {
            let name = path.display();
            return Err(format!(
                "no such file: `{name}`; `p5inst FILE --format json` writes reports"
            ));
        }
        let report = file(path)?;
        match standard(path) || is_report(path, &report.bytes) {
            true => {
                if let Some(name) = side.first() {
                    let file = path.display();
                    return Err(format!(
                        "`{name}` is for a program that is run; `{file}` is the report of a run"
                    ));
                }
                SavedRun::read(&report.name, &report.bytes)
            }
            false => {
                let built = input::is_built(path, &report.bytes);
                let bytes = report_of(path, &side.with_arguments(built), chip)?;
                SavedRun::read(&report.name, &bytes).map(|run| run.run_with(side.told(), built))
            }
        }
    };
    let (mut old, mut new) = (read(old_path, &older, None)?, read(new_path, &newer, None)?);
    let asked = [&older, &newer]
        .iter()
        .any(|side| side.arguments.run.program.assembly.cpu_asked);
    if old.cpu() != new.cpu() && !asked {
        // Each runs on the usual chip if it can, and both have to run on one.
        match old.on_later_chip().cmp(&new.on_later_chip()) {
            Ordering::Less => old = read(old_path, &older, model::by_name(new.cpu()))?,
            Ordering::Greater => new = read(new_path, &newer, model::by_name(old.cpu()))?,
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

/// How one of the programs is run.
struct Side {
    arguments: CompareArguments,
    /// Which one it is, as its options are called.
    age: &'static str,
    /// The options that only it gets, and the arguments of its program.
    options: Option<String>,
    own: Option<SideOptions>,
}

impl Side {
    /// The arguments in `line`, with the options of this side, and the arguments of its program.
    fn of(
        arguments: &CompareArguments,
        line: &[OsString],
        age: &'static str,
        (options, own): (&[SideOptions], &Option<SideOptions>),
    ) -> Result<Side, String> {
        let plain = Side {
            arguments: arguments.clone(),
            age,
            options: None,
            own: own.clone(),
        };
        let name = format!("--only-{age}");
        let place = line.iter().position(|word| word == "compare");
        let Some(place) = place.filter(|_| !options.is_empty()) else {
            return Ok(plain);
        };
        let texts: Vec<&str> = options.iter().map(|one| &*one.text).collect();
        let text = texts.join(" ");
        let (before, after) = line.split_at(place + 1);
        let added = options.iter().flat_map(|one| &one.words).map(OsString::from);
        let words = before.iter().cloned().chain(added).chain(after.iter().cloned());
        let refused = |why: &str| format!("`{name} \"{text}\"`: {why}");
        let parsed = parsed(words).map_err(|error| {
            let words = error.to_string();
            let first = words.lines().next().unwrap_or_default();
            refused(first.strip_prefix("error: ").unwrap_or(first))
        })?;
        let Some(Command::Compare(given)) = parsed.command else {
            return Err(refused("it takes options only"));
        };
        let named = |one: &CompareArguments| {
            (
                one.old.clone(),
                one.run.program.file.clone(),
                one.run.program.more.clone(),
            )
        };
        if named(&given) != named(arguments) {
            return Err(refused("it takes options only, and a value stands behind its option"));
        }
        // What is said of both runs is no option of one.
        let shared = |one: &CompareArguments| {
            format!(
                "{:?} {:?} {} {:?} {:?} {:?} {:?} {:?}",
                one.presentation,
                one.fail_over,
                one.fail_on_other_results,
                one.long,
                one.only_old,
                one.only_new,
                one.old_args,
                one.new_args
            )
        };
        if shared(&given) != shared(arguments) {
            return Err(refused(
                "an option of the comparison is of both runs; give it to `compare` itself",
            ));
        }
        Ok(Side {
            arguments: given,
            options: Some(text),
            ..plain
        })
    }

    /// The first of its options that is given.
    fn first(&self) -> Option<String> {
        let options = self.options.as_ref().map(|_| format!("--only-{}", self.age));
        options.or_else(|| self.own.as_ref().map(|_| format!("--{}-args", self.age)))
    }

    /// What only this side is given, as it was written.
    fn told(&self) -> Option<String> {
        let own = self.own.as_ref().map(|own| &*own.text);
        let texts: Vec<&str> = self.options.as_deref().into_iter().chain(own).collect();
        (!texts.is_empty()).then(|| texts.join(" "))
    }

    /// The arguments of its run, whose program may be `built`: a source has the command line of DOS.
    fn with_arguments(&self, built: bool) -> CompareArguments {
        let mut arguments = self.arguments.clone();
        let program = &mut arguments.run.program;
        match &self.own {
            Some(own) if built => program.more.extend(own.words.iter().map(PathBuf::from)),
            Some(own) => program.args = Some(own.text.clone()),
            None => {}
        }
        arguments
    }
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
    let input = input::read(&arguments.run.program)?;
    run::run(input, &arguments, &mut |seen| {
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
