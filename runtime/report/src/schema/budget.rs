//! The shape of a budget in the JSON report.

use schemars::JsonSchema;

/// A limit that a comment in the source sets.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Budget<'a> {
    /// The budget, spelled in one way: `cycles <= 16`.
    pub(crate) name: String,
    /// The file of the comment.
    pub(crate) file: &'a str,
    /// Its line, from 1.
    pub(crate) line: u32,
    /// What it concerns: `line 7`, `next, lines 7-11` or `region in line 7`.
    pub(crate) of: String,
    /// What is limited.
    pub(crate) quantity: &'static str,
    /// Whether it is a share, whose limit is in percent.
    pub(crate) percent: bool,
    /// `<=`, `<`, `>=`, `>` or `==`.
    pub(crate) comparison: &'static str,
    /// The limit in millionths of a clock, instruction or percent.
    pub(crate) limit_millionths: u64,
    /// The figure is this divided by `per`, of a share times 100; null if it could not be judged.
    pub(crate) amount: Option<u64>,
    /// How many executions, passes or instructions the amount is of; null if it could not be judged.
    pub(crate) per: Option<u64>,
    /// Whether it holds; one that could not be judged does not.
    pub(crate) ok: bool,
    /// The figure and the limit, in words; absent if it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// What the figure is made of or why there is none, in words; absent if it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}
