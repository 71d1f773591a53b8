//! Sets: where the ways an address may stand in begin, in one array of all ways.
//!
//! Modelled: the lowest bits above a line, or of a number, choose the set. Not modelled: hashed indices, of which no chip
//! here has any.
//!
//! The sizes of a unit are masks and shifts computed when it is made; its arrays are as large as any chip needs.

use crate::model::{CacheGeometry, TableGeometry};

/// The sets of a cache, looked up by address.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct CacheSets {
    line: u32,
    shift: u32,
    mask: u32,
    ways: u32,
}

/// The sets of a TLB or branch target buffer, looked up by number.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct TableSets {
    shift: u32,
    mask: u32,
    ways: u32,
}

impl CacheSets {
    /// The sets of a cache with room for `capacity` lines at most.
    pub(super) fn new(geometry: &CacheGeometry, capacity: usize) -> CacheSets {
        let (sets, ways, line) = (geometry.sets(), geometry.ways, geometry.line);
        assert!(
            (sets * ways) as usize <= capacity && ways <= line && line <= super::LONGEST_LINE,
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

    /// The first address of the line that holds `address`.
    #[inline(always)]
    pub(super) fn line(&self, address: u32) -> u32 {
        address & self.line
    }

    /// Bytes of a line.
    #[inline(always)]
    pub(super) fn line_size(&self) -> u32 {
        !self.line + 1
    }

    /// Where the ways of an address begin.
    #[inline(always)]
    pub(super) fn first(&self, address: u32) -> usize {
        (address >> self.shift & self.mask) as usize
    }

    /// Ways of a set.
    #[inline(always)]
    pub(super) fn ways(&self) -> usize {
        self.ways as usize
    }
}

impl TableSets {
    /// The sets of a table with room for `capacity` entries at most.
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

    /// Where the ways of a number begin.
    #[inline(always)]
    pub(super) fn first(&self, number: u32) -> usize {
        (number << self.shift & self.mask) as usize
    }

    /// Which set that is.
    #[inline(always)]
    pub(super) fn index(&self, first: usize) -> usize {
        first >> self.shift
    }

    /// Ways of a set.
    #[inline(always)]
    pub(super) fn ways(&self) -> usize {
        self.ways as usize
    }
}
