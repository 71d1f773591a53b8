//! `p5inst advise`: the clocks that other orders and other instructions save, as text or as JSON.

mod diff;
pub(crate) mod json;
mod left_out;

pub use left_out::{Alone, Changed, InVain, LeftAlone, Refused, Slight, Unknown, Unread, WhyUnread};

use super::ending;
use super::fragment;
use super::json_text::write_json;
use super::monitors::is_bus_master;
use super::phrases::{counted, lines};
use super::printable::{is_escaped, printable};
use super::setting::Setting;
use super::summary::percent;
use super::wording;
use super::{FAILURE, Format, HEADING, STALL, Style, painted};
use diff::{Change, hunk};
use p5_advice::bound::{self, Step};
use p5_image::Assumed;
use p5_machine::instruments::Subject;
use p5_results::{Cause, Note, Run};
use std::io::{self, Write};

/// Clocks of what is left alone are told first if they are at least one in this many.
const ALONE: u64 = 5;
const LIMIT: &str = "stopped at the clock limit, `--limit`";

/// The result of a search for faster orders and instructions.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The program and its machine.
    pub subject: Subject,
    /// What was assumed of a source that is a fragment; `None` for a program.
    pub fragment: Option<Vec<Assumed>>,
    /// Whether none of its instructions was executed twice in the last run, or repeats itself.
    pub once: bool,
    /// The number of runs of the program; the last one counts.
    pub runs: u32,
    /// The clocks of the user's program in the last run, as it is and with all suggestions.
    pub clocks: [u64; 2],
    /// The suggestions in the order in which they are applied.
    pub suggestions: Vec<Suggestion>,
    /// The number of blocks that were examined.
    pub blocks: u64,
    /// The number of blocks that were not examined, because there was no time or there were too many.
    pub not_examined: u64,
    /// The maximum number of blocks that are examined.
    pub most_blocks: u64,
    /// The executed instructions that no suggestion may change, by reason.
    pub left_alone: Vec<(LeftAlone, Alone)>,
    /// The clocks of one more run, before and after; `None` if they equal those of the last run.
    pub unsettled: [Option<u64>; 2],
    /// The trials that would have saved clocks but left another state, by block and difference.
    pub refused: Vec<Refused>,
    /// The changes that save too little to be suggested.
    pub slight: Vec<Slight>,
    /// The blocks that wait for write buffers, and why no line is read first there.
    pub unread: Vec<Unread>,
    /// The blocks with most clocks that were examined, and of which nothing saves any.
    pub in_vain: Vec<InVain>,
    /// What else costs clocks again and again, which no order of instructions changes.
    pub notes: Vec<Note>,
    /// Whether the time limit ended the search.
    pub out_of_time: bool,
    /// The registers that nothing in the program used, and that the suggestions change.
    pub taken: Vec<String>,
    /// The name of the file that was written, if any.
    pub written: Option<String>,
    /// Why it is about another chip than the usual one, if nobody asked for that.
    pub later_chip: Option<Note>,
}

/// A change to the instructions of one block.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The first line that changes, from 1, in the text with the suggestions before this one.
    pub first_line: u32,
    /// The unchanged lines of the text before the block, and those after it.
    pub context: [Vec<String>; 2],
    /// The lines of the block before and after the change.
    pub block: [Vec<String>; 2],
    /// The replaced instructions, each before and after.
    pub replaced: Vec<(String, String)>,
    /// Whether instructions change places.
    pub reordered: bool,
    /// The number of executions of the block, if it was counted.
    pub passes: Option<u64>,
    /// The clocks of the user's program before and after.
    pub clocks: [u64; 2],
    /// The clocks charged to the instructions of the block before and after.
    pub block_clocks: [u64; 2],
    /// The other lines whose clocks change, the largest change first.
    pub elsewhere: Vec<Elsewhere>,
    /// The code size of the block in bytes, before and after.
    pub bytes: [u32; 2],
    /// The number of orders of the final instructions that were tried; `None` if no time was left.
    pub tried: Option<u64>,
    /// Whether all legal orders were tried.
    pub all_tried: bool,
    /// The lower bound on the clocks of one pass of the final instructions, over all orders and operands.
    pub least: u64,
}

/// A line outside of a changed block whose clocks change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The file of the line; `None` for the program's own.
    pub file: Option<String>,
    /// The line number, from 1, in the text with the suggestions before this one.
    pub line: u32,
    /// The number of clocks that the line saves; negative if it takes more.
    pub clocks: i64,
    /// The cause whose clocks change most.
    pub cause: Cause,
}

/// The lower bound on the clocks of one pass of these instructions, over all orders; of a loop's round, if `repeats`.
pub fn least_clocks(run: &Run, instructions: &[usize], repeats: bool) -> u64 {
    let steps: Vec<Step> = instructions
        .iter()
        .map(|&instruction| Step {
            instruction,
            took: None,
            saved: None,
        })
        .collect();
    let bound = if repeats { bound::repeated } else { bound::once };
    bound(run, &steps).clocks
}

/// Writes advice in a format.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_advice(format: Format, advice: &Advice, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return write_json(&json::AdviceReport::of(advice), out);
    }
    let subject = &advice.subject;
    Setting::from(subject).write(style, out)?;
    if let Some(note) = &advice.later_chip {
        lines(&wording::note(note), style, out)?;
    }
    if let Some(stopped) = ending::stopped(&subject.stop, &subject.files, LIMIT, style) {
        lines(&stopped, style, out)?;
        return lines(
            "no advice: only a program that ends by itself has a final state to keep",
            style,
            out,
        );
    }
    if let Some(assumed) = fragment::words(advice.fragment.as_deref()) {
        lines(&format!("assumed: {assumed}"), style, out)?;
    }
    let [before, after] = advice.clocks;
    let of_runs = match advice.runs {
        1 => String::new(),
        runs => format!(" in the last of {runs} runs"),
    };
    lines(&format!("{}{of_runs}", counted(before, "clock")), style, out)?;
    if advice.once {
        let words = "no loop was executed: each instruction ran once in a run, so what is saved is saved once, and the \
                     clocks of the last run are those of code and data that earlier runs brought into the caches";
        let cold = "no loop was executed: each instruction ran once, so what is saved is saved once";
        lines(if advice.runs > 1 { words } else { cold }, style, out)?;
    }
    let alone: u64 = advice.left_alone.iter().map(|(_, alone)| alone.clocks).sum();
    // The largest part of the clocks comes first.
    let notable = alone > before - after.min(before) && before < alone.saturating_mul(ALONE);
    if notable && alone <= before {
        let words =
            format!("{alone} of them in instructions that are left alone, as said below: they are not examined");
        lines(&words, style, out)?;
    }
    if let Some(words) = unsettled(advice) {
        lines(&words, style, out)?;
    }
    if advice.suggestions.is_empty() {
        let words = match (advice.out_of_time, advice.blocks) {
            (true, 0) => "no suggestion: the time limit was reached before anything was tried",
            (true, _) => "no suggestion of those that were tried saves a clock",
            (false, _) if !advice.refused.is_empty() => "no suggestion saves a clock and keeps the final state",
            (false, _) if !advice.slight.is_empty() => "no suggestion saves 0.05% of the clocks",
            (false, _) => "no suggestion within a block saves a clock",
        };
        lines(words, style, out)?;
    } else {
        let words = format!(
            "{} with {}: {} saved ({})",
            counted(after, "clock"),
            counted(advice.suggestions.len() as u64, "suggestion"),
            counted(before - after, "clock"),
            percent(before - after, before),
        );
        lines(&words, style, out)?;
        let taken = match &*advice.taken {
            [] => String::new(),
            taken => format!(", but for {}, which nothing in the program used", taken.join(" and ")),
        };
        let words = format!("the final state stays the same, as far as `p5inst advise --help` says{taken}");
        lines(&words, style, out)?;
    }
    for suggestion in &advice.suggestions {
        writeln!(out)?;
        write_suggestion(&subject.program, suggestion, style, out)?;
    }
    write_rest(advice, style, out)
}

fn write_suggestion(program: &str, suggestion: &Suggestion, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Suggestion {
        first_line,
        block,
        passes,
        clocks,
        ..
    } = suggestion;
    let last_line = *first_line as usize + block[0].len().max(1) - 1;
    let saved = clocks[0] - clocks[1];
    let of_passes = match *passes {
        None | Some(0) => String::new(),
        Some(1) => format!(" in 1 pass, {saved} each"),
        Some(passes) => format!(" in {passes} passes, {} each", decimal(saved as f64 / passes as f64)),
    };
    let saved = counted(saved, "clock");
    let head = format!("lines {first_line} to {last_line}: {saved} saved{of_passes}");
    lines(&painted(style, HEADING, &head), style, out)?;
    for sentence in sentences(suggestion) {
        lines(&sentence, style, out)?;
    }
    let name = printable(program);
    writeln!(out, "--- {name}\n+++ {name}")?;
    let (head, changes) = hunk(suggestion);
    writeln!(out, "{head}")?;
    for change in changes {
        let (sign, text) = match change {
            Change::Kept(text) => (" ", text),
            Change::Removed(text) => ("-", text),
            Change::Added(text) => ("+", text),
        };
        let line = format!("{sign}{}", shown(text));
        let line = match change {
            Change::Kept(_) => line,
            Change::Removed(_) => painted(style, FAILURE, &line),
            Change::Added(_) => painted(style, STALL, &line),
        };
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// If one more run changes a saving by less than one part in this many, the advice stays the same.
const NOTICED: u64 = 10;

/// The statement that one more run would lead to other advice, because the savings or, without suggestions, the clocks
/// would differ there. `None` if it would not.
fn unsettled(advice: &Advice) -> Option<String> {
    let next = [0, 1].map(|index| advice.unsettled[index].unwrap_or(advice.clocks[index]));
    let run = advice.runs.saturating_add(1);
    let [saved, then] = [advice.clocks, next].map(|[before, after]| before as i64 - after as i64);
    let (least, differs, said) = if advice.suggestions.is_empty() {
        let said = format!("run {run} takes {}", counted(next[0], "clock"));
        (advice.clocks[0], next[0].abs_diff(advice.clocks[0]), said)
    } else {
        let clocks = counted(then.unsigned_abs(), "clock");
        let verb = if then < 0 { "cost" } else { "save" };
        let said = format!("in run {run} the suggestions {verb} {clocks}");
        (saved.unsigned_abs(), then.abs_diff(saved), said)
    };
    (differs.saturating_mul(NOTICED) > least).then(|| {
        let mut monitors = advice.subject.monitors.iter();
        match monitors.any(|name| is_bus_master(name)) {
            true => format!("each run meets other accesses of the other bus master: {said}"),
            false => format!("the runs have not settled: {said}; with a higher `--runs`, later ones are compared"),
        }
    })
}

/// The maximum number of lines outside of a block that are named.
const ELSEWHERE: usize = 3;

fn elsewhere(suggestion: &Suggestion) -> Option<String> {
    let [saved, inside] =
        [suggestion.clocks, suggestion.block_clocks].map(|[before, after]| before as i64 - after as i64);
    let outside = saved - inside;
    if outside == 0 {
        return None;
    }
    let named = suggestion
        .elsewhere
        .iter()
        .filter(|one| one.clocks.signum() == outside.signum());
    let each = |one: &Elsewhere| {
        let file = one
            .file
            .as_ref()
            .map_or_else(String::new, |file| format!("{}:", printable(file)));
        format!(
            "{} in line {file}{}, {}",
            one.clocks.unsigned_abs(),
            one.line,
            one.cause.name()
        )
    };
    let named: Vec<String> = named.take(ELSEWHERE).map(each).collect();
    let where_ = if named.is_empty() {
        String::new()
    } else {
        format!(" ({})", named.join(", "))
    };
    let part = |clocks: i64| {
        let verb = if clocks < 0 { "costs" } else { "saves" };
        format!("{verb} {}", counted(clocks.unsigned_abs(), "clock"))
    };
    let all = match saved {
        0 => "nothing in all".to_owned(),
        _ => format!("it {} in all", part(saved)),
    };
    Some(format!(
        "it {} here and {} elsewhere{where_}: {all}",
        part(inside),
        part(outside)
    ))
}

fn sentences(suggestion: &Suggestion) -> Vec<String> {
    let mut sentences = Vec::new();
    for (before, after) in &suggestion.replaced {
        sentences.push(format!("`{}` becomes `{}`", printable(before), printable(after)));
    }
    let [bytes, new_bytes] = suggestion.bytes;
    if new_bytes != bytes {
        let (number, word) = match new_bytes.checked_sub(bytes) {
            Some(more) => (more, "longer"),
            None => (bytes - new_bytes, "shorter"),
        };
        sentences.push(format!("the code is {} {word}", counted(u64::from(number), "byte")));
    }
    let tried = match (suggestion.tried, suggestion.all_tried) {
        (None, _) => "other orders of it not examined: no time was left".to_owned(),
        (Some(1), true) => "the only legal order".to_owned(),
        (Some(tried), true) => format!("the best of all {tried} legal orders, if all accesses hit"),
        (Some(tried), false) => format!("best of {tried} orders tried"),
    };
    let (which, passes) = match suggestion.passes {
        None | Some(0) => ("all passes of this block take", 1),
        Some(passes) => ("a pass of this block takes", passes),
    };
    let [before, after] = suggestion
        .block_clocks
        .map(|clocks| decimal(clocks as f64 / passes as f64));
    let of = match suggestion.replaced.is_empty() {
        true => "",
        false => " of the new instructions",
    };
    // An instruction that pairs with one before the block adds nothing to the clocks of the block itself.
    let least = match suggestion.block_clocks[1] < suggestion.least.saturating_mul(passes) {
        true => "its first instruction pairs with the code before it".to_owned(),
        // The report of a run has the bound of the instructions as they were.
        false => format!("no order{of} can take less than {}", suggestion.least),
    };
    sentences.push(format!("{which} {after} clocks instead of {before}; {tried}; {least}"));
    sentences.extend(elsewhere(suggestion));
    sentences
}

/// Writes the numbers of blocks and instructions that were not examined or not changed.
fn write_rest(advice: &Advice, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out)?;
    let examined = counted(advice.blocks, "block");
    if advice.blocks + advice.not_examined == 0 && advice.left_alone.is_empty() {
        let words = format!("{examined} examined: no instruction of the program was executed in a region");
        lines(&words, style, out)?;
    } else {
        let words = format!("{examined} examined; `p5inst advise --help` lists what is tried in place of what");
        lines(&words, style, out)?;
    }
    if advice.not_examined > 0 {
        let why = if advice.blocks < advice.most_blocks {
            "no time was left".to_owned()
        } else {
            format!("only the {} that take most clocks are", advice.most_blocks)
        };
        let words = format!("{} not examined: {why}", counted(advice.not_examined, "block"));
        lines(&words, style, out)?;
    }
    for sentence in left_out::sentences(advice) {
        lines(&sentence, style, out)?;
    }
    if advice.out_of_time {
        lines(
            "the time limit, `--timeout`, was reached before all was tried",
            style,
            out,
        )?;
    }
    match &advice.written {
        Some(file) => lines(&format!("written: {}", printable(file)), style, out),
        None => Ok(()),
    }
}

/// A source line for the terminal; tabs stay, so that the difference can be applied.
fn shown(text: &str) -> String {
    let safe = |character: &char| *character == '\t' || !is_escaped(*character);
    match text.chars().all(|character| safe(&character)) {
        true => text.to_owned(),
        false => printable(text),
    }
}

fn decimal(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
