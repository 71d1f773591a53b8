//! Sets of addresses.

use rustc_hash::FxHashMap;

/// The most pages with separate addresses.
pub(super) const PAGES: usize = 1 << 16;

/// A set of addresses: one bit for each byte of a page that contains any. It has at most [`PAGES`] pages, more than a
/// program's memory fills. Only page tables that map a page many times lead to others, whose addresses are neither new
/// nor members.
#[derive(Default)]
pub(crate) struct Addresses {
    pub(super) pages: Vec<[u64; 64]>,
    by_number: FxHashMap<u32, usize>,
    recent: Option<(u32, usize)>,
}

impl Addresses {
    pub(crate) fn clear(&mut self) {
        self.pages.clear();
        self.by_number.clear();
        self.recent = None;
    }

    /// The index of the page with this number, which is then the most recent one.
    fn index(&mut self, number: u32) -> Option<usize> {
        let index = match self.recent {
            Some((recent, index)) if recent == number => index,
            _ => *self.by_number.get(&number)?,
        };
        self.recent = Some((number, index));
        Some(index)
    }

    /// Adds an address. Returns whether it is new.
    pub(crate) fn insert(&mut self, address: u32) -> bool {
        let number = address >> 12;
        let index = match self.index(number) {
            Some(index) => index,
            None if self.pages.len() == PAGES => return false,
            None => {
                let index = self.pages.len();
                self.pages.push([0; 64]);
                self.by_number.insert(number, index);
                self.recent = Some((number, index));
                index
            }
        };
        let word = &mut self.pages[index][(address >> 6 & 63) as usize];
        let before = *word;
        *word |= 1 << (address & 63);
        before != *word
    }

    pub(crate) fn contains(&mut self, address: u32) -> bool {
        let Some(index) = self.index(address >> 12) else {
            return false;
        };
        self.pages[index][(address >> 6 & 63) as usize] >> (address & 63) & 1 != 0
    }
}

impl FromIterator<u32> for Addresses {
    fn from_iter<I: IntoIterator<Item = u32>>(addresses: I) -> Addresses {
        let mut all = Addresses::default();
        for address in addresses {
            all.insert(address);
        }
        all
    }
}
