//! A sweep as text: a curve along one option, a map of two, or a map for each combination of the others. Characters
//! convey everything; colour adds nothing.

use super::layout::{Group, Layout, Scale, missing, remark, stopped};
use super::{BROKEN, Column, Sweep};
use crate::plot::{LABEL, TextCurve, TextLine, TextMark};
use crate::printable::{cut, printable};
use crate::{HEADING, Style, heading, painted, paragraph};
use std::io::{self, Write};

/// The maximum number of lines of a curve, and of a map; with more values, several share a line.
const LINES: usize = 64;
const DRAWINGS: usize = 64;

pub(super) fn write(sweep: &Sweep, figures: &[Column], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let runs = match sweep.rows.len() {
        1 => "1 run".to_owned(),
        count => format!("{count} runs"),
    };
    writeln!(
        out,
        "{}",
        painted(style, HEADING, &format!("{}, {runs}", printable(&sweep.program)))
    )?;
    let fixed = sweep.axes.iter().filter(|axis| axis.values.len() == 1);
    let fixed = fixed.filter_map(|axis| Some(format!("{} {}", axis.name, axis.values.first()?)));
    paragraph(style, &fixed.collect::<Vec<_>>().join(", "), out)?;
    let layout = Layout::of(sweep);
    let mut room = DRAWINGS;
    let mut left_out = 0;
    for figure in figures {
        match room {
            0 => left_out += 1,
            _ => room = draw(sweep, &layout, figure, room, style, out)?,
        }
    }
    if left_out > 0 {
        heading(style, "Left out", out)?;
        let words = format!("{left_out} more figures; `--figure` chooses, the other formats have all");
        paragraph(style, &words, out)?;
    }
    if let Some(assumed) = sweep.assumed() {
        heading(style, "Assumed", out)?;
        paragraph(style, &assumed, out)?;
    }
    if let Some(open) = sweep.open() {
        heading(style, "Open questions", out)?;
        paragraph(style, &open, out)?;
    }
    if let Some(uncertain) = sweep.uncertain() {
        heading(style, "In doubt", out)?;
        paragraph(style, &uncertain, out)?;
    }
    if let Some(broken) = sweep.broken() {
        heading(style, "Budgets that do not hold", out)?;
        paragraph(style, &broken, out)?;
        // A figure that all runs share is told once, and a digit of a map has no room.
        if sweep.rows.len() > 1 {
            paragraph(style, &format!("`{BROKEN}` behind a figure marks such a run"), out)?;
        }
    }
    let stopped = stopped(sweep);
    if stopped.is_empty() {
        return Ok(());
    }
    heading(style, "Without figures", out)?;
    for (status, letter, count, first) in stopped {
        let why = sweep.rows[first].message.as_deref().unwrap_or(status);
        let words = if sweep.rows.len() == 1 {
            format!("{letter}: {why}")
        } else {
            let runs = if count == 1 { "run" } else { "runs" };
            format!("{letter}: {count} {runs}; first {}: {why}", sweep.named(first))
        };
        paragraph(style, &words, out)?;
    }
    Ok(())
}

/// Draws a figure, in at most `room` drawings; returns the room that is left.
fn draw(
    sweep: &Sweep,
    layout: &Layout,
    figure: &Column,
    room: usize,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<usize> {
    heading(style, &cut(&printable(&figure.name), style.width), out)?;
    let remark = remark(sweep, figure);
    if !remark.is_empty() {
        paragraph(style, &remark, out)?;
    }
    let Some(scale) = Scale::of(sweep, figure) else {
        return Ok(room - 1);
    };
    let shown = |value: f64| figure.shown(value);
    let Some(across) = layout.across else {
        paragraph(style, &shown(scale.least.0), out)?;
        return Ok(room - 1);
    };
    if scale.least.0 == scale.most.0 {
        let words = format!("{} in every run that has it", shown(scale.least.0));
        paragraph(style, &words, out)?;
        return Ok(room - 1);
    }
    let of = |(value, row): (f64, usize)| format!("{} at {}", shown(value), sweep.named(row));
    let ends = format!("least {}; most {}", of(scale.least), of(scale.most));
    paragraph(style, &ends, out)?;
    let groups = layout.groups(sweep);
    for group in groups.iter().take(room) {
        if !group.title.is_empty() {
            writeln!(out)?;
            paragraph(style, &group.title, out)?;
        }
        let drawing = Drawing {
            sweep,
            figure,
            scale,
            across,
            style,
        };
        match layout.down {
            None => drawing.curve(group, out)?,
            Some(down) => drawing.map(group, down, out)?,
        }
    }
    let left_out = groups.len().saturating_sub(room);
    if left_out > 0 {
        writeln!(out)?;
        let words = format!("{left_out} more combinations of the other options are not drawn; CSV has all runs");
        paragraph(style, &words, out)?;
    }
    Ok(room.saturating_sub(groups.len()))
}

struct Drawing<'a> {
    sweep: &'a Sweep,
    figure: &'a Column,
    scale: Scale,
    across: usize,
    style: &'a Style,
}

impl Drawing<'_> {
    fn labels(&self, axis: usize, together: usize) -> Vec<String> {
        let values = self.sweep.axes[axis].values.chunks(together);
        let label = |values: &[String]| match values {
            [only] => cut(&printable(only), LABEL),
            [first, .., last] => cut(&format!("{}-{}", printable(first), printable(last)), 2 * LABEL),
            [] => String::new(),
        };
        values.map(label).collect()
    }

    /// Writes a line for each value: its figure as a number, and as a position between minimum and maximum.
    fn curve(&self, group: &Group, out: &mut dyn Write) -> io::Result<()> {
        let rows = group.grid.first().map_or(&[][..], |line| line);
        let together = rows.len().div_ceil(LINES).max(1);
        let labels = self.labels(self.across, together);
        let number = |low: f64, high: f64| {
            if low == high {
                self.figure.shown(low)
            } else {
                format!("{}-{}", self.figure.shown(low), self.figure.shown(high))
            }
        };
        let lines = rows.chunks(together).map(|rows| {
            let figures = rows.iter().filter_map(|&row| self.sweep.figure(row, self.figure));
            let ends = figures.fold(None, |ends: Option<(f64, f64)>, figure| match ends {
                Some((low, high)) => Some((low.min(figure), high.max(figure))),
                None => Some((figure, figure)),
            });
            let without = rows.iter().find(|&&row| self.sweep.figure(row, self.figure).is_none());
            let letter = without.map(|&row| missing(self.sweep, row));
            let mark = self.sweep.mark(rows);
            let text = match (ends, letter) {
                (Some((low, high)), None) => number(low, high) + mark,
                (Some((low, high)), Some(letter)) => format!("{}{mark} {letter}", number(low, high)),
                (None, letter) => letter.map(String::from).unwrap_or_default(),
            };
            (text, ends)
        });
        let line = |(label, (text, ends)): (String, (String, Option<(f64, f64)>))| TextLine {
            label,
            text,
            marks: ends.map_or_else(Vec::new, |(low, high)| {
                vec![TextMark {
                    from: self.scale.place(low),
                    to: self.scale.place(high),
                    sign: '*',
                }]
            }),
        };
        let curve = TextCurve {
            across: printable(&self.sweep.axes[self.across].name),
            heading: String::new(),
            least: self.figure.shown(self.scale.least.0),
            most: self.figure.shown(self.scale.most.0),
            lines: labels.into_iter().zip(lines).map(line).collect(),
        };
        curve.write(self.style, out)
    }

    /// Writes the figures with a line for each value of one option, if they fit.
    fn table(&self, [down, across]: [usize; 2], grid: &[Vec<usize>], out: &mut dyn Write) -> io::Result<bool> {
        let [labels, heads] = [down, across].map(|axis| self.labels(axis, 1));
        let name = |axis: usize| cut(&printable(&self.sweep.axes[axis].name), LABEL);
        let corner = format!("{} \\ {}", name(down), name(across));
        let cell = |row: usize| match self.sweep.figure(row, self.figure) {
            Some(figure) => self.figure.shown(figure) + self.sweep.mark(&[row]),
            None => missing(self.sweep, row).to_string(),
        };
        let longest = |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        let figures = grid.iter().flatten().map(|&row| cell(row).len());
        let wide = figures.chain([longest(&heads)]).max().unwrap_or(0);
        let first = longest(&labels).max(corner.chars().count());
        if labels.len() > LINES || 2 + first + heads.len() * (wide + 2) > self.style.width {
            return Ok(false);
        }
        let cells =
            |cells: &mut dyn Iterator<Item = String>| cells.map(|cell| format!("  {cell:>wide$}")).collect::<String>();
        writeln!(out, "  {corner:>first$}{}", cells(&mut heads.iter().cloned()))?;
        for (place, line) in labels.iter().zip(grid) {
            let line = cells(&mut line.iter().map(|&row| cell(row)));
            writeln!(out, "  {place:>first$}{line}")?;
        }
        Ok(true)
    }

    /// Writes a line for each value of `down`, or else of the other option: its figures if they fit, otherwise a digit
    /// for the place in the range.
    fn map(&self, group: &Group, down: usize, out: &mut dyn Write) -> io::Result<()> {
        let values = &self.sweep.axes[self.across].values;
        let turned = (0..values.len()).map(|at| group.grid.iter().filter_map(|line| line.get(at).copied()).collect());
        if self.table([down, self.across], &group.grid, out)?
            || self.table([self.across, down], &turned.collect::<Vec<_>>(), out)?
        {
            return Ok(());
        }
        let down_together = group.grid.len().div_ceil(LINES).max(1);
        let labels = self.labels(down, down_together);
        let name = |axis: usize| cut(&printable(&self.sweep.axes[axis].name), LABEL);
        let label = labels.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        let room = self.style.width.saturating_sub(label + 4).max(8);
        let together = self.sweep.axes[self.across].values.len().div_ceil(room).max(1);
        let ends = (values.first(), values.last());
        if let (Some(from), Some(to)) = ends {
            let several = match (together, down_together) {
                (1, 1) => String::new(),
                _ => format!("; the greatest of {} runs in a digit", together * down_together),
            };
            let words = format!(
                "{} down, {} {from} to {to} across; 0 the lowest tenth, 9 the highest{several}; `--format csv` has \
                 the figures",
                name(down),
                name(self.across)
            );
            paragraph(self.style, &words, out)?;
        }
        for (place, lines) in labels.iter().zip(group.grid.chunks(down_together)) {
            let digits = (0..values.len()).step_by(together).map(|from| {
                let rows = lines.iter().flat_map(|line| line.iter().skip(from).take(together));
                self.digit(rows.copied())
            });
            writeln!(out, "  {place:>label$}  {}", digits.collect::<String>())?;
        }
        Ok(())
    }

    /// The tenth of the scale in which the greatest of these figures lies; a letter if a row has no figure.
    fn digit(&self, rows: impl Iterator<Item = usize>) -> char {
        let mut greatest = 0.0_f64;
        for row in rows {
            match self.sweep.figure(row, self.figure) {
                Some(figure) => greatest = greatest.max(self.scale.place(figure)),
                None => return missing(self.sweep, row),
            }
        }
        char::from(b'0' + ((greatest * 10.0) as u8).min(9))
    }
}
