//! What the files of a program may ask for at most.

/// The maximum size of memory, names and tables that the files of one program may request, whatever they claim.
pub const MOST_BYTES: u64 = 128 << 20;
/// The strictest alignment of a section or a common symbol.
pub(super) const MOST_ALIGNMENT: u64 = 1 << 16;
