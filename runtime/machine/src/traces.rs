//! Traces of a run: without the library's instructions, by instruction index, with the clocks of each group.

use super::ledger::Ledger;
use super::parts;
use p5_image::Image;
use p5_results::{InstructionResult, Issued, Pipe, TRACE_FULL};
use p5_timing::pipeline::Traced;
use rustc_hash::FxHashMap;

/// An instruction at an address with several, with its machine code.
pub(super) type Variant = ([u8; 15], InstructionResult);

/// The share of the best likeness that the trace of the beginning of a run may have to be preferred.
const GOOD_ENOUGH: f64 = 0.75;

/// Code with source lines is negligible if an instruction without a line takes so many times the clocks of each of its
/// instructions.
const NEGLIGIBLE: u64 = 20;

/// The share of the most that a trace before it may have of the hottest lines to be preferred.
const NEARLY: f64 = 0.9;

/// If code with source lines takes at least one in so many clocks of a trace, the rest does not count.
const ENOUGH: u64 = 4;

/// The trace of a run that is shown.
pub(super) struct Shown {
    pub(super) trace: Vec<Traced>,
    /// Whether it has only a part of the run.
    pub(super) part: bool,
    /// Whether the run had begun before it.
    pub(super) later: bool,
}

/// Among the full traces `earlier` and the `last` one the first that is most like the whole run: its clocks are divided
/// among instructions most nearly as those of the run are. The very first one, if it is nearly as much alike.
///
/// If only a part of the code has source lines, as in a program that is linked with a library, that part decides unless
/// it is negligible, for that is what the user can change: the trace is the first that has nearly the most of its
/// hottest lines, and begins with a line.
pub(super) fn hottest(image: &Image, earlier: Vec<Vec<Traced>>, last: Vec<Traced>, ledger: &Ledger) -> Shown {
    if earlier.is_empty() && last.len() < TRACE_FULL {
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
    let lines = Lines::of(image, &clocks);
    let full = |trace: &Vec<Traced>| trace.len() >= TRACE_FULL || lines.is_some();
    let traces = earlier.into_iter().chain([last]).filter(full);
    let alike = |trace: &[Traced]| match &lines {
        Some(lines) => lines.heat(trace),
        None => likeness(trace, &clocks),
    };
    let mut judged: Vec<(f64, Vec<Traced>)> = traces.map(|trace| (alike(&trace), trace)).collect();
    let most = judged.iter().map(|(alike, _)| *alike).fold(0.0, f64::max);
    let first = judged.first().map_or(most, |(alike, _)| *alike);
    let least = match &lines {
        Some(_) => NEARLY * most,
        None if first >= GOOD_ENOUGH * most => first,
        None => most,
    };
    let chosen = judged.iter().position(|(alike, _)| *alike >= least).unwrap_or(0);
    let mut trace = judged.swap_remove(chosen).1;
    let mut left_out = 0;
    if lines.is_some() {
        // There are rows for few instructions without a line.
        let begins = |one: &Traced| one.pipe == Pipe::U && image.line_at(one.address).is_some();
        left_out = trace.iter().position(begins).unwrap_or(0);
        trace.drain(..left_out);
    }
    Shown {
        trace,
        part: true,
        later: chosen > 0 || left_out > 0,
    }
}

/// The clocks of a run by file and line, where other code has no lines.
struct Lines<'a> {
    image: &'a Image,
    clocks: FxHashMap<(u32, u32), u64>,
    all: u64,
}

impl<'a> Lines<'a> {
    /// Those of a run with these clocks by address; `None` if all code has lines, or that with lines is negligible.
    fn of(image: &'a Image, run: &FxHashMap<u32, u64>) -> Option<Lines<'a>> {
        let mut clocks: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        // The most clocks of an instruction without a line, and of one with a line.
        let mut most = [0, 0];
        for (&address, &taken) in run {
            let row = image.line_at(address);
            let most = &mut most[usize::from(row.is_some())];
            *most = taken.max(*most);
            if let Some(row) = row {
                *clocks.entry((row.file, row.line)).or_default() += taken;
            }
        }
        let [without, with] = most;
        let decide = without > 0 && with.saturating_mul(NEGLIGIBLE) >= without;
        decide.then(|| Lines {
            image,
            all: clocks.values().sum::<u64>().max(1),
            clocks,
        })
    }

    /// The mean share that the lines of a trace have of the clocks of the run, by their clocks in the trace.
    fn heat(&self, trace: &[Traced]) -> f64 {
        let (mut sum, mut lined, mut all) = (0_u128, 0, 0);
        for (address, taken) in by_address(trace) {
            all += taken;
            if let Some(row) = self.image.line_at(address) {
                lined += taken;
                let of_run = self.clocks.get(&(row.file, row.line)).copied().unwrap_or(0);
                sum += u128::from(taken) * u128::from(of_run);
            }
        }
        let of_trace = lined.max(all / ENOUGH).max(1);
        sum as f64 / of_trace as f64 / self.all as f64
    }
}

/// The clocks of a trace by address.
fn by_address(trace: &[Traced]) -> FxHashMap<u32, u64> {
    let mut traced: FxHashMap<u32, u64> = FxHashMap::default();
    let mut groups = trace.iter().filter(|one| one.pipe == Pipe::U).peekable();
    while let (Some(one), Some(next)) = (groups.next(), groups.peek()) {
        *traced.entry(one.address).or_default() += next.clock.saturating_sub(one.clock);
    }
    traced
}

/// The share of the clocks that `trace` and a run spend on the same instructions: 1 if each instruction has the same
/// share of both, 0 if they have none in common. `clocks` are those of the run by address.
fn likeness(trace: &[Traced], clocks: &FxHashMap<u32, u64>) -> f64 {
    let all = clocks.values().sum::<u64>().max(1) as f64;
    let traced = by_address(trace);
    let of_trace = traced.values().sum::<u64>().max(1) as f64;
    let share = |(address, &taken): (&u32, &u64)| {
        let of_run = clocks.get(address).copied().unwrap_or(0) as f64 / all;
        of_run.min(taken as f64 / of_trace)
    };
    traced.iter().map(share).sum()
}

/// The program's own part of a run's trace, with the clocks that passed outside the library. The run began at clock
/// `start`.
pub(super) fn of_program(image: &Image, start: u64, trace: &[Traced]) -> Vec<Traced> {
    let mut own = Vec::new();
    // The beginning of the run, delayed by all clocks of the library; and the clock at which the library was entered.
    let (mut start, mut entered) = (start, None);
    for traced in trace {
        if parts::in_library(image, traced.address) {
            entered.get_or_insert(traced.clock);
            continue;
        }
        if let Some(since) = entered.take() {
            start += traced.clock - since;
            if traced.pipe == Pipe::V {
                // The pair of the library includes it.
                continue;
            }
        }
        own.push(Traced {
            clock: traced.clock.saturating_sub(start),
            ..*traced
        });
    }
    own
}

/// A trace by instruction index, and whether it is incomplete; each group has the clocks until the next one. The
/// traced code ended after `until` clocks, unless the trace was full. An instruction without a row, or one of too many
/// at an address, also makes the trace incomplete.
pub(super) fn issued(
    trace: impl Iterator<Item = Traced>,
    mut until: Option<u64>,
    instructions: &[InstructionResult],
    variants: &[Variant],
) -> (Vec<Issued>, bool) {
    let mut list: Vec<Issued> = Vec::new();
    let mut group = None;
    for traced in trace {
        let Ok(instruction) = instructions.binary_search_by_key(&traced.address, |row| row.address) else {
            until = None;
            break;
        };
        let from = variants.partition_point(|(_, one)| one.address < traced.address);
        let here = variants[from..]
            .iter()
            .take_while(|(_, one)| one.address == traced.address);
        let several = here.clone().next().is_some();
        let variant = here.map(|(bytes, _)| *bytes).position(|bytes| bytes == traced.bytes);
        if several && variant.is_none() && !traced.delivery {
            until = None;
            break;
        }
        // A trace may begin with the second half of a pair.
        if traced.pipe == Pipe::U || group.is_none() {
            let begun = group.replace(list.len());
            close(&mut list, begun, traced.clock);
        }
        list.push(Issued {
            instruction: instruction as u32,
            variant: variant.map(|variant| (from + variant) as u32),
            clock: traced.clock,
            pipe: traced.pipe,
            cycles: 0,
            late: traced.late,
            longer: traced.longer,
            waited: traced.waited,
            prefixes: traced.prefixes,
            slowed: traced.slowed,
            also: traced.also,
            awaited: traced.awaited.map(|(what, by)| {
                let by = instructions.binary_search_by_key(&by, |row| row.address);
                (what, by.ok().map(|index| index as u32))
            }),
            data: traced.data,
            written_through: traced.written_through,
            bank: traced.bank,
            met_entry: traced.met_entry,
            misled_by: traced.misled_by,
            unit: traced.unit,
            delivery: traced.delivery,
            refusal: traced.refusal,
        });
    }
    // The next issue may be unknown.
    let last = group.and_then(|group| list.get(group)).map_or(0, |issued| issued.clock);
    close(&mut list, group, until.unwrap_or(last + 1));
    (list, until.is_none())
}

/// Records that the group that begins at `group` was followed at clock `until`.
fn close(list: &mut [Issued], group: Option<usize>, until: u64) {
    if let Some(issued) = group.and_then(|group| list.get_mut(group)) {
        issued.cycles = u32::try_from(until.saturating_sub(issued.clock)).unwrap_or(u32::MAX);
    }
}
