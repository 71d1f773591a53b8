//! Translation by the page tables of the program.
//!
//! With translation, the table of pages is a view of linear addresses. The first access to a page fills the view, if
//! the tables and the privilege level allow it. A reload of CR3 or a change of the privilege level discards the view.
//! Until then, changes in the program's tables have no effect, as with a TLB that never evicts entries by itself. A
//! page becomes writable in the view with the first write, which marks it as dirty.

use super::{FLAG_BITS, HAS_CODE, Memory, PRESENT, PageFault, WRITABLE};
use p5_words::facts::PageKind;
use std::collections::BTreeMap;

/// The settings of translation by a program's page tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Translation {
    /// The physical address of the page directory.
    pub directory: u32,
    /// Whether the program runs at privilege level 3.
    pub user: bool,
    /// Whether read-only pages are protected from levels 0 to 2 too: CR0.WP.
    pub write_protect: bool,
    /// Whether pages of 4 MiB exist: CR4.PSE.
    pub large_pages: bool,
}

/// The state on which the view is based.
pub(super) struct Paging {
    translation: Translation,
    /// The table entries of physical pages.
    physical: super::table::Table,
    /// The linear pages in the view, each with its physical page.
    filled: BTreeMap<u32, u32>,
    /// The physical pages with decoded code, each with the linear pages at which it was decoded.
    code: BTreeMap<u32, Vec<u32>>,
}

/// The bits of table entries.
const ENTRY_PRESENT: u32 = 1;
const ENTRY_WRITABLE: u32 = 2;
const ENTRY_USER: u32 = 4;
const ENTRY_WRITE_THROUGH: u32 = 8;
const ENTRY_CACHE_DISABLE: u32 = 0x10;
const ENTRY_ACCESSED: u32 = 0x20;
const ENTRY_DIRTY: u32 = 0x40;
const ENTRY_LARGE: u32 = 0x80;

/// The result of a walk of the tables for a linear address.
struct Walked {
    /// The address and value of the directory entry and of the table entry. A large page has no table entry.
    entries: [Option<(u32, u32)>; 2],
    /// The number of the physical page.
    page: u32,
}

impl Paging {
    fn read(&self, frames: &[u8], address: u32) -> Option<u32> {
        let entry = self.physical[(address >> 12) as usize];
        let start = (entry & !FLAG_BITS) as usize + (address & FLAG_BITS & !3) as usize;
        let bytes = frames.get(start..)?.first_chunk()?;
        (entry & PRESENT != 0).then(|| u32::from_le_bytes(*bytes))
    }

    fn walk(&self, frames: &[u8], address: u32) -> Option<Walked> {
        let place = self.translation.directory + (address >> 22) * 4;
        let directory = self.read(frames, place)?;
        if directory & ENTRY_PRESENT == 0 {
            return None;
        }
        let first = Some((place, directory));
        if self.translation.large_pages && directory & ENTRY_LARGE != 0 {
            return Some(Walked {
                entries: [first, None],
                page: directory >> 22 << 10 | address >> 12 & 0x3FF,
            });
        }
        let place = (directory & !FLAG_BITS) + (address >> 12 & 0x3FF) * 4;
        let table = self.read(frames, place)?;
        (table & ENTRY_PRESENT != 0).then_some(Walked {
            entries: [first, Some((place, table))],
            page: table >> 12,
        })
    }
}

impl Memory {
    /// Whether the page tables of the program are in use.
    pub fn is_translated(&self) -> bool {
        self.paging.is_some()
    }

    /// Switches to translation by the program's tables, or to none. The caller must forget decoded code unless only the
    /// privilege level has changed.
    pub fn set_translation(&mut self, translation: Option<Translation>) {
        match (&mut self.paging, translation) {
            (None, None) => {}
            (Some(paging), Some(translation)) => {
                if paging.translation != translation {
                    paging.translation = translation;
                    self.discard_view();
                }
            }
            (None, Some(translation)) => {
                // Tables may lead to a page that nothing has written.
                self.grow_all();
                let mut physical = std::mem::replace(&mut self.pages, super::table::empty());
                physical.iter_mut().for_each(|entry| *entry &= !HAS_CODE);
                self.paging = Some(Box::new(Paging {
                    translation,
                    physical,
                    filled: BTreeMap::new(),
                    code: BTreeMap::new(),
                }));
            }
            (Some(_), None) => {
                if let Some(mut paging) = self.paging.take() {
                    paging.physical.iter_mut().for_each(|entry| *entry &= !HAS_CODE);
                    self.pages = paging.physical;
                }
            }
        }
    }

    /// Switches to the page directory at another physical address, if the program's tables are in use.
    pub(crate) fn change_directory(&mut self, address: u32) {
        let translation = self.paging.as_ref().map(|paging| Translation {
            directory: address & !FLAG_BITS,
            ..paging.translation
        });
        if translation.is_some() {
            self.set_translation(translation);
        }
    }

    /// Forgets every translation in the view.
    pub fn discard_view(&mut self) {
        if let Some(paging) = &mut self.paging {
            for (linear, _) in std::mem::take(&mut paging.filled) {
                self.pages[linear as usize] = 0;
            }
        }
    }

    /// Forgets all marks of decoded code.
    pub fn forget_code(&mut self) {
        if let Some(paging) = &mut self.paging {
            for (page, _) in std::mem::take(&mut paging.code) {
                paging.physical[page as usize] &= !HAS_CODE;
            }
            for &linear in paging.filled.keys() {
                self.pages[linear as usize] &= !HAS_CODE;
            }
        }
    }

    /// The kind of the page of `address`; the usual kind if no tables map it.
    pub(crate) fn page_kind(&self, address: u32) -> PageKind {
        let walked = self
            .paging
            .as_ref()
            .and_then(|paging| paging.walk(&self.frames, address));
        let Some(walked) = walked else { return PageKind::USUAL };
        let last = walked.entries.iter().flatten().last().map_or(0, |&(_, entry)| entry);
        PageKind {
            large: walked.entries[1].is_none(),
            uncached: last & ENTRY_CACHE_DISABLE != 0,
            write_through: last & ENTRY_WRITE_THROUGH != 0,
        }
    }

    /// The physical address for a linear one; `None` if the tables of the program do not map it.
    pub fn physical(&self, address: u32) -> Option<u32> {
        match &self.paging {
            None => Some(address),
            Some(paging) => {
                let walked = paging.walk(&self.frames, address)?;
                Some(walked.page << 12 | address & 0xFFF)
            }
        }
    }

    /// Fills the view with the pages of an access. Returns false if there is no translation.
    ///
    /// # Errors
    /// The tables do not allow the access.
    pub fn fill(&mut self, address: u32, size: u32, write: bool) -> Result<bool, PageFault> {
        let Some(user) = self.paging.as_ref().map(|paging| paging.translation.user) else {
            return Ok(false);
        };
        let last = address.wrapping_add(size.saturating_sub(1));
        let first_of_last = last & !FLAG_BITS;
        self.fill_page(address, write, user)?;
        if (address ^ last) & !FLAG_BITS != 0 {
            self.fill_page(first_of_last, write, user)?;
        }
        Ok(true)
    }

    fn fill_page(&mut self, address: u32, write: bool, user: bool) -> Result<(), PageFault> {
        let (entry, page) = self.translate(address, write, user)?;
        if let Some(paging) = &mut self.paging {
            self.pages[(address >> 12) as usize] = entry;
            paging.filled.insert(address >> 12, page);
        }
        Ok(())
    }

    /// The entry for the page of `address`, as an access may use it, and its physical page. Marks it as accessed, and
    /// as dirty for a write.
    fn translate(&mut self, address: u32, write: bool, user: bool) -> Result<(u32, u32), PageFault> {
        let fault = |present| PageFault {
            address,
            write,
            present,
            forbidden: false,
        };
        let Some(paging) = &self.paging else {
            return Err(fault(false));
        };
        let Some(walked) = paging.walk(&self.frames, address) else {
            return Err(fault(false));
        };
        let held = walked.entries.iter().flatten();
        let rights = held.fold(u32::MAX, |rights, &(_, entry)| rights & entry);
        let protect = user || paging.translation.write_protect;
        if user && rights & ENTRY_USER == 0 || write && rights & ENTRY_WRITABLE == 0 && protect {
            return Err(fault(true));
        }
        let physical = paging.physical[walked.page as usize];
        if physical & PRESENT == 0 {
            return Err(fault(false));
        }
        let last = usize::from(walked.entries[1].is_some());
        let mut dirty = write;
        for (index, &(place, entry)) in walked.entries.iter().flatten().enumerate() {
            let dirties = if write && index == last { ENTRY_DIRTY } else { 0 };
            dirty |= index == last && entry & ENTRY_DIRTY != 0;
            let marked = entry | ENTRY_ACCESSED | dirties;
            if marked != entry {
                let frame = paging.physical[(place >> 12) as usize];
                let start = (frame & !FLAG_BITS) as usize + (place & FLAG_BITS & !3) as usize;
                if let Some(bytes) = self.frames.get_mut(start..start + 4) {
                    bytes.copy_from_slice(&marked.to_le_bytes());
                }
            }
        }
        let writable = dirty && (rights & ENTRY_WRITABLE != 0 || !protect);
        let entry = physical & !WRITABLE | if writable { WRITABLE } else { 0 };
        Ok((entry, walked.page))
    }

    /// The entry for a page outside the view, without marking it as accessed.
    pub(super) fn entry_behind(&self, address: u32) -> u32 {
        let Some(paging) = &self.paging else { return 0 };
        let walked = paging.walk(&self.frames, address);
        walked.map_or(0, |walked| paging.physical[walked.page as usize])
    }

    /// Reads a byte with privilege level 0.
    ///
    /// # Errors
    /// The byte is not mapped.
    pub(crate) fn read_as_system(&mut self, address: u32) -> Result<u8, PageFault> {
        if self.paging.is_none() {
            return self.read_u8(address);
        }
        let (entry, _) = self.translate(address, false, false)?;
        let place = (entry & !FLAG_BITS | address & FLAG_BITS) as usize;
        Ok(self.frames.get(place).copied().unwrap_or(0xFF))
    }

    /// The byte that privilege level 0 would read; `None` if it is not mapped.
    pub(crate) fn peek_as_system(&self, address: u32) -> Option<u8> {
        self.frame(address)?.get((address & FLAG_BITS) as usize).copied()
    }

    /// Checks that privilege level 0 can write a byte.
    ///
    /// # Errors
    /// The byte is not mapped or not writable.
    pub(crate) fn probe_as_system(&mut self, address: u32) -> Result<(), PageFault> {
        if self.paging.is_none() {
            return self.probe_write(address, 1);
        }
        self.translate(address, true, false).map(|_| ())
    }

    /// Writes a byte with privilege level 0.
    ///
    /// # Errors
    /// The byte is not mapped or not writable.
    pub(crate) fn write_as_system(&mut self, address: u32, value: u8) -> Result<(), PageFault> {
        if self.paging.is_none() {
            return self.write_u8(address, value);
        }
        let (entry, page) = self.translate(address, true, false)?;
        let place = (entry & !FLAG_BITS | address & FLAG_BITS) as usize;
        if let Some(byte) = self.frames.get_mut(place) {
            *byte = value;
        }
        if entry & HAS_CODE != 0 {
            self.note_code_in(page, address & FLAG_BITS, 1);
        }
        Ok(())
    }

    /// Marks the physical page of `address`, at which code was decoded.
    pub(super) fn mark_code_behind(&mut self, address: u32) {
        let linear = address >> 12;
        let Some(paging) = &mut self.paging else { return };
        let Some(walked) = paging.walk(&self.frames, address) else {
            return;
        };
        let places = paging.code.entry(walked.page).or_default();
        if !places.contains(&linear) {
            places.push(linear);
        }
        paging.physical[walked.page as usize] |= HAS_CODE;
        for (&other, _) in paging.filled.iter().filter(|&(_, &page)| page == walked.page) {
            self.pages[other as usize] |= HAS_CODE;
        }
    }

    /// Notes a store of `length` bytes at `address` if one of its pages holds code.
    pub(super) fn note_stored_behind(&mut self, address: u32, length: u32) {
        let first = (FLAG_BITS + 1 - (address & FLAG_BITS)).min(length);
        for (address, length) in [(address, first), (address.wrapping_add(first), length - first)] {
            let page = self
                .paging
                .as_ref()
                .and_then(|paging| paging.filled.get(&(address >> 12)).copied());
            if let (Some(page), 1..) = (page, length) {
                self.note_code_in(page, address & FLAG_BITS, length);
            }
        }
    }

    fn note_code_in(&mut self, page: u32, offset: u32, length: u32) {
        let places = self.paging.as_ref().and_then(|paging| paging.code.get(&page)).cloned();
        for linear in places.into_iter().flatten() {
            self.note_code_store(linear << 12 | offset, length);
        }
    }
}
