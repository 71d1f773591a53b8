//! Questions that change no clocks alone, but do beside other answers.
//!
//! Not tried: such a question beside some of the other answers only, and any but the last answer of each question.

use super::{Trials, is_of};
use p5_chips::{Assumption, Choice};
use p5_results::{Answered, Answers, Untried};

/// The last answer to each of these questions.
pub(super) fn last_answers(questions: &[&'static Assumption]) -> Vec<Choice> {
    let last = |question: &&'static Assumption| question.others(&question.answers[0]).last();
    questions.iter().filter_map(last).collect()
}

/// The `open` questions that change no clocks alone, but do beside those that change `any`, or beside each other: as
/// few of them as give the clocks that all give together. Each takes a run more only if all together give other clocks.
pub(super) fn matter_beside_others(
    trials: &mut Trials<'_, '_>,
    answers: &Answers,
    base: &Answered,
    open: &[&'static Assumption],
    any: &[&'static Assumption],
) -> Result<Vec<&'static Assumption>, Untried> {
    let has = |questions: &[&Assumption], one: &Assumption| questions.iter().any(|other| std::ptr::eq(*other, one));
    // A run that ends in another way has no clocks to compare.
    let ends_alike = |question: &&'static Assumption| {
        let mut alone = answers.variants.iter().filter(|variant| is_of(variant, question));
        alone.all(|variant| variant.figures.is_ok())
    };
    let effective: Vec<_> = any.iter().copied().filter(ends_alike).collect();
    let mut found: Vec<_> = open.iter().copied().filter(|question| !has(any, question)).collect();
    if found.is_empty() || effective.len() + found.len() < 2 {
        return Ok(Vec::new());
    }
    let mut figures = |beside: &[&'static Assumption]| {
        let questions = open.iter().copied();
        let questions: Vec<_> = questions
            .filter(|question| has(&effective, question) || has(beside, question))
            .collect();
        trials.figures(last_answers(&questions), answers, base)
    };
    let (without, all) = (figures(&[])?, figures(&found)?);
    if without.is_err() || same(&without, &all) {
        return Ok(Vec::new());
    }
    for question in found.clone() {
        let rest: Vec<_> = found
            .iter()
            .copied()
            .filter(|one| !std::ptr::eq(*one, question))
            .collect();
        if !rest.is_empty() && same(&figures(&rest)?, &all) {
            found = rest;
        }
    }
    Ok(found)
}

/// Whether two runs took the same clocks, or ended in the same other way.
fn same(one: &Result<Answered, String>, other: &Result<Answered, String>) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one.takes_as_long_as(other) && one.takes_as_long_cold_as(other),
        (one, other) => one.as_ref().err() == other.as_ref().err(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::try_each;
    use super::*;
    use p5_chips::ASSUMPTIONS;

    /// The results for a program of 100 clocks and those that a set of answers adds, and the number of runs.
    fn tried(touched: &[&'static str], added: impl Fn(&[&str]) -> u64) -> (Answers, usize) {
        let open = ASSUMPTIONS.iter().filter(|question| touched.contains(&question.name));
        let open: Vec<_> = open.collect();
        let clocks = |added: u64| Answered {
            clocks: 100 + added,
            ..Answered::default()
        };
        let (mut answers, mut runs) = (Answers::default(), 0);
        let result = try_each(&mut answers, &open, &clocks(0), &mut |choices| {
            runs += 1;
            let names: Vec<&str> = choices.iter().map(|choice| choice.assumption.name).collect();
            Some(Ok(clocks(added(&names))))
        });
        assert_eq!(result, Ok(()));
        (answers, runs)
    }

    fn combined(answers: &Answers) -> Vec<(Vec<&'static str>, u64)> {
        let together = answers.variants.iter().filter(|variant| variant.choices.len() > 1);
        let names = |choices: &[Choice]| choices.iter().map(|choice| choice.assumption.name).collect();
        together
            .map(|variant| {
                (
                    names(&variant.choices),
                    variant.figures.as_ref().expect("it ends alike").clocks,
                )
            })
            .collect()
    }

    #[test]
    fn a_question_that_matters_beside_another_is_found_and_combined() {
        let touched = ["shadow_reach", "imul_r32", "btb_forwarding", "rep_zero"];
        let (answers, runs) = tried(&touched, |names| match names {
            _ if names.contains(&"imul_r32") && names.contains(&"rep_zero") => 7,
            _ => u64::from(names.contains(&"imul_r32")),
        });
        assert_eq!(combined(&answers), [(vec!["imul_r32", "rep_zero"], 107)]);
        assert!(answers.all_combined);
        // Each alone, all at once, without those of the three that change nothing alone, except for the last one left,
        // and the two that never change anything alone.
        assert_eq!(runs, 4 + 1 + 2 + 1);
    }

    #[test]
    fn two_questions_that_change_nothing_alone_are_found_together() {
        let touched = ["shadow_reach", "imul_r32", "btb_forwarding"];
        let (answers, _) = tried(&touched, |names| {
            u64::from(names.contains(&"shadow_reach") && names.contains(&"btb_forwarding"))
        });
        assert_eq!(combined(&answers), [(vec!["shadow_reach", "btb_forwarding"], 101)]);
    }

    #[test]
    fn questions_that_change_nothing_take_two_runs_together() {
        let touched = ["shadow_reach", "imul_r32", "btb_forwarding"];
        let (answers, runs) = tried(&touched, |names| u64::from(names.contains(&"imul_r32")));
        assert_eq!((combined(&answers).len(), runs), (0, 3 + 1 + 1));
        // A question alone has none to stand beside.
        let (_, runs) = tried(&touched[..1], |_| 0);
        assert_eq!(runs, 1);
    }

    #[test]
    fn beside_too_many_questions_the_difference_is_kept() {
        let all: Vec<&'static str> = ASSUMPTIONS.iter().map(|question| question.name).collect();
        let last = *all.last().expect("questions");
        let (answers, runs) = tried(&all, |names| match names {
            [one] => u64::from(*one != last),
            _ => names.len() as u64,
        });
        let combined = combined(&answers);
        let longest: Vec<_> = combined
            .iter()
            .filter(|(names, _)| names.len() + 1 >= all.len())
            .collect();
        assert_eq!(longest.len(), 2, "{combined:?}");
        assert!(
            !answers.all_combined && runs <= all.len() + 4 + 4 * (all.len() + 2),
            "{runs}"
        );
    }
}
