//! Recorded passes: the data that a block keeps of its cold passes.
//!
//! Modelled: the groups of one pass, its instructions, and the spans that may recur. Not modelled: the recording and
//! reuse of a pass, which are in `cold`.

use super::entry::Entry;
use super::span::{Span, Step};

#[derive(Debug, Default)]
pub(super) struct Cold {
    /// The number of the first pass and those recorded since.
    pub(super) passes: u8,
    pub(super) recorded: Option<Recorded>,
    /// Whether an answer has changed since the recording, so that the pass is recorded anew.
    pub(super) stale: bool,
}

#[derive(Debug)]
pub(super) struct Recorded {
    /// The state of issue before it.
    pub(super) entry: Entry,
    pub(super) schedule: u32,
    pub(super) steps: Box<[Step]>,
    /// The spans whose effects can be kept.
    pub(super) spans: Box<[Span]>,
}
