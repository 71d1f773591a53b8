//! Instruction fetch: code TLB, code cache, line fills, and which instruction lengths are known.
//!
//! Modelled: a code read when the fetch enters a line; a miss holds D1 until the quadword with the instruction's last byte
//! is there; lengths are learnt by decoding. Not modelled: prefetching the next line before it is needed, bytes that were
//! prefetched before a store changed them.

use super::core::Core;
use super::schedule::NONE;
use crate::block::Op;
use crate::units::{LINE, PAGE};
use asm_macros::events::Event;

/// The code line fill under way or last finished.
#[derive(Clone, Copy, Debug)]
pub(super) struct CodeFill {
    line: u32,
    arrivals: [u64; 4],
    /// When its last quadword is there.
    pub(super) end: u64,
}

impl CodeFill {
    /// None so far.
    pub(super) const NONE: CodeFill = CodeFill {
        line: NONE,
        arrivals: [0; 4],
        end: 0,
    };
}

/// A code line as a block last found it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FetchedLine {
    /// Its number: address / 32.
    pub(crate) line: u32,
    slot: u32,
    fill: u32,
}

impl Core {
    /// Whether every byte of `op` could be decoded now without waiting.
    pub(super) fn is_fetched(&self, op: &Op) -> bool {
        let (first, last) = (op.address / LINE, op.last_byte() / LINE);
        let now = self.end();
        [first, last].iter().all(|&line| {
            self.code_cache.peek(line).is_some() && (self.code_fill.line != line || self.code_fill.end <= now)
        })
    }

    /// Fetches `op`, holding D1 as long as its bytes take.
    pub(super) fn fetch(&mut self, op: &Op) {
        let (first, last) = (op.address / LINE, op.last_byte() / LINE);
        self.fetch_from(
            first,
            op.address,
            if first == last {
                op.last_byte()
            } else {
                first * LINE + LINE - 1
            },
        );
        if last != first {
            self.fetch_from(last, last * LINE, op.last_byte());
        }
    }

    fn fetch_from(&mut self, line: u32, wanted: u32, until: u32) {
        let mut natural = self.clock.saturating_sub(self.lead).max(self.front);
        if line != self.fetch_line {
            self.fetch_line = line;
            self.tally.count(Event::CODE_READ, 1);
            if !self.code_tlb.access(wanted / PAGE) {
                let walk = u64::from(self.bus.preset().page_walk);
                self.tally.count(Event::CODE_TLB_MISS, 1);
                natural += walk;
                self.front = natural;
                self.code_walk += walk;
            }
            if self.code_cache.access(line).is_none() {
                self.tally.count(Event::CODE_CACHE_MISS, 1);
                self.code_cache.fill(line);
                let arrivals = self.bus.fill_code(wanted, natural);
                let end = arrivals.iter().copied().max().unwrap_or(natural);
                self.code_fill = CodeFill { line, arrivals, end };
            }
        }
        if self.code_fill.line == line {
            let arrival = self.code_fill.arrivals[(until % LINE / 8) as usize]
                .max(self.code_fill.arrivals[(wanted % LINE / 8) as usize]);
            if arrival > natural {
                self.front = arrival;
            }
        }
    }

    /// Whether the length of `op` is known from an earlier execution.
    pub(super) fn length_known(&self, op: &Op) -> bool {
        self.code_cache.end_known(op.last_byte())
    }

    /// Notes the length of `op`.
    pub(super) fn learn_length(&mut self, op: &Op) {
        self.code_cache.learn_end(op.last_byte());
    }

    /// The lines of a block if all are cached and all its instructions' lengths known.
    pub(crate) fn fetched_lines(&self, ops: &[Op]) -> Option<Vec<FetchedLine>> {
        let mut lines: Vec<FetchedLine> = Vec::new();
        for op in ops {
            for line in [op.address / LINE, op.last_byte() / LINE] {
                if lines.last().is_none_or(|last| last.line != line) {
                    let (slot, fill) = self.code_cache.peek(line)?;
                    lines.push(FetchedLine { line, slot, fill });
                }
            }
            if !self.length_known(op) {
                return None;
            }
        }
        Some(lines)
    }

    /// Fetches a block's lines if nothing of them has changed and nothing has to be waited for.
    #[inline(always)]
    pub(crate) fn refetch(&mut self, lines: &[FetchedLine]) -> bool {
        if self.code_fill.end > self.clock {
            return false;
        }
        if let [line] = lines {
            let page = line.line / (PAGE / LINE);
            if !self.code_cache.holds(line.slot, line.fill) || !self.code_tlb.holds(page) {
                return false;
            }
            if line.line != self.fetch_line {
                self.code_tlb.access(page);
                self.code_cache.touch(line.slot);
                self.fetch_line = line.line;
                self.tally.count(Event::CODE_READ, 1);
            }
            return true;
        }
        // Check before touching: a block that turns out cold is fetched the slow way from the start.
        for line in lines {
            if !self.code_cache.holds(line.slot, line.fill) || !self.code_tlb.holds(line.line / (PAGE / LINE)) {
                return false;
            }
        }
        let mut reads = 0;
        for line in lines {
            if line.line != self.fetch_line {
                self.code_tlb.access(line.line / (PAGE / LINE));
                self.code_cache.touch(line.slot);
                self.fetch_line = line.line;
                reads += 1;
            }
        }
        self.tally.count(Event::CODE_READ, reads);
        true
    }
}
