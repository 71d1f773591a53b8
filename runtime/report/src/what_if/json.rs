//! The JSON report of `--what-if`. A missing figure is null, and `reason` explains it.

use super::{Compared, Comparison, Figures, Outcome, Place};
use crate::document::{P5INST, document};
use crate::lines::{MEMORY, file_name};
use crate::ordered::Ordered;
use crate::setting::Setting;

document! {
    /// The clocks of a program under suppositions and on other chips.
    #[cfg_attr(test, schemars(title = "p5inst what-if report"))]
    pub(crate) struct Report<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program and its machine.
        #[serde(flatten)]
        setting: Setting<'a> = Setting::from(comparison.run),
        /// The number of its runs; the figures are those of the last run.
        runs: u64 = run.runs.len() as u64,
        /// Why the last run ended: as in the report of a run.
        stop: &'a str = run.stop.reason.name(),
        /// The clocks of the user's program as it is.
        clocks: u64 = base.clocks,
        /// Its instructions.
        instructions: u64 = base.instructions,
        /// The suppositions and the other chips.
        variants: Vec<Variant<'a>> = comparison.variants.iter().map(|one| Variant::of(one, base)).collect(),
        /// The sum of the savings of single suppositions, and their joint saving; null unless all are known.
        combined: Option<Combined> = comparison.combined().map(Combined::of),
        /// The regions, in source order.
        regions: Vec<Region<'a>> = (0..run.regions.len()).map(|index| Region::of(comparison, index)).collect(),
        /// The lines that take other clocks in a variant, those with the greatest difference first. Lines with
        /// `<memory>` and line 0 are instructions without a source line.
        lines: Vec<Line<'a>> = (comparison.differing_lines().into_iter())
            .map(|(place, _)| Line::of(comparison, place))
            .collect(),
        /// What is to be known of all these figures.
        notes: Vec<String> = comparison.doubts(),
    }
    from (comparison: &'a Comparison<'a>) {
        let Comparison { run, base, .. } = comparison;
    }

    /// A run that differs in one thing.
    pub(crate) struct Variant<'a> {
        /// Its name.
        name: &'a str = one.variant.name(),
        /// `supposition` or `chip`.
        kind: &'a str = match one.variant {
            super::Variant::Supposed(_) => "supposition",
            super::Variant::Chip(_) => "chip",
        },
        /// The difference from the run as it is.
        supposes: &'a str = one.variant.supposes(),
        /// The clocks of the user's program.
        clocks: Option<u64> = figures.map(|figures| figures.clocks),
        /// The clocks saved; negative if it takes more.
        saved: Option<i64> = figures.map(|figures| figures.saved),
        /// The instructions of the user's program; other work than without the change if they differ.
        instructions: Option<u64> = figures.map(|figures| figures.instructions),
        /// Why there are no figures.
        reason: Option<String> = one.reason(base),
    }
    from (one: &'a Compared, base: &Outcome) {
        let figures = one.figures.as_ref().ok();
    }

    /// The joint saving of suppositions, beside the sum of their single savings.
    pub(crate) struct Combined {
        /// The suppositions that are combined.
        names: &'static [&'static str] = combined.names,
        /// The sum of their single savings.
        sum: i64 = combined.sum,
        /// Their joint saving.
        saved: i64 = combined.saved,
    }
    from (combined: super::Combined)

    /// A region.
    pub(crate) struct Region<'a> {
        /// Its name.
        name: &'a str = &region.name,
        /// The file of its start.
        file: &'a str = file_name(comparison.run, region.file).unwrap_or(MEMORY),
        /// The line of its start macro.
        start_line: u32 = region.start_line,
        /// The line of its end macro.
        end_line: u32 = region.end_line,
        /// The clocks as it is: the median of the warm passes, or else of the cold pass; null if it was never passed.
        clocks: Option<i64> = comparison.base.regions[index],
        /// The savings by each variant, in clocks.
        saved: Ordered<Option<i64>> = saved(comparison, |figures| figures.regions[index]),
    }
    from (comparison: &'a Comparison<'a>, index: usize) {
        let region = &comparison.run.regions[index];
    }

    /// A line.
    pub(crate) struct Line<'a> {
        /// Its file.
        file: &'a str = file,
        /// Its number, from 1; 0 without a source line.
        line: u32 = *line,
        /// The address of an instruction without a source line.
        address: Option<u32> = (*line == 0).then_some(*address),
        /// The line as it is in the file.
        text: &'a str = text,
        /// The clocks as it is in the last run.
        clocks: u64 = clocks,
        /// The savings by each variant, in clocks.
        saved: Ordered<Option<i64>> = saved(comparison, |figures| Some(figures.lines.get(place).copied().unwrap_or(0))),
    }
    from (comparison: &'a Comparison<'a>, place: &'a Place) {
        let (file, line, address) = place;
        let (clocks, text) = comparison.line(place);
    }
}

/// The clocks that each variant saves; null where they are not known.
fn saved(comparison: &Comparison<'_>, of: impl Fn(&Figures) -> Option<i64>) -> Ordered<Option<i64>> {
    let each = comparison.variants.iter().map(|one| {
        let name = one.variant.name().to_owned();
        (name, one.figures.as_ref().ok().and_then(&of))
    });
    Ordered(each.collect())
}
