//! `p5inst events`: the event list as a table or as JSON.

use super::json_text::write_json;
use super::{Column, Format, Style, paragraph, table};
use crate::document::document;
use asm_macros::events::{Countable, Event, Standing, Unit};
use p5_chips::{Model, Selection};
use serde::Serialize;
use std::io::{self, Write};

const COLUMNS: &[(&str, Column)] = &[
    ("event", Column::Number),
    ("name", Column::Name),
    ("counts", Column::Text),
];

/// The name of this unit in JSON.
const DURATION: &str = "duration";
const FOLKLORE: &str = "folklore";

/// Other names of events in lower case, by which a search also finds them.
const ALSO_CALLED: &[(Event, &str)] = &[
    (Event::DATA_TLB_MISS, "dtlb misses"),
    (Event::DATA_READ_MISS, "data cache misses"),
    (Event::DATA_WRITE_MISS, "data cache misses"),
    (Event::MISALIGNED_REFERENCES, "unaligned accesses"),
    (Event::CODE_TLB_MISS, "itlb misses"),
    (Event::CODE_CACHE_MISS, "instruction cache misses"),
    (Event::PIPELINE_FLUSHES, "branch mispredictions"),
    (Event::PIPELINE_FLUSHES, "branch misses"),
    (Event::PIPELINE_FLUSHES, "mispredicted branches"),
];

document! {
    /// An event that a counter can count.
    #[cfg_attr(test, schemars(rename = "Event"))]
    pub(crate) struct Listed {
        /// The number by which the control register selects it.
        selector: u8 = selection.selector,
        /// The only counter that counts it under this selector; absent if both do.
        #[serde(skip_serializing_if = "Option::is_none")]
        counter: Option<u8> = selection.counter,
        /// Its name; a source writes `EV_` before it.
        name: &'static str = row.event.name(),
        /// `occurrence`, or `duration` if it lasts and its clocks can be counted, too.
        unit: &'static str = match row.unit {
            Unit::Occurrence => "occurrence",
            Unit::Duration => DURATION,
        },
        /// `documented` by Intel, or `folklore`.
        standing: &'static str = match row.standing {
            Standing::Documented => "documented",
            Standing::Folklore => FOLKLORE,
        },
        /// What is counted.
        title: &'static str = row.title,
        /// Linux's name of the event that counts the same on today's machines; null if there is none.
        host: Option<String> = Countable::Event(row.event).generic().ok().map(|generic| generic.to_string()),
    }
    from (selection: Selection) {
        let row = selection.event.row();
    }
}

/// The events that `p5inst events` lists, in the order of their selectors.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "p5inst events"))]
#[serde(transparent)]
pub(crate) struct EventList(Vec<Listed>);

/// The events that a chip's two counters can count, in selector order: all, or those that match `wanted` by their
/// selector, name, title or another name.
///
/// Case is ignored, and so is a leading `EV_`. A blank matches `_`. After a colon or `on`, `wanted` may give the
/// counter that has to count the event.
pub fn event_rows(model: &Model, wanted: Option<&str>) -> Vec<Selection> {
    let all = model.events.selections();
    let Some(wanted) = wanted else {
        return all.collect();
    };
    let wanted = wanted.trim().to_ascii_lowercase();
    let (wanted, counter) = by_counter(&wanted);
    let all = all.filter(|selection| counts_it(selection, counter));
    let number = number(wanted).filter(|_| wanted.starts_with(|first: char| first.is_ascii_digit()));
    let wanted = wanted.strip_prefix("ev_").unwrap_or(wanted);
    let name = wanted.replace(' ', "_");
    let words = wanted.replace('_', " ");
    all.filter(|selection| {
        let row = selection.event.row();
        number == Some(selection.selector)
            || row.event.name().to_ascii_lowercase().contains(&name)
            || row.title.to_ascii_lowercase().contains(wanted)
            || (ALSO_CALLED.iter()).any(|&(event, called)| event == row.event && called.contains(&words))
    })
    .collect()
}

/// The events with the selector `wanted`: one or two hexadecimal digits, with `h` or `0x` or neither. If the counters
/// have different events under this number, there are two, unless a colon or `on` gives the counter.
pub fn numbered_events(model: &Model, wanted: &str) -> Vec<Selection> {
    let wanted = wanted.trim().to_ascii_lowercase();
    let (wanted, counter) = by_counter(&wanted);
    let number = number(wanted);
    let all = model.events.selections();
    all.filter(|selection| number == Some(selection.selector) && counts_it(selection, counter))
        .collect()
}

/// The part before a counter number (`:0` or `on 0`), and that number if it is given.
fn by_counter(wanted: &str) -> (&str, Option<u8>) {
    let digit = wanted.strip_suffix(['0', '1']).map(str::trim_end);
    let before = digit.and_then(|before| before.strip_suffix(':').or_else(|| before.strip_suffix(" on")));
    match before {
        Some(before) => (before.trim_end(), Some(u8::from(wanted.ends_with('1')))),
        None => (wanted, None),
    }
}

/// Whether `counter`, if given, counts the event.
fn counts_it(selection: &Selection, counter: Option<u8>) -> bool {
    counter.is_none() || selection.counter.is_none() || selection.counter == counter
}

/// A selector as the command line accepts it, with the counter if only one counts the event.
pub fn written(selection: &Selection) -> String {
    let Selection { selector, counter, .. } = selection;
    match counter {
        None => format!("{selector:02X}h"),
        Some(counter) => format!("{selector:02X}h:{counter}"),
    }
}

/// The value of lower-case hexadecimal digits.
fn number(wanted: &str) -> Option<u8> {
    let digits = wanted
        .strip_prefix("0x")
        .unwrap_or(wanted.strip_suffix('h').unwrap_or(wanted));
    // The conversion would accept a sign, which is not a digit.
    let digits = Some(digits).filter(|digits| digits.starts_with(|first: char| first.is_ascii_hexdigit()))?;
    u8::from_str_radix(digits, 16).ok()
}

/// Writes events: selector, name, and what is counted.
///
/// JSON is an array that follows the schema `events` of [`crate::SCHEMAS`].
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_event_list(events: &[Selection], format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let listed: Vec<Listed> = events.iter().copied().map(Listed::of).collect();
    match format {
        Format::Json => write_json(&EventList(listed), out),
        Format::Text => {
            let rows: Vec<Vec<String>> = listed
                .iter()
                .map(|event| {
                    vec![
                        selector(event.selector, event.counter),
                        event.name.to_owned(),
                        counts(event),
                    ]
                })
                .collect();
            table(style, COLUMNS, &rows, out)?;
            let mut legend = Vec::new();
            if let Some(first) = listed.first() {
                let words = format!(
                    "In a source, EV_ stands before the name: StartProfile EV_{}, or + COUNT_CYCLES for its clocks.",
                    first.name
                );
                paragraph(style, &words, out)?;
            }
            if listed.iter().any(|event| event.unit == DURATION) {
                legend.push(
                    "clocks: it lasts; a source counts how often it begins, with COUNT_CYCLES its clocks, \
                     which `stat` and `sweep` count",
                );
            }
            if listed.iter().any(|event| event.standing == FOLKLORE) {
                legend.push("folklore: not documented by Intel");
            }
            paragraph(style, &legend.join("; "), out)
        }
    }
}

/// The description of an event in its cell of the table.
fn counts(event: &Listed) -> String {
    let marks = [
        (event.unit == DURATION, "clocks"),
        (event.standing == FOLKLORE, "folklore"),
    ];
    let marks: Vec<&str> = marks
        .into_iter()
        .filter_map(|(set, mark)| set.then_some(mark))
        .collect();
    if marks.is_empty() {
        event.title.to_owned()
    } else {
        format!("{} ({})", event.title, marks.join(", "))
    }
}

/// A selector as tables show it, with the counter if only one counts the event.
pub(super) fn selector(selector: u8, counter: Option<u8>) -> String {
    match counter {
        None => format!("{selector:02X}h"),
        Some(counter) => format!("{selector:02X}h on {counter}"),
    }
}
