//! Remarks on the code of a line, in front of its reasons: it was changed, or there is no memory.

use super::Sum;
use p5_results::{PARTLY_UNMAPPED, UNMAPPED};

/// The remark on code that the program has changed before it executed it. Its source text is not what was executed.
pub(crate) const CHANGED: &str = "code changed by the program";

/// What the memory lacks where an instruction with this text would be.
pub(crate) fn no_memory(text: &str) -> Option<&'static str> {
    match text {
        UNMAPPED => Some("there is no memory"),
        PARTLY_UNMAPPED => Some("the memory ends within the instruction"),
        _ => None,
    }
}

impl Sum {
    /// The remarks, then [`Sum::reason`] with at most so many causes.
    pub(crate) fn remarks(&self, most: usize) -> String {
        let changed = self.changed.then_some(CHANGED);
        let remarks = changed.into_iter().chain(self.no_memory).map(str::to_owned);
        let reason = Some(self.reason(most)).filter(|reason| !reason.is_empty());
        remarks.chain(reason).collect::<Vec<_>>().join("; ")
    }
}
