//! Regions in the JSON report of a run: their passes and the figures over them.

use super::diagram::Diagram;
use super::lines::Issued;
use super::sure::{Bar, FigureRange};
use super::{Ordered, Time};
use crate::lines::{MEMORY, file_name};
use crate::{document::document, summary, sure, times};
use p5_image::RegionKind;
use p5_results::{Levels, RegionResult, Run};

document! {
    /// A region. Every figure of a profile region is an array of two, one for each counter.
    pub(crate) struct Region<'a> {
        /// The name given to the start macro, or `line N`.
        name: &'a str = &region.name,
        /// `tsc` or `profile`.
        kind: &'static str = match region.kind {
            RegionKind::Tsc => "tsc",
            RegionKind::Profile => "profile",
        },
        /// The file of the start macro's call.
        file: &'a str = file_name(run, region.file).unwrap_or(MEMORY),
        /// The line of the start macro's call.
        start_line: u32 = region.start_line,
        /// The line of the end macro's call.
        end_line: u32 = region.end_line,
        /// The bytes of the instructions that were executed in its lines, without those of its macros and of what it
        /// calls elsewhere.
        code_bytes: u64 = summary::code_bytes(run, region),
        /// Names of a profile region's two events, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        counted: Option<[&'static str; 2]> = region.events.map(|events| events.map(|(_, event)| event.name())),
        /// Whether each of the two counters counted clocks rather than occurrences.
        #[serde(skip_serializing_if = "Option::is_none")]
        counted_in_clocks: Option<[bool; 2]> = (region.kind == RegionKind::Profile).then_some(region.in_clocks),
        /// The privilege levels at which each of the two counters counted: `all`, `0-2`, `3` or `none`.
        #[serde(skip_serializing_if = "Option::is_none")]
        counted_at: Option<[&'static str; 2]> = (region.kind == RegionKind::Profile)
            .then_some(region.levels.map(Levels::name)),
        /// Why the figures of one of the two counters are null: its event is not available, and its readings are void.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<[Option<&'static str>; 2]> = (region.unavailable.iter().any(Option::is_some))
            .then_some(region.unavailable),
        /// The passes through the region, over all runs. Of more than 10,000 these are the first of each run, and from
        /// there on every second, fourth and so on.
        passes: Vec<Pass> = region.passes.iter().map(|pass| Pass::of(region, pass)).collect(),
        /// The number of passes, including those that are not listed.
        pass_count: u64 = region.pass_count,
        /// How often the region was begun in the last run and begun again before its end macro was reached. These are
        /// not passes; absent if never.
        #[serde(skip_serializing_if = "Option::is_none")]
        left: Option<u64> = (region.left > 0).then_some(region.left),
        /// How often its end macro was reached in the last run without a pass to end, as in recursion; absent if never.
        #[serde(skip_serializing_if = "Option::is_none")]
        unbegun: Option<u64> = (region.unbegun > 0).then_some(region.unbegun),
        /// The number of `passes` in each run.
        passes_by_run: Vec<u64> = summary::passes_by_run(run, region),
        /// The first pass of the first run.
        cold: Option<Pass> = summary.cold.as_ref().map(|cold| Pass::of(region, cold)),
        /// Figures over warm passes, which are those after the first one; null if there were none.
        warm: Option<Warm> = summary.warm.as_ref().map(|warm| Warm::of(region, warm)),
        /// The time of a warm pass, the median, or else of the cold one, at the clock rate of `--mhz`; absent
        /// without it.
        #[serde(skip_serializing_if = "Option::is_none")]
        time: Option<Time> = times::of_region(run, index).map(Time::of),
        /// The pass shown, one of the last run near the median, instruction by instruction; absent without `--all`.
        #[serde(skip_serializing_if = "Option::is_none")]
        trace: Option<Vec<Issued<'a>>> = traced.then(|| region.trace.issued.iter().map(|issued| Issued::of(run, issued)).collect()),
        /// Whether the pass was longer than the trace.
        trace_cut: bool = region.trace.cut,
        /// The trace with each loop's rounds folded into one; null if no pass was traced.
        diagram: Option<Diagram> = Diagram::of_trace(run, &region.trace),
        /// How sure its clocks are: the median of the warm passes, or else those of the cold one; null without a pass.
        bar: Option<Bar> = sure::region(run, index).map(|bar| Bar::of(run, &bar)),
        /// The range of `cold.cycles`, if there are warm passes.
        #[serde(skip_serializing_if = "Option::is_none")]
        cold_range: Option<FigureRange> = FigureRange::of_cold_pass(run, index),
        /// The ranges of both counts of a profile region, medians as in `bar`; null without a pass or the event.
        #[serde(skip_serializing_if = "Option::is_none")]
        count_ranges: Option<[Option<FigureRange>; 2]> = (region.kind == RegionKind::Profile).then(|| {
            let known = |figure: &usize| region.unavailable[*figure].is_none();
            [0, 1].map(|figure| Some(figure).filter(known).and_then(|figure| FigureRange::of_region(run, index, figure)))
        }),
    }
    from (run: &'a Run, index: usize, traced: bool) {
        let region = &run.regions[index];
        let summary = summary::region(run, region);
    }

    /// One pass through a region.
    pub(crate) struct Pass {
        /// The index of its run, from 0.
        run: u32 = pass.run,
        /// The measured figure, net of probe overhead; null if the end macro left no result.
        measured: Option<Figure> = pass.measured.map(|pair| Figure::of(region, pair)),
        /// The overhead that the macros subtracted; null if they read no counter.
        overhead: Option<Figure> = pass.overhead.map(|pair| Figure::of(region, pair)),
        /// Clocks or event counts from the issue of the region's first instruction to that of the first after it.
        #[serde(rename = "true")]
        truth: Figure = Figure::of(region, pass.truth),
        /// Clocks between the same two points, for either kind of region.
        cycles: u64 = pass.cycles,
        /// The true counts of a profile region's known events.
        #[serde(skip_serializing_if = "Option::is_none")]
        events: Option<Ordered<Option<i64>>> = pass_events(region, pass),
    }
    from (region: &RegionResult, pass: &p5_results::Pass)

    /// Figures over a region's warm passes: those of the last run, or of a single run all but the first.
    pub(crate) struct Warm {
        /// `last run`, or `all passes but the first` if there was only one run.
        source: &'static str = match warm.source {
            summary::WarmSource::LastRun => "last run",
            summary::WarmSource::AfterFirst => "all passes but the first",
        },
        /// The number of passes.
        passes: u64 = warm.passes,
        /// The measured figure; null if nothing was measured.
        measured: Option<Spread> = warm.measured.map(|pair| Spread::of(region, pair)),
        /// The overhead that the macros subtracted; null if unknown.
        overhead: Option<Spread> = warm.overhead.map(|pair| Spread::of(region, pair)),
        /// The true clocks or counts.
        #[serde(rename = "true")]
        truth: Spread = Spread::of(region, warm.truth),
        /// The clocks, for either kind of region; always plain numbers.
        cycles: Spread = Spread::plain(warm.cycles),
        /// Measured median minus true median; null if nothing was measured.
        difference: Option<Figure> = warm.difference.map(|pair| Figure::of(region, pair)),
    }
    from (region: &RegionResult, warm: &summary::Warm)

    /// Minimum, median and maximum; the median is always a value that occurred.
    pub(crate) struct Spread {
        /// The minimum.
        min: Figure = Figure::of(region, pair.map(|spread| spread.min)),
        /// The median; of two middle values the lower.
        median: Figure = Figure::of(region, pair.map(|spread| spread.median)),
        /// The maximum.
        max: Figure = Figure::of(region, pair.map(|spread| spread.max)),
    }
    from (region: &RegionResult, pair: [summary::Spread; 2])
}

impl Spread {
    /// The plain numbers of a spread, regardless of the region's kind.
    fn plain(spread: summary::Spread) -> Spread {
        let [min, median, max] = [spread.min, spread.median, spread.max].map(Figure::One);
        Spread { min, median, max }
    }
}

/// A figure of a region: a number for a clock region, an array of two for a profile region, in which an event that is
/// not available is null.
#[derive(serde::Serialize, Clone, Copy)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
#[cfg_attr(test, schemars(inline))]
pub(crate) enum Figure {
    One(i64),
    Two([Option<i64>; 2]),
}

impl Figure {
    /// The figure of a region. For a profile region, it has those of both counters if their events are available.
    fn of(region: &RegionResult, pair: [i64; 2]) -> Figure {
        match region.kind {
            RegionKind::Tsc => Figure::One(pair[0]),
            RegionKind::Profile => {
                Figure::Two([0, 1].map(|counter| region.unavailable[counter].is_none().then_some(pair[counter])))
            }
        }
    }
}

/// The true event counts of a pass through a profile region, by event name.
fn pass_events(region: &RegionResult, pass: &p5_results::Pass) -> Option<Ordered<Option<i64>>> {
    let events = region.events.filter(|_| region.kind == RegionKind::Profile)?;
    let mut counts: Vec<(String, Option<i64>)> = Vec::new();
    for (counter, (_, event)) in events.iter().enumerate() {
        // Both counters may count the same event, which an object can name only once.
        if counts.iter().all(|(name, _)| name != event.name()) {
            let available = region.unavailable[counter].is_none();
            counts.push((event.name().to_owned(), available.then_some(pass.truth[counter])));
        }
    }
    Some(Ordered(counts))
}
