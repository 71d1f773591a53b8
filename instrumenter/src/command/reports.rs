//! The reports of a run, in each format that is asked for: to files, and to standard output.

use super::args::{Arguments, Output, Outputs};
use super::output::{file_style, print_all, print_colored};
use super::replace::{Complete, Replacement};
use super::{STOPPED, complain};
use crate::budgets;
use runtime::image::Image;
use runtime::report::wording::note as note_words;
use runtime::report::{RunFormat, Style, why_stopped};
use runtime::run::Run;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// The name of the format that a terminal shows.
pub(super) const TEXT: &str = "text";

/// Makes sure that each file can be written, and that none of them is a source or another report.
pub(super) fn possible(outputs: &Outputs, image: &Image) -> Result<(), String> {
    let mut others: Vec<Replacement> = Vec::new();
    let to_stdout = |output: &Output| output.file.is_none();
    let mut to_standard = outputs.0.iter().any(to_stdout);
    if outputs
        .0
        .iter()
        .any(|output| to_stdout(output) && !output.format.is_text())
        && io::stdout().is_terminal()
    {
        return Err(
            "what the program writes may not be text for a terminal; name a file with -o, or a pipe".to_owned(),
        );
    }
    for path in outputs.0.iter().filter_map(|output| output.file.as_deref()) {
        // This file is removed again, so that an interrupted run leaves nothing.
        let file = Replacement::new(path)?;
        let sources = image.files.iter().map(|file| Path::new(&file.name));
        file.must_not_replace(sources)?;
        if file.is_standard_output() && std::mem::replace(&mut to_standard, true) {
            return Err("two reports go to standard output; name another file for one of them".to_owned());
        }
        if others.iter().any(|other| other.is_same(&file)) {
            return Err(format!(
                "two reports go to `{}`; name another file for one",
                path.display()
            ));
        }
        others.push(file);
    }
    Ok(())
}

/// Calls `write` for `run` in each requested format; text goes to standard output only if it is `shown`.
pub(super) fn written(
    run: &Run,
    arguments: &Arguments,
    shown: bool,
    write: impl Fn(&RunFormat, &Style, &mut dyn Write) -> io::Result<()>,
) -> Result<ExitCode, String> {
    let Arguments { outputs, amount, .. } = arguments;
    let mut complete = Vec::new();
    for output in &outputs.0 {
        let color = output.format.colored.then_some(arguments.color);
        let Some(path) = &output.file else { continue };
        let mut file = Replacement::new(path)?;
        file.written(|out| write(output.format, &file_style(color, *amount), out))?;
        complete.push(file.complete()?);
    }
    complete.into_iter().try_for_each(Complete::replace)?;
    let to_standard = outputs.0.iter().filter(|output| output.file.is_none());
    for output in to_standard.filter(|output| shown || output.format.name != TEXT) {
        let color = output.format.colored.then_some(arguments.color);
        print_colored(color, *amount, |style, out| write(output.format, style, out))?;
    }
    // The report of a comparison contains the reason itself.
    let all = outputs.0.iter().filter(|_| !arguments.what_if);
    let (names, stopped): (Vec<&str>, Vec<String>) = all
        .filter_map(|output| Some((output.format.name, output.format.unsaid_stop(run)?)))
        .unzip();
    if let Some(stopped) = stopped.first() {
        complain(&format!(
            "{stopped}; what it shows as {} ends there",
            names.join(" and ")
        ));
    }
    let all_to_files = !arguments.what_if && outputs.0.iter().all(|output| output.file.is_some());
    if let (None, true, Some(stopped)) = (stopped.first(), all_to_files, why_stopped(run)) {
        complain(&stopped);
    }
    let failed = budgets::failed(run);
    if !fails_before_trials(arguments) {
        print_all(&failed, &run.files, arguments.color);
    }
    let mistakes = run.notes.iter().filter(|note| note.is_mistake()).count();
    let mistaken = arguments.fail_on_mistakes && mistakes > 0;
    if mistaken {
        complain(&mistakes_told(run, mistakes));
    }
    Ok(if run.stop.reason.succeeds() && failed.is_empty() && !mistaken {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(STOPPED)
    })
}

/// Why a run fails for its mistakes: the first of them, and how many there are.
fn mistakes_told(run: &Run, mistakes: usize) -> String {
    let first = run.notes.iter().find(|note| note.is_mistake()).map(note_words);
    let more = match mistakes {
        1 => String::new(),
        _ => format!("; the notes tell of {mistakes} mistakes"),
    };
    format!("{}{more}", first.unwrap_or_default())
}

/// Whether failed budgets are reported before the program runs under other answers: the runs for `--sure` may take
/// long. While a file is watched, such a report would be cleared from the screen.
pub(super) fn fails_before_trials(arguments: &Arguments) -> bool {
    arguments.sure && !arguments.rerun
}
