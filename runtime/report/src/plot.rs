//! Curves: as text with a line per point, and as SVG for pages, light or dark according to the reader's setting.

use super::Style;
use super::printable::cut;
use maud::{Markup, html};
use std::fmt::Write as _;
use std::io::{self, Write};

pub(super) const STYLE: &str = "
:root { color-scheme: light dark; --ink: #1b1b1b; --page: #fff; --line: #ccc; --curve: #0a58a8; --low: #dce9f7; --high: #08306b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --page: #16181c; --line: #444; --curve: #7db8f5; --low: #1c2b3d; --high: #c6e0ff; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
svg { max-width: 100%; height: auto; } svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
table { border-collapse: collapse; } .scroll { overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .15rem .6rem; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
tr.broken td { font-weight: bold; }
";

/// The maximum width of a value's name in text.
pub(super) const LABEL: usize = 16;
/// The maximum number of points of an SVG curve that have a dot each. Of more, several points share a line from their
/// minimum to their maximum.
pub(super) const DOTS: usize = 1_500;
/// The width and height of an SVG curve.
const SIZE: (f64, f64) = (720.0, 260.0);
/// The margins of an SVG curve, for its scales.
const MARGIN: (f64, f64) = (80.0, 30.0);

/// A curve as text. All of its strings are printable.
pub(super) struct TextCurve {
    /// The name of the quantity whose values are the labels.
    pub(super) across: String,
    /// The heading of the texts, if they need one.
    pub(super) heading: String,
    /// The two ends of the scale.
    pub(super) least: String,
    pub(super) most: String,
    /// The lines, one for each point.
    pub(super) lines: Vec<TextLine>,
}

pub(super) struct TextLine {
    pub(super) label: String,
    /// The figures of the point as numbers.
    pub(super) text: String,
    pub(super) marks: Vec<TextMark>,
}

/// A figure or a range of figures: positions on the scale, from 0 to 1, and the sign for its ends.
pub(super) struct TextMark {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) sign: char,
}

/// The sign of several figures at one position.
pub(super) const SEVERAL: char = '#';

impl TextCurve {
    /// Writes a line for each point: its figures as numbers, and as positions on the scale.
    pub(super) fn write(&self, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let across = cut(&self.across, LABEL);
        let labels = self.lines.iter().map(|line| line.label.chars().count());
        let label = labels.max().unwrap_or(0).max(across.chars().count());
        let texts = self.lines.iter().map(|line| line.text.len());
        let wide = texts.max().unwrap_or(0).max(self.heading.len());
        let room = style.width.saturating_sub(label + wide + 7).clamp(8, 60);
        let column = |place: f64| (place * (room - 1) as f64).round() as usize;
        let gap = room.saturating_sub(self.least.len() + self.most.len());
        let (heading, least, most) = (&self.heading, &self.least, &self.most);
        writeln!(
            out,
            "  {across:>label$}  {heading:>wide$}  {least}{}{most}",
            " ".repeat(gap)
        )?;
        for TextLine {
            label: place,
            text,
            marks,
        } in &self.lines
        {
            let mut plot: Vec<char> = Vec::new();
            for mark in marks {
                let (from, to) = (column(mark.from), column(mark.to));
                plot.resize(plot.len().max(to + 1), ' ');
                for (at, cell) in plot.iter_mut().enumerate().take(to + 1).skip(from) {
                    let sign = if at == from || at == to { mark.sign } else { '-' };
                    *cell = if *cell == ' ' { sign } else { SEVERAL };
                }
            }
            let plot: String = plot.into_iter().collect();
            let line = format!("  {place:>label$}  {text:>wide$}  {plot}");
            writeln!(out, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Curves over the same points as SVG. None of its strings has control or reordering characters.
pub(super) struct SvgCurve<'a> {
    /// The name of the figure.
    pub(super) label: String,
    /// The name of the quantity that varies along the curve.
    pub(super) across: String,
    /// The two ends of the scale.
    pub(super) least: String,
    pub(super) most: String,
    /// Whether lines join neighbouring points.
    pub(super) joined: bool,
    /// The horizontal position of each point, from 0 to 1.
    pub(super) places: Vec<f64>,
    /// The name of each point.
    pub(super) name: &'a dyn Fn(usize) -> String,
    /// The curves. The first one has the dots, the others are dashed.
    pub(super) series: Vec<Series<'a>>,
    /// The tooltip of each point.
    pub(super) tip: &'a dyn Fn(usize) -> String,
    /// The letter of each point without a figure.
    pub(super) missing: &'a dyn Fn(usize) -> char,
}

/// The figure of each point, as a position on the scale from 0 to 1.
pub(super) type Series<'a> = &'a dyn Fn(usize) -> Option<f64>;

impl SvgCurve<'_> {
    /// Draws a dot for each point. At a point without a figure, the curve is interrupted and a letter stands below.
    pub(super) fn draw(&self) -> Markup {
        let count = self.places.len();
        let (width, height) = (SIZE.0 - MARGIN.0 - 20.0, SIZE.1 - 2.0 * MARGIN.1);
        let from = self.places.iter().copied().fold(f64::INFINITY, f64::min);
        let to = self.places.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let x = |at: usize| MARGIN.0 + (self.places[at] - from) / (to - from).max(1e-9) * width;
        let y = |place: f64| MARGIN.1 + (1.0 - place) * height;
        let bottom = MARGIN.1 + height;
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&one, &other| self.places[one].total_cmp(&self.places[other]));
        let path = |value: Series<'_>| {
            let mut path = String::new();
            let mut joined = false;
            for several in order.chunks(count.div_ceil(DOTS).max(1)) {
                let values = || several.iter().filter_map(|&at| value(at));
                let low = values().fold(f64::INFINITY, f64::min);
                let high = values().fold(f64::NEG_INFINITY, f64::max);
                let Some(&at) = several.first().filter(|_| low <= high) else {
                    joined = false;
                    continue;
                };
                let command = if joined && self.joined { 'L' } else { 'M' };
                // Writing to a string cannot fail.
                let _ = write!(path, "{command}{:.1} {:.1}", x(at), y(low));
                if low < high {
                    let _ = write!(path, "V{:.1}", y(high));
                }
                joined = true;
            }
            path
        };
        let first = |at: usize| self.series.first().and_then(|value| value(at));
        html! {
            svg viewBox={ "0 0 " (SIZE.0) " " (SIZE.1) } width=(SIZE.0) role="img" aria-label=(self.label) {
                path d={ "M" (MARGIN.0) " " (MARGIN.1) "V" (bottom) "H" (MARGIN.0 + width) } fill="none" stroke="var(--line)" {}
                text x=(MARGIN.0 - 6.0) y=(MARGIN.1 + 4.0) text-anchor="end" { (self.most) }
                text x=(MARGIN.0 - 6.0) y=(bottom + 4.0) text-anchor="end" { (self.least) }
                @for (place, anchor) in [(order.first(), "start"), (order.last(), "end")] {
                    @if let Some(&at) = place {
                        text x=(x(at)) y=(bottom + 18.0) text-anchor=(anchor) { ((self.name)(at)) }
                    }
                }
                text x=(MARGIN.0 + width / 2.0) y=(bottom + 18.0) text-anchor="middle" { (self.across) }
                @for (number, value) in self.series.iter().enumerate() {
                    path d=(path(value)) fill="none" stroke="var(--curve)" stroke-width="1.5"
                        stroke-dasharray=[(number > 0).then_some("4 4")] {}
                }
                @for at in (0..count).filter(|_| count <= DOTS) {
                    @match first(at) {
                        Some(place) => circle cx={ (format!("{:.1}", x(at))) } cy={ (format!("{:.1}", y(place))) } r="2.5"
                            fill="var(--curve)" { title { ((self.tip)(at)) } },
                        None => text x={ (format!("{:.1}", x(at))) } y=(bottom - 4.0) text-anchor="middle" {
                            ((self.missing)(at)) title { ((self.tip)(at)) }
                        },
                    }
                }
            }
        }
    }
}
