//! Traces of a run: without the library's instructions, by instruction index, with the clocks of each group.

mod asked;
mod groups;
mod hottest;

pub(super) use hottest::{Shown, hottest};

use super::parts;
use p5_image::Image;
use p5_results::{InstructionResult, Issued, Pipe};
use p5_timing::pipeline::Traced;

/// The most instructions without a source line that have a row because a trace contains them: a program may stray into
/// memory. In a process, rounds of its loops have as many in the functions of a library that they call.
pub(super) fn most_without_line(image: &Image) -> usize {
    if image.process_stack().is_some() { 1024 } else { 512 }
}

/// An instruction at an address with several, with its machine code.
pub(super) type Variant = ([u8; 15], InstructionResult);

/// The program's own part of a run's trace, with the clocks that passed outside the library. The run began at clock
/// `start`, and its own part took `clocks`. What the first group of the library or of the program waited is its own, so
/// that the library's time ends before the wait of the group after it; a part of that may be the library's still.
pub(super) fn of_program(image: &Image, (start, clocks): (u64, u64), trace: &[Traced]) -> Vec<Traced> {
    let mut own = Vec::new();
    // The beginning of the run, delayed by all clocks of the library; and the clock at which the library was entered.
    let (mut start, mut entered) = (start, None);
    for traced in trace {
        let begun = traced.clock.saturating_sub(u64::from(traced.late));
        if parts::in_library(image, traced.address) {
            entered.get_or_insert(begun);
            continue;
        }
        if let Some(since) = entered.take() {
            start += begun.saturating_sub(since);
            if traced.pipe == Pipe::V {
                // The pair of the library includes it.
                start += traced.clock - begun;
                continue;
            }
        }
        own.push(Traced {
            clock: traced.clock.saturating_sub(start),
            ..*traced
        });
    }
    let beyond = own.last().map_or(0, |last| (last.clock + 1).saturating_sub(clocks));
    if image.library.is_some() {
        own.iter_mut()
            .for_each(|one| one.clock = one.clock.saturating_sub(beyond));
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
            awaited: traced.awaited.map(|(what, by)| {
                let by = instructions.binary_search_by_key(&by, |row| row.address);
                (what, by.ok().map(|index| index as u32))
            }),
            data: traced.data,
            written_through: traced.written_through,
            held: traced.held,
            held_by: traced.held_by.and_then(|by| {
                let by = instructions.binary_search_by_key(&by, |row| row.address);
                by.ok().map(|index| index as u32)
            }),
            bank: traced.bank,
            met_entry: traced.met_entry,
            misled_by: traced.misled_by,
            hurried: traced.hurried,
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
