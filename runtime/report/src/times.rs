//! Clocks as time, at the clock rate that the user gives: how long a run and a pass of each region take, and how many
//! of them are in a second.

use super::summary;
use crate::printable::printable;
use p5_results::Run;
use std::num::NonZeroU64;

/// The time of some clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Time {
    pub(super) microseconds: f64,
    /// How many of as many clocks are in a second; `None` for no clocks.
    pub(super) per_second: Option<f64>,
}

impl Time {
    pub(super) fn of(clocks: u64, hertz: NonZeroU64) -> Time {
        let hertz = hertz.get() as f64;
        Time {
            microseconds: clocks as f64 * 1e6 / hertz,
            per_second: (clocks > 0).then(|| hertz / clocks as f64),
        }
    }

    fn words(&self, of: &str) -> String {
        let time = format!("{:.2} µs", self.microseconds);
        self.per_second
            .map_or_else(|| time.clone(), |times| format!("{time}, {times:.1} {of} a second"))
    }
}

/// The time of the last run; `None` without a rate.
pub(super) fn of_run(run: &Run) -> Option<Time> {
    Some(Time::of(run.own.totals.cycles, run.hertz?))
}

/// The time of a warm pass of a region, or else of its cold one.
pub(super) fn of_region(run: &Run, index: usize) -> Option<Time> {
    let region = summary::region(run, run.regions.get(index)?);
    let clocks = region.warm_clocks().or(region.cold.map(|pass| pass.cycles))?;
    Some(Time::of(clocks, run.hertz?))
}

/// The times in words, as `at 90 MHz: 12.30 µs, 81300.8 runs a second`.
pub(super) fn words(run: &Run) -> Option<String> {
    let megahertz = run.hertz?.get() as f64 / 1e6;
    let mut words = format!("at {megahertz} MHz: {}", of_run(run)?.words("runs"));
    for (index, region) in run.regions.iter().enumerate() {
        if let Some(time) = of_region(run, index) {
            words += &format!("; {} {}", printable(&region.name), time.words("passes"));
        }
    }
    Some(words)
}
