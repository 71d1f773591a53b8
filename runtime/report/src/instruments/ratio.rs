//! `p5inst ratio` as text: the mean clocks of an event.

use super::super::event_list::selector;
use super::super::footnotes::Footnotes;
use super::super::phrases::lines;
use super::super::{Column, Format, Style, json_text, paragraph, table};
use super::{ending, head, json, note, uncounted};
use p5_machine::instruments::{RATIO_EXECUTIONS, Ratio};
use std::io::{self, Write};

const COLUMNS: &[(&str, Column)] = &[
    ("execution", Column::Name),
    ("clocks", Column::Number),
    ("occurrences", Column::Number),
    ("clocks of\nthe event", Column::Number),
    ("mean clocks\nper event", Column::Number),
    ("", Column::Name),
];

/// Writes the mean length of an event of a program.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_ratio(format: Format, ratio: &Ratio, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return json_text::write_json(&json::RatioReport::of(ratio), out);
    }
    let selection = ratio.selection;
    head(&ratio.subject, style, out)?;
    ending(&ratio.subject, style, out)?;
    let setting = selector(selection.selector, selection.counter);
    let words = format!("{setting} {}: {}", selection.event.name(), selection.event.row().title);
    lines(&words, style, out)?;
    writeln!(out)?;
    let mut footnotes = Footnotes::default();
    let rows = ratio.rows.iter().enumerate().map(|(index, row)| {
        let warm = index > 0 || selection.counter.is_some();
        let number = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        let why = match row.counts {
            Err(why) => Some(uncounted(why)),
            Ok([0, _]) => Some("the event did not occur, so its length has no mean".to_owned()),
            Ok(_) => None,
        };
        vec![
            if warm { "warm" } else { "cold" }.to_owned(),
            number(row.clocks),
            number(row.counts.ok().map(|[occurrences, _]| occurrences)),
            number(row.counts.ok().map(|[_, clocks]| clocks)),
            row.mean().map_or_else(|| "-".to_owned(), |mean| format!("{mean:.3}")),
            why.map_or(String::new(), |why| format!("[{}]", footnotes.number(&why))),
        ]
    });
    table(style, COLUMNS, &rows.collect::<Vec<_>>(), out)?;
    footnotes.write(style, out)?;
    let how = match selection.counter {
        None => "counter 0 counts its occurrences and counter 1 the clocks in which it holds".to_owned(),
        Some(counter) => format!(
            "counter {counter} alone counts it: its occurrences in one execution, and the clocks in which it holds in \
             the next"
        ),
    };
    paragraph(style, &how, out)?;
    if selection.counter.is_none() && ratio.rows.len() > 1 {
        let which = format!("cold is the first of {RATIO_EXECUTIONS} executions of the program, warm the last one");
        paragraph(style, &which, out)?;
    }
    note(ratio).map_or(Ok(()), |note| paragraph(style, note, out))
}
