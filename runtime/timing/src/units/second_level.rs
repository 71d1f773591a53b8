//! The second level cache on the bus: tags and modified bits.
//!
//! Modelled: lines that first level misses fetch, with the order of their use; write-back, without allocation on a
//! write miss; a line keeps its place when the first level evicts it. Not modelled: the removal of a line from the
//! first level when it leaves this cache; parts of lines; snoops.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 7 (the 82498 cache controller is an
//! example of such a cache); sizes and clocks are those of the memory preset.

use super::sets::CacheSets;
use p5_chips::CacheGeometry;

/// The number of lines of the largest cache: 512 KiB of 32-byte lines.
const LINES: usize = 16 << 10;
/// The state bit of a modified line.
pub(super) const MODIFIED: u32 = 1;
/// An empty way: a bit that is never set in the first address of a line.
const EMPTY: u32 = 2;

#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct SecondLevel {
    sets: CacheSets,
    // The first address of each line, combined with MODIFIED; the ways of a set are in the order of their last use.
    tags: [u32; LINES],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Hit,
    /// The line is not cached, and the replaced line was not modified.
    Miss,
    /// The line is not cached, and the replaced line is written to memory.
    MissAndWriteBack,
}

impl SecondLevel {
    pub(crate) fn new(geometry: &CacheGeometry) -> SecondLevel {
        SecondLevel {
            sets: CacheSets::new(geometry, LINES),
            tags: [EMPTY; LINES],
        }
    }

    /// The address of the tags, and by what an address is shifted down and masked for the index of its line's; none if
    /// a set has several ways.
    pub(super) fn places(&self) -> Option<(*const u32, u32, u32)> {
        let (mask, shift) = self.sets.selection();
        (self.sets.ways() == 1).then_some((self.tags.as_ptr(), shift, mask))
    }

    #[inline(always)]
    fn set(&mut self, line: u32) -> &mut [u32] {
        let first = self.sets.first(line);
        &mut self.tags[first..first + self.sets.ways()]
    }

    /// Moves the line of `address` to the front of its set. Returns whether it is cached.
    #[inline(always)]
    fn turn_to(&mut self, address: u32) -> bool {
        let line = self.sets.line(address);
        let set = self.set(line);
        if set[0] & !MODIFIED == line {
            return true;
        }
        let Some(way) = set.iter().position(|tag| tag & !MODIFIED == line) else {
            return false;
        };
        set[..=way].rotate_right(1);
        true
    }

    /// Invalidates every line. Returns the number of modified lines.
    pub(crate) fn flush(&mut self) -> u32 {
        let modified = self.tags.iter().filter(|&tag| tag & MODIFIED != 0).count();
        self.tags.fill(EMPTY);
        modified as u32
    }

    /// Reads the line of `address`, and fills it on a miss.
    #[inline(always)]
    pub(crate) fn read(&mut self, address: u32) -> Found {
        if self.turn_to(address) {
            return Found::Hit;
        }
        self.fill(address)
    }

    fn fill(&mut self, address: u32) -> Found {
        let line = self.sets.line(address);
        let set = self.set(line);
        let way = set.iter().position(|&tag| tag == EMPTY).unwrap_or(set.len() - 1);
        let leaves = set[way];
        set[..=way].rotate_right(1);
        set[0] = line;
        match leaves & MODIFIED {
            0 => Found::Miss,
            _ => Found::MissAndWriteBack,
        }
    }

    /// Whether the line of `address` is cached. Changes nothing.
    pub(crate) fn holds(&self, address: u32) -> bool {
        let line = self.sets.line(address);
        let first = self.sets.first(line);
        let set = &self.tags[first..first + self.sets.ways()];
        set.iter().any(|tag| tag & !MODIFIED == line)
    }

    /// Makes the cache hold the line of `address`, or not. The line that its fetch replaces becomes `modified`, or
    /// not.
    pub(crate) fn stage(&mut self, address: u32, held: bool, modified: bool) {
        if held {
            self.read(address);
            return;
        }
        let line = self.sets.line(address);
        let set = self.set(line);
        if let Some(way) = set.iter().position(|tag| tag & !MODIFIED == line) {
            set[way..].rotate_left(1);
        }
        if let Some(last) = set.last_mut() {
            // Another line of the same set.
            *last = (line ^ (1 << 31)) | (u32::from(modified) * MODIFIED);
        }
    }

    /// Writes to `address`. Returns whether it is cached; if not, the write goes to memory.
    #[inline(always)]
    pub(crate) fn write(&mut self, address: u32) -> bool {
        let hit = self.turn_to(address);
        if hit {
            let line = self.sets.line(address);
            self.set(line)[0] |= MODIFIED;
        }
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_when_the_first_level_evicts_them_and_leave_modified() {
        let mut cache = SecondLevel::new(&CacheGeometry {
            size: 256 << 10,
            ways: 1,
            line: 32,
        });
        assert!(!cache.write(0x40), "a write miss fills nothing");
        assert_eq!(cache.read(0x44), Found::Miss);
        assert_eq!(cache.read(0x5C), Found::Hit);
        assert!(cache.write(0x40));
        assert_eq!(cache.read(0x40 + (256 << 10)), Found::MissAndWriteBack);
        assert_eq!(cache.read(0x40), Found::Miss, "the other line was clean");
        assert!(cache.write(0x40));
        assert_eq!((cache.flush(), cache.flush()), (1, 0));
        assert_eq!(cache.read(0x40), Found::Miss);
    }

    #[test]
    fn two_ways_leave_in_the_order_of_their_use() {
        let mut cache = SecondLevel::new(&CacheGeometry {
            size: 64,
            ways: 2,
            line: 32,
        });
        cache.read(0);
        cache.read(32);
        assert_eq!(cache.read(0), Found::Hit);
        assert_eq!(cache.read(64), Found::Miss);
        assert_eq!((cache.read(0), cache.read(32)), (Found::Hit, Found::Miss));
    }
}
