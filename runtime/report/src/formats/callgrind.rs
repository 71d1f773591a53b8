//! Clocks by line in the format of callgrind: the lines of each function and its calls, with clocks, instructions,
//! those of each pipe, clocks by cause and refusals to pair as events.
//!
//! Counter values are not known by line, so the nonzero counts of the run are lines of the description. Code without
//! lines has line 0.

use crate::lines::{self, Functions, Sum};
use crate::printable::escaped;
use crate::{Detail, Style};
use p5_results::{Cause, EventCount, Refusal, Run};
use std::collections::BTreeMap;
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
    let functions = lines::functions(run, &stacks, style.detail);
    if functions.cut {
        let what = "nested too deeply, or in too many ways, to tell all; costs of those are clocks and instructions";
        writeln!(out, "desc: Calls: {what}")?;
    }
    if functions.incomplete {
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
    write_functions(&functions, &paths(run), costs, out)
}

/// The whole paths of files that lie outside of the directory in which the program was compiled, by their names: from
/// there a reader does not find them. Of files with one name, the first has it.
fn paths(run: &Run) -> BTreeMap<&str, &str> {
    let mut paths = BTreeMap::new();
    for file in &run.files {
        let path = file.elsewhere.as_deref().unwrap_or(&file.name);
        paths.entry(&*file.name).or_insert(path);
    }
    paths
}

/// Writes the functions with their lines and calls, each sum as `costs` has it.
fn write_functions(
    functions: &Functions,
    paths: &BTreeMap<&str, &str>,
    costs: impl Fn(&Sum) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    let path = |file| paths.get(file).copied().unwrap_or(file);
    // Files and functions have numbers of their own.
    let (mut files, mut names) = (Names::default(), Names::default());
    for function in functions.list.iter().filter(|function| !function.lines.is_empty()) {
        writeln!(out, "\nfl={}", files.of(path(function.file)))?;
        writeln!(out, "fn={}", names.of(&function.name))?;
        let mut current = function.file;
        for (&(_, file, number), line) in &function.lines {
            if file != current {
                writeln!(out, "fi={}", files.of(path(file)))?;
                current = file;
            }
            if line.calls.is_empty() || line.sum.executions > 0 || line.sum.cycles > 0 {
                writeln!(out, "{number} {}", costs(&line.sum))?;
            }
            for (&(called, first), made) in &line.calls {
                let Some(called) = functions.list.get(called) else {
                    continue;
                };
                writeln!(
                    out,
                    "cfi={}\ncfn={}",
                    files.of(path(called.file)),
                    names.of(&called.name)
                )?;
                writeln!(out, "calls={} {first}", made.times)?;
                writeln!(out, "{number} {}", costs(&made.sum))?;
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
