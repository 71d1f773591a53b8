//! The table of pages of a memory: 4 MiB, of which a program touches a few entries.
//!
//! Where thousands of short programs run one after another, as in a sweep, the table of a memory that is no longer used
//! becomes that of the next one: an allocator would fill all of a block that it gives out again with zeros.

use super::{Memory, PAGES};
use std::cell::RefCell;

/// For each page of the address space 0, or the offset of its bytes in the frames with flags in the low bits.
pub(super) type Table = Box<[u32; PAGES]>;

/// The maximum number of tables that a thread keeps: those of a machine before and after its program is loaded.
const SPARE: usize = 2;
/// The maximum number of entries that are cleared, beyond which untouched memory is cheaper.
const MOST_CLEARED: u32 = 16_384;

thread_local! {
    static TABLES: RefCell<Vec<Table>> = const { RefCell::new(Vec::new()) };
}

/// A table without pages.
pub(super) fn empty() -> Table {
    let spare = TABLES.try_with(|tables| tables.borrow_mut().pop());
    spare.ok().flatten().unwrap_or_else(|| {
        // A zeroed vector of this length consists of untouched pages of the host.
        let entries = vec![0; PAGES].into_boxed_slice();
        entries.try_into().unwrap_or_else(|_| Box::new([0; PAGES]))
    })
}

impl Memory {
    /// Ends this memory and keeps its table of pages for the next one of this thread.
    pub fn retire(mut self) {
        let cleared = self.mapped_pages.iter().map(|(first, last)| last - first + 1);
        if self.is_translated() || cleared.sum::<u32>() > MOST_CLEARED {
            return;
        }
        for &(first, last) in &self.mapped_pages {
            self.pages[first as usize..=last as usize].fill(0);
        }
        // A thread that ends keeps nothing.
        let _ = TABLES.try_with(|tables| {
            let mut tables = tables.borrow_mut();
            if tables.len() < SPARE {
                tables.push(self.pages);
            }
        });
    }
}
