//! The observer: one record for each op that retires and each fetch that ends.
//!
//! Modelled: an op is the step of an instruction that makes one access, or both accesses of an operand that is read,
//! modified and written; an instruction without accesses is one op. An op is tagged at its entry into D1, and a
//! further step of microcode at the clock two stages before EX; it completes at the end of its own EX and retires when
//! the other pipe has completed, too. A fetch is the read of a code line, for a redirection, in sequence, or ahead of
//! its use; it is complete when the bytes wanted first are delivered, and aborted when the fetch goes elsewhere
//! before. A line requested ahead whose read has not begun when the fetch goes elsewhere is killed. Not modelled:
//! fetches on a path that is not taken, because the pipeline makes none. DOUBT: how many steps microcode without
//! accesses takes.
//!
//! While records are kept, every access takes the general path. If fetches are observed, too, each instruction is
//! fetched by itself. Neither changes a clock. Records are kept until they are taken. A client that wants only one op
//! of many says so, and `attention` pauses the records until that op is near.

mod fetches;

use crate::block::{Branch, Op};
use crate::counters::Tally;
use crate::pipeline::Pipeline;
use crate::pipeline::core::Core;
use crate::pipeline::group::{NONE, WRITES};
use crate::pipeline::listeners::Issue;
use crate::pipeline::noted::attention::{Attention, Demand, Passed, Wanted};
use crate::pipeline::noted::records::Records;
use asm_macros::events::Event;
use p5_chips::Class;
use p5_results::Pipe;
use p5_results::records::{AccessRecord, BranchRecord, DataSource, FetchRecord, OpRecord, STAGES_TO_EXECUTION};
use p5_words::isa::LONGEST_INSTRUCTION;
use std::cmp::Reverse;

/// An upper bound on the clocks between the end of a group, or the arrival of code, and the entry of the next group
/// into D1, without its prefixes. It covers a misprediction. A decoder before D1 decodes two instructions meanwhile.
const CLOCKS_TO_D1: u64 = 8;
const CLOCKS_TO_D1_AFTER_DECODING: u64 = CLOCKS_TO_D1 + 2 * LONGEST_INSTRUCTION as u64;

/// The records since the last call of [`Pipeline::observed`].
pub struct Observed<'a> {
    /// The ops that have retired. The caller empties the list.
    pub ops: &'a mut Vec<OpRecord>,
    /// The fetches that have ended. The caller empties the list.
    pub fetches: &'a mut Vec<FetchRecord>,
    /// The ops and fetches that passed without a record before these.
    pub passed: Passed,
}

/// The counts of the events that an access can cause, from `tally`.
fn occurrences(tally: &Tally, write: bool) -> [u64; 5] {
    let missed = if write {
        Event::DATA_WRITE_MISS
    } else {
        Event::DATA_READ_MISS
    };
    let uncached = if write {
        Event::NONCACHEABLE_WRITES
    } else {
        Event::NONCACHEABLE_READS
    };
    let references = if write { Event::DATA_WRITE } else { Event::DATA_READ };
    [
        missed,
        uncached,
        references,
        Event::DATA_TLB_MISS,
        Event::MISALIGNED_REFERENCES,
    ]
    .map(|event| tally.counted(event)[0])
}

impl Core {
    /// Updates the paths of accesses and fetches and the listeners after a change of `attention`.
    fn attention_changed(&mut self) {
        self.switch_accesses();
        self.ask_listeners();
    }

    /// Ends a pause, if there is one. An instruction that is `waiting` in U has been executed in the pause.
    fn resume_observing(&mut self, waiting: bool) {
        if self.attention.is_paused() {
            let fetches = self.records.forget_fetches();
            self.attention.pass_fetches(fetches);
            self.attention.resume(waiting);
            self.attention_changed();
        }
    }

    /// Counts a block of `ops` in a pause, before it is executed, or ends the pause. `steps` are the steps of the
    /// block, if they are known.
    #[inline]
    pub(in crate::pipeline) fn count_block(&mut self, steps: Option<u32>, ops: &[Op]) {
        let mut lines = 0;
        if self.attention.counts_fetches() {
            let fetches = self.records.forget_fetches();
            self.attention.pass_fetches(fetches);
            lines = self.lines_spanned(ops);
        }
        let waiting = self.entry.open() != NONE;
        self.attention.count_block(steps, lines, waiting);
        if !self.attention.is_paused() {
            self.attention_changed();
        }
    }

    /// Counts the entries, in a pause, of this many lines that were at hand along with the line after them.
    #[cold]
    pub(in crate::pipeline) fn count_entered(&mut self, lines: usize) {
        if lines > 0 {
            self.attention.pass_fetches(lines as u64);
            (self.records.requested, self.records.ahead) = (None, None);
        }
    }

    /// Whether the next group may enter D1 at clock `from` or later. The groups before it take this many `clocks`, and
    /// its prefixes take this many, too.
    #[inline(always)]
    pub(in crate::pipeline) fn may_enter_from(&self, from: u64, clocks: u64, prefixes: u32) -> bool {
        let decoding = if self.queue.exists {
            CLOCKS_TO_D1_AFTER_DECODING
        } else {
            CLOCKS_TO_D1
        };
        self.end().max(self.front.ready) + clocks + u64::from(prefixes) + decoding >= from
    }

    /// Whether the last group entered D1 at or after the clock for which a pause should have ended.
    pub(in crate::pipeline) fn has_passed_wanted(&self) -> bool {
        let entered = self.time.clock.saturating_sub(self.time.ahead);
        matches!(self.attention.of_observing(), Some(Demand::Clock(Reverse(from))) if entered >= from)
    }

    /// Makes an access by the general path and records it.
    pub(in crate::pipeline) fn access_observed(&mut self, shape: u8, address: u32, pipe: usize, when: u64) -> u32 {
        let write = shape & WRITES != 0;
        let before = occurrences(&self.counts.tally, write);
        let records = &mut self.records;
        (records.filled, records.walked, records.buffered) = (0, 0, 0);
        records.source = DataSource::None;
        let wait = self.access_generally(shape, address, pipe, when);
        let after = occurrences(&self.counts.tally, write);
        let mut counts = after
            .into_iter()
            .zip(before)
            .map(|(after, before)| after.wrapping_sub(before) as u8);
        let [missed, uncached, references, walks, misaligned] = std::array::from_fn(|_| counts.next().unwrap_or(0));
        let large_page = self.pages.kind(address).large;
        let under_way =
            |other: &AccessRecord| !other.write && other.missed > 0 && other.when + u64::from(other.wait) > when;
        let reads = self.records.accesses.iter().filter(|(_, other)| under_way(other));
        let open_reads = if missed > 0 && !write { reads.count() as u8 } else { 0 };
        let record = AccessRecord {
            write,
            size: shape & !WRITES,
            address,
            when,
            wait,
            references: 1 + references,
            missed,
            filled: self.records.filled,
            source: if missed > 0 {
                self.records.source
            } else {
                DataSource::None
            },
            open_reads,
            walks,
            walked: self.records.walked,
            large_page,
            misaligned: misaligned > 0,
            bank_conflict: false,
            uncached: uncached > 0,
            locked: false,
            buffered: self.records.buffered,
        };
        self.records.accesses.push((pipe, record));
        wait
    }

    /// Records both accesses of a locked operand. Each half of the operand is a reference of its own that misses.
    pub(in crate::pipeline) fn observe_locked(
        &mut self,
        address: u32,
        size: u32,
        when: u64,
        halves: u64,
        walks: u64,
        wait: u32,
    ) {
        let kind = self.pages.kind(address);
        let uncached = self.switches.cache_inhibited || kind.uncached;
        let records = &mut self.records;
        for write in [false, true] {
            // The walk belongs to the read.
            let of_read = u32::from(!write);
            let record = AccessRecord {
                write,
                size: size as u8,
                address,
                when,
                wait: wait * of_read,
                references: halves as u8,
                missed: halves as u8,
                filled: (wait - records.walked) * of_read,
                source: if write { DataSource::None } else { records.source },
                open_reads: 0,
                walks: walks as u8 * of_read as u8,
                walked: records.walked * of_read,
                large_page: kind.large,
                misaligned: halves > 1,
                bank_conflict: false,
                uncached,
                locked: true,
                buffered: 0,
            };
            records.accesses.push((0, record));
        }
    }

    /// Records that a miss, or a line that is being filled, has made a read wait `clocks` for its data.
    #[cold]
    pub(in crate::pipeline) fn observe_fill(&mut self, clocks: u32, source: DataSource) {
        self.records.filled += clocks;
        self.records.source = source;
    }

    /// The source of the last line that was filled.
    pub(in crate::pipeline) fn fill_source(&self) -> DataSource {
        if self.units.master.as_ref().is_some_and(|master| master.served) {
            DataSource::OtherCache
        } else if self.units.bus.last_was_of_memory() {
            DataSource::Memory
        } else {
            DataSource::SecondLevel
        }
    }

    /// Begins the record of a group that is about to issue. It may be the first wanted one.
    pub(in crate::pipeline) fn begin_record(&mut self, issue: &Issue<'_>) {
        if let Some(Demand::Clock(Reverse(from))) = self.attention.of_observing()
            && self.may_enter_from(from, 0, issue.group.prefixes)
        {
            self.resume_observing(false);
        }
        if self.attention.records() {
            let [flushes, _] = self.counts.tally.counted(Event::PIPELINE_FLUSHES);
            self.waits.bank = None;
            self.records.accesses.clear();
            self.records.flushes = flushes;
        }
    }

    /// Records the ops of a group that has just issued.
    pub(in crate::pipeline) fn end_record(&mut self, issue: &Issue<'_>) {
        debug_assert!(!self.has_passed_wanted(), "an op that is wanted has passed");
        if !self.attention.records() {
            return;
        }
        let &Issue { group, ops, facts, .. } = issue;
        let [flushes, _] = self.counts.tally.counted(Event::PIPELINE_FLUSHES);
        let (clock, retired) = (self.time.clock, self.end());
        let tagged = clock.saturating_sub(self.time.ahead);
        let conflict = self.waits.bank.is_some();
        let bank_conflict = self.rules.bank_conflict;
        if self.records.ops.is_empty() && !self.attention.records_op(retired) {
            let mut members = [group.u, group.v]
                .into_iter()
                .filter_map(|number| ops.get(number as usize));
            if let Some(steps) = members.try_fold(0, |sum, op| Some(sum + u64::from(op.steps()?))) {
                return self.attention.pass_group(steps);
            }
        }
        let Records {
            ops: records,
            accesses,
            flushes: before,
            ..
        } = &mut *self.records;
        let flushed = flushes.wrapping_sub(*before);
        let waited = |pipe: usize| -> u64 {
            let of_pipe = accesses.iter().filter(|(other, _)| *other == pipe);
            of_pipe.map(|(_, access)| u64::from(access.wait)).sum()
        };
        let u_total = u64::from(group.u_clocks) + waited(0);
        let v_begins = if group.v_begins > 0 { u_total - 1 } else { 0 };
        let conflicts = if conflict { u64::from(bank_conflict) } else { 0 };
        let v_total = v_begins + u64::from(group.v_clocks) + waited(1) + conflicts;
        if conflict && let Some((_, first)) = accesses.iter_mut().find(|(pipe, _)| *pipe == 1) {
            first.bank_conflict = true;
        }
        for (number, pipe, own) in [(group.u, Pipe::U, u_total), (group.v, Pipe::V, v_total)] {
            let Some(op) = ops.get(number as usize) else { continue };
            let ends = number == group.v || group.v == NONE;
            let far = op.branch == Branch::Far;
            let branch = (ends && op.branch != Branch::None).then(|| BranchRecord {
                taken: facts.taken,
                mispredicted: flushed > 0 && (group.branch || far && facts.taken && op.flushes),
                returns: op.branch == Branch::Return,
                target: facts.next,
            });
            let explained = u64::from(branch.is_some_and(|branch| branch.mispredicted));
            // The microcode of a group of one instruction ends with the group.
            let alone = group.v == NONE || group.complex && pipe == Pipe::U;
            let whole = OpRecord {
                address: op.address,
                step: 0,
                steps: 1,
                last: true,
                pipe,
                tagged,
                completed: if alone { retired } else { retired.min(clock + own) },
                retired,
                microcode: op.row.class == Class::Np,
                branch,
                counts_as_branch: ends && group.branch || op.counts_as_branch,
                met_entry: pipe == Pipe::U && !group.branch && flushed > explained,
                load: None,
                store: None,
            };
            let own = |pipe_of: usize| group.complex && pipe == Pipe::U || !group.complex && pipe_of == pipe as usize;
            let mut of_op = accesses
                .iter()
                .filter(|(pipe_of, _)| own(*pipe_of))
                .map(|(_, access)| access)
                .peekable();
            let first = records.len();
            loop {
                let (mut load, mut store) = (None, None);
                let Some(&access) = of_op.next() else { break };
                if access.write {
                    store = Some(access);
                } else {
                    load = Some(access);
                    let operand = |next: &&AccessRecord| next.write && next.address == access.address;
                    if op.repeated.is_none() && (op.modifies_memory || access.locked) {
                        store = of_op.next_if(operand).copied();
                    }
                }
                records.push(OpRecord { load, store, ..whole });
            }
            if records.len() == first {
                records.push(whole);
            }
            debug_assert!(
                op.steps().is_none_or(|steps| records.len() - first == steps as usize)
                    && (op.repeated.is_some() || far || records.len() - first <= op.most_steps() as usize),
                "{:X?} has {} steps",
                op.bytes,
                records.len() - first
            );
            let continued = op.repeated.is_some() && facts.next == op.address;
            finish(&mut records[first..], continued);
        }
    }
}

impl Pipeline {
    /// Begins to record ops, and fetches if `fetches` are wanted. Ends a pause, if there is one.
    pub fn observe(&mut self, fetches: bool) {
        self.resume_observing();
        let core = &mut self.core;
        if core.attention.observes && (core.attention.observes_fetches || !fetches) {
            return;
        }
        core.attention.observes = true;
        core.attention.observes_fetches |= fetches;
        core.attention_changed();
    }

    /// Ends a pause, if there is one.
    pub fn resume_observing(&mut self) {
        let waiting = self.is_open();
        self.core.resume_observing(waiting);
    }

    /// Stops observing and discards the records.
    pub fn stop_observing(&mut self) {
        self.core.attention = Attention::NONE;
        self.core.records.forget(false);
        self.core.attention_changed();
    }

    /// Records the fetches that are under way at the end of the run.
    pub fn end_observing(&mut self) {
        if self.core.attention.records() {
            self.core.records.end();
        }
    }

    /// The records since the last call; `None` in a pause, or if nothing is observed.
    pub fn observed(&mut self) -> Option<Observed<'_>> {
        let core = &mut self.core;
        if !core.attention.records() {
            return None;
        }
        Some(Observed {
            ops: &mut core.records.ops,
            fetches: &mut core.records.fetches,
            passed: core.attention.take_passed(),
        })
    }

    /// Requests that from the next instruction on only `wanted` has to be recorded. If it is far away, records pause
    /// until it is near. The caller must have taken all records.
    pub fn expect(&mut self, wanted: Wanted) {
        let core = &mut self.core;
        let waiting = core.entry.open() != NONE;
        // The clock of the next group's entry into D1 is unknown on chips whose groups wait for their code before D1.
        core.attention
            .expect(wanted, core.end(), !core.prefetched.exists, waiting);
        if core.attention.is_paused() {
            core.records.forget(core.attention.follows_fetches());
            core.attention_changed();
        }
    }

    /// Whether records pause because the wanted op and fetch are far away.
    pub fn pauses(&self) -> bool {
        self.core.attention.is_paused()
    }

    /// Whether a pause has ended since the records were last taken.
    #[inline(always)]
    pub fn has_resumed(&self) -> bool {
        self.core.attention.has_resumed()
    }

    /// The clock before which no wanted op or fetch can come, as long as blocks have up to `steps` steps; `None` if
    /// one may come now.
    pub fn quiet_until(&self, steps: u32) -> Option<u64> {
        let clocks = self.core.attention.quiet_clocks(steps);
        (clocks > 0).then(|| self.core.end().saturating_add(clocks))
    }
}

/// Numbers the steps of one instruction and times those before the last.
fn finish(steps: &mut [OpRecord], continued: bool) {
    let count = steps.len();
    for (number, record) in steps.iter_mut().enumerate() {
        (record.step, record.steps) = (number as u32, count as u32);
        let access = record.load.or(record.store);
        if number > 0
            && let Some(access) = access
        {
            let entered = access.when.saturating_sub(STAGES_TO_EXECUTION);
            record.tagged = entered.clamp(record.tagged, record.retired - 1);
            record.met_entry = false;
        }
        if number + 1 < count {
            let done = access.map_or(record.retired, |access| access.when + u64::from(access.wait) + 1);
            record.completed = done.clamp(record.tagged + 1, record.retired);
            record.retired = record.completed;
            (record.branch, record.counts_as_branch, record.last) = (None, false, false);
        } else {
            record.last = !continued;
        }
    }
}
