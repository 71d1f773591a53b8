//! Reports of the tools that read the two counters: P5Stat, the mean length of an event, events while a program runs,
//! and the model specific registers; and the audit of measured regions.
//!
//! A missing count is a `-` with the number of a footnote that explains it, and null in JSON.

pub(crate) mod audit;
mod figures;
pub(crate) mod json;
mod msr;
mod ratio;
mod registers;
mod stat;
mod watch;

pub use audit::write_audit;
pub use figures::Scale;
pub use msr::write_msr_dump;
pub use ratio::write_ratio;
pub use registers::{MsrDump, MsrReading, MsrRow};
pub use stat::{write_stat, write_stat_csv};
pub use watch::{Watching, write_watch};

use super::Style;
use super::ending;
use super::phrases::lines;
use super::printable::escaped;
use super::setting::Setting;
use asm_macros::events::Unit;
use p5_chips::Selection;
use p5_machine::instruments::{Difference, LibraryMacros, Ratio, SourceError, Subject, Uncounted};
use std::borrow::Cow;
use std::io::{self, Write};

const LIMIT: &str = "stopped at the clock limit, `--limit`, which holds for each execution";

/// Writes the program, its machine and, if the program did not end by itself, how the last execution ended.
fn head(subject: &Subject, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    Setting::from(subject).write(style, out)?;
    for note in notes(subject) {
        lines(&note, style, out)?;
    }
    Ok(())
}

/// Writes how the last execution ended, if the program did not end by itself.
fn ending(subject: &Subject, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match ending::stopped(&subject.stop, &subject.files, LIMIT, style) {
        Some(words) => lines(&words, style, out),
        None => Ok(()),
    }
}

fn notes(subject: &Subject) -> Vec<Cow<'static, str>> {
    let mut notes: Vec<Cow<'static, str>> = Vec::new();
    match &subject.library {
        LibraryMacros::Unused => {}
        LibraryMacros::LeftOut => {
            notes.push(
                "without the measuring macros of the library: code and data lie elsewhere, so that clocks differ a little \
                 from those of a report with them"
                    .into(),
            );
        }
        LibraryMacros::Counted { error } => notes.push(
            format!(
                "the measuring macros of the library are counted, too, because the program does not assemble without \
                 them: {}",
                escaped(&refusal(error.as_ref()))
            )
            .into(),
        ),
    }
    if subject.measures {
        notes.push("the measuring macros that it defines itself are counted, too".into());
    }
    notes
}

/// The first error of a source, in words.
pub fn refusal(error: Option<&SourceError>) -> String {
    match error {
        None => "the source has errors".to_owned(),
        Some(SourceError { message, place: None }) => message.clone(),
        Some(SourceError {
            message,
            place: Some((file, line)),
        }) => format!("{message} ({file}:{line})"),
    }
}

fn uncounted(why: Uncounted) -> String {
    match why {
        Uncounted::Unavailable(reason) => format!("not available: {reason}"),
        Uncounted::SetByProgram => {
            "not available: the program writes the counters or their control register (MSR 11h to 13h) itself"
                .to_owned()
        }
        Uncounted::Refused(register) => {
            format!("not available: the chip does not let MSR {register:X}h be read or written")
        }
        Uncounted::OutOfTime => "not counted: the time limit, `--timeout`, was reached before".to_owned(),
    }
}

fn title(selection: Selection) -> String {
    let row = selection.event.row();
    let lower = row.title.to_ascii_lowercase();
    if row.unit == Unit::Duration && !lower.contains("clocks") {
        format!("{} (clocks)", row.title)
    } else {
        row.title.to_owned()
    }
}

/// The meaning of the mean for an event that has no length.
fn note(ratio: &Ratio) -> Option<&'static str> {
    (ratio.selection.event.row().unit == Unit::Occurrence).then_some(
        "the event happens and does not last: a counter set to clocks finds it in the clock in which it happens, so \
         its mean is 1, or less where two happen in one clock, and not what it costs. `p5inst FILE --long` has the \
         clocks lost, by cause, and `p5inst FILE --what-if` what the program takes without them",
    )
}

/// The reason why a count differs from that of counting all events at once.
fn difference(why: Difference) -> &'static str {
    match why {
        Difference::Path => {
            "differs from the last execution, which counts all at once: the program executes other instructions each \
             time, so it reads time or something else that outlasts an execution"
        }
        Difference::Cut => {
            "differs from the last execution, which counts all at once: the clock limit ends each execution at another \
             instruction, as kept predictions and caches make executions take other clocks"
        }
        Difference::NotSettled => {
            "differs from the last execution, which counts all at once: caches and predictions were still changing"
        }
        Difference::BusMaster => {
            "differs from the last execution, which counts all at once: each execution meets other accesses of the \
             other bus master"
        }
        Difference::Miscounted => {
            "differs from what happened in its own execution: the counter miscounts, as `--assume errata=on` lets it"
        }
    }
}
