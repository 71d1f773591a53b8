//! A sweep as a page: one file that needs no network, with each figure as SVG and as a table. Light and dark follow the
//! reader's setting.
//!
//! Its size is bounded by [`LARGEST`] bytes: drawings and rows of the table are added as long as there is room, text is
//! cut, and the page says what it leaves out.

use super::layout::{Group, Layout, Scale, missing, remark, stopped};
use super::{Cell, Column, Sweep};
use crate::page::{LARGEST, page};
use crate::plot::{STYLE, SvgCurve};
use crate::printable::{cut, escaped};
use maud::{Markup, html};
use std::io::{self, Write};

/// The maximum size in bytes of all drawings with their headings, and of the table; the rest of the page fits the
/// remaining space.
const DRAWINGS: usize = LARGEST / 2;
const TABLE: usize = LARGEST / 4;
/// The maximum number of columns of the table.
const COLUMNS: usize = 200;
/// The maximum number of options that are listed, and the maximum length of a name or a value.
const AXES: usize = 200;
const LONGEST: usize = 120;
/// And of a sentence.
const LONGEST_SENTENCE: usize = 2_000;
/// The maximum number of rows of the table; the other formats have all rows.
const ROWS: usize = 2_000;
/// The maximum number of cells of a map that are drawn one by one; of more, the maximum stands for several.
const CELLS: usize = 8_000;

pub(super) fn write(sweep: &Sweep, figures: &[Column], out: &mut dyn Write) -> io::Result<()> {
    let layout = Layout::of(sweep);
    let mut space = SpaceLeft::of(DRAWINGS);
    let mut sections: Vec<Markup> = Vec::new();
    for figure in figures {
        if space.is_full {
            break;
        }
        sections.extend(section(sweep, &layout, figure, &mut space));
    }
    let left_out = figures.len() - sections.len();
    let body = html! {
        main {
            h1 { (text(&sweep.program)) ", " (sweep.rows.len()) " runs" }
            ul {
                @for axis in sweep.axes.iter().take(AXES) { li { (text(&axis.name)) ": " (values(&axis.values)) } }
                @if sweep.axes.len() > AXES { li { (sweep.axes.len() - AXES) " more options" } }
            }
            @for section in sections { (section) }
            @if left_out > 0 {
                p { (left_out) " more figures, for which the page has no room; " code { "--figure" } " chooses." }
            }
            (without(sweep))
            (table(sweep))
            footer { p { "Written by p5inst " (env!("CARGO_PKG_VERSION")) ". The page loads nothing." } }
        }
    };
    let page = page(&format!("{}: sweep", text(&sweep.program)), STYLE, None, &body);
    writeln!(out, "{}", page.into_string())
}

/// The space left for parts of the page, in bytes.
struct SpaceLeft {
    left: usize,
    /// Whether a part did not fit; no further part is tried then.
    is_full: bool,
}

impl SpaceLeft {
    fn of(bytes: usize) -> SpaceLeft {
        SpaceLeft {
            left: bytes,
            is_full: false,
        }
    }

    /// Returns the part if there is room for it.
    fn fit(&mut self, part: Markup) -> Option<Markup> {
        match self.left.checked_sub(part.0.len()).filter(|_| !self.is_full) {
            Some(left) => {
                self.left = left;
                Some(part)
            }
            None => {
                self.is_full = true;
                None
            }
        }
    }
}

/// Text of the program or its options, safe for display: no control or reordering characters, of bounded length.
fn text(untrusted: &str) -> String {
    cut(&escaped(untrusted), LONGEST)
}

/// A sentence of our own with parts of the program, made safe in the same way.
fn sentence(words: &str) -> String {
    cut(&escaped(words), LONGEST_SENTENCE)
}

fn values(values: &[String]) -> String {
    match values {
        [first, .., last] if values.len() > 8 => {
            format!("{} to {} ({} values)", text(first), text(last), values.len())
        }
        _ => values.iter().map(|value| text(value)).collect::<Vec<_>>().join(", "),
    }
}

/// A figure with its drawings; `None` if there is no room for its words.
fn section(sweep: &Sweep, layout: &Layout, figure: &Column, space: &mut SpaceLeft) -> Option<Markup> {
    let scale = Scale::of(sweep, figure);
    let remark = sentence(&remark(sweep, figure));
    let words = html! {
        h2 { (text(&figure.name)) }
        @if !remark.is_empty() { p { (remark) } }
        @if let Some(scale) = scale.filter(|scale| scale.least.0 == scale.most.0) {
            p { (figure.shown(scale.least.0)) " in every run that has it." }
        } @else if let Some(scale) = scale {
            p {
                "Least " (figure.shown(scale.least.0)) " at " (text(&sweep.named(scale.least.1)))
                "; most " (figure.shown(scale.most.0)) " at " (text(&sweep.named(scale.most.1))) "."
            }
        }
    };
    let words = space.fit(words)?;
    let groups = match scale.filter(|scale| scale.least.0 != scale.most.0) {
        Some(scale) => layout.groups(sweep).into_iter().map(|group| (scale, group)).collect(),
        None => Vec::new(),
    };
    let mut drawings = Vec::new();
    for (scale, group) in &groups {
        let drawing = html! {
            @if !group.title.is_empty() { h3 { (text(&group.title)) } }
            @match (layout.across, layout.down) {
                (Some(across), None) => (curve(sweep, figure, scale, across, group)),
                (Some(across), Some(down)) => (map(sweep, figure, scale, [across, down], group)),
                (None, _) => {}
            }
        };
        let Some(drawing) = space.fit(drawing) else { break };
        drawings.push(drawing);
    }
    let left_out = groups.len() - drawings.len();
    Some(html! {
        section {
            (words)
            @for drawing in drawings { (drawing) }
            @if left_out > 0 {
                p {
                    (left_out) " of " (groups.len()) " combinations of the other options are not drawn: the page has no "
                    "room; CSV, Parquet and JSON have all runs."
                }
            }
        }
    })
}

fn tip(sweep: &Sweep, figure: &Column, row: usize) -> String {
    let shown = match sweep.figure(row, figure) {
        Some(value) => figure.shown(value),
        None => sweep.rows.get(row).map_or_else(String::new, |row| match &row.message {
            Some(message) => message.clone(),
            None => "not counted".to_owned(),
        }),
    };
    let broken = match sweep.mark(&[row]) {
        "" => "",
        _ => "; a budget does not hold",
    };
    text(&format!("{shown} at {}{broken}", sweep.named(row)))
}

/// A curve with a dot for each run. At a run without a figure, the curve is interrupted and a letter stands below.
fn curve(sweep: &Sweep, figure: &Column, scale: &Scale, across: usize, group: &Group) -> Markup {
    let rows = group.grid.first().map_or(&[][..], |line| line);
    let axis = &sweep.axes[across];
    // Numbers are placed to scale, names at equal distances.
    let places: Vec<f64> = match axis.is_numeric() {
        true => axis.values.iter().map(|value| value.parse().unwrap_or(0.0)).collect(),
        false => (0..rows.len()).map(|place| place as f64).collect(),
    };
    let value = |at: usize| Some(scale.place(sweep.figure(rows[at], figure)?));
    let curve = SvgCurve {
        label: text(&format!("{} by {}", figure.name, axis.name)),
        across: text(&axis.name),
        least: figure.shown(scale.least.0),
        most: figure.shown(scale.most.0),
        joined: axis.is_numeric(),
        places,
        name: &|at| text(&axis.values[at]),
        series: vec![&value],
        tip: &|at| tip(sweep, figure, rows[at]),
        missing: &|at| missing(sweep, rows[at]),
    };
    curve.draw()
}

/// A heat map, with a letter for each run without a figure.
fn map(sweep: &Sweep, figure: &Column, scale: &Scale, [across, down]: [usize; 2], group: &Group) -> Markup {
    let (columns, lines) = (sweep.axes[across].values.len(), group.grid.len());
    let mut together = 1;
    while columns.div_ceil(together) * lines.div_ceil(together) > CELLS {
        together += 1;
    }
    let (wide, high) = (columns.div_ceil(together), lines.div_ceil(together));
    let cell = (640.0 / wide as f64).clamp(2.0, 44.0);
    let tall = cell.clamp(if high > 40 { 4.0 } else { 16.0 }, 24.0);
    let left = 110.0;
    let values = |axis: usize, at: usize| {
        let values = &sweep.axes[axis].values;
        values.get(at * together).map_or_else(String::new, |value| text(value))
    };
    let label = format!(
        "{} by {} and {}",
        figure.name, sweep.axes[across].name, sweep.axes[down].name
    );
    let (width, height) = (left + cell * wide as f64 + 20.0, tall * high as f64 + 46.0);
    let every = (16.0 / tall).ceil().max(1.0) as usize;
    html! {
        svg viewBox={ "0 0 " (format!("{width:.0}")) " " (format!("{height:.0}")) } width=(format!("{width:.0}")) role="img" aria-label=(text(&label)) {
            text x="0" y="12" { (text(&sweep.axes[down].name)) }
            text x=(left) y="12" {
                (text(&sweep.axes[across].name)) " " (values(across, 0)) " to "
                (text(sweep.axes[across].values.last().map_or("", |value| value)))
                @if together > 1 { "; each cell the greatest of " (together) " by " (together) }
            }
            @for line in 0..high {
                @if line % every == 0 {
                    text x=(left - 6.0) y=(format!("{:.1}", 20.0 + tall * (line as f64 + 0.5) + 4.0)) text-anchor="end" { (values(down, line)) }
                }
                @for column in 0..wide {
                    (square(sweep, figure, scale, &rows(group, [column, line], together), [
                        left + cell * column as f64, 20.0 + tall * line as f64, cell, tall,
                    ]))
                }
            }
            text x=(left) y=(format!("{:.0}", height - 8.0)) {
                "light " (figure.shown(scale.least.0)) ", strong " (figure.shown(scale.most.0))
            }
        }
    }
}

fn rows(group: &Group, [column, line]: [usize; 2], together: usize) -> Vec<usize> {
    let lines = group.grid.iter().skip(line * together).take(together);
    let rows = lines.flat_map(|line| line.iter().skip(column * together).take(together));
    rows.copied().collect()
}

fn square(sweep: &Sweep, figure: &Column, scale: &Scale, rows: &[usize], [x, y, w, h]: [f64; 4]) -> Markup {
    let without = rows.iter().find(|&&row| sweep.figure(row, figure).is_none());
    let greatest = rows.iter().copied().max_by(|&one, &other| {
        let value = |row| sweep.figure(row, figure).unwrap_or(f64::NEG_INFINITY);
        value(one).total_cmp(&value(other))
    });
    let short = |number: f64| format!("{number:.1}");
    html! {
        @match (without, greatest) {
            (Some(&row), _) => text x=(short(x + w / 2.0)) y=(short(y + h / 2.0 + 4.0)) text-anchor="middle" {
                (missing(sweep, row)) title { (tip(sweep, figure, row)) }
            },
            (None, Some(row)) => {
                @let share = sweep.figure(row, figure).map_or(0.0, |value| scale.place(value) * 100.0);
                rect x=(short(x)) y=(short(y)) width=(short(w - 0.5)) height=(short(h - 0.5))
                    fill={ "color-mix(in srgb,var(--high) " (format!("{share:.0}")) "%,var(--low))" } {
                    title { (tip(sweep, figure, row)) }
                }
            },
            (None, None) => {}
        }
    }
}

fn without(sweep: &Sweep) -> Markup {
    let stopped = stopped(sweep);
    html! {
        @if let Some(assumed) = sweep.assumed() {
            section {
                h2 { "Assumed" }
                p { (sentence(&assumed)) }
            }
        }
        @if let Some(open) = sweep.open() {
            section {
                h2 { "Open questions" }
                p { (sentence(&open)) }
            }
        }
        @if let Some(uncertain) = sweep.uncertain() {
            section {
                h2 { "In doubt" }
                p { (sentence(&uncertain)) }
            }
        }
        @if let Some(broken) = sweep.broken() {
            section {
                h2 { "Budgets that do not hold" }
                p { (sentence(&broken)) }
                p { "The rows of these runs are bold in the table." }
            }
        }
        @if !stopped.is_empty() {
            section {
                h2 { "Without figures" }
                ul {
                    @for (status, letter, count, first) in stopped {
                        li {
                            (letter) ", " (status) ": " (count) @if count == 1 { " run" } @else { " runs" } "; first "
                            (text(&sweep.named(first))) ": "
                            (text(sweep.rows[first].message.as_deref().unwrap_or(status)))
                        }
                    }
                }
            }
        }
    }
}

fn table(sweep: &Sweep) -> Markup {
    let columns = sweep.columns();
    let shown = &columns[..columns.len().min(COLUMNS)];
    let mut space = SpaceLeft::of(TABLE);
    let head = html! { tr { @for column in shown { th scope="col" { (text(&column.name)) } } } };
    let head = space.fit(head);
    let mut rows = Vec::new();
    for index in 0..sweep.rows.len().min(ROWS) {
        let row = html! {
            tr .broken[!sweep.mark(&[index]).is_empty()] {
                @for column in shown {
                    @match sweep.cell(index, column) {
                        Cell::Text(value) => td { (text(value)) },
                        Cell::Integer(figure) => td.number { (figure) },
                        Cell::Real(figure) => td.number { (figure) },
                        Cell::Missing => td { "-" },
                    }
                }
            }
        };
        let Some(row) = space.fit(row) else { break };
        rows.push(row);
    }
    html! {
        section {
            h2 { "Table" }
            @if sweep.rows.len() > rows.len() {
                p { "The first " (rows.len()) " of " (sweep.rows.len()) " runs; CSV, Parquet and JSON have all." }
            }
            @if columns.len() > shown.len() {
                p { "The first " (shown.len()) " of " (columns.len()) " columns; CSV, Parquet and JSON have all." }
            }
            div.scroll tabindex="0" {
                table {
                    thead { @if let Some(head) = head { (head) } }
                    tbody { @for row in rows { (row) } }
                }
            }
        }
    }
}
