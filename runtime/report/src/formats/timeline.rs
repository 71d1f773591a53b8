//! The slot diagram over time as text: clocks run to the right, U and V are the rows, and a lost clock has the letter
//! of its cause.
//!
//! For a pass with loops, only the steady round of the loop with the most clocks is shown, or one round of each of its
//! paths; `--long` and `--all` show every clock of the pass.

use crate::diagram::{self, Diagram, Found, Group, Loop, Node, Shown, Spent, found, groups};
use crate::phrases::counted;
use crate::printable::{cut, folded, printable};
use crate::reasons::{plain, told};
use crate::{Detail, HEADING, STALL, Style, header, painted, paragraph, regions, slots};
use p5_results::{Cause, Run};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The width of the row names, in columns.
const MARGIN: usize = 8;
/// The number of columns between two clocks.
const GAP: usize = 2;
/// The maximum width of an instruction, in columns.
const WIDEST: usize = 24;
/// The number of equal clocks from which on they share a column.
const LEAST_TOGETHER: u32 = 4;
/// The maximum number of bands for a pass in a short report.
const BANDS: usize = 8;
/// The signs of a clock in which an instruction continues, of an empty pipe, and of clocks lost for lesser causes.
const ON: char = '=';
const EMPTY: &str = ".";
const OTHERS: char = '~';

/// Writes the timelines of the passes of `run`, and the legend.
pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    header::write(run, style, out)?;
    let mut legend = Legend::default();
    if let Some(asked) = &run.asked {
        match found(run, asked) {
            Some(found) => return write_found(run, &found, &slots::words_of_asked(run, asked, &found), style, out),
            None => {
                writeln!(out)?;
                header::lines(&slots::missing(run, asked), style, out)?;
            }
        }
    }
    let mut passes = diagram::shown(run).into_iter().peekable();
    let mut any = false;
    for region in &run.regions {
        writeln!(out)?;
        regions::heading(run, region, style, out)?;
        if let Some(pass) = passes.next_if(|pass| std::ptr::eq(pass.trace, &region.trace)) {
            write_pass(run, &pass, style, &mut legend, out)?;
            any = true;
        }
    }
    for pass in passes {
        writeln!(out)?;
        write_pass(run, &pass, style, &mut legend, out)?;
        any = true;
    }
    if any {
        legend.write(style, out)?;
    }
    Ok(())
}

/// Writes the timeline of the loop that is asked for alone, below the heading of its region.
fn write_found(run: &Run, found: &Found, words: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut legend = Legend::default();
    writeln!(out)?;
    let mut regions = run.regions.iter();
    if let Some(region) = regions.find(|region| std::ptr::eq(found.trace, &region.trace)) {
        regions::heading(run, region, style, out)?;
    }
    header::lines(words, style, out)?;
    match hottest(&found.nodes).filter(|_| found.in_loop > 0) {
        Some(inner) => write_rounds(run, inner, style, &mut legend, out)?,
        None => {
            let mut columns = Vec::new();
            let ends = |node: &Node| node.clock() + node.cycles();
            let first = found.nodes.first().map_or(0, Node::clock);
            let clocks = first..found.nodes.last().map_or(0, ends);
            // The rounds of loops that it calls, too.
            for group in groups(run, found.trace)
                .iter()
                .filter(|group| clocks.contains(&group.clock))
            {
                add(run, group, 0, &mut legend, &mut columns);
            }
            write_columns(&columns, "", style, out)?;
        }
    }
    legend.write(style, out)
}

fn write_pass(run: &Run, pass: &Shown, style: &Style, legend: &mut Legend, out: &mut dyn Write) -> io::Result<()> {
    if let Some(cut) = &pass.cut {
        paragraph(style, &format!("Of this pass, {cut}."), out)?;
    }
    let diagram = Diagram::of(run, pass.trace).filter(|_| style.detail == Detail::Short);
    let hottest = diagram.as_ref().and_then(|diagram| hottest(&diagram.nodes));
    if let Some(inner) = hottest {
        return write_rounds(run, inner, style, legend, out);
    }
    let mut columns = Vec::new();
    for group in &pass.groups {
        add(run, group, 0, legend, &mut columns);
    }
    write_columns(&columns, "", style, out)
}

/// Writes the most frequent round of each path of a loop. If there are many paths, the rarest are left out.
fn write_rounds(run: &Run, inner: &Loop, style: &Style, legend: &mut Legend, out: &mut dyn Write) -> io::Result<()> {
    paragraph(style, &slots::rounds(run, inner, 0, style.detail == Detail::Short), out)?;
    for path in inner.paths.iter().take(slots::PATHS) {
        if inner.paths.len() > 1 {
            let rounds = counted(path.rounds, "round");
            paragraph(style, &format!("{rounds}: {}.", slots::each(run, path)), out)?;
        }
        let start = path.round.first().map_or(0, Node::clock);
        let mut columns = Vec::new();
        for node in &path.round {
            add_node(run, node, start, legend, &mut columns);
        }
        write_columns(&columns, "+", style, out)?;
    }
    match slots::other_paths(inner.paths.iter().skip(slots::PATHS)) {
        Some(others) => paragraph(style, &format!("{others} `--long` shows every round."), out),
        None => Ok(()),
    }
}

/// The innermost loop with the most clocks.
fn hottest(nodes: &[Node]) -> Option<&Loop> {
    fn find<'a>(nodes: &'a [Node], rounds: u64, found: &mut Option<(u64, &'a Loop)>) {
        for node in nodes {
            let Node::Loop(inner) = node else { continue };
            let before = *found;
            let mut innermost = None;
            for path in &inner.paths {
                find(&path.round, rounds.saturating_mul(path.rounds), &mut innermost);
            }
            let best = innermost.unwrap_or((rounds.saturating_mul(inner.cycles), inner));
            *found = Some(before.filter(|before| before.0 >= best.0).unwrap_or(best));
        }
    }
    let mut found = None;
    find(nodes, 1, &mut found);
    found.map(|(_, inner)| inner)
}

/// One clock, or several equal ones.
struct Column {
    clock: u64,
    clocks: u32,
    /// The texts for U and V.
    cells: [String; 2],
    lost: bool,
}

impl Column {
    fn head(&self, sign: &str) -> String {
        let Column { clock, clocks, .. } = self;
        match clocks {
            1 => format!("{sign}{clock}"),
            _ => format!("{sign}{clock}-{}", clock + u64::from(*clocks) - 1),
        }
    }

    fn width(&self, sign: &str) -> usize {
        let cells = self.cells.iter().map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(self.head(sign).len())
    }
}

fn add_node(run: &Run, node: &Node, start: u64, legend: &mut Legend, columns: &mut Vec<Column>) {
    match node {
        Node::Group(group) => add(run, group, start, legend, columns),
        Node::Probe(probe) => columns.push(Column {
            clock: probe.clock.saturating_sub(start),
            clocks: probe.cycles.min(u64::from(u32::MAX)) as u32,
            cells: ["probe".to_owned(), EMPTY.to_owned()],
            lost: false,
        }),
        // The loop that is shown contains no other.
        Node::Loop(_) => {}
    }
}

/// Adds the columns of a group, whose clocks are counted from `start`.
fn add(run: &Run, group: &Group, start: u64, legend: &mut Legend, columns: &mut Vec<Column>) {
    let text = |index: usize| {
        let one = run.executed(index);
        one.map_or_else(String::new, |one| cut(&printable(told(one)), WIDEST))
    };
    let mut texts = group.executed.map(|index| index.map(text));
    if group.begun_in_v {
        texts.swap(0, 1);
    }
    let used = texts.each_ref().map(Option::is_some);
    let mut clock = group.clock.saturating_sub(start);
    let mut begun = false;
    for span in group.spans() {
        let letter = match span.spent {
            Spent::Own => ON,
            Spent::Lost(cause) => legend.lost(cause),
            Spent::Others => legend.others(),
        };
        let mut left = span.clocks;
        if !begun {
            begun = true;
            // A group that only waits still shows its instructions.
            let lost = (span.spent != Spent::Own).then_some(letter);
            let cell = |text: &mut Option<String>| match (text.take(), lost) {
                (Some(text), Some(letter)) => format!("{text} {letter}"),
                (Some(text), None) => text,
                (None, _) => EMPTY.to_owned(),
            };
            columns.push(Column {
                clock,
                clocks: 1,
                cells: texts.each_mut().map(cell),
                lost: lost.is_some(),
            });
            (clock, left) = (clock + 1, left - 1);
        }
        let together = if left >= LEAST_TOGETHER { left } else { 1 };
        while left > 0 {
            let many = if together > 1 {
                format!(" x{together}")
            } else {
                String::new()
            };
            // A pipe is empty if it waits for the next group, or has no instruction.
            let cell = |used: bool| match used || !span.executing {
                true => format!("{letter}{many}"),
                false => EMPTY.to_owned(),
            };
            columns.push(Column {
                clock,
                clocks: together,
                cells: used.map(cell),
                lost: span.spent != Spent::Own,
            });
            legend.goes_on |= span.spent == Spent::Own;
            (clock, left) = (clock + u64::from(together), left - together);
        }
    }
}

/// Writes the columns in bands that fit the width.
fn write_columns(columns: &[Column], sign: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut rest = columns;
    let mut bands = 0;
    while !rest.is_empty() {
        if bands == BANDS && style.detail == Detail::Short {
            let more: u64 = rest.iter().map(|column| u64::from(column.clocks)).sum();
            let words = format!("and {}; `--long` shows all", counted(more, "more clock"));
            return paragraph(style, &words, out);
        }
        let mut used = MARGIN;
        let fits = rest.iter().take_while(|column| {
            used += column.width(sign) + GAP;
            used - GAP <= style.width
        });
        let (band, behind) = rest.split_at(fits.count().max(1));
        if bands > 0 {
            writeln!(out)?;
        }
        let clocks = band.iter().map(|column| (column.head(sign), false));
        write_row("clock", clocks, band, sign, style, out)?;
        for (pipe, name) in ["U", "V"].into_iter().enumerate() {
            let cells = band.iter().map(|column| (column.cells[pipe].clone(), column.lost));
            write_row(name, cells, band, sign, style, out)?;
        }
        rest = behind;
        bands += 1;
    }
    Ok(())
}

fn write_row(
    name: &str,
    cells: impl Iterator<Item = (String, bool)>,
    band: &[Column],
    sign: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut line = painted(style, HEADING, &format!("  {name}"));
    // Blanks are written before the next cell, so that no line ends with one.
    let mut blanks = MARGIN - 2 - name.len();
    for ((cell, lost), column) in cells.zip(band) {
        line.extend(std::iter::repeat_n(' ', blanks));
        let room = style.width.saturating_sub(MARGIN);
        let cell = cut(&cell, room);
        blanks = (column.width(sign) + GAP).saturating_sub(cell.chars().count());
        line += &if lost { painted(style, STALL, &cell) } else { cell };
    }
    writeln!(out, "{line}")
}

#[derive(Default)]
struct Legend {
    causes: BTreeSet<Cause>,
    others: bool,
    goes_on: bool,
}

impl Legend {
    fn lost(&mut self, cause: Cause) -> char {
        self.causes.insert(cause);
        letter(cause)
    }

    fn others(&mut self) -> char {
        self.others = true;
        OTHERS
    }

    fn write(&self, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let on = self.goes_on.then(|| format!("{ON} goes on"));
        let causes = self
            .causes
            .iter()
            .map(|&cause| format!("{} {}", letter(cause), plain(cause)));
        let others = self.others.then(|| format!("{OTHERS} lesser causes"));
        let signs = on.into_iter().chain(causes).chain(others);
        let signs: Vec<String> = std::iter::once(format!("{EMPTY} empty")).chain(signs).collect();
        writeln!(out)?;
        let lines = folded(&signs.join(", "), style.width.saturating_sub(2));
        lines.iter().try_for_each(|line| writeln!(out, "  {line}"))
    }
}

pub(super) fn letter(cause: Cause) -> char {
    match cause {
        Cause::Issue => ':',
        Cause::Execution => 'E',
        Cause::FloatingPoint => 'F',
        Cause::Lockstep => 'L',
        Cause::Agi => 'A',
        Cause::Prefix => 'P',
        Cause::BankConflict => 'B',
        Cause::Misaligned => 'M',
        Cause::DataReadMiss => 'D',
        Cause::DataTlbMiss => 'T',
        Cause::WriteBufferFull => 'W',
        Cause::WriteOrder => 'O',
        Cause::CodeMiss => 'C',
        Cause::PrefetchQueue => 'Q',
        Cause::CodeTlbMiss => 'K',
        Cause::Misprediction => 'J',
        Cause::LockedBus => 'X',
        Cause::Io => 'I',
        Cause::Serialize => 'S',
        Cause::Interrupt => 'N',
        Cause::Halted => 'H',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_causes_have_the_same_letter() {
        let letters: BTreeSet<char> = Cause::ALL.iter().map(|&cause| letter(cause)).collect();
        assert_eq!(letters.len(), Cause::ALL.len());
        assert!(!letters.contains(&ON) && !letters.contains(&OTHERS) && !letters.contains(&'.'));
    }
}
