//! A translation lookaside buffer for 4 KiB pages.
//!
//! Modelled: sets of four entries with three bits of pseudo-LRU each. Not modelled: 4 MiB pages, the page tables' own
//! cache lines (a walk costs the memory preset's figure).
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2.

/// One TLB.
#[derive(Clone, Debug)]
pub(crate) struct Tlb {
    sets: Vec<Set>,
    // The pages looked up last, of different sets: looking them up again changes nothing, so it is answered at once.
    last: [u32; 2],
}

#[derive(Clone, Copy, Debug)]
struct Set {
    pages: [u32; 4],
    // Bit 0 chooses the pair that is older, bits 1 and 2 the older entry of each pair.
    order: u8,
}

/// No page has this number.
const EMPTY: u32 = u32::MAX;

impl Tlb {
    /// An empty TLB of `entries` entries, a multiple of four.
    pub(crate) fn new(entries: u32) -> Tlb {
        Tlb {
            sets: vec![
                Set {
                    pages: [EMPTY; 4],
                    order: 0
                };
                (entries / 4) as usize
            ],
            last: [EMPTY; 2],
        }
    }

    /// Looks `page` (address / 4096) up and fills it in on a miss; true on a hit.
    #[inline(always)]
    pub(crate) fn access(&mut self, page: u32) -> bool {
        page == self.last[0] || page == self.last[1] || self.lookup(page)
    }

    /// Whether `page` would hit, changing nothing.
    #[inline(always)]
    pub(crate) fn holds(&self, page: u32) -> bool {
        page == self.last[0] || self.sets[page as usize & (self.sets.len() - 1)].pages.contains(&page)
    }

    fn lookup(&mut self, page: u32) -> bool {
        let index = page as usize & (self.sets.len() - 1);
        let other_set = (self.last[0] ^ page) as usize & (self.sets.len() - 1) != 0;
        self.last = [page, if other_set { self.last[0] } else { EMPTY }];
        let set = &mut self.sets[index];
        let found = set.pages.iter().position(|&other| other == page);
        let way = found.unwrap_or_else(|| match set.pages.iter().position(|&other| other == EMPTY) {
            Some(free) => free,
            None if set.order & 1 == 0 => usize::from(set.order >> 1 & 1),
            None => 2 + usize::from(set.order >> 2 & 1),
        });
        set.pages[way] = page;
        // The touched half and entry become the younger ones.
        if way < 2 {
            set.order = (set.order & !0b010) | 0b001 | if way == 0 { 0b010 } else { 0 };
        } else {
            set.order = (set.order & !0b101) | if way == 2 { 0b100 } else { 0 };
        }
        found.is_some()
    }

    /// Forgets every page.
    pub(crate) fn flush(&mut self) {
        let entries = self.sets.len() as u32 * 4;
        *self = Tlb::new(entries);
    }

    /// Forgets one page.
    pub(crate) fn forget(&mut self, page: u32) {
        let index = page as usize & (self.sets.len() - 1);
        for other in &mut self.sets[index].pages {
            if *other == page {
                *other = EMPTY;
            }
        }
        self.last = [EMPTY; 2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_pages_of_a_set_stay_and_a_fifth_evicts_one() {
        let mut tlb = Tlb::new(64);
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
    fn a_forgotten_page_misses() {
        let mut tlb = Tlb::new(32);
        tlb.access(5);
        tlb.forget(5);
        assert!(!tlb.access(5));
        tlb.flush();
        assert!(!tlb.access(5));
    }
}
