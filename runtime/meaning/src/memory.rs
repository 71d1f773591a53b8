//! Guest memory: 4 KiB pages of a 4 GiB linear address space, found through one flat table.
//!
//! Linear addresses are physical addresses unless a program has page tables of its own (`paging`). A page is writable
//! or read-only or not accessible (`protection`), and it can hold decoded code: a store to such a page is recorded, so
//! that the decoded blocks can be invalidated. One range may be of pages that are mapped as they are first written,
//! as the stack of a process is.

mod paging;
mod places;
mod protection;
mod table;

pub use paging::Translation;
pub use places::Places;
pub use protection::Protection;

pub use p5_words::fault::PageFault;
use p5_words::isa::PAGE;
use paging::Paging;
use std::cell::Cell;
use std::fmt;
use table::Table;

/// The maximum number of mapped bytes.
pub const MEMORY_LIMIT: u32 = 256 << 20;

const PRESENT: u32 = 1;
const WRITABLE: u32 = 2;
const HAS_CODE: u32 = 4;
/// The page is mapped, but no access is allowed.
const FORBIDDEN: u32 = 8;
const FLAG_BITS: u32 = PAGE - 1;
const PAGES: usize = 1 << 20;
/// What a page holds before it is written.
static NOTHING: [u8; PAGE as usize] = [0; PAGE as usize];
/// The maximum number of separate ranges of stores to code; beyond it they are merged into one.
const CODE_STORE_CAPACITY: usize = 64;
/// The maximum number of separate mapped ranges; beyond it they are merged into one.
const RANGE_CAPACITY: usize = 1024;

/// The mapped pages and their bytes.
pub struct Memory {
    /// For each page of the address space 0, or the offset of its bytes in `frames` with flags in the low bits.
    pages: Table,
    /// The bytes of the pages, followed by zeros.
    frames: Vec<u8>,
    /// The number of bytes of `frames` in use.
    used: usize,
    /// The frames below `used` whose pages are no longer mapped.
    free: Vec<u32>,
    /// The first and last page of each mapped range.
    mapped_pages: Vec<(u32, u32)>,
    code_stores: Vec<(u32, u32)>,
    /// Whether a store was added to `code_stores` since `take_code_stored`.
    code_stored: bool,
    /// The page tables of the program, if translation is on.
    paging: Option<Box<Paging>>,
    /// The pages that are mapped when they are first written, as first and last number; the first is above the last if
    /// there are none. Until then they hold zeros.
    growing: (u32, u32),
    /// The most bytes that may be mapped, and whether more were asked for.
    most: u32,
    refused: Cell<bool>,
}

/// The reason why memory could not be mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapError {
    /// More bytes would be mapped than may be.
    TooMuch,
    /// The range extends beyond the end of the address space.
    PastEnd,
    /// [`Memory::load`] reached a page that is not mapped.
    NotMapped,
}

impl fmt::Display for MapError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            MapError::TooMuch => "more than 256 MiB of memory would be mapped",
            MapError::PastEnd => "the range goes past the end of the 4 GiB address space",
            MapError::NotMapped => "the range is not mapped",
        })
    }
}

impl std::error::Error for MapError {}

impl fmt::Debug for Memory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Memory")
            .field("mapped", &self.mapped())
            .finish_non_exhaustive()
    }
}

impl Default for Memory {
    fn default() -> Self {
        Memory::new()
    }
}

macro_rules! accesses {
    ($($read:ident $write:ident $type:ty;)*) => {
        $(
            #[doc = concat!("Reads a little-endian `", stringify!($type), "` at `address`, which need not be aligned.")]
            ///
            /// # Errors
            /// If a byte of it is on a page that is not mapped.
            #[inline(always)]
            pub fn $read(&self, address: u32) -> Result<$type, PageFault> {
                const SIZE: usize = size_of::<$type>();
                let entry = self.pages[(address >> 12) as usize];
                let offset = (address & FLAG_BITS) as usize;
                if entry & PRESENT != 0 && offset <= PAGE as usize - SIZE {
                    let start = (entry & !FLAG_BITS) as usize + offset;
                    if let Some(bytes) = self.frames.get(start..).and_then(|rest| rest.first_chunk::<SIZE>()) {
                        return Ok(<$type>::from_le_bytes(*bytes));
                    }
                }
                let mut bytes = [0; SIZE];
                self.read_slowly(address, &mut bytes)?;
                Ok(<$type>::from_le_bytes(bytes))
            }

            #[doc = concat!("Writes a little-endian `", stringify!($type), "` at `address`, which need not be aligned.")]
            /// A store to a page marked as code is also added to [`Memory::code_stores`].
            ///
            /// # Errors
            /// If a byte of it is on a page that is not mapped or not writable; nothing is written.
            #[inline(always)]
            pub fn $write(&mut self, address: u32, value: $type) -> Result<(), PageFault> {
                if self.write_plain(address, value.to_le_bytes()) {
                    return Ok(());
                }
                self.write_slowly(address, &value.to_le_bytes())
            }
        )*
    };
}

impl Memory {
    /// Memory without mapped pages.
    pub fn new() -> Memory {
        Memory::with_capacity(0)
    }

    /// Memory without mapped pages and with capacity for `bytes`, rounded up to pages, without reallocation.
    pub fn with_capacity(bytes: usize) -> Memory {
        Memory {
            pages: table::empty(),
            frames: vec![0; bytes.next_multiple_of(PAGE as usize)],
            used: 0,
            free: Vec::new(),
            mapped_pages: Vec::new(),
            code_stores: Vec::new(),
            code_stored: false,
            paging: None,
            growing: (1, 0),
            most: MEMORY_LIMIT,
            refused: Cell::new(false),
        }
    }

    /// Clears all mapped memory to zeros without code. The pages stay mapped.
    pub fn clear(&mut self) {
        self.frames[..self.used].fill(0);
        for &(first, last) in &self.mapped_pages {
            self.pages[first as usize..=last as usize]
                .iter_mut()
                .for_each(|entry| *entry &= !HAS_CODE);
        }
        self.code_stores.clear();
        self.code_stored = false;
    }

    /// Maps the pages that `length` bytes from `address` touch. New pages hold zeros; a page that is already mapped
    /// keeps its bytes and becomes writable if `writable` is true.
    ///
    /// # Errors
    /// [`MapError::PastEnd`] or [`MapError::TooMuch`], the latter also while the program has page tables of its own.
    /// Nothing is mapped.
    pub fn map(&mut self, address: u32, length: u32, writable: bool) -> Result<(), MapError> {
        if length == 0 {
            return Ok(());
        }
        if self.is_translated() {
            return Err(MapError::TooMuch);
        }
        let last = address.checked_add(length - 1).ok_or(MapError::PastEnd)?;
        let range = (address >> 12) as usize..=(last >> 12) as usize;
        let start = self.used;
        let end = self.end_with(range.clone()).ok_or(MapError::TooMuch)?;
        if end > self.frames.len() {
            self.widen(end)?;
        }
        self.used = end;
        self.note_range(address >> 12, last >> 12);
        let mut frame = start as u32;
        for entry in &mut self.pages[range] {
            if *entry == 0 {
                let place = match self.free.pop() {
                    Some(free) => {
                        self.frames[free as usize..][..PAGE as usize].fill(0);
                        free
                    }
                    None => {
                        frame += PAGE;
                        frame - PAGE
                    }
                };
                *entry = place | PRESENT;
            }
            if writable {
                *entry |= WRITABLE;
            }
        }
        Ok(())
    }

    /// The address of the first mapped page of those that `length` bytes from `address` touch.
    pub fn first_mapped(&self, address: u32, length: u32) -> Option<u32> {
        let last = address.saturating_add(length.saturating_sub(1));
        let pages = self.pages[(address >> 12) as usize..=(last >> 12) as usize].iter();
        let index = pages.into_iter().position(|&entry| entry != 0)?;
        Some(((address >> 12) + index as u32) << 12)
    }

    /// Copies `bytes` to `address`, even on read-only pages; no store to code is recorded.
    ///
    /// # Errors
    /// [`MapError::NotMapped`] or [`MapError::PastEnd`]. The bytes before that point are written.
    pub fn load(&mut self, address: u32, bytes: &[u8]) -> Result<(), MapError> {
        let mut rest = bytes;
        let mut at = u64::from(address);
        while !rest.is_empty() {
            let here = u32::try_from(at).map_err(|_| MapError::PastEnd)?;
            let room = (PAGE - (here & FLAG_BITS)) as usize;
            let (part, after) = rest.split_at(room.min(rest.len()));
            self.grow(here);
            let frame = self.frame_mut(here).ok_or(MapError::NotMapped)?;
            frame[(here & FLAG_BITS) as usize..][..part.len()].copy_from_slice(part);
            at += part.len() as u64;
            rest = after;
        }
        Ok(())
    }

    /// The number of mapped bytes, a multiple of [`PAGE`].
    pub fn mapped(&self) -> u32 {
        self.used as u32 - self.free.len() as u32 * PAGE
    }

    /// The address and the bytes of each mapped page, in the order in which they were mapped.
    pub fn pages(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let numbers = self.mapped_pages.iter().flat_map(|&(first, last)| first..=last);
        numbers.filter_map(|number| Some((number * PAGE, self.frame(number * PAGE)?)))
    }

    /// `length` bytes from `address`; `None` if any of them is not mapped.
    pub fn read_bytes(&self, address: u32, length: u32) -> Option<Vec<u8>> {
        address.checked_add(length.saturating_sub(1))?;
        let mut bytes = Vec::new();
        while (bytes.len() as u32) < length {
            bytes.extend_from_slice(self.rest_of_page(address + bytes.len() as u32)?);
        }
        bytes.truncate(length as usize);
        Some(bytes)
    }

    /// The bytes from `address` to the end of its page, at least one; `None` if the page is not mapped.
    pub fn rest_of_page(&self, address: u32) -> Option<&[u8]> {
        self.frame(address)?.get((address & FLAG_BITS) as usize..)
    }

    /// Reads the mapped ones of the `bytes.len()` bytes from `address` up to the first that is not mapped, also through
    /// a program's page tables, which it does not mark and whose rights it ignores. Returns their number.
    pub fn fetch(&self, address: u32, bytes: &mut [u8]) -> usize {
        let offset = (address & FLAG_BITS) as usize;
        if let Some(here) = self
            .frame(address)
            .and_then(|frame| frame.get(offset..offset + bytes.len()))
        {
            bytes.copy_from_slice(here);
            return bytes.len();
        }
        for (count, byte) in bytes.iter_mut().enumerate() {
            let here = address.wrapping_add(count as u32);
            match self
                .frame(here)
                .and_then(|frame| frame.get((here & FLAG_BITS) as usize))
            {
                Some(&value) => *byte = value,
                None => return count,
            }
        }
        bytes.len()
    }

    /// The sixteen bytes from `address`, the first one lowest in the first word; `None` unless they are mapped and in
    /// one page.
    #[inline(always)]
    pub fn window(&self, address: u32) -> Option<[u64; 2]> {
        let offset = (address & FLAG_BITS) as usize;
        let here: &[u8; 16] = self.frame(address)?.get(offset..)?.first_chunk()?;
        let (words, _) = here.as_chunks();
        Some([0, 1].map(|word: usize| u64::from_le_bytes(words[word])))
    }

    /// Marks the page of `address` as holding decoded code.
    pub fn mark_code(&mut self, address: u32) {
        if self.is_translated() {
            self.mark_code_behind(address);
            return;
        }
        self.grow(address);
        let entry = &mut self.pages[(address >> 12) as usize];
        if *entry & PRESENT != 0 {
            *entry |= HAS_CODE;
        }
    }

    /// The stores to code pages since [`Memory::forget_code_stores`], as first address and length. Adjacent stores are
    /// merged; very many become one range that covers them all.
    pub fn code_stores(&self) -> &[(u32, u32)] {
        &self.code_stores
    }

    /// Clears [`Memory::code_stores`].
    pub fn forget_code_stores(&mut self) {
        self.code_stores.clear();
    }

    accesses! {
        read_u8 write_u8 u8;
        read_u16 write_u16 u16;
        read_u32 write_u32 u32;
        read_u64 write_u64 u64;
    }

    /// Writes in the simple case of one writable page without code. Otherwise writes nothing and returns false.
    #[inline(always)]
    pub(crate) fn write_plain<const SIZE: usize>(&mut self, address: u32, value: [u8; SIZE]) -> bool {
        let entry = self.pages[(address >> 12) as usize];
        let offset = (address & FLAG_BITS) as usize;
        if entry & (PRESENT | WRITABLE | HAS_CODE) == PRESENT | WRITABLE && offset <= PAGE as usize - SIZE {
            let start = (entry & !FLAG_BITS) as usize + offset;
            if let Some(bytes) = self
                .frames
                .get_mut(start..)
                .and_then(|rest| rest.first_chunk_mut::<SIZE>())
            {
                *bytes = value;
                return true;
            }
        }
        false
    }

    /// Whether a store has hit code since the last call of this function.
    pub fn take_code_stored(&mut self) -> bool {
        std::mem::take(&mut self.code_stored)
    }

    /// Checks that `length` bytes (at most a page) from `address` are writable.
    ///
    /// # Errors
    /// The fault that a store would raise.
    pub(crate) fn probe_write(&self, address: u32, length: u32) -> Result<(), PageFault> {
        self.probe(address, length, true)
    }

    fn probe(&self, address: u32, length: u32, write: bool) -> Result<(), PageFault> {
        let last = address.wrapping_add(length.saturating_sub(1));
        let second = last & !FLAG_BITS;
        for (first_byte, needed) in [(address, true), (second, (address ^ last) & !FLAG_BITS != 0)] {
            let entry = self.pages[(first_byte >> 12) as usize];
            let allowed = match entry {
                0 => self.grows(first_byte),
                entry => entry & PRESENT != 0 && !(write && entry & WRITABLE == 0),
            };
            if needed && !allowed {
                return Err(PageFault {
                    address: first_byte,
                    write,
                    present: entry & PRESENT != 0,
                    forbidden: entry & FORBIDDEN != 0,
                });
            }
        }
        Ok(())
    }

    #[cold]
    fn read_slowly(&self, address: u32, bytes: &mut [u8]) -> Result<(), PageFault> {
        self.probe(address, bytes.len() as u32, false)?;
        for (count, byte) in bytes.iter_mut().enumerate() {
            let here = address.wrapping_add(count as u32);
            if let Some(frame) = self.frame(here) {
                *byte = frame[(here & FLAG_BITS) as usize];
            }
        }
        Ok(())
    }

    #[cold]
    fn write_slowly(&mut self, address: u32, bytes: &[u8]) -> Result<(), PageFault> {
        self.probe(address, bytes.len() as u32, true)?;
        self.grow(address);
        self.grow(address.wrapping_add(bytes.len() as u32 - 1));
        let mut code = false;
        for (count, &byte) in bytes.iter().enumerate() {
            let here = address.wrapping_add(count as u32);
            code |= self.pages[(here >> 12) as usize] & HAS_CODE != 0;
            if let Some(frame) = self.frame_mut(here) {
                frame[(here & FLAG_BITS) as usize] = byte;
            }
        }
        if code && self.is_translated() {
            self.note_stored_behind(address, bytes.len() as u32);
        } else if code {
            self.note_code_store(address, bytes.len() as u32);
        }
        Ok(())
    }

    /// Notes that the pages from `first` to `last` were mapped.
    fn note_range(&mut self, first: u32, last: u32) {
        // A stack grows downwards.
        if let Some(range) = self.mapped_pages.last_mut()
            && first <= range.1 + 1
            && range.0 <= last + 1
        {
            *range = (range.0.min(first), range.1.max(last));
            return;
        }
        self.mapped_pages.push((first, last));
        if self.mapped_pages.len() > RANGE_CAPACITY {
            let firsts = self.mapped_pages.iter().map(|range| range.0);
            let lasts = self.mapped_pages.iter().map(|range| range.1);
            let whole = (firsts.min().unwrap_or(first), lasts.max().unwrap_or(last));
            self.mapped_pages = vec![whole];
        }
    }

    fn note_code_store(&mut self, address: u32, length: u32) {
        self.code_stored = true;
        if let Some((start, extent)) = self.code_stores.last_mut()
            && *start <= address
            && address - *start <= *extent
        {
            *extent = (*extent).max((address - *start).saturating_add(length));
            return;
        }
        if self.code_stores.len() >= CODE_STORE_CAPACITY {
            let first = self.code_stores.iter().map(|range| range.0).min().unwrap_or(address);
            let end = self
                .code_stores
                .iter()
                .map(|range| range.0.saturating_add(range.1))
                .max();
            self.code_stores.clear();
            self.code_stores.push((first, end.unwrap_or(first) - first));
        }
        self.code_stores.push((address, length));
    }

    #[inline(always)]
    fn frame(&self, address: u32) -> Option<&[u8]> {
        let mut entry = self.pages[(address >> 12) as usize];
        if entry & PRESENT == 0 && self.is_translated() {
            entry = self.entry_behind(address);
        }
        if entry == 0 && self.grows(address) {
            return Some(&NOTHING);
        }
        let start = (entry & !FLAG_BITS) as usize;
        (entry & PRESENT != 0)
            .then(|| self.frames.get(start..start + PAGE as usize))
            .flatten()
    }

    fn frame_mut(&mut self, address: u32) -> Option<&mut [u8]> {
        let entry = self.pages[(address >> 12) as usize];
        let start = (entry & !FLAG_BITS) as usize;
        if entry & PRESENT == 0 {
            return None;
        }
        self.frames.get_mut(start..start + PAGE as usize)
    }
}

#[cfg(test)]
mod tests;
