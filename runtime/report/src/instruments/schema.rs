//! The shapes of these tools' JSON reports, from which their published schemas are derived.
//!
//! Within one `schema_version`, fields are only added. A count that does not exist is null, and `reason` says why.

use super::super::schema::Stop;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;
use std::collections::BTreeMap;

/// Increased when a field of one of the reports is removed or changes its meaning.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// The JSON schema (draft 2020-12) of what [`super::write_stat`] writes as JSON.
pub fn stat_schema() -> serde_json::Value {
    schema::<StatReport>()
}

/// The JSON schema (draft 2020-12) of what [`super::write_ratio`] writes as JSON.
pub fn ratio_schema() -> serde_json::Value {
    schema::<RatioReport>()
}

/// The JSON schema (draft 2020-12) of what [`super::write_watch`] writes as JSON.
pub fn watch_schema() -> serde_json::Value {
    schema::<WatchReport<Vec<Interval>, WatchEnd<'static>>>()
}

/// The JSON schema (draft 2020-12) of what [`super::write_msr_dump`] writes as JSON.
pub fn msr_schema() -> serde_json::Value {
    schema::<MsrReport>()
}

pub(super) fn schema<T: JsonSchema>() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// P5Stat: the events of one program, or of two side by side.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst stat")]
pub(super) struct StatReport<'a> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The bytes that an execution works on; null if not given.
    pub(super) bytes: Option<u64>,
    /// The clock rate in MHz; null if not given.
    pub(super) megahertz: Option<f64>,
    /// One program, or the two that are compared.
    pub(super) programs: Vec<StatProgram<'a>>,
    /// The second program's figures as multiples of the first one's; null for one program.
    pub(super) ratios: Option<Ratios>,
}

/// What was run, and on which machine.
#[derive(Serialize, JsonSchema)]
pub(super) struct Subject<'a> {
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
    /// How the last execution ended.
    pub(super) stop: Stop<'a>,
    /// What the reader should know.
    pub(super) notes: Vec<&'static str>,
}

/// The events of one program.
#[derive(Serialize, JsonSchema)]
pub(super) struct StatProgram<'a> {
    /// What was run.
    #[serde(flatten)]
    pub(super) subject: Subject<'a>,
    /// The clocks of each execution; the first one warms the caches and counts nothing.
    pub(super) clocks: Vec<u64>,
    /// The part of the instructions that executed in V, 0 to 0.5; null if one of the two was not counted.
    pub(super) v_share: Option<f64>,
    /// The clocks of the last execution for each byte.
    pub(super) clocks_per_byte: Option<f64>,
    /// The time of the last execution.
    pub(super) seconds: Option<f64>,
    /// Millions of bytes in a second.
    pub(super) megabytes_per_second: Option<f64>,
    /// The events, in selector order.
    pub(super) events: Vec<StatEvent>,
}

/// An event.
#[derive(Serialize, JsonSchema)]
pub(super) struct StatEvent {
    /// What was counted.
    #[serde(flatten)]
    pub(super) event: Event,
    /// The execution that counted it, from 1.
    pub(super) execution: u32,
    /// What the counter read; null if there is no count.
    pub(super) count: Option<u64>,
    /// Why there is none; null if there is one.
    pub(super) reason: Option<String>,
    /// What the last execution counts, with all events at once; null if the event is not raised.
    pub(super) at_once: Option<u64>,
    /// Why the two differ; null if they do not.
    pub(super) difference: Option<&'static str>,
}

/// An event and how a counter is set to it.
#[derive(Serialize, JsonSchema)]
pub(super) struct Event {
    /// The selector.
    pub(super) selector: u8,
    /// The only counter that counts it under this selector; null if both do.
    pub(super) counter: Option<u8>,
    /// The name.
    pub(super) name: &'static str,
    /// What it counts, in words.
    pub(super) title: String,
    /// `occurrences` or `clocks`: what the counter was set to count.
    pub(super) unit: &'static str,
}

/// The second program's figures as multiples of the first one's; null where one of them has none or the first is 0.
#[derive(Serialize, JsonSchema)]
pub(super) struct Ratios {
    /// The clocks of the last execution.
    pub(super) clocks: Option<f64>,
    /// The part of the instructions that executed in V.
    pub(super) v_share: Option<f64>,
    /// Clocks for each byte.
    pub(super) clocks_per_byte: Option<f64>,
    /// Millions of bytes in a second.
    pub(super) megabytes_per_second: Option<f64>,
    /// The events of both, each by its selector and name.
    pub(super) events: Vec<EventRatio>,
}

/// The counts of an event in two programs.
#[derive(Serialize, JsonSchema)]
pub(super) struct EventRatio {
    /// The selector.
    pub(super) selector: u8,
    /// The name.
    pub(super) name: &'static str,
    /// The second count as a multiple of the first.
    pub(super) ratio: Option<f64>,
}

/// The mean length of an event.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst ratio")]
pub(super) struct RatioReport<'a> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// What was run.
    #[serde(flatten)]
    pub(super) subject: Subject<'a>,
    /// The selector of the event.
    pub(super) selector: u8,
    /// The only counter that counts it; null if both do.
    pub(super) counter: Option<u8>,
    /// The name of the event.
    pub(super) name: &'static str,
    /// A cold and a warm execution; of an event that one counter alone counts, a warm one.
    pub(super) executions: Vec<RatioRow>,
    /// What the means are of an event that happens and does not last, and where its cost is; null of one that lasts.
    pub(super) note: Option<&'static str>,
}

/// An execution.
#[derive(Serialize, JsonSchema)]
pub(super) struct RatioRow {
    /// Whether it was not the first one.
    pub(super) warm: bool,
    /// Its clocks; null if the time limit cut it off.
    pub(super) cycles: Option<u64>,
    /// How often the event occurred; null if there is no count.
    pub(super) occurrences: Option<u64>,
    /// In how many clocks it held.
    pub(super) clocks: Option<u64>,
    /// The mean clocks of an occurrence; null if there was none.
    pub(super) mean: Option<f64>,
    /// Why there is no count; null if there is one.
    pub(super) reason: Option<String>,
}

/// One or two events while a program runs.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst watch")]
pub(super) struct WatchReport<I, E> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The events, one for each counter; null if it counts none.
    pub(super) events: [Option<Event>; 2],
    /// The least clocks of an interval.
    pub(super) every: u64,
    /// The first intervals, in order: at most 100,000.
    pub(super) intervals: I,
    /// What came of it.
    #[serde(flatten)]
    pub(super) end: E,
}

/// The end of a watched execution.
#[derive(Serialize, JsonSchema)]
pub(super) struct WatchEnd<'a> {
    /// The intervals after these, as one; null if there are no more.
    pub(super) left_out: Option<LeftOut>,
    /// The whole execution.
    pub(super) total: Interval,
    /// What was run.
    #[serde(flatten)]
    pub(super) subject: Subject<'a>,
}

/// Intervals that are left out, because there are too many.
#[derive(Serialize, JsonSchema)]
pub(super) struct LeftOut {
    /// How many.
    pub(super) intervals: u64,
    /// From the end of the last interval that is shown.
    #[serde(flatten)]
    pub(super) sum: Interval,
}

/// A part of an execution.
#[derive(Serialize, JsonSchema)]
pub(super) struct Interval {
    /// The clocks of the execution at its end.
    pub(super) until: u64,
    /// Its own clocks.
    pub(super) clocks: u64,
    /// What each counter counted; null if that is not known, or it counts no event.
    pub(super) counts: [Option<u64>; 2],
    /// The same in 1,000 clocks; null also if the interval has none.
    pub(super) rates: [Option<f64>; 2],
    /// Why it is not known; null if it is.
    pub(super) reason: Option<String>,
    /// The source line that most of its clocks were spent on; null if that is not known, and of the whole execution.
    pub(super) busiest: Option<Busiest>,
}

/// The source line that most clocks of an interval were spent on.
#[derive(Serialize, JsonSchema)]
pub(super) struct Busiest {
    /// Its file.
    pub(super) file: String,
    /// Its number, from 1: that of the outermost macro call.
    pub(super) line: u32,
    /// Its clocks in the interval.
    pub(super) cycles: u64,
}

/// The model specific registers, each read twice.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst msr dump")]
pub(super) struct MsrReport<'a> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The chip as `--cpu` takes it.
    pub(super) cpu: &'a str,
    /// The chip's full name.
    pub(super) cpu_title: &'a str,
    /// The program before and after whose run they were read; null if RDMSR read them right after reset.
    pub(super) around: Option<Subject<'a>>,
    /// The registers.
    pub(super) registers: Vec<MsrRegister>,
    /// The clock rate in MHz; null if not given.
    pub(super) megahertz: Option<f64>,
    /// The first reading of the time stamp counter; around a program, that after it.
    pub(super) time_stamp: Option<u64>,
    /// The seconds from reset to that reading.
    pub(super) seconds_since_power_up: Option<f64>,
}

/// A model specific register.
#[derive(Serialize, JsonSchema)]
pub(super) struct MsrRegister {
    /// Its number.
    pub(super) number: u32,
    /// What it is; null if it does not exist.
    pub(super) title: Option<String>,
    /// `read`, `fault` or `hangs`: what became of RDMSR. One that hangs was not read.
    pub(super) outcome: &'static str,
    /// Both values, in the order of reading; null if it cannot be read.
    pub(super) values: Option<[u64; 2]>,
    /// Whether the two differ; null if it cannot be read.
    pub(super) changed: Option<bool>,
    /// The exception that RDMSR raised; null if none.
    pub(super) exception: Option<String>,
}
