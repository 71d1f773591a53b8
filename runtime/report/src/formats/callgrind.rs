//! Clocks by line in the format of callgrind: the lines after each label or procedure, with clocks, instructions, those
//! of each pipe, clocks by cause and refusals to pair as events.
//!
//! Counter values are not known by line, so the nonzero counts of the run are lines of the description. The cost of a
//! call is what passed from its end to the end of the return: clocks and instructions. Waits after a mispredicted
//! return are costs of its line, but not of the call.

use crate::lines::{self, Entry, Stack, Sum};
use crate::printable::escaped;
use crate::{Detail, Style};
use p5_results::{Call, Calls, Cause, EventCount, Refusal, Run};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

/// Writes the lines of `run`. A cause or refusal that did not occur is not an event of the file.
pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let stacks = lines::stacks(run, style.detail);
    let all = Sum::of_entries(run, &lines::shown_entries(run, style.detail).collect::<Vec<_>>());
    let part = if style.detail == Detail::All {
        &run.whole
    } else {
        &run.own
    };
    let causes: Vec<Cause> = Cause::ALL
        .iter()
        .copied()
        .filter(|&cause| all.spent(cause) > 0)
        .collect();
    let refusals = Refusal::ALL.iter().copied();
    let refusals: Vec<Refusal> = refusals.filter(|&refusal| all.refused(refusal) > 0).collect();
    let costs = |sum: &Sum| {
        let plain = [sum.cycles, sum.executions, sum.u, sum.v];
        let causes = causes.iter().map(|&cause| sum.spent(cause));
        let refusals = refusals.iter().map(|&refusal| sum.refused(refusal));
        let costs = plain.into_iter().chain(causes).chain(refusals);
        costs.map(|cost| cost.to_string()).collect::<Vec<_>>().join(" ")
    };
    writeln!(out, "# callgrind format")?;
    writeln!(out, "version: 1")?;
    writeln!(out, "creator: p5inst {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "cmd: {}", escaped(&run.program))?;
    writeln!(out, "desc: Chip: {}, memory {}", run.cpu_title, run.memory)?;
    writeln!(out, "desc: Run: {} of {}", run.runs.len(), run.runs.len())?;
    if let Some(stopped) = super::why_stopped(run) {
        // The key already has the first word.
        let why = stopped
            .strip_prefix("stopped")
            .map_or(&*stopped, |why| why.trim_start_matches([':', ' ']));
        writeln!(out, "desc: Stopped: {why}")?;
    }
    let occurred = |count: &&EventCount| count.unavailable.is_none() && (count.occurrences, count.clocks) != (0, 0);
    for count in part.events.iter().filter(occurred) {
        let name = count.event.name();
        writeln!(
            out,
            "desc: {name}: {} times, {} clocks",
            count.occurrences, count.clocks
        )?;
    }
    let calls = run
        .calls
        .as_ref()
        .map(|calls| Edges::of(run, &stacks, calls))
        .unwrap_or_default();
    match calls.left_out {
        0 => {}
        1 => writeln!(out, "desc: Calls: one to or from code without a row is left out")?,
        count => writeln!(out, "desc: Calls: {count} to or from code without a row are left out")?,
    }
    if run.calls.as_ref().is_some_and(|calls| !calls.complete) {
        writeln!(out, "desc: Calls: there are too many; some are left out")?;
    }
    let causes = causes.iter().map(|cause| (event("", cause.name()), cause.name()));
    let refusals = refusals
        .iter()
        .map(|refusal| (event("Alone", refusal.name()), refusal.name()));
    let explained: Vec<(String, &str)> = causes.chain(refusals).collect();
    for (name, long) in &explained {
        writeln!(out, "event: {name} : {long}")?;
    }
    let names: Vec<&str> = explained.iter().map(|(name, _)| name.as_str()).collect();
    writeln!(out, "positions: line")?;
    writeln!(out, "events: Clocks Instructions U V {}", names.join(" "))?;
    writeln!(out, "summary: {}", costs(&all))?;
    // Files and functions have numbers of their own.
    let (mut files, mut names) = (Names::default(), Names::default());
    for function in stacks.chunk_by(|one, next| (one.file, one.function) == (next.file, next.function)) {
        let Some(Stack {
            file, function: name, ..
        }) = function.first()
        else {
            continue;
        };
        writeln!(out, "\nfl={}", files.of(file))?;
        writeln!(out, "fn={}", names.of(name))?;
        for line in function.chunk_by(|one, next| one.line == next.line) {
            let entries: Vec<Entry> = line.iter().flat_map(|stack| stack.entries.iter().copied()).collect();
            let number = line.first().map_or(0, |stack| stack.line);
            writeln!(out, "{number} {}", costs(&Sum::of_entries(run, &entries)))?;
            let from = (*file, *name, number);
            for (target, made) in calls
                .between
                .range((from, FIRST)..)
                .take_while(|((one, _), _)| *one == from)
            {
                let (file, name, first) = target.1;
                writeln!(out, "cfi={}\ncfn={}", files.of(file), names.of(name))?;
                writeln!(out, "calls={} {first}", made.times)?;
                writeln!(out, "{number} {} {}", made.clocks, made.instructions)?;
            }
        }
    }
    Ok(())
}

/// An event name in the format's style: words without blanks, each with a capital.
fn event(before: &str, name: &str) -> String {
    let words = name.split(|character: char| !character.is_ascii_alphanumeric());
    let mut event = before.to_owned();
    for word in words {
        let mut characters = word.chars();
        event.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        event.push_str(characters.as_str());
    }
    event
}

/// A line of a function: file, function and number.
type Place<'a> = (&'a str, &'a str, u32);

/// What precedes all places.
const FIRST: Place<'_> = ("", "", 0);

#[derive(Default)]
struct Made {
    times: u64,
    clocks: u64,
    instructions: u64,
}

/// The calls between lines.
#[derive(Default)]
struct Edges<'a> {
    between: BTreeMap<(Place<'a>, Place<'a>), Made>,
    /// The number of those of code that is not shown.
    left_out: u64,
}

impl<'a> Edges<'a> {
    fn of(run: &Run, stacks: &[Stack<'a>], calls: &Calls) -> Edges<'a> {
        let of_stack = |stack: &Stack<'a>| (stack.file, stack.function, stack.line);
        let places: HashMap<u32, Place<'a>> = stacks
            .iter()
            .flat_map(|stack| stack.entries.iter().map(move |&entry| (entry, of_stack(stack))))
            .filter_map(|(entry, place)| Some((run.instructions.get(entry)?.address, place)))
            .collect();
        let mut edges = Edges::default();
        for &Call {
            from,
            target,
            times,
            clocks,
            instructions,
        } in &calls.list
        {
            let Some(ends) = places.get(&from).copied().zip(places.get(&target).copied()) else {
                edges.left_out += 1;
                continue;
            };
            let made = edges.between.entry(ends).or_default();
            made.times += times;
            made.clocks += clocks;
            made.instructions += instructions;
        }
        edges
    }
}

/// Names in the format's compressed form: a number in parentheses, and the name at its first use.
#[derive(Default)]
struct Names<'a>(BTreeMap<&'a str, usize>);

impl<'a> Names<'a> {
    fn of(&mut self, name: &'a str) -> String {
        let next = self.0.len() + 1;
        match self.0.get(name) {
            Some(number) => format!("({number})"),
            None => {
                self.0.insert(name, next);
                format!("({next}) {}", escaped(name))
            }
        }
    }
}
