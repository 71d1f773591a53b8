//! Reports: text, JSON and the formats of other tools, written from one closed [`Run`] without access to the machine.
//!
//! `summary`, `lines`, `diagram`, `bound`, `budgets`, `compare`, `what_if`, `sure` and `advice` compute every derived
//! figure and `wording` every sentence about a stop or note, so no two formats can disagree. An unknown figure is shown
//! as unknown (`-` with a footnote, `null`), never as 0. Text describes the user's own code; it includes the clocks of
//! the bundled library only on request.

mod advice;
mod annotate;
mod budgets;
mod bundled;
mod callees;
mod compare;
mod demonstration;
mod diagram;
mod document;
mod ending;
mod entered;
mod event_list;
mod events;
mod explain;
mod floating_point;
mod footnotes;
mod formats;
mod fragment;
mod functions;
mod header;
pub mod host;
pub mod instruments;
mod json;
mod json_text;
mod lines;
mod loop_table;
mod monitors;
mod named;
mod ordered;
mod output;
mod page;
mod phrases;
mod plot;
mod reasons;
mod refused;
mod regions;
pub mod samples;
mod schemas;
mod setting;
mod slots;
mod stack;
mod state;
mod summary;
mod sure;
pub mod sweep;
mod symbols;
mod times;
mod timings;
mod unlined;
mod unmapped;
pub mod what_if;
pub mod wording;

#[cfg(test)]
mod specimen;
#[cfg(test)]
mod tests;

pub use advice::{
    Advice, Alone, Changed, Elsewhere, InVain, LeftAlone, Refused, Slight, Suggestion, Unknown, Unread, WhyUnread,
    least_clocks, write_advice,
};
pub use budgets::{FailedBudget, add_budget_causes, budgets_need_causes, failed_budgets};
pub use callees::MOST_FOLLOWED;
pub use compare::{Comparison, SavedRun};
pub use demonstration::{Demonstration, Stimulated, write_demonstration};
pub use ending::stopped_words;
pub use event_list::{event_rows, numbered_events, write_event_list, written};
pub use explain::{
    Kind as TopicKind, Topic, explained, explained_on_any, topics, topics_of_any, topics_with_words, write_topic_list,
    write_topics,
};
pub use formats::{NotAssembled, RUN_FORMATS, RunFormat, SourceError, why_stopped};
pub use functions::{has_functions, has_hot_library};
pub use json_text::write_json;
pub use monitors::{misplaced, no_monitor};
pub use named::write_instruction;
pub use p5_words::printable;
pub use phrases::counted;
pub use printable::{escaped, folded};
pub use schemas::{SCHEMAS, Schema};
pub use sure::{answered, compared};
pub use timings::{is_prefix, later_instruction, timing_rows, write_assumptions, write_timings, write_timings_csv};

use comfy_table::{
    CellAlignment, ColumnConstraint as Constraint, ContentArrangement, Table, Width as ColumnWidth, presets,
};
use p5_results::Run;
use std::io::{self, Write};

/// The reason why this build writes no Parquet, if it does not. The writer is a feature, because it needs 15 packages.
pub const NO_PARQUET: Option<&str> = if cfg!(feature = "parquet") {
    None
} else {
    Some("this p5inst was built without Parquet; build it with `--features parquet`")
};

/// The formats of any report; the report of a run has more, which [`RUN_FORMATS`] lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Tables and the annotated listing, for people.
    Text,
    /// One object, for programs; its schema is in [`SCHEMAS`].
    Json,
}

/// The layout of text and its amount of detail. JSON has traces with [`Detail::All`], and ignores the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to write colour escapes. Colour never carries information of its own.
    pub color: bool,
    /// The width in columns, sensibly 40 to 200. Long source lines are cut to fit, numbers never are.
    pub width: usize,
    /// The amount of detail.
    pub detail: Detail,
}

impl Style {
    /// Text without colour.
    pub const fn plain(width: usize, detail: Detail) -> Style {
        Style {
            color: false,
            width,
            detail,
        }
    }
}

/// The amount of detail in a text report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// Regions with their slot diagrams, and the changes of registers and data.
    Short,
    /// Also every figure of the regions, the hottest lines, the clocks by cause, and the events that occurred.
    Long,
    /// All lines and events, including those of the bundled library.
    All,
}

/// Writes the report of `run` to `out` in one of the common formats.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write(format: Format, run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => write_json(&json::Report::of(run, style.detail == Detail::All), out),
        Format::Text => {
            header::write(run, style, out)?;
            regions::write(run, style, out)?;
            // What a screen cannot hold begins with where the clocks are.
            let long = slots::leaves_out(run) || slots::cuts_off(run, style);
            if long && run.regions.is_empty() {
                functions::write(run, style, out)?;
            }
            // Who compiles a program looks for lines, and the diagram is of the compiler's instructions.
            let lines_first = long && slots::is_compiled(run, style);
            if lines_first {
                annotate::write(run, style, out)?;
            }
            let shown = slots::write_all(run, style, out)?;
            if !lines_first && (style.detail > Detail::Short || !shown) {
                annotate::write(run, style, out)?;
            }
            if style.detail > Detail::Short {
                stack::write(run, style, out)?;
                events::write(run, style, out)?;
            }
            state::write(run, style, out)?;
            budgets::write(run, style, out)?;
            notes(run, style, out)
        }
    }
}

/// The width in columns below which tables use shorter words.
const NARROW: usize = 100;

const HEADING: anstyle::Style = anstyle::Style::new().bold();
const STALL: anstyle::Style = anstyle::AnsiColor::Yellow.on_default();
const FAILURE: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();

/// `text` in `paint` if colour is enabled.
fn painted(style: &Style, paint: anstyle::Style, text: &str) -> String {
    if style.color && !text.is_empty() {
        format!("{paint}{text}{paint:#}")
    } else {
        text.to_owned()
    }
}

fn heading(style: &Style, text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    let mut lines = folded(text, style.width).into_iter();
    lines.try_for_each(|line| writeln!(out, "{}", painted(style, HEADING, &line)))
}

fn paragraph(style: &Style, text: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in folded(&printable::printable(text), style.width.saturating_sub(2)) {
        writeln!(out, "  {line}")?;
    }
    Ok(())
}

/// The layout of a table's column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    /// Right-aligned and never broken.
    Number,
    /// Left-aligned and never broken.
    Name,
    /// Left-aligned and folded to the width.
    Text,
}

/// Writes a table without rules; if it does not fit the width, each row becomes a paragraph with the headings. A
/// column's heading may have several lines.
fn table(style: &Style, columns: &[(&str, Column)], rows: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    let table = laid_out(style, columns, rows);
    if table.lines().all(|line| line.trim_end().chars().count() <= style.width) {
        return write_table(style, columns, &table, out);
    }
    paragraphs(style, columns, rows, out)
}

fn paragraphs(style: &Style, columns: &[(&str, Column)], rows: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    let named = columns.last().is_some_and(|(name, _)| !name.is_empty());
    rows.iter().try_for_each(|row| {
        let heading = |name: &str| name.replace("-\n", "").replace('\n', " ");
        // A row without a name continues the previous one; they differ in the last column, if that column has a
        // heading.
        let (first, cells) = match &row[..] {
            [name, cells @ .., last] if name.is_empty() && named => (Some(last), cells),
            cells => (None, cells),
        };
        let cells = columns.iter().skip(usize::from(first.is_some())).zip(cells);
        let told = cells.filter(|(_, cell)| !cell.is_empty());
        let told = told.map(|((name, _), cell)| format!("{} {cell}", heading(name)).trim_start().to_owned());
        let told = told.collect::<Vec<_>>().join(", ");
        match first {
            Some(first) if first.is_empty() => paragraph(style, &format!("and {told}"), out),
            Some(first) => paragraph(style, &format!("and {first}: {told}"), out),
            None => paragraph(style, &told, out),
        }
    })
}

/// The minimum width of a column of longer text.
const LEAST_TEXT: usize = 12;
const PADDING: usize = 2;

fn laid_out(style: &Style, columns: &[(&str, Column)], rows: &[Vec<String>]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(style.width).unwrap_or(u16::MAX));
    table.set_header(columns.iter().map(|(name, _)| *name));
    for row in rows {
        table.add_row(row);
    }
    for (index, (name, kind)) in columns.iter().enumerate() {
        let Some(column) = table.column_mut(index) else {
            continue;
        };
        if *kind == Column::Number {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if *kind == Column::Text {
            // In a narrower column, the folded text would be unreadable.
            let cells = rows.iter().filter_map(|row| row.get(index)).map(String::as_str);
            let longest = cells.chain([*name]).map(|cell| cell.chars().count()).max().unwrap_or(0);
            let least = longest.min(LEAST_TEXT) + PADDING;
            column.set_constraint(Constraint::LowerBoundary(ColumnWidth::Fixed(least as u16)));
        } else {
            column.set_constraint(Constraint::ContentWidth);
        }
    }
    table
}

fn write_table(style: &Style, columns: &[(&str, Column)], table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let head = columns.iter().map(|(name, _)| name.lines().count()).max();
    for (index, line) in table.lines().enumerate() {
        let line = line.trim_end();
        if index < head.unwrap_or(1) {
            writeln!(out, "{}", painted(style, HEADING, line))?;
        } else {
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn notes(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut notes = run
        .notes
        .iter()
        .filter(|note| (style.detail == Detail::All || !note.library()) && !output::says(run, note))
        .peekable();
    if notes.peek().is_none() {
        return Ok(());
    }
    heading(style, "Notes", out)?;
    if style.detail == Detail::Short {
        let notes = wording::brief_notes(&notes.collect::<Vec<_>>());
        return notes.iter().try_for_each(|note| paragraph(style, note, out));
    }
    notes.try_for_each(|note| paragraph(style, &wording::note(note), out))
}
