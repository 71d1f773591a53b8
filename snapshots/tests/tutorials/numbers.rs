//! The numbers in the sentences of a tutorial: each number of two or more digits occurs in an output or a program of
//! the tutorial, or is the result of a calculation in the text, which is repeated here.
//!
//! Code within sentences is exempt, and so are numbers of one digit.

use std::collections::BTreeSet;

/// Numbers in a tutorial about other programs, and codes of characters.
const TOLD: &[(&str, &[&str])] = &[
    ("05_first_execution", &["1996"]),
    ("11_16_bit_program", &["8086", "66h"]),
    ("13_mmx", &["1994", "195"]),
    ("16_p5stat", &["1994"]),
    (
        "18_word_count",
        &[
            "1994", "1.5", "1.33", "1.43", "40", "43", "33", "60", "20h", "80h", "5Fh", "7Fh",
        ],
    ),
];

/// The numbers that occur nowhere else, and the calculations that are wrong.
pub(super) fn unknown<'a>(tutorial: &str, page: &str, shown: impl Iterator<Item = &'a str>) -> Vec<String> {
    let told = TOLD.iter().filter(|(name, _)| *name == tutorial);
    let told = told.flat_map(|(_, numbers)| numbers.iter());
    let mut known: BTreeSet<String> = told.map(|&number| number.to_owned()).collect();
    for text in shown {
        let words = text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '.'));
        known.extend(words.filter(|word| is_number(word)).map(str::to_owned));
    }
    let prose = prose(page);
    let words = words(&prose);
    let mut wrong = Vec::new();
    for window in words.windows(5) {
        if let [left, operator, right, "=", result] = window {
            match calculated(left, operator, right, result) {
                Some(true) => _ = known.insert((*result).to_owned()),
                Some(false) => wrong.push(window.join(" ")),
                None => {}
            }
        }
    }
    let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
    let unknown = words
        .iter()
        .filter(|word| is_number(word) && digits(word) > 1 && !known.contains(**word));
    wrong.extend(unknown.map(|&word| word.to_owned()));
    wrong
}

/// The sentences of a page: without fenced blocks, code and targets of links.
fn prose(page: &str) -> String {
    let outside = page.split("```").step_by(2).flat_map(|part| part.split('`').step_by(2));
    let mut prose = String::new();
    for part in outside {
        let mut links = part.split("](");
        prose.push_str(links.next().unwrap_or_default());
        for link in links {
            prose.push_str(link.split_once(')').map_or("", |(_, behind)| behind));
        }
        prose.push(' ');
    }
    prose
}

/// The numbers of a text with their fractions, the names and the operators.
fn words(text: &str) -> Vec<&str> {
    let words = text.split(|character: char| !(character.is_ascii_alphanumeric() || "._+-*/=".contains(character)));
    let words = words.map(|word| word.trim_end_matches(['.', '-']));
    // A sign does not belong to a number; as an operator, it stands alone.
    let words = words.map(|word| {
        if word.len() > 1 {
            word.trim_start_matches(['+', '-', '.', '=', '*'])
        } else {
            word
        }
    });
    words.filter(|word| !word.is_empty()).collect()
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_end_matches('h');
    let first = word.starts_with(|character: char| character.is_ascii_digit());
    first
        && digits
            .chars()
            .all(|character| character.is_ascii_hexdigit() || character == '.')
}

/// Whether a calculation is right, to the decimals of its result; `None` if it is not a calculation.
fn calculated(left: &str, operator: &str, right: &str, result: &str) -> Option<bool> {
    let (a, b): (f64, f64) = (left.parse().ok()?, right.parse().ok()?);
    let value = match operator {
        "+" => a + b,
        "*" => a * b,
        "/" => a / b,
        "-" => a - b,
        _ => return None,
    };
    let decimals = result.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some(format!("{value:.decimals$}") == result)
}

#[test]
fn a_number_without_a_source_and_a_wrong_calculation_are_found() {
    let shown = || ["  a, lines 3-8: 75 clocks", "mov eax,[esi+12]"].into_iter();
    assert_eq!(
        unknown("", "It takes 75 clocks, 75 / 12 = 6.25 each; in `x = 99` 5.", shown()),
        [""; 0]
    );
    assert_eq!(unknown("", "It takes 76 clocks.", shown()), ["76"]);
    assert_eq!(unknown("", "75 / 12 = 6.5", shown()), ["75 / 12 = 6.5", "6.5"]);
    assert_eq!(unknown("", "```text\n98\n```\nsee [12](97.md), 96", shown()), ["96"]);
}
