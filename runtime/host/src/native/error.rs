//! Why a host cannot run an image natively.

use p5_words::fault::Lost;
use std::{fmt, io};

/// A part of the address space that a native run needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Area {
    /// The stack of the program.
    Stack,
    /// The pages by which execution leaves the program.
    Gate,
    /// A segment of the image, by name.
    Segment(String),
}

/// Why a host cannot run an image natively. Error numbers are the host's `errno`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// p5inst was built for a host other than x86-64 Linux.
    OtherHost,
    /// The program starts in real mode.
    RealMode,
    /// A segment lies at address 0.
    AtZero {
        /// The segment at fault.
        area: Area,
    },
    /// Two areas share a page.
    SharedPage {
        /// The area at lower addresses.
        first: Area,
        /// The area at higher addresses.
        second: Area,
        /// The linear address of the page.
        address: u32,
    },
    /// An area extends past the address space.
    PastAddressSpace {
        /// The area at fault.
        area: Area,
    },
    /// The program needs too much memory.
    TooLarge {
        /// The memory that it needs, in MiB.
        needed: u64,
        /// The limit, in MiB.
        most: u64,
    },
    /// The program does not begin with [`child_entry`](super::child_entry), so it cannot start a child.
    NoChildEntry,
    /// The host provides no memory file for the task of the child.
    NoTask {
        /// The error number of `memfd_create`.
        errno: i32,
    },
    /// The child did not accept its task.
    TaskRefused,
    /// The child ended before it reached [`child_entry`](super::child_entry).
    NotStarted(Lost),
    /// The host has no memory for the results of the runs.
    NoResultMemory {
        /// The size that was requested, in MiB.
        size: usize,
    },
    /// The host provides no executable memory for the 64-bit code that enters and leaves the program.
    NoExecutableMemory,
    /// The host cannot create a child process.
    NoChild {
        /// The error number of the start.
        errno: i32,
    },
    /// The child's own code or data lies at an area's address.
    Taken {
        /// The area at fault.
        area: Area,
        /// Its linear address.
        address: u32,
    },
    /// An area lies below the addresses that a process can use.
    BelowMinimum {
        /// The area at fault.
        area: Area,
        /// Its linear address.
        address: u32,
    },
    /// An area cannot be mapped.
    NotMapped {
        /// The area at fault.
        area: Area,
        /// Its linear address.
        address: u32,
        /// The error number of `mmap`.
        errno: i32,
    },
    /// The reasons why a host cannot run an image natively. Every `errno` is the host's error number.
    NotExecutable {
        /// The area at fault.
        area: Area,
        /// Its linear address.
        address: u32,
        /// The error number of `mprotect`.
        errno: i32,
    },
    /// No signal handler can be installed, or there is no memory for its stack.
    NoSignalHandler {
        /// The error number of the call that failed.
        errno: i32,
    },
    /// Time and memory of the child cannot be limited.
    NoLimits {
        /// The error number of the call that failed.
        errno: i32,
    },
    /// The child's inherited descriptors cannot be closed.
    DescriptorsStayOpen {
        /// The error number of `close_range`.
        errno: i32,
    },
    /// System calls cannot be filtered.
    NoFilter {
        /// The error number of the call that failed.
        errno: i32,
    },
    /// There is no 32-bit compatibility segment.
    NoCompatibilitySegment,
}

impl fmt::Display for Area {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Area::Stack => out.write_str("the stack"),
            Area::Gate => out.write_str("the exit code"),
            Area::Segment(name) => write!(out, "segment {name}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = |errno: &i32| io::Error::from_raw_os_error(*errno);
        match self {
            Error::OtherHost => {
                out.write_str("native runs need an x86-64 Linux host, but p5inst was built for another one")
            }
            Error::RealMode => {
                out.write_str("the program starts in real mode, which a process of the host cannot enter")
            }
            Error::AtZero { area } => write!(
                out,
                "{area} is at address 0, which the host reserves in every process (vm.mmap_min_addr)"
            ),
            Error::SharedPage { first, second, address } => {
                write!(out, "{first} and {second} share the page at {address:08X}h")
            }
            Error::PastAddressSpace { area } => {
                write!(out, "{area} extends past the end of the 4 GiB address space")
            }
            Error::TooLarge { needed, most } => {
                write!(out, "the program needs {needed} MiB of memory, more than {most} MiB")
            }
            Error::NoChildEntry => out.write_str(
                "this program runs nothing natively: its main function does not begin with \
                 runtime::native::child_entry(), through which the process that runs the image is started",
            ),
            Error::NoTask { errno } => {
                write!(
                    out,
                    "the host provides no memory file for the program (memfd_create): {}",
                    why(errno)
                )
            }
            Error::TaskRefused => out.write_str("the process that was to run the program did not accept it"),
            Error::NotStarted(how) => {
                write!(out, "the process that was to run the program {} before it could", how)
            }
            Error::NoResultMemory { size } => {
                write!(out, "the host has no {size} MiB of memory for the results")
            }
            Error::NoExecutableMemory => {
                out.write_str("the host provides no executable memory for the switch to 32-bit code")
            }
            Error::NoChild { errno } => write!(out, "the host cannot create a child process: {}", why(errno)),
            Error::Taken { area, address } => write!(
                out,
                "{area} belongs at {address:08X}h, which this process already uses; build the host program as a \
                 position-independent executable (PIE)"
            ),
            Error::BelowMinimum { area, address } => write!(
                out,
                "{area} belongs at {address:08X}h, below the addresses that the host lets a process use (vm.mmap_min_addr)"
            ),
            Error::NotMapped { area, address, errno } => {
                write!(out, "the host cannot map {area} at {address:08X}h: {}", why(errno))
            }
            Error::NotExecutable { area, address, errno } => {
                write!(
                    out,
                    "the host cannot make {area} at {address:08X}h executable: {}",
                    why(errno)
                )
            }
            Error::NoSignalHandler { errno } => {
                write!(out, "the host cannot install a signal handler: {}", why(errno))
            }
            Error::NoLimits { errno } => {
                write!(
                    out,
                    "the host cannot limit the time and memory of the child: {}",
                    why(errno)
                )
            }
            Error::DescriptorsStayOpen { errno } => write!(
                out,
                "the child cannot close its descriptors (close_range, Linux 5.9): {}",
                why(errno)
            ),
            Error::NoFilter { errno } => write!(
                out,
                "the host cannot filter system calls (seccomp), so nothing was run: {}",
                why(errno)
            ),
            Error::NoCompatibilitySegment => out.write_str("the host has no usable 32-bit compatibility segment"),
        }
    }
}

impl std::error::Error for Error {}
