//! Why a host cannot run an image natively.

use crate::fault::Lost;

/// What a host's process needs memory for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Area {
    /// The stack.
    Stack,
    /// The pages by which execution leaves the program.
    Gate,
    /// A segment of the image, by name.
    Segment(String),
}

/// Why a host cannot run an image natively. Error numbers are the host's `errno`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The host is not x86-64 Linux.
    OtherHost,
    /// The program starts in real mode.
    RealMode,
    /// A segment does not begin at a page.
    NotPageAligned {
        /// The segment.
        area: Area,
        /// Its address.
        address: u32,
    },
    /// A segment lies at address 0.
    AtZero {
        /// The segment.
        area: Area,
    },
    /// Two areas share a page.
    SharedPage {
        /// The lower one.
        first: Area,
        /// The higher one.
        second: Area,
        /// The page's address.
        address: u32,
    },
    /// An area extends past the address space.
    PastAddressSpace {
        /// The area.
        area: Area,
    },
    /// The program needs too much memory.
    TooLarge {
        /// How many MiB it needs.
        needed: u64,
        /// How many it may have.
        most: u64,
    },
    /// The program does not begin with [`child_entry`](super::child_entry), so it cannot start a child.
    NoChildEntry,
    /// No memory file for the task of the child.
    NoTask {
        /// Why.
        errno: i32,
    },
    /// The child did not accept its task.
    TaskRefused,
    /// The child ended before it reached [`child_entry`](super::child_entry).
    NotStarted(Lost),
    /// No memory for the results of the runs.
    NoResultMemory {
        /// How many MiB were asked for.
        size: usize,
    },
    /// No executable memory for the 64-bit side.
    NoExecutableMemory,
    /// No child process.
    NoChild {
        /// Why.
        errno: i32,
    },
    /// The child's own code or data lies at an area's address.
    Taken {
        /// The area.
        area: Area,
        /// Its address.
        address: u32,
    },
    /// An area lies below the addresses that a process can use.
    BelowMinimum {
        /// The area.
        area: Area,
        /// Its address.
        address: u32,
    },
    /// An area cannot be mapped.
    NotMapped {
        /// The area.
        area: Area,
        /// Its address.
        address: u32,
        /// Why.
        errno: i32,
    },
    /// An area cannot be made executable.
    NotExecutable {
        /// The area.
        area: Area,
        /// Its address.
        address: u32,
        /// Why.
        errno: i32,
    },
    /// No signal handler can be installed, or there is no memory for its stack.
    NoSignalHandler {
        /// Why.
        errno: i32,
    },
    /// Time and memory of the child cannot be limited.
    NoLimits {
        /// Why.
        errno: i32,
    },
    /// The child's inherited descriptors cannot be closed.
    DescriptorsStayOpen {
        /// Why.
        errno: i32,
    },
    /// System calls cannot be filtered.
    NoFilter {
        /// Why.
        errno: i32,
    },
    /// There is no 32-bit compatibility segment.
    NoCompatibilitySegment,
}
