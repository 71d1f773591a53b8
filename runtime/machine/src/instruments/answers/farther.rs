//! Looks for still fewer or still more clocks by changing one answer at a time, from the farthest combinations that
//! were tried.
//!
//! Of many questions not every combination is tried, and one that changes nothing alone is tried beside all others. So
//! from the fewest and the most clocks of the program, warm and cold, each answer is changed in turn, and stays so
//! where that goes farther. Questions that have changed nothing so far are changed together first, and one by one only
//! if that matters: at most four runs for each answer, and usually one for each of the four figures.
//!
//! Not tried: two answers at once of which neither goes farther alone.

use super::{Trials, last_answers};
use p5_chips::{Assumption, Choice};
use p5_results::{Answered, Answers, Untried};

/// Adds variants beyond the fewest and the most clocks of those that were tried. Of the `open` questions, the `quiet`
/// ones have changed nothing.
pub(super) fn go_farther(
    trials: &mut Trials<'_, '_>,
    answers: &mut Answers,
    base: &Answered,
    open: &[&'static Assumption],
    quiet: &[&'static Assumption],
) -> Result<(), Untried> {
    let figures: [fn(&Answered) -> u64; 2] = [|figures| figures.clocks, |figures| figures.cold];
    for clocks in figures {
        for most in [false, true] {
            let farther = |one: u64, other: u64| if most { one > other } else { one < other };
            let mut farthest = (clocks(base), Vec::new());
            for variant in &answers.variants {
                let Ok(figures) = &variant.figures else { continue };
                if farther(clocks(figures), farthest.0) {
                    farthest = (clocks(figures), variant.choices.clone());
                }
            }
            let of = |figures: Result<Answered, String>| figures.ok().map(|figures| clocks(&figures));
            // One that went farther before has its answer.
            let is_answered = |choice: &Choice| {
                farthest
                    .1
                    .iter()
                    .any(|one| std::ptr::eq(one.assumption, choice.assumption))
            };
            let together = last_answers(quiet)
                .into_iter()
                .filter(|choice| !is_answered(choice))
                .fold(farthest.1.clone(), |choices, choice| with(choices, choice, open));
            let matter = of(trials.figures(together, answers, base)?) != Some(farthest.0);
            for question in open {
                let is_quiet = quiet.iter().any(|one| std::ptr::eq(*one, *question));
                if is_quiet && !matter {
                    continue;
                }
                let without: Vec<Choice> = (farthest.1.iter().copied())
                    .filter(|choice| !std::ptr::eq(choice.assumption, *question))
                    .collect();
                let others = question.others(&question.answers[0]);
                let others = others.map(|choice| with(without.clone(), choice, open));
                for choices in std::iter::once(without.clone()).chain(others) {
                    let found = of(trials.figures(choices.clone(), answers, base)?);
                    if let Some(found) = found.filter(|&found| farther(found, farthest.0)) {
                        trials.add(choices.clone(), answers)?;
                        farthest = (found, choices);
                    }
                }
            }
        }
    }
    Ok(())
}

/// These choices with another one, in the order of the questions.
fn with(mut choices: Vec<Choice>, choice: Choice, open: &[&'static Assumption]) -> Vec<Choice> {
    choices.push(choice);
    choices.sort_by_key(|choice| open.iter().position(|one| std::ptr::eq(*one, choice.assumption)));
    choices
}

#[cfg(test)]
mod tests {
    use super::super::try_each;
    use super::*;
    use p5_chips::ASSUMPTIONS;

    /// Of six questions one gives fewer clocks, four more, and one gives more only beside another, unless the first
    /// stands beside both. So it matters beside the answers with the most clocks, and not beside all.
    #[test]
    fn what_matters_only_beside_the_answers_with_the_most_clocks_is_found() {
        let open: Vec<&'static Assumption> = ASSUMPTIONS.iter().take(6).collect();
        let names: Vec<&str> = open.iter().map(|question| question.name).collect();
        let clocks = |choices: &[Choice]| {
            let has = |at: usize| choices.iter().any(|choice| choice.assumption.name == names[at]);
            let more = (1..5).filter(|&at| has(at)).count() as u64;
            100 + more - u64::from(has(0)) + u64::from(has(5) && has(1) && !has(0))
        };
        let (mut answers, mut runs) = (Answers::default(), 0);
        let base = Answered {
            clocks: 100,
            ..Answered::default()
        };
        let result = try_each(&mut answers, &open, &base, &mut |choices| {
            runs += 1;
            Some(Ok(Answered {
                clocks: clocks(choices),
                ..Answered::default()
            }))
        });
        assert_eq!((result, answers.all_combined), (Ok(()), false));
        let all = answers
            .variants
            .iter()
            .filter_map(|variant| variant.figures.as_ref().ok());
        let all: Vec<u64> = all.map(|figures| figures.clocks).collect();
        assert_eq!((all.iter().min(), all.iter().max()), (Some(&99), Some(&105)));
        assert!(runs <= 6 + 2 + 4 * 7, "{runs}");
    }

    /// Of six questions the first one gives fewer clocks, those before `loud` more, and the last one more only beside
    /// the second without the first: what is farthest then has its answer already.
    #[test]
    fn no_trial_answers_a_question_twice_and_a_lack_of_time_takes_nothing_back() {
        let open: Vec<&'static Assumption> = ASSUMPTIONS.iter().take(6).collect();
        let names: Vec<&str> = open.iter().map(|question| question.name).collect();
        let base = Answered {
            clocks: 100,
            cold: 100,
            ..Answered::default()
        };
        let tried = |most: usize, loud: usize| {
            let (mut answers, mut runs) = (Answers::default(), 0);
            let result = try_each(&mut answers, &open, &base, &mut |choices: &[Choice]| {
                runs += 1;
                let has = |at: usize| choices.iter().any(|choice| choice.assumption.name == names[at]);
                for (at, choice) in choices.iter().enumerate() {
                    let others = choices[at + 1..].iter();
                    assert!(
                        others
                            .clone()
                            .all(|other| !std::ptr::eq(other.assumption, choice.assumption))
                    );
                }
                let more = (1..loud).filter(|&at| has(at)).count() as u64 + u64::from(has(1) && !has(0) && has(5));
                let less = u64::from(has(0));
                (runs <= most).then(|| {
                    Ok(Answered {
                        clocks: 100 + more - less,
                        cold: 100 + 3 * more - less,
                        ..Answered::default()
                    })
                })
            });
            (result, answers, runs)
        };
        for loud in 2..5 {
            let (result, answers, runs) = tried(usize::MAX, loud);
            assert_eq!(result, Ok(()));
            let all = answers.all_combined;
            // Without time for the last run.
            let (result, answers, _) = tried(runs - 1, loud);
            assert_eq!((result, answers.all_combined), (Err(Untried::OutOfTime), all), "{loud}");
        }
    }
}
