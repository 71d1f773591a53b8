//! The cost of one execution of a few instructions: `measure!`, and how it is determined.
//!
//! A single pair of reads shows the code, the probe and the step of the counter together. `measure!` repeats the code n
//! times and 2n times, unrolled, in loops of the same count that are long compared with a step of the counter. The
//! difference is n executions and nothing else, because probe and loop are the same in both. A chain of dependent
//! additions, whose core clocks are known, follows each pair of series immediately, so that ticks convert to core
//! clocks whatever the frequency of the core is at that moment. Median and spread are taken over many such runs.

mod budget;
mod chained;
mod display;
mod macros;
mod result;
pub(crate) mod switches;
mod unroll;

pub use budget::OverBudget;
pub use chained::{Chained, differ, held};
pub use macros::{once, runs_of_literal};

use crate::statistics::{Spread, disturbed_from};
use crate::tsc::{Fence, additions, quantum};
use switches::switches;

/// The maximum number of runs.
pub const MOST_RUNS: usize = 1001;
/// The series of a walk are this many times longer than others, because its steps differ.
const WALK_LENGTHS: u64 = 16;
/// The default number of runs.
pub const RUNS: u32 = 101;
/// The minimum length of a series in steps of the counter: a step is at most 0.2 % of it.
const STEPS: u64 = 500;
/// No further run starts after this many ticks, a few seconds, unless there are fewer than `FEWEST`.
const PATIENCE: u64 = 8_000_000_000;
const FEWEST: u32 = 11;
/// The additions in one turn of the chain that the series are compared with.
const TURN: f64 = 500.0;
/// A median up to this many steps of the counter, divided by the executions, is noise: each of the four reads in a
/// difference of two series is off by up to one step.
const NOISE_STEPS: f64 = 4.0;
/// A median up to this many core clocks, divided by the executions, is noise too: a series ends with a mispredicted
/// branch, whose cost varies.
const NOISE_CLOCKS: f64 = 32.0;
/// A median up to this many deviations is noise, if it is below a core clock.
const NOISE_DEVIATIONS: f64 = 3.0;
/// A deviation above this fraction of the median means that the machine was not idle.
const QUIET: f64 = 0.01;
/// The share of the median by which the fastest series may be below it on an idle machine.
const SLOWED: f64 = 0.05;
/// With fewer runs in which the thread kept the processor, nothing is known about the code.
const FEWEST_OWN: usize = FEWEST as usize / 2 + 1;
/// A deviation above this fraction of the median says nothing about the code.
const TOO_NOISY: f64 = 0.25;

/// The unit of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Ticks of the time stamp counter.
    Ticks,
    /// Clocks of the core, from the chain of additions measured after each run.
    CoreClocks,
}

/// What an execution takes from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// The variable of `chain = x`, which every series begins with the same number.
    Chain(&'static str),
    /// The variable of `walk = x`, with which a series goes on where the one before ended.
    Walk(&'static str),
}

/// The settings of a measurement, which the macro fills in.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of copies of the code in the shorter series, n. The longer one has 2n.
    pub unroll: u32,
    /// The number of runs, 11 to 1001; other numbers count as the nearest of these.
    pub runs: u32,
    /// The fence that orders the reads.
    pub fence: Fence,
    /// Whether the code is built with debug assertions, as debug builds are.
    pub debug: bool,
    /// The variable that an execution takes from the one before, if the macro knows one.
    pub handed: Option<&'static Handed>,
}

/// The cost of one execution. [`is_too_short`](Measurement::is_too_short) says whether it can be told from that of an
/// empty block.
#[derive(Clone, Copy, PartialEq)]
#[must_use = "a measurement has no effect unless it is printed or read"]
pub struct Measurement {
    /// The cost by the fastest series of either length, in `unit`; at most the median.
    pub min: f64,
    /// The median of the runs, in `unit`.
    pub median: f64,
    /// The median absolute deviation of the runs, in `unit`.
    pub mad: f64,
    /// One step of the counter, divided by the executions: the resolution of a single run. The median may be finer.
    pub quantum: f64,
    /// The number of runs used, without those discarded.
    pub runs: u32,
    /// The number of runs discarded because one of their series was interrupted, or the processor was given to others.
    pub interrupted: u32,
    /// The median cost of probe and loop in a series, which is not included in the figures.
    pub overhead: f64,
    /// The unit of the figures: ticks or core clocks.
    pub unit: Unit,
    /// The same figures in the other unit: minimum, median, deviation, step, overhead.
    other: [f64; 5],
    executions: u64,
    /// The runs in which the processor was given to others, if too few remain without them.
    lost: u32,
    debug: bool,
    handed: Option<&'static Handed>,
    /// Whether the variable of `handed` was the same after an execution.
    unchanged: bool,
}

impl Unit {
    /// The unit's name in the plural: `ticks` or `core clocks`.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::Ticks => "ticks",
            Unit::CoreClocks => "core clocks",
        }
    }
}

impl Measurement {
    /// The measurement in core clocks: each run is divided by the chain measured after it.
    pub fn core_clocks(&self) -> Measurement {
        self.in_unit(Unit::CoreClocks)
    }

    /// The measurement in ticks of the time stamp counter.
    pub fn ticks(&self) -> Measurement {
        self.in_unit(Unit::Ticks)
    }

    fn in_unit(&self, unit: Unit) -> Measurement {
        if unit == self.unit {
            return *self;
        }
        let [min, median, mad, quantum, overhead] = self.other;
        Measurement {
            min,
            median,
            mad,
            quantum,
            overhead,
            unit,
            other: [self.min, self.median, self.mad, self.quantum, self.overhead],
            ..*self
        }
    }

    /// The number of executions in the shorter series of a run.
    pub fn executions(&self) -> u64 {
        self.executions
    }

    /// Whether the code is too short to judge: the figures are noise, and the display says so instead of showing them.
    ///
    /// That is the case if the median is at most four times [`quantum`](Measurement::quantum), which is how far the
    /// four reads behind a difference can be off together; or at most 32 core clocks divided by the executions, by
    /// which the ends of two series may differ; or below a core clock and at most three times
    /// [`mad`](Measurement::mad). An empty block is too short, and so is one that the compiler has removed because
    /// nothing uses what it does.
    pub fn is_too_short(&self) -> bool {
        let core = self.core_clocks();
        let noise = core.noise();
        !self.is_too_noisy()
            && (core.median <= noise || (core.median < 1.0 && core.median <= core.mad * NOISE_DEVIATIONS))
    }

    /// Whether the runs differ too much to judge: their deviation is above a quarter of the median and above what the
    /// reads are off by. So are those of a thread that lost the processor in all but a few runs, as far as the system
    /// tells: they may all take the same multiple of their time. The display says so instead of showing figures.
    pub fn is_too_noisy(&self) -> bool {
        let core = self.core_clocks();
        self.lost > 0 || core.mad > core.noise() && core.mad > core.median.abs() * TOO_NOISY && core.median.abs() >= 1.0
    }

    /// What the reads of a difference of two series are off by, in core clocks.
    fn noise(&self) -> f64 {
        (self.quantum * NOISE_STEPS).max(NOISE_CLOCKS / self.executions as f64)
    }

    /// Whether the machine was idle: in core clocks, the deviation is at most 1 % of the median or at most one
    /// `quantum`, the fastest series are at most 5 % below the median, and at most a third of the runs were
    /// interrupted.
    pub fn is_quiet(&self) -> bool {
        let core = self.core_clocks();
        self.lost == 0 && core.is_even() && !core.is_slowed() && !self.is_often_interrupted()
    }

    /// Whether the runs differ little, in core clocks.
    fn is_even(&self) -> bool {
        self.mad <= (self.median.abs() * QUIET).max(self.quantum)
    }

    /// Whether most runs took longer than the code needs, in core clocks: where another program uses the same core,
    /// they may all take the same multiple of their time, but for some series.
    fn is_slowed(&self) -> bool {
        !self.is_walk() && self.min > 0.0 && self.median - self.min > (self.median * SLOWED).max(self.noise())
    }

    /// Whether each series has other steps, so that the fastest ones are not those that nothing disturbed.
    fn is_walk(&self) -> bool {
        matches!(self.handed, Some(Handed::Walk(_)))
    }

    pub(crate) fn is_often_interrupted(&self) -> bool {
        self.interrupted > self.runs / 2
    }
}

/// The ticks of one series, including those of the probe.
#[inline(never)]
fn series(code: &mut impl FnMut(bool, u32) -> bool, fence: Fence, double: bool, repeats: u32) -> u64 {
    crate::tsc::ticks_of(fence, || {
        code(double, repeats);
    })
}

/// The duration from which a series counts as interrupted. The frequency of the core may change slightly meanwhile.
fn bound(series: &[u64], counts: &impl Fn(usize) -> bool, step: u64) -> u64 {
    let mut sorted = [0u64; MOST_RUNS];
    let mut count = 0;
    for (_, &ticks) in series.iter().enumerate().filter(|&(run, _)| counts(run)) {
        sorted[count] = ticks;
        count += 1;
    }
    let sorted = &mut sorted[..count];
    sorted.sort_unstable();
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0);
    disturbed_from(sorted, (median / 200).max(step))
}

/// Measures `code`. Its first argument is true for 2n copies rather than n, its second is how often it runs them; if
/// that is never, it returns whether one copy changes the variable that is handed on. Needs about 64 KiB of stack.
#[doc(hidden)]
pub fn run(plan: Plan, mut code: impl FnMut(bool, u32) -> bool) -> Measurement {
    let unchanged = plan.handed.is_some() && !code(false, 0);
    let mut series_of_runs = [[0u64; MOST_RUNS]; 3];
    let wanted = plan.runs.clamp(FEWEST, MOST_RUNS as u32);
    let step = quantum();
    let window = match plan.handed {
        Some(Handed::Walk(_)) => step * STEPS * WALK_LENGTHS,
        Some(Handed::Chain(_)) | None => step * STEPS,
    };
    let mut repeats = 1u32;
    // Twice in a row, so that an interruption is not mistaken for the code. This also warms up.
    while repeats < 1 << 24 && (0..2).any(|_| series(&mut code, plan.fence, false, repeats) < window) {
        repeats *= 2;
    }
    // The frequency of the core may change during a long series; the chain need not be as long.
    let turns = (window * 2 / TURN as u64).clamp(4, 400) as u32;
    additions(turns);
    let executions = u64::from(repeats) * u64::from(plan.unroll);
    let mut lost = [false; MOST_RUNS];
    let mut spent = 0u64;
    let mut done = 0usize;
    while done < wanted as usize && (done < FEWEST as usize || spent < PATIENCE) {
        let [short, long, chain] = &mut series_of_runs;
        let before = switches();
        short[done] = series(&mut code, plan.fence, false, repeats);
        long[done] = series(&mut code, plan.fence, true, repeats);
        chain[done] = crate::tsc::chain::ticks(plan.fence, turns).max(1) as u64;
        lost[done] = switches() != before;
        spent = spent.saturating_add(short[done]).saturating_add(long[done]);
        done += 1;
    }
    let series = series_of_runs.each_ref().map(|series| &series[..done]);
    Measurement {
        debug: plan.debug,
        handed: plan.handed,
        unchanged,
        ..summarise(
            series,
            &lost[..done],
            turns,
            executions,
            step,
            crate::tsc::core_clocks_per_tick(),
        )
    }
}

/// Summarises the series of n executions, of 2n executions, and of the chains of `turns` turns after them, all in
/// ticks; in the runs that `lost` names, the processor was given to others. `ratio` is core clocks per tick, for
/// figures that do not belong to a single run.
fn summarise(series: [&[u64]; 3], lost: &[bool], turns: u32, executions: u64, step: u64, ratio: f64) -> Measurement {
    let [short, long, chain] = series;
    let done = short.len();
    let own = lost.iter().filter(|&&lost| !lost).count();
    let has_own = own >= FEWEST_OWN.min(done);
    let counts = |run: usize| !has_own || !lost[run];
    let mut bounds = series.map(|series| bound(series, &counts, step));
    let undisturbed = |run: usize, bounds: [u64; 3]| {
        counts(run) && short[run] < bounds[0] && long[run] < bounds[1] && chain[run] < bounds[2]
    };
    // If most runs are disturbed, discarding them would bias the result: then all count, and the deviation shows it.
    let counted = (0..done).filter(|&run| counts(run)).count();
    if (0..done).filter(|&run| undisturbed(run, bounds)).count() * 2 < counted {
        bounds = [u64::MAX; 3];
    }
    let mut ticks = [0f64; MOST_RUNS];
    let mut clocks = [0f64; MOST_RUNS];
    let mut overheads = [0f64; MOST_RUNS];
    let mut kept = 0usize;
    // The fastest series of n and of 2n executions, in ticks and in core clocks.
    let mut fastest = [[f64::INFINITY; 2]; 2];
    for run in (0..done).filter(|&run| undisturbed(run, bounds)) {
        let once = long[run].wrapping_sub(short[run]) as i64 as f64 / executions as f64;
        ticks[kept] = once;
        let clocks_of_tick = f64::from(turns) * TURN / chain[run] as f64;
        clocks[kept] = once * clocks_of_tick;
        overheads[kept] = 2.0 * short[run] as f64 - long[run] as f64;
        for (length, ticks) in [short[run], long[run]].into_iter().enumerate() {
            fastest[0][length] = fastest[0][length].min(ticks as f64);
            fastest[1][length] = fastest[1][length].min(ticks as f64 * clocks_of_tick);
        }
        kept += 1;
    }
    let least = |unit: usize, median: f64| {
        let [short, long] = fastest[unit];
        ((long - short) / executions as f64).min(median)
    };
    let none = Spread {
        min: f64::NAN,
        median: f64::NAN,
        mad: f64::NAN,
    };
    // At least half of `FEWEST` runs remain.
    let in_ticks = Spread::of(&mut ticks[..kept]).unwrap_or(none);
    let in_clocks = Spread::of(&mut clocks[..kept]).unwrap_or(none);
    let overhead = Spread::of(&mut overheads[..kept]).unwrap_or(none).median;
    let finest = step as f64 / executions as f64;
    Measurement {
        min: least(0, in_ticks.median),
        median: in_ticks.median,
        mad: in_ticks.mad,
        quantum: finest,
        runs: kept as u32,
        interrupted: (done - kept) as u32,
        overhead,
        unit: Unit::Ticks,
        other: [
            least(1, in_clocks.median),
            in_clocks.median,
            in_clocks.mad,
            finest * ratio,
            overhead * ratio,
        ],
        executions,
        lost: if has_own { 0 } else { (done - own) as u32 },
        debug: false,
        handed: None,
        unchanged: false,
    }
}

#[cfg(test)]
mod tests;
