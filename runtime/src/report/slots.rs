//! The slot diagram as text: for each clock what U and V execute, the clocks lost, and why V is empty.

use super::bound::{Bound, Limit};
use super::diagram::{Diagram, Group, Loop, Node};
use super::header::counted;
use super::printable::{self, cut, folded};
use super::{Detail, HEADING, STALL, Style, painted, paragraph, regions};
use crate::run::{Cause, InstructionResult, Refusal, RegisterSet, Run};
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
        if region.trace.cut {
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
    if let Some(bound) = diagram.bound.filter(|bound| bound.instructions > 1) {
        lines.push(Line::Words(0, format!("{}.", least(&bound))));
    }
    let left = lines.len().saturating_sub(rows);
    lines.truncate(rows);
    let widest = |of: fn(&Row) -> &str, least: usize| {
        let cells = lines.iter().filter_map(|line| match line {
            Line::Row(row) => Some(of(row).chars().count()),
            Line::Words(..) => None,
        });
        cells.max().unwrap_or(0).max(least)
    };
    let clock = widest(|row| &row.clock, "clock".len());
    // Three gaps, the clock and the reason share the width with both instructions.
    let room = style.width.saturating_sub(clock + 7 + LEAST_REASON);
    let [u, v] = [widest(|row| &row.u, 1), widest(|row| &row.v, 1)];
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
                let start = format!(" {:>clock$}  {:<u$}  {:<v$}", row.clock, cut(&row.u, u), cut(&row.v, v));
                let reasons = folded(&row.reason, reason);
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
    clock: String,
    u: String,
    v: String,
    reason: String,
}

fn line_up(run: &Run, node: &Node, depth: usize, sign: &str, lines: &mut Vec<Line>) {
    match node {
        Node::Group(group) => lines.push(Line::Row(Row {
            clock: format!("{sign}{}", group.clock),
            u: text(run, group.u),
            v: group.v.map_or_else(|| EMPTY.to_owned(), |v| text(run, v)),
            reason: reason(run, group),
        })),
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
    if inner.alike == inner.rounds {
        words += &format!("; {} each.", inner.round_cycles);
        return words;
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
    words + "."
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
        Limit::Pipes => "two pipes",
        Limit::U => "only U runs some",
        Limit::V => "some pair only in V",
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

/// The instruction as the source spells it, or else as its bytes are.
fn told(one: &InstructionResult) -> &str {
    one.written.as_deref().unwrap_or(&one.text)
}

/// The mnemonic, with its prefix if it has one.
fn mnemonic(one: &InstructionResult) -> String {
    let text = told(one).to_ascii_lowercase();
    let prefixed = text.starts_with("rep") || text.starts_with("lock ");
    let words = text.split(' ').take(if prefixed { 2 } else { 1 });
    printable::printable(&words.collect::<Vec<_>>().join(" "))
}

/// What the group lost clocks to, and why it is not a pair.
fn reason(run: &Run, group: &Group) -> String {
    let mut reasons = Vec::new();
    // What is late waited before the clock of its row.
    for (word, clocks, cause) in [("waited ", group.late, group.waited), ("+", group.longer, group.slowed)] {
        if let Some(cause) = cause {
            reasons.push(format!("{word}{clocks}: {}", cause_of(run, group, cause)));
        }
    }
    if group.mispredicted > 0 {
        let again = if group.after_misprediction {
            " right after another"
        } else {
            ""
        };
        reasons.push(format!("+{}: mispredicted{again}", group.mispredicted));
    }
    let u = run.instructions.get(group.u);
    let v = group.v.and_then(|v| run.instructions.get(v));
    let clocks = |one: &InstructionResult| one.needs.clocks;
    let slowest = [u, v].into_iter().flatten().max_by_key(|one| clocks(one));
    match slowest {
        Some(one) if v.is_some() && group.own > clocks(one) => {
            reasons.push(format!("the pair takes {} in lockstep", group.own));
        }
        Some(one) if group.own > 1 && group.refusal == Some(Refusal::FirstNotPairable) => {
            reasons.push(format!("{} takes {} and never pairs", mnemonic(one), group.own));
            return reasons.join("; ");
        }
        Some(one) if group.own > 1 => reasons.push(format!("{} takes {}", mnemonic(one), group.own)),
        _ => {}
    }
    if let (Some(refusal), Some(u)) = (group.refusal, u) {
        let next = group.next.and_then(|next| run.instructions.get(next));
        reasons.extend(refused(run, refusal, u, next));
    }
    reasons.join("; ")
}

fn names(set: RegisterSet) -> String {
    set.general_names().collect::<Vec<_>>().join(", ")
}

/// What clocks were lost to, with the register, the bank or the data concerned.
fn cause_of(run: &Run, group: &Group, cause: Cause) -> String {
    let members = |indices: [Option<usize>; 2]| {
        let found = indices.into_iter().flatten();
        found
            .filter_map(|index| run.instructions.get(index))
            .collect::<Vec<_>>()
    };
    let data = || match group.data {
        Some(address) if group.other_data => format!(" in {}", place(run, address, false)),
        Some(address) => format!(" of {}", place(run, address, true)),
        None => String::new(),
    };
    match cause {
        Cause::Agi => {
            let wanted = members([Some(group.u), group.v]);
            let wanted = wanted
                .iter()
                .fold(RegisterSet::EMPTY, |set, one| set.union(one.needs.addresses));
            let writers = members(group.before);
            let writer = writers.iter().find(|one| one.needs.interlocks.intersects(wanted));
            match writer {
                Some(writer) => format!(
                    "AGI, {} wrote {}",
                    mnemonic(writer),
                    names(writer.needs.interlocks.intersection(wanted))
                ),
                None => "AGI".to_owned(),
            }
        }
        Cause::BankConflict => match group.bank {
            Some(bank) => format!("both access bank {bank}"),
            None => cause.name().to_owned(),
        },
        Cause::Misaligned => format!("misaligned access{}", data()),
        Cause::DataReadMiss => format!("read miss{}", data()),
        Cause::DataTlbMiss => format!("TLB miss{}", data()),
        Cause::WriteBufferFull => match group.data {
            Some(address) => format!(
                "write buffer full, {} is not cached",
                place(run, address, !group.other_data)
            ),
            None => cause.name().to_owned(),
        },
        Cause::WriteOrder => format!("{}{}", cause.name(), data()),
        Cause::Execution => match members(group.before).first() {
            Some(before) => format!("{} has no result yet", mnemonic(before)),
            None => cause.name().to_owned(),
        },
        _ => plain(cause).to_owned(),
    }
}

/// A cause in the words of the diagram.
fn plain(cause: Cause) -> &'static str {
    match cause {
        Cause::Agi => "AGI",
        Cause::DataReadMiss => "read miss",
        Cause::DataTlbMiss => "TLB miss",
        Cause::CodeTlbMiss => "code TLB miss",
        Cause::Misprediction => "mispredicted",
        _ => cause.name(),
    }
}

/// An address by the data symbol it belongs to, `exact` or only its symbol.
fn place(run: &Run, address: u32, exact: bool) -> String {
    let found = run.symbols.iter().find(|symbol| {
        let offset = address.wrapping_sub(symbol.address);
        offset < symbol.size
    });
    match found.map(|symbol| (printable::printable(&symbol.name), address - symbol.address)) {
        Some((name, offset)) if offset == 0 || !exact => name,
        Some((name, offset)) => format!("{name}+{offset}"),
        None => format!("{address:08X}h"),
    }
}

/// Why `u` issued alone before `next`; none if nothing was lost.
fn refused(run: &Run, refusal: Refusal, u: &InstructionResult, next: Option<&InstructionResult>) -> Option<String> {
    if next.is_none() && !matches!(refusal, Refusal::FirstNotPairable | Refusal::FirstOnlyV) {
        let end = if run.regions.is_empty() {
            "the run stops"
        } else {
            "the region ends"
        };
        return Some(end.to_owned());
    }
    let first = mnemonic(u);
    let second = next.map_or_else(|| "instruction".to_owned(), mnemonic);
    let second = format!("next {second}");
    let shared = |of: fn(&InstructionResult) -> RegisterSet| {
        let set = next.map_or(RegisterSet::EMPTY, of);
        let shared = names(u.needs.writes.intersection(set));
        if shared.is_empty() {
            "a result".to_owned()
        } else {
            shared
        }
    };
    Some(match refusal {
        Refusal::FirstNotPairable => format!("{first} never pairs"),
        Refusal::FirstOnlyV => format!("{first} pairs only in V"),
        Refusal::SecondNotPairable => format!("{second} never pairs"),
        Refusal::SecondOnlyU => format!("{second} pairs only in U"),
        Refusal::ReadAfterWrite => format!("{second} needs {}", shared(|next| next.needs.reads)),
        Refusal::WriteAfterWrite => format!("{second} writes {} too", shared(|next| next.needs.writes)),
        Refusal::DisplacementAndImmediate => {
            // Alone, such an instruction can never pair.
            let own = u.needs.never_pairs();
            format!("{} has displacement and immediate", if own { &first } else { &second })
        }
        Refusal::SecondPrefix => format!("{second} has a prefix"),
        Refusal::FirstExecution => "first execution".to_owned(),
        Refusal::SecondNotFetched => format!("{second} is not fetched yet"),
        Refusal::TooLong => "too long to pair".to_owned(),
        Refusal::SinglePipe => "V is switched off".to_owned(),
        Refusal::StackPointer => "both use esp".to_owned(),
        Refusal::TakenBranch | Refusal::LastInstruction => return None,
    })
}
