//! The shape of how sure clocks are, in the JSON report.

use schemars::JsonSchema;
use std::collections::BTreeMap;

/// The open questions that the program touches, and what it takes under other answers to them.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Sureness {
    /// The questions of which an answer concerns something that was executed, in any run. Other ones change nothing.
    pub(crate) questions: Vec<Question>,
    /// The further runs that were made: each other answer alone, then several together.
    pub(crate) variants: Vec<Variant>,
    /// Whether the questions that change something were tried in every combination of their answers; if not, only in
    /// the two that suggest the fewest and the most clocks of the program. True if there are less than two of them.
    pub(crate) all_combined: bool,
    /// The bar of `own.totals.cycles`.
    pub(crate) bar: Bar,
}

/// A question that the sources leave open.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Question {
    /// Its name, as `--assume` takes it.
    pub(crate) name: &'static str,
    /// The answer that the report assumes.
    pub(crate) assumed: &'static str,
    /// Whether every other answer was tried.
    pub(crate) tried: bool,
    /// Why not; null if it was.
    pub(crate) reason: Option<String>,
}

/// A run of the program under other answers.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Variant {
    /// The answers in which it differs, by question.
    pub(crate) answers: BTreeMap<&'static str, &'static str>,
    /// The clocks of the user's program in its last run; null if it ended in another way.
    pub(crate) clocks: Option<u64>,
    /// Its instructions.
    pub(crate) instructions: Option<u64>,
    /// How it ended, if in another way; else null.
    pub(crate) reason: Option<String>,
}

/// How sure a figure of clocks is, its bar: the range of it under other answers, from `least` to `most`, and what
/// doubted rows of the timing table give of it.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Bar {
    /// The figure.
    pub(crate) clocks: u64,
    /// The least of its range: of this run and those under other answers; null if an open question was not tried.
    pub(crate) least: Option<u64>,
    /// The most of its range; null if an open question was not tried.
    pub(crate) most: Option<u64>,
    /// The questions on which it depends, of those that were tried.
    pub(crate) questions: Vec<&'static str>,
    /// The answers that were tried and give another figure.
    pub(crate) under: Vec<Under>,
    /// The clocks of it that doubted rows of the timing table give: of a region those of the pass shown. Rows whose
    /// doubt is a question that was tried are left out.
    pub(crate) doubted_clocks: u64,
    /// These by row, most first.
    pub(crate) doubted: Vec<Doubted>,
    /// Whether `doubted` has all of them; a pass may be longer than its trace, or none was traced.
    pub(crate) all_doubted: bool,
}

/// The range of a count of events. Questions that change no clock are tried alone only.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct CountRange {
    /// The least that a run under other answers counts, or this one; null if an open question was not tried.
    pub(crate) least: Option<i64>,
    /// The most; null if an open question was not tried.
    pub(crate) most: Option<i64>,
    /// The questions on which it depends, of those that were tried.
    pub(crate) questions: Vec<&'static str>,
}

/// A figure under other answers.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Under {
    /// The answers in which the run differs, by question.
    pub(crate) answers: BTreeMap<&'static str, &'static str>,
    /// The clocks.
    pub(crate) clocks: u64,
}

/// Clocks that a doubted row of the timing table gives.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Doubted {
    /// The row's form, as `p5inst timings` lists it.
    pub(crate) form: &'static str,
    /// The doubt.
    pub(crate) doubt: &'static str,
    /// The clocks.
    pub(crate) clocks: u64,
}
