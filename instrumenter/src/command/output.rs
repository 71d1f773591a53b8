//! Standard output: the format of a report, its colours and its width.

use super::args::{Amount, Color, Form, Presentation};
use super::closed;
use super::diagnostics;
use anstream::{AutoStream, ColorChoice};
use p5_assembler::Assembly;
use p5_assembler::diag::Diagnostic;
use runtime::image::SourceFile;
use runtime::report::{Detail, Format, Style};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;
use terminal_size::{Height, Width};

/// The width without a terminal, so that a redirected report does not depend on the size of a window.
const DEFAULT_WIDTH: usize = 80;

/// Calls `write` with the format, the style and buffered standard output. A reader that stops early is not an error.
pub(crate) fn print(
    presentation: Presentation,
    amount: Amount,
    write: impl FnOnce(Format, &Style, &mut dyn Write) -> io::Result<()>,
) -> Result<ExitCode, String> {
    let format = match presentation.format {
        Form::Text => Format::Text,
        Form::Json => Format::Json,
    };
    let color = (format == Format::Text).then_some(presentation.color);
    print_colored(color, amount, |style, out| write(format, style, out))?;
    Ok(ExitCode::SUCCESS)
}

/// Calls `write` with the style and buffered standard output, which is coloured if `color` and the terminal allow it.
pub(crate) fn print_colored(
    color: Option<Color>,
    amount: Amount,
    write: impl FnOnce(&Style, &mut dyn Write) -> io::Result<()>,
) -> Result<(), String> {
    let stdout = io::stdout();
    let choice = match color {
        None | Some(Color::Never) => ColorChoice::Never,
        Some(Color::Always) => ColorChoice::AlwaysAnsi,
        Some(Color::Auto) => AutoStream::choice(&stdout),
    };
    let style = Style {
        color: choice != ColorChoice::Never,
        width: width(terminal_size::terminal_size_of(&stdout)),
        detail: detail(amount),
    };
    let written = closed::standard_output().and_then(|()| {
        if color.is_none() {
            let mut out = BufWriter::new(stdout.lock());
            write(&style, &mut out).and_then(|()| out.flush())
        } else {
            let mut out = BufWriter::new(AutoStream::new(stdout.lock(), choice));
            write(&style, &mut out).and_then(|()| out.flush())
        }
    });
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot write the report: {error}")),
        _ => Ok(()),
    }
}

/// Whether standard output is a pipe without a reader.
pub(crate) fn reader_is_gone() -> bool {
    let stdout = io::stdout();
    // The writing end of a pipe reports an error as soon as the other end is closed, whatever events are polled.
    let mut asked = [PollFd::new(&stdout, PollFlags::empty())];
    let answered = poll(&mut asked, Some(&Timespec::default()));
    answered.is_ok() && asked[0].revents().contains(PollFlags::ERR)
}

/// The style of a report in a file, which is coloured only on demand.
pub(crate) fn file_style(color: Option<Color>, amount: Amount) -> Style {
    Style {
        color: color == Some(Color::Always),
        width: width(None),
        detail: detail(amount),
    }
}

fn detail(amount: Amount) -> Detail {
    match amount {
        Amount { all: true, .. } => Detail::All,
        Amount { long: true, .. } => Detail::Long,
        _ => Detail::Short,
    }
}

pub(crate) fn print_diagnostics(assembly: &Assembly, color: Color) {
    print_all(&assembly.diagnostics, &assembly.files, color);
}

/// Writes diagnostics, whose spans refer to `files`, to standard error.
pub(crate) fn print_all(all: &[Diagnostic], files: &[SourceFile], color: Color) {
    if all.is_empty() {
        return;
    }
    let stderr = io::stderr();
    let width = width(terminal_size::terminal_size_of(&stderr));
    let choice = match color {
        Color::Auto => AutoStream::choice(&stderr),
        Color::Always => ColorChoice::AlwaysAnsi,
        Color::Never => ColorChoice::Never,
    };
    let color = choice != ColorChoice::Never;
    let text = diagnostics::render(all, files, color, width);
    // There is nowhere to report that standard error is closed.
    let _ = AutoStream::new(stderr, choice).write_all(text.as_bytes());
}

/// The width of the output in columns, within the range that the layout supports: from the variable COLUMNS, or from
/// the terminal.
fn width(terminal: Option<(Width, Height)>) -> usize {
    let asked = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let columns = asked.or(terminal.map(|(width, _)| usize::from(width.0)));
    columns.unwrap_or(DEFAULT_WIDTH).clamp(40, 200)
}
