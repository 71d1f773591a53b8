//! The error numbers in answers of Linux, negated as in the kernel.

use super::Written;

/// The answer EPERM: not permitted, negated as in the kernel.
pub(super) const EPERM: u32 = -1i32 as u32;
/// The answer ENOENT: no such file or directory, negated as in the kernel.
pub const ENOENT: u32 = -2i32 as u32;
/// The answer ESRCH: no such process, negated as in the kernel.
pub const ESRCH: u32 = -3i32 as u32;
/// The answer EBADF: no open file with this descriptor, negated as in the kernel.
pub const EBADF: u32 = -9i32 as u32;
/// No room in a queue.
pub(super) const EAGAIN: u32 = -11i32 as u32;
/// No memory.
pub(super) const ENOMEM: u32 = -12i32 as u32;
/// A file that the process may not use.
pub(super) const EACCES: u32 = -13i32 as u32;
/// An address that cannot be accessed.
pub(super) const EFAULT: u32 = -14i32 as u32;
/// Something is already there.
pub(super) const EEXIST: u32 = -17i32 as u32;
/// No folder.
pub(super) const ENOTDIR: u32 = -20i32 as u32;
/// The answer EINVAL: an invalid argument, negated as in the kernel.
pub const EINVAL: u32 = -22i32 as u32;
/// Too many files for the system.
pub(super) const ENFILE: u32 = -23i32 as u32;
/// Too many files for the process.
pub(super) const EMFILE: u32 = -24i32 as u32;
/// A descriptor that is no terminal.
pub(super) const ENOTTY: u32 = -25i32 as u32;
/// No space for more output.
const ENOSPC: u32 = -28i32 as u32;
/// The answer ENOSYS: no such call, negated as in the kernel.
pub const ENOSYS: u32 = -38i32 as u32;

/// EAX after a write of `length` bytes.
pub fn written(written: Written, length: u32) -> u32 {
    match written {
        Written::All => length,
        Written::Unreadable => EFAULT,
        Written::Full => ENOSPC,
    }
}
