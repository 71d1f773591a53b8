//! `p5inst host cpi` as text: the clocks per instruction of the simulated and the native runs.

use super::super::footnotes::Footnotes;
use super::super::{Column, Format, Style, heading, paragraph, table};
use super::figures::uncounted;
use super::regions::{NOT_SIMULATED, remarks};
use super::{Worlds, figure, head, json, mean};
use crate::write_json;
use p5_host::native::Missing;
use p5_host::native::summary::{PerInstruction, per_instruction};
use p5_results::{Stop, StopReason};
use std::io::{self, Write};

const COLUMNS: &[(&str, Column)] = &[
    ("\n\nworld", Column::Name),
    ("\ninstruc-\ntions", Column::Number),
    ("\n\nticks", Column::Number),
    ("\ncore\nclocks", Column::Number),
    ("ticks\nper in-\nstruction", Column::Number),
    ("core clocks\nper in-\nstruction", Column::Number),
    ("\n\nnotes", Column::Name),
];

const BY_SIMULATION: &str = "instructions: counted by the simulation, which executed the same bytes";
const ESTIMATED: &str =
    "core clocks: estimated as the mean ticks times the core clocks per tick of the chain of additions";
const NOTHING_SIMULATED: &str = "the simulated run executed no instruction";
const ONE_CLOCK: &str = "the simulated chip's time stamp counter ticks once per core clock";

/// Writes a program's clocks per instruction, simulated and native. Both are assembled with empty macros, so both
/// execute the same instructions.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_cpi(format: Format, worlds: &Worlds, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let host = both(worlds);
    let summary = worlds.summary();
    if format == Format::Json {
        return write_json(&json::CpiReport::of(worlds, &summary, &host), out);
    }
    head(worlds, &summary, style, out)?;
    if worlds.none_completed() {
        return remarks(worlds, &summary, style, out);
    }
    heading(style, "Clocks per instruction", out)?;
    let mut notes = Footnotes::default();
    let mut rows = vec![simulated(worlds, &mut notes)];
    rows.push(native(worlds, &host, &mut notes));
    let mut counted = vec!["-".to_owned(); COLUMNS.len()];
    counted[0] = "events".to_owned();
    counted[COLUMNS.len() - 1] = format!("[{}]", notes.number(&uncounted(worlds)));
    rows.push(counted);
    table(style, COLUMNS, &rows, out)?;
    paragraph(
        style,
        "The measuring macros are empty here, so both worlds execute the same instructions. ticks: of the time stamp \
         counter, whose rate is independent of the core's. simulated: the last run; host: the mean of \
         uninterrupted runs, whose first eight or so clocks are hidden by the switch to 32-bit code",
        out,
    )?;
    notes.write(style, out)?;
    remarks(worlds, &summary, style, out)
}

/// The native figures, or the reason why there are none.
pub(super) fn both(worlds: &Worlds) -> Result<PerInstruction, Missing> {
    let native = worlds.native.map_err(Clone::clone)?;
    let simulated = &worlds.run.stop;
    let same = |one: &Stop, other: &Stop| one.reason == other.reason && one.code == other.code;
    let instructions = if same(simulated, &native.stop) && simulated.reason != StopReason::Limit {
        Ok(worlds.run.whole.totals.instructions)
    } else {
        Err(Missing::EndsDiffer {
            simulated: simulated.reason,
            native: native.stop.reason,
        })
    };
    Ok(per_instruction(native, instructions))
}

fn simulated(worlds: &Worlds, notes: &mut Footnotes) -> Vec<String> {
    let totals = &worlds.run.whole.totals;
    let mut row = vec!["-".to_owned(); COLUMNS.len()];
    row[0] = "simulated".to_owned();
    let mut refers = Vec::new();
    if worlds.simulated_completed() {
        let ratio = totals.clocks_per_instruction();
        let shown = ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"));
        row[1] = totals.instructions.to_string();
        row[2] = totals.cycles.to_string();
        row[3] = totals.cycles.to_string();
        row[4].clone_from(&shown);
        row[5] = shown;
        refers.push(ONE_CLOCK);
        refers.extend(ratio.is_none().then_some(NOTHING_SIMULATED));
    } else {
        refers.push(NOT_SIMULATED);
    }
    let refers: Vec<String> = refers.iter().map(|why| format!("[{}]", notes.number(why))).collect();
    row[COLUMNS.len() - 1] = refers.join(" ");
    row
}

fn native(worlds: &Worlds, host: &Result<PerInstruction, Missing>, notes: &mut Footnotes) -> Vec<String> {
    let missing = |why: &Missing, notes: &mut Footnotes| {
        let mut row = vec!["-".to_owned(); COLUMNS.len()];
        row[0] = "host".to_owned();
        row[COLUMNS.len() - 1] = format!("[{}]", notes.number(&worlds.words(why)));
        row
    };
    let host = match host {
        Ok(host) => host,
        Err(why) => return missing(why, notes),
    };
    let timing = match &host.whole {
        Ok(timing) => timing,
        Err(why) => return missing(why, notes),
    };
    let mut numbers = vec![notes.number(BY_SIMULATION), notes.number(ESTIMATED)];
    let cell =
        |value: &Result<f64, Missing>, shown: fn(f64) -> String, notes: &mut Footnotes, numbers: &mut Vec<usize>| {
            match value {
                Ok(value) => shown(*value),
                Err(why) => {
                    let number = notes.number(&worlds.words(why));
                    if !numbers.contains(&number) {
                        numbers.push(number);
                    }
                    "-".to_owned()
                }
            }
        };
    let ratio = |value: f64| format!("{value:.3}");
    let core_clocks = cell(&host.core_clocks, figure, notes, &mut numbers);
    let nominal = cell(&host.ticks, ratio, notes, &mut numbers);
    let non_halted = cell(&host.clocks, ratio, notes, &mut numbers);
    let counted = host
        .instructions
        .as_ref()
        .map_or_else(|_| "-".to_owned(), u64::to_string);
    let refers: Vec<String> = numbers.iter().map(|number| format!("[{number}]")).collect();
    vec![
        "host".to_owned(),
        counted,
        mean(timing),
        core_clocks,
        nominal,
        non_halted,
        refers.join(" "),
    ]
}
