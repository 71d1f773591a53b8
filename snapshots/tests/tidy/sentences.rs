//! Modules that produce results contain no sentence for the user: all such text is in `report`.

use super::code::without_tests;
use super::{is_test, sources};

const NO_SENTENCE: &[&str] = &[
    "runtime/meaning/src/exec/",
    "runtime/machine/src/",
    "runtime/host/src/native/",
    "runtime/host/src/perf/",
    "runtime/timing/src/pipeline/",
    "runtime/meaning/src/services/",
    "runtime/timing/src/units/",
];

/// Files that contain the words of errors beside the errors, so that any program can show them.
const WORDED_ERRORS: &[&str] = &["runtime/host/src/native/error.rs", "runtime/host/src/perf/error.rs"];

/// Code that, earlier in the same statement, makes a string literal a message for developers or not a text at all.
const NOT_FOR_USERS: &[&str] = &["assert", "expect(", "unreachable!", "panic!", "cfg(", "doc =", "asm!"];

/// The string literals of `source` outside of comments, each with its line and the code before it in its statement.
pub(super) fn literals(source: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    let mut before = String::new();
    let mut line = 1;
    let mut characters = source.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' => line += 1,
            '/' if characters.peek() == Some(&'/') => {
                while characters.peek().is_some_and(|&next| next != '\n') {
                    characters.next();
                }
            }
            // A character literal, which may be a quotation mark; a lifetime has no second apostrophe.
            '\'' => {
                let ahead: Vec<char> = characters.clone().take(3).collect();
                match ahead[..] {
                    ['\\', _, '\''] => characters.nth(2),
                    [_, '\'', ..] => characters.nth(1),
                    _ => None,
                };
            }
            '"' => {
                let first = line;
                let mut literal = String::new();
                while let Some(next) = characters.next() {
                    match next {
                        '"' => break,
                        '\\' => literal.extend(characters.next()),
                        other => literal.push(other),
                    }
                }
                line += literal.matches('\n').count();
                found.push((first, literal, before.clone()));
            }
            ';' | '{' | '}' => before.clear(),
            other => before.push(other),
        }
    }
    found
}

/// Whether a text is like a sentence: it has several words.
fn is_sentence(literal: &str) -> bool {
    literal.split_whitespace().count() > 1
}

#[test]
fn modules_that_produce_results_hold_no_sentence() {
    let mut wrong = Vec::new();
    let concerned =
        |name: &str| NO_SENTENCE.iter().any(|module| name.starts_with(module)) && !WORDED_ERRORS.contains(&name);
    for (name, text) in sources().iter().filter(|(name, _)| concerned(name) && !is_test(name)) {
        for (line, literal, before) in literals(without_tests(text)) {
            if is_sentence(&literal) && !NOT_FOR_USERS.iter().any(|mark| before.contains(mark)) {
                wrong.push(format!("{name}:{line}: {literal:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for module in NO_SENTENCE {
        assert!(
            sources().iter().any(|(name, _)| name.starts_with(module)),
            "{module} is gone"
        );
    }
}

#[test]
fn sentences_are_told_from_other_literals() {
    let seen = |source: &str| {
        let all = literals(source);
        all.into_iter()
            .filter(|(_, literal, before)| {
                is_sentence(literal) && !NOT_FOR_USERS.iter().any(|mark| before.contains(mark))
            })
            .map(|(line, ..)| line)
            .collect::<Vec<usize>>()
    };
    assert_eq!(seen("let a = \"#GP\"; // a \"few words\"\nlet b = \"two words\";"), [2]);
    assert_eq!(seen("let quote = '\"'; let b = \"\\\"two words\\\"\";"), [1]);
    assert_eq!(seen("debug_assert!(ok,\n \"two words\"); f(\"two words\")"), [2]);
    assert_eq!(seen("fn f<'a>(text: &'a str) { g(\"two words\") }"), [1]);
}
