//! The memory that holds code: of fixed size, filled from its beginning, and never writable and executable at once.

use crate::Refused;
use dynasmrt::mmap::{ExecutableBuffer, MutableBuffer};

/// The most bytes of code. When they are used up, all code is dropped.
const SIZE: usize = 64 << 20;
/// More than the code of the longest block.
const LONGEST: usize = 1 << 18;
/// The code of a block begins at a multiple of this.
const ALIGNMENT: usize = 16;

pub(crate) struct CodeMemory {
    // None only while it is written, and after the host has refused to change it.
    buffer: Option<ExecutableBuffer>,
    base: usize,
    used: usize,
    kept: usize,
}

impl CodeMemory {
    /// Asks the host for the memory. `common` makes the code that is never dropped, for its address.
    pub(crate) fn new(common: impl FnOnce(usize) -> Option<Vec<u8>>) -> Result<CodeMemory, Refused> {
        let refused = |error: std::io::Error| Refused::Memory(error.to_string());
        let mut buffer = MutableBuffer::new(SIZE).map_err(refused)?;
        buffer.set_len(SIZE);
        let base = buffer.as_ptr() as usize;
        let code = common(base).ok_or(Refused::Host)?;
        buffer[..code.len()].copy_from_slice(&code);
        let used = code.len().next_multiple_of(ALIGNMENT);
        Ok(CodeMemory {
            buffer: Some(buffer.make_exec().map_err(refused)?),
            base,
            used,
            kept: used,
        })
    }

    /// The address at which the next code will begin.
    pub(crate) fn next(&self) -> usize {
        self.base + self.used
    }

    /// Whether there is room for the code of any block.
    pub(crate) fn has_room(&self) -> bool {
        self.used + LONGEST < SIZE
    }

    /// Adds code made for [`CodeMemory::next`]. Returns false if there is no room, or the host refuses.
    pub(crate) fn add(&mut self, code: &[u8]) -> bool {
        if self.used + code.len() > SIZE {
            return false;
        }
        let Some(Ok(mut buffer)) = self.buffer.take().map(ExecutableBuffer::make_mut) else {
            return false;
        };
        buffer[self.used..][..code.len()].copy_from_slice(code);
        self.buffer = buffer.make_exec().ok();
        self.used += code.len().next_multiple_of(ALIGNMENT);
        self.buffer.is_some()
    }

    /// Whether there is code that can run.
    pub(crate) fn is_usable(&self) -> bool {
        self.buffer.is_some()
    }

    /// Drops all code but the common one.
    pub(crate) fn clear(&mut self) {
        self.used = self.kept;
    }
}
