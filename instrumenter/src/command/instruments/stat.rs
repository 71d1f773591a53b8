//! `p5inst stat`: P5Stat for one program or for two side by side.

use super::super::args::{
    Amount, Arguments, Command, ProgramArguments, StatArguments, StatForm, Timeout, errata, no_contradiction,
};
use super::super::output::{file_style, print_colored};
use super::super::progress::Progress;
use super::super::replace::Replacement;
use super::super::setting::chip;
use super::super::{BAD_INPUT, STOPPED};
use super::{intervals, load, mean_clocks};
use clap::{CommandFactory, FromArgMatches};
use runtime::instruments::{self, Stat};
use runtime::report::instruments::{Scale, write_stat, write_stat_csv};
use runtime::report::{Format, Style};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// The option that precedes the options of the second side.
const AGAINST: &str = "--against";

/// Counts the events of one or two programs, which share the time limit. `line` has the words of the command from which
/// `arguments` were made. An error is one line.
pub(crate) fn stat(arguments: &StatArguments, line: &[OsString]) -> Result<ExitCode, String> {
    match (&*arguments.event, arguments.every) {
        ([], _) => {}
        (events, Some(every)) => return intervals(events, every, &arguments.program, arguments.presentation()?),
        ([event], None) => return mean_clocks(event, &arguments.program, arguments.presentation()?),
        _ => return Err("the mean clocks of one event take both counters; `--every CLOCKS` counts two".to_owned()),
    }
    let started = Instant::now();
    let other = match second(arguments, line) {
        Ok(other) => other,
        Err(Refused::Usage(error)) => error.exit(),
        Err(Refused::Message(message)) => return Err(message),
    };
    // Options that concern both sides may be anywhere on the line.
    let common = other.as_ref().unwrap_or(arguments);
    let (mut first, second) = programs(arguments, other.as_ref())?;
    if second.is_some() {
        // What the first one leaves of its half is for the second.
        first.timeout = Timeout(first.timeout.0.map(|limit| limit / 2));
    }
    let Some(first) = survey(&first, common, started)? else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    let second = match second {
        Some(second) => match survey(&second, common, started)? {
            Some(second) => Some(second),
            None => return Ok(ExitCode::from(BAD_INPUT)),
        },
        None => None,
    };
    let scale = Scale {
        bytes: common.bytes,
        megahertz: common.mhz,
    };
    written(common, |form, style, out| match form {
        StatForm::Text => write_stat(Format::Text, &first, second.as_ref(), scale, style, out),
        StatForm::Json => write_stat(Format::Json, &first, second.as_ref(), scale, style, out),
        StatForm::Csv => write_stat_csv(&first, second.as_ref(), out),
    })?;
    let mut stats = std::iter::once(&first).chain(&second);
    Ok(if stats.all(|stat| stat.subject.stop.reason.succeeds()) {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(STOPPED)
    })
}

/// Writes a report to the file of `arguments`, or else to standard output. An error is one line.
fn written(
    arguments: &StatArguments,
    write: impl FnOnce(StatForm, &Style, &mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    let form = arguments.form();
    let color = (form == StatForm::Text).then_some(arguments.color);
    let standard = Path::new("-");
    let Some(path) = arguments.output.as_deref().filter(|path| *path != standard) else {
        return print_colored(color, Amount::default(), |style, out| write(form, style, out));
    };
    let mut file = Replacement::new(path)?;
    let style = file_style(color, Amount::default());
    file.written(|out| write(form, &style, out))?;
    file.finish()
}

/// The reason why there is no second side.
enum Refused {
    Usage(clap::Error),
    Message(String),
}

/// Parses the line as if the words after `--against` were further options: later options override earlier ones.
fn second(arguments: &StatArguments, line: &[OsString]) -> Result<Option<StatArguments>, Refused> {
    if arguments.against.is_empty() {
        return Ok(None);
    }
    let place = line.iter().position(|word| word == AGAINST);
    let place = place.ok_or_else(|| Refused::Message(format!("`{AGAINST}` takes its options after a blank")))?;
    let words = line.iter().take(place).chain(&arguments.against);
    let matches = Arguments::command()
        .try_get_matches_from(words)
        .map_err(Refused::Usage)?;
    let parsed = Arguments::from_arg_matches(&matches).map_err(Refused::Usage)?;
    let Some(Command::Stat(mut other)) = parsed.command else {
        return Err(Refused::Message(format!("`{AGAINST}` belongs after the program")));
    };
    let named = |one: &ProgramArguments| (one.file.clone(), one.more.clone());
    if named(&other.program) != named(&arguments.program) {
        let help = "name both programs with `--compare A B` before it";
        return Err(Refused::Message(format!("`{AGAINST}` takes options only; {help}")));
    }
    override_answers(&mut other.program, &arguments.program).map_err(Refused::Message)?;
    Ok(Some(other))
}

/// Lets the answers of `second` override those of `first`, with which they begin.
fn override_answers(second: &mut ProgramArguments, first: &ProgramArguments) -> Result<(), String> {
    no_contradiction(first)?;
    let later = second.assume.split_off(first.assume.len());
    let again = |name: &str| later.iter().any(|choice| choice.assumption.name == name);
    second.assume.retain(|choice| !again(choice.assumption.name));
    let errata = errata().assumption.name;
    match first.errata {
        true => second.errata = !again(errata),
        false if second.errata => second.assume.retain(|choice| choice.assumption.name != errata),
        false => {}
    }
    second.assume.extend(later);
    no_contradiction(second)
}

/// The programs of both sides, each with its options.
fn programs(
    arguments: &StatArguments,
    other: Option<&StatArguments>,
) -> Result<(ProgramArguments, Option<ProgramArguments>), String> {
    let first = arguments.program.clone();
    let second = other.map_or_else(|| first.clone(), |other| other.program.clone());
    if !other.unwrap_or(arguments).compare {
        return Ok((first, other.map(|_| second)));
    }
    let Some((name, more)) = arguments.program.more.split_first() else {
        return Err("`--compare` needs two programs: `p5inst stat --compare A B`".to_owned());
    };
    let with = |program: ProgramArguments, file| ProgramArguments {
        file,
        more: more.to_vec(),
        ..program
    };
    let file = first.file.clone();
    Ok((with(first, file), Some(with(second, Some(name.clone())))))
}

/// Counts the events of a program, within the time limit from `started`; `None` if it has errors.
fn survey(arguments: &ProgramArguments, common: &StatArguments, started: Instant) -> Result<Option<Stat>, String> {
    let model = chip(arguments);
    if model.events.selections().next().is_none() {
        return Err(format!("the {} has no event counters", model.title));
    }
    let Some(loaded) = load(arguments, common.color, started)? else {
        return Ok(None);
    };
    let loaded = loaded.at(common.mhz);
    let mut progress = Progress::new(arguments.timeout.0);
    let mut stat = instruments::stat(
        &loaded.program(arguments),
        &loaded.options,
        common.all,
        &mut |reached| {
            progress.reached(reached);
        },
    );
    progress.done();
    stat.subject.library = loaded.library;
    Ok(Some(stat))
}
