//! The reasons of the slot diagram in words: what a group waited for, and why V is empty.

mod refused;

pub(super) use refused::{refused, unpaired};

use super::diagram::{Elsewhere, Group};
use super::lines::{CHANGED, no_code, no_memory};
use super::printable;
use super::symbols::named;
use super::unmapped::in_stack;
use p5_chips::{VIDEO, by_name};
use p5_results::{self as run, Awaited, Cause, InstructionResult, Refusal, RegisterSet, Run, WaitCauses};

/// Why a branch is mispredicted right after another one.
const UNREADABLE: &str = ": right after a misprediction no prediction can be used";

/// The causes of the group's lost clocks, and the reason why it is not a pair.
pub(super) fn reason(run: &Run, group: &Group) -> String {
    let [u, v] = group.executed.map(|index| index.and_then(|index| run.executed(index)));
    let mut reasons = Vec::new();
    reasons.extend(unlike_source(u, v));
    if group.begun_in_v {
        reasons.push("U issued before the region".to_owned());
    }
    reasons.extend(late(run, group));
    reasons.extend(lost(run, group, ("+", group.longer, ""), group.slowed));
    if group.mispredicted > 0 {
        let why = match (v.or(u), group.misled_by) {
            (_, Some(last)) => format!("mispredicted, {} shares its entry", branch_at(run, last)),
            (Some(branch), _) if branch.needs.to_next => "mispredicted, as it leads to the next address".to_owned(),
            _ if group.hurried => "mispredicted, for its last outcomes come too late in so short a loop".to_owned(),
            _ if group.after_misprediction => format!("mispredicted{UNREADABLE}"),
            _ => "mispredicted".to_owned(),
        };
        reasons.push(format!("+{}: {why}", group.mispredicted));
    }
    let met = group
        .met_elsewhere
        .map(|one| (one, ": the predictor took it for a branch"));
    let own = group
        .elsewhere
        .map(|one| (one, if one.unreadable { UNREADABLE } else { "" }));
    for (elsewhere, why) in met.into_iter().chain(own) {
        let Elsewhere { rounds, of, clocks, .. } = elsewhere;
        let clocks = match clocks {
            [least, most] if least == most => least.to_string(),
            [least, most] => format!("{least} to {most}"),
        };
        reasons.push(format!("+{clocks} in {rounds} of {of} rounds: mispredicted{why}"));
    }
    // The last group has no following row that could show it.
    if let (None, Some((clocks, waits))) = (group.next, group.after) {
        reasons.extend(parts(("then the end macro waited ", clocks, ""), waits, plain_name));
    }
    if let Some((clocks, hidden)) = group.busy {
        let hides = match hidden {
            Some(0) => ", none hidden by other work".to_owned(),
            Some(hidden) => format!(", {hidden} of them hidden by other work"),
            None => String::new(),
        };
        reasons.push(format!("unit busy for {clocks} clocks{hides}"));
    }
    if group.delivery {
        reasons.extend(u.and_then(|u| no_memory(&u.text)).map(str::to_owned));
        reasons.push(format!("the delivery of an interrupt or exception takes {}", group.own));
        return reasons.join("; ");
    }
    let clocks = |one: &InstructionResult| one.needs.clocks;
    let slowest = [u, v].into_iter().flatten().max_by_key(|one| clocks(one));
    let takes = |one: &InstructionResult| {
        let least = if one.doubt.is_some_and(|doubt| doubt.least) {
            "at least "
        } else {
            ""
        };
        format!("takes {least}{}", group.own)
    };
    match slowest {
        Some(one) if v.is_some() && group.own > clocks(one) => {
            reasons.push(format!("the pair takes {} in lockstep", group.own));
        }
        Some(one) if group.own > 1 && group.refusal == Some(Refusal::FirstNotPairable) => {
            reasons.push(format!("{} {} and never pairs", unpaired(one), takes(one)));
            return reasons.join("; ");
        }
        Some(one) if group.own > 1 => reasons.push(format!("{} {}", mnemonic(one), takes(one))),
        _ => {}
    }
    if let (Some(refusal), Some(u)) = (group.refusal, u) {
        let next = group.next.and_then(|next| run.executed(next));
        reasons.extend(refused(refusal, u, next, group.ends));
    }
    reasons.join("; ")
}

/// The branch whose last byte is at the address `last`, as the source spells it.
fn branch_at(run: &Run, last: u32) -> String {
    let after = run.instructions.partition_point(|one| one.address <= last);
    let found = after.checked_sub(1).and_then(|at| run.instructions.get(at));
    match found.filter(|one| last - one.address < u32::from(one.length)) {
        Some(one) => format!("`{}`", printable::printable(told(one))),
        None => "another branch".to_owned(),
    }
}

/// The remark that what a group executed is not what the source has there.
fn unlike_source(u: Option<&InstructionResult>, v: Option<&InstructionResult>) -> Option<String> {
    let of = |one: Option<&InstructionResult>| {
        let one = one?;
        let source = one.source.as_deref().map(printable::printable);
        match (one.changed, source) {
            (true, Some(source)) => Some(format!("{CHANGED} (source: {source})")),
            (true, None) => Some(CHANGED.to_owned()),
            (false, Some(source)) => Some(format!("inside {source}")),
            (false, None) => no_code(one).map(str::to_owned),
        }
    };
    match (of(u), v.is_some(), of(v)) {
        (Some(one), true, Some(other)) if one == other => Some(one),
        (Some(one), true, Some(other)) => Some(format!("U: {one}; V: {other}")),
        (Some(one), true, None) => Some(format!("U: {one}")),
        (one, false, _) => one,
        (None, true, other) => Some(format!("V: {}", other?)),
    }
}

/// The cause of the group's wait before the clock of its row.
fn late(run: &Run, group: &Group) -> Option<String> {
    let outside = if begins(run, group) { " before the region" } else { "" };
    waited(run, group, outside)
}

/// The cause of the wait of a loop's first group in the first round, as a sentence.
pub(super) fn late_before_rounds(run: &Run, group: &Group) -> Option<String> {
    let before = if begins(run, group) { "the region" } else { "them" };
    Some(format!("Before {before} it {}.", waited(run, group, "")?))
}

/// Whether a region begins with this group.
fn begins(run: &Run, group: &Group) -> bool {
    group.before == [None; 2] && run.trace.issued.is_empty()
}

fn waited(run: &Run, group: &Group, outside: &str) -> Option<String> {
    lost(run, group, ("waited ", group.late, outside), group.waited)
}

/// The clocks that the group lost, with their causes: `word` precedes the number, `which` follows it.
fn lost(run: &Run, group: &Group, clocks: (&str, u32, &str), waits: WaitCauses) -> Option<String> {
    parts(clocks, waits, |cause| cause_of(run, group, cause))
}

/// The same, the main cause in the words of `main`; the others have their names, so that no clock lacks one.
fn parts(
    (word, clocks, which): (&str, u32, &str),
    waits: WaitCauses,
    main: impl Fn(Cause) -> String,
) -> Option<String> {
    let causes = waits.by_size();
    let (first, others) = causes.split_first()?;
    let cause = main(first.cause);
    if first.cycles >= u64::from(clocks) {
        return Some(format!("{word}{clocks}{which}: {cause}"));
    }
    let others = others
        .iter()
        .map(|one| format!(", {}: {}", one.cycles, plain(one.cause)));
    let others: String = others.collect();
    Some(format!(
        "{word}{clocks}{which}, {} of it: {cause}{others}",
        first.cycles
    ))
}

fn plain_name(cause: Cause) -> String {
    plain(cause).to_owned()
}

/// The words of the diagram for a cause.
pub(super) fn plain(cause: Cause) -> &'static str {
    match cause {
        Cause::Agi => "AGI",
        Cause::DataReadMiss => "read miss",
        Cause::DataTlbMiss => "TLB miss",
        Cause::CodeTlbMiss => "code TLB miss",
        Cause::Misprediction => "mispredicted",
        Cause::Serialize => "waits until all writes are done",
        _ => cause.name(),
    }
}

/// The instruction as the source spells it, or disassembled.
pub(super) fn told(one: &InstructionResult) -> &str {
    one.written.as_deref().unwrap_or(&one.text)
}

/// The mnemonics that a sentence would read as words of its own: `next and needs eax`.
const WORDS: [&str; 12] = [
    "and", "call", "enter", "in", "into", "leave", "loop", "not", "or", "out", "test", "wait",
];

/// The mnemonic, with a prefix if there is one; in quotes where it reads as a word.
pub(super) fn mnemonic(one: &InstructionResult) -> String {
    let text = told(one).to_ascii_lowercase();
    let name = printable::printable(run::mnemonic(&text));
    match WORDS.contains(&&*name) {
        true => format!("`{name}`"),
        false => name,
    }
}

/// The names of registers: those of general ones as one of the instructions spells them, the first one before others.
fn names(set: RegisterSet, spelled: &[&InstructionResult]) -> String {
    let texts: Vec<String> = spelled.iter().map(|one| told(one).to_ascii_lowercase()).collect();
    let general = set.general_names().map(|whole| {
        let mut parts = texts.iter().filter_map(|text| part_of(whole, text));
        parts.next().unwrap_or_else(|| whole.to_owned())
    });
    let packed = (0..8).filter(|number| set.packed_bits() >> number & 1 != 0);
    let names = general.chain(packed.map(|number| format!("mm{number}")));
    names.collect::<Vec<_>>().join(", ")
}

/// The name under which an instruction uses the register `whole`: its own, or that of a part.
fn part_of(whole: &str, text: &str) -> Option<String> {
    let word = whole.strip_prefix('e')?;
    let letter = word.strip_suffix('x');
    let names = [Some(whole.to_owned()), Some(word.to_owned())].into_iter().chain(
        ["l", "h"]
            .into_iter()
            .map(|half| letter.map(|letter| format!("{letter}{half}"))),
    );
    let words = || text.split(|one: char| !one.is_ascii_alphanumeric() && one != '_');
    names.flatten().find(|name| words().any(|word| word == name.as_str()))
}

/// The words for a cause, with the register, the bank or the data concerned.
fn cause_of(run: &Run, group: &Group, cause: Cause) -> String {
    let members = |indices: [Option<usize>; 2]| {
        let found = indices.into_iter().flatten();
        found.filter_map(|index| run.executed(index)).collect::<Vec<_>>()
    };
    let data = || match group.data.map(|span| (span, place(run, span))) {
        Some(([least, most], Some(place))) if least < most => format!(" in {place}"),
        Some((_, Some(place))) => format!(" of {place}"),
        _ => String::new(),
    };
    match cause {
        Cause::Agi => {
            let wanted = members(group.executed);
            let wanted = wanted
                .iter()
                .fold(RegisterSet::EMPTY, |set, one| set.union(one.needs.addresses));
            let writers = members(group.before);
            let mut addressed = members(group.executed);
            // The other instruction of a pair may use a part of the register for something else.
            addressed.retain(|one| one.needs.addresses.intersects(wanted));
            let spelled = |writer| addressed.iter().copied().chain([writer]).collect::<Vec<_>>();
            let wrote: Vec<String> = writers
                .iter()
                .filter(|one| one.needs.interlocks.intersects(wanted))
                .map(|one| {
                    format!(
                        "{} wrote {}",
                        mnemonic(one),
                        names(one.needs.interlocks.intersection(wanted), &spelled(one))
                    )
                })
                .collect();
            match wrote.as_slice() {
                [] => "AGI".to_owned(),
                wrote => format!("AGI, {}", wrote.join(" and ")),
            }
        }
        Cause::BankConflict => match group.bank {
            Some([bank, other]) if bank == other => format!("both access bank {bank}"),
            Some(_) => "both access the same bank".to_owned(),
            None => cause.name().to_owned(),
        },
        Cause::Misaligned => format!("misaligned access{}", data()),
        Cause::DataReadMiss if group.held > 0 => {
            let write = writer(run, group).map(|write| format!(": {write} writes"));
            let write = write.unwrap_or_default();
            format!(
                "read miss{} ({} of it until the bus is free{write})",
                data(),
                group.held
            )
        }
        Cause::DataReadMiss => format!("read miss{}", data()),
        Cause::DataTlbMiss => format!("TLB miss{}", data()),
        Cause::WriteBufferFull => match group.data.and_then(|span| place(run, span)) {
            Some(place) if group.written_through || writes_through(run) => {
                format!("write buffer full, {place} is written through")
            }
            Some(place) => {
                // Only what a video card takes so long for is worth the room.
                let to_card = group
                    .data
                    .is_some_and(|[least, most]| VIDEO.first <= least && most <= VIDEO.last);
                let write = writer(run, group).filter(|_| to_card);
                let write = write.map(|write| format!(", and {write} wrote before"));
                format!("write buffer full, {place} is not cached{}", write.unwrap_or_default())
            }
            None => cause.name().to_owned(),
        },
        Cause::WriteOrder => {
            let writer = group.held_by.and_then(|index| run.instructions.get(index));
            let writer = writer.map(|one| {
                let line = one
                    .outermost
                    .map_or_else(String::new, |(_, line)| format!(" of line {line}"));
                format!(", as {}{line} is not in memory yet", mnemonic(one))
            });
            format!("{}{}{}", cause.name(), data(), writer.unwrap_or_default())
        }
        Cause::Serialize => {
            let serializing = members(group.executed)
                .first()
                .map_or_else(String::new, |one| mnemonic(one));
            format!("{serializing} waits until all writes are done")
        }
        Cause::Execution => match members(group.before).first() {
            Some(before) => unfinished(run, group, before),
            None => cause.name().to_owned(),
        },
        Cause::FloatingPoint => floating_point(run, group),
        Cause::Misprediction if group.entry_met => "the predictor took it for a branch".to_owned(),
        _ => plain(cause).to_owned(),
    }
}

/// The most columns of the instruction whose write is named.
const WRITER: usize = 22;

/// The instruction whose write a group waited for, as the source spells it, if it is not alone in the group.
fn writer(run: &Run, group: &Group) -> Option<String> {
    let by = group.held_by.and_then(|index| run.instructions.get(index))?;
    let [u, v] = group.executed.map(|index| index.and_then(|index| run.executed(index)));
    let alone = v.is_none() && u.is_some_and(|one| one.address == by.address);
    (!alone).then(|| format!("`{}`", printable::cut(&printable::printable(told(by)), WRITER)))
}

/// Whether the chip's writes go to memory even if the cache has their line.
fn writes_through(run: &Run) -> bool {
    by_name(run.cpu).is_some_and(|model| model.geometry.write_through)
}

/// The resource of the floating-point unit that a group waited for, in words.
fn floating_point(run: &Run, group: &Group) -> String {
    let Some((awaited, by)) = group.awaited else {
        return if group.slowed.clocks_of(Cause::FloatingPoint) > 0 {
            "the operands may raise an exception".to_owned()
        } else {
            "fxch right before an integer instruction takes a clock".to_owned()
        };
    };
    let by = by.and_then(|index| run.instructions.get(index));
    if let (Awaited::General, Some(by)) = (awaited, by) {
        return unfinished(run, group, by);
    }
    let by = by.map_or_else(|| "an instruction".to_owned(), mnemonic);
    match awaited {
        Awaited::General => format!("{by} has no result yet"),
        Awaited::Stack(number) => format!("st({number}) of {by} is not ready"),
        Awaited::Packed(number) => format!("mm{number} of {by} is not ready"),
        Awaited::Switch => "registers are switched between floating point and mmx".to_owned(),
        Awaited::Unit => format!("{by} occupies the floating-point unit"),
        Awaited::SafeOperands => format!("the operands of {by} may raise an exception"),
        Awaited::Multiplier => format!("{by} occupies the multiplier"),
        Awaited::Status => format!("the status of {by} is not ready"),
    }
}

/// An instruction whose general registers a group waits for: to read them, or to write them after it.
fn unfinished(run: &Run, group: &Group, by: &InstructionResult) -> String {
    let waiting = group
        .executed
        .into_iter()
        .flatten()
        .filter_map(|index| run.executed(index));
    let (reads, writes) = waiting.fold((RegisterSet::EMPTY, RegisterSet::EMPTY), |(reads, writes), one| {
        (reads.union(one.needs.reads), writes.union(one.needs.writes))
    });
    let result = by.needs.writes.intersection(RegisterSet::GENERAL);
    let written = names(writes.intersection(result), &[by]);
    match (result.intersects(reads), written.split(", ").next()) {
        (false, Some(register)) if !register.is_empty() => {
            format!("{} has not written {register} yet", mnemonic(by))
        }
        _ => format!("{} has no result yet", mnemonic(by)),
    }
}

/// The data symbol of an address, or of all addresses from `least` to `most`; without a symbol, the stack, or the
/// number.
pub(super) fn place(run: &Run, [least, most]: [u32; 2]) -> Option<String> {
    let around = run.symbols.iter().filter(|symbol| {
        let [first, last] = [least, most].map(|address| address.wrapping_sub(symbol.address));
        first < symbol.size && last < symbol.size
    });
    // If there are several symbols, the nearest one is used, as in the text of an instruction.
    let found = around.min_by_key(|symbol| least - symbol.address);
    match found {
        Some(symbol) if least < most => Some(named(symbol, 0)),
        Some(symbol) => Some(named(symbol, least - symbol.address)),
        None if in_stack(least) && in_stack(most) => Some("the stack".to_owned()),
        None if VIDEO.first <= least && most <= VIDEO.last => Some("video memory".to_owned()),
        None if least == most => Some(format!("{least:08X}h")),
        None => {
            let ends = [least, most].map(|address| place(run, [address, address]));
            let [Some(least), Some(most)] = ends else { return None };
            Some(format!("{least} to {most}"))
        }
    }
}
