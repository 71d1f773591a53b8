//! The shape of the JSON report of `p5inst audit`, from which its published schema is derived.
//!
//! Within one `schema_version`, fields are only added. Clocks are core clocks; a missing figure is null.

use super::super::schema::{Subject, schema};
use schemars::JsonSchema;
use serde::Serialize;

/// The JSON schema (draft 2020-12) of what [`super::write_audit`] writes as JSON.
pub fn audit_schema() -> serde_json::Value {
    schema::<AuditReport>()
}

/// What the measuring macros reported, what was true, and the difference by cause.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst audit")]
pub(super) struct AuditReport<'a> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// What was run.
    #[serde(flatten)]
    pub(super) subject: Subject<'a>,
    /// The clocks of its last run, with the measuring macros.
    pub(super) clocks: u64,
    /// The regions, in source order.
    pub(super) regions: Vec<Region<'a>>,
}

/// A region.
#[derive(Serialize, JsonSchema)]
pub(super) struct Region<'a> {
    /// The name given to the start macro, or `line N`.
    pub(super) name: &'a str,
    /// `clocks` or `events`.
    pub(super) measures: &'static str,
    /// The names of the two events of a profile, if known.
    pub(super) events: Option<[&'static str; 2]>,
    /// The file of the macros' calls.
    pub(super) file: &'a str,
    /// One-based line of the start macro's call.
    pub(super) start_line: u32,
    /// One-based line of the end macro's call.
    pub(super) end_line: u32,
    /// How many passes there were in all runs.
    pub(super) pass_count: u64,
    /// The passes, the first 1,000 and the last one of each run; if the regions have more than 20,000 in all, the first
    /// ones and the last one of each region.
    pub(super) passes: Vec<Pass>,
    /// Why there are no figures without measuring macros; null if there are.
    pub(super) incomparable: Option<String>,
    /// The two calibrations, by the last pass; null if that has no measured result.
    pub(super) calibrations: Option<Calibrations>,
    /// The reasons not to believe what was reported.
    pub(super) doubts: Vec<Doubt>,
}

/// A pass.
#[derive(Serialize, JsonSchema)]
pub(super) struct Pass {
    /// Its run, from 1.
    pub(super) run: u32,
    /// Its number in that run, from 1.
    pub(super) number: u64,
    /// What the macros reported: clocks, or two counts; null if the end macro did not finish.
    pub(super) reported: Option<Vec<i64>>,
    /// What they subtracted from the difference of their readings.
    pub(super) subtracted: Option<Vec<i64>>,
    /// The true clocks or counts between the macros.
    pub(super) truth: Vec<i64>,
    /// The clocks of the same pass without any measuring macros; null if they are not known.
    pub(super) without_macros: Option<i64>,
    /// Why they are not known; null if they are.
    pub(super) without_macros_reason: Option<String>,
    /// What was reported beyond the clocks without measuring macros, or beyond the truth if they or a profile's counts
    /// without macros are not known.
    pub(super) error: Option<Vec<i64>>,
    /// The error of a measurement of clocks by cause. With `uncalibrated` subtracted, the errors add up to `error`; if
    /// `without_macros` is null, so do the parts' `edges`.
    pub(super) causes: Option<Vec<Part>>,
    /// The clocks that the program subtracts without having measured an empty region.
    pub(super) uncalibrated: i64,
    /// What the two counters counted in front of the region, and behind it; the error of a profile is their sum without
    /// `subtracted`.
    pub(super) counted: Option<[[i64; 2]; 2]>,
}

/// The part of a cause in an error.
#[derive(Serialize, JsonSchema)]
pub(super) struct Part {
    /// The cause, as in the report of a run.
    pub(super) cause: &'static str,
    /// Clocks from the start macro's last reading to the region.
    pub(super) before: i64,
    /// Clocks from the region to the end macro's first reading.
    pub(super) behind: i64,
    /// The clocks of both around an empty region, which the macros subtract; null if they have measured none.
    pub(super) calibrated: Option<i64>,
    /// `before + behind - calibrated`, the last of which is left out if it is null.
    pub(super) edges: i64,
    /// The clocks by which the macros change the region itself; null if those without macros are not known.
    pub(super) region: Option<i64>,
    /// `edges + region`; null if the latter is.
    pub(super) error: Option<i64>,
}

/// Two ways to calibrate.
#[derive(Serialize, JsonSchema)]
pub(super) struct Calibrations {
    /// By what the macros subtract: a dry run, or a constant.
    pub(super) subtracted: Calibration,
    /// By the difference between copies of the region's code and twice as many; null if there is none.
    pub(super) copies: Option<Calibration>,
    /// The number of copies, and what was reported of them and of twice as many.
    pub(super) copied: Option<(u32, [i64; 2])>,
    /// Why there is none; null if there is one.
    pub(super) reason: Option<String>,
}

/// A calibrated result.
#[derive(Serialize, JsonSchema)]
pub(super) struct Calibration {
    /// The result, in clocks or counts.
    pub(super) result: f64,
    /// By how much it exceeds the true one.
    pub(super) error: f64,
}

/// A reason not to believe a measurement.
#[derive(Serialize, JsonSchema)]
pub(super) struct Doubt {
    /// Its kind: one word.
    pub(super) kind: &'static str,
    /// What it says.
    pub(super) text: String,
}
