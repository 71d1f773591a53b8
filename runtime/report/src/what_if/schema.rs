//! The shape of the JSON report of `--what-if`, from which its published schema is derived.
//!
//! Within one `schema_version`, fields are only added. Clocks are core clocks; a missing figure is null, and `reason`
//! says why.

use super::super::schema::Ordered;
use schemars::{JsonSchema, generate::SchemaSettings};

/// Increased when a field is removed or changes its meaning.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// The JSON schema (draft 2020-12) of the report that [`super::write`] writes as JSON.
pub fn schema() -> serde_json::Value {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Report>()
        .to_value()
}

/// What a program would take under suppositions and on other chips.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(title = "p5inst what-if report")]
pub(super) struct Report<'a> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The program's file name, or `<stdin>`.
    pub(super) program: &'a str,
    /// The chip as `--cpu` takes it.
    pub(super) cpu: &'a str,
    /// The memory preset.
    pub(super) memory: &'a str,
    /// The privilege level the program ran at.
    pub(super) cpl: u8,
    /// How often it ran; the figures are those of the last run.
    pub(super) runs: u64,
    /// Why the last run ended: as in the report of a run.
    pub(super) stop: &'a str,
    /// The clocks of the user's program as it is.
    pub(super) clocks: u64,
    /// Its instructions.
    pub(super) instructions: u64,
    /// The suppositions and the other chips.
    pub(super) variants: Vec<Variant<'a>>,
    /// The savings of single suppositions added up, beside what they save together; null unless all are known.
    pub(super) combined: Option<Combined<'a>>,
    /// The regions, in source order.
    pub(super) regions: Vec<Region<'a>>,
    /// The lines that take other clocks in a variant, those with the greatest difference first. Lines with `<memory>`
    /// and line 0 are instructions without a source line.
    pub(super) lines: Vec<Line<'a>>,
}

/// A run that differs in one thing.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Variant<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// `supposition` or `chip`.
    pub(super) kind: &'a str,
    /// What is different.
    pub(super) supposes: &'a str,
    /// The clocks of the user's program.
    pub(super) clocks: Option<u64>,
    /// The clocks saved; negative if it takes more.
    pub(super) saved: Option<i64>,
    /// The instructions of the user's program; other work than without the change if they differ.
    pub(super) instructions: Option<u64>,
    /// Why there are no figures.
    pub(super) reason: Option<String>,
}

/// Savings do not add up.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Combined<'a> {
    /// The suppositions that are combined.
    pub(super) names: &'a [&'a str],
    /// What each saves, added up.
    pub(super) sum: i64,
    /// What they save together.
    pub(super) saved: i64,
}

/// A region.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Region<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// The file of its start.
    pub(super) file: &'a str,
    /// The line of its start macro.
    pub(super) start_line: u32,
    /// The line of its end macro.
    pub(super) end_line: u32,
    /// The clocks as it is: the median of the warm passes, without one those of the cold pass; null if it was never
    /// passed.
    pub(super) clocks: Option<i64>,
    /// What each variant saves.
    pub(super) saved: Ordered<Option<i64>>,
}

/// A line.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Line<'a> {
    /// Its file.
    pub(super) file: &'a str,
    /// Its number, from 1; 0 without a source line.
    pub(super) line: u32,
    /// The address of an instruction without a source line.
    pub(super) address: Option<u32>,
    /// The line as it is in the file.
    pub(super) text: &'a str,
    /// The clocks as it is in the last run.
    pub(super) clocks: u64,
    /// What each variant saves.
    pub(super) saved: Ordered<Option<i64>>,
}
