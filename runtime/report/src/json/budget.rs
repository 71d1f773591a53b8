//! Budgets in the JSON report of a run.

use crate::budgets::Judged;
use crate::document::document;
use crate::lines::{MEMORY, file_name};
use p5_results::Run;

document! {
    /// A limit that a comment in the source sets.
    pub(crate) struct Budget<'a> {
        /// The budget, spelled in one way: `cycles <= 16`.
        name: String = judged.title(),
        /// The file of the comment.
        file: &'a str = file_name(run, limit.file).unwrap_or(MEMORY),
        /// Its line, from 1.
        line: u32 = limit.line,
        /// The place that it concerns: `line 7`, `next, lines 7-11` or `region in line 7`.
        of: String = judged.place(),
        /// The limited quantity; `result` for what a register or data holds at the end.
        quantity: &'static str = limit.quantity.name(),
        /// Whether it is a share, whose limit is in percent.
        percent: bool = limit.quantity.is_share(),
        /// `<=`, `<`, `>=`, `>` or `==`.
        comparison: &'static str = limit.relation.sign(),
        /// The limit in millionths of a clock, instruction or percent; null for a result.
        limit_millionths: Option<u64> = Some(limit.limit).filter(|_| limit.result.is_none()),
        /// The number with which a result is compared; absent for other quantities, and beyond 64 bits with a sign.
        #[serde(skip_serializing_if = "Option::is_none")]
        required: Option<i64> = limit.result.as_ref().and_then(|expected| expected.value.try_into().ok()),
        /// The figure is this divided by `per`, times 100 for a share; null if it could not be judged, and for a result
        /// beyond 64 bits with a sign.
        amount: Option<i64> = value.and_then(|value| value.amount.try_into().ok()),
        /// The number of executions, passes or instructions of the amount; null if it could not be judged.
        per: Option<u64> = value.map(|value| value.per),
        /// Whether the limit holds; false if it could not be judged.
        ok: bool = judged.holds(),
        /// The answers to open questions under which the budget fails although it holds under the usual ones, each with
        /// its figure; absent if none was found.
        #[serde(skip_serializing_if = "Option::is_none")]
        fails_under: Option<String> = judged.fails_under(),
        /// The figure and the limit, in words; absent if it holds.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String> = (!judged.holds()).then(|| judged.message()),
        /// The composition of the figure, or why there is none, in words; absent if it holds.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String> = (!judged.holds()).then(|| judged.label()),
    }
    from (run: &'a Run, judged: &Judged<'_>) {
        let limit = judged.budget;
        let value = judged.value.ok();
    }
}
