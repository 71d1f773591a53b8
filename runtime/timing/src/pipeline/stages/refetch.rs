//! Fetches of whole blocks: a block whose code lines are at hand is fetched at once.
//!
//! Modelled: the same as in `fetch`, for lines that have arrived, of which no instruction length is to be learned.
//! Not modelled: any other fetch; the instructions of such a block are fetched one at a time.

use crate::block::Op;
use crate::pipeline::core::Core;
use crate::pipeline::group::NONE;
use crate::units::code_cache::NOT_FILLED;
use asm_macros::events::Event;
use p5_words::isa::PAGE;

/// A code line of a block as it was at the block's last fetch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FetchedLine {
    line: u32,
    // The number of its fill.
    fill: u32,
    // A bit for each byte of the line that is the last byte of one of the block's instructions.
    ends: u32,
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

impl FetchedLines {
    /// The lines, and the one after them if it may be read ahead, each with the number of its fill.
    pub(in crate::pipeline) fn with_fills(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.lines.iter().chain(&self.next).map(|line| (line.line, line.fill))
    }

    /// The number of lines.
    pub(crate) fn count(&self) -> usize {
        self.lines.len()
    }

    pub(in crate::pipeline) fn has_next(&self) -> bool {
        self.next.is_some()
    }

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
    /// The lines of a block, before its first fetch.
    pub(crate) fn lines_of(&self, ops: &[Op]) -> FetchedLines {
        let cache = &self.units.code_cache;
        let mut lines: Vec<FetchedLine> = Vec::new();
        for op in ops {
            for address in [op.address, op.last_byte()] {
                let line = cache.line(address);
                if lines.last().is_none_or(|last| last.line != line) {
                    lines.push(FetchedLine::unknown(line));
                }
            }
            if let Some(last) = lines.last_mut() {
                last.ends |= 1 << (op.last_byte() - last.line);
            }
        }
        lines.shrink_to_fit();
        let next = lines.last().and_then(|last| self.next_line(last.line));
        FetchedLines {
            lines,
            next: next.map(FetchedLine::unknown),
            awaits_next: false,
        }
    }

    /// Fetches a block's lines if none has to be waited for. Returns whether it fetched them.
    #[inline(always)]
    pub(crate) fn refetch(&mut self, block: &mut FetchedLines) -> bool {
        self.refetch_unchanged(block) || self.refetch_changed(block)
    }

    /// The same, but only if the line after the block is cached as well, or need not be: compiled code does not ask
    /// whether the read of one that is still to be requested has begun.
    pub(in crate::pipeline) fn refetch_with_next(&mut self, block: &mut FetchedLines) -> bool {
        if !block.awaits_next && self.refetch_unchanged(block) {
            return true;
        }
        self.find_again(block) && !block.awaits_next && self.refetch_unchanged(block)
    }

    #[inline(never)]
    fn refetch_changed(&mut self, block: &mut FetchedLines) -> bool {
        self.find_again(block) && self.refetch_unchanged(block)
    }

    /// Finds lines that have been filled since a block's last fetch. Returns whether there are some, all are cached
    /// again, and the lengths of all its instructions are known. The line after a block of one line need not be cached.
    fn find_again(&self, block: &mut FetchedLines) -> bool {
        let cache = &self.units.code_cache;
        let mut changed = false;
        for line in &mut block.lines {
            let Some((fill, ends)) = cache.fill_and_ends(line.line) else {
                return false;
            };
            if ends & line.ends != line.ends {
                return false;
            }
            changed |= fill != line.fill;
            line.fill = fill;
        }
        let in_one_line = block.lines.len() == 1;
        let Some(next) = &mut block.next else { return changed };
        let fill = cache.peek(next.line).unwrap_or(NOT_FILLED);
        let awaits_next = fill == NOT_FILLED && in_one_line;
        changed |= fill != next.fill || awaits_next != block.awaits_next;
        next.fill = fill;
        block.awaits_next = awaits_next;
        changed && (awaits_next || fill != NOT_FILLED)
    }

    /// Whether the line after a block is not cached, or any line is being read: what the block writes may be in it.
    pub(in crate::pipeline) fn may_read_ahead(&self, block: &FetchedLines) -> bool {
        let is_cached = |next: &FetchedLine| self.units.code_cache.peek(next.line).is_some();
        self.front.filling > self.enters_decoding() || !block.next.as_ref().is_none_or(is_cached)
    }

    /// Fetches the lines as [`Core::refetch`] does, if each is still of the fill of the last fetch.
    #[inline(always)]
    fn refetch_unchanged(&mut self, block: &FetchedLines) -> bool {
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
        if watched || !self.is_at_hand(only) || self.may_lose(block) {
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

    /// Fetches a block whose lines have all arrived, while the bus reads another line.
    #[inline(never)]
    fn refetch_while_filling(&mut self, block: &FetchedLines) -> bool {
        let [first, others @ ..] = block.lines.as_slice() else {
            return false;
        };
        let watched = self.attention.follows_fetches() || self.units.master.is_some() || self.units.unified;
        if watched || !block.lines.iter().all(|line| self.is_at_hand(line)) || self.may_lose(block) {
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

    /// Whether the line whose read ahead may begin now may replace a line of a block.
    fn may_lose(&self, block: &FetchedLines) -> bool {
        let cache = &self.units.code_cache;
        let shares_set = |ahead: u32| block.lines.iter().any(|line| cache.share_set(line.line, ahead));
        self.units.bus.lines_ahead().any(shares_set)
    }

    /// Whether another fetch of a block would change nothing: no line is being read, none has just been read ahead, all
    /// lines of the block, and the page that has them, are the most recent of their sets, and the line after them is
    /// cached.
    pub(in crate::pipeline) fn is_settled(&self, block: &FetchedLines) -> bool {
        let cache = &self.units.code_cache;
        let page = |line: u32| self.units.code_tlb.last_was(line / PAGE);
        let mut lines = block.lines.iter();
        self.front.filling <= self.enters_decoding()
            && self.front.read_ahead == NONE
            && lines.all(|line| cache.is_most_recent(line.line, line.fill) && page(line.line))
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

impl FetchedLine {
    fn unknown(line: u32) -> FetchedLine {
        FetchedLine {
            line,
            fill: NOT_FILLED,
            ends: 0,
        }
    }
}
