//! The code cache: LRU of two ways, pseudo-LRU of four, with the known instruction ends of each line.
//!
//! Modelled: tags; the order of use (the ways of a set are kept in it, see `turn`); the end bits. After a
//! fill, every byte is assumed to end an instruction until it has been decoded, so an instruction pairs in U only once
//! its end is known. Not modelled: parity.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2 and test register 2 in chapter 16.

use super::sets::{CacheSets, LINES, turn};
use p5_chips::CacheGeometry;
use p5_results::CachedLine;
use std::mem::offset_of;

/// Stands for the fill of a line that is not cached. No fill has this number.
pub(crate) const NOT_FILLED: u32 = u32::MAX;

#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct CodeCache {
    sets: CacheSets,
    fills: u32,
    lines: [Line; LINES],
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Line {
    line: u32,
    // The number of its fill. A block stores this number to detect whether the line has changed.
    fill: u32,
    ends: u32,
}

impl Line {
    const EMPTY: Line = Line {
        // Marks an empty way; no line has this address.
        line: u32::MAX,
        fill: 0,
        ends: 0,
    };
}

impl CodeCache {
    /// The size of a way in bytes, and the offset in it of the number of its fill.
    pub(crate) const WAY_SIZE: usize = size_of::<Line>();
    pub(crate) const FILL: usize = offset_of!(Line, fill);

    pub(crate) fn ways(&self) -> usize {
        self.sets.ways()
    }

    /// The offset of the number of the fill that loaded the most recent line of the set of `address`.
    pub(crate) fn fill_place(&self, address: u32) -> usize {
        offset_of!(CodeCache, lines) + self.sets.first(address) * size_of::<Line>() + offset_of!(Line, fill)
    }

    pub(crate) fn new(geometry: &CacheGeometry) -> CodeCache {
        CodeCache {
            sets: CacheSets::new(geometry, LINES),
            fills: 0,
            lines: [Line::EMPTY; LINES],
        }
    }

    /// The first address of the line that holds `address`.
    #[inline(always)]
    pub(crate) fn line(&self, address: u32) -> u32 {
        self.sets.line(address)
    }

    pub(crate) fn line_size(&self) -> u32 {
        self.sets.line_size()
    }

    fn set(&self, address: u32) -> &[Line] {
        let first = self.sets.first(address);
        &self.lines[first..first + self.sets.ways()]
    }

    fn set_mut(&mut self, address: u32) -> &mut [Line] {
        let first = self.sets.first(address);
        &mut self.lines[first..first + self.sets.ways()]
    }

    fn find(&self, address: u32) -> Option<&Line> {
        let line = self.sets.line(address);
        self.set(address).iter().find(|other| other.line == line)
    }

    fn find_mut(&mut self, address: u32) -> Option<&mut Line> {
        let line = self.sets.line(address);
        self.set_mut(address).iter_mut().find(|other| other.line == line)
    }

    /// Looks up the line of `address` and makes it the most recent of its set. Returns whether it is cached.
    pub(crate) fn access(&mut self, address: u32) -> bool {
        let line = self.sets.line(address);
        let set = self.set_mut(address);
        let Some(way) = set.iter().position(|other| other.line == line) else {
            return false;
        };
        turn(set, way);
        true
    }

    /// Whether the line that begins at `line` is still the one loaded by fill number `fill`.
    #[inline(always)]
    pub(crate) fn holds(&self, line: u32, fill: u32) -> bool {
        self.is_most_recent(line, fill) || self.set(line).iter().any(|other| other.fill == fill)
    }

    /// Makes the line that begins at `line`, loaded by fill number `fill`, the most recent of its set.
    #[inline(always)]
    pub(crate) fn touch(&mut self, line: u32, fill: u32) {
        if !self.is_most_recent(line, fill) {
            self.access(line);
        }
    }

    /// Whether two lines are of one set.
    pub(crate) fn share_set(&self, one: u32, other: u32) -> bool {
        self.sets.number(one) == self.sets.number(other)
    }

    /// Whether the line that begins at `line` is still the one loaded by fill number `fill`, and the most recent of its
    /// set.
    #[inline(always)]
    pub(crate) fn is_most_recent(&self, line: u32, fill: u32) -> bool {
        self.lines[self.sets.first(line) & (LINES - 1)].fill == fill
    }

    /// Fills the line of `address`, without known instruction ends.
    pub(crate) fn fill(&mut self, address: u32) {
        self.fills = self.fills % (NOT_FILLED - 1) + 1;
        let line = Line {
            line: self.sets.line(address),
            fill: self.fills,
            ends: 0,
        };
        let set = self.set_mut(address);
        let free = set.iter().position(|other| other.fill == 0);
        let way = free.unwrap_or(set.len() - 1);
        set[way] = line;
        turn(set, way);
    }

    /// The number of the fill that loaded the line of `address`, if it is cached.
    pub(crate) fn peek(&self, address: u32) -> Option<u32> {
        Some(self.find(address)?.fill)
    }

    /// The same, and the known instruction ends of the line, one bit for each byte.
    pub(crate) fn fill_and_ends(&self, address: u32) -> Option<(u32, u32)> {
        let line = self.find(address)?;
        Some((line.fill, line.ends))
    }

    /// Whether the end of the instruction whose last byte is at `address` is known.
    pub(crate) fn end_known(&self, address: u32) -> bool {
        let end = 1 << (address - self.sets.line(address));
        self.find(address).is_some_and(|line| line.ends & end != 0)
    }

    /// The known instruction ends of the line that begins at `line`, one bit for each byte; none if it is not cached.
    #[inline(always)]
    pub(crate) fn ends(&self, line: u32) -> u32 {
        let first = &self.lines[self.sets.first(line) & (LINES - 1)];
        if first.line == line {
            return first.ends;
        }
        self.find(line).map_or(0, |line| line.ends)
    }

    /// Whether an instruction that ends in the line of `address` has been executed since the line was filled.
    pub(crate) fn has_executed(&self, address: u32) -> bool {
        self.find(address).is_some_and(|line| line.ends != 0)
    }

    /// Records that an instruction ends with the byte at `address`, if its line is cached.
    pub(crate) fn learn_end(&mut self, address: u32) {
        let end = 1 << (address - self.sets.line(address));
        if let Some(line) = self.find_mut(address) {
            line.ends |= end;
        }
    }

    /// The known instruction ends of the line that begins at `line`, one bit for each byte, if it is the most recent of
    /// its set.
    #[inline(always)]
    pub(crate) fn ends_of_most_recent(&self, line: u32) -> Option<u32> {
        let way = &self.lines[self.sets.first(line) & (LINES - 1)];
        (way.line == line).then_some(way.ends)
    }

    /// Records the instruction ends `ends` of the line that begins at `line`, if it is the most recent of its set.
    #[inline(always)]
    pub(crate) fn learn_end_of_most_recent(&mut self, line: u32, ends: u32) {
        let way = &mut self.lines[self.sets.first(line) & (LINES - 1)];
        if way.line == line {
            way.ends |= ends;
        }
    }

    /// Invalidates the line of `address`, as a store into it does. Returns whether it was cached.
    pub(crate) fn invalidate(&mut self, address: u32) -> bool {
        match self.find_mut(address) {
            Some(line) => {
                *line = Line::EMPTY;
                true
            }
            None => false,
        }
    }

    pub(crate) fn flush(&mut self) {
        self.lines.fill(Line::EMPTY);
    }

    pub(super) fn sets(&self) -> &CacheSets {
        &self.sets
    }

    /// The lines of a set, the most recently used first.
    pub(super) fn lines_of(&self, number: usize) -> Vec<CachedLine> {
        let lines = self.lines[self.sets.of_number(number)].iter();
        let cached = lines.filter(|line| line.fill != 0);
        cached
            .map(|line| CachedLine {
                address: line.line,
                modified: false,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::MODELS;

    fn cache() -> CodeCache {
        CodeCache::new(&MODELS[0].geometry.code_cache)
    }

    #[test]
    fn ends_are_forgotten_with_the_line() {
        let mut cache = cache();
        cache.fill(70);
        assert!(!cache.end_known(70));
        cache.learn_end(70);
        assert!(cache.end_known(70));
        assert!(cache.invalidate(64));
        cache.fill(64);
        assert!(!cache.end_known(70));
    }

    #[test]
    fn a_fill_number_tells_one_fill_from_the_next() {
        let mut cache = cache();
        cache.fill(0x120);
        let fill = cache.peek(0x124).expect("just filled");
        assert!(cache.holds(0x120, fill));
        cache.invalidate(0x120);
        assert!(!cache.holds(0x120, fill));
        cache.fill(0x120);
        assert!(!cache.holds(0x120, fill));
    }

    #[test]
    fn a_touched_line_outlives_an_older_one() {
        let mut cache = cache();
        cache.fill(0x120);
        cache.fill(0x1120);
        let fill = cache.peek(0x120).expect("both fit");
        assert!(cache.holds(0x120, fill), "though another is more recent");
        cache.touch(0x120, fill);
        cache.fill(0x2120);
        assert!(cache.holds(0x120, fill) && cache.peek(0x1120).is_none());
    }
}
