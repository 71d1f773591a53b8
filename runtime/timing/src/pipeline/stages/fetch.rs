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

/// A code line as it was at a block's last fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FetchedLine {
    pub(crate) line: u32,
    fill: u32,
}

/// The line fetched last, before anything else changes what is cached.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct LineFetched {
    first: u32,
    // The clock at which all its bytes are there.
    arrives: u64,
}

/// The code lines of a block as they were at its last fetch.
#[derive(Clone, Debug, Default)]
pub(crate) struct FetchedLines {
    lines: Vec<FetchedLine>,
    // The line after them, if it may be read ahead.
    next: Option<FetchedLine>,
    // Whether that line is not cached: each entry requests it until the bus is free to read it. Such a block is in one
    // line.
    awaits_next: bool,
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

impl FetchedLines {
    /// The lines, and the one after them if it may be read ahead, each with the number of its fill.
    pub(in crate::pipeline) fn with_fills(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.lines.iter().chain(&self.next).map(|line| (line.line, line.fill))
    }

    /// The number of lines; none unless all are cached and all instruction lengths are known.
    pub(crate) fn count(&self) -> usize {
        self.lines.len()
    }

    pub(in crate::pipeline) fn has_next(&self) -> bool {
        self.next.is_some()
    }

    /// Whether the line after them is still to be read. Only the interpreter fetches such lines again.
    pub(in crate::pipeline) fn awaits_next(&self) -> bool {
        self.awaits_next
    }

    /// The number of these lines that a fetch enters when it comes from `line`.
    pub(in crate::pipeline) fn entered_from(&self, line: u32) -> usize {
        let stays = self.lines.first().is_some_and(|first| first.line == line);
        self.lines.len() - usize::from(stays)
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
    fn enters_decoding(&self) -> u64 {
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
    fn enter_line(&mut self, line: u32, wanted: u32, mut natural: u64) -> u64 {
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
    fn next_line(&self, line: u32) -> Option<u32> {
        let next = line.wrapping_add(self.units.code_cache.line_size());
        (!next.is_multiple_of(PAGE) || self.rules.reads_into_next_page).then_some(next)
    }

    /// Whether the fetch of `next`, the line after the current one, needs no walk of the page tables.
    fn is_translated(&self, next: u32) -> bool {
        !next.is_multiple_of(PAGE) || self.translations().holds(next / PAGE)
    }

    #[inline(always)]
    fn translations(&self) -> &Tlb {
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

    /// Returns the lines of a block and the line after them if all are cached and the lengths of all its instructions
    /// are known. The line after a block of one line need not be cached.
    pub(crate) fn fetched_lines(&self, ops: &[Op]) -> Option<FetchedLines> {
        let in_one_line = self.lines_spanned(ops) == 1;
        let mut lines: Vec<FetchedLine> = Vec::new();
        let fetched = |line| {
            let fill = self.units.code_cache.peek(line)?;
            Some(FetchedLine { line, fill })
        };
        for op in ops {
            if !self.length_known(op) {
                return None;
            }
            for address in [op.address, op.last_byte()] {
                let line = self.units.code_cache.line(address);
                if lines.last().is_none_or(|last| last.line != line) {
                    lines.push(fetched(line)?);
                }
            }
        }
        let may_follow = lines.last().and_then(|last| self.next_line(last.line));
        let next = may_follow.and_then(fetched);
        let awaits_next = may_follow.is_some() && next.is_none();
        (in_one_line || !awaits_next).then_some(FetchedLines {
            lines,
            next,
            awaits_next,
        })
    }

    /// Fetches a block's lines if none has changed and none has to be waited for. Returns whether it fetched them.
    #[inline(always)]
    pub(crate) fn refetch(&mut self, block: &FetchedLines) -> bool {
        if block.awaits_next {
            return self.refetch_before_next(block);
        }
        // Bytes that arrive after the entry into D1 hold it, as in `await_bytes`, even if they arrive before the next
        // issue.
        if self.front.filling > self.enters_decoding() {
            return self.refetch_while_filling(block);
        }
        let ([first, ..], Some(last)) = (block.lines.as_slice(), block.lines.last()) else {
            return false;
        };
        // In most cases nothing moves: the lines are the most recent of their sets, and the TLB last looked up their
        // page.
        let cache = &self.units.code_cache;
        let settled = self.front.read_ahead == NONE
            && self.units.code_tlb.last_was(first.line / PAGE)
            && (first.line ^ last.line) < PAGE
            && block
                .lines
                .iter()
                .all(|line| cache.is_most_recent(line.line, line.fill));
        if !settled {
            return self.refetch_slowly(block);
        }
        let stays = first.line == self.front.line;
        if block.lines.len() > 1 || !stays {
            // Entering a line reads the next one ahead unless it is cached.
            if block.next.is_some_and(|next| !cache.holds(next.line, next.fill)) {
                return false;
            }
            self.front.line = last.line;
        }
        if stays {
            // The schedule counts a read of every line.
            self.counts.tally.uncount(Event::CODE_READ, 1);
        }
        true
    }

    /// Fetches a block in one line while the line after it is not cached and the bus is too busy to read it. Nothing
    /// depends on when that line begins to be read until the fetch enters another line, or the tally is read: whoever
    /// uses the bus asks before whether the read has begun.
    #[inline(never)]
    fn refetch_before_next(&mut self, block: &FetchedLines) -> bool {
        let [only] = block.lines.as_slice() else { return false };
        let watched = self.attention.follows_fetches() || self.units.master.is_some() || self.units.unified;
        let natural = self.enters_decoding();
        if watched || !self.is_at_hand(only) {
            return false;
        }
        self.pass_until(natural);
        let is_cached = |next| self.units.code_cache.peek(next).is_some();
        if self.front.fill.end.max(self.front.ahead.end) > natural || self.next_line(only.line).is_none_or(is_cached) {
            return false;
        }
        if self.front.line != only.line {
            self.enter_line(only.line, only.line, natural);
        }
        // The schedule counts a read of the line.
        self.counts.tally.uncount(Event::CODE_READ, 1);
        true
    }

    /// Fetches a block while a line is being read that is none of its own, all of which have arrived.
    #[inline(never)]
    fn refetch_while_filling(&mut self, block: &FetchedLines) -> bool {
        let [first, others @ ..] = block.lines.as_slice() else {
            return false;
        };
        let watched = self.attention.follows_fetches() || self.units.master.is_some() || self.units.unified;
        if watched || !block.lines.iter().all(|line| self.is_at_hand(line)) {
            return false;
        }
        // The line whose read begins now must not replace one of these.
        let cache = &self.units.code_cache;
        let shares_set = |ahead: u32| block.lines.iter().any(|line| cache.share_set(line.line, ahead));
        if self.units.bus.lines_ahead().any(shares_set) {
            return false;
        }
        let natural = self.enters_decoding();
        self.pass_until(natural);
        let still_to_begin = self.front.filling == u64::MAX;
        let arrived = |line: &FetchedLine| {
            let fills = [&self.front.fill, &self.front.ahead];
            fills.iter().all(|fill| !fill.is_of(line.line) || fill.end <= natural)
        };
        if still_to_begin || !block.lines.iter().all(arrived) {
            return false;
        }
        let stays = first.line == self.front.line;
        let enters = !stays || !others.is_empty();
        // Entering a line reads the next one ahead unless it is cached.
        let cache = &self.units.code_cache;
        if enters && block.next.is_some_and(|next| !cache.holds(next.line, next.fill)) {
            return false;
        }
        if stays {
            // The schedule counts a read of every line.
            self.counts.tally.uncount(Event::CODE_READ, 1);
        }
        let entered = if stays { others } else { &block.lines };
        for line in entered {
            self.read_line(line);
            if self.front.ahead.is_of(line.line) {
                self.front.fill = self.front.ahead;
            }
        }
        self.front.filling = self.front.fill.end.max(self.front.ahead.end);
        true
    }

    /// Whether all lines of a block, and the page that has them, are the most recent of their sets, and the line after
    /// them is cached.
    pub(in crate::pipeline) fn is_settled(&self, block: &FetchedLines) -> bool {
        let cache = &self.units.code_cache;
        let page = |line: u32| self.units.code_tlb.last_was(line / PAGE);
        let mut lines = block.lines.iter();
        lines.all(|line| cache.is_most_recent(line.line, line.fill) && page(line.line))
            && block.next.is_none_or(|next| cache.holds(next.line, next.fill))
    }

    /// Fetches a block's lines when the order of lines or pages may change, or when one may be missing.
    #[inline(never)]
    fn refetch_slowly(&mut self, block: &FetchedLines) -> bool {
        let [first, others @ ..] = block.lines.as_slice() else {
            return false;
        };
        // All lines are checked before any is touched: a cold block takes the slow path from its start.
        if !self.is_at_hand(first) || !others.iter().all(|line| self.is_at_hand(line)) {
            return false;
        }
        let stays = first.line == self.front.line;
        if stays && others.is_empty() {
            self.counts.tally.uncount(Event::CODE_READ, 1);
            return true;
        }
        // Entering a line reads the next one ahead unless it is cached.
        let cache = &self.units.code_cache;
        if block.next.is_some_and(|next| !cache.holds(next.line, next.fill)) {
            return false;
        }
        if stays {
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
        self.units.code_cache.holds(line.line, line.fill) && self.translations().holds(line.line / PAGE)
    }

    /// Reads a line that is available.
    #[inline(always)]
    fn read_line(&mut self, line: &FetchedLine) {
        self.units.fetch_tlb().access(line.line / PAGE);
        self.units.code_cache.touch(line.line, line.fill);
        if self.units.unified {
            self.units.data_cache.read(line.line);
        }
        self.front.line = line.line;
        if self.front.read_ahead != NONE {
            // The schedule counts the read.
            if self.front.read_ahead == line.line {
                self.counts.tally.uncount(Event::CODE_READ, 1);
            }
            self.front.read_ahead = NONE;
        }
    }
}
