//! The groups of a trace: what issued together, what it waited for, and what its branch cost.

use super::{End, Group, busy};
use p5_chips::{Prediction, by_name};
use p5_results::{Cause, Pipe, Run, Trace, WaitCauses};

/// The unit that ends at the end of a trace, if any.
fn end(run: &Run, trace: &Trace) -> Option<End> {
    // The whole run is shown only if it has no region.
    let of_region = run.trace.issued.is_empty();
    match (trace.full, of_region && !trace.cut) {
        (true, _) => None,
        (false, true) => Some(End::Region),
        (false, false) if run.stop.reason.by_program() => Some(End::Program),
        (false, false) => Some(End::Run),
    }
}

/// The groups of a trace, in order.
pub(crate) fn groups(run: &Run, trace: &Trace) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    // Only where the group before finds the entry is a prediction not readable right after a misprediction.
    let waits_for_last = by_name(run.cpu).is_some_and(|model| model.rules.prediction == Prediction::Counter);
    let refilled = |last: &Group| last.mispredicted > 0;
    for one in &trace.issued {
        let instruction = one.instruction as usize;
        if run.instructions.get(instruction).is_none() {
            continue;
        }
        let executed = one
            .variant
            .map_or(instruction, |variant| run.instructions.len() + variant as usize);
        // A region may begin with the second half of a pair; there is no group for it to join.
        if let (Pipe::V, Some(group)) = (one.pipe, groups.last_mut()) {
            group.v = Some(instruction);
            group.executed[1] = Some(executed);
            continue;
        }
        let (mut late, mut waited) = (one.late, one.waited);
        let mut before = [None; 2];
        let begun_in_v = one.pipe == Pipe::V;
        if let Some(last) = groups.last_mut() {
            // What met an entry of the branch target buffer without being a branch has waited itself.
            let refill = match one.met_entry {
                true => 0,
                false => waited.clocks_of(Cause::Misprediction).min(late),
            };
            if refill > 0 {
                // The branch is charged for its refill only, not for what else the next group waits for.
                last.mispredicted = refill;
                late -= refill;
                waited = waited.without(Cause::Misprediction);
            }
            last.after = (late > 0).then_some((late, waited));
            last.next = Some(executed);
            before = last.executed;
        }
        groups.push(Group {
            clock: one.clock,
            cycles: one.cycles,
            own: 0,
            own_of_u: 0,
            u: instruction,
            v: None,
            executed: [Some(executed), None],
            begun_in_v,
            late,
            longer: one.longer,
            waited: if late > 0 { waited } else { WaitCauses::NONE },
            slowed: if one.longer > 0 { one.slowed } else { WaitCauses::NONE },
            busy: None,
            unit: one.unit,
            awaited: one.awaited.map(|(what, by)| (what, by.map(|index| index as usize))),
            data: one.data.map(|address| [address; 2]),
            written_through: one.written_through,
            held: one.held,
            held_by: one.held_by.map(|index| index as usize),
            bank: one.bank.map(|bank| [bank; 2]),
            mispredicted: 0,
            elsewhere: None,
            met_elsewhere: None,
            after: None,
            entry_met: one.met_entry,
            misled_by: one.misled_by,
            hurried: one.hurried,
            delivery: one.delivery,
            after_misprediction: waits_for_last && (one.met_entry || groups.last().is_some_and(refilled)),
            refusal: one.refusal,
            before,
            next: None,
            ends: None,
        });
    }
    if let Some(last) = groups.last_mut() {
        if let Some((clocks, waits)) = trace.after {
            last.mispredicted = waits.clocks_of(Cause::Misprediction).min(clocks);
            let rest = clocks - last.mispredicted;
            last.after = (rest > 0).then_some((rest, waits.without(Cause::Misprediction)));
        }
        last.ends = end(run, trace);
    }
    let behind = groups
        .last()
        .and_then(|last| last.after)
        .map_or(0, |(clocks, _)| clocks);
    let waits: Vec<u32> = groups.iter().skip(1).map(|group| group.late).chain([behind]).collect();
    for (group, next) in groups.iter_mut().zip(waits) {
        let lost = group.longer + group.mispredicted + next;
        group.own = group.cycles.saturating_sub(lost);
        let alone = group.executed[0].filter(|_| group.v.is_some());
        let of_u = alone.and_then(|index| run.executed(index)).map(|one| one.needs.clocks);
        group.own_of_u = of_u.unwrap_or(group.own).min(group.own);
    }
    for index in 0..groups.len() {
        groups[index].busy = busy::busy(run, &groups, index);
    }
    groups
}
