//! Places: where memory lies, for an engine whose code makes accesses by itself.

use super::{FLAG_BITS, FORBIDDEN, HAS_CODE, Memory, PRESENT, WRITABLE};

/// The addresses of memory, and how a page's entry is read.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The address of the table of pages: an entry of four bytes for each page.
    pub pages: usize,
    /// The address of the frames. It changes when memory grows.
    pub frames: usize,
}

impl Places {
    /// The bits of an entry that a page needs which can be read.
    pub const READABLE: u32 = PRESENT;
    /// The bits of an entry that say whether a page can simply be written.
    pub const WRITING: u32 = PRESENT | WRITABLE | HAS_CODE | FORBIDDEN;
    /// The values of these bits for a page that can simply be written.
    pub const PLAINLY_WRITABLE: u32 = PRESENT | WRITABLE;
    /// The bits of an entry that are no part of the offset of the page's frame.
    pub const FLAGS: u32 = FLAG_BITS;
}

impl Memory {
    /// The places of memory until it next grows.
    pub fn places(&mut self) -> Places {
        Places {
            pages: self.pages.as_mut_ptr().expose_provenance(),
            frames: self.frames.as_mut_ptr().expose_provenance(),
        }
    }

    /// How page number `page` is mapped, as one number: the address of its bytes in this process, and in the low bits
    /// what may be done with it.
    pub fn mapping(&self, page: u32) -> u64 {
        let entry = self.pages[page as usize];
        let frame = self.frames.as_ptr().addr() + (entry & !FLAG_BITS) as usize;
        (frame as u64) << Places::FLAGS.trailing_ones() | u64::from(entry & Places::FLAGS)
    }
}
