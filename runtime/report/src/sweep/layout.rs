//! The layout of a figure of a sweep: a curve along one option, or a map of two for each combination of the others.

use super::{Axis, Column, Source, Sweep};

/// The layout of the options that vary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The option along a curve, or along the columns of a map; `None` if no option varies.
    pub(super) across: Option<usize>,
    /// The option of the rows of a map.
    pub(super) down: Option<usize>,
    outer: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The values of the other options, in words.
    pub(super) title: String,
    /// The rows of the table by line and column; a curve has one line.
    pub(super) grid: Vec<Vec<usize>>,
}

impl Layout {
    /// Chooses the longest numeric option, or else the longest, for the columns; then the longest other for the rows.
    pub(super) fn of(sweep: &Sweep) -> Layout {
        let mut varying: Vec<usize> = (0..sweep.axes.len())
            .filter(|&axis| sweep.axes[axis].values.len() > 1)
            .collect();
        let across = longest(sweep, &varying);
        varying.retain(|&axis| Some(axis) != across);
        let down = longest(sweep, &varying);
        varying.retain(|&axis| Some(axis) != down);
        Layout {
            across,
            down,
            outer: varying,
        }
    }

    pub(super) fn groups(&self, sweep: &Sweep) -> Vec<Group> {
        let length = |axis: Option<usize>| axis.map_or(1, |axis| sweep.axes[axis].values.len());
        let step = |axis: Option<usize>| {
            let faster = axis.map_or(&[][..], |axis| &sweep.axes[axis + 1..]);
            faster.iter().map(|axis| axis.values.len()).product::<usize>()
        };
        let count: usize = self.outer.iter().map(|&axis| length(Some(axis))).product();
        let group = |number: usize| {
            let (mut rest, mut first) = (number, 0);
            let mut words = Vec::new();
            for &axis in self.outer.iter().rev() {
                let value = rest % length(Some(axis));
                rest /= length(Some(axis));
                first += value * step(Some(axis));
                let Axis { name, values } = &sweep.axes[axis];
                words.insert(0, format!("{name} {}", values[value]));
            }
            let line = |y: usize| {
                let cells = 0..length(self.across);
                cells
                    .map(|x| first + y * step(self.down) + x * step(self.across))
                    .collect()
            };
            Group {
                title: words.join(", "),
                grid: (0..length(self.down)).map(line).collect(),
            }
        };
        (0..count).map(group).collect()
    }
}

fn longest(sweep: &Sweep, among: &[usize]) -> Option<usize> {
    let weight = |axis: usize| (sweep.axes[axis].is_numeric(), sweep.axes[axis].values.len());
    among.iter().copied().rev().max_by_key(|&axis| weight(axis))
}

/// The minimum and maximum of a figure, each with the first row that has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    pub(super) least: (f64, usize),
    pub(super) most: (f64, usize),
}

impl Scale {
    /// The scale of a figure; `None` if no row has the figure.
    pub(super) fn of(sweep: &Sweep, column: &Column) -> Option<Scale> {
        let mut scale: Option<Scale> = None;
        for index in 0..sweep.rows.len() {
            let Some(figure) = sweep.figure(index, column) else {
                continue;
            };
            let this = (figure, index);
            let known = scale.get_or_insert(Scale {
                least: this,
                most: this,
            });
            if figure < known.least.0 {
                known.least = this;
            }
            if figure > known.most.0 {
                known.most = this;
            }
        }
        scale
    }

    /// The position of a figure on the scale, from 0 to 1.
    pub(super) fn place(&self, figure: f64) -> f64 {
        let range = self.most.0 - self.least.0;
        if range > 0.0 {
            ((figure - self.least.0) / range).clamp(0.0, 1.0)
        } else {
            0.0
        }
    }
}

/// The letter that replaces a row's missing figure.
pub(super) fn missing(sweep: &Sweep, index: usize) -> char {
    let status = sweep.rows.get(index).map_or("", |row| &row.status);
    let letter = LETTERS.iter().find(|(name, _)| *name == status);
    letter.map_or('-', |&(_, letter)| letter)
}

/// The letter for each status of a run without figures.
pub(super) const LETTERS: &[(&str, char)] = &[
    ("fault", 'F'),
    ("strayed", 'S'),
    ("limit", 'L'),
    ("timeout", 'T'),
    ("unsupported", 'U'),
    (super::row::NOT_ASSEMBLED, 'A'),
];

/// The statuses without figures: the letter of each, the number of its rows, and the first one.
pub(super) fn stopped(sweep: &Sweep) -> Vec<(&'static str, char, usize, usize)> {
    let of = |&(status, letter): &(&'static str, char)| {
        let mut rows = sweep.rows.iter().enumerate();
        let first = rows.find(|(_, row)| row.status == status)?.0;
        let count = 1 + rows.filter(|(_, row)| row.status == status).count();
        Some((status, letter, count, first))
    };
    LETTERS.iter().filter_map(of).collect()
}

/// What is said of a figure that has no drawing, or of which one has to know more; empty for others.
pub(super) fn remark(sweep: &Sweep, column: &Column) -> String {
    let of_warm = |which| Column {
        source: Source::RegionCycles(which),
        ..column.clone()
    };
    let once = "no run has a warm pass";
    match (column.source, sweep.only_cold(column)) {
        (Source::RegionCycles(_), Some(cold)) => {
            format!("No run has this figure: {once}; `{}` has cold ones.", cold.name)
        }
        (Source::RegionColdCycles(which), _) if sweep.only_cold(&of_warm(which)).is_some() => {
            format!("Cold clocks, as {once}.")
        }
        _ if Scale::of(sweep, column).is_none() => "No run has this figure.".to_owned(),
        _ => String::new(),
    }
}
