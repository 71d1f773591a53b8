//! A translation lookaside buffer, indexed by page number, whatever the size of the page.
//!
//! Modelled: sets whose pseudo-LRU order is a tree of bits, each of which selects the older half of the entries below
//! it: three bits for four entries, 63 for a fully associative table of 64. Not modelled: the other contents of an
//! entry. DOUBT: whether fully associative TLBs replace by such a tree.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2.

use super::sets::TableSets;
use p5_chips::TableGeometry;
use std::mem::offset_of;

#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Tlb {
    // The page of each set that was looked up last. Another lookup of it changes nothing, so it takes a fast path.
    last: [u32; ENTRIES],
    // The bits of a page that select its set.
    set_mask: u32,
    sets: TableSets,
    pages: [u32; ENTRIES],
    // For each set, the tree: bit 0 is the root, and bits 2n+1 and 2n+2 are the children of bit n.
    orders: [u64; ENTRIES],
}

/// The number of entries of the largest TLB.
const ENTRIES: usize = 64;
/// Marks an empty entry; no page has this number.
const EMPTY: u32 = u32::MAX;

impl Tlb {
    /// The offset of the page of each set that was looked up last.
    pub(crate) const LAST: usize = offset_of!(Tlb, last);

    /// The offsets of the pages, and of the trees.
    pub(crate) const PAGES: usize = offset_of!(Tlb, pages);
    pub(crate) const ORDERS: usize = offset_of!(Tlb, orders);

    pub(crate) fn ways(&self) -> usize {
        self.sets.ways()
    }

    /// The bits of a page that select its set.
    pub(crate) fn set_mask(&self) -> u32 {
        self.set_mask
    }

    pub(crate) fn new(geometry: &TableGeometry) -> Tlb {
        let sets = TableSets::new(geometry, ENTRIES);
        Tlb {
            last: [EMPTY; ENTRIES],
            set_mask: sets.index(sets.first(u32::MAX)) as u32,
            sets,
            pages: [EMPTY; ENTRIES],
            orders: [0; ENTRIES],
        }
    }

    /// Looks up `page` (its address / [`PAGE`](p5_words::isa::PAGE)) and fills it in on a miss. Returns true on a hit.
    #[inline(always)]
    pub(crate) fn access(&mut self, page: u32) -> bool {
        self.last_was(page) || self.lookup(page)
    }

    /// Whether `page` was the last of its set to be looked up, so that another lookup hits and changes nothing.
    #[inline(always)]
    pub(crate) fn last_was(&self, page: u32) -> bool {
        self.last[(page & self.set_mask) as usize & (ENTRIES - 1)] == page
    }

    /// The number of the set of `page`.
    #[inline(always)]
    pub(crate) fn set_of(&self, page: u32) -> usize {
        (page & self.set_mask) as usize
    }

    /// Whether `page` would hit. Changes nothing.
    #[inline(always)]
    pub(crate) fn holds(&self, page: u32) -> bool {
        self.last_was(page) || self.find(page).is_some()
    }

    fn find(&self, page: u32) -> Option<usize> {
        let first = self.sets.first(page);
        // Most chips have four ways, so these are compared together.
        if self.sets.ways() == 4 {
            let set = self.pages[first..].first_chunk::<4>()?;
            return set.iter().position(|&other| other == page);
        }
        let set = &self.pages[first..first + self.sets.ways()];
        set.iter().position(|&other| other == page)
    }

    fn lookup(&mut self, page: u32) -> bool {
        let first = self.sets.first(page);
        self.last[(page & self.set_mask) as usize & (ENTRIES - 1)] = page;
        let found = self.find(page);
        let way = found.unwrap_or_else(|| self.replaced(first));
        self.pages[first + way] = page;
        self.make_younger(first, way);
        found.is_some()
    }

    /// The way of a set that a new page replaces: the first free one, or the one that the tree selects.
    fn replaced(&self, first: usize) -> usize {
        let ways = self.sets.ways();
        if let Some(free) = self.pages[first..first + ways].iter().position(|&page| page == EMPTY) {
            return free;
        }
        let order = self.orders[self.sets.index(first)];
        let (mut node, mut way) = (0, 0);
        for _ in 0..ways.ilog2() {
            let half = (order >> node & 1) as usize;
            way = way * 2 + half;
            node = node * 2 + 1 + half;
        }
        way
    }

    /// Points the tree away from a way that was used.
    fn make_younger(&mut self, first: usize, way: usize) {
        let order = &mut self.orders[self.sets.index(first)];
        let mut node = 0;
        for level in (0..self.sets.ways().ilog2()).rev() {
            let half = way >> level & 1;
            *order = *order & !(1 << node) | (1 - half as u64) << node;
            node = node * 2 + 1 + half;
        }
    }

    pub(crate) fn flush(&mut self) {
        self.last.fill(EMPTY);
        self.pages.fill(EMPTY);
        self.orders.fill(0);
    }

    pub(crate) fn forget(&mut self, page: u32) {
        if let Some(way) = self.find(page) {
            self.pages[self.sets.first(page) + way] = EMPTY;
        }
        self.last.fill(EMPTY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tlb(entries: u32, ways: u32) -> Tlb {
        Tlb::new(&TableGeometry { entries, ways })
    }

    #[test]
    fn four_pages_of_a_set_stay_and_a_fifth_evicts_one() {
        let mut tlb = tlb(64, 4);
        for way in 0..4 {
            assert!(!tlb.access(way * 16));
        }
        for way in 0..4 {
            assert!(tlb.access(way * 16), "page {way} stayed");
        }
        assert!(!tlb.access(64));
        assert!(tlb.holds(64));
        assert_eq!(
            (0..4).filter(|way| tlb.holds(way * 16)).count(),
            3,
            "one left for the newcomer"
        );
    }

    #[test]
    fn the_tree_of_four_leads_to_the_older_half_of_the_older_half() {
        let mut tlb = tlb(4, 4);
        (0..4).for_each(|page| assert!(!tlb.access(page)));
        assert!(tlb.access(0));
        for (new, leaves) in [(10, 2), (11, 1), (12, 3), (13, 0)] {
            assert!(tlb.holds(leaves));
            assert!(!tlb.access(new));
            assert!(!tlb.holds(leaves), "page {leaves} left for {new}");
        }
    }

    #[test]
    fn as_many_pages_as_entries_stay_in_a_fully_associative_table() {
        let mut tlb = tlb(64, 64);
        (0..64).for_each(|page| assert!(!tlb.access(page * 16)));
        (0..64).for_each(|page| assert!(tlb.access(page * 16)));
        assert!(!tlb.access(5));
        assert!(!tlb.holds(0), "the oldest left");
        assert_eq!((0..64).filter(|page| tlb.holds(page * 16)).count(), 63);
    }

    #[test]
    fn a_forgotten_page_misses() {
        let mut tlb = tlb(32, 4);
        tlb.access(5);
        tlb.forget(5);
        assert!(!tlb.access(5));
        tlb.flush();
        assert!(!tlb.access(5));
    }
}
