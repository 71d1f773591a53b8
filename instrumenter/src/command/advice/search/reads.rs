//! Blocks that wait for write buffers, because they write lines that no cache has: the lines are read first, or the
//! reason is noted why they are not.

use super::super::blocks::{self, Slot};
use super::super::rewrite::substituted;
use super::super::substitutions::{Substitution, is_store};
use super::variants::Variant;
use super::{Search, numbers};
use crate::command::substitution_rules::Rule;
use iced_x86::{Instruction, InstructionInfoFactory, OpAccess, OpKind, Register};
use runtime::model::VIDEO;
use runtime::report::{Unread, WhyUnread};
use runtime::run::{Cause, Issued, Note, Pipe};
use std::cmp::Reverse;
use std::ops::Range;

/// The causes of clocks that writes to such lines have.
const WAITS: [Cause; 2] = [Cause::WriteBufferFull, Cause::WriteOrder];
/// Reads are tried in a block that waits for write buffers for one in this many of the program's clocks.
const LEAST_WAIT: u64 = 1000;
/// The reason why no line is read first is noted of a block that waits for one in this many.
const LEAST_NOTED: u64 = 20;
/// The maximum number of stores of a block that are tried with a read before them: those that wait longest.
const MOST_READS: usize = 4;
/// Accesses by the same registers are taken to be of one line if they are fewer bytes apart than a line of a Pentium
/// has.
const LINE: u64 = 32;

impl Search<'_> {
    /// The block at `range` with a read before one of its stores, for each of those that wait longest; none if it does
    /// not wait.
    pub(super) fn reads(&self, range: &Range<usize>) -> Vec<Variant> {
        let image = &self.current.image;
        let Some(slots) = blocks::slots(image, &self.lines, range).filter(|slots| self.waits(slots) > 0) else {
            return Vec::new();
        };
        let mut found = self.all_substitutions(&slots, &self.control_flow());
        found.retain(|one| one.rule == Rule::ReadFirst);
        found.sort_by_key(|one| Reverse(self.waited(&slots[one.slots.clone()])));
        found.truncate(MOST_READS);
        found.iter().map(|one| self.variant(range, &slots, one)).collect()
    }

    /// The block at `range` with a substitution that is tried whatever the model alone tells of it.
    fn variant(&self, range: &Range<usize>, slots: &[Slot], one: &Substitution) -> Variant {
        let (lines, changed) = substituted(&self.lines, range, slots, one);
        let before = slots[one.slots.start].text(&self.lines).to_owned();
        Variant {
            block: lines.all[changed].to_vec(),
            clocks: 0,
            substitution: Some((before, one.texts.join(" / "))),
        }
    }

    /// The block at `range` with moves in place of an exchange with memory that waits for the bus, which it locks; the
    /// model alone does not tell what these save either.
    pub(super) fn unlocked(&self, range: &Range<usize>) -> Vec<Variant> {
        let image = &self.current.image;
        let Some(slots) = blocks::slots(image, &self.lines, range) else {
            return Vec::new();
        };
        let locked = |slot: &Slot| self.clocks_of(std::slice::from_ref(slot), &[Cause::LockedBus]) > 0;
        if !slots.iter().any(locked) {
            return Vec::new();
        }
        let mut found = self.all_substitutions(&slots, &self.control_flow());
        found.retain(|one| one.rule == Rule::SwapMemory && slots[one.slots.clone()].iter().any(locked));
        found.truncate(MOST_READS);
        found.iter().map(|one| self.variant(range, &slots, one)).collect()
    }

    /// Notes why no line is read first in the block that was at `before`, if it still waits for write buffers.
    pub(super) fn note_unread(&mut self, before: &Range<usize>) {
        let replaced = self.replaced.iter().find(|(old, _)| old == before);
        let range = replaced.map_or_else(|| self.now(before), |(_, new)| new.clone());
        let Some(slots) = blocks::slots(&self.current.image, &self.lines, &range) else {
            return;
        };
        let waits = self.waits(&slots);
        if waits.saturating_mul(LEAST_NOTED) < self.current.clocks() {
            return;
        }
        let stores = || (0..slots.len()).filter(|&at| is_store(&slots[at].instruction));
        // What waits though its line was read waits for another reason.
        let waiting = |at: &usize| {
            let slot = &slots[*at];
            self.waited(std::slice::from_ref(slot)) > 0 && written_bytes(&slot.instruction).is_some()
        };
        let mut writes = (0..slots.len()).filter(waiting).peekable();
        if writes.peek().is_some() && writes.all(|at| is_read_before(&slots, at)) {
            return;
        }
        let reads = self.reads(&range);
        // Nothing brings the card's memory into a cache.
        let to_card = self.video_writes(&slots);
        let narrowest = to_card.iter().filter_map(|slot| written_bytes(&slot.instruction)).min();
        let why = match (narrowest, stores().next()) {
            (Some(bytes), _) => WhyUnread::Video {
                bytes,
                writes: to_card
                    .iter()
                    .map(|slot| (self.originally(slot.line) as u32 + 1, slot.text(&self.lines).to_owned()))
                    .collect(),
            },
            (None, None) => WhyUnread::NoStore,
            (None, Some(_)) if reads.is_empty() => WhyUnread::NothingDead,
            (None, Some(_)) => {
                let clocks = reads.iter().filter_map(|read| self.clocks_with(&range, read));
                match clocks.min().and_then(|least| least.checked_sub(self.current.clocks())) {
                    Some(costs) => WhyUnread::Costs(costs),
                    // What saves clocks is told as a suggestion, or among what is left out.
                    None => return,
                }
            }
        };
        self.unread.push(Unread {
            lines: numbers(before),
            waits,
            why,
        });
    }

    /// The instructions of a block whose writes to video memory wait, as far as the trace of the run shows.
    fn video_writes<'a>(&self, slots: &'a [Slot]) -> Vec<&'a Slot> {
        let run = &self.current.run;
        if !run.notes.contains(&Note::DoubtedVideo) {
            return Vec::new();
        }
        let traced = run.regions.iter().map(|region| &region.trace).chain([&run.trace]);
        let issued: Vec<&[Issued]> = traced.map(|trace| &*trace.issued).collect();
        let waits = |one: &Issued| {
            let waits = WAITS.iter().any(|&cause| one.slowed.clocks_of(cause) > 0);
            waits
                && one
                    .data
                    .is_some_and(|address| (VIDEO.first..=VIDEO.last).contains(&address))
        };
        let mut rows: Vec<u32> = Vec::new();
        for trace in issued {
            for (at, one) in trace.iter().enumerate().filter(|(_, one)| waits(one)) {
                // What waits in V is told with its partner in U.
                let partner = trace.get(at + 1).filter(|next| next.pipe == Pipe::V);
                rows.extend([Some(one), partner].into_iter().flatten().map(|one| one.instruction));
            }
        }
        let executes = |slot: &&Slot| {
            let rows_of = self.rows(std::slice::from_ref(*slot));
            rows_of.iter().any(|&row| rows.contains(&(row as u32)))
        };
        let writes = slots.iter().filter(|slot| written_bytes(&slot.instruction).is_some());
        writes.filter(executes).collect()
    }

    /// The clocks of the program with a variant; `None` if there is no time, or it does not end by itself.
    fn clocks_with(&self, range: &Range<usize>, variant: &Variant) -> Option<u64> {
        let image = self
            .harness
            .image(&self.lines.with(range, &variant.block))
            .filter(|_| self.has_time())?;
        let outcome = self.harness.run(image);
        outcome.run.stop.reason.by_program().then(|| outcome.clocks())
    }

    /// The clocks that a block waits for write buffers; 0 if they are less than one in [`LEAST_WAIT`] of the program's.
    fn waits(&self, slots: &[Slot]) -> u64 {
        let waited = self.waited(slots);
        match waited.saturating_mul(LEAST_WAIT) >= self.current.clocks() {
            true => waited,
            false => 0,
        }
    }

    fn waited(&self, slots: &[Slot]) -> u64 {
        self.clocks_of(slots, &WAITS)
    }

    /// The clocks of instructions for some causes.
    fn clocks_of(&self, slots: &[Slot], wanted: &[Cause]) -> u64 {
        let rows = self.rows(slots).into_iter();
        let causes = rows.flat_map(|row| &self.current.run.instructions[row].causes);
        let waits = causes.filter(|one| wanted.contains(&one.cause));
        waits.map(|one| one.cycles).sum()
    }
}

/// The bytes that an instruction writes to memory at once, if it writes any.
fn written_bytes(instruction: &Instruction) -> Option<u32> {
    let mut factory = InstructionInfoFactory::new();
    let used = factory.info(instruction).used_memory().iter();
    // A repeated instruction may write nothing.
    let writes = [
        OpAccess::Write,
        OpAccess::ReadWrite,
        OpAccess::CondWrite,
        OpAccess::ReadCondWrite,
    ];
    let written = used.filter(|used| writes.contains(&used.access()));
    // How much a repeated instruction writes in all is not known, but what it writes at once.
    let bytes = written.map(|used| match used.memory_size().size() {
        0 => instruction.memory_size().size() as u32,
        bytes => bytes as u32,
    });
    bytes.min()
}

/// Whether an instruction before the store at `at` reads the line that it writes.
fn is_read_before(slots: &[Slot], at: usize) -> bool {
    let store = &slots[at].instruction;
    let parts = |instruction: &Instruction| {
        (
            instruction.memory_segment(),
            instruction.memory_base(),
            instruction.memory_index(),
            instruction.memory_index_scale(),
        )
    };
    let mut factory = InstructionInfoFactory::new();
    for slot in slots[..at].iter().rev() {
        let one = &slot.instruction;
        let info = factory.info(one);
        let is_written = |register: Register| {
            let written = info
                .used_registers()
                .iter()
                .filter(|used| used.access() != OpAccess::Read);
            register != Register::None
                && written
                    .map(|used| used.register().full_register())
                    .any(|used| used == register.full_register())
        };
        // The same registers hold another address before.
        if [store.memory_base(), store.memory_index()].into_iter().any(is_written) {
            return false;
        }
        let reads = info
            .used_memory()
            .iter()
            .any(|used| matches!(used.access(), OpAccess::Read | OpAccess::ReadWrite));
        let names_memory = (0..one.op_count()).any(|operand| one.op_kind(operand) == OpKind::Memory);
        let apart = one.memory_displacement64().abs_diff(store.memory_displacement64());
        // A displacement of -4 is a large number.
        let apart = apart.min(apart.wrapping_neg() & u64::from(u32::MAX));
        if reads && names_memory && parts(one) == parts(store) && apart < LINE {
            return true;
        }
    }
    false
}
