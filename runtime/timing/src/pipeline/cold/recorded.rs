//! Recorded passes: the data that a block keeps of its cold passes.
//!
//! Modelled: the groups of one pass, its instructions, and the spans that may recur. Not modelled: the recording and
//! reuse of a pass, which are in `cold`.

use crate::pipeline::cold::span::{Span, Step};
use crate::pipeline::entry::Entry;
use crate::units::code_cache::CodeCache;

#[derive(Debug, Default)]
pub(in crate::pipeline) struct Cold {
    /// The number of the first pass and those recorded since.
    pub(in crate::pipeline) passes: u8,
    pub(in crate::pipeline) recorded: Vec<Recorded>,
}

#[derive(Debug)]
pub(in crate::pipeline) struct Recorded {
    /// The part of the state of issue before it that affects it.
    pub(in crate::pipeline) entry: Entry,
    pub(in crate::pipeline) lines: Box<[LineEnds]>,
    pub(in crate::pipeline) schedule: u32,
    pub(in crate::pipeline) steps: Box<[Step]>,
    /// The spans whose effects can be kept.
    pub(in crate::pipeline) spans: Box<[Span]>,
    /// Whether an answer has differed since the recording, so that the pass is recorded anew.
    pub(in crate::pipeline) stale: bool,
}

/// The instructions that end in a line.
#[derive(Debug)]
pub(in crate::pipeline) struct LineEnds {
    pub(in crate::pipeline) line: u32,
    /// One bit for the last byte of each instruction; likewise of those whose length was known.
    pub(in crate::pipeline) ends: u32,
    pub(in crate::pipeline) known: u32,
}

impl Recorded {
    /// Whether a pass that begins in the state `entry` is like this one as far as is known before it.
    pub(in crate::pipeline) fn is_like(&self, entry: Entry, cache: &CodeCache) -> bool {
        let like = |line: &LineEnds| cache.ends(line.line) & line.ends == line.known;
        self.entry == entry && self.lines.iter().all(like)
    }
}
