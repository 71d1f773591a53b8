//! Artificial native runs for the tests of this folder, beside the simulated run of `report::specimen`.

use super::{Counter, FenceLine, Host};
use p5_host::native::{Native, NativeRun, Note};
use p5_image::{Image, Log, Region, RegionKind};
use p5_results::{Run, Stop, StopReason};

/// The addresses at which the artificial regions leave their results.
const SLOTS: [u32; 2] = [0x2004, 0x2008];

pub(super) fn host() -> Host {
    Host {
        processor: Ok("Example 9000".to_owned()),
        hypervisor: Some("KVM".to_owned()),
        counter: Ok(Counter {
            invariant: true,
            rdtscp: false,
            auxiliary: Err("the processor has no RDTSCP (CPUID.80000001h:EDX bit 27 is clear)".to_owned()),
            frequency: Ok((2_596_122_000, "calibrated against the monotonic clock".to_owned())),
            quantum: 26,
            core_clocks_per_tick: 1.5834,
            cpuid_ticks: 9750,
            cpuid_traps: true,
            fences: vec![
                FenceLine {
                    name: "lfence".to_owned(),
                    cost: Ok((40.25, true)),
                    default: true,
                },
                FenceLine {
                    name: "rdtscp".to_owned(),
                    cost: Err("the processor has no RDTSCP (CPUID.80000001h:EDX bit 27 is clear)".to_owned()),
                    default: false,
                },
                FenceLine {
                    name: "none".to_owned(),
                    cost: Ok((26.0, false)),
                    default: false,
                },
            ],
        }),
    }
}

/// An image with the regions of `run`.
pub(super) fn image(run: &Run) -> Image {
    Image {
        files: run.files.clone(),
        library: run.library,
        log: Some(Log {
            address: 0x2010,
            empty: 0x2000,
        }),
        regions: run
            .regions
            .iter()
            .zip(SLOTS)
            .map(|(one, slot)| Region {
                name: one.name.clone(),
                kind: one.kind,
                file: one.file,
                start_line: one.start_line,
                end_line: one.end_line,
                first: 0x1000,
                after: 0x1001,
                done: 0x1002,
                measured: match one.kind {
                    RegionKind::Tsc => vec![slot],
                    RegionKind::Profile => vec![slot, slot + 4],
                },
                library: true,
                events: one.events.map(|events| events.map(|(selector, _)| selector)),
            })
            .collect(),
        ..Image::default()
    }
}

/// A thousand runs with two passes each through the first region; one of the passes is interrupted.
pub(super) fn native() -> Native {
    let runs = (0..1000u32).map(|index| {
        let step = if index % 5 < 3 { 26 } else { 52 };
        let interruption = if index == 500 { 12_345 } else { 0 };
        NativeRun {
            ticks: 700 + u64::from(step),
            passes: vec![
                (0x2000, step),
                (SLOTS[0], step + 26),
                (SLOTS[0], step + 52 + interruption),
            ],
            measured: vec![vec![52], vec![0, 0]],
        }
    });
    Native {
        stop: Stop {
            place: Some((0, 15)),
            ..Stop::plain(StopReason::Return)
        },
        runs: runs.collect(),
        empty: vec![182, 208, 182, 208],
        ended_by_signal: Vec::new(),
        chain: vec![1456, 1482, 1456, 1482],
        chain_length: 2000,
        quantum: Ok(26),
        notes: vec![Note::OutputDropped],
    }
}
