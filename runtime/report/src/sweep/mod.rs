//! The table of `p5inst sweep`: a row for each run of a matrix of options, in the order of the matrix.
//!
//! The columns are, in this order: the options, each with its name and values; the end of the run; the figures of the
//! user's program; those of each region; the events. If a run lacks a figure, because it was stopped or the chip does
//! not count the event, the figure is missing in every format: it is never 0.

mod csv;
mod html;
pub(crate) mod json;
mod layout;
#[cfg(feature = "parquet")]
mod parquet;
mod row;
mod text;

pub use row::{Row, unique};

use super::Style;
use crate::phrases::counted;
use asm_macros::events::Event;
use p5_chips::{ASSUMPTIONS, Assumption};
use p5_results::Totals;
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::io::{self, Write};

/// What marks the figure of a run that does not keep its budgets.
const BROKEN: &str = "!";

/// A sweep: the runs of a program under all combinations of options.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The file name of the program.
    pub program: String,
    /// The options; the first one varies slowest.
    pub axes: Vec<Axis>,
    /// The events with a column each.
    pub events: Vec<Event>,
    /// The names of the regions with columns.
    pub regions: Vec<String>,
    /// A row for each combination of values; the last option varies fastest.
    pub rows: Vec<Row>,
}

/// An option of the matrix with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The name of its column.
    pub name: String,
    /// The values as texts, at least one.
    pub values: Vec<String>,
}

/// The formats of the table of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepFormat {
    /// A curve or heat map, at most as wide as the terminal.
    Text,
    /// One object; its schema is in [`crate::SCHEMAS`].
    Json,
    /// Comma-separated values, with a line of headings on request.
    Csv {
        /// Whether the first line has the names of the columns.
        headings: bool,
    },
    /// Apache Parquet, with one row group.
    Parquet,
    /// An HTML page with the curve or heat map as SVG.
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Real,
}

/// A column: its name, and the source of its cells.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    name: String,
    kind: Kind,
    source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Axis(usize),
    Status,
    Message,
    Instructions,
    Cycles,
    ColdCycles,
    ClocksPerInstruction,
    Pairs,
    FailedBudgets,
    FailedBudget,
    RegionCycles(usize),
    RegionColdCycles(usize),
    RegionPasses(usize),
    Event(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell<'a> {
    Text(&'a str),
    Integer(i64),
    Real(f64),
    Missing,
}

impl Axis {
    /// Whether all values are whole numbers in plain digits.
    fn is_numeric(&self) -> bool {
        self.values.iter().all(|value| number(value).is_some())
    }
}

fn number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

impl Sweep {
    /// Orders the regions of each row like `regions`, so that they need not be searched for.
    #[must_use]
    pub fn aligned(mut self) -> Sweep {
        let places: HashMap<&str, usize> = self.regions.iter().map(String::as_str).zip(0..).collect();
        for row in &mut self.rows {
            row.align(&self.regions, &places);
        }
        self
    }

    /// Writes the table. Text and HTML draw the columns `figures`; if there are none, those of the regions or the
    /// program.
    ///
    /// # Errors
    /// Only what `out` itself reports.
    pub fn write(&self, format: SweepFormat, figures: &[String], style: &Style, out: &mut dyn Write) -> io::Result<()> {
        match format {
            SweepFormat::Text => text::write(self, &self.drawn(figures), style, out),
            SweepFormat::Json => json::write(self, out),
            SweepFormat::Csv { headings } => csv::write(self, headings, out),
            #[cfg(feature = "parquet")]
            SweepFormat::Parquet => parquet::write(self, out),
            #[cfg(not(feature = "parquet"))]
            SweepFormat::Parquet => Err(io::Error::other(super::NO_PARQUET.unwrap_or_default())),
            SweepFormat::Html => html::write(self, &self.drawn(figures), out),
        }
    }

    /// The names of the columns that can be drawn, in their order.
    pub fn figures(&self) -> Vec<String> {
        let columns = self.columns().into_iter();
        columns.filter(Column::is_figure).map(|column| column.name).collect()
    }

    fn drawn(&self, wanted: &[String]) -> Vec<Column> {
        let columns: Vec<Column> = self.columns().into_iter().filter(Column::is_figure).collect();
        let of = |which: fn(&Source) -> bool| {
            let chosen = columns.iter().filter(|column| which(&column.source));
            chosen.cloned().collect::<Vec<Column>>()
        };
        let named = wanted
            .iter()
            .filter_map(|name| columns.iter().find(|column| column.name == *name));
        if !wanted.is_empty() {
            return named.cloned().collect();
        }
        let mut clocks = of(|source| matches!(source, Source::RegionCycles(_)));
        for column in &mut clocks {
            if let Some(cold) = self.only_cold(column) {
                *column = cold;
            }
        }
        if clocks.is_empty() {
            clocks = of(|source| *source == Source::Cycles);
        }
        // Nobody asks for the column of an event but to see it.
        [clocks, of(|source| matches!(source, Source::Event(_)))].concat()
    }

    /// The column of cold clocks in place of that of a region's usual clocks, if the runs have only those: the first
    /// pass of a program that was run once.
    fn only_cold(&self, column: &Column) -> Option<Column> {
        let Source::RegionCycles(which) = column.source else {
            return None;
        };
        let source = Source::RegionColdCycles(which);
        let cold = self.columns().into_iter().find(|other| other.source == source)?;
        let has = |column: &Column| (0..self.rows.len()).any(|row| self.cell(row, column) != Cell::Missing);
        (!has(column) && has(&cold)).then_some(cold)
    }

    fn columns(&self) -> Vec<Column> {
        let column = |name: &str, kind, source| Column {
            name: name.to_owned(),
            kind,
            source,
        };
        let mut columns: Vec<Column> = Vec::new();
        for (index, axis) in self.axes.iter().enumerate() {
            let kind = if axis.is_numeric() { Kind::Integer } else { Kind::Text };
            columns.push(column(&axis.name, kind, Source::Axis(index)));
        }
        columns.extend([
            column("status", Kind::Text, Source::Status),
            column("message", Kind::Text, Source::Message),
            column("instructions", Kind::Integer, Source::Instructions),
            column("cycles", Kind::Integer, Source::Cycles),
            column("cold_cycles", Kind::Integer, Source::ColdCycles),
            column("clocks_per_instruction", Kind::Real, Source::ClocksPerInstruction),
            column("pairs", Kind::Integer, Source::Pairs),
            column("failed_budgets", Kind::Integer, Source::FailedBudgets),
        ]);
        for (index, region) in self.regions.iter().enumerate() {
            for (figure, source) in [
                ("cycles", Source::RegionCycles(index)),
                ("cold_cycles", Source::RegionColdCycles(index)),
                ("passes", Source::RegionPasses(index)),
            ] {
                columns.push(column(&format!("region.{region}.{figure}"), Kind::Integer, source));
            }
        }
        for (index, event) in self.events.iter().enumerate() {
            let name = format!("event.{}", event.name());
            columns.push(column(&name, Kind::Integer, Source::Event(index)));
        }
        columns.push(column("failed_budget", Kind::Text, Source::FailedBudget));
        columns
    }

    /// The index of a row's value of an option.
    fn value(&self, row: usize, axis: usize) -> usize {
        let faster = self.axes.iter().skip(axis + 1).map(|axis| axis.values.len());
        row / faster.product::<usize>() % self.axes[axis].values.len()
    }

    /// The options of a row that vary in the sweep, as words for a sentence.
    pub fn named(&self, row: usize) -> String {
        let varying = self.axes.iter().enumerate().filter(|(_, axis)| axis.values.len() > 1);
        let words = varying.map(|(index, axis)| format!("{} {}", axis.name, axis.values[self.value(row, index)]));
        let words = words.collect::<Vec<_>>().join(", ");
        if words.is_empty() { "the run".to_owned() } else { words }
    }

    fn cell(&self, index: usize, column: &Column) -> Cell<'_> {
        let Some(row) = self.rows.get(index) else {
            return Cell::Missing;
        };
        let integer = |figure: Option<u64>| match figure.map(i64::try_from) {
            Some(Ok(figure)) => Cell::Integer(figure),
            _ => Cell::Missing,
        };
        let region = |which: usize| {
            let name = self.regions.get(which)?;
            let there = row.regions.get(which).filter(|region| region.name == *name);
            there.or_else(|| row.regions.iter().find(|region| region.name == *name))
        };
        match column.source {
            Source::Axis(axis) => {
                let value = &self.axes[axis].values[self.value(index, axis)];
                match number(value).filter(|_| column.kind == Kind::Integer) {
                    Some(number) => Cell::Integer(number),
                    None => Cell::Text(value),
                }
            }
            Source::Status => Cell::Text(&row.status),
            Source::Message => row.message.as_deref().map_or(Cell::Missing, Cell::Text),
            Source::Instructions => integer(row.figures.map(|figures| figures.instructions)),
            Source::Cycles => integer(row.figures.map(|figures| figures.cycles)),
            Source::ColdCycles => integer(row.figures.map(|figures| figures.cold_cycles)),
            Source::ClocksPerInstruction => {
                let totals = row.figures.map(|figures| Totals {
                    cycles: figures.cycles,
                    instructions: figures.instructions,
                    ..Totals::default()
                });
                let figure = totals.and_then(|totals| totals.clocks_per_instruction());
                figure.map_or(Cell::Missing, Cell::Real)
            }
            Source::Pairs => integer(row.figures.map(|figures| figures.pairs)),
            Source::FailedBudgets => integer(row.budgets.as_ref().map(|failed| failed.count)),
            Source::FailedBudget => {
                let first = row.budgets.as_ref().and_then(|failed| failed.first.as_deref());
                first.map_or(Cell::Missing, Cell::Text)
            }
            Source::RegionCycles(which) => integer(region(which).and_then(|region| region.cycles)),
            Source::RegionColdCycles(which) => integer(region(which).and_then(|region| region.cold_cycles)),
            Source::RegionPasses(which) => integer(region(which).and_then(|region| region.passes)),
            Source::Event(which) => integer(row.events.get(which).copied().flatten()),
        }
    }

    /// The open questions that runs touch, each with the number of those runs, the most frequent first.
    fn open_questions(&self) -> Vec<(&'static Assumption, usize)> {
        let touches = |question: &&Assumption| {
            let touch = |row: &&Row| row.open_questions.iter().any(|name| name == question.name);
            self.rows.iter().filter(touch).count()
        };
        let counts = ASSUMPTIONS.iter().map(|question| (question, touches(&question)));
        let mut open: Vec<_> = counts.filter(|&(_, count)| count > 0).collect();
        open.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        open
    }

    /// The open questions that runs touch, in words, with the option that shows their other answers; `None` if there
    /// are none.
    fn open(&self) -> Option<String> {
        let open = self.open_questions();
        let &(first, _) = open.first()?;
        let names: Vec<String> = open
            .iter()
            .map(|&(question, count)| match count == self.rows.len() {
                true => question.name.to_owned(),
                false => format!("{} ({count} of {} runs)", question.name, self.rows.len()),
            })
            .collect();
        let values: Vec<&str> = first.answers.iter().map(|answer| answer.value).collect();
        let all = if values.len() == 2 { "both" } else { "all" };
        Some(format!(
            "The figures have the usual answers to {}; other answers may change them. For example, `--assume {}={}` shows {all} of the first.",
            names.join(", "),
            first.name,
            values.join(",")
        ))
    }

    /// The doubted rows of the timing table that runs use, with the number of these runs.
    fn doubted(&self) -> BTreeMap<&str, usize> {
        let mut doubted = BTreeMap::new();
        for form in self.rows.iter().flat_map(|row| &row.doubted) {
            *doubted.entry(form.as_str()).or_default() += 1;
        }
        doubted
    }

    /// What the report of a single run tells of the certainty of its clocks, in words; `None` if there is nothing.
    fn uncertain(&self) -> Option<String> {
        let doubted = self
            .doubted()
            .into_iter()
            .map(|(form, count)| match count == self.rows.len() {
                true => form.to_owned(),
                false => format!("{form} ({count} of {} runs)", self.rows.len()),
            });
        let doubted = doubted.collect::<Vec<_>>().join(", ");
        let missing = self.rows.iter().filter(|row| row.region_misses).count();
        let mut words = Vec::new();
        if !doubted.is_empty() {
            words.push(format!("clocks rest on doubted timings: {doubted}"));
        }
        if missing > 0 {
            let runs = counted(missing as u64, "run");
            words.push(format!(
                "measured regions of {runs} wait for memory, maybe for lines that the macros evict"
            ));
        }
        let told = "the report of one combination without `sweep` tells how many clocks that is";
        (!words.is_empty()).then(|| format!("{}; {told}", words.join("; ")))
    }

    /// What is assumed of a fragment, in words; `None` for a program. Runs of which other numbers are assumed may do
    /// other work.
    fn assumed(&self) -> Option<String> {
        let runs = self.rows.iter().enumerate();
        let mut known = runs.filter_map(|(index, row)| Some((index, row.assumed.as_deref()?)));
        let (first, words) = known.next()?;
        Some(match known.find(|(_, other)| *other != words) {
            None => words.to_owned(),
            Some((other, differing)) => format!(
                "The runs may do other work, so that their clocks are not comparable: for {}, {words}; for {}, \
                 {differing}. Begin the source with a `mov` that gives each register the same number in all runs.",
                self.named(first),
                self.named(other)
            ),
        })
    }

    /// The budgets that do not hold, in words; `None` if all of them do.
    fn broken(&self) -> Option<String> {
        let broken: Vec<usize> = (0..self.rows.len())
            .filter(|&index| !self.rows[index].keeps_budgets())
            .collect();
        let &first = broken.first()?;
        let failed = self.rows[first].budgets.as_ref()?;
        let message = failed.first.as_deref().unwrap_or("a budget does not hold");
        Some(match (self.rows.len(), broken.len()) {
            (1, _) => message.to_owned(),
            (_, 1) => format!("1 run; {}: {message}", self.named(first)),
            (_, count) => format!("{count} runs; first {}: {message}", self.named(first)),
        })
    }

    /// The mark after the figure of these runs: [`BROKEN`] if one of them does not keep its budgets.
    fn mark(&self, rows: &[usize]) -> &'static str {
        let breaks = |&row: &usize| self.rows.get(row).is_some_and(|row| !row.keeps_budgets());
        if rows.iter().any(breaks) { BROKEN } else { "" }
    }

    /// A figure as a number to draw.
    fn figure(&self, index: usize, column: &Column) -> Option<f64> {
        match self.cell(index, column) {
            Cell::Integer(figure) => Some(figure as f64),
            Cell::Real(figure) => Some(figure),
            Cell::Text(_) | Cell::Missing => None,
        }
    }
}

impl Column {
    fn shown(&self, figure: f64) -> String {
        match self.kind {
            Kind::Real => format!("{figure:.3}"),
            Kind::Integer | Kind::Text => format!("{figure:.0}"),
        }
    }

    fn is_figure(&self) -> bool {
        !matches!(
            self.source,
            Source::Axis(_) | Source::Status | Source::Message | Source::FailedBudgets
        )
    }
}

#[cfg(test)]
mod tests;
