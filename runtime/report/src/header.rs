//! The beginning of a text report: the program, the chip, the totals, the end of the run, and the program's output.

use super::monitors::is_bus_master;
use super::refused::{no_file, refused_calls};
use super::setting::Setting;
use super::{Detail, FAILURE, Style, fragment, output, painted, printable, summary, sure, wording};
use p5_chips::later;
use p5_image::SourceFile;
use p5_results::{Run, Stop, StopDetail, StopReason};
use std::io::{self, Write};

/// The maximum number of warm runs whose clocks are listed one by one.
const RUNS: usize = 8;
pub(super) const CLOCK_LIMIT: &str = "stopped at the clock limit, `--limit`";
const TIMEOUT: &str = "stopped at the time limit, `--timeout`";

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    title(run, style, out)?;
    rest(run, style, out)
}

/// Writes the program, the chip, and the assumptions.
pub(super) fn title(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    Setting::from(run).write(style, out)?;
    match fragment::words(run) {
        Some(assumed) => lines(&format!("assumed: {assumed}"), style, out),
        None => Ok(()),
    }
}

/// Writes the totals, the end of the run, and the program's output.
fn rest(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    lines(&runs(run), style, out)?;
    let totals = &run.own.totals;
    let in_v = match totals.instructions {
        0 => String::new(),
        instructions => format!(", {} in V ({})", totals.v, summary::percent(totals.v, instructions)),
    };
    let words = format!(
        "{}: {}, {}{in_v}{}",
        if run.runs.len() > 1 { "last run" } else { "total" },
        counted(totals.cycles, "clock"),
        counted(totals.instructions, "instruction"),
        match totals.clocks_per_instruction() {
            Some(clocks) => format!(", CPI {clocks:.2}"),
            None => String::new(),
        },
    );
    lines(&words, style, out)?;
    sure::write_program(run, style, out)?;
    sure::write_cold(sure::cold(run), style, out)?;
    probes(run, style, out)?;
    let stopped = stopped(&run.stop, &run.files, CLOCK_LIMIT, style);
    let mut ended = stopped.unwrap_or_else(|| ended(&run.stop, &run.files, CLOCK_LIMIT));
    if let Some(calls) = refused_calls(&run.notes) {
        ended += &format!("; refused: {calls}");
    }
    if let Some(words) = no_file(&run.notes) {
        ended += &format!("; {words}");
    }
    lines(&ended, style, out)?;
    let macros = run.probes.as_ref().map_or(0, |probes| probes.totals.cycles);
    match run.stop.reason {
        StopReason::Limit if macros > 0 => {
            let macros = counted(macros, "clock");
            let words =
                format!("the figures cover the time until then; the limit counts the {macros} of the macros, too");
            lines(&words, style, out)?;
        }
        StopReason::Limit | StopReason::Timeout => lines("the figures cover the time until then", style, out)?,
        _ => {}
    }
    output::write(run, style, out)
}

pub(super) fn attached(monitors: &[&str], core_ratio: Option<&str>) -> String {
    let (later, attached): (Vec<&str>, Vec<&str>) = monitors.iter().partition(|name| later(name).is_ok());
    let mut words = Vec::new();
    if !attached.is_empty() {
        words.push(format!("with {} attached", attached.join(", ")));
    }
    if !later.is_empty() {
        words.push(format!(
            "with instructions that it lacks: {}, at assumed clocks",
            later.join(", ")
        ));
    }
    let words = words.join("; ");
    match core_ratio {
        Some(ratio) => format!("{words}, {ratio} core clocks per reference clock"),
        None => words,
    }
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

/// A number with its noun, in the singular or plural: `1 clock`, `2 clocks`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Lines from the first to the last, in words.
pub(super) fn lines_from((first, last): (u32, u32)) -> String {
    match first == last {
        true => format!("line {first}"),
        false => format!("lines {first}-{last}"),
    }
}

/// Writes a sentence, folded to the width.
pub(super) fn lines(words: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let fits = words.chars().count() <= style.width;
    let width = if fits {
        style.width
    } else {
        style.width.saturating_sub(2)
    };
    let mut lines = printable::folded(words, width).into_iter();
    writeln!(out, "{}", lines.next().unwrap_or_default())?;
    lines.try_for_each(|line| writeln!(out, "  {line}"))
}

/// Writes the clocks of the bundled library, which the other figures exclude.
fn probes(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (Some(probes), Some(name)) = (&run.probes, library(run)) else {
        return Ok(());
    };
    if probes.totals.instructions == 0 {
        return Ok(());
    }
    let more = if style.detail == Detail::All {
        ""
    } else {
        ", which `--all` shows"
    };
    let clocks = counted(probes.totals.cycles, "clock");
    lines(
        &format!("without the {clocks} of the macros in {name}{more}"),
        style,
        out,
    )
}

/// The bundled library's file name, if the program uses the library.
pub(super) fn library(run: &Run) -> Option<String> {
    let file = run.files.get(run.library? as usize)?;
    Some(printable::printable(&file.name))
}

pub(super) fn runs(run: &Run) -> String {
    let Some((cold, warm)) = run.runs.split_first() else {
        return "not run".to_owned();
    };
    let mut words = format!(
        "{}: {} cold",
        counted(run.runs.len() as u64, "run"),
        counted(cold.own.cycles, "clock")
    );
    if let Some((least, most)) = summary::clock_range(warm, |run| run.own) {
        words += &if least == most {
            format!(", {least} warm")
        } else {
            let clocks: Vec<u64> = warm.iter().map(|run| run.own.cycles).collect();
            let settled = matches!(clocks[..], [.., one, other] if one == other);
            let each = if clocks.len() > RUNS {
                format!(", {least} to {most} warm")
            } else {
                let each: Vec<String> = clocks.iter().map(u64::to_string).collect();
                format!(", then {} warm", each.join(", "))
            };
            let other_master = run.monitors.iter().any(|name| is_bus_master(name));
            each + match (settled, other_master) {
                (true, _) => "",
                (false, false) => "; not settled",
                (false, true) => "; each run meets other accesses of the other bus master",
            }
        };
    }
    words
}

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
            "ended after its last instruction, which was mispredicted; what follows would wait {}",
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
        StopReason::Reset => with("ended by a jump to the reset vector, where nothing is: the processor is reset"),
        StopReason::Strayed if jumps => with("stopped in memory without code"),
        StopReason::Strayed => with("stopped at the reset vector, where nothing is"),
        StopReason::Fault => match (&message, stop.code) {
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
