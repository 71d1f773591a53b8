//! Measurements of code whose cost is known, and of invented series.

use super::*;
use crate::measure;
use core::arch::asm;
use core::cell::Cell;

/// Repeats a measurement until the machine is quiet, at most ten times.
fn quiet(mut measure: impl FnMut() -> Measurement) -> Option<Measurement> {
    for _ in 0..10 {
        let measurement = measure();
        if measurement.core_clocks().is_quiet() {
            return Some(measurement.core_clocks());
        }
    }
    eprintln!("skipped: the machine was never idle");
    None
}

#[test]
fn chains_of_dependent_additions_take_a_core_clock_each() {
    let mut sum = 0u64;
    let shorter = quiet(|| {
        measure!(unroll = 1, {
            // SAFETY: additions of registers.
            unsafe { asm!(".rept 1000", "add {0}, {1}", ".endr", inout(reg) sum, in(reg) 1u64) }
        })
    });
    let longer = quiet(|| {
        measure!(unroll = 1, {
            // SAFETY: as above.
            unsafe { asm!(".rept 2000", "add {0}, {1}", ".endr", inout(reg) sum, in(reg) 1u64) }
        })
    });
    let (Some(shorter), Some(longer)) = (shorter, longer) else {
        return;
    };
    // The frequency of the core changes by a few per cent with the machine's other work, between the measurement of the
    // clock and that of the code. A tick for a clock, or an execution too many, is farther off.
    for (measured, additions) in [(shorter, 1000.0), (longer, 2000.0)] {
        let noise = 0.05 + 3.0 * measured.mad / measured.median;
        assert!((measured.median / additions - 1.0).abs() < noise, "{measured}");
    }
    // The two series were taken at different moments, between which the frequency of the core may change.
    let ratios = [shorter, longer].map(|measured| measured.median / measured.ticks().median);
    assert!(
        (0.5..2.0).contains(&(ratios[0] / ratios[1])),
        "{ratios:?} core clocks a tick"
    );
}

/// A multiplication takes at most five clocks on every processor of this kind; a store and a load beside it take as
/// many more.
#[test]
fn a_chain_of_floating_point_numbers_stays_in_its_register() {
    let mut x = 1.0f64;
    let Some(chain) = quiet(|| measure!(chain = x, { x *= 1.000_001 })) else {
        return;
    };
    assert!(chain.median > 1.5 && chain.median < 5.5, "{chain}");
    // It is a copy that is handed on.
    assert_eq!(x, 1.0);
    x = 2.0;
    // It is 2 again after two copies, and neither grows nor becomes a denormal, which takes longer.
    let options = quiet(|| measure!(runs = 11, chain = x, unroll = 8, fence = lfence, { x = 1.5 - x }));
    let stays = |options: Measurement| options.median > 1.5 && options.median < 5.5;
    assert!(options.is_none_or(stays), "{options:?}");
    let mut number = 3u32;
    let integers = quiet(|| measure!(chain = number, runs = 11, { number = number.wrapping_mul(5) }));
    assert!(integers.is_none_or(|integers| integers.median > 0.5), "{integers:?}");
    assert_eq!((x, number), (2.0, 3));
    (x, number) = (0.0, 0);
    std::hint::black_box((x, number));
}

/// Counts the executions instead of taking their time: the variable of a walk is their number.
#[test]
fn a_walk_goes_on_from_series_to_series_and_a_chain_starts_again() {
    let (count, farthest) = (Cell::new(0u64), Cell::new(0u64));
    let step = |at: u64| {
        count.set(count.get() + 1);
        farthest.set(farthest.get().max(at + 1));
        at + 1
    };
    let at = 0u64;
    let walk = measure!(walk = at, runs = 11, unroll = 2, { at = step(at) });
    // The first execution tells whether the variable changes.
    assert_eq!(farthest.get() + 1, count.get());
    assert!(farthest.get() >= 11 * 3 * walk.executions(), "{walk:?}");
    farthest.set(0);
    let chain = measure!(chain = at, runs = 11, unroll = 2, { at = step(at) });
    assert_eq!(farthest.get(), 2 * chain.executions());
    assert_eq!(at, 0);
    let words = [walk.to_string(), chain.to_string()];
    if words.iter().any(|words| words.contains("too noisy to judge")) {
        eprintln!("the words are not compared: {words:?}");
        return;
    }
    assert!(
        words[0].contains(" executions, with `at` going on from series to series") && !words[0].contains("least"),
        "{words:?}"
    );
    assert!(
        words[1].contains(" executions, each series warm, from the same `at`"),
        "{words:?}"
    );
}

#[test]
fn a_walk_follows_pointers() {
    let last = (std::ptr::null::<u8>(), 1u32);
    let nodes = [last; 2];
    let at = &raw const nodes[0];
    let walk = measure!(walk = at, runs = 11, { at = at.wrapping_add(1) });
    assert!(!walk.unchanged && at == &raw const nodes[0]);
}

#[test]
fn a_variable_that_the_block_does_not_assign_is_told() {
    let x = 1.0f64;
    let kept = measure!(chain = x, runs = 11, { x * 1.5 });
    let even = measure!(chain = x, runs = 11, { x = 1.5 - x });
    let walk = measure!(walk = x, runs = 11, { x });
    assert_eq!([kept, even, walk].map(|one| one.unchanged), [true, false, true]);
    let told = Measurement {
        handed: kept.handed,
        unchanged: true,
        ..summarised(&made_up())
    };
    assert!(
        told.to_string().ends_with(
            "executions, each series warm, from the same `x`; an execution left `x` as it was: if the block does not \
             assign it, as `x = ..` does, nothing is handed on"
        ),
        "{told}"
    );
}

#[test]
fn nearly_a_clock_is_a_clock() {
    let of = |median: f64| Measurement {
        other: [median, median, 0.0, 0.01, 9.0],
        ..summarised(&made_up())
    };
    assert!(!of(0.97).to_string().contains("less than a clock"), "{}", of(0.97));
    assert!(of(0.94).to_string().contains("; less than a clock: "), "{}", of(0.94));
}

#[test]
fn nothing_is_too_short_to_judge_and_a_chain_is_not() {
    let Some(empty) = quiet(|| measure!({})) else {
        return;
    };
    assert!(empty.is_too_short() && empty.median.abs() < 0.5, "{empty:?}");
    assert!(empty.to_string().starts_with("too short to judge: "), "{empty}");
    assert!(empty.ticks().is_too_short(), "in either unit");
    assert!(empty.overhead > 0.0, "{empty:?}");
    let mut number = 3u64;
    let chain = quiet(|| {
        measure!({
            // SAFETY: adds registers.
            unsafe { asm!("add {0}, {0}", inout(reg) number) }
        })
    });
    if let Some(chain) = chain {
        assert!(!chain.is_too_short(), "{chain:?}");
    }
}

#[test]
fn results_of_every_size_are_taken_for_used_and_dropped() {
    use super::result::used;
    let dropped = std::rc::Rc::new(());
    used(dropped.clone());
    assert_eq!(std::rc::Rc::strong_count(&dropped), 1);
    used(());
    used(true);
    used(7u16);
    used(('a', 7u8));
    used(1.5f32);
    used([1u8; 100]);
    used(Some(3u32));
}

#[test]
fn the_code_runs_as_often_as_the_figures_say() {
    let mut count = 0u64;
    #[rustfmt::skip]
    let measurement = measure!(unroll = 2, runs = 11, fence = lfence, { count += 1 },);
    assert_eq!(measurement.runs + measurement.interrupted, 11);
    assert_eq!(measurement.executions() % 2, 0);
    assert!(count >= 11 * 3 * measurement.executions(), "{count} {measurement:?}");
}

#[test]
fn the_number_of_runs_has_bounds() {
    let all = |measurement: Measurement| measurement.runs + measurement.interrupted;
    let of = |runs: u32| all(measure!(runs = runs, {}));
    assert_eq!((of(1), of(100_000)), (FEWEST, MOST_RUNS as u32));
}

#[test]
fn units_change_there_and_back() {
    let ticks = measure!(runs = 11, { additions(2) });
    let clocks = ticks.core_clocks();
    assert_eq!((ticks.unit, clocks.unit), (Unit::Ticks, Unit::CoreClocks));
    assert_eq!(clocks.ticks(), ticks);
    assert_ne!(clocks.median, ticks.median);
}

#[test]
fn an_uneven_measurement_says_so() {
    let uneven = Measurement {
        min: 90.0,
        median: 100.0,
        mad: 5.0,
        quantum: 0.1,
        runs: 11,
        interrupted: 0,
        overhead: 60.0,
        unit: Unit::CoreClocks,
        other: [60.0, 66.0, 3.0, 0.07, 40.0],
        executions: 64,
        lost: 0,
        debug: false,
        handed: None,
        unchanged: false,
    };
    assert!(
        uneven
            .to_string()
            .ends_with("the machine was not idle: the deviation is 5.0 % of the median")
    );
    let noisy = Measurement {
        min: -9_241_816.5,
        mad: 40.0,
        ..uneven
    };
    assert_eq!(
        noisy.to_string(),
        "too noisy to judge: 11 runs of 64 and 128 executions differ by more than a quarter: the machine is not idle, \
         or the block does other work each time"
    );
    let below = Measurement {
        other: [-4.2, -4.1, 0.1, 0.1, 20.0],
        mad: 0.1,
        median: -4.1,
        min: -4.2,
        ..uneven
    };
    assert_eq!(
        below.to_string(),
        "cannot be judged: 64 executions take longer than 128 in 11 runs, so that the copies in a loop change each \
         other's time; try another `unroll`"
    );
    // One disturbed run of many has no least cost, and builds with debug assertions say that they are.
    let disturbed = Measurement {
        min: -3.0,
        mad: 0.5,
        debug: true,
        ..uneven
    };
    assert_eq!(
        disturbed.to_string(),
        "100.00 core clocks (66.00 ticks), deviation 0.50 core clocks, 11 runs of 64 and 128 executions, which \
         the processor overlaps; with `chain = x`, each waits for the one before; built with debug assertions: the \
         code may not be optimised"
    );
    let even = Measurement { mad: 0.5, ..uneven };
    assert_eq!(
        even.to_string(),
        "100.00 core clocks (66.00 ticks), deviation 0.50 core clocks, least 90.00 core clocks, 11 runs of 64 and \
         128 executions, which the processor overlaps; with `chain = x`, each waits for the one before; the \
         machine was not idle: the fastest runs took 10 % less, as another program may use the same core"
    );
    let far = Measurement {
        median: 1000.0,
        mad: 300.0,
        ..noisy
    };
    let budget = far.within(12.0).expect_err("it is far above");
    let words = "over the budget of 12.00 core clocks by its median, 1000.00, least -9241816.50: too noisy";
    assert!(budget.to_string().starts_with(words), "{budget}");
}

#[test]
fn figures_within_the_noise_are_not_shown() {
    let figures = |median: f64, mad: f64, executions: u64| Measurement {
        min: median,
        median,
        mad,
        quantum: 0.01,
        runs: 101,
        interrupted: 0,
        overhead: 60.0,
        unit: Unit::CoreClocks,
        other: [median, median, mad, 0.01, 60.0],
        executions,
        lost: 0,
        debug: false,
        handed: None,
        unchanged: false,
    };
    assert!(figures(0.5, 0.0, 64).is_too_short() && !figures(0.51, 0.0, 64).is_too_short());
    const SHORT: &str = "too short to judge";
    const NOISY: &str = "too noisy to judge";
    for (median, mad, words) in [
        (0.0, 0.0, SHORT),
        (-0.3, 0.01, SHORT),
        (0.04, 0.0, SHORT),
        (0.05, 0.0, "0.05 core clocks ("),
        (0.12, 0.04, SHORT),
        (0.13, 0.04, "0.13 core clocks ("),
        (0.9, 0.5, SHORT),
        // Not too short, but the machine was not idle.
        (1.0, 0.2, "1.00 core clocks ("),
        (1.0, 0.5, NOISY),
        (1000.0, 900.0, NOISY),
        (-9_241_816.5, 1e7, NOISY),
    ] {
        let measured = figures(median, mad, 1 << 16);
        assert_eq!(measured.is_too_short(), words == SHORT, "{median} {mad}");
        assert_eq!(measured.is_too_noisy(), words == NOISY, "{median} {mad}");
        assert!(measured.to_string().starts_with(words), "{measured}");
    }
}

#[test]
fn debugging_shows_both_units_by_name() {
    let measured = summarised(&made_up());
    assert_eq!(
        format!("{measured:?}"),
        "Measurement { \
         core_clocks: Figures { min: 20.0000, median: 20.0000, mad: 0.0000, quantum: 0.0312, overhead: 800 }, \
         ticks: Figures { min: 10.0000, median: 10.0000, mad: 0.0000, quantum: 0.0156, overhead: 400 }, \
         runs: 21, interrupted: 0, executions: 64 }"
    );
}

/// Series of 64 executions of 10 ticks each, with 400 ticks for probe and loop, and a chain of 500 clocks in 250 ticks.
fn made_up() -> [[u64; 21]; 3] {
    [[400 + 640; 21], [400 + 1280; 21], [250; 21]]
}

fn summarised(series: &[[u64; 21]; 3]) -> Measurement {
    summarise(series.each_ref().map(|series| &series[..]), &[false; 21], 1, 64, 1, 2.0)
}

#[test]
fn one_execution_is_the_difference_of_both_series() {
    let ticks = summarised(&made_up());
    assert_eq!(
        (ticks.min, ticks.median, ticks.mad, ticks.overhead),
        (10.0, 10.0, 0.0, 400.0)
    );
    assert_eq!((ticks.runs, ticks.interrupted, ticks.quantum), (21, 0, 1.0 / 64.0));
    let clocks = ticks.core_clocks();
    assert_eq!(
        (clocks.median, clocks.overhead, clocks.quantum),
        (20.0, 800.0, 2.0 / 64.0)
    );
}

#[test]
fn runs_with_an_interrupted_series_are_left_out_and_counted() {
    let mut series = made_up();
    for (run, series) in series.iter_mut().enumerate() {
        series[3 + run] += 90_000;
    }
    let measured = summarised(&series);
    assert_eq!((measured.runs, measured.interrupted), (18, 3));
    assert_eq!((measured.min, measured.core_clocks().min), (10.0, 20.0));
}

#[test]
fn where_most_runs_are_disturbed_all_count_and_the_deviation_tells() {
    let mut series = made_up();
    // Disturbs one series in all runs but a few.
    for run in 0..18 {
        series[run % 3][run] += 40_000 + 1000 * run as u64;
    }
    let measured = summarised(&series);
    assert_eq!((measured.runs, measured.interrupted), (21, 0));
    assert!(!measured.is_quiet(), "{measured:?}");
}

#[test]
fn runs_that_lost_the_processor_are_left_out_or_make_it_too_noisy() {
    // All series of these runs take nearly twice their time, as those longer than a time slice do.
    let mut series = made_up();
    let mut lost = [false; 21];
    for run in 0..14 {
        series[0][run] *= 2;
        series[1][run] *= 2;
        lost[run] = true;
    }
    let of = |lost: &[bool]| summarise(series.each_ref().map(|series| &series[..]), lost, 1, 64, 1, 2.0);
    let measured = of(&lost);
    assert_eq!((measured.runs, measured.interrupted, measured.median), (7, 14, 10.0));
    assert!(!measured.is_quiet() && !measured.is_too_noisy());
    assert!(
        measured
            .to_string()
            .contains("14 more interrupted; the machine was not idle")
    );
    lost[14..17].fill(true);
    let measured = of(&lost);
    assert!(measured.is_too_noisy() && !measured.is_quiet() && !measured.is_too_short());
    assert_eq!(
        measured.to_string(),
        "too noisy to judge: the processor was given to others in 17 of 21 runs of 64 and 128 executions; measure on \
         an idle machine, or fewer executions, with `unroll = 1`"
    );
}

#[test]
fn the_least_cost_is_that_of_the_fastest_series() {
    // A disturbed shorter series makes a small difference, which no execution took.
    let mut series = made_up();
    series[0][3] += 1;
    series[0][4] += 300;
    let measured = summarised(&series);
    assert_eq!(measured.min, 10.0);
}

#[test]
fn a_counter_that_went_backwards_is_one_run_left_out() {
    let mut series = made_up();
    series[1][5] = 0u64.wrapping_sub(7);
    let measured = summarised(&series);
    assert_eq!((measured.runs, measured.interrupted, measured.median), (20, 1, 10.0));
}

#[test]
fn a_budget_fails_with_the_figure_and_the_limit() {
    let series = |base: u64| -> Vec<u64> { (0..21).map(|run| base + run % 3).collect() };
    let [short, long, chain] = [series(100_000), series(200_000), series(50_000)];
    // 100 core clocks each: the chain of 100 turns takes as many ticks as core clocks.
    let measurement = summarise([&short, &long, &chain], &[false; 21], 100, 1000, 1, 1.0);
    assert_eq!(measurement.within(100.0), Ok(()));
    assert_eq!(measurement.within(99.99), Ok(()), "within its uncertainty");
    let error = measurement.within(90.0).expect_err("over the budget");
    assert!(
        error
            .to_string()
            .starts_with("over the budget of 90.00 core clocks: 100.0"),
        "{error}"
    );
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(measurement.uncertainty() >= 0.032, "{}", measurement.uncertainty());
}
