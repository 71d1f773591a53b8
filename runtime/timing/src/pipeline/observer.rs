//! The observer: what retires and what is fetched, as one record for each op and each fetch.
//!
//! Modelled: an op is the step of an instruction that makes one access, or both accesses of an operand that is read,
//! modified and written; an instruction without accesses is one op. Its tag is its entry into D1, and of a further step
//! of microcode the clock two stages before EX; it completes at the end of its own EX and retires when the other pipe
//! has completed, too. A fetch is the read of a code line, for a redirection, in sequence, or ahead of its use; it is
//! complete when the bytes wanted first are delivered, and aborted when the fetch goes elsewhere before. What is
//! requested ahead and not yet read when the fetch goes elsewhere is killed. Not modelled: fetches on a path that is
//! not taken, which the pipeline does not make. DOUBT: how many steps microcode without accesses takes.
//!
//! An observed pipeline issues its groups one at a time and sends every access through the general path. If fetches are
//! observed, too, it executes one instruction after the other. None of these changes a clock, and none costs anything
//! while nothing is observed. Records are kept until they are taken. Who wants only one op of many pauses the observer:
//! steps are counted by block meanwhile, and recording begins again with the block in which the wanted one lies, or
//! which has steps that are not known beforehand.

mod fetches;
mod pause;

pub(in crate::pipeline) use pause::Pause;
pub use pause::{Resumed, Wanted};

use super::core::Core;
use super::group::{Group, NONE, WRITES};
use crate::block::{Branch, Op};
use crate::counters::Tally;
use asm_macros::events::Event;
use p5_chips::Class;
use p5_results::Pipe;
use p5_results::records::{AccessRecord, BranchRecord, DataSource, FetchRecord, OpRecord, STAGES_TO_EXECUTION};
use p5_words::facts::Facts;

/// What is observed, and what is being recorded.
#[derive(Debug, Default)]
pub(super) struct Observer {
    /// Whether fetches are recorded; otherwise those of code that is replayed are missing.
    whole: bool,
    /// Ops that retire before this clock are counted, and as far as their steps are known beforehand, not recorded.
    ops_from: u64,
    /// The ops that were only counted, all of them before those that have not been taken.
    counted: u64,
    /// The ops and fetches that have not been taken.
    ops: Vec<OpRecord>,
    fetches: Vec<FetchRecord>,
    /// The accesses of the current group, with the pipe of each.
    accesses: Vec<(usize, AccessRecord)>,
    /// What is known of the current access.
    pub(super) filled: u32,
    pub(super) source: DataSource,
    pub(super) walked: u32,
    pub(super) buffered: u32,
    /// Flushes before the current group.
    flushes: u64,
    /// The line requested ahead, and since when.
    requested: Option<(u32, u64)>,
    /// The line that is read ahead.
    ahead: Option<FetchRecord>,
    /// The fetch that is made.
    pub(super) fetch: Option<FetchRecord>,
}

/// Counted occurrences of events of an access.
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
    /// Observes what retires from now on, and if the `whole` is wanted, what is fetched. Who has paused goes on.
    pub(super) fn begin_observing(&mut self, whole: bool) {
        if self.pause.is_some() {
            return self.count_unobserved(None, u32::MAX, self.entry.open() != NONE);
        }
        self.observer = Some(Box::new(Observer {
            whole,
            ..Observer::default()
        }));
        self.switch_observing();
    }

    /// Takes the paths that leave the records that are wanted.
    fn switch_observing(&mut self) {
        self.switches.observed = self.observer.is_some();
        self.switches.fetches_observed = self.observer.as_ref().is_some_and(|observer| observer.whole);
        self.switch_accesses();
    }

    /// Observes nothing any more, and forgets what has been recorded.
    pub(super) fn end_observing(&mut self) {
        (self.observer, self.pause, self.resumed) = (None, None, None);
        self.switch_observing();
    }

    /// Whether what becomes of fetches is followed.
    pub(super) fn follows_fetches(&self) -> bool {
        self.observer.is_some() || self.pause.as_ref().is_some_and(|pause| pause.wanted.fetches.is_some())
    }

    /// Who follows what becomes of fetches.
    pub(super) fn fetch_observer(&mut self) -> Option<&mut Observer> {
        match &mut self.pause {
            Some(pause) => pause.wanted.fetches.map(|_| &mut *pause.observer),
            None => self.observer.as_deref_mut(),
        }
    }

    /// Makes an access by the general path and records it.
    pub(super) fn access_observed(&mut self, shape: u8, address: u32, pipe: usize, when: u64) -> u32 {
        let write = shape & WRITES != 0;
        let before = occurrences(&self.counts.tally, write);
        if let Some(observer) = &mut self.observer {
            (observer.filled, observer.walked, observer.buffered) = (0, 0, 0);
            observer.source = DataSource::None;
        }
        let wait = self.access_generally(shape, address, pipe, when);
        let after = occurrences(&self.counts.tally, write);
        let mut counts = after
            .into_iter()
            .zip(before)
            .map(|(after, before)| after.wrapping_sub(before) as u8);
        let [missed, uncached, references, walks, misaligned] = std::array::from_fn(|_| counts.next().unwrap_or(0));
        let large_page = self.pages.kind(address).large;
        if let Some(observer) = &mut self.observer {
            let under_way =
                |other: &AccessRecord| !other.write && other.missed > 0 && other.when + u64::from(other.wait) > when;
            let reads = observer.accesses.iter().filter(|(_, other)| under_way(other));
            let open_reads = if missed > 0 && !write { reads.count() as u8 } else { 0 };
            let record = AccessRecord {
                write,
                size: shape & !WRITES,
                address,
                when,
                wait,
                references: 1 + references,
                missed,
                filled: observer.filled,
                source: if missed > 0 { observer.source } else { DataSource::None },
                open_reads,
                walks,
                walked: observer.walked,
                large_page,
                misaligned: misaligned > 0,
                bank_conflict: false,
                uncached: uncached > 0,
                locked: false,
                buffered: observer.buffered,
            };
            observer.accesses.push((pipe, record));
        }
        wait
    }

    /// Records both accesses of a locked operand, of which each half is a reference of its own that misses.
    pub(super) fn observe_locked(&mut self, address: u32, size: u32, when: u64, halves: u64, walks: u64, wait: u32) {
        let kind = self.pages.kind(address);
        let uncached = self.switches.cache_inhibited || kind.uncached;
        let Some(observer) = &mut self.observer else { return };
        for write in [false, true] {
            // The walk is the read's.
            let of_read = u32::from(!write);
            let record = AccessRecord {
                write,
                size: size as u8,
                address,
                when,
                wait: wait * of_read,
                references: halves as u8,
                missed: halves as u8,
                filled: (wait - observer.walked) * of_read,
                source: if write { DataSource::None } else { observer.source },
                open_reads: 0,
                walks: walks as u8 * of_read as u8,
                walked: observer.walked * of_read,
                large_page: kind.large,
                misaligned: halves > 1,
                bank_conflict: false,
                uncached,
                locked: true,
                buffered: 0,
            };
            observer.accesses.push((0, record));
        }
    }

    /// A miss, or a line that is being filled, has made a read wait `clocks` for its data.
    #[cold]
    pub(super) fn observe_fill(&mut self, clocks: u32, source: DataSource) {
        if let Some(observer) = &mut self.observer {
            observer.filled += clocks;
            observer.source = source;
        }
    }

    /// Where the last line that was filled came from.
    pub(super) fn fill_source(&self) -> DataSource {
        if self.units.master.as_ref().is_some_and(|master| master.served) {
            DataSource::OtherCache
        } else if self.units.bus.last_was_of_memory() {
            DataSource::Memory
        } else {
            DataSource::SecondLevel
        }
    }

    /// A group is about to issue.
    pub(super) fn begin_group(&mut self) {
        let [flushes, _] = self.counts.tally.counted(Event::PIPELINE_FLUSHES);
        self.waits.bank = None;
        if let Some(observer) = &mut self.observer {
            observer.accesses.clear();
            observer.flushes = flushes;
        }
    }

    /// Records the ops of a group that has just issued.
    pub(super) fn end_group(&mut self, group: &Group, ops: &[Op], facts: &Facts) {
        let [flushes, _] = self.counts.tally.counted(Event::PIPELINE_FLUSHES);
        let (clock, retired) = (self.time.clock, self.end());
        let tagged = clock.saturating_sub(self.time.ahead);
        let conflict = self.waits.bank.is_some();
        let bank_conflict = self.rules.bank_conflict;
        let Some(observer) = &mut self.observer else { return };
        if retired < observer.ops_from && observer.ops.is_empty() {
            let mut members = [group.u, group.v]
                .into_iter()
                .filter_map(|number| ops.get(number as usize));
            if let Some(steps) = members.try_fold(0, |sum, op| Some(sum + u64::from(op.steps()?))) {
                observer.counted += steps;
                return;
            }
        }
        let flushed = flushes.wrapping_sub(observer.flushes);
        let Observer {
            ops: records, accesses, ..
        } = &mut **observer;
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
            // Microcode of a group alone is done when the group is.
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

impl Observer {
    /// From now on, records only ops that retire at clock `from` or later, or have steps that are not known beforehand.
    pub(super) fn record_ops_from(&mut self, from: u64) {
        self.ops_from = from;
    }

    /// The ops that were only counted since this was last asked.
    pub(super) fn counted(&mut self) -> u64 {
        std::mem::take(&mut self.counted)
    }

    /// The ops that have retired and the fetches that have ended since these were last cleared.
    pub(super) fn records(&mut self) -> (&mut Vec<OpRecord>, &mut Vec<FetchRecord>) {
        (&mut self.ops, &mut self.fetches)
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
