//! `p5inst stat` as text: a line for each event.

mod compare;

use super::super::event_list::selector;
use super::super::footnotes::Footnotes;
use super::super::formats::{csv_cell, csv_record};
use super::super::phrases::{counted, lines};
use super::super::{Column, Format, Style, json_text, summary, table};
use super::figures::{Figures, Scale};
use super::{difference, ending, head, json, title, uncounted};
use p5_machine::instruments::{Line, Stat, Uncounted};
use std::io::{self, Write};

/// Writes the counts of P5Stat for a program, or for two programs side by side.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_stat(
    format: Format,
    stat: &Stat,
    other: Option<&Stat>,
    scale: Scale,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    match (format, other) {
        (Format::Json, _) => json_text::write_json(&json::StatReport::of(stat, other, scale), out),
        (Format::Text, Some(other)) => compare::write([stat, other], scale, style, out),
        (Format::Text, None) => write(stat, scale, style, out),
    }
}

/// The columns of the counts as comma-separated values.
const CSV: [&str; 7] = ["program", "event", "counter", "count", "at_once", "name", "reason"];

/// Writes the counts of P5Stat as comma-separated values: a row for each event of each program. A missing count is an
/// empty cell, whose reason is in the last one.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_stat_csv(stat: &Stat, other: Option<&Stat>, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    csv_record(&mut table, CSV.map(str::to_owned))?;
    for stat in std::iter::once(stat).chain(other) {
        for line in &stat.lines {
            let number = |count: Option<u64>| count.map_or_else(String::new, |count| count.to_string());
            let counter = line.selection.counter.map(u64::from);
            let cells = [
                csv_cell(&stat.subject.program),
                format!("{:02X}h", line.selection.selector),
                number(counter),
                number(line.count.ok()),
                number(line.at_once),
                csv_cell(&title(line.selection)),
                csv_cell(&line.count.err().map(uncounted).unwrap_or_default()),
            ];
            csv_record(&mut table, cells)?;
        }
    }
    table.flush()
}

fn write(stat: &Stat, scale: Scale, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    head(&stat.subject, style, out)?;
    lines(&executions(stat), style, out)?;
    ending(&stat.subject, style, out)?;
    let figures = Figures::of(stat, scale);
    if let Some(clocks) = clocks(&figures) {
        lines(&clocks, style, out)?;
    }
    if let Some((instructions, in_v)) = figures.instructions.zip(figures.in_v) {
        let share = summary::percent(in_v, instructions);
        let words = format!("{}, {in_v} in V ({share})", counted(instructions, "instruction"));
        lines(&words, style, out)?;
    }
    for rate in rates(&figures, scale) {
        lines(&rate, style, out)?;
    }
    writeln!(out)?;
    if let Some(why) = nothing(stat) {
        return lines(&why, style, out);
    }
    let mut footnotes = Footnotes::default();
    let differs = stat.lines.iter().any(|line| line.difference.is_some());
    let mut columns = vec![("event", Column::Number), ("count", Column::Number)];
    if differs {
        columns.push(("at once", Column::Number));
    }
    columns.push(("counts", Column::Text));
    let rows = stat.lines.iter().map(|line| {
        let mut row = vec![
            selector(line.selection.selector, line.selection.counter),
            count(Some(line)),
        ];
        if differs {
            row.push(line.at_once.map_or_else(|| "-".to_owned(), |count| count.to_string()));
        }
        row.push(format!("{}{}", title(line.selection), remarks(line, &mut footnotes)));
        row
    });
    table(style, &columns, &rows.collect::<Vec<_>>(), out)?;
    footnotes.write(style, out)?;
    writeln!(out)?;
    lines(&agreement(stat), style, out)
}

/// The reason why no event at all was counted, if all possible events lack their counts for one reason.
fn nothing(stat: &Stat) -> Option<String> {
    if stat.lines.iter().any(|line| line.count.is_ok()) {
        return None;
    }
    let reasons = stat.lines.iter().filter_map(|line| line.count.err());
    let reasons = reasons.filter(|reason| !matches!(reason, Uncounted::Unavailable(_)));
    let mut words = reasons.map(uncounted);
    let first = words.next()?;
    words
        .all(|other| other == first)
        .then(|| format!("no event was counted; {first}"))
}

fn executions(stat: &Stat) -> String {
    let Some(counting) = stat.clocks.len().checked_sub(1) else {
        return "no execution was completed".to_owned();
    };
    let all = stat.lines.len() as u64;
    let known = stat.lines.iter().filter(|line| line.count.is_ok()).count() as u64;
    let part = match known == all {
        true => String::new(),
        false => format!("{known} of "),
    };
    format!(
        "{}: 1 warms the caches, {counting} count {part}{}, two at a time",
        counted(stat.clocks.len() as u64, "execution"),
        counted(all, "event")
    )
}

fn clocks(figures: &Figures) -> Option<String> {
    let cold = counted(figures.cold?, "clock");
    Some(match figures.warm {
        None => format!("{cold} cold"),
        Some([least, most]) if least == most => format!("{cold} cold, {most} warm"),
        Some([least, most]) => {
            let last = figures.clocks.unwrap_or(most);
            format!("{cold} cold, {least} to {most} warm, {last} at last")
        }
    })
}

fn rates(figures: &Figures, scale: Scale) -> Vec<String> {
    let mut rates = Vec::new();
    if let Some((rate, bytes)) = figures.clocks_per_byte.zip(scale.bytes) {
        rates.push(format!("{rate:.2} clocks per byte of {bytes}"));
    }
    if let Some((seconds, megahertz)) = figures.seconds.zip(scale.megahertz) {
        let rate = figures.megabytes_per_second;
        let rate = rate.map_or(String::new(), |rate| format!(", {rate:.1} MB/s"));
        rates.push(format!("{seconds:.9} seconds at {megahertz} MHz{rate}"));
    }
    rates
}

fn count(line: Option<&Line>) -> String {
    let count = line.and_then(|line| line.count.ok());
    count.map_or_else(|| "-".to_owned(), |count| count.to_string())
}

/// The references of a line to its footnotes, which are added.
fn remarks(line: &Line, footnotes: &mut Footnotes) -> String {
    let missing = line.count.err().map(uncounted);
    let differs = line.difference.map(|why| difference(why).to_owned());
    let numbers = missing.into_iter().chain(differs);
    numbers
        .map(|words| format!(" [{}]", footnotes.number(&words)))
        .collect()
}

/// Whether counting two events at a time agrees with counting all at once, in words.
fn agreement(stat: &Stat) -> String {
    let compared = stat.lines.iter().filter(|line| line.count.is_ok());
    let (compared, differ) = (
        compared.clone().count(),
        compared.filter(|line| line.difference.is_some()).count(),
    );
    match (compared, differ) {
        (0, _) => "nothing was counted".to_owned(),
        (_, 0) => "all events at once, in the last execution, give the same counts".to_owned(),
        _ => format!("{differ} of {compared} counts differ from those of all events at once, in the last execution"),
    }
}
