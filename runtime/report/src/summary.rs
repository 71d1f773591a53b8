//! Figures derived from a run, for text and JSON alike.
//!
//! *Cold* is the first run, and a region's first pass in it; *warm* is any later run or pass. A region's warm figures
//! are of the passes of the last run if there were several runs, and of all warm passes otherwise. The median of an
//! even number of passes is the lower of the middle two, so it is always a value that occurred.

use p5_image::RegionKind;
use p5_results::{Pass, RegionResult, Run, RunSummary, Totals};

/// The source of a region's warm figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WarmSource {
    /// The passes of the last of several runs.
    LastRun,
    AfterFirst,
}

/// Minimum, median and maximum of some passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    pub(super) min: i64,
    pub(super) median: i64,
    pub(super) max: i64,
}

/// The figures of a region's warm passes. A clock region uses the first element of each pair, as in [`Pass`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Warm {
    pub(super) source: WarmSource,
    pub(super) passes: u64,
    /// `None` if no warm pass has a measured result.
    pub(super) measured: Option<[Spread; 2]>,
    /// `None` if the macros read no counter in a warm pass.
    pub(super) overhead: Option<[Spread; 2]>,
    pub(super) truth: [Spread; 2],
    pub(super) cycles: Spread,
    /// The measured median minus the true median.
    pub(super) difference: Option<[i64; 2]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RegionSummary {
    pub(super) cold: Option<Pass>,
    pub(super) warm: Option<Warm>,
    /// The number of kept passes without a measured result.
    pub(super) unmeasured: u64,
    /// The number of kept passes without an overhead.
    pub(super) unread: u64,
}

pub(super) fn region(run: &Run, region: &RegionResult) -> RegionSummary {
    let passes = &region.passes;
    let last = u32::try_from(run.runs.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let cold = passes.first().filter(|pass| pass.run == 0).copied();
    let of_last_run: Vec<&Pass> = passes.iter().filter(|pass| last > 0 && pass.run == last).collect();
    let warm = if of_last_run.is_empty() {
        warm(WarmSource::AfterFirst, &passes.iter().skip(1).collect::<Vec<_>>())
    } else {
        warm(WarmSource::LastRun, &of_last_run)
    };
    RegionSummary {
        cold,
        warm,
        unmeasured: passes.iter().filter(|pass| pass.measured.is_none()).count() as u64,
        unread: passes.iter().filter(|pass| pass.overhead.is_none()).count() as u64,
    }
}

/// The number of a region's kept passes in each run.
pub(super) fn passes_by_run(run: &Run, region: &RegionResult) -> Vec<u64> {
    let mut each = vec![0; run.runs.len()];
    for pass in &region.passes {
        if let Some(passes) = each.get_mut(pass.run as usize) {
            *passes += 1;
        }
    }
    each
}

/// The clocks of the pass in a region's trace; `None` if the trace has only its beginning.
pub(super) fn traced_cycles(region: &RegionResult) -> Option<u64> {
    let issued = &region.trace.issued;
    (!region.trace.cut && !issued.is_empty()).then(|| issued.iter().map(|one| u64::from(one.cycles)).sum())
}

/// A region's overhead, true figure and error as a table shows them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) overhead: Option<[i64; 2]>,
    pub(super) truth: Option<[i64; 2]>,
    /// The measured minus the true figure.
    pub(super) difference: Option<[i64; 2]>,
}

impl RegionSummary {
    /// The median clocks of the warm passes; in a simulated run it is never negative.
    pub(super) fn warm_clocks(&self) -> Option<u64> {
        let warm = self.warm.as_ref()?;
        u64::try_from(warm.cycles.median).ok()
    }

    /// The clocks of a region as one figure: those of the warm passes, or those of the cold pass if there is no other.
    pub(super) fn clocks(&self) -> Option<u64> {
        self.warm_clocks().or(self.cold.map(|cold| cold.cycles))
    }

    /// The medians of the warm passes; if there are none, the figures of the cold pass.
    pub(super) fn shown(&self) -> Shown {
        match (&self.warm, self.cold) {
            (Some(warm), _) => Shown {
                overhead: warm.overhead.map(|pair| pair.map(|spread| spread.median)),
                truth: Some(warm.truth.map(|spread| spread.median)),
                difference: warm.difference,
            },
            (None, Some(cold)) => Shown {
                overhead: cold.overhead,
                truth: Some(cold.truth),
                difference: cold.measured.map(|measured| difference(measured, cold.truth)),
            },
            (None, None) => Shown::default(),
        }
    }
}

fn difference(measured: [i64; 2], truth: [i64; 2]) -> [i64; 2] {
    [0, 1].map(|index| measured[index].saturating_sub(truth[index]))
}

/// The number of figures of a region: one for clocks, two for events.
pub(super) fn figures(kind: RegionKind) -> usize {
    match kind {
        RegionKind::Tsc => 1,
        RegionKind::Profile => 2,
    }
}

fn warm(source: WarmSource, passes: &[&Pass]) -> Option<Warm> {
    let truth = spreads(passes.iter().map(|pass| pass.truth))?;
    let measured = spreads(passes.iter().filter_map(|pass| pass.measured));
    Some(Warm {
        source,
        passes: passes.len() as u64,
        measured,
        overhead: spreads(passes.iter().filter_map(|pass| pass.overhead)),
        truth,
        cycles: spread(
            passes
                .iter()
                .map(|pass| i64::try_from(pass.cycles).unwrap_or(i64::MAX))
                .collect(),
        )?,
        difference: measured
            .map(|measured| [0, 1].map(|index| measured[index].median.saturating_sub(truth[index].median))),
    })
}

fn spreads(pairs: impl Iterator<Item = [i64; 2]>) -> Option<[Spread; 2]> {
    let (first, second) = pairs.map(|[first, second]| (first, second)).unzip();
    Some([spread(first)?, spread(second)?])
}

fn spread(mut values: Vec<i64>) -> Option<Spread> {
    values.sort_unstable();
    Some(Spread {
        min: *values.first()?,
        median: *values.get((values.len() - 1) / 2)?,
        max: *values.last()?,
    })
}

/// The bytes of the instructions that were executed in the lines of a region, without those of its macros and of what
/// it calls elsewhere.
pub(super) fn code_bytes(run: &Run, region: &RegionResult) -> u64 {
    // The macros that a program has of its own are code of the first and of the last line.
    let lines = region.start_line + 1..region.end_line;
    let inside = run.instructions.iter().filter(|one| {
        let in_lines = |(file, line): (u32, u32)| file == region.file && lines.contains(&line);
        one.executions > 0 && !one.library && [one.place, one.outermost].into_iter().flatten().any(in_lines)
    });
    inside.map(|one| u64::from(one.length)).sum()
}

/// The minimum and maximum clocks of these runs in one part.
pub(super) fn clock_range(runs: &[RunSummary], of: fn(&RunSummary) -> Totals) -> Option<(u64, u64)> {
    let cycles = || runs.iter().map(|run| of(run).cycles);
    Some((cycles().min()?, cycles().max()?))
}

/// The clocks of the last run without a cause: 0 unless the simulator has a bug.
pub(super) fn unexplained(run: &Run) -> i128 {
    let explained = run.whole.cycle_stack.iter().map(|part| i128::from(part.cycles));
    i128::from(run.whole.totals.cycles) - explained.sum::<i128>()
}

/// `part` of `whole` as a percentage with one decimal.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{:.1}%", part as f64 * 100.0 / whole as f64)
}

/// A difference from `old` in percent, with its sign; a nonzero one is not rounded to 0.
pub(super) fn change(old: u64, difference: i64) -> String {
    let thousandths = i128::from(difference) * 1000;
    match i128::from(old) {
        0 => String::new(),
        _ if difference == 0 => "0.0%".to_owned(),
        old if thousandths.abs() < old => format!("{}<0.1%", if difference < 0 { "-" } else { "+" }),
        old => format!("{:+.1}%", thousandths as f64 / old as f64 / 10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;

    #[test]
    fn a_median_is_a_value_that_occurred() {
        let spread = |values: &[i64]| spread(values.to_vec());
        assert_eq!(spread(&[]), None);
        assert_eq!(
            spread(&[7]),
            Some(Spread {
                min: 7,
                median: 7,
                max: 7
            })
        );
        assert_eq!(
            spread(&[9, -1, 4, 2]),
            Some(Spread {
                min: -1,
                median: 2,
                max: 9
            })
        );
    }

    #[test]
    fn warm_is_the_last_run_or_all_but_the_first_pass() {
        let mut run = specimen::run();
        let several = region(&run, &run.regions[0]);
        let warm = several.warm.expect("three runs");
        assert_eq!((warm.source, warm.passes), (WarmSource::LastRun, 2));
        assert_eq!(several.cold.expect("run 0 has a pass").truth[0], 40);
        assert_eq!(warm.difference, Some([2, 0]));

        run.runs.truncate(1);
        run.regions[0].passes.iter_mut().for_each(|pass| pass.run = 0);
        let one = region(&run, &run.regions[0]).warm.expect("several passes");
        assert_eq!((one.source, one.passes), (WarmSource::AfterFirst, 3));
        run.regions[0].passes.truncate(1);
        assert_eq!(region(&run, &run.regions[0]).warm, None);
    }
}
