//! `p5inst watch`: a line for each interval of an execution, as it ends.

use super::super::event_list::selector;
use super::super::header::lines;
use super::super::printable::{cut, printable};
use super::super::summary::percent;
use super::super::{Format, HEADING, Style, json_text, painted, paragraph};
use super::{ending, head, json, schema, title, uncounted};
use crate::instruments::{Interval, Subject, Watched};
use crate::model::Selection;
use serde::ser::{Serialize, SerializeSeq, Serializer};
use std::cell::{Cell, OnceCell};
use std::io::{self, Write};
use std::num::NonZeroU64;

/// What heads the column of lines.
const MOST_IN: &str = "most in line";
/// The columns before it.
const GAP: usize = 2;
/// Fewer columns, with those, are not worth a line.
const LEAST_PLACE: usize = GAP + MOST_IN.len();

/// What is watched.
#[derive(Clone, Copy, Debug)]
pub struct Watching<'a> {
    /// The program, before it runs.
    pub subject: &'a Subject,
    /// The event of each counter.
    pub selections: [Option<Selection>; 2],
    /// The least clocks of an interval.
    pub every: NonZeroU64,
}

/// Writes what the counters count in each interval while `run` runs the program and passes the intervals on.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe. The run is completed nevertheless.
pub fn write_watch(
    format: Format,
    watching: Watching<'_>,
    run: impl FnOnce(&mut dyn FnMut(&Interval)) -> Watched,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<Watched> {
    match format {
        Format::Json => write_json(watching, run, out),
        Format::Text => write(watching, run, style, out),
    }
}

fn write(
    watching: Watching<'_>,
    run: impl FnOnce(&mut dyn FnMut(&Interval)) -> Watched,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<Watched> {
    let Watching {
        subject, selections, ..
    } = watching;
    head(subject, style, out)?;
    for selection in selections.into_iter().flatten() {
        let setting = selector(selection.selector, selection.counter);
        let words = format!("{setting} {}: {}", selection.event.name(), title(selection));
        lines(&words, style, out)?;
    }
    let mut heading = format!("{:>14} {:>10}", "until", "clocks");
    for selection in selections.into_iter().flatten() {
        heading += &format!(" {:>12} {:>11}", format!("{:02X}h", selection.selector), "per 1000");
    }
    if style.width >= heading.chars().count() + LEAST_PLACE {
        heading += &format!("  {MOST_IN}");
    }
    writeln!(out, "{}", painted(style, HEADING, &heading))?;
    let mut written = Ok(());
    let mut intervals = 0_u64;
    let watched = run(&mut |interval| {
        intervals += 1;
        if written.is_ok() {
            // Whoever watches sees each line at once.
            written = writeln!(out, "{}", shown(interval, subject, selections, style)).and_then(|()| out.flush());
        }
    });
    written?;
    writeln!(out, "{}", row(selections, &watched.total, "total"))?;
    if let Err(why) = watched.total.counts {
        paragraph(style, &uncounted(why), out)?;
    }
    if intervals == 1 {
        let words = "one interval holds it all; `--every CLOCKS` makes them shorter";
        paragraph(style, words, out)?;
    }
    ending(&watched.subject, style, out)?;
    Ok(watched)
}

/// An interval as a line of the table, with the source line that most of its clocks were spent on if there is room.
fn shown(interval: &Interval, subject: &Subject, selections: [Option<Selection>; 2], style: &Style) -> String {
    let row = row(selections, interval, &interval.until.to_string());
    let room = style.width.saturating_sub(row.chars().count() + GAP);
    let Some(busiest) = interval.busiest.filter(|_| room + GAP >= LEAST_PLACE) else {
        return row;
    };
    let (place, clocks) = (busiest.place, busiest.clocks);
    let file = subject.files.get(place.0 as usize);
    let name = match file {
        Some(file) if place.0 > 0 => format!("{}:{}", file.name, place.1),
        _ => place.1.to_string(),
    };
    let text = file.and_then(|file| file.text.lines().nth((place.1 as usize).checked_sub(1)?));
    let words = text.map_or_else(String::new, |text| {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let share = percent(clocks, interval.clocks);
    format!(
        "{row}  {}",
        cut(printable(&format!("{name} {share} {words}")).trim_end(), room)
    )
}

/// A line of the table.
fn row(selections: [Option<Selection>; 2], interval: &Interval, name: &str) -> String {
    let mut row = format!("{name:>14} {:>10}", interval.clocks);
    for (counter, _) in selections
        .iter()
        .enumerate()
        .filter(|(_, selection)| selection.is_some())
    {
        let count = interval
            .counts
            .map_or_else(|_| "-".to_owned(), |counts| counts[counter].to_string());
        let rate = interval
            .rate(counter)
            .map_or_else(|| "-".to_owned(), |rate| format!("{rate:.1}"));
        row += &format!(" {count:>12} {rate:>11}");
    }
    row
}

fn write_json(
    watching: Watching<'_>,
    run: impl FnOnce(&mut dyn FnMut(&Interval)) -> Watched,
    out: &mut dyn Write,
) -> io::Result<Watched> {
    let live = Live {
        selections: watching.selections,
        subject: watching.subject,
        run: Cell::new(Some(run)),
        watched: OnceCell::new(),
    };
    let report = schema::WatchReport {
        schema_version: schema::SCHEMA_VERSION,
        events: json::watched_events(watching.selections),
        every: watching.every.get(),
        intervals: &live,
        end: End(&live),
    };
    json_text::write_json(&report, out)?;
    let watched = live.watched.into_inner();
    watched.ok_or_else(|| io::Error::other("the program was not run"))
}

/// The intervals as a sequence that is written while the program runs: there may be very many.
struct Live<'a, R> {
    subject: &'a Subject,
    selections: [Option<Selection>; 2],
    run: Cell<Option<R>>,
    watched: OnceCell<Watched>,
}

impl<R: FnOnce(&mut dyn FnMut(&Interval)) -> Watched> Serialize for Live<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        let mut written = Ok(());
        if let Some(run) = self.run.take() {
            let watched = run(&mut |interval| {
                if written.is_ok() {
                    written =
                        sequence.serialize_element(&json::interval(interval, self.selections, &self.subject.files));
                }
            });
            let _ = self.watched.set(watched);
        }
        written?;
        sequence.end()
    }
}

/// What is known behind the last interval.
struct End<'a, R>(&'a Live<'a, R>);

impl<R> Serialize for End<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let watched = self
            .0
            .watched
            .get()
            .map(|watched| json::watch_end(watched, self.0.selections));
        watched.serialize(serializer)
    }
}
