//! The shape of the JSON report of advice, from which its published schema is derived.

use super::super::json;
use super::super::schema::Stop;
use super::diff::{Change, hunk};
use super::{Advice, Suggestion};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;
use std::collections::BTreeMap;

/// Increased when a field is removed or changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// The JSON schema (draft 2020-12) of what [`super::write_advice`] writes as JSON.
pub fn advice_schema() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings
        .into_generator()
        .into_root_schema_for::<AdviceReport>()
        .to_value()
}

/// What a program gains by other orders and other instructions.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst advise")]
pub(super) struct AdviceReport<'a> {
    /// Version of this schema; within one version fields are only added.
    schema_version: u32,
    /// The program's file name, or `<stdin>`.
    program: &'a str,
    /// The chip as `--cpu` takes it.
    cpu: &'a str,
    /// The chip's full name.
    cpu_title: &'a str,
    /// The memory preset.
    memory: &'a str,
    /// The answers chosen by `--assume` that are not the usual ones, by the name of the assumption.
    assumed: BTreeMap<&'static str, &'static str>,
    /// The privilege level the program ran at.
    cpl: u8,
    /// How the program ended before any change.
    stop: Stop<'a>,
    /// How often it ran each time; the clocks are those of the last run.
    runs: u32,
    /// Clocks of the user's program before any change.
    clocks_before: u64,
    /// The same with all suggestions.
    clocks_after: u64,
    /// The changes, each on top of those before it.
    suggestions: Vec<SuggestionReport<'a>>,
    /// How many blocks were examined.
    blocks_examined: u64,
    /// How many blocks were not, for want of time or because there were too many.
    blocks_not_examined: u64,
    /// Executed instructions that no suggestion may touch.
    left_alone: Vec<LeftAloneReport>,
    /// Trials that saved clocks but changed the final state.
    refused: u64,
    /// Whether the time limit was reached before all was tried.
    out_of_time: bool,
    /// The file that was written; null if none was.
    written: Option<&'a str>,
}

/// A change of one block.
#[derive(Serialize, JsonSchema)]
struct SuggestionReport<'a> {
    /// The block's first line, from 1, in the text with the suggestions before this one.
    first_line: u32,
    /// How many lines of the block there are before the change.
    lines: usize,
    /// The instructions that are replaced.
    replaced: Vec<Replaced<'a>>,
    /// Whether instructions change places.
    reordered: bool,
    /// How often the block is executed.
    passes: u64,
    /// Clocks of the user's program that it saves.
    saved: u64,
    /// Clocks charged to the block's instructions before and after.
    block_clocks: [u64; 2],
    /// Bytes of the block's code before and after.
    bytes: [u32; 2],
    /// How many legal orders of the final instructions were tried.
    orders_tried: u64,
    /// Whether these are all.
    all_orders_tried: bool,
    /// Clocks below which no order of them gets in one pass.
    least_clocks: u64,
    /// The change as a unified difference, without the names of the files.
    diff: String,
}

/// Instructions and what stands for them.
#[derive(Serialize, JsonSchema)]
struct Replaced<'a> {
    /// Before, separated by ` / `.
    before: &'a str,
    /// After, separated by ` / `.
    after: &'a str,
}

/// Executed instructions that no suggestion may touch.
#[derive(Serialize, JsonSchema)]
struct LeftAloneReport {
    /// Why.
    reason: &'static str,
    /// How many.
    instructions: u64,
}

pub(super) fn report(advice: &Advice) -> AdviceReport<'_> {
    let subject = &advice.subject;
    AdviceReport {
        schema_version: SCHEMA_VERSION,
        program: &subject.program,
        cpu: subject.cpu,
        cpu_title: subject.cpu_title,
        memory: subject.memory,
        assumed: subject.assumed.iter().copied().collect(),
        cpl: subject.cpl,
        stop: json::stop(&subject.stop, &subject.files),
        runs: advice.runs,
        clocks_before: advice.clocks[0],
        clocks_after: advice.clocks[1],
        suggestions: advice.suggestions.iter().map(suggestion).collect(),
        blocks_examined: advice.blocks,
        blocks_not_examined: advice.not_examined,
        left_alone: advice
            .left_alone
            .iter()
            .map(|(why, count)| LeftAloneReport {
                reason: why.words(),
                instructions: *count,
            })
            .collect(),
        refused: advice.refused,
        out_of_time: advice.out_of_time,
        written: advice.written.as_deref(),
    }
}

fn suggestion(one: &Suggestion) -> SuggestionReport<'_> {
    let (head, changes) = hunk(one);
    let lines = changes.into_iter().map(|change| match change {
        Change::Kept(text) => format!(" {text}\n"),
        Change::Removed(text) => format!("-{text}\n"),
        Change::Added(text) => format!("+{text}\n"),
    });
    SuggestionReport {
        first_line: one.first_line,
        lines: one.block[0].len(),
        replaced: one
            .replaced
            .iter()
            .map(|(before, after)| Replaced { before, after })
            .collect(),
        reordered: one.reordered,
        passes: one.passes,
        saved: one.clocks[0] - one.clocks[1],
        block_clocks: one.block_clocks,
        bytes: one.bytes,
        orders_tried: one.tried,
        all_orders_tried: one.all_tried,
        least_clocks: one.least,
        diff: format!("{head}\n{}", lines.collect::<String>()),
    }
}
