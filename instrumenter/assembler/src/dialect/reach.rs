//! What a text needs besides itself that is read as a whole before any line of it is parsed.

use crate::diag::{Fault, Span};
use crate::session::Session;
use std::sync::Arc;

pub(crate) trait Reach {
    fn session(&mut self) -> &mut Session;

    /// Counts a line that a macro or a repeat makes.
    fn count_line(&mut self, span: Span) -> Result<(), Fault>;

    /// The index and the text of a file that another one includes at `span`, with so many files around it; `None` if
    /// why there is none has been told.
    fn include(&mut self, name: &str, depth: usize, span: Span) -> Result<Option<(u32, Arc<str>)>, Fault>;
}
