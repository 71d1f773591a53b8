//! The slot diagram as text: for each clock the work of U and V, the lost clocks, and the reason why V is empty.

mod asked;
mod calls;
mod loops;

pub(super) use asked::{missing, words as words_of_asked};
pub(super) use loops::{each, least, least_of_round, other_paths, rounds};

use self::calls::Shown;
use super::diagram::{self, Diagram, Node, Probe};
use super::header::{self, counted};
use super::lines::is_assembly;
use super::printable::{self, cut, folded};
use super::reasons::{reason, told};
use super::{Detail, HEADING, STALL, Style, painted, paragraph, regions};
use p5_results::{Run, StopReason};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The minimum width of the reason, which is also its width in the narrowest table.
const LEAST_REASON: usize = 16;
const NARROWEST_REASON: usize = 8;
/// The minimum width of an instruction in U.
const LEAST_INSTRUCTION: usize = 8;
const EMPTY: &str = "-";

/// Writes the diagram of each region, or of a program without regions. Returns whether there was one.
pub(super) fn write_all(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<bool> {
    if let Some(asked) = &run.asked
        && asked::write_asked(run, asked, style, out)?
    {
        return Ok(false);
    }
    let (mut left, each) = if style.detail == Detail::Short {
        (ROWS, ROWS_EACH)
    } else {
        (usize::MAX, usize::MAX)
    };
    let beyond = is_hot_beyond(run);
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
        probes(run, &diagram, style, out)?;
        if region.trace.full {
            let instructions = counted(region.trace.issued.len() as u64, "instruction");
            let words = match beyond {
                true => format!(
                    "Only the first {instructions} of the pass were traced; `--show LINE` draws a loop after them:"
                ),
                false => format!("Only the first {instructions} of the pass were traced:"),
            };
            paragraph(style, &words, out)?;
        }
        left -= write(run, &diagram, left.min(each), style, out)?.min(left);
    }
    // Of a program with regions, the whole run was traced for what is asked for alone.
    let whole = Diagram::of(run, &run.trace).filter(|_| run.asked.is_none() || run.regions.is_empty());
    let Some(mut diagram) = whole else {
        return Ok(!run.regions.is_empty() && !beyond);
    };
    writeln!(out)?;
    let traced = counted(run.trace.issued.len() as u64, "instruction");
    let hottest = (style.detail == Detail::Short && run.trace.full && leaves_out(run))
        .then(|| diagram.hottest_loop(run, &traced));
    let without_loop = matches!(hottest, Some(None));
    if let Some((hottest, words)) = hottest.flatten() {
        if is_compiled(run, style) && !diagram::has_line(run, &hottest) {
            let words = "What was traced of the run is mostly code without source lines; `--show FUNCTION` or `--show \
                         LINE` draws a loop.";
            header::lines(words, style, out)?;
            return Ok(false);
        }
        header::lines(&words, style, out)?;
        diagram.nodes = vec![hottest];
    } else if without_loop {
        let words = format!(
            "{traced} were traced from clock {}; no loop of the source repeats in them:",
            run.trace.from
        );
        header::lines(&words, style, out)?;
    } else if run.trace.full && run.trace.from > 0 {
        let words = format!("{traced} were traced from clock {}:", run.trace.from);
        header::lines(&words, style, out)?;
    } else if run.trace.full {
        header::lines(&format!("Only the first {traced} were traced:"), style, out)?;
    } else if !run.regions.is_empty() {
        let reached = run.regions.iter().any(|region| region.pass_count > 0);
        let words = if reached {
            "The last run:"
        } else {
            "No pass of a region ended. The run:"
        };
        header::lines(words, style, out)?;
    }
    if ends_by_fault(run, style) {
        let known = run.stop.place.is_some();
        let rows = if known { left.min(each) } else { ROWS_WITHOUT_LINE };
        if let Some(from) = diagram.keep_end(|diagram| lines_of(run, diagram, style.detail).len() <= rows) {
            let words = format!("From clock {from} to the fault; `--long` shows all:");
            header::lines(&words, style, out)?;
        }
    }
    // Who looks for the reason of a fault has less use for the loop of a long run.
    let short = style.detail == Detail::Short && run.stop.reason == StopReason::Fault && run.trace.full;
    let each = if short { ROWS_BEFORE_FAULT } else { each };
    write(run, &diagram, left.min(each), style, out)?;
    // The listing has the code that the diagram leaves out, and says where the clocks of rows are that it cuts off.
    Ok(!leaves_out(run) && !cuts_off(run, style))
}

/// Whether the diagram of a program without regions has more rows than a short report shows.
pub(super) fn cuts_off(run: &Run, style: &Style) -> bool {
    if style.detail != Detail::Short || !run.regions.is_empty() || ends_by_fault(run, style) {
        return false;
    }
    let Some(diagram) = Diagram::of(run, &run.trace) else {
        return false;
    };
    // What is full shows its hottest loop alone, if there is one to show.
    let loop_alone = run.trace.full && leaves_out(run) && diagram.hottest_loop(run, "").is_some();
    !loop_alone && lines_of(run, &diagram, style.detail).len() > ROWS_EACH
}

/// Whether a short report is of a program of Linux whose compiler told the lines of some of its code.
pub(super) fn is_compiled(run: &Run, style: &Style) -> bool {
    let compiled = |(file, _)| !is_assembly(run, file);
    let lines = || run.instructions.iter().any(|one| one.outermost.is_some_and(compiled));
    style.detail == Detail::Short && run.cpl == 3 && run.regions.is_empty() && run.asked.is_none() && lines()
}

/// Whether a short report shows the end of a run's diagram, which a fault stopped, rather than its beginning.
fn ends_by_fault(run: &Run, style: &Style) -> bool {
    style.detail == Detail::Short && run.stop.reason == StopReason::Fault && !run.trace.full
}

/// The share of a program's clocks that code takes which a report of regions should not leave out: one in so many.
const HOT: u64 = 20;

/// Whether passes of regions go on after their traces with code that takes many of the clocks, and that no trace has.
pub(super) fn is_hot_beyond(run: &Run) -> bool {
    if !run.regions.iter().any(|region| region.trace.full) {
        return false;
    }
    let traces = run.regions.iter().map(|region| &region.trace).chain([&run.trace]);
    let shown: BTreeSet<u32> = traces
        .flat_map(|trace| trace.issued.iter().map(|one| one.instruction))
        .collect();
    let own = || run.instructions.iter().zip(0..).filter(|(one, _)| !one.library);
    let clocks: u64 = own().map(|(one, _)| one.cycles).sum();
    own().any(|(one, number)| !shown.contains(&number) && one.cycles > clocks / HOT)
}

/// Whether the trace of a run does not have all of the program's code.
pub(super) fn leaves_out(run: &Run) -> bool {
    let shown: BTreeSet<u32> = run.trace.issued.iter().map(|one| one.instruction).collect();
    let own = run.instructions.iter().filter(|one| !one.library).count();
    shown.len() < own || run.remainders.iter().any(|one| !one.library)
}

/// Writes the share of the probes of inner regions in a pass.
fn probes(run: &Run, diagram: &Diagram, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (clocks, regions) = diagram.probes();
    if clocks == 0 {
        return Ok(());
    }
    let mut names: Vec<String> = regions
        .iter()
        .filter_map(|&region| Some(printable::printable(&run.regions.get(region)?.name)))
        .collect();
    if names.len() > NAMES {
        names.truncate(NAMES);
        names.push("others".to_owned());
    }
    let whose = if names.is_empty() {
        String::new()
    } else {
        format!(" of {}", names.join(", "))
    };
    let words = format!(
        "The pass shown includes {} of the probes{whose}.",
        counted(clocks, "clock")
    );
    paragraph(style, &words, out)
}

/// The maximum number of named regions whose probes a pass includes.
const NAMES: usize = 4;

/// The maximum number of rows in a short report: of all diagrams, and of one.
const ROWS: usize = 120;
const ROWS_EACH: usize = 40;
/// The maximum number of rows before a fault in code without source lines, which is not the user's own.
const ROWS_WITHOUT_LINE: usize = 8;
/// The maximum number of rows of the loop in which a fault ended a long run.
const ROWS_BEFORE_FAULT: usize = 12;

/// Writes a diagram of at most `rows` rows. Returns the number of written rows.
pub(super) fn write(
    run: &Run,
    diagram: &Diagram,
    rows: usize,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<usize> {
    let mut lines = lines_of(run, diagram, style.detail);
    let bound = diagram.bound.filter(|bound| bound.instructions > 1);
    let bound = bound.map(|bound| format!("{}.", least(run, &diagram.nodes, &bound)));
    let left = lines.len().saturating_sub(rows);
    lines.truncate(rows);
    let widest = |of: &dyn Fn(&Row) -> usize, least: usize| {
        let cells = lines.iter().filter_map(|line| match line {
            Line::Row(row) => Some(of(row)),
            Line::Words { .. } => None,
        });
        cells.max().unwrap_or(0).max(least)
    };
    let clock = widest(&|row| row.clock().len(), "clock".len());
    // Three gaps, the clock and the reason share the width with both instructions.
    let room = style.width.saturating_sub(clock + 7 + LEAST_REASON);
    let [u, v] = [
        widest(&|row| row.u().chars().count(), 1),
        widest(&|row| row.v.chars().count(), 1),
    ];
    // Each instruction has half of the room, and the part that the other one leaves free.
    let [u, v] = [
        u.min(room.saturating_sub(v.min(room / 2))),
        v.min(room.saturating_sub(u.min(room / 2))),
    ];
    let u = u.max(LEAST_INSTRUCTION);
    let v = v.min(room.saturating_sub(u)).max(1);
    let reason = style.width.saturating_sub(clock + u + v + 7).max(NARROWEST_REASON);
    let head = format!(" {:>clock$}  {:<u$}  {:<v$}  {}", "clock", "U", "V", "why not faster");
    writeln!(out, "{}", painted(style, HEADING, cut(&head, style.width).trim_end()))?;
    for line in &lines {
        match line {
            Line::Row(row) => {
                let start = format!(
                    " {:>clock$}  {:<u$}  {:<v$}",
                    row.clock(),
                    cut(&row.u(), u),
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
            Line::Words { depth, words, brief } => {
                let indent = clock + 3 + 2 * depth.min(&4);
                let lines = |words: &str| folded(words, beside(indent, style)).len();
                let words = if lines(brief) < lines(words) { brief } else { words };
                sentence(words, indent, style, out)?;
            }
        }
    }
    if left > 0 {
        let more = counted(left as u64, "more row");
        sentence(&format!("and {more}; `--long` shows all"), clock + 3, style, out)?;
    }
    if let Some(bound) = &bound {
        sentence(bound, clock + 3, style, out)?;
    }
    Ok(lines.len() + usize::from(bound.is_some()))
}

/// The rows of a diagram.
fn lines_of(run: &Run, diagram: &Diagram, detail: Detail) -> Vec<Line> {
    let mut lines = Vec::new();
    line_up_all((run, detail), &diagram.nodes, 0, 0, &mut lines);
    together(lines)
}

/// The rows of nodes, with their clocks counted from `start`.
fn line_up_all((run, detail): (&Run, Detail), nodes: &[Node], start: u64, depth: usize, lines: &mut Vec<Line>) {
    for shown in calls::shown(run, nodes, (start, depth), detail) {
        match shown {
            Shown::Node(node) if start == 0 => line_up((run, detail), node, depth, lines),
            Shown::Node(node) => line_up((run, detail), &since(node, start), depth, lines),
            Shown::Call(row) => lines.push(Line::Row(row)),
        }
    }
}

/// The width of a sentence with this indentation.
fn beside(indent: usize, style: &Style) -> usize {
    style.width.saturating_sub(indent).max(LEAST_REASON)
}

fn sentence(words: &str, indent: usize, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let lines = folded(words, beside(indent, style));
    lines.iter().try_for_each(|line| writeln!(out, "{:indent$}{line}", ""))
}

enum Line {
    Row(Row),
    /// A sentence at a depth of loops, and its brief form for fewer lines.
    Words {
        depth: usize,
        words: String,
        brief: String,
    },
}

struct Row {
    /// The number of loops around it.
    depth: usize,
    clock: u64,
    /// The clocks of the group, and the clocks that it waited before.
    clocks: [u32; 2],
    u: String,
    v: String,
    reason: String,
    /// The number of equal rows in succession, of which this is the first.
    count: u64,
    /// The last clock of the last one.
    last: u64,
}

impl Row {
    /// The clock, marked by the depth of the loop from whose round it is counted.
    fn clock(&self) -> String {
        format!("{}{}", sign(self.depth), self.clock)
    }

    fn u(&self) -> String {
        format!("{:1$}{2}", "", 2 * self.depth.saturating_sub(1).min(4), self.u)
    }

    /// Whether `next` equals this row except for its clock.
    fn repeats(&self, next: &Row) -> bool {
        self.clocks == next.clocks && self.u == next.u && self.v == next.v && self.reason == next.reason
    }

    fn reason(&self) -> String {
        if self.count == 1 {
            return self.reason.clone();
        }
        let Row {
            depth,
            count,
            clock,
            last,
            ..
        } = self;
        let sign = sign(*depth);
        let reason = if self.reason.is_empty() { "" } else { "; " };
        format!("x{count}, clocks {sign}{clock} to {sign}{last}{reason}{}", self.reason)
    }
}

/// The minimum number of equal rows that are written as one.
const LEAST_TOGETHER: usize = 3;

/// Joins equal rows in succession.
fn together(lines: Vec<Line>) -> Vec<Line> {
    let same = |one: &Line, next: &Line| matches!((one, next), (Line::Row(one), Line::Row(next)) if one.repeats(next));
    let runs = lines.chunk_by(same).map(<[Line]>::len).collect::<Vec<_>>();
    let mut lines = lines.into_iter();
    let mut result = Vec::new();
    for length in runs {
        let mut run: Vec<Line> = lines.by_ref().take(length).collect();
        let last = run.last().and_then(|line| match line {
            Line::Row(row) => Some(row.last),
            Line::Words { .. } => None,
        });
        if let (Some(Line::Row(first)), Some(last), true) = (run.first_mut(), last, length >= LEAST_TOGETHER) {
            (first.count, first.last) = (length as u64, last);
            run.truncate(1);
        }
        result.append(&mut run);
    }
    result
}

/// The mark of a clock counted from the start of a round: a `+` for each loop around it.
fn sign(depth: usize) -> &'static str {
    const SIGNS: &str = "++++";
    &SIGNS[..depth.min(SIGNS.len())]
}

fn line_up((run, detail): (&Run, Detail), node: &Node, depth: usize, lines: &mut Vec<Line>) {
    match node {
        Node::Group(group) => {
            let clocks = group.own + group.longer + group.mispredicted;
            let mut pipes = group.executed;
            if group.begun_in_v {
                pipes.swap(0, 1);
            }
            let [u, v] = pipes.map(|index| index.map_or_else(|| EMPTY.to_owned(), |index| text(run, index)));
            lines.push(Line::Row(Row {
                depth,
                clock: group.clock,
                clocks: [clocks, group.late],
                u,
                v,
                reason: reason(run, group),
                count: 1,
                last: group.clock + u64::from(clocks.max(1)) - 1,
            }));
        }
        Node::Loop(inner) => {
            lines.push(words(depth, |_| rounds(run, inner, depth, detail == Detail::Short)));
            let single = inner.paths.len() == 1;
            for path in inner.paths.iter().take(PATHS) {
                if !single {
                    let rounds = counted(path.rounds, "round");
                    lines.push(words(depth, |_| format!("{rounds}: {}.", each(run, path))));
                }
                if let Some(bound) = path.bound.filter(|bound| bound.instructions > 1) {
                    lines.push(words(depth, |brief| least_of_round(run, path, &bound, brief)));
                }
                let start = path.round.first().map_or(0, Node::clock);
                line_up_all((run, detail), &path.round, start, depth + 1, lines);
            }
            let others = inner.paths.iter().skip(PATHS);
            lines.extend(other_paths(others).map(|others| words(depth, |_| others.clone())));
        }
        Node::Probe(probe) => lines.push(Line::Row(probe_row(run, probe, depth))),
    }
}

/// A sentence in its full and its brief form.
fn words(depth: usize, said: impl Fn(bool) -> String) -> Line {
    Line::Words {
        depth,
        words: said(false),
        brief: said(true),
    }
}

/// The maximum number of paths of a loop that are shown.
pub(crate) const PATHS: usize = 4;

fn probe_row(run: &Run, probe: &Probe, depth: usize) -> Row {
    let region = probe.region.and_then(|region| run.regions.get(region));
    let whose = region.map_or_else(String::new, |region| {
        format!(" of {}", printable::printable(&region.name))
    });
    Row {
        clock: probe.clock,
        depth,
        clocks: [probe.cycles as u32, 0],
        u: format!("probe{whose}"),
        v: EMPTY.to_owned(),
        reason: counted(probe.cycles, "clock"),
        count: 1,
        last: probe.clock + probe.cycles.max(1) - 1,
    }
}

/// The node, with its clock counted from `start`.
fn since(node: &Node, start: u64) -> Node {
    let mut node = node.clone();
    match &mut node {
        Node::Group(group) => group.clock = group.clock.saturating_sub(start),
        Node::Loop(inner) => inner.clock = inner.clock.saturating_sub(start),
        Node::Probe(probe) => probe.clock = probe.clock.saturating_sub(start),
    }
    node
}

fn text(run: &Run, index: usize) -> String {
    match run.executed(index) {
        // The last instruction of an end macro may pair with the user's next instruction.
        Some(one) if one.library => "probe".to_owned(),
        Some(one) => printable::printable(told(one)),
        None => "?".to_owned(),
    }
}
