//! The shapes of the host's JSON reports, from which their published schemas are derived.
//!
//! Within one `schema_version`, fields are only added. A missing figure is null, and the field beside it says why.

use super::super::schema::{Spread, Stop};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;

/// Increased when a field of one of the three reports is removed or changes its meaning.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// The JSON schema (draft 2020-12) of what [`super::write_run`] writes as JSON.
pub fn run_schema() -> serde_json::Value {
    schema::<RunReport>()
}

/// The JSON schema (draft 2020-12) of what [`super::write_cpi`] writes as JSON.
pub fn cpi_schema() -> serde_json::Value {
    schema::<CpiReport>()
}

/// The JSON schema (draft 2020-12) of what [`super::write_tsc`] writes as JSON.
pub fn tsc_schema() -> serde_json::Value {
    schema::<TscReport>()
}

fn schema<T: JsonSchema>() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// A figure, or why there is none.
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

/// The host's time stamp counter.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst host tsc")]
pub(super) struct TscReport {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The host.
    pub(super) host: Host,
}

/// The machine that runs programs natively.
#[derive(Serialize, JsonSchema)]
pub(super) struct Host {
    /// The processor's name as CPUID reports it.
    pub(super) processor: Known<String>,
    /// The hypervisor's name; null if there is none.
    pub(super) hypervisor: Option<String>,
    /// The time stamp counter.
    pub(super) counter: Known<Counter>,
}

/// A time stamp counter.
#[derive(Serialize, JsonSchema)]
pub(super) struct Counter {
    /// Whether its rate is constant in all power states of the processor.
    pub(super) invariant: bool,
    /// Whether RDTSCP exists.
    pub(super) rdtscp: bool,
    /// The kernel's entry in IA32_TSC_AUX.
    pub(super) auxiliary: Known<Auxiliary>,
    /// Its frequency.
    pub(super) frequency: Known<Frequency>,
    /// Its step in ticks.
    pub(super) quantum_ticks: u64,
    /// Core clocks per tick at the time of detection.
    pub(super) core_clocks_per_tick: f64,
    /// Ticks of one CPUID.
    pub(super) cpuid_ticks: u64,
    /// Whether a hypervisor intercepts CPUID.
    pub(super) cpuid_traps: bool,
    /// The fences that can order a reading.
    pub(super) fences: Vec<Fence>,
}

/// The processor that a reading was made on.
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
    /// Ticks per second.
    pub(super) hertz: u64,
    /// The source of the figure.
    pub(super) source: String,
}

/// A fence.
#[derive(Serialize, JsonSchema)]
pub(super) struct Fence {
    /// The name by which macros select it.
    pub(super) name: String,
    /// What it costs.
    pub(super) cost: Known<FenceCost>,
    /// Whether it is the macros' default.
    pub(super) default: bool,
}

/// What a fence costs.
#[derive(Serialize, JsonSchema)]
pub(super) struct FenceCost {
    /// Ticks of an empty pair of readings.
    pub(super) ticks: f64,
    /// Whether a reading waits for all earlier instructions.
    pub(super) orders: bool,
}

/// A program's runs in both worlds.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst host run")]
pub(super) struct RunReport<'a> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The program's file name, or `<stdin>`.
    pub(super) program: &'a str,
    /// The host.
    pub(super) host: Host,
    /// The simulated runs.
    pub(super) simulated: Simulated<'a>,
    /// The native runs.
    pub(super) native: Known<Native<'a>>,
    /// The regions that macros mark, in source order.
    pub(super) regions: Vec<Region<'a>>,
    /// The whole program on the host, macros and calibration included.
    pub(super) whole: Timed,
    /// What disturbed the host; empty if it was quiet.
    pub(super) disturbances: Vec<String>,
    /// What the reader should know of both worlds.
    pub(super) notes: Vec<String>,
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
    /// Core clocks per tick while the program ran, from a chain of dependent additions.
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
    /// What the macros measured in the warm passes; null if nothing was measured.
    pub(super) measured: Option<Spread>,
    /// The simulator's own clocks or counts of the warm passes; null if there were none.
    #[serde(rename = "true")]
    pub(super) truth: Option<Spread>,
    /// Why `measured`, or both, are null.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) missing: Option<&'static str>,
}

/// Something timed on the host.
#[derive(Serialize, JsonSchema)]
pub(super) struct Timed {
    /// Ticks, net of probe overhead.
    pub(super) ticks: Known<Ticks>,
    /// Core clocks, estimated: the mean ticks times the core clocks per tick.
    pub(super) core_clocks: Known<f64>,
    /// Notes on how the timings were made.
    pub(super) notes: Vec<String>,
}

/// Ticks of the time stamp counter, to a thousandth.
#[derive(Serialize, JsonSchema)]
pub(super) struct Ticks {
    /// How many timings the figures include.
    pub(super) timings: u64,
    /// How many more were excluded as interrupted.
    pub(super) disturbed: u64,
    /// How many of the timings took as long as an interruption, but are too many to be interruptions.
    pub(super) slow: u64,
    /// The minimum.
    pub(super) min: f64,
    /// The median; of two middle values the lower.
    pub(super) median: f64,
    /// The mean.
    pub(super) mean: f64,
    /// The mean's standard error; null for a single timing.
    pub(super) standard_error: Option<f64>,
    /// The overhead subtracted from each.
    pub(super) overhead: f64,
}

/// A program's clocks per instruction in both worlds, without its measuring macros.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst host cpi")]
pub(super) struct CpiReport<'a> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The program's file name, or `<stdin>`.
    pub(super) program: &'a str,
    /// The host.
    pub(super) host: Host,
    /// The simulated runs.
    pub(super) simulated: Simulated<'a>,
    /// Clocks per instruction in the last simulated run; null if it executed none.
    pub(super) simulated_clocks_per_instruction: Option<f64>,
    /// The native runs.
    pub(super) native: Known<Native<'a>>,
    /// The whole program on the host.
    pub(super) whole: Timed,
    /// The nominal figure: ticks per instruction. The simulation counts the instructions.
    pub(super) ticks_per_instruction: Known<f64>,
    /// The non-halted figure: estimated core clocks per instruction.
    pub(super) core_clocks_per_instruction: Known<f64>,
    /// INST_RETIRED and CPU_CLK_UNHALTED of the host's performance monitoring unit.
    pub(super) events: Known<[u64; 2]>,
    /// What disturbed the host; empty if it was quiet.
    pub(super) disturbances: Vec<String>,
    /// What the reader should know of both worlds.
    pub(super) notes: Vec<String>,
}
