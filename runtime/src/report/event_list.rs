//! `p5inst events`: the event list as a table or as JSON.

use super::{Column, Format, Style, table};
use crate::model::{Model, Selection};
use asm_macros::events::{Countable, Standing, Unit};
use serde::Serialize;
use std::io::{self, Write};

const COLUMNS: &[(&str, Column)] = &[
    ("event", Column::Number),
    ("name", Column::Name),
    ("unit", Column::Name),
    ("standing", Column::Name),
    ("title", Column::Text),
];

#[derive(Serialize)]
struct Listed {
    selector: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    counter: Option<u8>,
    name: &'static str,
    unit: &'static str,
    standing: &'static str,
    title: &'static str,
    host: Option<String>,
}

impl From<Selection> for Listed {
    fn from(selection: Selection) -> Self {
        let row = selection.event.row();
        Listed {
            selector: selection.selector,
            counter: selection.counter,
            name: row.event.name(),
            unit: match row.unit {
                Unit::Occurrence => "occurrence",
                Unit::Duration => "duration",
            },
            standing: match row.standing {
                Standing::Documented => "documented",
                Standing::Folklore => "folklore",
            },
            title: row.title,
            host: Countable::Event(row.event)
                .generic()
                .ok()
                .map(|generic| generic.to_string()),
        }
    }
}

/// Writes every event that a chip's two counters can count, in selector order: selector, name, unit, standing, title.
///
/// JSON is an array of objects with these five fields (the selector is a number) and a sixth, `host`: Linux's name for
/// the event that counts the same on today's machines, or null. The table has no room for it. If only one counter
/// counts the event under its selector, `counter` says which.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_event_list(model: &Model, format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let listed: Vec<Listed> = model.events.selections().map(Listed::from).collect();
    match format {
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, &listed)?;
            writeln!(out)
        }
        Format::Text => {
            let rows = listed
                .iter()
                .map(|event| {
                    vec![
                        selector(event.selector, event.counter),
                        event.name.to_owned(),
                        event.unit.to_owned(),
                        event.standing.to_owned(),
                        event.title.to_owned(),
                    ]
                })
                .collect();
            table(style, COLUMNS, rows, out)
        }
    }
}

/// A selector as tables show it, with the counter where one alone counts the event.
pub(super) fn selector(selector: u8, counter: Option<u8>) -> String {
    match counter {
        None => format!("{selector:02X}h"),
        Some(counter) => format!("{selector:02X}h on {counter}"),
    }
}
