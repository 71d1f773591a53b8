//! The shape of how sure clocks are, in the JSON report.

use schemars::JsonSchema;
use std::collections::BTreeMap;

/// The open questions that the program touches, and what it takes under other answers to them.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct Sureness {
    /// The questions of which an answer concerns something that was executed, in any run. Other ones change nothing.
    pub(in crate::report) questions: Vec<Question>,
    /// The further runs that were made: each other answer alone, then several together.
    pub(in crate::report) variants: Vec<Variant>,
    /// Whether the questions that change something were tried in every combination of their answers; if not, only in
    /// the two that suggest the fewest and the most clocks of the program. True if there are less than two of them.
    pub(in crate::report) all_combined: bool,
    /// The bar of `own.totals.cycles`.
    pub(in crate::report) bar: Bar,
}

/// A question that the sources leave open.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct Question {
    /// Its name, as `--assume` takes it.
    pub(in crate::report) name: &'static str,
    /// The answer that the report assumes.
    pub(in crate::report) assumed: &'static str,
    /// Whether every other answer was tried.
    pub(in crate::report) tried: bool,
    /// Why not; null if it was.
    pub(in crate::report) reason: Option<String>,
}

/// A run of the program under other answers.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct Variant {
    /// The answers in which it differs, by question.
    pub(in crate::report) answers: BTreeMap<&'static str, &'static str>,
    /// The clocks of the user's program in its last run; null if it ended in another way.
    pub(in crate::report) clocks: Option<u64>,
    /// Its instructions.
    pub(in crate::report) instructions: Option<u64>,
    /// How it ended, if in another way; else null.
    pub(in crate::report) reason: Option<String>,
}

/// How sure a figure of clocks is, its bar: the range of it under other answers, from `least` to `most`, and what
/// doubted rows of the timing table give of it.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct Bar {
    /// The figure.
    pub(in crate::report) clocks: u64,
    /// The least of its range: of this run and those under other answers; null if an open question was not tried.
    pub(in crate::report) least: Option<u64>,
    /// The most of its range; null if an open question was not tried.
    pub(in crate::report) most: Option<u64>,
    /// The questions on which it depends, of those that were tried.
    pub(in crate::report) questions: Vec<&'static str>,
    /// The answers that were tried and give another figure.
    pub(in crate::report) under: Vec<Under>,
    /// The clocks of it that doubted rows of the timing table give: of a region those of the pass shown. Rows whose
    /// doubt is a question that was tried are left out.
    pub(in crate::report) doubted_clocks: u64,
    /// These by row, most first.
    pub(in crate::report) doubted: Vec<Doubted>,
    /// Whether `doubted` has all of them; a pass may be longer than its trace, or none was traced.
    pub(in crate::report) all_doubted: bool,
}

/// The range of a count of events. Questions that change no clock are tried alone only.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct CountRange {
    /// The least that a run under other answers counts, or this one; null if an open question was not tried.
    pub(in crate::report) least: Option<i64>,
    /// The most; null if an open question was not tried.
    pub(in crate::report) most: Option<i64>,
    /// The questions on which it depends, of those that were tried.
    pub(in crate::report) questions: Vec<&'static str>,
}

/// A figure under other answers.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct Under {
    /// The answers in which the run differs, by question.
    pub(in crate::report) answers: BTreeMap<&'static str, &'static str>,
    /// The clocks.
    pub(in crate::report) clocks: u64,
}

/// Clocks that a doubted row of the timing table gives.
#[derive(serde::Serialize, JsonSchema)]
pub(in crate::report) struct Doubted {
    /// The row's form, as `p5inst timings` lists it.
    pub(in crate::report) form: &'static str,
    /// The doubt.
    pub(in crate::report) doubt: &'static str,
    /// The clocks.
    pub(in crate::report) clocks: u64,
}
