//! Recorded passes: what a block keeps of its cold passes.
//!
//! Modelled: the groups of one pass, its instructions, and the spans of them that may recur. Not modelled: how a pass
//! is recorded and used again, which is in `cold`.

use super::entry::Entry;
use super::span::{Span, Step};

/// The cold passes of a block.
#[derive(Debug, Default)]
pub(super) struct Cold {
    /// The first pass and those recorded since.
    pub(super) passes: u8,
    pub(super) recorded: Option<Recorded>,
    /// Whether an answer has changed since, so that it is recorded anew.
    pub(super) stale: bool,
}

/// A cold pass of a block.
#[derive(Debug)]
pub(super) struct Recorded {
    /// The state of issue before it.
    pub(super) entry: Entry,
    /// Its groups.
    pub(super) schedule: u32,
    /// Its instructions.
    pub(super) steps: Box<[Step]>,
    /// The spans of them whose effects can be kept.
    pub(super) spans: Box<[Span]>,
}
