//! The shapes of the host's JSON reports, from which their schemas are derived.
//!
//! Within one `schema_version` fields are only ever added. A figure that is missing is null, and the field beside it says why.

use super::super::schema::{Spread, Stop};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;

/// Raised when a field of one of the three reports is removed or changes its meaning.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// The JSON schema (draft 2020-12) of what [`super::write_run`] gives as JSON.
pub fn run_schema() -> serde_json::Value {
    schema::<RunReport>()
}

/// The JSON schema (draft 2020-12) of what [`super::write_cpi`] gives as JSON.
pub fn cpi_schema() -> serde_json::Value {
    schema::<CpiReport>()
}

/// The JSON schema (draft 2020-12) of what [`super::write_tsc`] gives as JSON.
pub fn tsc_schema() -> serde_json::Value {
    schema::<TscReport>()
}

fn schema<T: JsonSchema>() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// A number, or why there is none.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Known_{T}")]
pub(super) struct Known<T> {
    /// The value; null if it is missing.
    pub(super) value: Option<T>,
    /// Why it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<String>,
}

impl<T> From<Result<T, String>> for Known<T> {
    fn from(result: Result<T, String>) -> Known<T> {
        match result {
            Ok(value) => Known {
                value: Some(value),
                missing: None,
            },
            Err(why) => Known {
                value: None,
                missing: Some(why),
            },
        }
    }
}

/// What the host's time stamp counter is.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst host tsc")]
pub(super) struct TscReport {
    /// Version of this shape; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The host.
    pub(super) host: Host,
}

/// The machine that runs programs natively.
#[derive(Serialize, JsonSchema)]
pub(super) struct Host {
    /// The processor's name as it gives it.
    pub(super) processor: Known<String>,
    /// The hypervisor's name; null if there is none.
    pub(super) hypervisor: Option<String>,
    /// The time stamp counter.
    pub(super) counter: Known<Counter>,
}

/// A time stamp counter.
#[derive(Serialize, JsonSchema)]
pub(super) struct Counter {
    /// Whether it runs at one rate whatever the processor's power states.
    pub(super) invariant: bool,
    /// Whether RDTSCP exists.
    pub(super) rdtscp: bool,
    /// What the kernel keeps in IA32_TSC_AUX.
    pub(super) auxiliary: Known<Auxiliary>,
    /// Its frequency.
    pub(super) frequency: Known<Frequency>,
    /// Its step in ticks.
    pub(super) quantum_ticks: u64,
    /// Core clocks in a tick when the host was asked.
    pub(super) core_clocks_per_tick: f64,
    /// Ticks of one CPUID.
    pub(super) cpuid_ticks: u64,
    /// Whether a hypervisor is in the way of CPUID.
    pub(super) cpuid_traps: bool,
    /// What can keep a reading in its place.
    pub(super) fences: Vec<Fence>,
}

/// Which processor a reading was made on.
#[derive(Serialize, JsonSchema)]
pub(super) struct Auxiliary {
    /// The processor's number.
    pub(super) processor: u32,
    /// The memory node's number.
    pub(super) node: u32,
}

/// A frequency.
#[derive(Serialize, JsonSchema)]
pub(super) struct Frequency {
    /// Ticks a second.
    pub(super) hertz: u64,
    /// Who says so.
    pub(super) source: String,
}

/// A fence.
#[derive(Serialize, JsonSchema)]
pub(super) struct Fence {
    /// The name that the macros take.
    pub(super) name: String,
    /// What it costs.
    pub(super) cost: Known<FenceCost>,
    /// Whether the macros take it unless they are told one.
    pub(super) default: bool,
}

/// What a fence costs.
#[derive(Serialize, JsonSchema)]
pub(super) struct FenceCost {
    /// Ticks of an empty pair of readings.
    pub(super) ticks: f64,
    /// Whether a reading waits for what stands before it.
    pub(super) orders: bool,
}

/// A program's runs in both worlds.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst host run")]
pub(super) struct RunReport<'a> {
    /// Version of this shape; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The program's file name, or `<stdin>`.
    pub(super) program: &'a str,
    /// The host.
    pub(super) host: Host,
    /// The simulated runs.
    pub(super) simulated: Simulated<'a>,
    /// The native runs.
    pub(super) native: Known<Native<'a>>,
    /// What the macros marked, in source order.
    pub(super) regions: Vec<Region<'a>>,
    /// The whole program on the host, macros and calibration included.
    pub(super) whole: Timed,
    /// What disturbed the host; empty if it was quiet.
    pub(super) disturbances: Vec<String>,
    /// What the reader should know of either world.
    pub(super) notes: Vec<&'a str>,
}

/// The simulated runs.
#[derive(Serialize, JsonSchema)]
pub(super) struct Simulated<'a> {
    /// The chip as `--cpu` takes it.
    pub(super) cpu: &'a str,
    /// The chip's full name.
    pub(super) cpu_title: &'a str,
    /// The memory preset.
    pub(super) memory: &'a str,
    /// The privilege level.
    pub(super) cpl: u8,
    /// Why the last run ended.
    pub(super) stop: Stop<'a>,
    /// How many runs there were.
    pub(super) runs: u64,
    /// Core clocks of the last run.
    pub(super) clocks: u64,
    /// Instructions of the last run.
    pub(super) instructions: u64,
}

/// The native runs.
#[derive(Serialize, JsonSchema)]
pub(super) struct Native<'a> {
    /// Why the last run ended.
    pub(super) stop: Stop<'a>,
    /// How many runs were completed.
    pub(super) runs: u64,
    /// The counter's step in ticks.
    pub(super) quantum_ticks: Known<u64>,
    /// Core clocks in a tick while the program ran, from a chain of dependent additions.
    pub(super) core_clocks_per_tick: Known<f64>,
}

/// A region in both worlds.
#[derive(Serialize, JsonSchema)]
pub(super) struct Region<'a> {
    /// The name given to the start macro, or `line N`.
    pub(super) name: &'a str,
    /// `tsc` or `profile`.
    pub(super) kind: &'static str,
    /// The line of the start macro's call.
    pub(super) start_line: u32,
    /// The line of the end macro's call.
    pub(super) end_line: u32,
    /// The simulated passes.
    pub(super) simulated: SimulatedRegion,
    /// The native passes.
    pub(super) host: Timed,
}

/// A region's simulated passes; an array of two counts for a profile region.
#[derive(Serialize, JsonSchema)]
pub(super) struct SimulatedRegion {
    /// How many passes there were, over all runs.
    pub(super) passes: u64,
    /// What the macros measured in the warm passes; null if nothing.
    pub(super) measured: Option<Spread>,
    /// The simulator's own clocks or counts of the warm passes; null if there was none.
    #[serde(rename = "true")]
    pub(super) truth: Option<Spread>,
    /// Why `measured`, or both, are null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<&'static str>,
}

/// Something timed on the host.
#[derive(Serialize, JsonSchema)]
pub(super) struct Timed {
    /// Ticks, what the probe itself takes taken off.
    pub(super) ticks: Known<Ticks>,
    /// Core clocks, estimated: the mean ticks times the core clocks a tick.
    pub(super) core_clocks: Known<f64>,
    /// Sentences about how the timings were had.
    pub(super) notes: Vec<String>,
}

/// Ticks of the time stamp counter, to a thousandth.
#[derive(Serialize, JsonSchema)]
pub(super) struct Ticks {
    /// How many timings these are.
    pub(super) timings: u64,
    /// How many more were left out because something interrupted them.
    pub(super) disturbed: u64,
    /// How many of the timings took as long as an interruption does, but are too many to be that.
    pub(super) slow: u64,
    /// The least.
    pub(super) min: f64,
    /// The middle, the lower one of two.
    pub(super) median: f64,
    /// The mean.
    pub(super) mean: f64,
    /// The mean's standard error; null for a single timing.
    pub(super) standard_error: Option<f64>,
    /// What was taken off each for the probe itself.
    pub(super) overhead: f64,
}

/// A program's clocks per instruction in both worlds, its macros left out.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst host cpi")]
pub(super) struct CpiReport<'a> {
    /// Version of this shape; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The program's file name, or `<stdin>`.
    pub(super) program: &'a str,
    /// The host.
    pub(super) host: Host,
    /// The simulated runs.
    pub(super) simulated: Simulated<'a>,
    /// Clocks an instruction in the last simulated run; null if it executed none.
    pub(super) simulated_clocks_per_instruction: Option<f64>,
    /// The native runs.
    pub(super) native: Known<Native<'a>>,
    /// The whole program on the host.
    pub(super) whole: Timed,
    /// The nominal figure: ticks an instruction. The instructions are those that the simulation counted.
    pub(super) ticks_per_instruction: Known<f64>,
    /// The figure for the time that the core is not halted: core clocks an instruction, estimated.
    pub(super) core_clocks_per_instruction: Known<f64>,
    /// INST_RETIRED and CPU_CLK_UNHALTED of the host's performance monitoring unit.
    pub(super) events: Known<[u64; 2]>,
    /// What disturbed the host; empty if it was quiet.
    pub(super) disturbances: Vec<String>,
    /// What the reader should know of either world.
    pub(super) notes: Vec<&'a str>,
}
