//! How much the files of one program may ask for.

use super::LoadError;

/// The most bytes of memory, names and tables that the files of one program may ask for, whatever they claim.
pub const MOST_BYTES: u64 = 128 << 20;

/// What is left of [`MOST_BYTES`].
#[derive(Debug)]
pub struct Budget(u64);

impl Default for Budget {
    fn default() -> Budget {
        Budget(MOST_BYTES)
    }
}

impl Budget {
    /// Takes some bytes for a part of a file.
    ///
    /// # Errors
    /// [`LoadError::TooLarge`] if there are not as many left.
    pub(super) fn take(&mut self, bytes: u64, what: &'static str) -> Result<(), LoadError> {
        self.0 = self.0.checked_sub(bytes).ok_or(LoadError::TooLarge(what))?;
        Ok(())
    }
}
