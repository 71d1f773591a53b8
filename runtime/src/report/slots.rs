//! The slot diagram as text: for each clock what U and V execute, the clocks lost, and why V is empty.

use super::bound::{Bound, Limit};
use super::diagram::{Diagram, Loop, Node};
use super::header::counted;
use super::printable::{self, cut, folded};
use super::reasons::{late, plain, reason, told};
use super::{Detail, HEADING, STALL, Style, painted, paragraph, regions};
use crate::run::{Run, TRACE_CAPACITY};
use std::io::{self, Write};

/// The least columns left for the reason.
const LEAST_REASON: usize = 16;
/// What stands for no instruction.
const EMPTY: &str = "-";

/// Writes the diagram of each region, or of a program without regions. Returns whether something was shown.
pub(super) fn write_all(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<bool> {
    let (mut left, each) = if style.detail == Detail::Short {
        (ROWS, ROWS_EACH)
    } else {
        (usize::MAX, usize::MAX)
    };
    if run.regions.is_empty() {
        if run.trace.cut {
            return Ok(false);
        }
        let Some(diagram) = Diagram::of(run, &run.trace) else {
            return Ok(false);
        };
        writeln!(out)?;
        write(run, &diagram, left.min(each), style, out)?;
        return Ok(true);
    }
    for region in &run.regions {
        writeln!(out)?;
        regions::heading(run, region, style, out)?;
        let Some(diagram) = Diagram::of(run, &region.trace) else {
            continue;
        };
        if left == 0 {
            paragraph(style, "`--long` shows its clocks.", out)?;
            continue;
        }
        left -= write(run, &diagram, left.min(each), style, out)?.min(left);
        // Of a pass that did not end the heading says so.
        let full = region.trace.issued.len() >= TRACE_CAPACITY;
        if region.trace.cut && (region.pass_count > 0 || full) {
            paragraph(style, "The pass goes on; only its beginning was traced.", out)?;
        }
    }
    Ok(true)
}

/// The most rows of all diagrams, and of one, in a short report.
const ROWS: usize = 120;
const ROWS_EACH: usize = 40;

/// Writes a diagram of at most `rows` rows. Returns the rows written.
pub(super) fn write(
    run: &Run,
    diagram: &Diagram,
    rows: usize,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<usize> {
    let mut lines = Vec::new();
    for node in &diagram.nodes {
        line_up(run, node, 0, "", &mut lines);
    }
    let mut lines = together(lines);
    if let Some(bound) = diagram.bound.filter(|bound| bound.instructions > 1) {
        lines.push(Line::Words(0, format!("{}.", least(&bound))));
    }
    let left = lines.len().saturating_sub(rows);
    lines.truncate(rows);
    let widest = |of: &dyn Fn(&Row) -> usize, least: usize| {
        let cells = lines.iter().filter_map(|line| match line {
            Line::Row(row) => Some(of(row)),
            Line::Words(..) => None,
        });
        cells.max().unwrap_or(0).max(least)
    };
    let clock = widest(&|row| row.clock().len(), "clock".len());
    // Three gaps, the clock and the reason share the width with both instructions.
    let room = style.width.saturating_sub(clock + 7 + LEAST_REASON);
    let [u, v] = [
        widest(&|row| row.u.chars().count(), 1),
        widest(&|row| row.v.chars().count(), 1),
    ];
    // Each has half of the room, and what the other one leaves.
    let [u, v] = [
        u.min(room.saturating_sub(v.min(room / 2))),
        v.min(room.saturating_sub(u.min(room / 2))),
    ];
    let [u, v] = [u.max(8), v.max(1)];
    let reason = style.width.saturating_sub(clock + u + v + 7).max(LEAST_REASON);
    let head = format!(" {:>clock$}  {:<u$}  {:<v$}  {}", "clock", "U", "V", "why not faster");
    writeln!(out, "{}", painted(style, HEADING, cut(&head, style.width).trim_end()))?;
    for line in &lines {
        match line {
            Line::Row(row) => {
                let start = format!(
                    " {:>clock$}  {:<u$}  {:<v$}",
                    row.clock(),
                    cut(&row.u, u),
                    cut(&row.v, v)
                );
                let reasons = folded(&row.reason(), reason);
                let first = reasons.first().map_or("", String::as_str);
                let first = painted(style, STALL, first);
                writeln!(out, "{}", format!("{start}  {first}").trim_end())?;
                for more in reasons.iter().skip(1) {
                    writeln!(out, "{:1$}{2}", "", clock + u + v + 7, painted(style, STALL, more))?;
                }
            }
            Line::Words(depth, words) => {
                let indent = clock + 3 + 2 * depth.min(&4);
                for line in folded(words, style.width.saturating_sub(indent).max(LEAST_REASON)) {
                    writeln!(out, "{:indent$}{line}", "")?;
                }
            }
        }
    }
    if left > 0 {
        writeln!(out, "{:1$}and {left} more rows; `--long` shows all", "", clock + 3)?;
    }
    Ok(lines.len())
}

/// A line of the diagram.
enum Line {
    Row(Row),
    /// A sentence, at a depth of loops.
    Words(usize, String),
}

struct Row {
    clock: u64,
    /// What marks a clock counted from the start of a round.
    sign: &'static str,
    /// The clocks of the group, and those it waited before.
    clocks: [u32; 2],
    u: String,
    v: String,
    reason: String,
    /// How many such rows follow one another, of which it is the first.
    count: u64,
    /// The last clock of the last one.
    last: u64,
}

impl Row {
    fn clock(&self) -> String {
        format!("{}{}", self.sign, self.clock)
    }

    /// Whether `next` repeats it.
    fn repeats(&self, next: &Row) -> bool {
        self.clocks == next.clocks && self.u == next.u && self.v == next.v && self.reason == next.reason
    }

    fn reason(&self) -> String {
        if self.count == 1 {
            return self.reason.clone();
        }
        let Row {
            sign,
            count,
            clock,
            last,
            ..
        } = self;
        let reason = if self.reason.is_empty() { "" } else { "; " };
        format!("x{count}, clocks {sign}{clock} to {sign}{last}{reason}{}", self.reason)
    }
}

/// The least rows that follow one another and are written as one.
const LEAST_TOGETHER: usize = 3;

/// Writes equal rows that follow one another as one.
fn together(lines: Vec<Line>) -> Vec<Line> {
    let same = |one: &Line, next: &Line| matches!((one, next), (Line::Row(one), Line::Row(next)) if one.repeats(next));
    let runs = lines.chunk_by(same).map(<[Line]>::len).collect::<Vec<_>>();
    let mut lines = lines.into_iter();
    let mut result = Vec::new();
    for length in runs {
        let mut run: Vec<Line> = lines.by_ref().take(length).collect();
        let last = run.last().and_then(|line| match line {
            Line::Row(row) => Some(row.last),
            Line::Words(..) => None,
        });
        if let (Some(Line::Row(first)), Some(last), true) = (run.first_mut(), last, length >= LEAST_TOGETHER) {
            (first.count, first.last) = (length as u64, last);
            run.truncate(1);
        }
        result.append(&mut run);
    }
    result
}

fn line_up(run: &Run, node: &Node, depth: usize, sign: &'static str, lines: &mut Vec<Line>) {
    match node {
        Node::Group(group) => {
            let clocks = group.own + group.longer + group.mispredicted;
            lines.push(Line::Row(Row {
                clock: group.clock,
                sign,
                clocks: [clocks, group.late],
                u: text(run, group.u),
                v: group.v.map_or_else(|| EMPTY.to_owned(), |v| text(run, v)),
                reason: reason(run, group),
                count: 1,
                last: group.clock + u64::from(clocks.max(1)) - 1,
            }));
        }
        Node::Loop(inner) => {
            lines.push(Line::Words(depth, rounds(run, inner, sign)));
            if let Some(bound) = inner.bound.filter(|bound| bound.instructions > 1) {
                let in_v = inner
                    .round
                    .iter()
                    .filter(|node| matches!(node, Node::Group(group) if group.v.is_some()));
                let in_v = counted(in_v.count() as u64, "clock");
                let words = format!("V is used in {in_v}; {}.", least(&bound));
                lines.push(Line::Words(depth, words));
            }
            let start = inner.round.first().map_or(0, node_clock);
            for node in &inner.round {
                line_up(run, &since(node, start), depth + 1, "+", lines);
            }
        }
    }
}

fn node_clock(node: &Node) -> u64 {
    match node {
        Node::Group(group) => group.clock,
        Node::Loop(inner) => inner.clock,
    }
}

/// The node with its clock counted from `start`.
fn since(node: &Node, start: u64) -> Node {
    let mut node = node.clone();
    match &mut node {
        Node::Group(group) => group.clock = group.clock.saturating_sub(start),
        Node::Loop(inner) => inner.clock = inner.clock.saturating_sub(start),
    }
    node
}

/// A loop in a sentence.
fn rounds(run: &Run, inner: &Loop, sign: &str) -> String {
    let name = run
        .instructions
        .get(inner.head)
        .and_then(|head| label(run, head.address));
    let mut words = format!(
        "{}: {}{} rounds from clock {sign}{}, {}",
        name.map_or_else(|| unnamed(run, inner.head), |name| printable::printable(&name)),
        inner.rounds,
        if inner.entered_in_v { " more" } else { "" },
        inner.clock,
        counted(inner.cycles, "clock"),
    );
    let before = inner.late.as_ref().and_then(|group| late(run, group));
    let before = before.map_or_else(String::new, |waited| format!(" Before them it {waited}."));
    if inner.alike == inner.rounds {
        words += &format!("; {} each.", inner.round_cycles);
        return words + &before;
    }
    words += &format!("; {} in {} of them", inner.round_cycles, inner.alike);
    if let Some((least, most)) = inner.others {
        words += &match (least == most, least > inner.round_cycles) {
            (true, _) => format!(", else {least}"),
            (false, true) => format!(", else {least} to {most}"),
            (false, false) => format!(", others {least} to {most}"),
        };
    }
    let causes: Vec<&str> = inner.causes.iter().take(2).map(|&(cause, _)| plain(cause)).collect();
    if !causes.is_empty() {
        words += &format!(" ({})", causes.join(", "));
    }
    words + "." + &before
}

/// The name of the code at `address`.
fn label(run: &Run, address: u32) -> Option<String> {
    let at = run.labels.partition_point(|label| label.address < address);
    run.labels
        .get(at)
        .filter(|label| label.address == address)
        .map(|label| label.name.clone())
}

/// A loop without a label, by its line or its address.
fn unnamed(run: &Run, head: usize) -> String {
    match run.instructions.get(head).map(|one| (one.outermost, one.address)) {
        Some((Some((_, line)), _)) => format!("loop at line {line}"),
        Some((None, address)) => format!("loop at {address:08X}h"),
        None => "loop".to_owned(),
    }
}

/// The bound in a sentence without a full stop.
pub(super) fn least(bound: &Bound) -> String {
    let why = match bound.limit {
        Limit::Pipe => "one pipe",
        Limit::Pipes => "two pipes",
        Limit::U => "only U runs some",
        Limit::V => "some pair only in V",
        Limit::Unit => "one floating-point unit",
        Limit::PackedMultiplier => "one MMX multiplier",
        Limit::PackedShifter => "one MMX shifter",
        Limit::Chain => "a chain of results",
        Limit::Alone => "some never pair",
        Limit::Longest => "the longest one",
    };
    let work = if bound.work > bound.instructions {
        format!(" of {}", counted(bound.work, "clock"))
    } else {
        String::new()
    };
    format!(
        "{}{work} need {} ({why})",
        counted(bound.instructions, "instruction"),
        bound.clocks
    )
}

fn text(run: &Run, index: usize) -> String {
    run.instructions
        .get(index)
        .map_or_else(|| "?".to_owned(), |one| printable::printable(told(one)))
}
