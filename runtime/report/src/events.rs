//! The events that occurred, and those that did not or are not available.

use super::event_list::selector;
use super::header::library;
use super::{Column, Detail, Style, heading, paragraph, table};
use p5_results::{EventCount, Part, Run};
use std::io::{self, Write};

const COLUMNS: &[(&str, Column)] = &[
    ("event", Column::Number),
    ("occurrences", Column::Number),
    ("clocks", Column::Number),
    ("name", Column::Name),
];

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if run.whole.events.is_empty() {
        // The chip has no counters.
        return Ok(());
    }
    heading(style, "Events", out)?;
    part(&run.own, style, out)?;
    for (reason, names) in unavailable(run) {
        paragraph(style, &format!("Not available ({reason}): {}.", names.join(", ")), out)?;
    }
    if let (Some(probes), Some(name), Detail::All) = (&run.probes, library(run), style.detail) {
        heading(style, &format!("Events of {name}"), out)?;
        part(probes, style, out)?;
    }
    Ok(())
}

fn part(part: &Part, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let available = || part.events.iter().filter(|count| count.unavailable.is_none());
    let all = style.detail == Detail::All;
    let happened = |count: &&EventCount| all || count.occurrences > 0 || count.clocks > 0;
    let rows: Vec<Vec<String>> = available()
        .filter(happened)
        .map(|count| {
            vec![
                selector(count.selector, count.counter),
                count.occurrences.to_string(),
                count.clocks.to_string(),
                count.event.name().to_owned(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        table(style, COLUMNS, &rows, out)?;
    }
    let quiet = available().filter(|count| !happened(count)).count();
    if quiet > 0 {
        paragraph(style, &format!("{quiet} other events did not occur."), out)?;
    }
    Ok(())
}

/// The events that this machine does not raise, grouped by reason.
fn unavailable(run: &Run) -> Vec<(&'static str, Vec<&'static str>)> {
    let mut groups: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for count in &run.whole.events {
        let Some(reason) = count.unavailable else {
            continue;
        };
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(count.event.name()),
            None => groups.push((reason, vec![count.event.name()])),
        }
    }
    groups
}
