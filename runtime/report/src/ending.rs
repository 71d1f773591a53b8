//! The end of a run in words: why it ended, and where.

use super::phrases::counted;
use super::{FAILURE, Style, fragment, painted, printable, wording};
use p5_image::SourceFile;
use p5_results::{Run, Stop, StopDetail, StopReason};

/// The words for a run that reached its limit of clocks.
pub(super) const CLOCK_LIMIT: &str = "stopped at the clock limit, `--limit`";
const TIMEOUT: &str = "stopped at the time limit, `--timeout SECONDS` (0 is none)";

/// The words for the end of a run, with its place in `files`. `limit` has those for a run that reached its limit.
pub(super) fn ended(stop: &Stop, files: &[SourceFile], limit: &str) -> String {
    let message = wording::stop(stop);
    let with = |words: &str| match &message {
        Some(message) => format!("{words}: {message}"),
        None => words.to_owned(),
    };
    let jumps = matches!(stop.detail, Some(StopDetail::Astray(way)) if way.jumped);
    let mut words = match stop.reason {
        StopReason::End if stop.place.is_some() => with("ran on into data"),
        StopReason::End if stop.refill > 0 => with(&format!(
            "ended after its last instruction, a mispredicted branch; code after it would start {} later (not counted)",
            counted(stop.refill.into(), "clock")
        )),
        StopReason::End => with("ended after its last instruction"),
        StopReason::Return => with("ended by returning from its entry"),
        StopReason::Rounds => message.clone().unwrap_or_default(),
        StopReason::Exit => with(&match stop.code {
            Some(code) => format!("ended by exit with code {code}"),
            None => "ended by exit".to_owned(),
        }),
        StopReason::Signal => with(&wording::raised_signal(stop.code.unwrap_or_default())),
        StopReason::Halt => with("ended by HLT"),
        StopReason::Endless if stop.detail == Some(StopDetail::Unchanging) => {
            with("ended in a loop that goes on for ever")
        }
        StopReason::Endless => with("ended in a jump to itself, which goes on for ever"),
        StopReason::Reset => with("ended by a jump to the reset vector, where nothing is: the processor is reset"),
        StopReason::Strayed if jumps => with("stopped in memory without code"),
        StopReason::Strayed => with("stopped at the reset vector, where nothing is"),
        StopReason::Fault => match (&message, stop.code) {
            (Some(panic), _) if wording::is_of_values(stop) => format!("stopped by {panic}"),
            (Some(message), _) => format!("stopped by fault {message}"),
            (None, Some(vector)) => format!("stopped by fault {}", wording::vector_name(vector)),
            (None, None) => "stopped by a fault".to_owned(),
        },
        StopReason::Limit => with(limit),
        StopReason::Timeout => with(TIMEOUT),
        StopReason::Unsupported => with("stopped"),
    };
    if let Some((file, line)) = stop.place {
        words += &match files.get(file as usize) {
            Some(file) => format!(" ({}:{line})", printable::printable(&file.name)),
            None => format!(" (line {line})"),
        };
        if stop.reason == StopReason::End {
            words += " and off the end of the program";
        }
    }
    if let Some(caller) = stop.caller() {
        let from = caller.function.as_deref().map(printable::printable);
        let (file, line) = caller.place;
        let place = match files.get(file as usize) {
            Some(file) => format!("{}:{line}", printable::printable(&file.name)),
            None => format!("line {line}"),
        };
        words += &match from {
            Some(from) => format!("; called from {from} ({place})"),
            None => format!("; called from {place}"),
        };
    }
    words += &fragment::written(stop, files);
    words += &fragment::unkept(stop, files);
    if stop.shutdown {
        words += "; the program's handlers could not be entered, and the processor shut down";
    }
    for raised in wording::raised(stop, files) {
        words += &format!("; while handling {raised}");
    }
    words
}

/// Whether the run was stopped instead of being ended by the program.
pub(super) fn failed(stop: &Stop) -> bool {
    !stop.reason.by_program()
}

/// The words for a stopped run, the first one marked; `None` if the program ended the run.
pub(super) fn stopped(stop: &Stop, files: &[SourceFile], limit: &str, style: &Style) -> Option<String> {
    let ended = failed(stop).then(|| ended(stop, files, limit))?;
    let rest = ended.strip_prefix("stopped").unwrap_or(&ended);
    Some(format!("{}{rest}", painted(style, FAILURE, "stopped")))
}

/// The words for a last run that was stopped, or ended by a signal, with the place; `None` if the program came to its
/// end.
pub fn stopped_words(run: &Run) -> Option<String> {
    (!run.stop.reason.succeeds()).then(|| ended(&run.stop, &run.files, CLOCK_LIMIT))
}
