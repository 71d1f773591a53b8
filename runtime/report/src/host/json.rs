//! The host's JSON reports. A missing figure is null, and the field beside it gives the reason.

use super::{FenceLine, Worlds, figures, wording};
use crate::document::{P5INST, document};
use crate::json::{Spread, Stop};
use crate::{summary, wording::note as simulated_note};
use p5_host::native::summary::{PerInstruction, Summary, Timing};
use p5_host::native::{self, Missing};
use p5_image::RegionKind;
use p5_results::{RegionResult, Run};

/// A figure, or why there is none.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Known_{T}"))]
pub(crate) struct Known<T> {
    /// The value; null if it is missing.
    value: Option<T>,
    /// Why it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<String>,
}

impl<T> From<Result<T, String>> for Known<T> {
    fn from(result: Result<T, String>) -> Known<T> {
        let (value, missing) = match result {
            Ok(value) => (Some(value), None),
            Err(why) => (None, Some(why)),
        };
        Known { value, missing }
    }
}

document! {
    /// The host's time stamp counter.
    #[cfg_attr(test, schemars(title = "p5inst host tsc"))]
    pub(crate) struct TscReport {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The host.
        host: Host = Host::of(host),
    }
    from (host: &super::Host)

    /// The machine that runs programs natively.
    pub(crate) struct Host {
        /// The processor's name as CPUID reports it.
        processor: Known<String> = host.processor.clone().into(),
        /// The hypervisor's name; null if there is none.
        hypervisor: Option<String> = host.hypervisor.clone(),
        /// The time stamp counter.
        counter: Known<Counter> = host.counter.as_ref().map(Counter::of).map_err(Clone::clone).into(),
    }
    from (host: &super::Host)

    /// A time stamp counter.
    pub(crate) struct Counter {
        /// Whether its rate is constant in all power states of the processor.
        invariant: bool = counter.invariant,
        /// Whether RDTSCP exists.
        rdtscp: bool = counter.rdtscp,
        /// The kernel's entry in IA32_TSC_AUX.
        auxiliary: Known<Auxiliary> = counter.auxiliary.clone().map(Auxiliary::of).into(),
        /// Its frequency.
        frequency: Known<Frequency> = counter.frequency.clone().map(Frequency::of).into(),
        /// Its step in ticks.
        quantum_ticks: u64 = counter.quantum,
        /// Core clocks per tick at the time of detection.
        core_clocks_per_tick: f64 = rounded(counter.core_clocks_per_tick),
        /// Ticks of one CPUID.
        cpuid_ticks: u64 = counter.cpuid_ticks,
        /// Whether a hypervisor intercepts CPUID.
        cpuid_traps: bool = counter.cpuid_traps,
        /// The fences that can order a reading.
        fences: Vec<Fence> = counter.fences.iter().map(Fence::of).collect(),
    }
    from (counter: &super::Counter)

    /// The processor that a reading was made on.
    pub(crate) struct Auxiliary {
        /// The processor's number.
        processor: u32 = processor,
        /// The memory node's number.
        node: u32 = node,
    }
    from (numbers: (u32, u32)) {
        let (processor, node) = numbers;
    }

    /// A frequency.
    pub(crate) struct Frequency {
        /// Ticks per second.
        hertz: u64 = hertz,
        /// The source of the figure.
        source: String = source,
    }
    from (known: (u64, String)) {
        let (hertz, source) = known;
    }

    /// A fence.
    pub(crate) struct Fence {
        /// The name by which macros select it.
        name: String = fence.name.clone(),
        /// What it costs.
        cost: Known<FenceCost> = fence.cost.clone().map(FenceCost::of).into(),
        /// Whether it is the macros' default.
        default: bool = fence.default,
    }
    from (fence: &FenceLine)

    /// The cost of a fence.
    pub(crate) struct FenceCost {
        /// Ticks of an empty pair of readings.
        ticks: f64 = rounded(ticks),
        /// Whether a reading waits for all earlier instructions.
        orders: bool = orders,
    }
    from (cost: (f64, bool)) {
        let (ticks, orders) = cost;
    }

    /// A program's runs in both worlds.
    #[cfg_attr(test, schemars(title = "p5inst host run"))]
    pub(crate) struct RunReport<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program's file name, or `<stdin>`.
        program: &'a str = &worlds.run.program,
        /// The host.
        host: Host = Host::of(worlds.host),
        /// The simulated runs.
        simulated: Simulated<'a> = Simulated::of(worlds.run),
        /// The native runs.
        native: Known<Native<'a>> = known(worlds, worlds.native.map(|native| Native::of(worlds, native, summary))),
        /// The regions that macros mark, in source order.
        regions: Vec<Region<'a>> = (0..worlds.run.regions.len())
            .map(|index| Region::of(worlds, summary, index))
            .collect(),
        /// The whole program on the host, macros and calibration included.
        whole: Timed = whole(worlds, summary),
        /// What disturbed the host; empty if it was quiet.
        disturbances: Vec<String> = disturbances(summary),
        /// What the reader should know of both worlds.
        notes: Vec<String> = notes(worlds),
    }
    from (worlds: &Worlds<'a>, summary: &Result<Summary, Missing>)

    /// The simulated runs.
    pub(crate) struct Simulated<'a> {
        /// The chip as `--cpu` takes it.
        cpu: &'a str = run.cpu,
        /// The chip's full name.
        cpu_title: &'a str = run.cpu_title,
        /// The memory preset.
        memory: &'a str = run.memory,
        /// The privilege level.
        cpl: u8 = run.cpl,
        /// Why the last run ended.
        stop: Stop<'a> = Stop::of(&run.stop, &run.files),
        /// How many runs there were.
        runs: u64 = run.runs.len() as u64,
        /// Core clocks of the last run.
        clocks: u64 = run.whole.totals.cycles,
        /// Instructions of the last run.
        instructions: u64 = run.whole.totals.instructions,
    }
    from (run: &'a Run)

    /// The native runs.
    pub(crate) struct Native<'a> {
        /// Why the last run ended.
        stop: Stop<'a> = Stop::of(&native.stop, &worlds.image.files),
        /// How many runs were completed.
        runs: u64 = native.runs.len() as u64,
        /// The counter's step in ticks.
        quantum_ticks: Known<u64> = native.quantum.map_err(|missing| missing.0.to_string()).into(),
        /// Core clocks per tick while the program ran, from a chain of dependent additions.
        core_clocks_per_tick: Known<f64> = known(worlds, ratio.map(|&ratio| rounded(ratio))),
    }
    from (worlds: &Worlds<'a>, native: &'a native::Native, summary: &Result<Summary, Missing>) {
        let ratio = summary.as_ref().and_then(|summary| summary.core_clocks_per_tick.as_ref());
    }

    /// A region in both worlds.
    pub(crate) struct Region<'a> {
        /// The name given to the start macro, or `line N`.
        name: &'a str = &region.name,
        /// `tsc` or `profile`.
        kind: &'static str = match region.kind {
            RegionKind::Tsc => "tsc",
            RegionKind::Profile => "profile",
        },
        /// The line of the start macro's call.
        start_line: u32 = region.start_line,
        /// The line of the end macro's call.
        end_line: u32 = region.end_line,
        /// The simulated passes.
        simulated: SimulatedRegion = SimulatedRegion::of(worlds.run, region),
        /// The native passes.
        host: Timed = Timed::of(
            worlds,
            (host.timing.as_ref(), host.core_clocks.as_ref()),
            host.notes.iter().map(wording::region_note).collect(),
        ),
    }
    from (worlds: &Worlds<'a>, summary: &Result<Summary, Missing>, index: usize) {
        let region = &worlds.run.regions[index];
        let host = figures::region(worlds, summary, index);
    }

    /// A region's simulated passes; an array of two counts for a profile region.
    pub(crate) struct SimulatedRegion {
        /// How many passes there were, over all runs.
        passes: u64 = region.pass_count,
        /// What the macros measured in the warm passes; null if nothing was measured.
        measured: Option<Spread> = warm.as_ref().and_then(|warm| warm.measured).map(|pair| Spread::of(region, pair)),
        /// The simulator's own clocks or counts of the warm passes; null if there were none.
        #[serde(rename = "true")]
        truth: Option<Spread> = warm.as_ref().map(|warm| Spread::of(region, warm.truth)),
        /// Why `measured`, or both, are null.
        #[serde(skip_serializing_if = "Option::is_none")]
        missing: Option<&'static str> = missing.or(region.unavailable[0]).or(region.unavailable[1]),
    }
    from (run: &Run, region: &RegionResult) {
        let simulated = summary::region(run, region);
        let missing = figures::unsimulated(region, &simulated);
        let warm = simulated.warm;
    }

    /// Something timed on the host.
    pub(crate) struct Timed {
        /// Ticks, net of probe overhead.
        ticks: Known<Ticks> = known(worlds, timing.map(Ticks::of)),
        /// Core clocks, estimated: the mean ticks times the core clocks per tick.
        core_clocks: Known<f64> = known(worlds, clocks.map(|&clocks| rounded(clocks))),
        /// Notes on how the timings were made.
        notes: Vec<String> = notes,
    }
    from (worlds: &Worlds<'_>, figures: (Result<&Timing, &Missing>, Result<&f64, &Missing>), notes: Vec<String>) {
        let (timing, clocks) = figures;
    }

    /// Ticks of the time stamp counter, to a thousandth.
    pub(crate) struct Ticks {
        /// How many timings the figures include.
        timings: u64 = timing.kept,
        /// How many more were excluded as interrupted.
        disturbed: u64 = timing.disturbed,
        /// How many of the timings took as long as an interruption, but are too many to be interruptions.
        slow: u64 = timing.slow,
        /// The minimum.
        min: f64 = rounded(timing.min),
        /// The median; of two middle values the lower.
        median: f64 = rounded(timing.median),
        /// The mean.
        mean: f64 = rounded(timing.mean),
        /// The mean's standard error; null for a single timing.
        standard_error: Option<f64> = timing.standard_error.map(rounded),
        /// The overhead subtracted from each.
        overhead: f64 = rounded(timing.overhead),
    }
    from (timing: &Timing)

    /// A program's clocks per instruction in both worlds, without its measuring macros.
    #[cfg_attr(test, schemars(title = "p5inst host cpi"))]
    pub(crate) struct CpiReport<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program's file name, or `<stdin>`.
        program: &'a str = &worlds.run.program,
        /// The host.
        host: Host = Host::of(worlds.host),
        /// The simulated runs.
        simulated: Simulated<'a> = Simulated::of(worlds.run),
        /// Clocks per instruction in the last simulated run; null if it executed none.
        simulated_clocks_per_instruction: Option<f64> = worlds.run.whole.totals.clocks_per_instruction().map(rounded),
        /// The native runs.
        native: Known<Native<'a>> = known(worlds, worlds.native.map(|native| Native::of(worlds, native, summary))),
        /// The whole program on the host.
        whole: Timed = whole(worlds, summary),
        /// The nominal figure: ticks per instruction. The simulation counts the instructions.
        ticks_per_instruction: Known<f64> = of(|host| &host.ticks),
        /// The non-halted figure: estimated core clocks per instruction.
        core_clocks_per_instruction: Known<f64> = of(|host| &host.clocks),
        /// INST_RETIRED and CPU_CLK_UNHALTED of the host's performance monitoring unit.
        events: Known<[u64; 2]> = Err(figures::uncounted(worlds)).into(),
        /// What disturbed the host; empty if it was quiet.
        disturbances: Vec<String> = disturbances(summary),
        /// What the reader should know of both worlds.
        notes: Vec<String> = notes(worlds),
    }
    from (worlds: &Worlds<'a>, summary: &Result<Summary, Missing>, host: &Result<PerInstruction, Missing>) {
        let of = |figure: fn(&PerInstruction) -> &Result<f64, Missing>| {
            let figure = host.as_ref().and_then(|host| figure(host).as_ref());
            known(worlds, figure.map(|&value| rounded(value)))
        };
    }
}

/// Rounds to a thousandth, which is finer than any measurement.
fn rounded(value: f64) -> f64 {
    // The addition turns -0 into 0.
    (value * 1000.0).round() / 1000.0 + 0.0
}

/// A figure, or the words for its absence.
fn known<T>(worlds: &Worlds, figure: Result<T, &Missing>) -> Known<T> {
    figure.map_err(|missing| worlds.words(missing)).into()
}

fn whole(worlds: &Worlds, summary: &Result<Summary, Missing>) -> Timed {
    let summary = summary.as_ref();
    let timing = summary.and_then(|summary| summary.whole.as_ref());
    let clocks = summary.and_then(|summary| summary.whole_core_clocks.as_ref());
    Timed::of(worlds, (timing, clocks), Vec::new())
}

fn disturbances(summary: &Result<Summary, Missing>) -> Vec<String> {
    let found = summary.as_ref().map_or(&[][..], |summary| &summary.disturbances);
    found.iter().map(wording::disturbance).collect()
}

/// The notes of both worlds; a note of both occurs once.
fn notes(worlds: &Worlds) -> Vec<String> {
    let native = worlds.native.map_or(&[][..], |native| &native.notes);
    let mut notes: Vec<String> = native.iter().map(wording::note).collect();
    for note in worlds.run.notes.iter().map(simulated_note) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}
