//! The budget of memory for the files of one program.

use super::LoadError;
use super::limits::MOST_BYTES;

/// The bytes that remain of [`MOST_BYTES`].
#[derive(Debug)]
pub struct Budget(u64);

impl Default for Budget {
    fn default() -> Budget {
        Budget(MOST_BYTES)
    }
}

impl Budget {
    /// Takes `bytes` for a part of a file, which `what` names.
    ///
    /// # Errors
    /// [`LoadError::TooLarge`] if fewer bytes remain.
    pub(super) fn take(&mut self, bytes: u64, what: &'static str) -> Result<(), LoadError> {
        self.0 = self.0.checked_sub(bytes).ok_or(LoadError::TooLarge(what))?;
        Ok(())
    }
}
