//! The JSON report's shape, from which its published schema is derived.
//!
//! Within one `schema_version` fields are only ever added. Clocks are core clocks; all numbers are integers.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Raised when a field is removed or changes its meaning.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// The JSON schema (draft 2020-12) of the report that [`super::write`] gives as [`super::Format::Json`].
pub fn schema() -> serde_json::Value {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Report>()
        .to_value()
}

/// An object whose fields keep the order they were given in.
pub(super) struct Ordered<V>(pub(super) Vec<(String, V)>);

impl<V: Serialize> Serialize for Ordered<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<V: JsonSchema> JsonSchema for Ordered<V> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        BTreeMap::<String, V>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, V>::json_schema(generator)
    }
}

/// A figure of a region: a number for a clock region, an array of two for a profile region.
#[derive(serde::Serialize, JsonSchema, Clone, Copy)]
#[serde(untagged)]
#[schemars(inline)]
pub(super) enum Figure {
    One(i64),
    Two([i64; 2]),
}

/// What became of one program on one simulated chip.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(title = "p5inst report")]
pub(super) struct Report<'a> {
    /// Version of this shape; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The program's file name, or `<stdin>`.
    pub(super) program: &'a str,
    /// The chip as `--cpu` takes it.
    pub(super) cpu: &'a str,
    /// The chip's full name.
    pub(super) cpu_title: &'a str,
    /// The memory preset.
    pub(super) memory: &'a str,
    /// The privilege level the program ran at.
    pub(super) cpl: u8,
    /// Names of the source files, in the order they were first read.
    pub(super) files: Vec<&'a str>,
    /// Why the last run ended.
    pub(super) stop: Stop<'a>,
    /// One entry a run, the first one cold.
    pub(super) runs: Vec<RunTotals>,
    /// The last run's totals.
    pub(super) totals: Totals,
    /// Where the last run's clocks went; the parts add up to `totals.cycles`.
    pub(super) cycle_stack: Vec<CauseCycles>,
    /// Every event the chip's counters can be set to over the last run, in selector order.
    pub(super) events: Vec<Event>,
    /// What the macros marked, in source order.
    pub(super) regions: Vec<Region<'a>>,
    /// The executed source lines over the last run, by file and line; code that stands in no file has `<memory>`, line 0
    /// and its disassembly.
    pub(super) lines: Vec<Line<'a>>,
    /// The executed instructions over the last run, in address order.
    pub(super) instructions: Vec<Instruction<'a>>,
    /// Data symbols of 1 to 8 bytes after the last run, unsigned, the user's first.
    pub(super) symbols: Ordered<u64>,
    /// What the program wrote in the last run: UTF-8 as it is, otherwise a character U+0000 to U+00FF for each byte.
    pub(super) output: String,
    /// What the reader should know of uncertain or unmodelled things that were executed.
    pub(super) notes: &'a [String],
}

/// How the last run ended.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Stop<'a> {
    /// `end`, `return`, `exit`, `halt`, `fault`, `limit` or `unsupported`.
    pub(super) reason: &'a str,
    /// The exit code, or the fault's vector number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<u32>,
    /// What happened, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
    /// The file of the instruction that ended the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<&'a str>,
    /// Its line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
}

/// One run.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct RunTotals {
    /// Clocks.
    pub(super) cycles: u64,
    /// Instructions executed.
    pub(super) instructions: u64,
    /// Pairs that formed: instructions executed in the V pipe.
    pub(super) pairs: u64,
}

/// The last run in four numbers.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Totals {
    /// Clocks.
    pub(super) cycles: u64,
    /// Instructions executed: `u` + `v`.
    pub(super) instructions: u64,
    /// Instructions in the U pipe.
    pub(super) u: u64,
    /// Instructions in the V pipe.
    pub(super) v: u64,
}

/// A part of the cycle stack.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct CauseCycles {
    /// What the clocks were spent on.
    pub(super) cause: &'static str,
    /// How many clocks.
    pub(super) cycles: u64,
}

/// An event's counts.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Event {
    /// The number a counter is set to.
    pub(super) selector: u8,
    /// The counter that alone counts the event under this selector; absent if both do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counter: Option<u8>,
    /// The event's name.
    pub(super) name: &'static str,
    /// How often it happened; null if this machine cannot raise it.
    pub(super) occurrences: Option<u64>,
    /// The clocks for which it held; null if this machine cannot raise it.
    pub(super) clocks: Option<u64>,
    /// Whether this machine can raise the event.
    pub(super) available: bool,
    /// Why it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'static str>,
}

/// A region. Every figure of a profile region is an array of two, one for each counter.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Region<'a> {
    /// The name given to the start macro, or `line N`.
    pub(super) name: &'a str,
    /// `tsc` or `profile`.
    pub(super) kind: &'static str,
    /// The file of the start macro's call.
    pub(super) file: &'a str,
    /// The line of the start macro's call.
    pub(super) start_line: u32,
    /// The line of the end macro's call.
    pub(super) end_line: u32,
    /// Names of a profile region's two events, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counted: Option<[&'static str; 2]>,
    /// Whether each of the two counters counted clocks rather than occurrences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counted_in_clocks: Option<[bool; 2]>,
    /// The passes through the region, over all runs.
    pub(super) passes: Vec<Pass>,
    /// How many passes there were, if more than are listed too.
    pub(super) pass_count: u64,
    /// The first pass of the first run.
    pub(super) cold: Option<Pass>,
    /// The warm passes together; null if there was none.
    pub(super) warm: Option<Warm>,
    /// The last pass of the last run, instruction by instruction.
    pub(super) trace: Vec<Issued>,
    /// Whether the pass was longer than the trace.
    pub(super) trace_cut: bool,
}

/// One pass through a region.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Pass {
    /// Which run it was in, from 0.
    pub(super) run: u32,
    /// What the program itself would read, net; null if the end macro left no result.
    pub(super) measured: Option<Figure>,
    /// What the macros subtracted; null if no reading was seen.
    pub(super) overhead: Option<Figure>,
    /// Clocks or event counts from the issue of the region's first instruction to that of the first after it.
    #[serde(rename = "true")]
    pub(super) truth: Figure,
    /// Clocks between the same two, for either kind of region.
    pub(super) cycles: u64,
    /// The true counts of a profile region's known events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<Ordered<i64>>,
}

/// A region's warm passes.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Warm {
    /// `last run`, or `all passes but the first` where there was one run only.
    pub(super) source: &'static str,
    /// How many passes these are.
    pub(super) passes: u64,
    /// Of what the program would read; null if nothing was measured.
    pub(super) measured: Option<Spread>,
    /// Of what the macros subtracted; null if unknown.
    pub(super) overhead: Option<Spread>,
    /// Of the true clocks or counts.
    #[serde(rename = "true")]
    pub(super) truth: Spread,
    /// Of the clocks, for either kind of region; always plain numbers.
    pub(super) cycles: Spread,
    /// Median measured less median true; null if nothing was measured.
    pub(super) difference: Option<Figure>,
}

/// Least, middle and greatest; the median is always a value that occurred.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Spread {
    /// The least.
    pub(super) min: Figure,
    /// The middle, the lower one of two.
    pub(super) median: Figure,
    /// The greatest.
    pub(super) max: Figure,
}

/// One instruction issued in a traced pass.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Issued {
    /// Index into `instructions`.
    pub(super) instruction: u32,
    /// Clocks from the issue of the region's first instruction.
    pub(super) clock: u64,
    /// `u` or `v`.
    pub(super) pipe: &'static str,
    /// Clocks until the next group issued; 0 for the V pipe's half of a pair.
    pub(super) cycles: u32,
    /// Why its group issued late; null if it did not.
    pub(super) waited: Option<&'static str>,
    /// Why it did not pair with the next instruction; null if it did or is the V half.
    pub(super) not_paired: Option<&'static str>,
}

/// One executed source line.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Line<'a> {
    /// The file's name, or `<memory>`.
    pub(super) file: &'a str,
    /// The line, from 1; 0 in `<memory>`.
    pub(super) line: u32,
    /// The source line as it stands in the file.
    pub(super) text: &'a str,
    /// Executions of the line's instructions: `u` + `v`.
    pub(super) executions: u64,
    /// Clocks charged to them.
    pub(super) cycles: u64,
    /// Executions in the U pipe.
    pub(super) u: u64,
    /// Executions in the V pipe.
    pub(super) v: u64,
    /// The clocks by cause; they add up to `cycles`.
    pub(super) reasons: Ordered<u64>,
    /// Executions that issued alone in the U pipe, by reason.
    pub(super) not_paired: Ordered<u64>,
    /// Clock of its first issue in the last pass of the innermost region around it; null outside regions.
    pub(super) clock: Option<u64>,
    /// Index into `regions` of that region.
    pub(super) region: Option<usize>,
}

/// One executed instruction.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Instruction<'a> {
    /// Its linear address.
    pub(super) address: u32,
    /// Its length in bytes.
    pub(super) length: u8,
    /// The instruction in MASM syntax.
    pub(super) text: &'a str,
    /// The file its source text stands in, inside a macro that of the macro's body.
    pub(super) file: Option<&'a str>,
    /// The line there.
    pub(super) line: Option<u32>,
    /// The macro calls and repeats it came by, innermost first.
    pub(super) trail: Vec<&'a str>,
    /// How often it was executed.
    pub(super) executions: u64,
    /// Clocks charged to it.
    pub(super) cycles: u64,
    /// Executions in the U pipe.
    pub(super) u: u64,
    /// Executions in the V pipe.
    pub(super) v: u64,
    /// The clocks by cause; they add up to `cycles`.
    pub(super) reasons: Ordered<u64>,
    /// Executions that issued alone in the U pipe, by reason.
    pub(super) not_paired: Ordered<u64>,
    /// Index into `instructions` of the one it paired with most often.
    pub(super) partner: Option<usize>,
    /// Why its clocks are uncertain, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) doubt: Option<&'a str>,
}
