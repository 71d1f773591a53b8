//! Files whose contents the system generates when they are read.

use std::fs::File;
use std::io;

/// Whether a file is in a file system without storage, such as `/proc`.
#[cfg(unix)]
pub(super) fn is_generated(file: &File) -> io::Result<bool> {
    Ok(rustix::fs::fstatfs(file)?.f_blocks == 0)
}

#[cfg(not(unix))]
pub(super) fn is_generated(_: &File) -> io::Result<bool> {
    Ok(false)
}
