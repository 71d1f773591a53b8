//! Sets: the index of the first way that may hold an address, in one array of all ways.
//!
//! Modelled: the lowest bits above the line offset, or of a number, select the set. Not modelled: hashed indices, which
//! no chip here uses.
//!
//! The sizes of a unit are masks and shifts, computed at construction. The arrays are large enough for every chip.

use p5_chips::{CacheGeometry, TableGeometry};

/// The number of lines of the largest cache: 16 KiB of 32-byte lines, or 8 KiB of 16-byte lines.
pub(super) const LINES: usize = 512;
/// The size of the longest line in bytes. Each byte is one bit of a word.
const LONGEST_LINE: u32 = 32;
/// The most transfers of a line: 4 of 8 bytes, or 4 of 4 bytes.
pub(crate) const TRANSFERS: usize = 4;

/// The sets of a cache, indexed by address.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct CacheSets {
    line: u32,
    shift: u32,
    mask: u32,
    ways: u32,
}

/// The sets of a TLB or branch target buffer, indexed by number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct TableSets {
    shift: u32,
    mask: u32,
    ways: u32,
}

/// Makes `way` of a set the most recent. The ways stand for the leaves of a tree whose bits select the older half below
/// them, three for four ways: the newer half of each part comes first, so that the first way is the most recent one,
/// and the last way is the one that the bits select for the next fill. Of two ways, that is the least recently used.
#[inline(always)]
pub(super) fn turn<T>(set: &mut [T], way: usize) {
    let mut half = set.len() / 2;
    while half > 0 {
        if way & half != 0 {
            (0..half).for_each(|one| set.swap(one, one + half));
        }
        half /= 2;
    }
}

impl CacheSets {
    /// Creates the sets for a cache in an array of `capacity` lines.
    pub(super) fn new(geometry: &CacheGeometry, capacity: usize) -> CacheSets {
        let (sets, ways, line) = (geometry.sets(), geometry.ways, geometry.line);
        assert!(
            (sets * ways) as usize <= capacity && ways <= line && line <= LONGEST_LINE,
            "{geometry:?} is larger than the arrays of the units"
        );
        assert!(
            [sets, ways, line].iter().all(|size| size.is_power_of_two()),
            "{geometry:?}: sizes are powers of two"
        );
        CacheSets {
            line: !(line - 1),
            shift: line.ilog2() - ways.ilog2(),
            mask: (sets - 1) * ways,
            ways,
        }
    }

    /// The first address of the line that contains `address`.
    #[inline(always)]
    pub(super) fn line(&self, address: u32) -> u32 {
        address & self.line
    }

    /// The mask of the index of a set's first way, and the bits by which an address is shifted down for it.
    pub(super) fn selection(&self) -> (u32, u32) {
        (self.mask, self.shift)
    }

    #[inline(always)]
    pub(super) fn line_size(&self) -> u32 {
        !self.line + 1
    }

    /// The index of the first way for an address.
    #[inline(always)]
    pub(super) fn first(&self, address: u32) -> usize {
        (address >> self.shift & self.mask) as usize
    }

    #[inline(always)]
    pub(super) fn ways(&self) -> usize {
        self.ways as usize
    }

    pub(super) fn count(&self) -> usize {
        (self.mask / self.ways + 1) as usize
    }

    pub(super) fn number(&self, address: u32) -> usize {
        self.first(address) / self.ways()
    }

    /// The indexes of the ways of a set.
    pub(super) fn of_number(&self, number: usize) -> std::ops::Range<usize> {
        number * self.ways()..(number + 1) * self.ways()
    }
}

impl TableSets {
    /// Creates the sets of a table in an array of `capacity` entries.
    pub(super) fn new(geometry: &TableGeometry, capacity: usize) -> TableSets {
        let (sets, ways) = (geometry.sets(), geometry.ways);
        assert!(
            (sets * ways) as usize <= capacity,
            "{geometry:?} is larger than the arrays of the units"
        );
        assert!(
            sets.is_power_of_two() && ways.is_power_of_two(),
            "{geometry:?}: sizes are powers of two"
        );
        TableSets {
            shift: ways.ilog2(),
            mask: (sets - 1) * ways,
            ways,
        }
    }

    /// The mask and the left shift that make a line's number the index of the first way of its set.
    pub(super) fn selection(&self) -> (u32, u32) {
        (self.mask, self.shift)
    }

    /// The index of the first way for a number.
    #[inline(always)]
    pub(super) fn first(&self, number: u32) -> usize {
        (number << self.shift & self.mask) as usize
    }

    #[inline(always)]
    pub(super) fn index(&self, first: usize) -> usize {
        first >> self.shift
    }

    #[inline(always)]
    pub(super) fn ways(&self) -> usize {
        self.ways as usize
    }
}
