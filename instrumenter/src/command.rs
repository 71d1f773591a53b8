//! What each command does, its terminal manners and its exit code.
//!
//! Reports go to standard output; errors, warnings and progress to standard error. A reader that stops reading early is
//! no error.

use crate::args::{Arguments, Color, Command, Form, HostCommand, Presentation, RunArguments, Shape};
use crate::reading;
use crate::{command_host, command_run};
use anstream::{AutoStream, ColorChoice};
use instrumenter::source::Sources;
use runtime::model::Model;
use runtime::report::{self, Format, Style};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

/// The exit code for input that cannot be used, usage errors included.
pub(crate) const BAD_INPUT: u8 = 2;
/// Columns where there is no terminal to ask, so that a redirected report does not depend on the window it was made in.
const DEFAULT_WIDTH: usize = 110;

/// Does what `arguments` ask for.
pub(crate) fn perform(arguments: &Arguments) -> ExitCode {
    let done = match &arguments.command {
        Some(Command::Events { presentation }) => print(*presentation, |format, style, out| {
            report::write_event_list(format, style, out)
        }),
        Some(Command::Timings {
            mnemonic,
            cpu,
            presentation,
        }) => timings(mnemonic.as_deref(), cpu, *presentation),
        Some(Command::Host { what }) => match what {
            HostCommand::Tsc { presentation } => command_host::tsc(*presentation),
            HostCommand::Run(arguments) => program(&arguments.run, |sources| command_host::run(sources, arguments)),
            HostCommand::Cpi(arguments) => program(&arguments.run, |sources| command_host::cpi(sources, arguments)),
        },
        Some(Command::Schema { report }) => schema(*report),
        None => program(&arguments.run, |sources| command_run::run(sources, &arguments.run)),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            // Nobody is left to be told if standard error is closed.
            let _ = writeln!(anstream::stderr(), "p5inst: {message}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

/// Lists a chip's timing, of one instruction or of all.
fn timings(mnemonic: Option<&str>, model: &'static Model, presentation: Presentation) -> Result<ExitCode, String> {
    let rows = report::timing_rows(model, mnemonic);
    match mnemonic {
        Some(name) if rows.is_empty() => Err(format!(
            "{} has no timing for `{name}`; `p5inst timings` lists what it has",
            model.title
        )),
        _ => print(presentation, |format, style, out| {
            report::write_timings(format, &rows, style, out)
        }),
    }
}

/// Prints the shape of a report.
fn schema(report: Shape) -> Result<ExitCode, String> {
    let presentation = Presentation {
        format: Form::Json,
        color: Color::Never,
    };
    let schema = match report {
        Shape::Report => report::schema(),
        Shape::HostRun => report::host::run_schema(),
        Shape::HostCpi => report::host::cpi_schema(),
        Shape::HostTsc => report::host::tsc_schema(),
    };
    print(presentation, |_, _, out| writeln!(out, "{schema:#}"))
}

/// Reads a program and gives it to `perform`, which runs it and reports.
fn program(
    arguments: &RunArguments,
    perform: impl FnOnce(&Sources) -> Result<ExitCode, String>,
) -> Result<ExitCode, String> {
    let (Some(path), []) = (&arguments.file, arguments.more.as_slice()) else {
        return Err("one program at a time: name a single file".to_owned());
    };
    let main = reading::program(path)?;
    let includes = reading::Includes::new(path, &arguments.include)?;
    let sources = Sources {
        main,
        include: &|name| includes.read(name),
    };
    perform(&sources)
}

/// Gives `write` the format, the style and a buffered standard output.
pub(crate) fn print(
    presentation: Presentation,
    write: impl FnOnce(Format, &Style, &mut dyn Write) -> io::Result<()>,
) -> Result<ExitCode, String> {
    let stdout = io::stdout();
    let format = match presentation.format {
        Form::Text => Format::Text,
        Form::Json => Format::Json,
    };
    let choice = match (format, presentation.color) {
        (Format::Json, _) | (_, Color::Never) => ColorChoice::Never,
        (Format::Text, Color::Always) => ColorChoice::AlwaysAnsi,
        (Format::Text, Color::Auto) => AutoStream::choice(&stdout),
    };
    let style = Style {
        color: choice != ColorChoice::Never,
        width: if stdout.is_terminal() {
            width(&stdout)
        } else {
            DEFAULT_WIDTH
        },
    };
    let written = if format == Format::Json {
        let mut out = BufWriter::new(stdout.lock());
        write(format, &style, &mut out).and_then(|()| out.flush())
    } else {
        let mut out = BufWriter::new(AutoStream::new(stdout.lock(), choice));
        write(format, &style, &mut out).and_then(|()| out.flush())
    };
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot write the report: {error}")),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The columns of the terminal behind `stream`, within what the layout is made for.
fn width(stream: &io::Stdout) -> usize {
    let columns = terminal_size::terminal_size_of(stream).map(|(width, _)| usize::from(width.0));
    columns.unwrap_or(DEFAULT_WIDTH).clamp(40, 200)
}
