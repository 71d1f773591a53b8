//! Memory mappings of a Linux program: mapping, unmapping and protection.
//!
//! A file is mapped as a copy of its bytes, which nothing changes. A second copy is kept, page by page, for a program
//! that gives up what it has written there. Not modelled: SIGBUS after its end, where an access is a page fault like
//! any other, and `mremap` to more pages than were mapped, which is refused.

use super::Process;
use super::descriptors::Target;
use super::devices::Device;
use super::errors::{EACCES, EBADF, EEXIST, EFAULT, EINVAL, ENOMEM, EPERM};
use crate::exec::State;
use crate::memory::{MapError, Protection};
use p5_words::isa::PAGE;

/// The range of the mappings whose address the system chooses. It ends below the lowest address of a stack.
pub(super) const MAPPINGS: u32 = 0x4000_0000;
const MAPPINGS_END: u32 = TASK_END - MOST_STACK;
/// The first address above those that a program may map.
const TASK_END: u32 = 0xC000_0000;
/// The lowest address that a program may map.
const TASK_BEGIN: u32 = 0x1_0000;
/// The most bytes by which a stack may grow.
pub(super) const MOST_STACK: u32 = 128 << 20;

/// The negated error number for what cannot be mapped.
const ENODEV: u32 = -19i32 as u32;

/// The bits of a mapping's kind.
const SHARED_OR_PRIVATE: u32 = 3;
const SHARED: u32 = 1;
const FIXED: u32 = 0x10;
const ANONYMOUS: u32 = 0x20;
const FIXED_WHERE_FREE: u32 = 0x10_0000;

/// The bits of a protection: those with an effect here, and others that are allowed.
const READ: u32 = 1;
const WRITE: u32 = 2;
const EXECUTE: u32 = 4;
const SEMAPHORES: u32 = 8;

/// The arguments of `mmap`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub(super) address: u32,
    pub(super) length: u32,
    pub(super) protection: u32,
    pub(super) flags: u32,
    /// The descriptor of a file, unless the memory belongs to none.
    pub(super) descriptor: u32,
    /// The place in the file with which it begins.
    pub(super) place: u64,
}

/// A page of a file that is mapped.
#[derive(Debug)]
pub(super) struct FilePage {
    /// The bytes of the file that it was mapped with; none after the end of the file.
    bytes: Box<[u8]>,
    /// Whether stores to it would change the file, which nothing may.
    shared: bool,
}

/// The protection that these bits give on a processor that executes all readable memory, and reads all writable
/// memory.
fn protection(bits: u32) -> Protection {
    if bits & WRITE != 0 {
        Protection::Write
    } else if bits & (READ | EXECUTE) != 0 {
        Protection::Read
    } else {
        Protection::None
    }
}

/// The end of the pages of `length` bytes from `address` on, if a program may map them.
fn end_of(address: u32, length: u32) -> Option<u32> {
    let length = length.checked_next_multiple_of(PAGE)?;
    address.checked_add(length).filter(|&end| end <= TASK_END)
}

/// Maps new pages with these rights.
fn add(state: &mut State, [first, length]: [u32; 2], rights: Option<Protection>) -> Result<(), MapError> {
    state.memory.map(first, length, true)?;
    state.memory.protect(first, length, rights.unwrap_or(Protection::Write))
}

impl Process {
    /// Serves `mmap`. Returns an address, or an error number.
    pub(super) fn map(&mut self, state: &mut State, wanted: Wanted) -> u32 {
        let is_of_file = wanted.flags & ANONYMOUS == 0;
        let what = self.descriptors.what(wanted.descriptor);
        if is_of_file && what.is_none() {
            return EBADF;
        }
        if wanted.length == 0 || wanted.flags & SHARED_OR_PRIVATE == 0 {
            return EINVAL;
        }
        match what.filter(|_| is_of_file) {
            None | Some(Target::Device(Device::Zero)) => self.map_memory(state, wanted),
            Some(Target::File { .. }) if !wanted.place.is_multiple_of(u64::from(PAGE)) => EINVAL,
            // It was opened to be read only.
            Some(Target::File { .. }) if wanted.flags & SHARED != 0 && wanted.protection & WRITE != 0 => EACCES,
            Some(Target::File { bytes, .. }) => {
                let begin = usize::try_from(wanted.place).map_or(bytes.len(), |place| place.min(bytes.len()));
                let rest = &bytes[begin..];
                // The last page is mapped whole.
                let most = (wanted.length as usize).next_multiple_of(PAGE as usize);
                let part = rest[..rest.len().min(most)].to_vec();
                self.map_bytes(state, wanted, &part)
            }
            Some(_) => ENODEV,
        }
    }

    /// Maps a copy of these bytes, followed by zeros to the end of the page. What lies after that page cannot be
    /// accessed.
    fn map_bytes(&mut self, state: &mut State, wanted: Wanted, bytes: &[u8]) -> u32 {
        let whole = |length: usize| (length as u32).next_multiple_of(PAGE);
        let writable = Wanted {
            protection: WRITE,
            ..wanted
        };
        let place = self.map_memory(state, writable);
        if !place.is_multiple_of(PAGE) {
            return place;
        }
        let (all, there) = (whole(wanted.length as usize), whole(bytes.len()));
        let memory = &mut state.memory;
        let done = memory.load(place, bytes).is_ok()
            && memory.protect(place, there, protection(wanted.protection)).is_ok()
            && memory.protect(place + there, all - there, Protection::None).is_ok();
        if !done {
            return ENOMEM;
        }
        let mut parts = bytes.chunks(PAGE as usize);
        for page in (place..place + all).step_by(PAGE as usize) {
            let bytes = parts.next().unwrap_or_default().into();
            let shared = wanted.flags & SHARED != 0;
            self.of_files.insert(page, FilePage { bytes, shared });
        }
        place
    }

    /// Maps memory that belongs to no file.
    fn map_memory(&mut self, state: &mut State, wanted: Wanted) -> u32 {
        let Wanted {
            address, length, flags, ..
        } = wanted;
        let place = if flags & (FIXED | FIXED_WHERE_FREE) != 0 {
            if end_of(address, length).is_none() {
                return ENOMEM;
            }
            if !address.is_multiple_of(PAGE) {
                return EINVAL;
            }
            if address < TASK_BEGIN {
                return EPERM;
            }
            if flags & FIXED_WHERE_FREE != 0 && state.memory.is_used(address, length) {
                return EEXIST;
            }
            Some(address)
        } else {
            self.free_place(state, address, length)
        };
        let Some(place) = place else { return ENOMEM };
        let Some(end) = end_of(place, length) else {
            return ENOMEM;
        };
        let length = end - place;
        // What is refused leaves what is there.
        if !state.memory.has_room_at(place, length) {
            return ENOMEM;
        }
        self.remapped = true;
        self.forget_files(place, end);
        let mapped = state.memory.unmap(place, length).is_ok()
            && state.memory.map(place, length, true).is_ok()
            && state
                .memory
                .protect(place, length, protection(wanted.protection))
                .is_ok();
        if mapped { place } else { ENOMEM }
    }

    /// An address with room for `length` bytes: `hint` if possible, or else the first one.
    fn free_place(&self, state: &State, hint: u32, length: u32) -> Option<u32> {
        let length = length.checked_next_multiple_of(PAGE)?;
        let hint = Some(hint / PAGE * PAGE).filter(|&hint| hint >= TASK_BEGIN);
        let fits = |&hint: &u32| {
            let end = hint.checked_add(length);
            end.is_some_and(|end| end <= MAPPINGS_END) && !state.memory.is_used(hint, length)
        };
        if let Some(hint) = hint.filter(fits) {
            return Some(hint);
        }
        let mut address = MAPPINGS;
        loop {
            address.checked_add(length).filter(|&end| end <= MAPPINGS_END)?;
            match state.memory.first_mapped(address, length) {
                Some(mapped) => address = mapped + PAGE,
                None => return Some(address),
            }
        }
    }

    pub(super) fn unmap(&mut self, state: &mut State, address: u32, length: u32) -> u32 {
        let end = end_of(address, length).filter(|_| address.is_multiple_of(PAGE) && length != 0);
        let Some(end) = end else { return EINVAL };
        self.unmap_pages(state, address, end - address).map_or(EINVAL, |()| 0)
    }

    fn unmap_pages(&mut self, state: &mut State, address: u32, length: u32) -> Result<(), MapError> {
        self.remapped = true;
        self.forget_files(address, address + length);
        state.memory.unmap(address, length)
    }

    /// The pages from `first` to `end` are no longer those of a file. Returns what they were.
    fn forget_files(&mut self, first: u32, end: u32) -> Vec<(u32, FilePage)> {
        let pages: Vec<u32> = self.of_files.range(first..end).map(|(&page, _)| page).collect();
        let forgotten = pages.into_iter();
        forgotten
            .filter_map(|page| Some((page, self.of_files.remove(&page)?)))
            .collect()
    }

    pub(super) fn protect(&mut self, state: &mut State, address: u32, length: u32, bits: u32) -> u32 {
        // The kernel looks at the length before it looks at the protection.
        if !address.is_multiple_of(PAGE) {
            return EINVAL;
        }
        if length == 0 {
            return 0;
        }
        let whole = length
            .checked_next_multiple_of(PAGE)
            .and_then(|length| address.checked_add(length));
        if whole.is_none() {
            return ENOMEM;
        }
        if bits & !(READ | WRITE | EXECUTE | SEMAPHORES) != 0 {
            return EINVAL;
        }
        let Some(end) = end_of(address, length) else {
            return ENOMEM;
        };
        if bits & WRITE != 0 && self.of_files.range(address..end).any(|(_, page)| page.shared) {
            return EACCES;
        }
        self.remapped = true;
        if state.memory.protect(address, end - address, protection(bits)).is_err() {
            return ENOMEM;
        }
        // Whatever its rights are, a page after the end of a file cannot be accessed.
        let behind = self
            .of_files
            .range(address..end)
            .filter(|(_, page)| page.bytes.is_empty());
        for (&page, _) in behind {
            if state.memory.protect(page, PAGE, Protection::None).is_err() {
                return ENOMEM;
            }
        }
        0
    }

    /// Serves `mremap`: the pages keep their bytes, at the same address if there is room, or else at another one, which
    /// the program may name.
    pub(super) fn remap(&mut self, state: &mut State, [address, old, new, flags, wanted]: [u32; 5]) -> u32 {
        const MAY_MOVE: u32 = 1;
        const TO_ADDRESS: u32 = 2;
        const KEEPS_OLD: u32 = 4;
        let whole = |length: u32| length.checked_next_multiple_of(PAGE);
        let (Some(old), Some(new)) = (whole(old), whole(new)) else {
            return EINVAL;
        };
        let moves = flags & (TO_ADDRESS | KEEPS_OLD);
        let wrong = flags & !(MAY_MOVE | TO_ADDRESS | KEEPS_OLD) != 0
            || moves != 0 && flags & MAY_MOVE == 0
            || flags & KEEPS_OLD != 0 && old != new;
        // A second place of shared pages, which an old length of 0 asks for, is not offered.
        if wrong || !address.is_multiple_of(PAGE) || old == 0 || new == 0 {
            return EINVAL;
        }
        let Some(end) = end_of(address, old) else {
            return EFAULT;
        };
        if flags & TO_ADDRESS != 0 {
            let overlaps = wanted < end && address < wanted.saturating_add(new);
            if !wanted.is_multiple_of(PAGE) || end_of(wanted, new).is_none() || overlaps {
                return EINVAL;
            }
            if wanted < TASK_BEGIN {
                return EPERM;
            }
        }
        if !self.is_all_used(state, address, end) {
            return EFAULT;
        }
        if new > old && self.of_files.range(address..end).next().is_some() {
            return ENOMEM;
        }
        self.remapped = true;
        if moves != 0 {
            let place = match flags & TO_ADDRESS {
                0 => self.free_place(state, wanted, new),
                _ => self.unmap_pages(state, wanted, new).is_ok().then_some(wanted),
            };
            let Some(place) = place else { return ENOMEM };
            return self.relocate(state, [address, old, place, new], flags & KEEPS_OLD != 0);
        }
        if new <= old {
            let cut = self.unmap_pages(state, address + new, old - new);
            return cut.map_or(EINVAL, |()| address);
        }
        let more = new - old;
        let fits = end.checked_add(more).is_some_and(|last| last <= MAPPINGS_END);
        if fits && !state.memory.is_used(end, more) {
            let rights = state.memory.protection(end - PAGE);
            return add(state, [end, more], rights).map_or(ENOMEM, |()| address);
        }
        match flags & MAY_MOVE {
            0 => ENOMEM,
            _ => match self.free_place(state, 0, new) {
                Some(place) => self.relocate(state, [address, old, place, new], false),
                None => ENOMEM,
            },
        }
    }

    /// Moves pages to a place where nothing is mapped. If the old ones are kept, they hold zeros.
    fn relocate(&mut self, state: &mut State, [address, old, place, new]: [u32; 4], keeps: bool) -> u32 {
        let moved = old.min(new);
        // New pages have the rights of the last old one.
        let rights = state.memory.protection(address + old - PAGE);
        if new > old && add(state, [place + old, new - old], rights).is_err() {
            return ENOMEM;
        }
        let old_rights: Vec<_> = (address..address + old)
            .step_by(PAGE as usize)
            .map(|page| state.memory.protection(page))
            .collect();
        if state.memory.relocate(address, moved, place).is_err() {
            return ENOMEM;
        }
        let files = self.forget_files(address, address + old).into_iter();
        let files = files.filter(|(page, _)| page - address < moved);
        self.of_files
            .extend(files.map(|(page, of_file)| (page - address + place, of_file)));
        if keeps {
            for (page, rights) in (address..).step_by(PAGE as usize).zip(old_rights) {
                if add(state, [page, PAGE], rights).is_err() {
                    return ENOMEM;
                }
            }
        } else if old > moved && state.memory.unmap(address + moved, old - moved).is_err() {
            return EINVAL;
        }
        place
    }

    /// Serves `madvise`: pages that are not needed hold zeros again, or the bytes of their file; all other advice is
    /// ignored.
    pub(super) fn advise(&mut self, state: &mut State, address: u32, length: u32, advice: u32) -> u32 {
        const NOT_NEEDED: u32 = 4;
        const KNOWN: u32 = 25;
        if !address.is_multiple_of(PAGE) || advice > KNOWN {
            return EINVAL;
        }
        let Some(end) = end_of(address, length) else {
            return EINVAL;
        };
        if !self.is_all_used(state, address, end) {
            return ENOMEM;
        }
        if advice == NOT_NEEDED {
            for page in (address..end).step_by(PAGE as usize) {
                let bytes = self.of_files.get(&page).map_or(&[][..], |of_file| &of_file.bytes);
                if state.memory.refill(page, bytes).is_err() {
                    return ENOMEM;
                }
            }
        }
        0
    }

    /// Serves `msync`: nothing that is mapped is written to a file.
    pub(super) fn write_back(&mut self, state: &mut State, address: u32, length: u32, how: u32) -> u32 {
        const LATER: u32 = 1;
        const INVALIDATES: u32 = 2;
        const NOW: u32 = 4;
        let both = how & (LATER | NOW) == LATER | NOW;
        if how & !(LATER | INVALIDATES | NOW) != 0 || both || !address.is_multiple_of(PAGE) {
            return EINVAL;
        }
        self.keep(state, address, length)
    }

    /// Serves calls about pages that are always in memory.
    pub(super) fn keep(&mut self, state: &mut State, address: u32, length: u32) -> u32 {
        let first = address / PAGE * PAGE;
        match end_of(first, length.saturating_add(address - first)) {
            Some(end) if self.is_all_used(state, first, end) => 0,
            _ => ENOMEM,
        }
    }

    fn is_all_used(&self, state: &State, first: u32, end: u32) -> bool {
        let mut pages = (first..end).step_by(PAGE as usize);
        pages.all(|page| state.memory.is_used(page, PAGE))
    }
}
