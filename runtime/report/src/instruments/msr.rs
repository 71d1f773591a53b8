//! `p5inst msr dump`: the model specific registers as a program reads them, or before and after the run of a program.

use super::super::phrases::lines;
use super::super::{Column, Format, HEADING, PADDING, Style, json_text, painted, table, wording};
use super::registers::{MsrDump, MsrReading, title};
use super::{ending, head, json};
use p5_machine::instruments::Subject;
use std::io::{self, Write};

const COLUMNS: &[(&str, Column)] = &[
    ("register", Column::Number),
    ("EDX:EAX", Column::Name),
    ("", Column::Name),
    ("what it is", Column::Text),
];

const AROUND: &[(&str, Column)] = &[
    ("register", Column::Number),
    ("before", Column::Name),
    ("after", Column::Name),
    ("", Column::Name),
    ("what it is", Column::Text),
];

/// Writes the registers, as RDMSR reads them twice or before and after the run of a program, and marks differences.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_msr_dump(format: Format, dump: &MsrDump, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (clocks, seconds) = dump.time();
    if format == Format::Json {
        return json_text::write_json(&json::MsrReport::of(dump), out);
    }
    match &dump.around {
        Some(subject) => around(dump, subject, style, out)?,
        None => read_twice(dump, style, out)?,
    }
    if dump.rows.iter().any(|row| row.reading == MsrReading::Hangs) {
        lines("hangs: reading it hangs a real processor", style, out)?;
    }
    let Some(clocks) = clocks else {
        return lines(
            "the chip has no time stamp counter, so the time is not known",
            style,
            out,
        );
    };
    let words = match (seconds, dump.megahertz) {
        (Some(seconds), Some(megahertz)) => {
            format!("{seconds:.9} seconds since power-up: {clocks} clocks at {megahertz} MHz")
        }
        _ => format!("{clocks} clocks since power-up; `--mhz RATE` shows them in seconds"),
    };
    lines(&words, style, out)
}

fn around(dump: &MsrDump, subject: &Subject, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    head(subject, style, out)?;
    ending(subject, style, out)?;
    lines(
        "each register read when the program has been loaded and when it has ended",
        style,
        out,
    )?;
    writeln!(out)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &dump.rows {
        let [before, after, kind] = match row.reading {
            MsrReading::Values([first, second]) => {
                let kind = if first == second { "" } else { "changed" };
                [value(first), value(second), kind.to_owned()]
            }
            MsrReading::Exception(vector) => [
                wording::vector_name(u32::from(vector)),
                String::new(),
                "fault".to_owned(),
            ],
            MsrReading::Hangs => ["not read".to_owned(), String::new(), "hangs".to_owned()],
        };
        let title = title(row).unwrap_or_default();
        rows.push(vec![format!("{:02X}h", row.number), before, after, kind, title]);
    }
    fold_names(&mut rows, AROUND, style.width);
    table(style, AROUND, &rows, out)
}

/// Folds names in the last column at `_` if they are wider than the space that the other columns leave of `width`.
fn fold_names(rows: &mut [Vec<String>], columns: &[(&str, Column)], width: usize) {
    let Some(last) = columns.len().checked_sub(1) else {
        return;
    };
    let longest = |index: usize| {
        let cells = rows.iter().map(|row| row[index].as_str()).chain([columns[index].0]);
        cells.map(str::len).max().unwrap_or(0) + PADDING
    };
    let room = width.saturating_sub((0..last).map(longest).sum::<usize>() + PADDING);
    for row in rows {
        let mut folded = String::new();
        let mut rest = std::mem::take(&mut row[last]);
        while !rest.contains(' ') && rest.len() > room {
            let Some(at) = rest.get(..room).and_then(|part| part.rfind('_')) else {
                break;
            };
            folded.extend([&rest[..=at], "\n"]);
            rest.drain(..=at);
        }
        row[last] = folded + &rest;
    }
}

fn read_twice(dump: &MsrDump, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", painted(style, HEADING, dump.cpu_title))?;
    lines(
        "each register read twice by RDMSR at CPL 0, right after reset",
        style,
        out,
    )?;
    writeln!(out)?;
    let rows = dump.rows.iter().map(|row| {
        let (value, kind) = match row.reading {
            MsrReading::Values([first, second]) => (value(first), if first == second { "static" } else { "changing" }),
            MsrReading::Exception(vector) => (wording::vector_name(u32::from(vector)), "fault"),
            MsrReading::Hangs => ("not read".to_owned(), "hangs"),
        };
        let title = title(row).unwrap_or_else(|| "does not exist".to_owned());
        vec![format!("{:02X}h", row.number), value, kind.to_owned(), title]
    });
    table(style, COLUMNS, &rows.collect::<Vec<_>>(), out)
}

fn value(value: u64) -> String {
    format!("{:08X}:{:08X}h", value >> 32, value & 0xFFFF_FFFF)
}
