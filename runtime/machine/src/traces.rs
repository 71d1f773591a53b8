//! Traces of a run: without the library's instructions, by instruction index, with the clocks of each group.

use super::ledger::Ledger;
use super::parts;
use p5_image::Image;
use p5_results::{InstructionResult, Issued, Pipe, TRACE_FULL};
use p5_timing::pipeline::Traced;
use rustc_hash::{FxHashMap, FxHashSet};

/// An instruction at an address with several, with its machine code.
pub(super) type Variant = ([u8; 15], InstructionResult);

/// The share of the most clocks that the trace of the beginning of a run may have to be preferred.
const GOOD_ENOUGH: f64 = 0.75;

/// Among the full traces `earlier` and the `last` one the first whose instructions took the most clocks in the whole
/// run; or the very first one, if its instructions took nearly as many.
pub(super) fn hottest(earlier: Vec<Vec<Traced>>, last: Vec<Traced>, ledger: &Ledger) -> Vec<Traced> {
    if earlier.is_empty() {
        return last;
    }
    let listed = ledger.listed();
    let clocks = listed
        .iter()
        .map(|kept| (kept.op.address, kept.held.stats().totals().cycles));
    let clocks: FxHashMap<u32, u64> = clocks.collect();
    let heat = |trace: &Vec<Traced>| {
        let addresses: FxHashSet<u32> = trace.iter().map(|one| one.address).collect();
        addresses.iter().filter_map(|address| clocks.get(address)).sum::<u64>()
    };
    let full = earlier
        .into_iter()
        .chain([last])
        .filter(|trace| trace.len() >= TRACE_FULL);
    let mut heated: Vec<(u64, Vec<Traced>)> = full.map(|trace| (heat(&trace), trace)).collect();
    let most = heated.iter().map(|(heat, _)| *heat).max().unwrap_or(0);
    let first = heated
        .first()
        .is_some_and(|(heat, _)| *heat as f64 >= GOOD_ENOUGH * most as f64);
    let chosen = match first {
        true => 0,
        false => heated.iter().position(|(heat, _)| *heat == most).unwrap_or(0),
    };
    heated.swap_remove(chosen).1
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
