//! Memory mappings of a Linux program: mapping, unmapping and protection.

use super::Process;
use super::linux::{EBADF, EFAULT, EINVAL, ENOMEM, EPERM};
use crate::exec::State;
use crate::memory::Protection;
use p5_words::isa::PAGE;

/// The range of the mappings whose address the system chooses. It ends below the lowest address of a stack.
pub(super) const MAPPINGS: u32 = 0x4000_0000;
const MAPPINGS_END: u32 = TASK_END - MOST_STACK;
/// The end of the addresses that a program may map, and the first of them.
const TASK_END: u32 = 0xC000_0000;
const TASK_BEGIN: u32 = 0x1_0000;
/// The most bytes by which a stack may grow.
pub(super) const MOST_STACK: u32 = 128 << 20;

/// The negated error number for an address that is already mapped.
const EEXIST: u32 = -17i32 as u32;

/// The bits of a mapping's kind.
const SHARED_OR_PRIVATE: u32 = 3;
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

impl Process {
    /// Serves `mmap` of memory that belongs to no file. Returns its address, or an error number.
    pub(super) fn map(&mut self, state: &mut State, wanted: Wanted) -> u32 {
        let Wanted {
            address, length, flags, ..
        } = wanted;
        if flags & ANONYMOUS == 0 {
            return EBADF;
        }
        if length == 0 || flags & SHARED_OR_PRIVATE == 0 {
            return EINVAL;
        }
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
        self.remapped = true;
        let length = end - place;
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
        self.remapped = true;
        match state.memory.unmap(address, end - address) {
            Ok(()) => 0,
            Err(_) => EINVAL,
        }
    }

    pub(super) fn protect(&mut self, state: &mut State, address: u32, length: u32, bits: u32) -> u32 {
        if !address.is_multiple_of(PAGE) || bits & !(READ | WRITE | EXECUTE | SEMAPHORES) != 0 {
            return EINVAL;
        }
        if length == 0 {
            return 0;
        }
        let Some(end) = end_of(address, length) else {
            return ENOMEM;
        };
        self.remapped = true;
        match state.memory.protect(address, end - address, protection(bits)) {
            Ok(()) => 0,
            Err(_) => ENOMEM,
        }
    }

    /// Serves `mremap`: the pages keep their bytes, at the same address if there is room, or else at another one.
    pub(super) fn remap(&mut self, state: &mut State, [address, old, new, flags]: [u32; 4]) -> u32 {
        const MAY_MOVE: u32 = 1;
        let whole = |length: u32| length.checked_next_multiple_of(PAGE);
        let (Some(old), Some(new)) = (whole(old), whole(new)) else {
            return EINVAL;
        };
        // Copies of shared pages, and fixed addresses, are not offered.
        let wrong = !address.is_multiple_of(PAGE) || old == 0 || new == 0 || end_of(address, old).is_none();
        if wrong || flags & !MAY_MOVE != 0 {
            return EINVAL;
        }
        let end = address + old;
        if !self.is_all_used(state, address, end) {
            return EFAULT;
        }
        self.remapped = true;
        if new <= old {
            let cut = state.memory.unmap(address + new, old - new);
            return cut.map_or(EINVAL, |()| address);
        }
        // New pages have the rights of the last old one.
        let rights = state.memory.protection(end - PAGE).unwrap_or(Protection::Write);
        let more = new - old;
        let add = |state: &mut State, first: u32| {
            let memory = &mut state.memory;
            memory
                .map(first, more, true)
                .and_then(|()| memory.protect(first, more, rights))
        };
        let fits = end.checked_add(more).is_some_and(|last| last <= MAPPINGS_END);
        if fits && !state.memory.is_used(end, more) {
            return add(state, end).map_or(ENOMEM, |()| address);
        }
        let place = match flags & MAY_MOVE {
            0 => None,
            _ => self.free_place(state, 0, new),
        };
        let Some(place) = place.filter(|&place| add(state, place + old).is_ok()) else {
            return ENOMEM;
        };
        let moved = state.memory.relocate(address, old, place);
        moved.map_or(ENOMEM, |()| place)
    }

    /// Serves `madvise`: pages that are not needed are filled with zeros; all other advice is ignored.
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
                if state.memory.discard(page).is_err() {
                    return ENOMEM;
                }
            }
        }
        0
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
