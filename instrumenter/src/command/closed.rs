//! Whether standard output was closed when the process began.
//!
//! Before `main`, the standard library opens the null device in place of a closed standard output, so that a report
//! would get lost without an error. What runs before that sees the truth. Not known on systems other than Linux.

use std::io::{Error, Result};
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
extern "C" fn look() {
    if rustix::io::fcntl_getfd(rustix::stdio::stdout()) == Err(rustix::io::Errno::BADF) {
        CLOSED.store(true, Ordering::Relaxed);
    }
}

// SAFETY: the section holds functions of this type. This one reads no state that is initialized later.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// An error if there is no standard output.
pub(super) fn standard_output() -> Result<()> {
    match CLOSED.load(Ordering::Relaxed) {
        true => Err(Error::other("standard output is closed")),
        false => Ok(()),
    }
}
