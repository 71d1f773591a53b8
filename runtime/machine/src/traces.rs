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

/// Among the full traces `earlier` and the `last` one the first that is most like the whole run: its clocks are divided
/// among instructions most nearly as those of the run are. The very first one, if it is nearly as much alike.
pub(super) fn hottest(earlier: Vec<Vec<Traced>>, last: Vec<Traced>, ledger: &Ledger) -> Vec<Traced> {
    if earlier.is_empty() {
        return last;
    }
    let listed = ledger.listed();
    let clocks = listed
        .iter()
        .map(|kept| (kept.op.address, kept.held.stats().totals().cycles));
    let clocks: FxHashMap<u32, u64> = clocks.collect();
    let all = clocks.values().sum::<u64>().max(1) as f64;
    let full = earlier
        .into_iter()
        .chain([last])
        .filter(|trace| trace.len() >= TRACE_FULL);
    let mut judged: Vec<(f64, Vec<Traced>)> = full.map(|trace| (likeness(&trace, &clocks, all), trace)).collect();
    let most = judged.iter().map(|(alike, _)| *alike).fold(0.0, f64::max);
    let least = judged
        .first()
        .map_or(most, |(alike, _)| match *alike >= GOOD_ENOUGH * most {
            true => *alike,
            false => most,
        });
    let chosen = judged.iter().position(|(alike, _)| *alike >= least).unwrap_or(0);
    judged.swap_remove(chosen).1
}

/// The share of the clocks that `trace` and a run of `all` clocks spend on the same instructions: 1 if each instruction
/// has the same share of both, 0 if they have none in common. `clocks` are those of the run by address.
fn likeness(trace: &[Traced], clocks: &FxHashMap<u32, u64>, all: f64) -> f64 {
    let mut traced: FxHashMap<u32, u64> = FxHashMap::default();
    let mut groups = trace.iter().filter(|one| one.pipe == Pipe::U).peekable();
    while let (Some(one), Some(next)) = (groups.next(), groups.peek()) {
        *traced.entry(one.address).or_default() += next.clock.saturating_sub(one.clock);
    }
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
            bank: traced.bank,
            met_entry: traced.met_entry,
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
