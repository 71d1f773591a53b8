//! The certainty of clocks in the JSON report of a run.

use crate::document::document;
use crate::sure::{self, program, untried, why_untried};
use p5_chips::{ASSUMPTIONS, Assumption, Choice, Doubt};
use p5_results::Run;
use std::collections::BTreeMap;

document! {
    /// The open questions that the program touches, and its clocks under other answers to them.
    pub(crate) struct Sureness {
        /// The questions with an answer that concerns anything executed in any run; others change nothing.
        questions: Vec<Question> = touched.map(|question| Question::of(run, question)).collect(),
        /// The further runs that were made: each other answer alone, then several together.
        variants: Vec<Variant> = answers.variants.iter().map(Variant::of).collect(),
        /// Whether the questions that change a warm or cold figure were tried in every combination of answers; if not,
        /// only in those that suggest the fewest and the most clocks of the program. True for fewer than two such
        /// questions. A question that changes none alone is one of them if it changes one beside the other answers to
        /// all questions; beside some of them only, it is not tried.
        all_combined: bool = answers.all_combined,
        /// The bar of `own.totals.cycles`.
        bar: Bar = Bar::of(run, &program(run)),
        /// The range of the program's clocks in the first run, `runs[0].own.cycles`; absent if that is the last one.
        #[serde(skip_serializing_if = "Option::is_none")]
        cold: Option<FigureRange> = sure::cold(run).map(|range| FigureRange::of(range, untried(run).is_empty())),
    }
    from (run: &Run) {
        let answers = &run.answers;
        let touched = ASSUMPTIONS.iter().filter(|question| answers.touched.contains(&question.name));
    }

    /// A question that the sources leave open.
    pub(crate) struct Question {
        /// Its name, as `--assume` takes it.
        name: &'static str = question.name,
        /// The answer that the report assumes.
        assumed: &'static str = chosen.map_or(question.answers[0].value, |&(_, value)| value),
        /// Whether every other answer was tried.
        tried: bool = run.answers.tried.contains(&question.name),
        /// Why not every answer was tried; null if each was.
        reason: Option<String> = why_untried(run, question.name),
    }
    from (run: &Run, question: &Assumption) {
        let chosen = run.assumed.iter().find(|(name, _)| *name == question.name);
    }

    /// A run of the program under other answers.
    pub(crate) struct Variant {
        /// The answers in which it differs, by question.
        answers: BTreeMap<&'static str, &'static str> = by_name(&variant.choices),
        /// The clocks of the user's program in its last run; null if it ended in another way.
        clocks: Option<u64> = figures.ok().map(|figures| figures.clocks),
        /// Its instructions.
        instructions: Option<u64> = figures.ok().map(|figures| figures.instructions),
        /// How it ended, if in another way; null otherwise.
        reason: Option<String> = figures.err().cloned(),
    }
    from (variant: &p5_results::Variant) {
        let figures = variant.figures.as_ref();
    }

    /// The certainty of a number of clocks, its bar: its range under other answers, from `least` to `most`, and its
    /// part from doubted rows of the timing table.
    pub(crate) struct Bar {
        /// The figure.
        clocks: u64 = bar.clocks,
        /// The least of its range: of this run and those under other answers; null if an open question was not tried.
        least: Option<u64> = known.then_some(least),
        /// The most of its range; null if an open question was not tried.
        most: Option<u64> = known.then_some(most),
        /// The tried questions on which it depends.
        questions: Vec<&'static str> = bar.questions(),
        /// The tried answers that give another figure.
        under: Vec<Under> = bar.others().map(|(variant, clocks)| Under::of(variant, clocks)).collect(),
        /// The clocks of the figure that doubted rows of the timing table give; for a region, those of the pass shown.
        /// Rows whose doubt is a tried question are left out.
        doubted_clocks: u64 = bar.doubted_clocks(),
        /// The doubted clocks by row, the most first.
        doubted: Vec<Doubted> = bar.doubted.iter().map(|&(doubt, clocks)| Doubted::of(doubt, clocks)).collect(),
        /// Whether `doubted` is complete; the pass of a region may not be traced, or not to its end.
        all_doubted: bool = bar.all_doubted,
        /// The most clocks of the figure that doubted rows can give if `doubted` is not complete: those of the run.
        most_doubted: u64 = bar.most_doubted,
    }
    from (run: &Run, bar: &sure::Bar<'_>) {
        let (least, most) = bar.range();
        let known = untried(run).is_empty();
    }

    /// The range of a count of events, or of cold clocks. Questions that change no clock are tried alone only.
    pub(crate) struct FigureRange {
        /// The least figure of this run and those under other answers; null if an open question was not tried.
        least: Option<i64> = known.then_some(range.least),
        /// The greatest of these figures; null if an open question was not tried.
        most: Option<i64> = known.then_some(range.most),
        /// The tried questions on which it depends.
        questions: Vec<&'static str> = range.questions,
    }
    from (range: sure::FigureRange, known: bool)

    /// A figure under other answers.
    pub(crate) struct Under {
        /// The answers in which the run differs, by question.
        answers: BTreeMap<&'static str, &'static str> = by_name(&variant.choices),
        /// The clocks.
        clocks: u64 = clocks,
    }
    from (variant: &p5_results::Variant, clocks: u64)

    /// Clocks that a doubted row of the timing table gives.
    pub(crate) struct Doubted {
        /// The row's form, as `p5inst timings` lists it.
        form: &'static str = doubt.form,
        /// The doubt.
        doubt: &'static str = doubt.why,
        /// The clocks.
        clocks: u64 = clocks,
    }
    from (doubt: Doubt, clocks: u64)
}

impl FigureRange {
    /// The range of the clocks of a region's first pass; `None` if it has no warm ones.
    pub(super) fn of_cold_pass(run: &Run, index: usize) -> Option<FigureRange> {
        let range = sure::cold_region(run, index)?;
        Some(FigureRange::of(range, untried(run).is_empty()))
    }

    /// The range of a region's count of an event; `None` if there is no pass.
    pub(super) fn of_region(run: &Run, index: usize, figure: usize) -> Option<FigureRange> {
        let range = sure::count(run, index, figure)?;
        Some(FigureRange::of(range, untried(run).is_empty()))
    }
}

fn by_name(choices: &[Choice]) -> BTreeMap<&'static str, &'static str> {
    let each = choices.iter();
    each.map(|choice| (choice.assumption.name, choice.answer.value))
        .collect()
}
