//! Recorded passes: the data that a block keeps of its cold passes.
//!
//! Modelled: the groups of one pass, its instructions, and the spans that may recur. Not modelled: the recording and
//! reuse of a pass, which are in `cold`.

use crate::pipeline::cold::span::{Span, Step};
use crate::pipeline::entry::Entry;

#[derive(Debug, Default)]
pub(in crate::pipeline) struct Cold {
    /// The number of the first pass and those recorded since.
    pub(in crate::pipeline) passes: u8,
    pub(in crate::pipeline) recorded: Option<Recorded>,
    /// Whether an answer has changed since the recording, so that the pass is recorded anew.
    pub(in crate::pipeline) stale: bool,
}

#[derive(Debug)]
pub(in crate::pipeline) struct Recorded {
    /// The state of issue before it.
    pub(in crate::pipeline) entry: Entry,
    pub(in crate::pipeline) schedule: u32,
    pub(in crate::pipeline) steps: Box<[Step]>,
    /// The spans whose effects can be kept.
    pub(in crate::pipeline) spans: Box<[Span]>,
}
