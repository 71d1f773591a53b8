//! Counts: the tallies of both privilege groups, the statistics of every instruction, and the static counts of groups,
//! which do not depend on facts.
//!
//! Modelled: instructions, pairs, branches, data and code reads, and writes. They are known before a schedule runs, so
//! a replay only increments the counter of its schedule, and the sums are computed when the tally is read. Everything
//! that depends on facts is counted as it happens, including corrections of the static counts: a misaligned access is
//! two references, a bank conflict separates two accesses of one clock, and a line entered by falling through is not
//! read again. Not modelled: the events that depend on facts, which are counted where they occur.

pub(super) mod doubted;
pub(super) mod removed;
pub(super) mod stats;

use super::group::{Group, NONE, WRITES};
use crate::counters::Tally;
use asm_macros::events::Event;
use doubted::Doubted;
use removed::Removed;
use stats::RecentStats;

#[derive(Default)]
pub(super) struct Counts {
    /// The tally of the current privilege group, without the replays that have not been settled yet.
    pub(super) tally: Tally,
    /// The tally of the other privilege group.
    pub(super) other: Tally,
    /// The statistics of every instruction, by number, since the clock `taken` at which they were last taken.
    pub(super) stats: Vec<RecentStats>,
    pub(super) taken: u64,
    /// The lines with executed code that stores have removed from the code cache.
    pub(super) removed: Removed,
    /// The data from which the clocks of doubted rows are computed.
    pub(super) doubted: Doubted,
}

/// The counts that one replay of a schedule, or one issue of a group, adds to the tally independently of its facts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StaticCounts {
    instructions: u64,
    pairs: u64,
    branches: u64,
    reads: u64,
    writes: u64,
    // Pairs with accesses in both pipes: two reads; two writes; a read and a write.
    both_read: u64,
    both_write: u64,
    read_and_write: u64,
    // Code lines. All of them are read after a taken branch.
    code_reads: u64,
    // Address interlocks and their clocks.
    interlocks: (u64, u64),
    // Waits after a pair with FXCH, and their clocks.
    exchanges: (u64, u64),
}

impl StaticCounts {
    /// The counts of one issue of `group`.
    #[inline]
    pub(super) fn of(group: &Group) -> StaticCounts {
        let pairs = u64::from(group.v != NONE);
        let mut counts = StaticCounts {
            instructions: 1 + pairs,
            pairs,
            branches: u64::from(group.branch),
            ..StaticCounts::default()
        };
        if group.complex {
            return counts;
        }
        let u = &group.shapes[..usize::from(group.u_accesses)];
        let v = &group.shapes[2..][..usize::from(group.v_accesses)];
        for shape in u.iter().chain(v) {
            if shape & WRITES == 0 {
                counts.reads += 1;
            } else {
                counts.writes += 1;
            }
        }
        match group.together() {
            Some(Event::DATA_READ) => counts.both_read = 1,
            Some(Event::DATA_WRITE) => counts.both_write = 1,
            Some(_) => counts.read_and_write = 1,
            None => {}
        }
        counts
    }

    /// Returns the counts of one replay of a schedule with these groups.
    pub(super) fn of_all(groups: &[Group]) -> StaticCounts {
        let mut sum = StaticCounts::default();
        for group in groups {
            let later = group.charged_later;
            let one = StaticCounts::of(group);
            sum.instructions += one.instructions;
            sum.pairs += one.pairs;
            sum.branches += one.branches;
            sum.reads += one.reads;
            sum.writes += one.writes;
            sum.both_read += one.both_read;
            sum.both_write += one.both_write;
            sum.read_and_write += one.read_and_write;
            if later && group.stalled_addresses > 0 {
                sum.interlocks.0 += u64::from(group.stalled_addresses);
                sum.interlocks.1 += u64::from(group.interlock);
            } else if later && group.after_exchange {
                sum.exchanges.0 += 1;
                sum.exchanges.1 += u64::from(group.interlock);
            }
        }
        sum
    }

    /// Adds the reads of a block of `lines` code lines.
    pub(super) fn with_code_reads(self, lines: usize) -> StaticCounts {
        StaticCounts {
            code_reads: lines as u64,
            ..self
        }
    }

    #[inline]
    pub(super) fn count(&self, times: u64, tally: &mut Tally) {
        tally.count(Event::INSTRUCTIONS_EXECUTED, times * self.instructions);
        tally.count(Event::BRANCHES, times * self.branches);
        tally.count(Event::CODE_READ, times * self.code_reads);
        if self.pairs > 0 {
            tally.shared(Event::INSTRUCTIONS_EXECUTED, times * self.pairs);
            tally.count(Event::INSTRUCTIONS_EXECUTED_V_PIPE, times * self.pairs);
        }
        if self.reads | self.writes > 0 {
            tally.count(Event::DATA_READ, times * self.reads);
            tally.count(Event::DATA_WRITE, times * self.writes);
            let both = self.both_read + self.both_write + self.read_and_write;
            tally.count(Event::MEMORY_ACCESSES_IN_BOTH_PIPES, times * both);
            tally.shared(Event::DATA_READ, times * self.both_read);
            tally.shared(Event::DATA_WRITE, times * self.both_write);
            tally.shared(Event::DATA_READ_OR_WRITE, times * self.read_and_write);
        }
        tally.lasted(Event::AGI_STALLS, times * self.interlocks.0, times * self.interlocks.1);
        if self.exchanges.0 > 0 {
            let (waits, clocks) = self.exchanges;
            tally.lasted(Event::FLOATING_POINT_STALL, times * waits, times * clocks);
        }
    }
}
