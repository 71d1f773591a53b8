//! Answers to open questions, of which a run assumes one each.

use super::ProgramArguments;
use runtime::model::{self, Assumption, Choice};

/// An answer, which may stand after a blank, as reports write it in a list.
pub(super) fn choice(text: &str) -> Result<Choice, String> {
    let text = text.trim();
    let is_question = model::ASSUMPTIONS.iter().any(|question| question.name == text);
    if text.contains('=') || is_question {
        return model::choice(text);
    }
    let has_it = |question: &&Assumption| question.answers.iter().any(|answer| answer.value == text);
    Err(match model::ASSUMPTIONS.iter().find(has_it) {
        Some(question) => format!(
            "write NAME=VALUE for each; a list of answers to one question is for `p5inst sweep`, as in `{}`",
            sweep_of(question)
        ),
        None => format!(
            "write NAME=VALUE; `p5inst explain assume` lists them, as in `{}`",
            model::ASSUMPTIONS[0].example()
        ),
    })
}

/// The command that tries each answer to a question.
fn sweep_of(question: &Assumption) -> String {
    let answers: Vec<&str> = question.answers.iter().map(|answer| answer.value).collect();
    format!("p5inst sweep FILE.asm --assume {}={}", question.name, answers.join(","))
}

/// The answer that `--errata` chooses.
pub(crate) fn errata() -> Choice {
    model::choice(ERRATA).expect("the question and the answer exist")
}

/// Makes sure that a run is not to assume two answers to one question.
///
/// # Errors
/// One line, with both options.
pub(crate) fn no_contradiction(program: &ProgramArguments) -> Result<(), String> {
    let errata = program.errata.then(|| (errata(), "--errata".to_owned()));
    let assumed = program.assume.iter().map(|choice| {
        let (question, answer) = (choice.assumption.name, choice.answer.value);
        (*choice, format!("--assume {question}={answer}"))
    });
    let given: Vec<(Choice, String)> = errata.into_iter().chain(assumed).collect();
    for (index, (choice, option)) in given.iter().enumerate() {
        let other = given[..index]
            .iter()
            .find(|(other, _)| other.assumption.name == choice.assumption.name && other != choice);
        if let Some((_, other)) = other {
            return Err(format!(
                "`{other}` and `{option}` contradict each other; drop one of them, or try each with `{}`",
                sweep_of(choice.assumption)
            ));
        }
    }
    Ok(())
}

/// What `--errata` is short for.
const ERRATA: &str = "errata=on";
