//! The data cache: 8 KiB, two ways, write-back, LRU, no allocation on a write miss.
//!
//! Modelled: tags, one LRU bit a set, and the states M, E and I, which is all one processor alone can see of MESI (memory
//! answers every fill as write-back, so no line is ever S). Not modelled: external snoops.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2, tables 2-4 and 2-5.

use super::LINE;

/// The data cache's tags.
#[derive(Clone, Debug)]
pub(crate) struct DataCache {
    sets: Box<[Set; SETS]>,
}

#[derive(Clone, Copy, Debug)]
struct Set {
    lines: [u32; 2],
    modified: [bool; 2],
    // The way used last.
    recent: u8,
}

impl Set {
    /// Makes the other way the younger if it holds `line`; whether it does.
    #[inline]
    fn turn_to(&mut self, line: u32) -> bool {
        let other = 1 - (self.recent & 1);
        let hit = self.lines[usize::from(other)] == line;
        if hit {
            self.recent = other;
        }
        hit
    }
}

/// Sets of two lines.
const SETS: usize = 128;
/// No line has this number.
const EMPTY: u32 = u32::MAX;

impl DataCache {
    /// An empty cache.
    pub(crate) fn new() -> DataCache {
        let set = Set {
            lines: [EMPTY; 2],
            modified: [false; 2],
            recent: 1,
        };
        DataCache {
            sets: Box::new([set; SETS]),
        }
    }

    /// Looks up the line (address / 32) for a read; true on a hit.
    #[inline(always)]
    pub(crate) fn read(&mut self, line: u32) -> bool {
        let set = &mut self.sets[line as usize & (SETS - 1)];
        // The way used last first: finding it there changes nothing.
        set.lines[usize::from(set.recent & 1)] == line || set.turn_to(line)
    }

    /// Looks up the line for a write, which makes it M; true on a hit.
    #[inline(always)]
    pub(crate) fn write(&mut self, line: u32) -> bool {
        let set = &mut self.sets[line as usize & (SETS - 1)];
        let hit = set.lines[usize::from(set.recent & 1)] == line || set.turn_to(line);
        set.modified[usize::from(set.recent & 1)] |= hit;
        hit
    }

    /// Fills a line after a read miss, in state E; returns whether a modified line had to leave for it.
    pub(crate) fn fill(&mut self, line: u32) -> bool {
        let index = line as usize & (SETS - 1);
        let set = &mut self.sets[index];
        let free = set.lines.iter().position(|&other| other == EMPTY);
        let way = free.unwrap_or(1 - usize::from(set.recent));
        let written_back = set.lines[way] != EMPTY && set.modified[way];
        set.lines[way] = line;
        set.modified[way] = false;
        set.recent = way as u8;
        written_back
    }

    /// Drops a line, as a locked access does; returns whether it was modified.
    pub(crate) fn invalidate(&mut self, line: u32) -> bool {
        let index = line as usize & (SETS - 1);
        let set = &mut self.sets[index];
        for way in 0..2 {
            if set.lines[way] == line {
                set.lines[way] = EMPTY;
                return std::mem::take(&mut set.modified[way]);
            }
        }
        false
    }

    /// Drops every line; returns how many were modified.
    pub(crate) fn flush(&mut self) -> u64 {
        let modified = self
            .sets
            .iter()
            .flat_map(|set| (0..2).filter(|&way| set.lines[way] != EMPTY && set.modified[way]))
            .count();
        *self = DataCache::new();
        modified as u64
    }
}

/// Whether an access crosses the boundary that costs clocks: four bytes, eight for an eight-byte access.
#[inline(always)]
pub(crate) fn misaligned(address: u32, size: u32) -> bool {
    let boundary = if size >= 8 { 8 } else { 4 };
    address ^ address.wrapping_add(size - 1) >= boundary
}

/// The line after the first that an access touches, if it touches two.
#[inline(always)]
pub(crate) fn second_line(address: u32, size: u32) -> Option<u32> {
    let last = address.wrapping_add(size - 1);
    (last / LINE != address / LINE).then_some(last / LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_way_leaves() {
        let mut cache = DataCache::new();
        assert!(!cache.read(1));
        cache.fill(1);
        cache.fill(129);
        assert!(cache.read(1));
        assert!(!cache.fill(257), "129 was clean");
        assert!(cache.read(1), "used since");
        assert!(!cache.read(129));
    }

    #[test]
    fn a_write_miss_fills_nothing_and_a_modified_line_is_written_back() {
        let mut cache = DataCache::new();
        assert!(!cache.write(7));
        assert!(!cache.read(7));
        cache.fill(7);
        assert!(cache.write(7));
        assert!(cache.invalidate(7));
        cache.fill(7);
        cache.write(7);
        assert_eq!(cache.flush(), 1);
    }

    #[test]
    fn boundaries() {
        assert!(!misaligned(0, 4) && misaligned(1, 4) && misaligned(3, 2) && !misaligned(2, 2) && !misaligned(3, 1));
        assert!(!misaligned(8, 8) && misaligned(4, 8));
        assert_eq!(second_line(30, 4), Some(1));
        assert_eq!(second_line(28, 4), None);
    }
}
