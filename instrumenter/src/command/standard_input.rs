//! Standard input as the system gives it.

use std::fs::File;
use std::io::{self, Read};
use std::sync::OnceLock;

/// Standard input as a file. Unlike [`io::stdin`], which reads nothing from what is not open for reading, it has the
/// error of the system.
pub(super) fn as_file() -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
    }
    #[cfg(windows)]
    {
        use std::os::windows::io::AsHandle;
        Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
    }
}

/// Whether standard input can be read: a read of no bytes fails if it is open for writing only. One that is closed is
/// open for the command, whose runtime puts `/dev/null` in its place.
pub(crate) fn is_open() -> bool {
    static OPEN: OnceLock<bool> = OnceLock::new();
    // EBADF of Unix; other systems have no such error.
    const NOT_FOR_READING: i32 = 9;
    *OPEN.get_or_init(|| match as_file().and_then(|mut file| file.read(&mut [])) {
        Err(error) => error.raw_os_error() != Some(NOT_FOR_READING),
        Ok(_) => true,
    })
}
