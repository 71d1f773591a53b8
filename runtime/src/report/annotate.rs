//! The annotated listing: each executed source line with its pipe, its clock, its partner and why it was not better.
//!
//! A line that a macro or a repeat made stands indented under the call that made it. What the bundled library's probes
//! cost is one figure on the line of the call.

use super::lines::{self, PassClock, Sum, Text};
use super::{HEADING, NARROW, STALL, Style, heading, painted, paragraph, printable};
use crate::run::Run;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The least columns a source line is cut to, however narrow the terminal is.
const LEAST_SOURCE: usize = 24;
/// Columns between two columns.
const GAP: usize = 2;

/// One line of the listing, as text; the numbers' columns are `line` to `with`.
#[derive(Default)]
struct Row {
    line: String,
    executions: String,
    pipe: String,
    clock: String,
    cycles: String,
    with: String,
    reason: String,
    /// Columns before the source text: its own indentation, and two for each macro it is inside of.
    indent: usize,
    source: String,
}

/// What the rows are made from.
struct Listing<'a> {
    run: &'a Run,
    text: Text<'a>,
    partners: Vec<Option<usize>>,
    clocks: Vec<Option<PassClock>>,
    /// Whether there is room for two reasons on a line rather than the weightier one.
    both_reasons: bool,
    /// Stands for a reason where clocks were spent in the library's macros.
    probe: String,
}

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    heading(style, "Listing", out)?;
    if run.instructions.is_empty() {
        return paragraph(style, "No instruction was executed.", out);
    }
    let listing = Listing {
        run,
        text: Text::of(run),
        partners: lines::partners(run),
        clocks: lines::pass_clocks(run),
        both_reasons: style.width >= NARROW,
        probe: match library(run) {
            Some(name) => format!("{name} probe"),
            None => String::new(),
        },
    };
    let files = listing.files();
    let rows: Vec<&Row> = files.iter().flat_map(|(_, rows)| rows).collect();
    let columns = Columns::fit(&rows, listing.clocks.iter().any(Option::is_some));
    writeln!(out, "{}", painted(style, HEADING, columns.head().trim_end()))?;
    for (name, rows) in &files {
        if files.len() > 1 {
            writeln!(out, "{}", painted(style, HEADING, &format!(" {name}")))?;
        }
        for row in rows {
            writeln!(out, "{}", columns.line(row, style))?;
        }
    }
    let mut legend = "times: executions in the last run".to_owned();
    if columns.clock > 0 {
        legend += "; at: the clock it issued at in the region's last pass, counted from the region's start (+: the first \
                   of several executions)";
    }
    legend += "; clocks: what the line took in the last run (the clock of a pair stands with its U pipe's line); with: \
               the line it paired with; reason: what it waited for, in clocks an execution, then why the next \
               instruction did not pair with it";
    if run.instructions.iter().any(|instruction| instruction.doubt.is_some()) {
        legend += "; ?: the timing is uncertain, see the notes";
    }
    paragraph(style, &legend, out)
}

/// The macro library's name, if the program uses it.
fn library(run: &Run) -> Option<String> {
    let file = run.files.get(run.library? as usize)?;
    Some(printable::printable(&file.name))
}

impl Listing<'_> {
    /// The rows by file, the program's own first; instructions that stand in no file come last.
    fn files(&self) -> Vec<(String, Vec<Row>)> {
        let mut groups: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
        let mut elsewhere = Vec::new();
        for (index, instruction) in self.run.instructions.iter().enumerate() {
            match instruction.outermost.or(instruction.place) {
                Some((file, line)) => {
                    groups.entry((file, line)).or_default().push(index);
                }
                None => elsewhere.push(index),
            }
        }
        let mut files: Vec<(u32, Vec<Row>)> = Vec::new();
        let mut calibration = Vec::new();
        for ((file, line), indexes) in groups {
            if self.run.library == Some(file) {
                calibration.extend(indexes);
                continue;
            }
            if files.last().is_none_or(|(last, _)| *last != file) {
                files.push((file, Vec::new()));
            }
            if let Some((_, rows)) = files.last_mut() {
                self.call((file, line), &indexes, rows);
            }
        }
        for (_, rows) in &mut files {
            // What all lines are indented by says nothing and costs columns.
            let least = rows.iter().map(|row| row.indent).min().unwrap_or(0);
            rows.iter_mut().for_each(|row| row.indent -= least);
        }
        let mut files: Vec<(String, Vec<Row>)> = files
            .into_iter()
            .map(|(file, rows)| (printable::printable(self.name(file).unwrap_or("?")), rows))
            .collect();
        if let (Some(library), false) = (library(self.run), calibration.is_empty()) {
            let sum = self.sum(&calibration);
            files.push((
                library,
                vec![Row {
                    cycles: sum.cycles.to_string(),
                    source: "calibration of the probes".to_owned(),
                    ..Row::default()
                }],
            ));
        }
        if !elsewhere.is_empty() {
            let rows = elsewhere.iter().map(|&index| self.instruction(index)).collect();
            files.push(("<memory>, in no source line".to_owned(), rows));
        }
        files
    }

    fn name(&self, file: u32) -> Option<&str> {
        self.run.files.get(file as usize).map(|file| file.name.as_str())
    }

    fn sum(&self, indexes: &[usize]) -> Sum {
        Sum::of(indexes.iter().filter_map(|&index| self.run.instructions.get(index)))
    }

    /// One line of user-written text and all that came of it.
    fn call(&self, place: (u32, u32), indexes: &[usize], rows: &mut Vec<Row>) {
        let place_of = |index: usize| self.run.instructions.get(index).and_then(|one| one.place);
        let in_library = |&index: &usize| place_of(index).is_some_and(|(file, _)| self.run.library == Some(file));
        let (probes, rest): (Vec<usize>, Vec<usize>) = indexes.iter().partition(|index| in_library(index));
        let (own, inner): (Vec<usize>, Vec<usize>) = rest
            .into_iter()
            .partition(|&index| place_of(index).is_none_or(|inner| inner == place));
        let probed = self.sum(&probes);
        let source = printable::printable(self.text.line(place));
        let indent = source.len() - source.trim_start_matches(' ').len();
        let mut row = Row {
            line: place.1.to_string(),
            indent,
            source: source.trim_start_matches(' ').to_owned(),
            ..Row::default()
        };
        if !own.is_empty() {
            self.fill(&mut row, &own);
        } else if inner.is_empty() {
            // Nothing but a probe: its clocks stand on the line of the call itself.
            row.cycles = probed.cycles.to_string();
            row.reason = self.probe.clone();
        }
        rows.push(row);
        let only_probes = own.is_empty() && inner.is_empty();
        if !probes.is_empty() && !only_probes {
            rows.push(Row {
                cycles: probed.cycles.to_string(),
                indent,
                reason: self.probe.clone(),
                ..Row::default()
            });
        }
        for (inner_place, depth, indexes) in self.inner_lines(&inner) {
            let mut row = Row {
                line: inner_place.1.to_string(),
                indent: indent + 2 * depth,
                source: printable::printable(self.text.line(inner_place).trim_start()),
                ..Row::default()
            };
            self.fill(&mut row, &indexes);
            rows.push(row);
        }
    }

    /// The macro bodies' lines among `indexes` with their depth, in the order their first instruction stands in memory.
    fn inner_lines(&self, indexes: &[usize]) -> Vec<((u32, u32), usize, Vec<usize>)> {
        let mut found: BTreeMap<(u32, u32), usize> = BTreeMap::new();
        let mut inner: Vec<((u32, u32), usize, Vec<usize>)> = Vec::new();
        for &index in indexes {
            let Some(instruction) = self.run.instructions.get(index) else {
                continue;
            };
            let Some(place) = instruction.place else { continue };
            let position = *found.entry(place).or_insert_with(|| {
                inner.push((place, instruction.trail.len().clamp(1, 4), Vec::new()));
                inner.len() - 1
            });
            if let Some((_, _, members)) = inner.get_mut(position) {
                members.push(index);
            }
        }
        inner
    }

    fn instruction(&self, index: usize) -> Row {
        let mut row = Row::default();
        if let Some(instruction) = self.run.instructions.get(index) {
            row.line = format!("{:08X}h", instruction.address);
            row.source = printable::printable(&instruction.text);
            self.fill(&mut row, &[index]);
        }
        row
    }

    /// The figures of the instructions that one row stands for.
    fn fill(&self, row: &mut Row, indexes: &[usize]) {
        let sum = self.sum(indexes);
        row.executions = sum.executions.to_string();
        row.pipe = sum.pipe();
        row.cycles = format!("{}{}", sum.cycles, if sum.doubtful { "?" } else { "" });
        row.reason = sum.reason(self.both_reasons);
        if let Some(clock) = lines::earliest(&self.clocks, indexes) {
            row.clock = format!("{}{}", clock.clock, if clock.again { "+" } else { "" });
        }
        row.with = indexes
            .iter()
            .find_map(|&index| {
                let partner = self.run.instructions.get((*self.partners.get(index)?)?)?;
                let here = self.run.instructions.get(index)?;
                match (here.place, partner.place) {
                    (Some((file, _)), Some((other, line))) if file == other => Some(line.to_string()),
                    (_, Some((other, line))) => Some(format!("{}:{line}", printable::printable(self.name(other)?))),
                    (_, None) => Some(format!("{:08X}h", partner.address)),
                }
            })
            .unwrap_or_else(|| "-".to_owned());
    }
}

/// The columns' widths, as wide as their contents; `clock` is 0 where no region gives one.
struct Columns {
    line: usize,
    executions: usize,
    pipe: usize,
    clock: usize,
    cycles: usize,
    with: usize,
    reason: usize,
}

impl Columns {
    fn fit(rows: &[&Row], clocks: bool) -> Columns {
        let widest = |head: &str, of: fn(&Row) -> &str| {
            let widths = rows.iter().map(|row| of(row).chars().count());
            widths.max().unwrap_or(0).max(head.len())
        };
        Columns {
            line: widest("line", |row| &row.line),
            executions: widest("times", |row| &row.executions),
            pipe: widest("pipe", |row| &row.pipe),
            clock: if clocks { widest("at", |row| &row.clock) } else { 0 },
            cycles: widest("clocks", |row| &row.cycles),
            with: widest("with", |row| &row.with),
            reason: widest("reason", |row| &row.reason),
        }
    }

    fn head(&self) -> String {
        let names = ["line", "times", "pipe", "at", "clocks", "with", "reason", "source"];
        let [line, executions, pipe, clock, cycles, with, reason, source] = names.map(str::to_owned);
        let row = Row {
            line,
            executions,
            pipe,
            clock,
            cycles,
            with,
            reason,
            indent: 0,
            source,
        };
        let plain = Style {
            color: false,
            width: usize::MAX,
        };
        self.line(&row, &plain)
    }

    fn line(&self, row: &Row, style: &Style) -> String {
        let mut line = format!(" {:>2$}  {:>3$}", row.line, row.executions, self.line, self.executions);
        line += &format!("  {:<1$}", row.pipe, self.pipe);
        if self.clock > 0 {
            line += &format!("  {:>1$}", row.clock, self.clock);
        }
        line += &format!("  {:>2$}  {:>3$}  ", row.cycles, row.with, self.cycles, self.with);
        let before = line.chars().count() + self.reason + GAP;
        let source = printable::cut(
            row.source.trim_end(),
            style.width.saturating_sub(before + row.indent).max(LEAST_SOURCE),
        );
        let padding = self.reason.saturating_sub(row.reason.chars().count()) + GAP + row.indent;
        line += &painted(style, STALL, &row.reason);
        if !source.is_empty() {
            line += &format!("{}{source}", " ".repeat(padding));
        }
        line.trim_end().to_owned()
    }
}
