//! How sure clocks are, in the JSON report.

use super::super::schema;
use super::{Bar, count, program, untried, why_untried};
use p5_chips::{ASSUMPTIONS, Choice};
use p5_results::Run;
use std::collections::BTreeMap;

/// The open questions that a run touches, and what it takes under other answers.
pub(crate) fn sureness(run: &Run) -> schema::Sureness {
    let answers = &run.answers;
    let touched = ASSUMPTIONS
        .iter()
        .filter(|question| answers.touched.contains(&question.name));
    schema::Sureness {
        questions: touched
            .map(|question| {
                let chosen = run.assumed.iter().find(|(name, _)| *name == question.name);
                schema::Question {
                    name: question.name,
                    assumed: chosen.map_or(question.answers[0].value, |&(_, value)| value),
                    tried: answers.tried.contains(&question.name),
                    reason: why_untried(run, question.name),
                }
            })
            .collect(),
        variants: answers
            .variants
            .iter()
            .map(|variant| {
                let figures = variant.figures.as_ref();
                schema::Variant {
                    answers: by_name(&variant.choices),
                    clocks: figures.ok().map(|figures| figures.clocks),
                    instructions: figures.ok().map(|figures| figures.instructions),
                    reason: figures.err().cloned(),
                }
            })
            .collect(),
        all_combined: answers.all_combined,
        bar: bar(run, &program(run)),
    }
}

/// How sure a figure is: its bar.
pub(crate) fn bar(run: &Run, bar: &Bar) -> schema::Bar {
    let (least, most) = bar.range();
    let known = untried(run).is_empty();
    schema::Bar {
        clocks: bar.clocks,
        least: known.then_some(least),
        most: known.then_some(most),
        questions: bar.questions(),
        under: bar
            .others()
            .map(|(variant, clocks)| schema::Under {
                answers: by_name(&variant.choices),
                clocks,
            })
            .collect(),
        doubted_clocks: bar.doubted_clocks(),
        doubted: bar
            .doubted
            .iter()
            .map(|&(doubt, clocks)| schema::Doubted {
                form: doubt.form,
                doubt: doubt.why,
                clocks,
            })
            .collect(),
        all_doubted: bar.all_doubted,
    }
}

/// The range of what a region counts of an event.
pub(crate) fn count_range(run: &Run, index: usize, figure: usize) -> Option<schema::CountRange> {
    let range = count(run, index, figure)?;
    let known = untried(run).is_empty();
    Some(schema::CountRange {
        least: known.then_some(range.least),
        most: known.then_some(range.most),
        questions: range.questions,
    })
}

fn by_name(choices: &[Choice]) -> BTreeMap<&'static str, &'static str> {
    let each = choices.iter();
    each.map(|choice| (choice.assumption.name, choice.answer.value))
        .collect()
}
