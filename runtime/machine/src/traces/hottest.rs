//! Which trace of a long run is shown: one that consists of a loop, or of code without loops, that takes nearly the
//! most clocks of the run.

use super::groups::{Group, groups, loops};
use super::{asked, most_without_line};
use crate::functions::called_at;
use crate::ledger::Ledger;
use p5_image::{Functions, Image};
use p5_results::{Asked, Pipe, TRACE_FULL};
use p5_timing::pipeline::{BriefIssue, KeptTrace, Traced};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// The trace of the beginning of a run is preferred if its heat is at least this share of the greatest; a trace is long
/// enough if it has at least this share of the longest.
const GOOD_ENOUGH: f64 = 0.75;

/// An earlier trace is preferred if its heat is at least this share of the greatest.
const NEARLY: f64 = 0.9;

/// A loop of a trace is not typical of the run if this part of its clocks is spent otherwise.
const UNTYPICAL: f64 = 0.2;

/// Code with source lines is negligible if an instruction without a line takes this many times the clocks of each line.
const NEGLIGIBLE: u64 = 20;

/// A trace that the end of the run cut off is judged if it has at least one in this many instructions of a full one.
const FEW: usize = 16;

/// The trace of a run that is shown.
pub(crate) struct Shown {
    pub(crate) trace: Vec<Traced>,
    /// Whether it has only a part of the run.
    pub(crate) part: bool,
    /// Whether the run had begun before it.
    pub(crate) later: bool,
}

/// Chooses the trace to show among `earlier`, `last` and `of_loops`, in this order: the first one, if it has
/// [`GOOD_ENOUGH`] of the greatest [`Heat`]; otherwise the first that has nearly that heat. If its loop spends its
/// clocks otherwise than the run does, as in rounds that find nothing in the caches, it is a more typical one with
/// nearly its heat.
///
/// Among traces with a loop of the function that takes the most clocks of its own, whose rows a report lists first, the
/// beginning has no such advantage.
///
/// If only a part of the code has source lines, as in a program that is linked with a library, loops with lines and
/// what they call are preferred unless they are negligible, for that is what the user can change; and the trace begins
/// with a line.
///
/// If code is `asked` for, the trace that has the most of it is shown whole, if any has it.
pub(crate) fn hottest(
    image: &Image,
    earlier: Vec<KeptTrace>,
    last: Vec<Traced>,
    of_loops: Vec<KeptTrace>,
    ledger: &Ledger,
    asked: Option<&Asked>,
) -> Shown {
    if earlier.is_empty() && of_loops.is_empty() && last.len() < TRACE_FULL {
        return Shown {
            trace: last,
            part: false,
            later: false,
        };
    }
    let listed = ledger.listed();
    let clocks = listed
        .iter()
        .map(|kept| (kept.op.address, kept.held.stats().totals().cycles));
    let clocks: FxHashMap<u32, u64> = clocks.collect();
    let last = KeptTrace::of(&last);
    let traces = || earlier.iter().chain([&last]).chain(&of_loops);
    let figures = || {
        let clocks = listed.iter().map(|kept| kept.held.stats().totals().cycles);
        let all = listed.iter().zip(clocks);
        all.map(|(kept, clocks)| (kept.op.address, (clocks, kept.held.executions())))
            .collect()
    };
    if let Some(number) = asked.and_then(|asked| asked::best(asked, traces(), &figures())) {
        return Shown {
            trace: traces().nth(number).map(|trace| trace.from(0)).unwrap_or_default(),
            part: true,
            later: number > 0,
        };
    }
    let deciding = Deciding::of(image, clocks, traces());
    let enough = |trace: &&KeptTrace| trace.issues().len() >= TRACE_FULL / FEW || deciding.lines.is_some();
    let heats: Vec<(Heat, usize)> = traces()
        .filter(enough)
        .map(|trace| {
            let shown = deciding.shown(trace.issues());
            (deciding.heat(&trace.issues()[shown.clone()]), shown.len())
        })
        .collect();
    let any_loop = heats.iter().any(|(heat, _)| heat.of_loop > 0.0);
    let any_of_first = heats.iter().any(|(heat, _)| heat.of_first > 0.0);
    let one = |heat: &Heat| match (any_of_first, any_loop) {
        (true, _) => heat.of_first,
        (false, true) => heat.of_loop,
        (false, false) => heat.of_any,
    };
    let judged: Vec<(f64, usize)> = heats.iter().map(|(heat, length)| (one(heat), *length)).collect();
    let most = judged.iter().map(|(heat, _)| *heat).fold(0.0, f64::max);
    let first = judged.first().map_or(most, |(heat, _)| *heat);
    let good_enough = if any_of_first { NEARLY } else { GOOD_ENOUGH };
    let least = if first >= good_enough * most {
        first
    } else {
        NEARLY * most
    };
    // Of these, a long one rather than one that begins shortly before its end.
    let lengths = judged
        .iter()
        .filter(|(heat, _)| *heat >= least)
        .map(|(_, length)| *length);
    let long = (lengths.max().unwrap_or(0) as f64 * GOOD_ENOUGH) as usize;
    let suits = |(heat, length): &(f64, usize)| *heat >= least && *length >= long;
    let chosen = judged.iter().position(suits).unwrap_or(0);
    let chosen = more_typical(chosen, &heats, &|heat| one(heat), long);
    let trace = traces().filter(enough).nth(chosen);
    let left_out = trace.map_or(0, |trace| deciding.shown(trace.issues()).start);
    Shown {
        trace: trace.map(|trace| trace.from(left_out)).unwrap_or_default(),
        part: true,
        later: chosen > 0 || left_out > 0,
    }
}

/// The number of a trace whose loop is more typical of the run than that of the `chosen` one, if that is not typical:
/// of those that have nearly its heat, as `one` tells it, and this `length`, the one with the most typical loop.
fn more_typical(chosen: usize, heats: &[(Heat, usize)], one: &dyn Fn(&Heat) -> f64, length: usize) -> usize {
    let Some((first, _)) = heats.get(chosen).filter(|(heat, _)| heat.unlike > UNTYPICAL) else {
        return chosen;
    };
    let least = NEARLY * one(first);
    let others = heats.iter().enumerate().filter(|(_, (heat, _))| one(heat) >= least);
    let others = others.filter(|(_, (_, long))| *long >= length);
    let best = others.min_by(|(_, (heat, _)), (_, (other, _))| heat.unlike.total_cmp(&other.unlike));
    best.map_or(chosen, |(number, _)| number)
}

/// How much of the run a trace shows.
struct Heat {
    /// In the loop with source lines that is the best in this; 0 if there is none or lines do not matter.
    of_loop: f64,
    /// In the loop of the function with the most clocks of its own that is the best in this; 0 if there is none.
    of_first: f64,
    /// In any part of it.
    of_any: f64,
    /// The part of the clocks of that loop, or of the best one if there is none with lines, that instructions take in
    /// the trace beyond their shares in the run: 0 if it takes them as the run does.
    unlike: f64,
}

/// The code whose clocks decide.
struct Deciding<'a> {
    image: &'a Image,
    /// If code with source lines is preferred, the image that has them.
    lines: Option<&'a Image>,
    /// The clocks of the run by address, and all of them.
    clocks: FxHashMap<u32, u64>,
    all: u64,
    /// The clocks of instructions with lines.
    lined: u64,
    /// The functions of the run, and the number of the one with the most clocks of its own.
    functions: Functions,
    first: Option<usize>,
}

/// A loop of a trace, or the code outside of loops.
#[derive(Clone, Default)]
struct Part {
    /// Its clocks in the trace.
    taken: u64,
    /// Those of them with a source line.
    taken_lined: u64,
    addresses: FxHashSet<u32>,
    /// Its clocks in the trace by the first instruction of a group, as the run counts them.
    by_first: FxHashMap<u32, u64>,
    /// Whether any of it has a source line.
    lined: bool,
}

impl<'a> Deciding<'a> {
    fn of<'t>(
        image: &'a Image,
        clocks: FxHashMap<u32, u64>,
        traces: impl Iterator<Item = &'t KeptTrace>,
    ) -> Deciding<'a> {
        // The clocks by file and line; and of the code without lines the most of an instruction, except for what a
        // library does before the program's own code begins.
        let mut by_line: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        let mut others: Vec<(u32, u64)> = Vec::new();
        for (&address, &taken) in &clocks {
            match image.line_at(address) {
                Some(row) => *by_line.entry((row.file, row.line)).or_default() += taken,
                None => others.push((address, taken)),
            }
        }
        let before = match by_line.is_empty() || others.is_empty() {
            true => FxHashMap::default(),
            false => before_lines(image, traces),
        };
        let own = |(address, taken): (u32, u64)| taken - before.get(&address).map_or(0, |&before| before.min(taken));
        let without = others.into_iter().map(own).max().unwrap_or(0);
        let with = by_line.values().copied().max().unwrap_or(0);
        let by_lines = without > 0 && with.saturating_mul(NEGLIGIBLE) >= without;
        let called: BTreeSet<u32> = clocks.keys().filter_map(|&address| called_at(image, address)).collect();
        let functions = Functions::of(image, &called.into_iter().collect::<Vec<_>>());
        let counts = |address: u32| !by_lines || image.line_at(address).is_some();
        let mut by_function: FxHashMap<usize, u64> = FxHashMap::default();
        for (&address, &taken) in clocks.iter().filter(|(address, _)| counts(**address)) {
            if let Some(function) = functions.at(address) {
                *by_function.entry(function).or_default() += taken;
            }
        }
        let first = by_function
            .into_iter()
            .max_by_key(|&(number, taken)| (taken, Reverse(number)));
        Deciding {
            functions,
            first: first.map(|(number, _)| number),
            image,
            lines: by_lines.then_some(image),
            all: clocks.values().sum::<u64>().max(1),
            clocks,
            lined: by_line.values().sum(),
        }
    }

    /// The part of a trace that can be shown: from its first line on, if lines are preferred, as long as its
    /// instructions have rows, of which there are few for those without a line.
    fn shown(&self, trace: &[BriefIssue]) -> Range<usize> {
        let image = self.image;
        let has_line = |one: &BriefIssue| image.line_at(one.address).is_some();
        let begins = |one: &BriefIssue| self.lines.is_none() || one.pipe == Pipe::U && has_line(one);
        let start = trace.iter().position(begins).unwrap_or(0);
        let (mut without, most) = (FxHashSet::default(), most_without_line(image));
        let mut has_row = |one: &BriefIssue| {
            let known = has_line(one) || without.contains(&one.address);
            known || without.len() < most && without.insert(one.address)
        };
        let rows = trace[start..].iter().take_while(|one| has_row(one)).count();
        start..start + rows
    }

    /// The greatest product, for the loops of a trace and for the code outside of them, of the share that its
    /// instructions have of the clocks of the run and the share that it has of those of the trace. If lines are
    /// preferred, other loops count little, and of the code outside of loops that with lines.
    fn heat(&self, trace: &[BriefIssue]) -> Heat {
        let has_line = |address: u32| self.lines.is_none_or(|image| image.line_at(address).is_some());
        let groups: Vec<Group> = groups(trace);
        let loops = loops(trace, &groups);
        // The last one is outside of loops.
        let mut parts = vec![Part::default(); loops.len() + 1];
        let (mut all, mut next) = (0, 0);
        for (index, group) in groups.iter().enumerate() {
            while loops.get(next).is_some_and(|one| one.end <= index) {
                next += 1;
            }
            let inside = loops.get(next).is_some_and(|one| one.contains(&index));
            let part = &mut parts[if inside { next } else { loops.len() }];
            all += group.clocks;
            let issued = &trace[group.issues.clone()];
            let lined = issued.iter().any(|one| has_line(one.address));
            part.lined |= lined;
            if inside || lined {
                part.taken += group.clocks;
                part.taken_lined += if lined { group.clocks } else { 0 };
                part.addresses.extend(issued.iter().map(|one| one.address));
                if let Some(first) = issued.first() {
                    *part.by_first.entry(first.address).or_default() += group.clocks;
                }
            }
        }
        let of_run = |part: &Part| -> u64 {
            let clocks = part.addresses.iter().filter_map(|address| self.clocks.get(address));
            clocks.sum()
        };
        let clocks_with_line = |part: &Part| -> u64 {
            let with_line = part.addresses.iter().filter(|address| has_line(**address));
            with_line.filter_map(|address| self.clocks.get(address)).sum()
        };
        let share = |clocks: u64, of: u64| clocks as f64 / of.max(1) as f64;
        let heat = |part: &Part| {
            let counts = if part.lined { 1.0 } else { 1.0 / NEGLIGIBLE as f64 };
            // Other code calls a library, too: of its clocks a part has as many as in the trace beside those of its
            // own lines.
            let own = clocks_with_line(part) as f64 * share(part.taken, part.taken_lined);
            let of_run = share(of_run(part), self.all).min(match part.taken_lined {
                0 => 1.0,
                _ => own / self.all as f64,
            });
            counts * of_run * share(part.taken, all)
        };
        let best = |parts: &mut dyn Iterator<Item = &Part>| -> (f64, f64) {
            let all = parts.map(|part| (heat(part), part));
            let most = all.max_by(|(heat, _), (other, _)| heat.total_cmp(other));
            most.map_or((0.0, 0.0), |(heat, part)| (heat, self.unlike(part)))
        };
        // Of lines outside of loops, all that are executed matter, however long what they call takes.
        let outside = parts.last().filter(|_| self.lines.is_some());
        let outside = outside.map_or(0.0, |part| share(of_run(part), self.all));
        // A loop that takes few of the clocks with lines is none to prefer to the code around it.
        let counts = |part: &&Part| {
            let (loops, own) = (self.lines.is_some() && part.lined, clocks_with_line(part));
            loops && own.saturating_mul(NEGLIGIBLE) >= self.lined
        };
        let (of_loop, of_own) = best(&mut parts[..loops.len()].iter().filter(counts));
        let of_first = |part: &&Part| (self.lines.is_none() || counts(part)) && self.is_of_first(part);
        let (of_first, _) = best(&mut parts[..loops.len()].iter().filter(of_first));
        let (of_any, of_all) = best(&mut parts.iter());
        Heat {
            of_loop,
            of_first,
            of_any: of_any.max(outside),
            unlike: if of_loop > 0.0 { of_own } else { of_all },
        }
    }

    /// Whether a loop takes most of its clocks in the function with the most clocks of its own.
    fn is_of_first(&self, part: &Part) -> bool {
        let inside = part.by_first.iter().filter(|(address, _)| {
            let function = self.functions.at(**address);
            function.is_some() && function == self.first
        });
        let inside: u64 = inside.map(|(_, taken)| taken).sum();
        inside.saturating_mul(2) > part.taken
    }

    /// The part of the clocks of a loop that its instructions take in the trace beyond their shares in the run.
    fn unlike(&self, part: &Part) -> f64 {
        let of_run = |address: &u32| self.clocks.get(address).copied().unwrap_or(0) as f64;
        let (in_run, in_trace) = (
            part.addresses.iter().map(of_run).sum::<f64>().max(1.0),
            part.by_first.values().sum::<u64>().max(1) as f64,
        );
        let beyond = part.by_first.iter().map(|(address, &taken)| {
            let share = of_run(address) / in_run;
            (taken as f64 / in_trace - share).max(0.0)
        });
        beyond.sum()
    }
}

/// The clocks that instructions without a line take in the traces of a run before the first one with a line.
fn before_lines<'t>(image: &Image, traces: impl Iterator<Item = &'t KeptTrace>) -> FxHashMap<u32, u64> {
    let mut traces: Vec<&[BriefIssue]> = traces.map(KeptTrace::issues).collect();
    traces.sort_by_key(|trace| trace.first().map_or(0, |first| first.clock));
    let mut before: FxHashMap<u32, u64> = FxHashMap::default();
    for trace in traces {
        for group in groups(trace) {
            for one in &trace[group.issues.clone()] {
                if image.line_at(one.address).is_some() {
                    return before;
                }
                // The clocks of a pair belong to either instruction.
                *before.entry(one.address).or_default() += group.clocks;
            }
        }
    }
    before
}
