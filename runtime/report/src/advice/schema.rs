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
    /// The names of the monitors that the chip was given by `--monitor`.
    monitors: Vec<&'static str>,
    /// The clocks of the core by those of the time stamp counter, unless they are the same.
    core_ratio: Option<&'a str>,
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
    /// Clocks of one more run before any change, if they are not those of the last run; null if the runs have settled.
    next_run_before: Option<u64>,
    /// The same with all suggestions.
    next_run_after: Option<u64>,
    /// Trials that saved clocks but changed the final state.
    refused: u64,
    /// These by block and by what differs first.
    refusals: Vec<RefusedReport>,
    /// Whether the time limit was reached before all was tried.
    out_of_time: bool,
    /// The file that was written; null if none was.
    written: Option<&'a str>,
}

/// Trials of one block that left another state.
#[derive(Serialize, JsonSchema)]
struct RefusedReport {
    /// The first and the last line of the block, from 1, in the original text.
    lines: [u32; 2],
    /// What differs first.
    changed: String,
    /// How many trials.
    trials: u64,
}

/// A line outside of a block that takes other clocks.
#[derive(Serialize, JsonSchema)]
struct ElsewhereReport<'a> {
    /// Its file; null if it is the program's own.
    file: Option<&'a str>,
    /// Its number, from 1, in the text with the suggestions before this one.
    line: u32,
    /// Clocks that it saves; negative if it takes more.
    saved: i64,
    /// The cause of most of them.
    cause: &'static str,
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
    /// How often the block is executed; null if that was not counted.
    passes: Option<u64>,
    /// Clocks of the user's program that it saves.
    saved: u64,
    /// Clocks charged to the block's instructions before and after.
    block_clocks: [u64; 2],
    /// The other lines that take other clocks, those that change most first.
    elsewhere: Vec<ElsewhereReport<'a>>,
    /// Bytes of the block's code before and after.
    bytes: [u32; 2],
    /// How many legal orders of the final instructions were tried; null if no time was left for it.
    orders_tried: Option<u64>,
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
        monitors: subject.monitors.clone(),
        core_ratio: subject.core_ratio.as_deref(),
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
        next_run_before: advice.unsettled[0],
        next_run_after: advice.unsettled[1],
        refused: advice.refused.iter().map(|one| one.trials).sum(),
        refusals: advice
            .refused
            .iter()
            .map(|one| RefusedReport {
                lines: one.lines,
                changed: one.changed.words(),
                trials: one.trials,
            })
            .collect(),
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
        elsewhere: one
            .elsewhere
            .iter()
            .map(|one| ElsewhereReport {
                file: one.file.as_deref(),
                line: one.line,
                saved: one.clocks,
                cause: one.cause.name(),
            })
            .collect(),
        bytes: one.bytes,
        orders_tried: one.tried,
        all_orders_tried: one.all_tried,
        least_clocks: one.least,
        diff: format!("{head}\n{}", lines.collect::<String>()),
    }
}
