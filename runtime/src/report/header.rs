//! The head of a text report: what ran, on what, how it ended, and what it printed.

use super::{FAILURE, HEADING, Style, heading, painted, paragraph, printable, summary};
use crate::image::SourceFile;
use crate::run::{Run, Stop, StopReason};
use std::io::{self, Write};

/// The most bytes of the program's output that text shows; JSON has it all.
const OUTPUT_SHOWN: usize = 64 * 1024;
/// What is said of a run that was stopped.
pub(super) const CLOCK_LIMIT: &str = "stopped at the clock limit, everything below is counted up to there";

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let program = painted(style, HEADING, &printable::printable(&run.program));
    writeln!(
        out,
        "{program} on {}, CPL {}, memory {}",
        run.cpu_title, run.cpl, run.memory
    )?;
    writeln!(out, "{}", runs(run))?;
    let totals = &run.totals;
    writeln!(
        out,
        "{}: {}, {}, {} ({} in V){}",
        if run.runs.len() > 1 { "last run" } else { "in all" },
        counted(totals.cycles, "clock"),
        counted(totals.instructions, "instruction"),
        counted(totals.v, "pair"),
        summary::percent(totals.v, totals.instructions),
        match totals.clocks_per_instruction() {
            Some(clocks) => format!(", {clocks:.2} clocks an instruction"),
            None => String::new(),
        },
    )?;
    let ended = ended(&run.stop, &run.files, CLOCK_LIMIT);
    writeln!(
        out,
        "{}",
        if failed(&run.stop) {
            painted(style, FAILURE, &ended)
        } else {
            ended
        }
    )?;
    output(run, style, out)
}

/// Whether a run did not end by itself.
pub(super) fn failed(stop: &Stop) -> bool {
    matches!(
        stop.reason,
        StopReason::Fault | StopReason::Limit | StopReason::Unsupported
    )
}

/// `1 clock`, `2 clocks`.
pub(super) fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn runs(run: &Run) -> String {
    let Some((cold, warm)) = run.runs.split_first() else {
        return "no run was made".to_owned();
    };
    let mut words = format!(
        "{}: {} cold",
        counted(run.runs.len() as u64, "run"),
        counted(cold.cycles, "clock")
    );
    let cycles = || warm.iter().map(|run| run.cycles);
    if let (Some(least), Some(most)) = (cycles().min(), cycles().max()) {
        words += &if least == most {
            format!(", {least} warm")
        } else {
            format!(", {least} to {most} warm")
        };
    }
    words
}

/// How a run ended, with its place in `files`; `limit` are the words for a limit that was reached.
pub(super) fn ended(stop: &Stop, files: &[SourceFile], limit: &str) -> String {
    let message = stop.message.as_deref().map(printable::printable);
    let with = |words: &str| match &message {
        Some(message) => format!("{words}: {message}"),
        None => words.to_owned(),
    };
    let mut words = match stop.reason {
        StopReason::End => with("ended past its last instruction"),
        StopReason::Return => with("ended by returning from its entry"),
        StopReason::Exit => with(&match stop.code {
            Some(code) => format!("ended by exit with code {code}"),
            None => "ended by exit".to_owned(),
        }),
        StopReason::Halt => with("ended by HLT"),
        StopReason::Fault => match (&message, stop.code.map(vector)) {
            (Some(message), Some(name)) if !message.contains(name) => format!("stopped by fault {name}: {message}"),
            (Some(message), _) => format!("stopped by fault {message}"),
            (None, Some(name)) => format!("stopped by fault {name}"),
            (None, None) => "stopped by a fault".to_owned(),
        },
        StopReason::Limit => with(limit),
        StopReason::Unsupported => with("stopped, not simulated yet"),
    };
    if let Some((file, line)) = stop.place {
        words += &match files.get(file as usize) {
            Some(file) => format!(" ({}:{line})", printable::printable(&file.name)),
            None => format!(" (line {line})"),
        };
    }
    words
}

/// The mnemonic of an exception's vector.
fn vector(code: u32) -> &'static str {
    match code {
        0 => "#DE",
        1 => "#DB",
        3 => "#BP",
        4 => "#OF",
        5 => "#BR",
        6 => "#UD",
        7 => "#NM",
        8 => "#DF",
        10 => "#TS",
        11 => "#NP",
        12 => "#SS",
        13 => "#GP",
        14 => "#PF",
        16 => "#MF",
        17 => "#AC",
        _ => "of another vector",
    }
}

fn output(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if run.output.is_empty() {
        return Ok(());
    }
    heading(style, "The program's output", out)?;
    let shown = &run.output[..run.output.len().min(OUTPUT_SHOWN)];
    for line in printable::output(shown).trim_end_matches(['\r', '\n']).split('\n') {
        writeln!(out, "  | {}", printable::printable(line.trim_end_matches('\r')))?;
    }
    let left = run.output.len() - shown.len();
    if left > 0 {
        paragraph(style, &format!("and {left} bytes more; JSON has them all"), out)?;
    }
    Ok(())
}
