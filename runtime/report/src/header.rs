//! The beginning of a text report: the program, the chip, the totals, the end of the run, and the program's output.

use super::ending::{CLOCK_LIMIT, ended, stopped};
use super::monitors::is_bus_master;
// Reports take them from here as well.
pub(super) use super::phrases::{counted, lines};
use super::refused::{no_file, not_given, refused_calls};
use super::setting::Setting;
use super::{Detail, Style, entered, fragment, output, printable, summary, sure, times};
use p5_results::{Cause, Run, RunSummary, StopDetail, StopReason};
use std::cmp::Reverse;
use std::io::{self, Write};

/// The maximum number of warm runs whose clocks are listed one by one.
const RUNS: usize = 8;
/// The most causes by which two runs are told to differ.
const CAUSES: usize = 2;

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    title(run, style, out)?;
    rest(run, style, out)
}

/// Writes the program, the chip, and the assumptions.
pub(super) fn title(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    Setting::from(run).write(style, out)?;
    if let Some(entered) = entered::words(run) {
        lines(&entered, style, out)?;
    }
    match fragment::words(run.fragment.as_deref()) {
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
    if let Some(times) = times::words(run) {
        lines(&times, style, out)?;
    }
    sure::write_program(run, style, out)?;
    sure::write_cold(sure::cold(run), style, out)?;
    probes(run, style, out)?;
    let stopped = stopped(&run.stop, &run.files, CLOCK_LIMIT, style);
    let mut ended = stopped.unwrap_or_else(|| ended(&run.stop, &run.files, CLOCK_LIMIT));
    if let Some(calls) = refused_calls(&run.notes) {
        ended += &format!("; refused: {calls}");
    }
    for words in [no_file(&run.notes), not_given(&run.notes)].into_iter().flatten() {
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
        StopReason::Endless if run.stop.detail != Some(StopDetail::Unchanging) => {}
        StopReason::Limit | StopReason::Timeout | StopReason::Endless => {
            lines("the figures cover the time until then", style, out)?;
        }
        _ => {}
    }
    output::write(run, style, out)
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
            each + &match (settled, other_master) {
                (true, _) => String::new(),
                (false, false) => format!("; not settled{}", why_not_settled(&run.runs)),
                (false, true) => "; each run meets other accesses of the other bus master".to_owned(),
            }
        };
    }
    words
}

/// In what the last run differs from the one before, with a colon before it; empty if that is not known. If the program
/// does the same each time, the state of a predictor or of a cache goes on moving.
fn why_not_settled(runs: &[RunSummary]) -> String {
    let [.., before, last] = runs else {
        return String::new();
    };
    let number = runs.len();
    let more = |difference: i64| if difference > 0 { "more" } else { "fewer" };
    let executed = last.own.instructions as i64 - before.own.instructions as i64;
    if executed != 0 {
        let count = counted(executed.unsigned_abs(), "instruction");
        return format!(": run {number} executes {count} {}", more(executed));
    }
    let mut parts: Vec<(Cause, i64)> = (last.causes - before.causes).parts().collect();
    parts.sort_by_key(|&(_, clocks)| Reverse(clocks.abs()));
    let parts: Vec<String> = parts
        .into_iter()
        .take(CAUSES)
        .map(|(cause, clocks)| {
            let count = counted(clocks.unsigned_abs(), "clock");
            format!("{count} {} of {}", more(clocks), cause.name())
        })
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    // The states of two runs that follow each other in turn.
    let turns = match runs {
        [.., first, second, third, fourth] => first.own == third.own && second.own == fourth.own,
        _ => false,
    };
    let turns = if turns { "two states in turn, " } else { "" };
    format!(": {turns}run {number} has {}", parts.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_results::Totals;

    /// A run with these instructions and clocks of mispredictions and misses.
    fn run(instructions: u64, mispredicted: i64, missed: i64) -> RunSummary {
        let mut run = RunSummary::default();
        run.causes.add(Cause::Misprediction, mispredicted);
        run.causes.add(Cause::CodeMiss, missed);
        run.own = Totals {
            cycles: instructions + run.causes.total() as u64,
            instructions,
            ..Totals::default()
        };
        run
    }

    #[test]
    fn what_has_not_settled_is_told_by_what_moves() {
        let grows = [run(20, 0, 0), run(22, 4, 0), run(24, 3, 0)];
        assert_eq!(why_not_settled(&grows), ": run 3 executes 2 instructions more");
        let moves = [run(20, 9, 50), run(20, 5, 8), run(20, 6, 0)];
        assert_eq!(
            why_not_settled(&moves),
            ": run 3 has 8 clocks fewer of code miss and 1 clock more of misprediction"
        );
        let turns = [
            run(20, 9, 0),
            run(20, 4, 0),
            run(20, 3, 0),
            run(20, 4, 0),
            run(20, 3, 0),
        ];
        assert_eq!(
            why_not_settled(&turns),
            ": two states in turn, run 5 has 1 clock fewer of misprediction"
        );
        assert_eq!(why_not_settled(&turns[..1]), "");
    }
}
