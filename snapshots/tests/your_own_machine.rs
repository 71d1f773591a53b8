//! The tutorial for Rust programs: its program is run here, and its output and text are compared with the quotes in the
//! tutorial. Numbers differ from machine to machine and from run to run, so they are removed from both first.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The most runs of the program until no series is too noisy.
const RUNS: usize = 5;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tutorials/19_your_own_machine")
}

fn tutorial() -> String {
    std::fs::read_to_string(folder().join("tutorial.md")).expect("the tutorial")
}

/// The fenced blocks of this language, in order.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(&fence) {
        let body = &rest[start + fence.len()..];
        let end = body.find("```").expect("a block is closed");
        blocks.push(body[..end].to_owned());
        rest = &body[end..];
    }
    blocks
}

/// A line without the parts that depend on the machine or the moment: numbers, the source of the frequency, the best
/// fence, interruptions, the idleness of the machine, and the reason why there are no events.
fn redact(line: &str) -> String {
    let mut redacted = String::new();
    let line = line.split("; the machine was not idle").next().unwrap_or(line);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '0'..='9' | '.' | '-' if redacted.ends_with('#') => {}
            // A sign is part of its number.
            '-' if characters.peek().is_some_and(char::is_ascii_digit) => {}
            '0'..='9' => redacted.push('#'),
            _ => redacted.push(character),
        }
    }
    let cut = |text: String, from: &str, instead: &str| match text.find(from) {
        Some(at) => format!("{}{instead}", &text[..at + from.len()]),
        None => text,
    };
    let redacted = cut(redacted, "MHz (", "who says so)");
    let redacted = cut(redacted, "ordered by ", "a fence");
    // Where the fastest series were not below the median, there is no least cost.
    let redacted = redacted.replace("least # core clocks, ", "");
    let redacted = cut(redacted, " executions", "");
    let redacted = cut(redacted, "not warmed up)", "");
    cut(redacted, "unavailable: ", "why")
}

/// The lines of a run of the program.
fn printed() -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_your_own_machine"))
        .output()
        .expect("the program runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.lines().map(redact).collect()
}

#[test]
fn the_program_prints_what_the_tutorial_quotes_but_for_the_numbers() {
    // Other work may disturb one run, and a busy machine all of them.
    let mut runs = (0..RUNS).map(|_| printed());
    let quiet = runs.find(|printed| !printed.iter().any(|line| line.contains("too noisy to judge")));
    let Some(printed) = quiet else {
        eprintln!("SKIPPED: in each of {RUNS} runs a series was too noisy to judge: the machine is not idle");
        return;
    };
    insta::with_settings!({
        snapshot_path => "snapshots/tutorials",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        let without_events: Vec<&str> = printed.iter().map(String::as_str).take_while(|line| !line.starts_with("INSTRUCTIONS")).collect();
        insta::assert_snapshot!("19_your_own_machine", without_events.join("\n"));
    });
    let counted = printed.iter().any(|line| line.starts_with("ratio: "));
    let quotes = blocks(&tutorial(), "text");
    assert!(quotes.len() >= 6, "{} quotes", quotes.len());
    for line in quotes.iter().flat_map(|block| block.lines()).map(redact) {
        // If the machine has counters, there are numbers instead of reasons.
        let reason = line.contains("unavailable");
        assert!(
            printed.contains(&line) || counted && reason,
            "the tutorial quotes:\n{line}\nit prints:\n{printed:#?}"
        );
    }
    assert!(
        printed.iter().any(|line| line.starts_with("INSTRUCTIONS_EXECUTED")),
        "{printed:#?}"
    );
}

#[test]
fn what_is_quoted_of_the_program_stands_in_it() {
    let program = std::fs::read_to_string(folder().join("main.rs")).expect("the program");
    let quotes = blocks(&tutorial(), "rust");
    assert!(quotes.len() >= 6, "{} quotes", quotes.len());
    for quote in quotes {
        assert!(program.contains(&quote), "not in main.rs:\n{quote}");
    }
}

#[test]
fn the_benchmark_is_that_of_the_documentation_which_is_compiled() {
    let source = include_str!("../../asm-macros/src/bench/criterion.rs");
    let quotes = blocks(&tutorial(), "rust,no_run");
    assert_eq!(quotes.len(), 1);
    let documented: String = quotes[0]
        .lines()
        .map(|line| format!("{}\n", format!("/// {line}").trim_end()))
        .collect();
    assert!(source.contains(&documented), "{documented}");
}
