//! `p5inst events --demo`: a program that raises an event, and the counts, as text or as JSON.

use super::event_list::selector;
use super::json_text::write_json;
use super::{Column, Format, HEADING, Style, painted, paragraph, table};
use p5_chips::Selection;
use serde::Serialize;
use std::io::{self, Write};

/// A demonstration of an event: a program that raises it, and the counts.
#[derive(Clone, Debug)]
pub struct Demonstration {
    /// The full name of the chip.
    pub chip: &'static str,
    /// The event with its selector.
    pub selection: Selection,
    /// How often one stimulus raises the event.
    pub times: u32,
    /// The name of the memory preset that the program needs; empty if any will do.
    pub memory: &'static str,
    /// The name of the monitor that the program needs; empty if none.
    pub monitor: &'static str,
    /// The source of the program with the most stimuli.
    pub program: String,
    /// The counts, a row for each number of stimuli.
    pub rows: Vec<Stimulated>,
    /// The other events that the program with the most stimuli raised, with their counts.
    pub others: Vec<(&'static str, i64)>,
}

/// The counts of a program with a given number of stimuli.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Stimulated {
    /// The number of stimuli.
    pub stimuli: u32,
    /// The count that the program's macros measured.
    pub measured: Option<i64>,
    /// The count of the simulated machine.
    pub counted: i64,
    /// The clocks in which the event held, if both counters count the event.
    pub clocks: Option<i64>,
}

#[derive(Serialize)]
struct Listed<'a> {
    chip: &'a str,
    selector: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<u8>,
    name: &'a str,
    program: &'a str,
    times: u32,
    memory: Option<&'a str>,
    monitor: Option<&'a str>,
    rows: &'a [Stimulated],
    others: Vec<Other<'a>>,
}

#[derive(Serialize)]
struct Other<'a> {
    name: &'a str,
    count: i64,
}

const COMMENT: &str = "; ";

const COLUMNS: &[(&str, Column)] = &[
    ("stimuli", Column::Number),
    ("measured", Column::Number),
    ("counted", Column::Number),
    ("clocks", Column::Number),
];

/// Writes a demonstration: the program, and the counts with no stimulus and with increasing numbers of them.
///
/// JSON is an object with `chip`, `selector`, `counter` if only one counts it, `name`, `program`, `times` (how
/// often a stimulus raises the event), `memory` and `monitor` if it needs one, `rows`
/// and `others`.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_demonstration(
    shown: &Demonstration,
    format: Format,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let selection = shown.selection;
    if format == Format::Json {
        let others = shown.others.iter().map(|&(name, count)| Other { name, count });
        let listed = Listed {
            chip: shown.chip,
            selector: selection.selector,
            counter: selection.counter,
            name: selection.event.name(),
            program: &shown.program,
            times: shown.times,
            memory: (!shown.memory.is_empty()).then_some(shown.memory),
            monitor: (!shown.monitor.is_empty()).then_some(shown.monitor),
            rows: &shown.rows,
            others: others.collect(),
        };
        return write_json(&listed, out);
    }
    let title = format!(
        "{} {} on {}",
        selector(selection.selector, selection.counter),
        selection.event.name(),
        shown.chip
    );
    // Everything but the program is a comment, so that the output can be assembled.
    writeln!(out, "{}", painted(style, HEADING, &format!("{COMMENT}{title}")))?;
    let narrower = Style {
        width: style.width.saturating_sub(COMMENT.len()),
        ..*style
    };
    let mut told = Vec::new();
    paragraph(&narrower, selection.event.row().title, &mut told)?;
    comments(&told, out)?;
    writeln!(out, "\n{}", shown.program)?;
    told_of_counts(shown, &narrower, out)
}

fn told_of_counts(shown: &Demonstration, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Vec::new();
    counts(shown, style, &mut text)?;
    comments(&text, out)
}

fn comments(text: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let text = String::from_utf8_lossy(text);
    text.lines()
        .try_for_each(|line| writeln!(out, "{}", format!("{COMMENT}{line}").trim_end()))
}

fn counts(shown: &Demonstration, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let cell = |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let rows = shown.rows.iter().map(|row| {
        vec![
            row.stimuli.to_string(),
            cell(row.measured),
            row.counted.to_string(),
            cell(row.clocks),
        ]
    });
    table(style, COLUMNS, &rows.collect::<Vec<_>>(), out)?;
    let mut told = String::from(
        "measured: by the macros, whose results these are; counted and clocks: by the simulator, how often and how long",
    );
    if shown.times > 1 {
        told.push_str(&format!("; a stimulus raises the event {} times", shown.times));
    }
    let needed = [("--memory", shown.memory), ("--monitor", shown.monitor)];
    for (option, value) in needed.iter().filter(|(_, value)| !value.is_empty()) {
        told.push_str(&format!("; run with {option} {value}"));
    }
    paragraph(style, &told, out)?;
    let others: Vec<String> = shown
        .others
        .iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    if !others.is_empty() {
        let told = format!("Other events in the last row: {}", others.join(", "));
        paragraph(style, &told, out)?;
    }
    Ok(())
}
