//! The JSON report's shape, from which its published schema is derived.
//!
//! Within one `schema_version`, fields are only added. Clocks are core clocks; all numbers are integers.

mod budget;
mod caches;
mod diagram;
mod sure;

pub(super) use self::budget::Budget;
pub(super) use self::caches::{Cache, CacheSet, CachedLine};
pub(super) use self::diagram::{Bound, Diagram, Group, Loop, Path, Probe, Row};
pub(super) use self::sure::{Bar, CountRange, Doubted, Question, Sureness, Under, Variant};

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Increased when a field is removed or changes its meaning.
pub(super) const SCHEMA_VERSION: u32 = 2;

/// The JSON schema (draft 2020-12) of the report that [`super::write`] writes as [`super::Format::Json`].
pub fn schema() -> serde_json::Value {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<Report>()
        .to_value()
}

/// An object whose fields keep their order.
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

/// A figure of a region: a number for a clock region, an array of two for a profile region, in which an event that is
/// not available is null.
#[derive(serde::Serialize, JsonSchema, Clone, Copy)]
#[serde(untagged)]
#[schemars(inline)]
pub(super) enum Figure {
    One(i64),
    Two([Option<i64>; 2]),
}

/// The runs of one program on one simulated chip.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(title = "p5inst report")]
pub(super) struct Report<'a> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The program's file name, or `<stdin>`.
    pub(super) program: &'a str,
    /// The chip as `--cpu` takes it.
    pub(super) cpu: &'a str,
    /// The chip's full name.
    pub(super) cpu_title: &'a str,
    /// The memory preset.
    pub(super) memory: &'a str,
    /// The answers chosen by `--assume` that are not the usual ones, by the name of the assumption.
    pub(super) assumed: BTreeMap<&'static str, &'static str>,
    /// The names of the monitors that the chip was given by `--monitor`.
    pub(super) monitors: Vec<&'static str>,
    /// The clocks of the core by those of the time stamp counter, unless they are the same.
    pub(super) core_ratio: Option<&'a str>,
    /// The privilege level the program ran at.
    pub(super) cpl: u8,
    /// Names of the source files, in the order they were first read.
    pub(super) files: Vec<&'a str>,
    /// Why the last run ended.
    pub(super) stop: Stop<'a>,
    /// One entry per run; the first run is cold, the later ones are warm.
    pub(super) runs: Vec<RunTotals>,
    /// The last run, whole: `own` and `probes` add up to it.
    pub(super) whole: Part,
    /// The user's program in the last run.
    pub(super) own: Part,
    /// The bundled library's macros and their calibration in the last run; null if the program does not use them.
    pub(super) probes: Option<Part>,
    /// The regions that macros mark, in source order.
    pub(super) regions: Vec<Region<'a>>,
    /// The last run of a program without regions, instruction by instruction; absent without `--all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trace: Option<Vec<Issued>>,
    /// Whether there was no room to trace all of the run.
    pub(super) trace_cut: bool,
    /// The trace with each loop's rounds folded into one; null if nothing was traced.
    pub(super) diagram: Option<Diagram>,
    /// The source lines executed in the last run, by file and line; code without a source line has `<memory>`, line 0
    /// and its disassembly.
    pub(super) lines: Vec<Line<'a>>,
    /// The instructions executed in the last run, in address order. Of very many only those executed most often are
    /// listed; the others are in the sums of `lines`.
    pub(super) instructions: Vec<Instruction<'a>>,
    /// How many executed instructions are not listed there.
    pub(super) instructions_left_out: u64,
    /// The general registers before and after the last run.
    pub(super) registers: Ordered<[u32; 2]>,
    /// The floating-point unit after the last run; absent if the program has not used it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) floating_point: Option<super::floating_point::Json>,
    /// The first level caches after the last run, the code cache first; absent without `--all`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) caches: Vec<Cache>,
    /// The data symbols after the last run, the user's first.
    pub(super) symbols: Vec<Symbol<'a>>,
    /// What the program wrote in the last run: its beginning, if that is more than 1 MiB.
    pub(super) output: String,
    /// How its bytes became characters: `utf-8`, or `latin-1` if they are not UTF-8, one character U+0000 to U+00FF for
    /// each byte.
    pub(super) output_encoding: Encoding,
    /// The bytes of it that are not in `output`.
    pub(super) output_left_out: u64,
    /// What is doubted or not modelled in what was executed.
    pub(super) notes: Vec<String>,
    /// The limits that comments in the source set, in their order; absent without any.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) budgets: Vec<Budget<'a>>,
    /// How sure the clocks are: which open questions the program touches, and what it takes under other answers.
    pub(super) sureness: Sureness,
}

/// How the last run ended.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Stop<'a> {
    /// `end`, `return`, `exit`, `signal`, `halt`, `reset`, `fault`, `limit`, `timeout` or `unsupported`.
    pub(super) reason: &'a str,
    /// The exit code, the number of the signal, or the fault's vector number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<u32>,
    /// What happened, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    /// The file of the instruction that ended the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<&'a str>,
    /// Its line number, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    /// Whether the processor shut down because it could not deliver the fault to a handler of the program: a triple
    /// fault. Absent if not.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub(super) shutdown: bool,
    /// The interrupts and exceptions that were being handled or delivered at a fault, in words with their places, the
    /// last one first; absent if there were none. Of very many only the last are here.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) handling: Vec<String>,
}

/// One run.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct RunTotals {
    /// All of it.
    pub(super) whole: Totals,
    /// The user's program.
    pub(super) own: Totals,
}

/// The last run, or a part of it. An instruction and its clocks belong to the part whose source file holds its text;
/// an event belongs to the part that issued last.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Part {
    /// The totals.
    pub(super) totals: Totals,
    /// The clocks by cause; they add up to `totals.cycles`.
    pub(super) cycle_stack: Vec<CauseCycles>,
    /// Every event the chip's counters can be set to, in selector order.
    pub(super) events: Vec<Event>,
}

/// A run or a part of it in four numbers.
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
    /// The number that selects it.
    pub(super) selector: u8,
    /// The counter that alone counts the event under this selector; absent if both do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counter: Option<u8>,
    /// The event's name.
    pub(super) name: &'static str,
    /// How often it occurred; null if this machine does not raise it.
    pub(super) occurrences: Option<u64>,
    /// Clocks in which it held; null if this machine does not raise it.
    pub(super) clocks: Option<u64>,
    /// Whether this machine raises the event.
    pub(super) available: bool,
    /// Why it does not.
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
    /// The privilege levels at which each of the two counters counted: `all`, `0-2`, `3` or `none`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counted_at: Option<[&'static str; 2]>,
    /// Why the figures of one of the two counters are null: its event is not available, and what the program read means
    /// nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<[Option<&'static str>; 2]>,
    /// The passes through the region, over all runs. Of more than 10,000 these are the first of each run, and from
    /// there on every second, fourth and so on.
    pub(super) passes: Vec<Pass>,
    /// How many passes there were, those not listed included.
    pub(super) pass_count: u64,
    /// How often the region was begun in the last run and begun again before its end macro was reached; none of these
    /// is a pass. Absent if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left: Option<u64>,
    /// How often its end macro was reached in the last run without a pass that it could end, as in a recursion; absent
    /// if never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unbegun: Option<u64>,
    /// How many of `passes` each run has.
    pub(super) passes_by_run: Vec<u64>,
    /// The first pass of the first run.
    pub(super) cold: Option<Pass>,
    /// Figures over warm passes, which are those after the first one; null if there were none.
    pub(super) warm: Option<Warm>,
    /// The pass shown, one of the last run near the median, instruction by instruction; absent without `--all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trace: Option<Vec<Issued>>,
    /// Whether the pass was longer than the trace.
    pub(super) trace_cut: bool,
    /// The trace with each loop's rounds folded into one; null if no pass was traced.
    pub(super) diagram: Option<Diagram>,
    /// How sure its clocks are: the median of the warm passes, or else those of the cold one; null without a pass.
    pub(super) bar: Option<Bar>,
    /// The ranges of both counts of a profile region, medians as those of `bar` are; null without a pass, or if the
    /// event is not available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count_ranges: Option<[Option<CountRange>; 2]>,
}

/// One pass through a region.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Pass {
    /// Which run it was in, from 0.
    pub(super) run: u32,
    /// What the program measured, net of probe overhead; null if the end macro left no result.
    pub(super) measured: Option<Figure>,
    /// What the macros subtracted; null if they read no counter.
    pub(super) overhead: Option<Figure>,
    /// Clocks or event counts from the issue of the region's first instruction to that of the first after it.
    #[serde(rename = "true")]
    pub(super) truth: Figure,
    /// Clocks between the same two points, for either kind of region.
    pub(super) cycles: u64,
    /// The true counts of a profile region's known events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) events: Option<Ordered<Option<i64>>>,
}

/// Figures over a region's warm passes: those of the last run, or of a single run all but the first.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Warm {
    /// `last run`, or `all passes but the first` if there was only one run.
    pub(super) source: &'static str,
    /// How many passes they are.
    pub(super) passes: u64,
    /// What the program measured; null if nothing was measured.
    pub(super) measured: Option<Spread>,
    /// What the macros subtracted; null if unknown.
    pub(super) overhead: Option<Spread>,
    /// The true clocks or counts.
    #[serde(rename = "true")]
    pub(super) truth: Spread,
    /// The clocks, for either kind of region; always plain numbers.
    pub(super) cycles: Spread,
    /// Measured median minus true median; null if nothing was measured.
    pub(super) difference: Option<Figure>,
}

/// Minimum, median and maximum; the median is always a value that occurred.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Spread {
    /// The minimum.
    pub(super) min: Figure,
    /// The median; of two middle values the lower.
    pub(super) median: Figure,
    /// The maximum.
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
    /// Clocks between the end of the previous group's execution and its issue.
    pub(super) late: u32,
    /// Clocks that its group executed beyond those of the timing table.
    pub(super) longer: u32,
    /// The main reason for `late`; null if it is 0.
    pub(super) waited: Option<&'static str>,
    /// The main reason for `longer`; null if it is 0.
    pub(super) slowed: Option<&'static str>,
    /// Why it did not pair with the next instruction; null if it did or is the V half.
    pub(super) not_paired: Option<&'static str>,
    /// Whether it is not the instruction but the delivery of an interrupt or exception in its place.
    pub(super) delivery: bool,
}

/// A data symbol.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Symbol<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its linear address.
    pub(super) address: u32,
    /// Bytes in all.
    pub(super) size: u32,
    /// Bytes of one element.
    pub(super) element: u32,
    /// Its value as an unsigned little-endian number; null if it is longer than 8 bytes.
    pub(super) value: Option<u64>,
    /// What the last run changed; null if nothing.
    pub(super) changed: Option<Changed<'a>>,
    /// Whether it belongs to the bundled library.
    pub(super) library: bool,
}

/// What a run changed in a symbol.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Changed<'a> {
    /// How many elements differ from what was loaded.
    pub(super) elements: u32,
    /// The index of the first one.
    pub(super) first: u32,
    /// If it is a structure, the name of the first field that differs, with a dot before each part; else null.
    pub(super) field: Option<&'a str>,
    /// The value of the field, or else of the element, before and after; null if it is longer than 8 bytes.
    pub(super) values: Option<[u64; 2]>,
    /// The same in decimal, if the source declares reals; else null.
    pub(super) reals: Option<[String; 2]>,
}

/// One executed source line.
#[derive(serde::Serialize, JsonSchema)]
pub(super) struct Line<'a> {
    /// The file's name, or `<memory>`.
    pub(super) file: &'a str,
    /// The line, from 1; 0 in `<memory>`.
    pub(super) line: u32,
    /// The source line as it is in the file.
    pub(super) text: &'a str,
    /// How many of its instructions have no row in `instructions`; the figures include them.
    pub(super) unlisted: u64,
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
    /// Clock of its first issue in the pass shown of the innermost region that contains it; null outside regions.
    pub(super) clock: Option<u64>,
    /// Index into `regions` of that region.
    pub(super) region: Option<usize>,
    /// Whether it belongs to the bundled library.
    pub(super) library: bool,
    /// How sure `cycles` is; absent if all answers that were tried give it, and no doubted row of the timing table has
    /// a part in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bar: Option<Bar>,
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
    /// The file of its source text; inside a macro, the file of the macro's body.
    pub(super) file: Option<&'a str>,
    /// The line there.
    pub(super) line: Option<u32>,
    /// The macro calls and repeats that generated it, innermost first.
    pub(super) trail: Vec<String>,
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
    /// Index into `instructions` of the instruction it paired with most often.
    pub(super) partner: Option<usize>,
    /// Whether it belongs to the bundled library.
    pub(super) library: bool,
    /// Why its clocks are doubted, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) doubt: Option<&'a str>,
}

/// How the bytes that a program wrote became characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub(super) enum Encoding {
    /// The bytes are UTF-8.
    #[serde(rename = "utf-8")]
    Utf8,
    /// They are not, and each byte is the character U+0000 to U+00FF with its number.
    #[serde(rename = "latin-1")]
    Latin1,
}

impl From<super::printable::Encoding> for Encoding {
    fn from(encoding: super::printable::Encoding) -> Encoding {
        match encoding {
            super::printable::Encoding::Utf8 => Encoding::Utf8,
            super::printable::Encoding::Latin1 => Encoding::Latin1,
        }
    }
}
