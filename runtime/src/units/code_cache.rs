//! The code cache: 8 KiB, two ways, LRU, and for each line which instruction ends are known.
//!
//! Modelled: tags, LRU, and the end bits: after a fill every byte is taken to end an instruction until it was decoded,
//! so an instruction pairs in U only once its own end is known. Not modelled: parity, snoops other than our own stores.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2 and test register 2 in chapter 16.

/// The code cache's tags and end bits.
#[derive(Clone, Debug)]
pub(crate) struct CodeCache {
    lines: Vec<Line>,
    recent: Vec<u8>,
    fills: u32,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    number: u32,
    // Which fill brought it: a block that remembers this number knows that nothing has changed since.
    fill: u32,
    ends: u32,
}

/// No line has this number.
const EMPTY: u32 = u32::MAX;

impl CodeCache {
    /// An empty cache of `sets` sets of two lines.
    pub(crate) fn new(sets: u32) -> CodeCache {
        let line = Line {
            number: EMPTY,
            fill: 0,
            ends: 0,
        };
        CodeCache {
            lines: vec![line; sets as usize * 2],
            recent: vec![1; sets as usize],
            fills: 0,
        }
    }

    fn set(&self, line: u32) -> usize {
        line as usize & (self.recent.len() - 1)
    }

    /// Finds a line (address / 32) and makes it the younger of its set; its slot on a hit.
    pub(crate) fn access(&mut self, line: u32) -> Option<u32> {
        let set = self.set(line);
        let way = (0..2).find(|&way| self.lines[set * 2 + way].number == line)?;
        self.recent[set] = way as u8;
        Some((set * 2 + way) as u32)
    }

    /// Whether the slot still holds what the fill numbered `fill` brought.
    #[inline(always)]
    pub(crate) fn holds(&self, slot: u32, fill: u32) -> bool {
        self.lines[slot as usize].fill == fill
    }

    /// Makes a slot the younger of its set.
    #[inline(always)]
    pub(crate) fn touch(&mut self, slot: u32) {
        self.recent[slot as usize / 2] = (slot & 1) as u8;
    }

    /// Fills a line and returns its slot; no instruction end in it is known.
    pub(crate) fn fill(&mut self, line: u32) -> u32 {
        let set = self.set(line);
        let free = (0..2).find(|&way| self.lines[set * 2 + way].number == EMPTY);
        let way = free.unwrap_or(1 - usize::from(self.recent[set]));
        self.recent[set] = way as u8;
        self.fills = self.fills.wrapping_add(1).max(1);
        self.lines[set * 2 + way] = Line {
            number: line,
            fill: self.fills,
            ends: 0,
        };
        (set * 2 + way) as u32
    }

    /// The slot of a line and the number of the fill that brought it, without touching the LRU bit.
    pub(crate) fn peek(&self, line: u32) -> Option<(u32, u32)> {
        let set = self.set(line);
        let way = (0..2).find(|&way| self.lines[set * 2 + way].number == line)?;
        Some(((set * 2 + way) as u32, self.lines[set * 2 + way].fill))
    }

    /// Whether the instruction whose last byte is at `address` is known to end there.
    pub(crate) fn end_known(&self, address: u32) -> bool {
        match self.peek(address / super::LINE) {
            Some((slot, _)) => self.lines[slot as usize].ends & (1 << (address % super::LINE)) != 0,
            None => false,
        }
    }

    /// Notes that an instruction ends with the byte at `address`, if its line is cached.
    pub(crate) fn learn_end(&mut self, address: u32) {
        if let Some((slot, _)) = self.peek(address / super::LINE) {
            self.lines[slot as usize].ends |= 1 << (address % super::LINE);
        }
    }

    /// Drops a line, as a store into it does; true if it was there.
    pub(crate) fn invalidate(&mut self, line: u32) -> bool {
        match self.peek(line) {
            Some((slot, _)) => {
                self.lines[slot as usize] = Line {
                    number: EMPTY,
                    fill: 0,
                    ends: 0,
                };
                true
            }
            None => false,
        }
    }

    /// Drops every line.
    pub(crate) fn flush(&mut self) {
        for line in &mut self.lines {
            *line = Line {
                number: EMPTY,
                fill: 0,
                ends: 0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_forgotten_with_the_line() {
        let mut cache = CodeCache::new(128);
        cache.fill(2);
        assert!(!cache.end_known(70));
        cache.learn_end(70);
        assert!(cache.end_known(70));
        assert!(cache.invalidate(2));
        cache.fill(2);
        assert!(!cache.end_known(70));
    }

    #[test]
    fn a_fill_number_tells_one_fill_from_the_next() {
        let mut cache = CodeCache::new(128);
        let slot = cache.fill(9);
        let (_, fill) = cache.peek(9).expect("just filled");
        assert!(cache.holds(slot, fill));
        cache.invalidate(9);
        assert!(!cache.holds(slot, fill));
        cache.fill(9);
        assert!(!cache.holds(slot, fill));
    }
}
