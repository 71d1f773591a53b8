//! Instruction fetch: code TLB, code cache, line fills, and the known instruction lengths.
//!
//! Modelled: a code read when the fetch enters a line; a miss holds D1 until the quadword with the instruction's last
//! byte arrives; decoding an instruction makes its length known. Not modelled: prefetching the next line before it is
//! needed; stale bytes that were prefetched before a store changed them.

use super::core::Core;
use crate::block::Op;
use crate::isa::PAGE;
use asm_macros::events::Event;

/// A code line as of a block's last fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FetchedLine {
    /// Its first address.
    pub(crate) line: u32,
    // The number of its fill.
    fill: u32,
}

impl Core {
    /// Whether all bytes of `op` are available for decoding now.
    pub(super) fn is_fetched(&self, op: &Op) -> bool {
        let cache = &self.units.code_cache;
        let now = self.end();
        [op.address, op.last_byte()].iter().all(|&address| {
            let arrived = !self.front.fill.is_of(cache.line(address)) || self.front.fill.end <= now;
            cache.peek(address).is_some() && arrived
        })
    }

    /// Fetches `op` and holds D1 until its bytes arrive.
    pub(super) fn fetch(&mut self, op: &Op) {
        let cache = &self.units.code_cache;
        let (first, last) = (cache.line(op.address), cache.line(op.last_byte()));
        if first == last {
            self.fetch_from(first, op.address, op.last_byte());
        } else {
            self.fetch_from(first, op.address, last.wrapping_sub(1));
            self.fetch_from(last, last, op.last_byte());
        }
    }

    fn fetch_from(&mut self, line: u32, wanted: u32, until: u32) {
        let mut natural = self.time.clock.saturating_sub(self.time.lead).max(self.front.ready);
        if line != self.front.line {
            self.front.line = line;
            self.counts.tally.count(Event::CODE_READ, 1);
            if !self.units.code_tlb.access(wanted / PAGE) {
                let walk = u64::from(self.units.bus.preset().page_walk);
                self.counts.tally.count(Event::CODE_TLB_MISS, 1);
                natural += walk;
                self.front.ready = natural;
                self.front.code_walk += walk;
            }
            if !self.units.code_cache.access(line) {
                self.counts.tally.count(Event::CODE_CACHE_MISS, 1);
                self.units.code_cache.fill(line);
                self.front.fill = self.units.bus.fill_code(wanted, natural);
            }
        }
        if self.front.fill.is_of(line) {
            let arrival = self.front.fill.arrival(until).max(self.front.fill.arrival(wanted));
            if arrival > natural {
                self.front.ready = arrival;
            }
        }
    }

    /// Whether the length of `op` is known from an earlier execution.
    pub(super) fn length_known(&self, op: &Op) -> bool {
        self.units.code_cache.end_known(op.last_byte())
    }

    /// Records that the length of `op` is known.
    pub(super) fn learn_length(&mut self, op: &Op) {
        self.units.code_cache.learn_end(op.last_byte());
    }

    /// Returns the lines of a block if all are cached and the lengths of all its instructions are known.
    pub(crate) fn fetched_lines(&self, ops: &[Op]) -> Option<Vec<FetchedLine>> {
        let mut lines: Vec<FetchedLine> = Vec::new();
        for op in ops {
            for address in [op.address, op.last_byte()] {
                let line = self.units.code_cache.line(address);
                if lines.last().is_none_or(|last| last.line != line) {
                    let fill = self.units.code_cache.peek(line)?;
                    lines.push(FetchedLine { line, fill });
                }
            }
            if !self.length_known(op) {
                return None;
            }
        }
        Some(lines)
    }

    /// Fetches a block's lines if none has changed and none has to be waited for. Returns whether it did.
    #[inline(always)]
    pub(crate) fn refetch(&mut self, lines: &[FetchedLine]) -> bool {
        if self.front.fill.end > self.time.clock {
            return false;
        }
        let [first, others @ ..] = lines else {
            return false;
        };
        // All lines are checked before any is touched: a cold block takes the slow path from its start.
        if !self.is_at_hand(first) || !others.iter().all(|line| self.is_at_hand(line)) {
            return false;
        }
        if first.line == self.front.line {
            // The schedule counts a read of every line.
            self.counts.tally.uncount(Event::CODE_READ, 1);
        } else {
            self.read_line(first);
        }
        for line in others {
            self.read_line(line);
        }
        true
    }

    /// Whether a line is unchanged since its fetch and its page is in the TLB.
    #[inline(always)]
    fn is_at_hand(&self, line: &FetchedLine) -> bool {
        self.units.code_cache.holds(line.line, line.fill) && self.units.code_tlb.holds(line.line / PAGE)
    }

    /// Reads a line that is available.
    #[inline(always)]
    fn read_line(&mut self, line: &FetchedLine) {
        self.units.code_tlb.access(line.line / PAGE);
        self.units.code_cache.touch(line.line, line.fill);
        self.front.line = line.line;
    }
}
