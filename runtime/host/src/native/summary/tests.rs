//! The arithmetic of native runs, on runs with a known answer.

use super::super::NativeRun;
use super::*;
use asm_macros::{Reason, Unavailable};
use fastrand::Rng;
use p5_image::{Log as ImageLog, Segment};
use p5_results::{Stop, StopReason};

const EMPTY: u32 = 0x2000;
const SLOT: u32 = 0x2004;
const LAST: u32 = 0x2008;
const LOG: u32 = 0x2010;

fn region(kind: RegionKind, measured: u32) -> Region {
    Region {
        name: "region".to_owned(),
        kind,
        file: 0,
        start_line: 1,
        end_line: 2,
        first: 0x1000,
        after: 0x1001,
        done: 0x1002,
        measured: vec![measured],
        library: measured != LAST,
        events: None,
    }
}

fn image(regions: Vec<Region>) -> Image {
    let mut bytes = vec![0; 0x18];
    bytes[0x14] = 100;
    Image {
        log: Some(ImageLog {
            address: LOG,
            empty: EMPTY,
        }),
        segments: vec![Segment {
            name: "data".to_owned(),
            address: 0x2000,
            bytes,
            zeroes: 800,
            writable: true,
        }],
        regions,
        ..Image::default()
    }
}

fn native(runs: Vec<NativeRun>) -> Native {
    Native {
        stop: Stop::plain(StopReason::Return),
        runs,
        empty: vec![182; 100],
        ended_by_signal: Vec::new(),
        chain: vec![1182; 40],
        chain_length: 1500,
        quantum: Ok(26),
        notes: Vec::new(),
    }
}

/// The reading of a counter that advances in steps, for an interval of `ticks` that begins at a random phase.
fn seen(random: &mut Rng, ticks: f64, step: f64) -> u32 {
    let begun = random.f64() * step;
    (((begun + ticks) / step).floor() * step) as u32
}

#[test]
fn the_mean_of_many_passes_is_finer_than_the_counters_step() {
    let seed = p5_seeds::seed();
    let mut random = Rng::with_seed(seed);
    let mut runs = Vec::new();
    for _ in 0..2000 {
        let mut passes: Vec<(u32, u32)> = (0..64).map(|_| (EMPTY, seen(&mut random, 40.3, 26.0))).collect();
        passes.extend((0..4).map(|_| (SLOT, seen(&mut random, 40.3 + 7.1, 26.0))));
        // An occasional interruption.
        if random.u8(..50) == 0 {
            passes[64].1 += random.u32(3_000..90_000);
        }
        runs.push(NativeRun {
            ticks: 500,
            passes,
            measured: Vec::new(),
        });
    }
    let summary = summary(&image(vec![region(RegionKind::Tsc, SLOT)]), &native(runs));
    let timing = summary.regions[0].timing.clone().expect("passes");
    let error = timing.standard_error.expect("many runs");
    assert!((timing.mean - 7.1).abs() < 5.0 * error, "seed {seed}: {timing:?}");
    assert!((0.05..0.5).contains(&error), "seed {seed}: {timing:?}");
    assert!((5..200).contains(&timing.disturbed), "seed {seed}: {timing:?}");
    assert_eq!(timing.kept + timing.disturbed, 1999 * 4, "the first run is cold");
    assert_eq!(summary.core_clocks_per_tick, Ok(1.5));
    assert_eq!(summary.regions[0].core_clocks, Ok(timing.mean * 1.5));
    assert_eq!(summary.whole.expect("runs").mean, 500.0 - 182.0);
    assert!(summary.disturbances.is_empty(), "{:?}", summary.disturbances);
}

#[test]
fn what_a_signal_takes_is_taken_off_where_one_ends_the_program() {
    let mut halted = native(vec![
        NativeRun {
            ticks: 7000,
            ..NativeRun::default()
        };
        4
    ]);
    halted.ended_by_signal = vec![4800; 100];
    let whole = summary(&image(Vec::new()), &halted).whole.expect("runs");
    assert_eq!((whole.mean, whole.overhead), (2200.0, 4800.0));
    halted.ended_by_signal = vec![6900; 100];
    let lost = summary(&image(Vec::new()), &halted).whole;
    assert_eq!(lost, Err(Missing::LostInSignal { ticks: 6900.0 }));
}

#[test]
fn a_regions_own_slow_way_is_no_interruption() {
    let runs = (0..100)
        .map(|index| NativeRun {
            ticks: 5000,
            passes: vec![(EMPTY, 26), (SLOT, if index % 4 == 0 { 4026 } else { 126 })],
            measured: Vec::new(),
        })
        .collect();
    let timing = summary(&image(vec![region(RegionKind::Tsc, SLOT)]), &native(runs)).regions[0]
        .timing
        .clone()
        .expect("passes");
    assert_eq!((timing.kept, timing.disturbed, timing.slow), (99, 0, 24));
    assert_eq!(timing.mean, (24.0 * 4000.0 + 75.0 * 100.0) / 99.0);
}

#[test]
fn passes_of_one_run_count_as_one_for_the_error() {
    let same: Vec<(u32, i64)> = (0..10).flat_map(|run| [(run, i64::from(run)); 100]).collect();
    let once: Vec<(u32, i64)> = (0..10).map(|run| (run, i64::from(run))).collect();
    let [many, few] = [&same, &once].map(|samples| timing(samples, Ways::Several, 1, None).expect("samples"));
    let (many, few) = (
        many.standard_error.expect("several"),
        few.standard_error.expect("several"),
    );
    assert!((many - few).abs() < 1e-12, "{many} {few}");
    let of_one_run = timing(&[(0, 1), (0, 3), (0, 5), (0, 7)], Ways::Several, 1, None).expect("samples");
    // Variance 20/3, of four.
    assert!((of_one_run.standard_error.expect("several") - (20.0f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
    assert_eq!(
        timing(&[(0, 1)], Ways::One, 1, None).expect("a sample").standard_error,
        None
    );
    assert_eq!(timing(&[], Ways::One, 1, None), None);
}

#[test]
fn what_is_missing_has_its_reason() {
    let reason = |image: &Image, native: &Native| {
        let summary = summary(image, native);
        summary.regions[0].timing.clone().expect_err("no timing")
    };
    let tsc = image(vec![region(RegionKind::Tsc, SLOT)]);
    let run = |passes: Vec<(u32, u32)>| {
        native(vec![NativeRun {
            ticks: 1,
            passes,
            measured: vec![vec![0]],
        }])
    };
    let nothing = native(Vec::new());
    assert_eq!(reason(&tsc, &nothing), Missing::NoRun(nothing.stop));
    assert_eq!(reason(&tsc, &run(vec![(EMPTY, 26)])), Missing::NoPass);
    assert_eq!(reason(&tsc, &run(vec![(SLOT, 26)])), Missing::NoEmptyPass);
    assert_eq!(
        reason(&tsc, &run(vec![(EMPTY, 26), (SLOT, u32::MAX)])),
        Missing::PassTooLong { most: 4_294_967_294 }
    );
    let profile = image(vec![region(RegionKind::Profile, SLOT)]);
    assert_eq!(reason(&profile, &run(Vec::new())), Missing::NotCounted);
    let mut nowhere = tsc.clone();
    nowhere.regions[0].measured.clear();
    assert_eq!(reason(&nowhere, &run(vec![(EMPTY, 26)])), Missing::NoResult);

    let mut unknown = run(vec![(EMPTY, 26), (SLOT, 52)]);
    unknown.chain.clear();
    let without_chain = summary(&tsc, &unknown);
    assert!(without_chain.regions[0].timing.is_ok());
    assert_eq!(without_chain.regions[0].core_clocks, Err(Missing::NoChain));
    let mut forbidden = native(Vec::new());
    (forbidden.quantum, forbidden.chain) = (Err(Unavailable(Reason::TscDisabled)), Vec::new());
    let told = summary(&tsc, &forbidden);
    for why in [
        told.whole.expect_err("nothing timed"),
        told.regions[0].timing.clone().expect_err("nothing timed"),
        told.core_clocks_per_tick.expect_err("nothing timed"),
    ] {
        assert_eq!(why, Missing::Untimed(Reason::TscDisabled));
    }
    unknown.empty.clear();
    assert_eq!(summary(&tsc, &unknown).whole, Err(Missing::NoEmptyProgram));
}

#[test]
fn a_full_log_is_told() {
    let passes = (0..100)
        .map(|index| (if index < 64 { EMPTY } else { SLOT }, 26))
        .collect();
    let runs = vec![NativeRun {
        ticks: 1,
        passes,
        measured: Vec::new(),
    }];
    let summary = summary(&image(vec![region(RegionKind::Tsc, SLOT)]), &native(runs));
    assert_eq!(summary.regions[0].notes, [RegionNote::LogFull { capacity: 100 }]);
}

#[test]
fn what_the_files_own_macros_left_is_signed_and_said_to_be_theirs() {
    let runs: Vec<NativeRun> = [900u32, 25, 51, 25, (-1i32) as u32]
        .iter()
        .map(|&left| NativeRun {
            ticks: 400,
            passes: Vec::new(),
            measured: vec![vec![left], vec![left]],
        })
        .collect();
    let own = region(RegionKind::Tsc, LAST);
    let one = summary(&image(vec![own.clone()]), &native(runs.clone()));
    let timing = one.regions[0].timing.clone().expect("results");
    assert_eq!((timing.min, timing.median, timing.mean), (-1.0, 25.0, 25.0));
    assert_eq!(one.regions[0].notes, [RegionNote::OwnMacros]);
    let two = summary(&image(vec![own.clone(), own]), &native(runs));
    assert_eq!(two.regions[1].timing, Err(Missing::SharedResult { median: Some(25.0) }));
}

#[test]
fn a_restless_machine_is_told() {
    let mut restless = native(vec![NativeRun::default(); 10]);
    restless.chain = (0..40).map(|index| 1000 + index * 20).collect();
    restless.empty = (0..100).map(|index| if index % 13 == 0 { 9000 } else { 182 }).collect();
    let found = summary(&image(Vec::new()), &restless).disturbances;
    assert!(
        matches!(
            found[..],
            [
                Disturbance::ClockRate {
                    additions: 1500,
                    ticks: [1080.0, 1720.0]
                },
                Disturbance::Interruptions { .. },
            ]
        ),
        "{found:?}"
    );
}

#[test]
fn a_core_with_two_rates_is_told_though_most_samples_agree() {
    let mut changing = native(vec![NativeRun::default(); 10]);
    changing.chain = (0..32).map(|index| if index < 8 { 1267 } else { 1152 }).collect();
    let found = summary(&image(Vec::new()), &changing).disturbances;
    let rates = Disturbance::ClockRate {
        additions: 1500,
        ticks: [1152.0, 1267.0],
    };
    assert_eq!(found, [rates]);
}

#[test]
fn what_is_hidden_by_the_way_in_and_out_is_not_divided_by_instructions() {
    let of = |ticks: [u64; 4]| {
        let runs = ticks.map(|ticks| NativeRun {
            ticks,
            ..NativeRun::default()
        });
        per_instruction(&native(runs.to_vec()), Ok(4))
    };
    // Entry and exit take 182 ticks, and the first run is not counted.
    for hidden in [[900, 156, 182, 182], [900, 182, 182, 182], [900, 182, 208, 182]] {
        let told = of(hidden);
        for figure in [&told.ticks, &told.clocks] {
            assert_eq!(figure, &Err(Missing::TooShort), "{hidden:?}: {told:?}");
        }
        assert!(told.whole.is_ok() && told.core_clocks.is_ok(), "{told:?}");
        assert_eq!(told.instructions, Ok(4));
    }
    assert_eq!(of([900, 192, 192, 192]).ticks, Ok(2.5));
}

#[test]
fn time_is_divided_by_the_instructions_if_their_number_is_known() {
    let runs = vec![
        NativeRun {
            ticks: 1182,
            ..NativeRun::default()
        };
        3
    ];
    let known = per_instruction(&native(runs.clone()), Ok(500));
    assert_eq!(
        (known.ticks, known.clocks, known.core_clocks),
        (Ok(2.0), Ok(3.0), Ok(1500.0))
    );
    let differ = Missing::EndsDiffer {
        simulated: StopReason::Return,
        native: StopReason::End,
    };
    let unknown = per_instruction(&native(runs.clone()), Err(differ.clone()));
    assert_eq!(unknown.ticks, Err(differ));
    assert_eq!(unknown.whole.expect("runs").mean, 1000.0);
    assert_eq!(per_instruction(&native(runs), Ok(0)).ticks, Err(Missing::NoInstruction));
}
