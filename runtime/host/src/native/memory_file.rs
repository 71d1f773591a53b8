//! Memory files: memory without a name in the file system, which parent and child share.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr;

/// With these seals nobody can change the length of the file or add seals.
pub(super) const FIXED_LENGTH: libc::c_int = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
/// With these seals nobody can change the file at all.
pub(super) const READ_ONLY: libc::c_int = FIXED_LENGTH | libc::F_SEAL_WRITE;

/// Creates an empty memory file that programs started from here do not inherit.
pub(super) fn create(name: &CStr) -> io::Result<File> {
    // SAFETY: the name is terminated by a zero.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new and nothing else owns it.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

pub(super) fn seal(file: &File, seals: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes only numbers.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether `descriptor` is a memory file with exactly these seals.
pub(super) fn is_sealed(descriptor: &impl AsRawFd, seals: libc::c_int) -> bool {
    // SAFETY: the call takes only numbers.
    unsafe { libc::fcntl(descriptor.as_raw_fd(), libc::F_GET_SEALS) == seals }
}

/// A mapping of a whole memory file, unmapped when dropped.
#[derive(Debug)]
pub(super) struct Mapping {
    start: *mut u8,
    length: usize,
}

impl Mapping {
    /// Maps all `length` bytes of `file`: shared, to read and write, if `writable`; otherwise to read.
    pub(super) fn new(file: &File, length: usize, writable: bool) -> io::Result<Mapping> {
        let (protection, flags) = if writable {
            (
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_NORESERVE,
            )
        } else {
            (libc::PROT_READ, libc::MAP_PRIVATE)
        };
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping {
            start: start.cast(),
            length,
        })
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.start
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Keeps the mapping until the process ends and returns its bytes, for a file that nobody can change.
    pub(super) fn leak(self) -> &'static [u8] {
        let (start, length) = (self.start, self.length);
        std::mem::forget(self);
        // SAFETY: mapped, readable and never unmapped; the caller has made sure that the file is sealed.
        unsafe { std::slice::from_raw_parts(start, length) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, and no reference into it outlives `self`.
        unsafe { libc::munmap(self.start.cast(), self.length) };
    }
}
