//! Plain lines: those of the data cache of which an access neither waits nor changes the state of a unit, for code that
//! looks them up by itself.
//!
//! Modelled: nothing. A line is plain for reads while it is the most recent one of its set and its page the last one
//! that was looked up in the set of the TLB; for writes, it is also modified. Whether the line is still being filled,
//! or writes are waiting, depends on the clock and is asked elsewhere. What changes one of these facts forgets the
//! line, or all lines. Not modelled: lines of other sizes than [`LINE`], which are never plain.

use std::mem::offset_of;

/// The size of a line in bytes.
const LINE: u32 = 32;
/// The most sets of a cache.
const SETS: usize = 128;
/// The most sets of a TLB.
const PAGE_SETS: usize = 64;
/// Marks a place without a line; no line begins at this address.
const NONE: u32 = u32::MAX;
/// The number of lines of a set of the TLB that are not kept after a change of its page: a set whose pages take turns
/// would forget all lines each time.
const RESTRAINT: u8 = 250;

#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct PlainLines {
    lines: [Plain; SETS],
    // The bits of an address that select its set; none if no line can be plain.
    selection: u32,
    // The sets of the TLB with pages of plain lines.
    page_sets: u64,
    pages: [Page; PAGE_SETS],
    // For each of these sets, the number of lines that are not kept.
    restraint: [u8; PAGE_SETS],
}

/// What is known of the most recent line of a set. Its size is that of a line, so that the bits of an address that
/// select the set are its distance from the first one.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug)]
struct Plain {
    /// The line, if it is plain for reads.
    read: u32,
    /// The line, if it is plain for writes.
    written: u32,
    /// What is added to an address of the line for the address of its bytes in this process.
    base: u64,
}

const _: () = assert!(size_of::<Plain>() == LINE as usize && size_of::<Page>() == 16);

/// The page of plain lines.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    // Code reads it at the beginning.
    number: u32,
    // How the page was mapped.
    mapped: u64,
}

/// What code that looks up plain lines needs to know: offsets, and the bits of an address that select its place.
pub(crate) struct PlainPlaces {
    pub(crate) read: usize,
    pub(crate) written: usize,
    pub(crate) base: usize,
    pub(crate) page_sets: usize,
    pub(crate) pages: usize,
    pub(crate) restraint: usize,
    pub(crate) selection: u32,
}

impl PlainLines {
    /// Creates the table for a cache of `sets` sets with lines of `line` bytes, without lines.
    pub(super) fn new(line: u32, sets: u32) -> PlainLines {
        let suited = line == LINE && sets <= SETS as u32;
        PlainLines {
            lines: [Plain::NONE; SETS],
            selection: if suited { (sets - 1) * LINE } else { 0 },
            page_sets: 0,
            pages: [Page::default(); PAGE_SETS],
            restraint: [0; PAGE_SETS],
        }
    }

    pub(super) fn places(&self) -> PlainPlaces {
        let in_line = offset_of!(PlainLines, lines);
        PlainPlaces {
            read: in_line + offset_of!(Plain, read),
            written: in_line + offset_of!(Plain, written),
            base: in_line + offset_of!(Plain, base),
            page_sets: offset_of!(PlainLines, page_sets),
            pages: offset_of!(PlainLines, pages),
            restraint: offset_of!(PlainLines, restraint),
            selection: self.selection,
        }
    }

    /// Forgets the line in the set of `address`.
    #[inline(always)]
    pub(super) fn forget(&mut self, address: u32) {
        self.lines[(address & self.selection) as usize / LINE as usize % SETS] = Plain::NONE;
    }

    /// Forgets all lines.
    pub(super) fn clear(&mut self) {
        if self.page_sets != 0 {
            self.page_sets = 0;
            self.lines.fill(Plain::NONE);
        }
    }

    /// Forgets all lines, because the last page of set `page_set` of the TLB has become another one.
    #[cold]
    fn displace(&mut self, page_set: usize) {
        self.clear();
        self.restraint[page_set] = RESTRAINT;
    }

    /// Forgets all lines if one of them may be in set `page_set` of the TLB, whose last page becomes another one.
    #[inline(always)]
    pub(super) fn displaces(&mut self, page_set: usize) {
        if self.page_sets >> (page_set % PAGE_SETS) & 1 != 0 {
            self.displace(page_set % PAGE_SETS);
        }
    }

    /// Keeps `line`, which is in page `number` of set `page_set`, unless pages of that set have just taken turns.
    /// `mapped` says how the page is mapped.
    pub(super) fn keep(&mut self, line: u32, page_set: usize, number: u32, mapped: u64, base: u64, written: bool) {
        if self.selection == 0 {
            return;
        }
        let page_set = page_set % PAGE_SETS;
        if let Some(left) = self.restraint[page_set].checked_sub(1) {
            self.restraint[page_set] = left;
            return;
        }
        let page = Page { number, mapped };
        if self.page_sets >> page_set & 1 == 0 {
            self.page_sets |= 1 << page_set;
            self.pages[page_set] = page;
        } else if self.pages[page_set].number != number || self.pages[page_set].mapped != mapped {
            return self.clear();
        }
        let place = &mut self.lines[(line & self.selection) as usize / LINE as usize % SETS];
        let known = if place.read == line { place.written } else { NONE };
        *place = Plain {
            read: line,
            written: if written { line } else { known },
            base,
        };
    }

    /// Forgets all lines unless `is_mapped` still holds for the pages of all of them, and how these were mapped.
    pub(super) fn retain(&mut self, mut is_mapped: impl FnMut(u32, u64) -> bool) {
        let mut sets = self.page_sets;
        while sets != 0 {
            let page = self.pages[sets.trailing_zeros() as usize];
            if !is_mapped(page.number, page.mapped) {
                return self.clear();
            }
            sets &= sets - 1;
        }
    }
}

impl Plain {
    const NONE: Plain = Plain {
        read: NONE,
        written: NONE,
        base: 0,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(lines: &PlainLines, address: u32) -> (bool, bool) {
        let plain = lines.lines[(address & lines.selection) as usize / LINE as usize];
        let line = address & !(LINE - 1);
        (plain.read == line, plain.written == line)
    }

    #[test]
    fn a_line_is_plain_until_something_changes() {
        let mut lines = PlainLines::new(LINE, 128);
        lines.keep(0x5020, 5, 5, 1, 0, false);
        lines.keep(0x5040, 5, 5, 1, 0, true);
        assert_eq!(known(&lines, 0x5024), (true, false));
        assert_eq!(known(&lines, 0x5044), (true, true));
        lines.keep(0x5040, 5, 5, 1, 0, false);
        assert_eq!(known(&lines, 0x5044), (true, true), "a read of it changes nothing");
        lines.forget(0x9024);
        assert_eq!(known(&lines, 0x5024), (false, false), "another line of the set");
        lines.displaces(6);
        assert_eq!(known(&lines, 0x5040), (true, true), "no line is in that set");
        lines.displaces(5);
        assert_eq!(known(&lines, 0x5040), (false, false));
        for _ in 0..RESTRAINT {
            lines.keep(0x5040, 5, 5, 1, 0, true);
            assert_eq!(known(&lines, 0x5040), (false, false), "pages of the set take turns");
        }
        lines.keep(0x5040, 5, 5, 1, 0, true);
        assert_eq!(known(&lines, 0x5040), (true, true));
        lines.retain(|page, mapped| page == 5 && mapped == 1);
        assert_eq!(known(&lines, 0x5040), (true, true));
        lines.retain(|_, mapped| mapped == 2);
        assert_eq!(known(&lines, 0x5040), (false, false), "mapped otherwise");
    }

    #[test]
    fn lines_of_another_size_are_never_plain() {
        let mut lines = PlainLines::new(16, 128);
        lines.keep(0x5010, 5, 5, 1, 0, true);
        assert!(lines.lines.iter().all(|line| line.read == NONE));
    }
}
