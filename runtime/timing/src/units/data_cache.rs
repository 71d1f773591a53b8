//! The data cache: write-back, LRU of two ways and pseudo-LRU of four, no allocation on a write miss. If it writes
//! through, this code only reads it.
//!
//! Modelled: tags, the order of use, and the states of MESI (memory marks every fill as write-back, so only another bus
//! master makes a line S). The ways of a set are kept in the order of `turn`, the most recent first: a hit in that one
//! changes nothing, and the last way is evicted. A snoop does not change the order. Not modelled: parity.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2, tables 2-4 and 2-5, figure 2-7.

use super::plain::{PlainLines, PlainPlaces};
use super::sets::{CacheSets, LINES, turn};
use p5_chips::Geometry;
use p5_results::CachedLine;
use std::mem::offset_of;

#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct DataCache {
    sets: CacheSets,
    // The bits of an address that select its bank.
    bank: u32,
    // The boundaries that accesses must not cross: for smaller accesses, and for those of at least the boundary's
    // size.
    alignment: u32,
    wide_alignment: u32,
    widest: u32,
    // The first address of each line, combined with its state.
    tags: [u32; LINES],
    plain: PlainLines,
}

/// A set. The usual numbers of ways are variants, so that they are constants for the compiler.
enum Set<'a> {
    Two(&'a mut [u32; 2]),
    Four(&'a mut [u32; 4]),
    Other(&'a mut [u32]),
}

/// The state bit of a modified line.
const MODIFIED: u32 = 1;
/// An empty way: a bit that is never set in the first address of a line.
pub(crate) const EMPTY: u32 = 2;
/// The state bit of a line that another master may have: a write to it goes to memory. [`DataCache::write`] must not
/// see such a line.
const SHARED: u32 = 4;
/// The bits of a tag that hold the state.
const STATE: u32 = MODIFIED | SHARED;

/// The result of an inquire cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Snooped {
    /// The line is not cached.
    Missing,
    /// The line is cached and memory has the same contents.
    Clean,
    /// The line is cached and has to be written back.
    Modified,
}

/// The address bits by which a staged line differs from the line in its place.
const OF_ANOTHER_PART: u32 = 1 << 30 | 1 << 14;

/// What code that looks up lines by itself needs to know.
pub(crate) struct LinePlaces {
    /// The offset of the tags.
    pub(crate) tags: usize,
    /// The bits of an address that select its set, shifted down by `shift`.
    pub(crate) mask: u32,
    pub(crate) shift: u32,
    /// The bits of an address and of a tag that select the line; an empty way differs in them.
    pub(crate) line: u32,
    /// The ways of a set.
    pub(crate) ways: usize,
    /// The bit of a tag that marks a modified line.
    pub(crate) modified: u32,
    /// The bits of an address that select its bank.
    pub(crate) bank: u32,
    /// The boundaries that accesses must not cross: for smaller accesses, and for those of at least the second one's
    /// size.
    pub(crate) boundaries: [u32; 2],
}

impl DataCache {
    /// The offset of the table of plain lines, and the places in it.
    pub(crate) fn plain_places(&self) -> (usize, PlainPlaces) {
        (offset_of!(DataCache, plain), self.plain.places())
    }

    /// The plain lines.
    pub(super) fn plain(&mut self) -> &mut PlainLines {
        &mut self.plain
    }

    /// Whether `address` is in the most recent line of its set; for a write also whether that is modified.
    pub(super) fn is_recent(&self, address: u32, written: bool) -> bool {
        let (line, tag) = (self.sets.line(address), self.tags[self.sets.first(address)]);
        if written {
            tag == line | MODIFIED
        } else {
            tag & !STATE == line
        }
    }

    /// The places of its fields, and its geometry.
    pub(crate) fn places(&self) -> LinePlaces {
        let (mask, shift) = self.sets.selection();
        LinePlaces {
            tags: offset_of!(DataCache, tags),
            mask,
            shift,
            line: !STATE,
            ways: self.sets.ways(),
            modified: MODIFIED,
            bank: self.bank,
            boundaries: [self.alignment, self.wide_alignment],
        }
    }

    pub(crate) fn new(geometry: &Geometry) -> DataCache {
        DataCache {
            sets: CacheSets::new(&geometry.data_cache, LINES),
            bank: (geometry.banks - 1) * geometry.bank_width,
            alignment: geometry.alignment,
            wide_alignment: geometry.wide_alignment,
            widest: geometry.widest_access,
            tags: [EMPTY; LINES],
            plain: PlainLines::new(geometry.data_cache.line, geometry.data_cache.sets()),
        }
    }

    /// Whether an access crosses a boundary. The crossing costs clocks unless the access is split into aligned
    /// accesses.
    #[inline(always)]
    pub(crate) fn crosses(&self, address: u32, size: u32) -> bool {
        let wide = size >= self.wide_alignment;
        let boundary = if wide { self.wide_alignment } else { self.alignment };
        address ^ address.wrapping_add(size - 1) >= boundary
    }

    /// Whether an access crosses the boundary that costs clocks. If one access of a split access does, the first one
    /// does.
    pub(crate) fn misaligned(&self, address: u32, size: u32) -> bool {
        self.crosses(address, size.min(self.widest))
    }

    /// The first byte of a misaligned access after the last boundary that it crosses.
    pub(crate) fn second_half(&self, address: u32, size: u32) -> u32 {
        let wide = size.min(self.widest) >= self.wide_alignment;
        let boundary = if wide { self.wide_alignment } else { self.alignment };
        address.wrapping_add(size - 1) & !(boundary - 1)
    }

    /// Looks up `address` for a read. Returns true on a hit.
    #[inline(always)]
    pub(crate) fn read(&mut self, address: u32) -> bool {
        let line = self.sets.line(address);
        let first = self.sets.first(address) & (LINES - 1);
        self.tags[first] & !STATE == line || self.turn_to(first, line)
    }

    /// Looks up `address` for a write, which makes its line M. Returns true on a hit.
    #[inline(always)]
    pub(crate) fn write(&mut self, address: u32) -> bool {
        let line = self.sets.line(address);
        let first = self.sets.first(address) & (LINES - 1);
        let hit = self.tags[first] & !STATE == line || self.turn_to(first, line);
        self.tags[first] |= u32::from(hit) * MODIFIED;
        hit
    }

    /// Makes `line` the most recent of the set at `first`, if one of its other ways holds it; returns whether one does.
    #[inline]
    fn turn_to(&mut self, first: usize, line: u32) -> bool {
        let found = match self.set(first) {
            Set::Two(set) => to_front(set, line),
            Set::Four(set) => to_front(set, line),
            Set::Other(set) => to_front(set, line),
        };
        if found {
            self.plain.forget(line);
        }
        found
    }

    /// Fills the line of `address` after a read miss, in state E. Returns the modified line that was evicted, if any.
    #[inline(always)]
    pub(crate) fn fill(&mut self, address: u32) -> Option<u32> {
        self.plain.forget(address);
        let (line, first) = (self.sets.line(address), self.sets.first(address));
        match self.set(first) {
            Set::Two(set) => put_first(set, line),
            Set::Four(set) => put_first(set, line),
            Set::Other(set) => put_first(set, line),
        }
    }

    /// Fills the line of `address` in a cache without modified lines. Returns the first address of the evicted line,
    /// if one was evicted.
    pub(crate) fn replace(&mut self, address: u32) -> Option<u32> {
        self.plain.forget(address);
        let (line, first) = (self.sets.line(address), self.sets.first(address));
        let set = &mut self.tags[first..first + self.sets.ways()];
        let way = set.iter().position(|&tag| tag == EMPTY).unwrap_or(set.len() - 1);
        let leaves = std::mem::replace(&mut set[way], line);
        turn(set, way);
        (leaves != EMPTY).then_some(leaves)
    }

    /// Whether the line of `address` is cached. Changes nothing.
    pub(crate) fn holds(&self, address: u32) -> bool {
        let (line, first) = (self.sets.line(address), self.sets.first(address));
        let set = &self.tags[first..first + self.sets.ways()];
        set.iter().any(|tag| tag & !STATE == line)
    }

    /// Makes the next fill of the line of `address` replace a modified line. Returns the first address of the modified
    /// line.
    pub(crate) fn stage_modified(&mut self, address: u32) -> u32 {
        self.plain.forget(address);
        // Another line of the same set, and mostly of another set of the second level cache.
        let other = self.sets.line(address) ^ OF_ANOTHER_PART;
        let first = self.sets.first(address);
        let set = &mut self.tags[first..first + self.sets.ways()];
        let way = set.iter().position(|&tag| tag == EMPTY).unwrap_or(set.len() - 1);
        set[way] = other | MODIFIED;
        // A fill takes empty ways first.
        for tag in set.iter_mut().filter(|tag| **tag == EMPTY) {
            *tag = other ^ 1 << 29;
        }
        set[way..].rotate_left(1);
        other
    }

    #[inline(always)]
    fn set(&mut self, first: usize) -> Set<'_> {
        let ways = self.sets.ways();
        let set = &mut self.tags[first & (LINES - 1)..];
        match ways {
            2 => set.first_chunk_mut().map(Set::Two),
            4 => set.first_chunk_mut().map(Set::Four),
            _ => set.get_mut(..ways).map(Set::Other),
        }
        .unwrap_or(Set::Other(&mut []))
    }

    /// Invalidates the line of `address`, as a locked access does. Returns whether it was modified.
    pub(crate) fn invalidate(&mut self, address: u32) -> bool {
        self.plain.forget(address);
        let (line, first) = (self.sets.line(address), self.sets.first(address));
        let set = &mut self.tags[first..first + self.sets.ways()];
        match set.iter_mut().find(|tag| **tag & !STATE == line) {
            Some(tag) => std::mem::replace(tag, EMPTY) & MODIFIED != 0,
            None => false,
        }
    }

    /// Looks up the line of `address` for another master. The line becomes shared, or with `invalidate` leaves the
    /// cache.
    pub(crate) fn snoop(&mut self, address: u32, invalidate: bool) -> Snooped {
        self.plain.forget(address);
        let (line, first) = (self.sets.line(address), self.sets.first(address));
        let set = &mut self.tags[first..first + self.sets.ways()];
        let Some(tag) = set.iter_mut().find(|tag| **tag & !STATE == line) else {
            return Snooped::Missing;
        };
        let modified = *tag & MODIFIED != 0;
        *tag = if invalidate { EMPTY } else { line | SHARED };
        if modified { Snooped::Modified } else { Snooped::Clean }
    }

    pub(crate) fn is_shared(&self, address: u32) -> bool {
        let (line, first) = (self.sets.line(address), self.sets.first(address));
        let set = &self.tags[first..first + self.sets.ways()];
        set.contains(&(line | SHARED))
    }

    /// Makes the line of `address` shared, or exclusive, if it is cached and not modified.
    pub(crate) fn share(&mut self, address: u32, shared: bool) {
        self.plain.forget(address);
        let (line, first) = (self.sets.line(address), self.sets.first(address));
        let set = &mut self.tags[first..first + self.sets.ways()];
        if let Some(tag) = set.iter_mut().find(|tag| **tag & !SHARED == line) {
            *tag = if shared { line | SHARED } else { line };
        }
    }

    /// Invalidates every line, and passes the first address of each modified one to `written_back`.
    pub(crate) fn flush(&mut self, mut written_back: impl FnMut(u32)) {
        self.plain.clear();
        for tag in &mut self.tags {
            if *tag & MODIFIED != 0 {
                written_back(*tag & !STATE);
            }
            *tag = EMPTY;
        }
    }

    /// Whether two accesses of one clock, each with its size, use the same bank. An access that does not fit into a
    /// bank uses two.
    #[inline(always)]
    pub(crate) fn same_bank(&self, (one, size): (u32, u32), (other, other_size): (u32, u32)) -> bool {
        (one ^ other) & self.bank == 0
            || self.same_last_bank(
                one,
                one.wrapping_add(size - 1),
                other,
                other.wrapping_add(other_size - 1),
            )
    }

    /// Whether the banks of the last bytes are the same, or those of the first byte of one access and the last of the
    /// other.
    #[inline(always)]
    fn same_last_bank(&self, one: u32, last: u32, other: u32, other_last: u32) -> bool {
        let crosses = (one ^ last | other ^ other_last) & self.bank != 0;
        crosses
            && [last ^ other, one ^ other_last, last ^ other_last]
                .iter()
                .any(|banks| banks & self.bank == 0)
    }

    pub(crate) fn bank(&self, address: u32) -> u32 {
        (address & self.bank) >> self.bank.trailing_zeros()
    }

    /// The first address of the second line that an access touches, if it touches two.
    #[inline(always)]
    pub(crate) fn second_line(&self, address: u32, size: u32) -> Option<u32> {
        let last = self.sets.line(address.wrapping_add(size - 1));
        (last != self.sets.line(address)).then_some(last)
    }

    pub(crate) fn line_size(&self) -> u32 {
        self.sets.line_size()
    }

    pub(super) fn sets(&self) -> &CacheSets {
        &self.sets
    }

    /// The lines of a set, the most recently used first.
    pub(super) fn lines_of(&self, number: usize) -> Vec<CachedLine> {
        let tags = self.tags[self.sets.of_number(number)].iter();
        let cached = tags.filter(|&&tag| tag != EMPTY);
        cached
            .map(|tag| CachedLine {
                address: tag & !STATE,
                modified: tag & MODIFIED != 0,
            })
            .collect()
    }
}

/// Makes `line` the first of its set if a way other than the first holds it. Returns whether the line was found.
#[inline(always)]
fn to_front(set: &mut [u32], line: u32) -> bool {
    for way in 1..set.len() {
        if set[way] & !STATE == line {
            move_to_front(set, way, set[way]);
            return true;
        }
    }
    false
}

/// Puts `line` at the front of its set, in place of an empty way or else of the last. Returns the replaced line if it
/// was modified.
#[inline(always)]
fn put_first(set: &mut [u32], line: u32) -> Option<u32> {
    let way = set.iter().position(|&tag| tag == EMPTY).unwrap_or(set.len() - 1);
    let leaves = set[way];
    move_to_front(set, way, line);
    (leaves & MODIFIED != 0).then_some(leaves & !STATE)
}

/// Puts `tag` in `way` and makes that the most recent.
#[inline(always)]
fn move_to_front(set: &mut [u32], way: usize, tag: u32) {
    set[way] = tag;
    turn(set, way);
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::{CacheGeometry, MODELS};

    fn cache() -> DataCache {
        DataCache::new(&MODELS[0].geometry)
    }

    #[test]
    fn the_least_recently_used_way_leaves() {
        let mut cache = cache();
        assert!(!cache.read(0x20));
        cache.fill(0x20);
        cache.fill(0x1020);
        assert!(cache.read(0x24));
        assert_eq!(cache.fill(0x2020), None, "1020h was clean");
        assert!(cache.read(0x3C), "used since");
        assert!(!cache.read(0x1020));
    }

    #[test]
    fn four_ways_leave_by_the_bits_of_a_tree() {
        let mut cache = DataCache::new(&Geometry {
            data_cache: CacheGeometry {
                size: 8 << 10,
                ways: 4,
                line: 16,
            },
            ..MODELS[0].geometry
        });
        // 128 sets of 16 bytes: addresses 800h apart share one.
        let address = |number: u32| 0x10 + number * 0x800;
        (0..4).for_each(|number| assert_eq!(cache.fill(address(number)), None));
        assert!(cache.write(address(1)), "now 1 and 0, then 3 and 2");
        assert!(cache.read(address(0)), "now 0 and 1, then 3 and 2");
        assert!(!cache.read(address(0) + 16), "the next line");
        assert_eq!(cache.fill(address(4)), None, "2 left: now 4 and 3, then 0 and 1");
        assert_eq!(
            cache.fill(address(5)),
            Some(address(1)),
            "1 left, and was modified; 3 is older"
        );
        assert_eq!(cache.fill(address(6)), None, "3 left");
        let stayed: Vec<u32> = (0..7).filter(|&number| cache.read(address(number))).collect();
        assert_eq!(stayed, [0, 4, 5, 6]);
        assert!(!cache.invalidate(address(5)), "clean");
        cache.fill(address(7));
        assert!(cache.read(address(0)), "the newcomer took the free way");
    }

    #[test]
    fn a_write_miss_fills_nothing_and_a_modified_line_is_written_back() {
        let mut cache = cache();
        assert!(!cache.write(0xE0));
        assert!(!cache.read(0xE0));
        cache.fill(0xE0);
        assert!(cache.write(0xE0));
        assert!(cache.invalidate(0xE0));
        cache.fill(0xE0);
        cache.write(0xE0);
        let mut modified = Vec::new();
        cache.flush(|line| modified.push(line));
        assert_eq!(modified, [0xE0]);
        assert!(!cache.read(0xE0));
    }

    #[test]
    fn a_snoop_shares_or_invalidates_and_says_what_was_modified() {
        let mut cache = cache();
        assert_eq!(cache.snoop(0x20, false), Snooped::Missing);
        cache.fill(0x20);
        assert!(!cache.is_shared(0x3C));
        assert_eq!(cache.snoop(0x3C, false), Snooped::Clean);
        assert!(cache.is_shared(0x20) && cache.read(0x24) && cache.holds(0x28));
        cache.share(0x20, false);
        assert!(!cache.is_shared(0x20) && cache.write(0x20));
        cache.share(0x20, true);
        assert!(!cache.is_shared(0x20), "it is modified");
        assert_eq!(cache.snoop(0x20, false), Snooped::Modified);
        assert!(cache.is_shared(0x20));
        assert_eq!(cache.fill(0x1020), None);
        assert_eq!(
            cache.fill(0x2020),
            None,
            "a shared line leaves without being written back"
        );
        cache.write(0x2020);
        assert_eq!(cache.snoop(0x2020, true), Snooped::Modified);
        assert!(!cache.read(0x2020) && cache.read(0x1020));
        cache.fill(0x20);
        cache.snoop(0x20, false);
        assert!(!cache.invalidate(0x20) && !cache.read(0x20));
    }

    #[test]
    fn boundaries() {
        let cache = cache();
        let misaligned = |address, size| cache.misaligned(address, size);
        assert!(!misaligned(0, 4) && misaligned(1, 4) && misaligned(3, 2) && !misaligned(2, 2) && !misaligned(3, 1));
        assert!(!misaligned(8, 8) && misaligned(4, 8));
        assert_eq!(cache.second_line(30, 4), Some(32));
        assert_eq!(cache.second_line(28, 4), None);
        assert!(cache.same_bank((0x104, 4), (0x225, 1)) && !cache.same_bank((0x104, 4), (0x108, 4)));
        assert!(cache.same_bank((0x100, 8), (0x104, 4)), "eight bytes use two banks");
        assert!(cache.same_bank((0x108, 4), (0x106, 4)), "a misaligned access uses two");
        assert!(!cache.same_bank((0x100, 8), (0x108, 8)));
    }
}
