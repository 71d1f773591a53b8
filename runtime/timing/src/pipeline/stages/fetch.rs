//! Instruction fetch: code TLB, code cache, line fills, and the known instruction lengths.
//!
//! Modelled: a code read when the fetch enters a line; a miss holds D1 until the quadword with the instruction's last
//! byte arrives; the next line, if it is not cached, is read as soon as the bus is free, unless the fetch leaves the
//! line before or a page ends between the two, as the rules say; decoding an instruction makes its length known.
//! Not modelled: lines read ahead beyond the next one, and page walks for them; stale bytes that were prefetched before
//! a store changed them.

use crate::block::Op;
use crate::pipeline::core::Core;
use crate::pipeline::group::NONE;
use crate::units::bus::Fill;
use crate::units::tlb::Tlb;
use asm_macros::events::Event;
use p5_words::isa::PAGE;

/// The line fetched last, before anything else changes what is cached.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct LineFetched {
    first: u32,
    // The clock at which all its bytes are there.
    arrives: u64,
}

impl LineFetched {
    #[inline(always)]
    pub(in crate::pipeline) fn is_of(&self, fill: &Fill) -> bool {
        fill.is_of(self.first)
    }

    #[inline(always)]
    pub(in crate::pipeline) fn arrives(&self) -> u64 {
        self.arrives
    }
}

impl Core {
    /// The later of two clocks: the instruction that waits in U for `op` is decoded, and the group before it ends.
    /// Bytes that arrive until then are in time for both instructions.
    fn pairs_until(&self) -> u64 {
        self.end().max(self.front.ready)
    }

    /// Whether all bytes of `op` are available for decoding beside the instruction that waits in U.
    pub(in crate::pipeline) fn is_fetched(&self, op: &Op) -> bool {
        let cache = &self.units.code_cache;
        let now = self.pairs_until();
        [op.address, op.last_byte()].iter().all(|&address| {
            let line = cache.line(address);
            let arrived = |fill: &Fill| !fill.is_of(line) || fill.end <= now;
            let cached = cache.peek(address).is_some() || self.units.bus.fills_at_once();
            cached && arrived(&self.front.fill) && arrived(&self.front.ahead)
        })
    }

    pub(in crate::pipeline) fn fetch(&mut self, op: &Op) {
        let cache = &self.units.code_cache;
        let (first, last) = (cache.line(op.address), cache.line(op.last_byte()));
        if first == last {
            self.fetch_from(first, op.address, op.last_byte());
        } else {
            self.fetch_from(first, op.address, last.wrapping_sub(1));
            self.fetch_from(last, last, op.last_byte());
        }
    }

    pub(in crate::pipeline) fn line_fetched(&self) -> LineFetched {
        let first = self.front.line;
        let end = |fill: &Fill| if fill.is_of(first) { fill.end } else { 0 };
        LineFetched {
            first,
            arrives: end(&self.front.fill).max(end(&self.front.ahead)),
        }
    }

    /// Whether all bytes of `line` are available for decoding beside the instruction that waits in U. `None` if
    /// another line has been fetched since, or this one has left the code cache.
    #[inline(always)]
    pub(in crate::pipeline) fn is_line_fetched(&self, line: &LineFetched) -> Option<bool> {
        self.known_ends(line)?;
        Some(line.arrives <= self.pairs_until())
    }

    /// Fetches an instruction whose first and last byte are at `bytes` in `line`. Returns the known instruction ends
    /// of the line, one bit for each byte. Returns `None` without an effect if `is_line_fetched` returns `None`.
    #[inline(always)]
    pub(in crate::pipeline) fn fetch_within(&mut self, line: &LineFetched, bytes: [u32; 2]) -> Option<u32> {
        let ends = self.known_ends(line)?;
        let natural = self.enters_decoding();
        self.front.decodes = natural;
        self.pass_until(natural);
        self.await_bytes(line.first, bytes, natural);
        Some(ends)
    }

    /// The known instruction ends of `line`, one bit for each byte. `None` if another line has been fetched since, or
    /// this one has left the code cache.
    #[inline(always)]
    pub(in crate::pipeline) fn known_ends(&self, line: &LineFetched) -> Option<u32> {
        let ends = self.units.code_cache.ends_of_most_recent(line.first)?;
        (self.front.line == line.first).then_some(ends)
    }

    /// Records that an instruction ends with the byte of `line` whose bit is `end`, if the line is still cached.
    #[inline(always)]
    pub(in crate::pipeline) fn learn_end(&mut self, line: &LineFetched, end: u32) {
        self.units.code_cache.learn_end_of_most_recent(line.first, end);
    }

    /// The clock at which the next instruction enters D1 if its bytes are there.
    #[inline(always)]
    pub(super) fn enters_decoding(&self) -> u64 {
        self.time.clock.saturating_sub(self.time.lead).max(self.front.ready)
    }

    /// Processes the prefetches and walks before `now`, when an instruction enters D1.
    #[inline(always)]
    pub(in crate::pipeline) fn pass_until(&mut self, now: u64) {
        if self.front.filling > now && self.units.bus.prefetches(now) {
            self.begin_ahead(now);
        }
        if self.front.ready < self.time.clock {
            // The previous group has hidden the page walk.
            self.front.code_walk = 0;
        }
    }

    /// Processes the events before the next instruction enters D1. A pipeline that fetches its instructions one by one
    /// has already done so; otherwise this has not been done since the fetch of the block.
    pub(in crate::pipeline) fn look_ahead(&mut self) {
        self.pass_until(self.enters_decoding());
    }

    /// Holds D1, which is free at clock `natural`, until the first and the last byte of `bytes` in `line` arrive.
    #[inline(always)]
    fn await_bytes(&mut self, line: u32, [first, last]: [u32; 2], natural: u64) {
        let fill = &self.front.fill;
        if fill.end > natural && fill.is_of(line) {
            let arrival = fill.arrival(last).max(fill.arrival(first));
            if arrival > natural {
                self.front.ready = arrival;
            }
        }
    }

    fn fetch_from(&mut self, line: u32, wanted: u32, until: u32) {
        let mut natural = self.enters_decoding();
        self.pass_until(natural);
        if line != self.front.line {
            natural = self.enter_line(line, wanted, natural);
        }
        self.await_bytes(line, [wanted, until], natural);
    }

    /// Enters `line` at clock `natural` for the byte at `wanted`. Returns the clock at which D1 can be entered, after
    /// a walk of the page tables.
    pub(super) fn enter_line(&mut self, line: u32, wanted: u32, mut natural: u64) -> u64 {
        if self.attention.follows_fetches() {
            self.observe_entry(line, wanted, natural, self.front.line == NONE);
        }
        self.front.line = line;
        self.units.bus.cancel_prefetch();
        self.snoop_until(natural);
        self.count_read(line);
        if !self.units.fetch_tlb().access(wanted / PAGE) {
            let walk = u64::from(self.walk_tables(wanted, natural));
            self.counts.tally.count(Event::CODE_TLB_MISS, 1);
            natural += walk;
            self.front.ready = natural;
            self.front.code_walk += walk;
            if self.attention.follows_fetches() {
                self.observe_code_walk(walk as u32);
            }
        }
        if !self.units.fetch_line(line) {
            self.counts.tally.count(Event::CODE_CACHE_MISS, 1);
            self.claim(line, natural, false);
            self.units.fill_code_line(line);
            self.front.fill = self.units.bus.fill_code(wanted, natural);
            if self.attention.follows_fetches() {
                self.observe_code_miss();
            }
            if self.front.ahead.is_of(line) {
                // The line was evicted after it was read ahead.
                self.front.ahead = Fill::NONE;
            }
        } else if self.front.ahead.is_of(line) {
            self.front.fill = self.front.ahead;
        }
        let wanted_ahead = self
            .next_line(line)
            .filter(|&next| !self.units.has_line(next) && self.is_translated(next));
        if let Some(next) = wanted_ahead {
            self.units.bus.prefetch(next, natural);
        }
        self.front.filling = match wanted_ahead {
            Some(_) => u64::MAX,
            None => self.front.fill.end.max(self.front.ahead.end),
        };
        if self.attention.follows_fetches() {
            self.observe_fetched(natural, wanted_ahead);
        }
        natural
    }

    /// The line after `line`, if it may be read ahead.
    pub(super) fn next_line(&self, line: u32) -> Option<u32> {
        let next = line.wrapping_add(self.units.code_cache.line_size());
        (!next.is_multiple_of(PAGE) || self.rules.reads_into_next_page).then_some(next)
    }

    /// Whether the fetch of `next`, the line after the current one, needs no walk of the page tables.
    fn is_translated(&self, next: u32) -> bool {
        !next.is_multiple_of(PAGE) || self.translations().holds(next / PAGE)
    }

    #[inline(always)]
    pub(super) fn translations(&self) -> &Tlb {
        if self.units.unified {
            &self.units.data_tlb
        } else {
            &self.units.code_tlb
        }
    }

    /// Takes over the line read ahead if its read has begun before `now`.
    pub(in crate::pipeline) fn begin_ahead(&mut self, now: u64) {
        self.snoop_before_request(now);
        let (begun, to_come) = self.units.bus.prefetched(now);
        if let Some(fill) = begun {
            self.counts.tally.count(Event::CODE_READ, 1);
            self.counts.tally.count(Event::CODE_CACHE_MISS, 1);
            self.units.fill_code_line(fill.line);
            self.front.ahead = fill;
            self.front.read_ahead = fill.line;
            if self.attention.follows_fetches() {
                self.observe_ahead(fill.line);
            }
        }
        if !to_come {
            self.front.filling = self.front.fill.end.max(self.front.ahead.end);
        }
    }

    /// Whether the fetch enters a line that was read ahead just before. An evicted line is read again.
    #[inline(always)]
    pub(in crate::pipeline) fn was_read_ahead(&mut self, line: u32) -> bool {
        self.front.read_ahead == line && self.units.has_line(line)
    }

    /// Counts the read of a line that the fetch enters, unless it was read ahead just before.
    #[inline(always)]
    fn count_read(&mut self, line: u32) {
        if !self.was_read_ahead(line) {
            self.counts.tally.count(Event::CODE_READ, 1);
        }
        self.front.read_ahead = NONE;
    }

    /// Forgets the position of the fetch. A line whose read has begun still arrives.
    pub(in crate::pipeline) fn leave_code(&mut self) {
        self.begin_ahead(self.end());
        if self.attention.follows_fetches() {
            self.observe_leaving();
        }
        self.front.line = NONE;
        self.front.read_ahead = NONE;
        self.units.bus.cancel_prefetch();
        self.front.filling = self.front.fill.end.max(self.front.ahead.end);
    }

    /// The most code lines that a fetch of the consecutive instructions `ops` enters.
    pub(in crate::pipeline) fn lines_spanned(&self, ops: &[Op]) -> u32 {
        let cache = &self.units.code_cache;
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else {
            return 0;
        };
        let bytes = cache.line(last.last_byte()).wrapping_sub(cache.line(first.address));
        bytes / cache.line_size() + 1
    }

    /// Whether the length of `op` is known from an earlier execution.
    pub(in crate::pipeline) fn length_known(&self, op: &Op) -> bool {
        self.units.code_cache.end_known(op.last_byte())
    }

    pub(in crate::pipeline) fn learn_length(&mut self, op: &Op) {
        self.units.code_cache.learn_end(op.last_byte());
    }
}
