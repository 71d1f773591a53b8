//! The host's JSON reports: figures in the shapes of `schema`.

use super::super::json::spread;
use super::super::schema::Stop;
use super::schema::{self, Known, SCHEMA_VERSION};
use super::{Host, Worlds, cpi, regions, wording};
use crate::summary;
use crate::wording::{note as simulated_note, stop as stop_words};
use crate::write_json;
use p5_host::native::Missing;
use p5_host::native::summary::{PerInstruction, Summary, Timing};
use p5_image::{RegionKind, SourceFile};
use p5_results as run;
use serde::Serialize;
use std::io::{self, Write};

pub(super) fn write(report: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    write_json(report, out)
}

pub(super) fn tsc(host: &Host) -> schema::TscReport {
    schema::TscReport {
        schema_version: SCHEMA_VERSION,
        host: self::host(host),
    }
}

pub(super) fn run<'a>(worlds: &Worlds<'a>, summary: &Result<Summary, Missing>) -> schema::RunReport<'a> {
    schema::RunReport {
        schema_version: SCHEMA_VERSION,
        program: &worlds.run.program,
        host: host(worlds.host),
        simulated: simulated(worlds.run),
        native: native(worlds, summary),
        regions: (0..)
            .zip(&worlds.run.regions)
            .map(|(index, one)| region(worlds, summary, index, one))
            .collect(),
        whole: whole(worlds, summary),
        disturbances: disturbances(summary),
        notes: notes(worlds),
    }
}

pub(super) fn cpi<'a>(
    worlds: &Worlds<'a>,
    summary: &Result<Summary, Missing>,
    host: &Result<PerInstruction, Missing>,
) -> schema::CpiReport<'a> {
    let of = |figure: fn(&PerInstruction) -> &Result<f64, Missing>| {
        let figure = host.as_ref().and_then(|host| figure(host).as_ref());
        known(worlds, figure.map(|&value| rounded(value)))
    };
    schema::CpiReport {
        schema_version: SCHEMA_VERSION,
        program: &worlds.run.program,
        host: self::host(worlds.host),
        simulated: simulated(worlds.run),
        simulated_clocks_per_instruction: worlds.run.whole.totals.clocks_per_instruction().map(rounded),
        native: native(worlds, summary),
        whole: whole(worlds, summary),
        ticks_per_instruction: of(|host| &host.ticks),
        core_clocks_per_instruction: of(|host| &host.clocks),
        events: Err(cpi::uncounted(worlds)).into(),
        disturbances: disturbances(summary),
        notes: notes(worlds),
    }
}

/// Rounded to a thousandth, which is finer than any measurement.
fn rounded(value: f64) -> f64 {
    // Adding 0 turns -0 into 0.
    (value * 1000.0).round() / 1000.0 + 0.0
}

fn host(host: &Host) -> schema::Host {
    let counter = host
        .counter
        .as_ref()
        .map_err(Clone::clone)
        .map(|counter| schema::Counter {
            invariant: counter.invariant,
            rdtscp: counter.rdtscp,
            auxiliary: counter
                .auxiliary
                .clone()
                .map(|(processor, node)| schema::Auxiliary { processor, node })
                .into(),
            frequency: counter
                .frequency
                .clone()
                .map(|(hertz, source)| schema::Frequency { hertz, source })
                .into(),
            quantum_ticks: counter.quantum,
            core_clocks_per_tick: rounded(counter.core_clocks_per_tick),
            cpuid_ticks: counter.cpuid_ticks,
            cpuid_traps: counter.cpuid_traps,
            fences: counter
                .fences
                .iter()
                .map(|fence| schema::Fence {
                    name: fence.name.clone(),
                    cost: fence
                        .cost
                        .clone()
                        .map(|(ticks, orders)| schema::FenceCost {
                            ticks: rounded(ticks),
                            orders,
                        })
                        .into(),
                    default: fence.default,
                })
                .collect(),
        });
    schema::Host {
        processor: host.processor.clone().into(),
        hypervisor: host.hypervisor.clone(),
        counter: counter.into(),
    }
}

fn stop<'a>(stop: &'a run::Stop, files: &'a [SourceFile]) -> Stop<'a> {
    Stop {
        reason: stop.reason.name(),
        code: stop.code,
        message: stop_words(stop),
        file: stop
            .place
            .and_then(|(file, _)| files.get(file as usize))
            .map(|file| file.name.as_str()),
        line: stop.place.map(|(_, line)| line),
        shutdown: stop.shutdown,
        handling: crate::wording::raised(stop, files),
    }
}

fn simulated(run: &run::Run) -> schema::Simulated<'_> {
    schema::Simulated {
        cpu: run.cpu,
        cpu_title: run.cpu_title,
        memory: run.memory,
        cpl: run.cpl,
        stop: stop(&run.stop, &run.files),
        runs: run.runs.len() as u64,
        clocks: run.whole.totals.cycles,
        instructions: run.whole.totals.instructions,
    }
}

fn native<'a>(worlds: &Worlds<'a>, summary: &Result<Summary, Missing>) -> Known<schema::Native<'a>> {
    let ratio = summary.as_ref();
    let ratio = ratio.and_then(|summary| summary.core_clocks_per_tick.as_ref());
    let image = worlds.image;
    let native = worlds.native.map(|native| schema::Native {
        stop: stop(&native.stop, &image.files),
        runs: native.runs.len() as u64,
        quantum_ticks: native.quantum.map_err(|missing| missing.0.to_string()).into(),
        core_clocks_per_tick: known(worlds, ratio.map(|&ratio| rounded(ratio))),
    });
    known(worlds, native)
}

/// A figure, or the words for its absence.
fn known<T>(worlds: &Worlds, figure: Result<T, &Missing>) -> Known<T> {
    figure.map_err(|missing| worlds.words(missing)).into()
}

fn ticks(timing: &Timing) -> schema::Ticks {
    schema::Ticks {
        timings: timing.kept,
        disturbed: timing.disturbed,
        slow: timing.slow,
        min: rounded(timing.min),
        median: rounded(timing.median),
        mean: rounded(timing.mean),
        standard_error: timing.standard_error.map(rounded),
        overhead: rounded(timing.overhead),
    }
}

fn whole(worlds: &Worlds, summary: &Result<Summary, Missing>) -> schema::Timed {
    let summary = summary.as_ref();
    let (timing, clocks) = (
        summary.and_then(|summary| summary.whole.as_ref()),
        summary.and_then(|summary| summary.whole_core_clocks.as_ref()),
    );
    schema::Timed {
        ticks: known(worlds, timing.map(ticks)),
        core_clocks: known(worlds, clocks.map(|&clocks| rounded(clocks))),
        notes: Vec::new(),
    }
}

fn region<'a>(
    worlds: &Worlds<'a>,
    summary: &Result<Summary, Missing>,
    index: usize,
    region: &'a run::RegionResult,
) -> schema::Region<'a> {
    let simulated = summary::region(worlds.run, region);
    let missing = regions::unsimulated(region, &simulated);
    let warm = simulated.warm;
    let host = regions::host(worlds, summary, index);
    schema::Region {
        name: &region.name,
        kind: match region.kind {
            RegionKind::Tsc => "tsc",
            RegionKind::Profile => "profile",
        },
        start_line: region.start_line,
        end_line: region.end_line,
        simulated: schema::SimulatedRegion {
            passes: region.pass_count,
            measured: warm
                .as_ref()
                .and_then(|warm| warm.measured)
                .map(|pair| spread(region, pair)),
            truth: warm.as_ref().map(|warm| spread(region, warm.truth)),
            missing: missing.or(region.unavailable[0]).or(region.unavailable[1]),
        },
        host: schema::Timed {
            ticks: known(worlds, host.timing.as_ref().map(ticks)),
            core_clocks: known(worlds, host.core_clocks.as_ref().map(|&clocks| rounded(clocks))),
            notes: host.notes.iter().map(wording::region_note).collect(),
        },
    }
}

fn disturbances(summary: &Result<Summary, Missing>) -> Vec<String> {
    let found = summary.as_ref().map_or(&[][..], |summary| &summary.disturbances);
    found.iter().map(wording::disturbance).collect()
}

/// The notes of both worlds; one that both have is there once.
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
