//! The head of a text report: the program, the chip, the totals, how the run ended, and the program's output.

use super::monitors::is_bus_master;
use super::setting::Setting;
use super::{Detail, FAILURE, Style, heading, painted, paragraph, printable, summary, sure, wording};
use p5_image::SourceFile;
use p5_results::{Run, Stop, StopReason};
use std::io::{self, Write};

/// The most bytes of the program's output that text shows; JSON has all of them.
const OUTPUT_SHOWN: usize = 64 * 1024;
/// The most warm runs whose clocks are named one by one.
const RUNS: usize = 8;
/// The words for a run that reached its clock limit.
pub(super) const CLOCK_LIMIT: &str = "stopped at the clock limit, `--limit`";
/// The words for a simulation whose time was over.
const TIMEOUT: &str = "stopped at the time limit, `--timeout`";

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    title(run, style, out)?;
    rest(run, style, out)
}

/// The program, the chip, and what is assumed of it.
pub(super) fn title(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    Setting::from(run).write(style, out)
}

/// The totals, how the run ended, and the program's output.
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
    probes(run, style, out)?;
    let stopped = stopped(&run.stop, &run.files, CLOCK_LIMIT, style);
    let ended = stopped.unwrap_or_else(|| ended(&run.stop, &run.files, CLOCK_LIMIT));
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
    output(run, style, out)
}

/// The monitors of a chip in words.
pub(super) fn attached(monitors: &[&str], core_ratio: Option<&str>) -> String {
    let words = format!("with {} attached", monitors.join(", "));
    match core_ratio {
        Some(ratio) => format!("{words}, {ratio} core clocks per reference clock"),
        None => words,
    }
}

/// Whether the run was stopped rather than ended by the program.
pub(super) fn failed(stop: &Stop) -> bool {
    !stop.reason.by_program()
}

/// How a stopped run ended, with its first word marked; nothing if the program ended it.
pub(super) fn stopped(stop: &Stop, files: &[SourceFile], limit: &str, style: &Style) -> Option<String> {
    let ended = failed(stop).then(|| ended(stop, files, limit))?;
    let rest = ended.strip_prefix("stopped").unwrap_or(&ended);
    Some(format!("{}{rest}", painted(style, FAILURE, "stopped")))
}

/// How the last run was stopped, with the place; nothing if the program ended it.
pub fn stopped_words(run: &Run) -> Option<String> {
    failed(&run.stop).then(|| ended(&run.stop, &run.files, CLOCK_LIMIT))
}

/// `1 clock`, `2 clocks`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// A sentence of the head, folded to the width.
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

/// What the bundled library spent, which the other figures leave out.
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

/// The bundled library's file name, if the program uses it.
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

/// How a run ended, with its place in `files`; `limit` is the wording for a run that reached its limit.
pub(super) fn ended(stop: &Stop, files: &[SourceFile], limit: &str) -> String {
    let message = wording::stop(stop);
    let with = |words: &str| match &message {
        Some(message) => format!("{words}: {message}"),
        None => words.to_owned(),
    };
    let mut words = match stop.reason {
        StopReason::End => with("ended after its last instruction"),
        StopReason::Return => with("ended by returning from its entry"),
        StopReason::Exit => with(&match stop.code {
            Some(code) => format!("ended by exit with code {code}"),
            None => "ended by exit".to_owned(),
        }),
        StopReason::Signal => with(&wording::raised_signal(stop.code.unwrap_or_default())),
        StopReason::Halt => with("ended by HLT"),
        StopReason::Reset => with("ended by a jump to the reset vector, where nothing is: the processor is reset"),
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
    }
    if stop.shutdown {
        words += "; the program's handlers could not be entered, and the processor shut down";
    }
    for raised in wording::raised(stop, files) {
        words += &format!("; while handling {raised}");
    }
    words
}

fn output(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if run.output.is_empty() {
        return Ok(());
    }
    heading(style, "Output", out)?;
    let (text, shown, _) = printable::output(&run.output, OUTPUT_SHOWN);
    for line in text.trim_end_matches(['\r', '\n']).split('\n') {
        writeln!(out, "  | {}", printable::printable(line.trim_end_matches('\r')))?;
    }
    let left = run.output.len() - shown;
    if left > 0 {
        paragraph(
            style,
            &format!("and {left} more bytes; the JSON report has all of them"),
            out,
        )?;
    }
    Ok(())
}
