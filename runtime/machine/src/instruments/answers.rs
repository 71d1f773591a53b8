//! The clocks of a program under other answers to open questions: the choice of the runs that are made.
//!
//! Each question that the program touches is varied alone, unless the user chose its answer. Questions that change a
//! figure, warm or cold, are then combined: in every combination of their answers if there are few. Otherwise those
//! that change a warm figure are, if these are few, or else only in the two that suggest the fewest and the most
//! clocks; and all are in the two that suggest the fewest and the most clocks of the first run.
//!
//! A question that changes no clocks alone may change some beside another answer. One more run has the last answer to
//! each question, and is compared with that under the answers that change something alone. Only if the two differ are
//! the questions looked for that make the difference, which are then combined as if they had changed something alone.
//!
//! In the end, each answer is changed in turn beside those with the fewest and the most clocks, as in `farther`.
//!
//! Not tried: a question that changes nothing alone beside some of the other answers, if it changes nothing beside all
//! of them nor beside those with the fewest and the most clocks; and questions about instructions that are executed
//! under another answer only.

mod beside;
mod farther;

use beside::{last_answers, matter_beside_others};
use farther::go_farther;
use p5_chips::{ASSUMPTIONS, Assumption, Choice};
use p5_results::{Answered, Answers, Run, StopReason, Untried, Variant};

/// The most clocks of all runs together up to which other answers are tried without a request. Each further run takes
/// about as long as all of these.
pub const TRIED_UNASKED: u64 = 200_000;

/// The most combinations of answers that are all tried.
const COMBINATIONS: usize = 16;

/// Runs a program under some answers. Returns the data kept of the run, or how it ended if it ended in another way;
/// `None` if there is no time for it.
pub type Trial<'f> = dyn FnMut(&[Choice]) -> Option<Result<Answered, String>> + 'f;

/// Tries the other answers to the questions that `run` touches, and adds the program's clocks under them. `figures`
/// runs the program under some answers. It returns the `kept` part of that run, or how it ended if it ended in another
/// way; `None` if there is no time for it. A long run is repeated only if it is `asked` for.
pub fn try_answers(run: &mut Run, asked: bool, kept: fn(&Run) -> Answered, figures: &mut Trial<'_>) {
    let open: Vec<&'static Assumption> = ASSUMPTIONS
        .iter()
        .filter(|question| run.answers.touched.contains(&question.name) && !run.answers.chosen.contains(&question.name))
        .collect();
    let clocks: u64 = run.runs.iter().map(|run| run.whole.cycles).sum();
    let untried = match run.stop.reason {
        _ if open.is_empty() => None,
        StopReason::Limit | StopReason::Timeout => Some(Untried::Unfinished),
        _ if clocks > TRIED_UNASKED && !asked => Some(Untried::Long { most: TRIED_UNASKED }),
        _ => None,
    };
    run.answers.untried = match untried {
        None if !open.is_empty() => {
            let base = kept(run);
            try_each(&mut run.answers, &open, &base, figures).err()
        }
        _ => untried,
    };
    run.answers.all_combined |= open.is_empty();
}

/// The runs under other answers that were made so far.
struct Trials<'t, 'f> {
    figures: &'t mut Trial<'f>,
    /// Runs for comparison, which belong to no combination of the report.
    compared: Vec<Variant>,
}

impl Trials<'_, '_> {
    /// Adds the run under `choices` to the variants, unless it is one of them.
    fn add(&mut self, choices: Vec<Choice>, answers: &mut Answers) -> Result<(), Untried> {
        if answers.variants.iter().any(|variant| variant.choices == choices) {
            return Ok(());
        }
        let known = self.compared.iter().position(|variant| variant.choices == choices);
        let variant = match known {
            Some(index) => self.compared.swap_remove(index),
            None => self.run(choices)?,
        };
        answers.variants.push(variant);
        Ok(())
    }

    /// The figures under `choices`, from a run that was made before if there is one. `base` has those under none.
    fn figures(
        &mut self,
        choices: Vec<Choice>,
        answers: &Answers,
        base: &Answered,
    ) -> Result<Result<Answered, String>, Untried> {
        if choices.is_empty() {
            return Ok(Ok(base.clone()));
        }
        let mut known = answers.variants.iter().chain(&self.compared);
        if let Some(variant) = known.find(|variant| variant.choices == choices) {
            return Ok(variant.figures.clone());
        }
        let variant = self.run(choices)?;
        self.compared.push(variant.clone());
        Ok(variant.figures)
    }

    fn run(&mut self, choices: Vec<Choice>) -> Result<Variant, Untried> {
        let figures = (self.figures)(&choices).ok_or(Untried::OutOfTime)?;
        Ok(Variant { choices, figures })
    }
}

/// Tries every answer to each of the `open` questions, and then combines the questions that change a figure.
fn try_each(
    answers: &mut Answers,
    open: &[&'static Assumption],
    base: &Answered,
    figures: &mut Trial<'_>,
) -> Result<(), Untried> {
    let mut trials = Trials {
        figures,
        compared: Vec::new(),
    };
    for question in open {
        for choice in question.others(&question.answers[0]) {
            trials.add(vec![choice], answers)?;
        }
        answers.tried.push(question.name);
    }
    let any = effective(answers, open, base, |one, base| {
        one.takes_as_long_as(base) && one.takes_as_long_cold_as(base)
    });
    let (combinations, all) = match every_combination(&any) {
        Some(every) => (every, true),
        None => {
            let variants = &answers.variants;
            let warm = effective(answers, open, base, Answered::takes_as_long_as);
            let mut chosen =
                every_combination(&warm).unwrap_or_else(|| extremes(variants, base, &warm, |figures| figures.clocks));
            chosen.extend(extremes(variants, base, &any, |figures| figures.cold));
            (chosen, false)
        }
    };
    for choices in combinations {
        trials.add(choices, answers)?;
    }
    let beside = matter_beside_others(&mut trials, answers, base, open, &any)?;
    let changes = |one: &Assumption| any.iter().chain(&beside).any(|other| std::ptr::eq(*other, one));
    let quiet: Vec<_> = open.iter().copied().filter(|question| !changes(question)).collect();
    if beside.is_empty() {
        answers.all_combined = all;
        return go_farther(&mut trials, answers, base, open, &quiet);
    }
    let mut both = [any, beside.clone()].concat();
    both.sort_by_key(|question| open.iter().position(|one| std::ptr::eq(*one, *question)));
    let every = every_combination(&both);
    let all = every.is_some();
    // Of too many combinations, those that show what each of these questions changes beside all others.
    let combinations = every.unwrap_or_else(|| {
        let all = last_answers(&both);
        let without = |left: &&'static Assumption| {
            let others = all.iter().filter(|choice| !std::ptr::eq(choice.assumption, *left));
            others.copied().collect()
        };
        std::iter::once(all.clone()).chain(beside.iter().map(without)).collect()
    });
    for choices in combinations {
        trials.add(choices, answers)?;
    }
    answers.all_combined = all;
    go_farther(&mut trials, answers, base, open, &quiet)
}

/// The questions with an answer that alone gives figures other than the run's, as `same` compares them.
fn effective(
    answers: &Answers,
    open: &[&'static Assumption],
    base: &Answered,
    same: fn(&Answered, &Answered) -> bool,
) -> Vec<&'static Assumption> {
    let changes = |variant: &Variant| !variant.figures.as_ref().is_ok_and(|figures| same(figures, base));
    let alone = |question: &Assumption| {
        let mut alone = answers.variants.iter().filter(|variant| is_of(variant, question));
        alone.any(changes)
    };
    open.iter().filter(|question| alone(question)).copied().collect()
}

/// Whether a variant answers this question alone.
fn is_of(variant: &Variant, question: &Assumption) -> bool {
    matches!(&variant.choices[..], [choice] if std::ptr::eq(choice.assumption, question))
}

/// All combinations of two or more unusual answers to different questions; `None` if they are too many.
fn every_combination(questions: &[&'static Assumption]) -> Option<Vec<Vec<Choice>>> {
    let mut all: Vec<Vec<Choice>> = vec![Vec::new()];
    for question in questions {
        for before in 0..all.len() {
            let others = question.others(&question.answers[0]);
            let more: Vec<Vec<Choice>> = others.map(|choice| [&all[before][..], &[choice]].concat()).collect();
            all.extend(more);
        }
        if all.len() > COMBINATIONS {
            return None;
        }
    }
    all.retain(|choices| choices.len() > 1);
    Some(all)
}

/// The two combinations of the answers with the fewest and with the most clocks of the program in some run.
fn extremes(
    variants: &[Variant],
    base: &Answered,
    questions: &[&'static Assumption],
    clocks: fn(&Answered) -> u64,
) -> Vec<Vec<Choice>> {
    let own = clocks(base);
    let of = |question: &'static Assumption, most: bool| {
        let alone = variants.iter().filter(|variant| is_of(variant, question));
        let known = alone.filter_map(|variant| Some((clocks(variant.figures.as_ref().ok()?), variant.choices[0])));
        let farther = known.filter(|&(clocks, _)| if most { clocks > own } else { clocks < own });
        let farthest = farther.max_by_key(|(clocks, _)| clocks.abs_diff(own));
        farthest.map(|(_, choice)| choice)
    };
    let both = [false, true]
        .map(|most| -> Vec<Choice> { questions.iter().filter_map(|question| of(question, most)).collect() });
    both.into_iter().filter(|choices| choices.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::choice;

    fn clocks(clocks: u64) -> Answered {
        Answered {
            clocks,
            ..Answered::default()
        }
    }

    /// The results for a program to whose clocks each answer adds its own, and the choices in the order of the trials.
    fn tried(touched: &[&'static str], most: usize, added: impl Fn(&Choice) -> u64) -> (Result<(), Untried>, Answers) {
        let open: Vec<_> = ASSUMPTIONS
            .iter()
            .filter(|question| touched.contains(&question.name))
            .collect();
        let mut answers = Answers::default();
        let mut runs = 0;
        let result = try_each(&mut answers, &open, &clocks(100), &mut |choices| {
            runs += 1;
            (runs <= most).then(|| Ok(clocks(100 + choices.iter().map(&added).sum::<u64>())))
        });
        (result, answers)
    }

    fn figures(answers: &Answers) -> Vec<(usize, u64)> {
        let each = answers.variants.iter();
        each.map(|one| (one.choices.len(), one.figures.as_ref().expect("it ends alike").clocks))
            .collect()
    }

    #[test]
    fn questions_are_varied_alone_and_those_that_change_something_together() {
        let touched = ["shadow_reach", "imul_r32", "btb_forwarding"];
        let (result, answers) = tried(&touched, usize::MAX, |choice| match choice.assumption.name {
            "shadow_reach" => 1,
            "imul_r32" => 10,
            _ => 0,
        });
        assert_eq!((result, answers.all_combined), (Ok(()), true));
        assert_eq!(figures(&answers), [(1, 101), (1, 110), (1, 100), (2, 111)]);
        assert_eq!(answers.tried, touched);
    }

    #[test]
    fn what_there_was_no_time_for_is_not_tried() {
        let touched = ["shadow_reach", "imul_r32"];
        let (result, answers) = tried(&touched, 1, |_| 1);
        assert_eq!(result, Err(Untried::OutOfTime));
        assert_eq!(answers.tried, ["shadow_reach"]);
        let (result, answers) = tried(&touched, 2, |_| 1);
        assert_eq!((result, answers.all_combined), (Err(Untried::OutOfTime), false));
        assert_eq!(answers.tried, touched);
    }

    #[test]
    fn of_too_many_combinations_the_extremes_are_tried() {
        let all: Vec<&'static str> = ASSUMPTIONS.iter().map(|question| question.name).collect();
        let (result, answers) = tried(&all, usize::MAX, |choice| 1 + choice.assumption.name.len() as u64);
        assert_eq!((result, answers.all_combined), (Ok(()), false));
        // No answer takes fewer clocks, so there is only one extreme.
        let combined: Vec<_> = answers.variants.iter().filter(|one| one.choices.len() > 1).collect();
        assert_eq!(combined.len(), 1);
        assert_eq!(combined[0].choices.len(), all.len());
    }

    #[test]
    fn questions_that_change_only_cold_clocks_are_combined_too() {
        let all: Vec<&'static Assumption> = ASSUMPTIONS.iter().collect();
        // Each question takes a cold clock, and only the first of all changes a warm one.
        let results = |open: &[&'static Assumption], region: bool| {
            let mut answers = Answers::default();
            let result = try_each(&mut answers, open, &Answered::default(), &mut |choices| {
                let cold = choices.len() as u64 + 1;
                Some(Ok(Answered {
                    clocks: u64::from(std::ptr::eq(choices[0].assumption, open[0])),
                    cold: if region { 0 } else { cold },
                    cold_regions: vec![region.then_some(cold)],
                    ..Answered::default()
                }))
            });
            assert_eq!(result, Ok(()));
            let most = answers.variants.iter().map(|one| one.choices.len()).max();
            (most.expect("variants"), answers.all_combined)
        };
        for region in [false, true] {
            assert_eq!(results(&all[..3], region), (3, true));
        }
        // Too many for every combination.
        assert_eq!(results(&all, false), (all.len(), false));
    }

    #[test]
    fn combinations_are_of_different_questions() {
        let found = every_combination(&[
            choice("imul_r32=9").expect("exists").assumption,
            choice("shadow_reach=2").expect("exists").assumption,
            choice("rep_zero=6").expect("exists").assumption,
        ]);
        let mut sizes: Vec<usize> = found.expect("few").iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [2, 2, 2, 3]);
    }
}
