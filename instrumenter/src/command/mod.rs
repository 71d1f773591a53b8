//! The command line: the commands, their exit codes, and their use of the terminal.
//!
//! Reports go to standard output; errors, warnings and progress to standard error.

mod advice;
mod answers;
mod args;
mod asked;
mod build;
mod check;
mod closed;
mod compare;
pub mod demonstration;
pub mod diagnostics;
mod engines;
mod evicted;
mod examples;
mod folder;
mod generated;
mod host;
mod hot_calls;
mod includes;
mod input;
mod instruments;
mod later_chip;
mod mispredicted;
mod output;
mod preset;
mod program_input;
mod program_sources;
mod progress;
mod refused;
mod replace;
mod reports;
mod run;
pub mod samples;
mod setting;
mod shells;
mod sources;
mod standard_input;
mod substitution_rules;
mod sweep;
mod timings;
mod tips;
mod tools;
mod watch;
mod what_if;

use args::{Amount, Arguments, Color, Command, Form, HostCommand, MsrCommand, Presentation};
use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{ArgMatches, FromArgMatches};
use output::print;
use p5_assembler::source::Sources;
use p5_assembler::spelling::nearest;
use runtime::model::{MODELS, Model, Row, Selection};
use runtime::report::{self, Schema};
use runtime::run::StopReason;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The exit code for bad input, including usage errors.
const BAD_INPUT: u8 = 2;
/// The exit code of a run that was stopped: by a fault, a limit, or something that is not simulated; also of a budget
/// that does not hold, and of a comparison whose newer run is too slow.
const STOPPED: u8 = 1;

/// Runs `p5inst` with the arguments of this process.
pub fn main() -> ExitCode {
    runtime::native::child_entry();
    replace::survive_full_files();
    let line = match tools::translated(std::env::args_os().collect(), &mut |words| complain(words)) {
        Ok(line) => args::with_own_arguments(line),
        Err(message) => {
            complain(&message);
            return ExitCode::from(BAD_INPUT);
        }
    };
    match line.get(1..).unwrap_or_default() {
        [] => {
            // Nothing was asked for, so this is an answer to bad input.
            let _ = write!(anstream::stderr(), "{}", args::overview());
            return ExitCode::from(BAD_INPUT);
        }
        [only] if only == "-h" || only == "help" => return shown(&args::overview()),
        _ => {}
    }
    let line = args::in_present_names(line, &mut |words| complain(words));
    let arguments = parsed(&line).or_else(|error| {
        // The message may quote arguments, so it is created again from arguments that are safe on a terminal.
        let shown = line.iter().map(|argument| report::escaped(&argument.to_string_lossy()));
        parsed(shown).and(Err(error)).map_err(|mut error| {
            if let Some(tip) = tips::tip(&error, &line) {
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
            }
            error
        })
    });
    match arguments {
        Ok(arguments) => perform(&arguments, &line),
        Err(answer) => match misnamed(&answer, &line) {
            Some(words) => {
                complain(&words);
                ExitCode::from(BAD_INPUT)
            }
            None => told(&answer),
        },
    }
}

/// What is said of a program that does not exist, rather than of its own arguments, which are none of ours.
fn misnamed(answer: &clap::Error, line: &[OsString]) -> Option<String> {
    let unknown = answer
        .get(ContextKind::InvalidArg)
        .filter(|_| answer.kind() == clap::error::ErrorKind::UnknownArgument)?;
    let ContextValue::String(unknown) = unknown else {
        return None;
    };
    let path = args::missing_before(line, unknown)?;
    Some(sources::unreadable(path, &ErrorKind::NotFound.into()))
}

/// The arguments in a line of words.
fn parsed<W: Into<OsString> + Clone>(line: impl IntoIterator<Item = W>) -> Result<Arguments, clap::Error> {
    let matches = args::command().try_get_matches_from(line)?;
    let mut arguments = Arguments::from_arg_matches(&matches)?;
    let asked = |matches: &ArgMatches| matches.value_source("cpu") == Some(ValueSource::CommandLine);
    arguments.run.program.assembly.cpu_asked = asked(&matches);
    if let (Some(command), Some((_, own))) = (&mut arguments.command, matches.subcommand()) {
        match command {
            Command::Compare(compared) => compared.run.program.assembly.cpu_asked = asked(own),
            Command::Advise(advised) | Command::Fix(advised) => advised.program.assembly.cpu_asked = asked(own),
            _ => {}
        }
    }
    Ok(arguments)
}

/// Prints text to standard output.
fn shown(text: &str) -> ExitCode {
    match closed::standard_output().and_then(|()| anstream::stdout().write_all(text.as_bytes())) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            complain(&format!("cannot write: {error}"));
            ExitCode::from(BAD_INPUT)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// Prints help, or the error in the arguments.
fn told(answer: &clap::Error) -> ExitCode {
    let written = match answer.use_stderr() {
        true => answer.print(),
        false => closed::standard_output().and_then(|()| answer.print()),
    };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            complain(&format!("cannot write: {error}"));
            ExitCode::from(BAD_INPUT)
        }
        _ => u8::try_from(answer.exit_code()).map_or(ExitCode::from(BAD_INPUT), ExitCode::from),
    }
}

fn complain(message: &str) {
    // If standard error is closed, there is no place to report it.
    let _ = writeln!(anstream::stderr(), "p5inst: {}", escaped_lines(message));
}

/// Says something beside a result.
fn note(message: &str) {
    let _ = writeln!(anstream::stderr(), "note: {}", escaped_lines(message));
}

/// Escapes each line of a message, which may quote arguments and the names of files.
fn escaped_lines(message: &str) -> String {
    let lines: Vec<String> = message.split('\n').map(report::escaped).collect();
    lines.join("\n")
}

/// Performs the command in `arguments`, which clap has parsed from `line`.
fn perform(arguments: &Arguments, line: &[OsString]) -> ExitCode {
    let done = match &arguments.command {
        Some(Command::Events {
            wanted,
            demo,
            cpu,
            presentation,
        }) => match demo {
            Some(wanted) => demonstration(wanted, cpu, *presentation),
            None => events(wanted.as_deref(), cpu, *presentation),
        },
        Some(Command::Explain {
            topic,
            cpu,
            presentation,
        }) => explain(topic, *cpu, *presentation),
        Some(Command::Timings(arguments)) => timings::timings(arguments),
        Some(Command::Check(arguments)) => check::check(arguments),
        Some(Command::Build(arguments)) => build::build(arguments),
        Some(Command::Advise(arguments)) => advice::advise(arguments),
        Some(Command::Fix(arguments)) => advice::fix(arguments),
        Some(Command::Compare(arguments)) => compare::compare(arguments, line),
        Some(Command::Sweep(arguments)) => sweep::sweep(arguments),
        Some(Command::Host { what }) => match what {
            HostCommand::Tsc { presentation } => host::tsc(*presentation),
            HostCommand::Run(arguments) => input::read(&arguments.run.program)
                .and_then(|input| input.source(&arguments.run.program, |sources| host::run(sources, arguments))),
            HostCommand::Cpi(arguments) => input::read(&arguments.run.program)
                .and_then(|input| input.source(&arguments.run.program, |sources| host::cpi(sources, arguments))),
            HostCommand::Sample(arguments) => input::read(&arguments.program)
                .and_then(|input| input.source(&arguments.program, |sources| host::sample(sources, arguments))),
        },
        Some(Command::Sample(arguments)) => samples::sample(arguments),
        Some(Command::Query(arguments)) => samples::query(arguments),
        Some(Command::Stat(arguments)) => instruments::stat(arguments, line),
        Some(Command::Ratio(arguments)) => instruments::ratio(arguments),
        Some(Command::Audit(arguments)) => instruments::audit(arguments),
        Some(Command::Watch(arguments)) => instruments::watch(arguments),
        Some(Command::Msr {
            what: MsrCommand::Dump(arguments),
        }) => instruments::msr_dump(arguments),
        Some(Command::Schema { report }) => schema(report),
        Some(Command::Completions { shell }) => shells::completions(*shell),
        Some(Command::Man { command }) => shells::manual(command.as_deref()),
        None if arguments.rerun => watch::watch(arguments),
        None => input::read(&arguments.run.program).and_then(|input| run::run(input, arguments, &mut |_| Ok(true))),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            complain(&message);
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// The exit code of a command whose program ended for this reason.
fn ended(reason: StopReason) -> ExitCode {
    match reason.succeeds() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(STOPPED),
    }
}

/// Lists the events of a chip: all, or those that match `wanted`.
fn events(wanted: Option<&str>, model: &'static Model, presentation: Presentation) -> Result<ExitCode, String> {
    let events = events_that_fit(wanted, model)?;
    print(presentation, Amount::default(), |format, style, out| {
        report::write_event_list(&events, format, style, out)
    })
}

/// Runs a program that raises the event called `wanted`.
fn demonstration(wanted: &str, model: &'static Model, presentation: Presentation) -> Result<ExitCode, String> {
    let selection = event(wanted, model)?;
    let mut shown = demonstration::demonstrate(model, selection)?;
    shown.others = demonstration::others(model, selection)?;
    print(presentation, Amount::default(), |format, style, out| {
        report::write_demonstration(&shown, format, style, out)
    })
}

/// The event with the name or number `wanted`. Digits like `2` are a number first, and a part of a name only if no
/// event has that number. If a number means another event on each counter, the counter follows a colon.
fn event(wanted: &str, model: &'static Model) -> Result<Selection, String> {
    let numbered = report::numbered_events(model, wanted);
    let events = if numbered.is_empty() {
        events_that_fit(Some(wanted), model)?
    } else {
        numbered
    };
    let named = |selection: &&Selection| {
        selection
            .event
            .name()
            .eq_ignore_ascii_case(wanted.trim().trim_start_matches("EV_"))
    };
    match (events.iter().find(named), events.as_slice()) {
        (Some(selection), _) | (None, [selection]) => Ok(*selection),
        (None, [zero, one]) if zero.selector == one.selector => Err(format!(
            "each counter counts another event under {:02X}h; write `{}` for {} or `{}` for {}",
            zero.selector,
            report::written(zero),
            zero.event.name(),
            report::written(one),
            one.event.name()
        )),
        (None, several) => {
            let names: Vec<&str> = several.iter().map(|one| one.event.name()).collect();
            let wanted = report::escaped(wanted);
            Err(format!("`{wanted}` fits several events: {}", names.join(", ")))
        }
    }
}

fn events_that_fit(wanted: Option<&str>, model: &'static Model) -> Result<Vec<Selection>, String> {
    let events = report::event_rows(model, wanted);
    if model.events.selections().next().is_none() {
        return Err(format!("the {} has no event counters", model.title));
    }
    if let Some(wanted) = wanted.filter(|_| events.is_empty()) {
        let names = || model.events.selections().map(|selection| selection.event.name());
        // A word that is part of a name finds the events with it; a number must be spelled correctly.
        let words = || names().flat_map(|name| name.split('_')).filter(|word| is_word(word));
        let near = nearest(wanted, names().chain(words())).filter(|_| is_word(wanted));
        let other = MODELS
            .iter()
            .find(|other| !report::event_rows(other, Some(wanted)).is_empty());
        let help = match (other, near) {
            (Some(other), _) => format!("needs `--cpu {}`", other.name),
            (None, Some(name)) => format!("did you mean `{name}`?"),
            (None, None) => "`p5inst events` lists all".to_owned(),
        };
        let wanted = report::escaped(wanted);
        return Err(format!("{} has no event that fits `{wanted}`; {help}", model.title));
    }
    Ok(events)
}

fn explain(topic: &[String], model: Option<&'static Model>, presentation: Presentation) -> Result<ExitCode, String> {
    let all = || model.map_or_else(report::topics_of_any, report::topics);
    if topic.is_empty() {
        return print(presentation, Amount::default(), |format, style, out| {
            report::write_topic_list(&all(), format, style, out)
        });
    }
    let wanted = topic.join(" ");
    let found = match model {
        Some(model) => report::explained(model, &wanted),
        None => report::explained_on_any(&wanted),
    };
    let rows = rows_of(&wanted, model);
    let clocks = |name| format!("`p5inst timings {name}` has the clocks of the instruction `{name}`");
    let clocks = (!rows.is_empty()).then(|| clocks(wanted.as_str()));
    if found.is_empty() {
        let all = all();
        // The schema of explanations has no timings.
        if !rows.is_empty() && presentation.format == Form::Text {
            return print(presentation, Amount::default(), |_, style, out| {
                report::write_instruction(&all, &wanted, &rows, style, out)
            });
        }
        let elsewhere = MODELS
            .iter()
            .find(|other| model.is_some() && !report::explained(other, &wanted).is_empty());
        let names = all.iter().map(|topic| topic.name.as_str());
        let help = match (elsewhere, clocks, nearest(&wanted, names)) {
            (Some(other), ..) => format!("needs `--cpu {}`", other.name),
            (None, Some(clocks), _) => clocks,
            (None, None, Some(name)) => format!("did you mean `{name}`?"),
            (None, None, None) => match report::topics_with_words(&all, &wanted).as_slice() {
                [] => "`p5inst explain` lists all".to_owned(),
                names => format!("`p5inst explain` lists all; nearest: `{}`", names.join("`, `")),
            },
        };
        let wanted = report::escaped(&wanted);
        return Err(format!("there is no topic `{wanted}`; {help}"));
    }
    if let Some(clocks) = clocks {
        note(&clocks);
    }
    print(presentation, Amount::default(), |format, style, out| {
        report::write_topics(&found, format, style, out)
    })
}

/// The timing rows of the instruction `wanted` on the chip, or on the first one that has any.
fn rows_of(wanted: &str, model: Option<&'static Model>) -> Vec<&'static Row> {
    let rows = |model: &'static Model| report::timing_rows(model, Some(wanted));
    let all: &[&'static Model] = model.as_slice();
    let models = if all.is_empty() { MODELS } else { all };
    let found = models.iter().map(|model| rows(model)).find(|rows| !rows.is_empty());
    found.unwrap_or_default()
}

/// Whether `text` consists of letters, `_` and blanks, as event names do without their numbers.
fn is_word(text: &str) -> bool {
    let of_word = |character: char| character.is_ascii_alphabetic() || "_ ".contains(character);
    text.chars().all(of_word)
}

fn schema(report: &Schema) -> Result<ExitCode, String> {
    let presentation = Presentation {
        format: Form::Json,
        color: Color::Never,
    };
    print(presentation, Amount::default(), |_, _, out| {
        write!(out, "{}", report.text)
    })
}

/// Reads the program at `path` and passes it to `perform`, with the includes of its directory and of `directories`.
fn with_sources<R>(path: &Path, directories: &[PathBuf], perform: impl FnOnce(&Sources) -> R) -> Result<R, String> {
    let main = sources::program(path)?;
    let includes = includes::Includes::new(path, directories)?;
    Ok(perform(&Sources {
        main,
        include: &|name| includes.read(name),
        objects: &[],
    }))
}
