//! What a process may do with its pages, and the pages that it gets as it uses them.

use super::{FLAG_BITS, FORBIDDEN, HAS_CODE, MEMORY_LIMIT, MapError, Memory, PAGES, PRESENT, WRITABLE};
use p5_words::isa::PAGE;
use std::ops::RangeInclusive;

/// The most bytes that are kept for pages to come: the usual limit of a stack.
const MOST_KEPT: usize = 8 << 20;
/// The bytes of pages from which on there is room for all.
const MUCH: usize = 8 << 20;

/// What a program may do with a page. A processor without a bit against it executes what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Nothing.
    None,
    /// Read.
    Read,
    /// Read and write.
    Write,
}

impl Memory {
    /// Unmaps the pages that `length` bytes from `address` touch, as far as they are mapped. Code on them is recorded
    /// as stored to.
    ///
    /// # Errors
    /// [`MapError::PastEnd`], and [`MapError::NotMapped`] while the program has page tables of its own. Nothing is
    /// unmapped then.
    pub fn unmap(&mut self, address: u32, length: u32) -> Result<(), MapError> {
        if length == 0 {
            return Ok(());
        }
        if self.is_translated() {
            return Err(MapError::NotMapped);
        }
        let last = address.checked_add(length - 1).ok_or(MapError::PastEnd)?;
        for page in address >> 12..=last >> 12 {
            let entry = std::mem::take(&mut self.pages[page as usize]);
            if entry & (PRESENT | FORBIDDEN) != 0 {
                self.free.push(entry & !FLAG_BITS);
            }
            if entry & HAS_CODE != 0 {
                self.note_code_store(page << 12, PAGE);
            }
        }
        Ok(())
    }

    /// Changes what the program may do with the pages that `length` bytes from `address` touch; they keep their bytes.
    /// Code on a page that it may no longer read is recorded as stored to.
    ///
    /// # Errors
    /// [`MapError::PastEnd`], and [`MapError::NotMapped`] if the program has page tables of its own; nothing is changed
    /// then. [`MapError::NotMapped`] also if one of the pages is not mapped; those before it are changed then.
    pub fn protect(&mut self, address: u32, length: u32, protection: Protection) -> Result<(), MapError> {
        if length == 0 {
            return Ok(());
        }
        let last = address.checked_add(length - 1).ok_or(MapError::PastEnd)?;
        if self.is_translated() {
            return Err(MapError::NotMapped);
        }
        for page in address >> 12..=last >> 12 {
            self.grow(page << 12);
            let entry = &mut self.pages[page as usize];
            if *entry == 0 {
                return Err(MapError::NotMapped);
            }
            let rights = match protection {
                Protection::None => FORBIDDEN,
                Protection::Read => PRESENT,
                Protection::Write => PRESENT | WRITABLE,
            };
            let code = *entry & HAS_CODE != 0;
            let kept = if protection == Protection::None { 0 } else { HAS_CODE };
            *entry = *entry & !(PRESENT | WRITABLE | FORBIDDEN | HAS_CODE) | rights | *entry & kept;
            if code && kept == 0 {
                self.note_code_store(page << 12, PAGE);
            }
        }
        Ok(())
    }

    /// Makes the page of `address` hold `bytes`, at most as many as a page has, and zeros after them, whether it can be
    /// accessed or not. Code on it is recorded as stored to.
    ///
    /// # Errors
    /// [`MapError::NotMapped`] if nothing is mapped there.
    pub fn refill(&mut self, address: u32, bytes: &[u8]) -> Result<(), MapError> {
        let page = address & !(PAGE - 1);
        let mut whole = [0; PAGE as usize];
        whole[..bytes.len()].copy_from_slice(bytes);
        let entry = self.pages[(page >> 12) as usize];
        if entry & FORBIDDEN != 0 {
            let start = (entry & !FLAG_BITS) as usize;
            self.frames[start..start + PAGE as usize].copy_from_slice(&whole);
            return Ok(());
        }
        self.load(page, &whole)?;
        if self.pages[(page >> 12) as usize] & HAS_CODE != 0 {
            self.note_code_store(page, PAGE);
        }
        Ok(())
    }

    /// Whether the page of `address` is mapped, but no access is allowed.
    pub fn is_forbidden(&self, address: u32) -> bool {
        self.pages[(address >> 12) as usize] & FORBIDDEN != 0
    }

    /// From now on the pages from `first` to `end`, which are addresses of pages, are mapped when they are first
    /// written, as far as they are not mapped yet. Until then they can be read, and hold zeros.
    pub fn grow_between(&mut self, first: u32, end: u32) {
        self.growing = match end.checked_sub(1) {
            Some(last) if first < end => (first >> 12, last >> 12),
            _ => (1, 0),
        };
    }

    /// What the program may do with the page of `address`; `None` if nothing is mapped there.
    pub fn protection(&self, address: u32) -> Option<Protection> {
        let entry = self.pages[(address >> 12) as usize];
        match entry & (PRESENT | WRITABLE | FORBIDDEN) {
            0 => None,
            rights if rights & FORBIDDEN != 0 => Some(Protection::None),
            rights if rights & WRITABLE != 0 => Some(Protection::Write),
            _ => Some(Protection::Read),
        }
    }

    /// Moves the pages that `length` bytes from `address` touch to `place`, where nothing is mapped, with their bytes
    /// and rights. Code on them is recorded as stored to.
    ///
    /// # Errors
    /// [`MapError::PastEnd`], and [`MapError::NotMapped`] while the program has page tables of its own. Then nothing is
    /// moved.
    pub fn relocate(&mut self, address: u32, length: u32, place: u32) -> Result<(), MapError> {
        let Some(last) = length.checked_sub(1) else {
            return Ok(());
        };
        if self.is_translated() {
            return Err(MapError::NotMapped);
        }
        let last_page = address.checked_add(last).ok_or(MapError::PastEnd)? >> 12;
        let last_place = place.checked_add(last).ok_or(MapError::PastEnd)? >> 12;
        self.note_range(place >> 12, last_place);
        for (from, to) in (address >> 12..=last_page).zip(place >> 12..) {
            self.grow(from << 12);
            let entry = std::mem::take(&mut self.pages[from as usize]);
            self.pages[to as usize] = entry & !HAS_CODE;
            if entry & HAS_CODE != 0 {
                self.note_code_store(from << 12, PAGE);
            }
        }
        Ok(())
    }

    /// Whether the page of `address` is there, but not mapped yet.
    pub fn grows(&self, address: u32) -> bool {
        let page = address >> 12;
        let (first, last) = self.growing;
        first <= page && page <= last && self.pages[page as usize] == 0 && !self.is_translated() && self.has_room()
    }

    /// The same memory with at most `most` mapped bytes, or [`MEMORY_LIMIT`] if that is less.
    #[must_use]
    pub fn of_at_most(self, most: u32) -> Memory {
        Memory {
            most: most.min(MEMORY_LIMIT),
            ..self
        }
    }

    /// Whether more bytes were asked for than may be mapped.
    pub fn was_refused(&self) -> bool {
        self.refused.get()
    }

    /// Whether another page can be mapped.
    fn has_room(&self) -> bool {
        let room = !self.free.is_empty() || self.used + PAGE as usize <= self.most as usize;
        if !room {
            self.refused.set(true);
        }
        room
    }

    /// Makes room for `end` bytes of pages. The host gives zeros that nobody has touched, which take no time: so all
    /// that may be mapped gets room at once if it is much, and as much as the host has if that is less.
    ///
    /// # Errors
    /// [`MapError::TooMuch`] if the host has no room for `end` bytes.
    pub(super) fn widen(&mut self, end: usize) -> Result<(), MapError> {
        let all = if end > MUCH { self.most as usize } else { 0 };
        for room in [all, 2 * end].into_iter().filter(|&room| room >= end) {
            // A vector of zeros ends the process if there is no room, so it is asked for as one without zeros first.
            if Vec::<u8>::new().try_reserve_exact(room).is_ok() {
                let mut frames = vec![0; room];
                frames[..self.used].copy_from_slice(&self.frames[..self.used]);
                self.frames = frames;
                return Ok(());
            }
        }
        let more = end - self.frames.len();
        if self.frames.try_reserve_exact(more).is_err() {
            self.refused.set(true);
            return Err(MapError::TooMuch);
        }
        self.frames.resize(end, 0);
        Ok(())
    }

    /// Whether [`Memory::map`] has room for the `length` bytes from `address`, which do not pass the end, in place of
    /// what is mapped there; otherwise it is noted that a program was refused memory.
    pub fn has_room_at(&self, address: u32, length: u32) -> bool {
        let range = (address >> 12) as usize..=((address + (length - 1)) >> 12) as usize;
        self.end_with(range).is_some()
    }

    /// How many bytes are in use after the pages of `range` are mapped; `None` if that is too many, and the refusal is
    /// remembered.
    pub(super) fn end_with(&self, range: RangeInclusive<usize>) -> Option<usize> {
        let fresh = self.pages[range.clone()].iter().filter(|&&entry| entry == 0).count();
        let end = self.used + fresh.saturating_sub(self.free.len()) * PAGE as usize;
        let has_room = end <= self.most_without_growth(range);
        self.refused.set(self.refused.get() || !has_room);
        has_room.then_some(end)
    }

    /// The most bytes that may be mapped if the pages of `range` are next: those that are mapped as they are written
    /// keep their part.
    fn most_without_growth(&self, range: RangeInclusive<usize>) -> usize {
        let most = self.most as usize;
        let (first, last) = (self.growing.0 as usize, self.growing.1 as usize);
        if first > last || range.start() <= &last && &first <= range.end() {
            return most;
        }
        let to_come = self.pages[first..=last].iter().filter(|&&entry| entry == 0).count();
        most - (to_come * PAGE as usize).min(MOST_KEPT).min(most / 2)
    }

    /// Maps the page of `address` if it is of those that are mapped when they are first written.
    pub(super) fn grow(&mut self, address: u32) {
        if self.grows(address) {
            // There is room, unless the host has none, and a page never goes past the end.
            let mapped = self.map(address & !(PAGE - 1), PAGE, true);
            debug_assert!(matches!(mapped, Ok(()) | Err(MapError::TooMuch)));
        }
    }

    /// Maps all pages that are mapped when they are first written.
    pub(super) fn grow_all(&mut self) {
        for page in self.growing.0..=self.growing.1 {
            self.grow(page << 12);
        }
    }

    /// Whether a page that `length` bytes from `address` touch is mapped, or would be if it were written.
    pub fn is_used(&self, address: u32, length: u32) -> bool {
        let last = address.saturating_add(length.saturating_sub(1));
        let (first, end) = self.growing;
        self.first_mapped(address, length).is_some() || first <= last >> 12 && address >> 12 <= end
    }
}

const _: () = assert!(PAGES == 1 << 20, "a page number has 20 bits");
