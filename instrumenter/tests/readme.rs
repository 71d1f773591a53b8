//! The quotes in the README and in the reference are the output of their commands. The host's figures are those of one
//! machine, so only the words and the simulated figures of `p5inst host run` are compared.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The number of words of a region's row that belong to the simulated Pentium: name and two figures.
const SIMULATED: usize = 3;

/// The arguments of each `cargo run --release -- ...` line, and the text lines quoted directly after it.
fn quotes() -> Vec<(String, Vec<String>)> {
    pages().iter().flat_map(|page| quotes_of(page)).collect()
}

fn quotes_of(page: &str) -> Vec<(String, Vec<String>)> {
    let mut quotes: Vec<(String, Vec<String>)> = Vec::new();
    let mut command: Option<String> = None;
    let mut quoting = false;
    for line in page.lines() {
        if let Some(arguments) = line.strip_prefix("cargo run --release -- ") {
            command = Some(arguments.to_owned());
        } else if quoting && line == "```" {
            quoting = false;
        } else if quoting {
            if let (Some((_, lines)), false) = (quotes.last_mut(), line.is_empty()) {
                lines.push(line.to_owned());
            }
        } else if let ("```text", Some(arguments)) = (line, &command) {
            quotes.push((arguments.clone(), Vec::new()));
            (command, quoting) = (None, true);
        } else if !matches!(line, "" | "```") {
            command = None;
        }
    }
    quotes
}

fn printed(arguments: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(arguments.split(' '))
        .current_dir(root())
        .output()
        .expect("the command starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The README, and the pages of the reference.
fn pages() -> Vec<String> {
    let reference = std::fs::read_dir(root().join("snapshots/tutorials/reference")).expect("a folder");
    let mut files: Vec<PathBuf> = reference.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files.insert(0, root().join("README.md"));
    let read = |file: &PathBuf| std::fs::read_to_string(file).expect("a page");
    files.iter().map(read).collect()
}

#[test]
fn quoted_lines_are_those_that_the_command_prints() {
    let quotes = quotes();
    let simulated = quotes.iter().filter(|(arguments, _)| !arguments.starts_with("host "));
    let mut lines = 0;
    for (arguments, quoted) in simulated {
        let printed = printed(arguments);
        for line in quoted {
            assert!(
                printed.lines().any(|other| other.trim_end() == line),
                "a page quotes:\n{line}\n`p5inst {arguments}` prints:\n{printed}"
            );
            lines += 1;
        }
    }
    assert!(lines >= 8, "only {lines} quoted lines were found");
}

#[test]
fn the_quoted_regions_are_those_that_the_command_above_them_prints() {
    let quotes = quotes();
    let (arguments, quote) = quotes
        .iter()
        .find(|(arguments, _)| arguments.starts_with("host run "))
        .expect("a quoted run on the host");
    let printed = printed(arguments);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert!(quote.len() >= 4, "{quote:?}");
    let mut regions = 0;
    for line in quote {
        let expected = words(line);
        let is_row = expected
            .get(1)
            .is_some_and(|lines| lines.starts_with(|first: char| first.is_ascii_digit()));
        let same = |printed: &&str| {
            let printed = words(printed);
            let length = if is_row { SIMULATED } else { expected.len() };
            printed.len() >= length && printed[..length] == expected[..length]
        };
        let found = printed.lines().find(same);
        let found = found.unwrap_or_else(|| panic!("a page quotes:\n{line}\nit prints:\n{printed}"));
        if is_row {
            regions += 1;
            // There are figures, or a note with the reason.
            let there = words(found);
            assert!(there.len() >= SIMULATED + 4, "{found}");
            if !there.iter().any(|word| word == "±") {
                eprintln!("skipped: this host measured nothing: {found}");
                assert!(found.contains('['), "a missing figure has its reason: {found}");
            }
        }
    }
    assert_eq!(regions, 2);
}

#[test]
fn the_readme_can_be_read_at_once() {
    let words = pages()[0].split_whitespace().count();
    assert!(
        (700..=900).contains(&words),
        "{words} words; what is for looking up belongs to the reference"
    );
}

#[test]
fn the_chips_differ_as_the_reference_says() {
    assert!(
        pages()
            .iter()
            .any(|page| page.contains("differ in their CPUID and `--errata`"))
    );
    let report = |chip: &str| {
        let program = "snapshots/tutorials/18_word_count/wc.asm";
        let text = printed(&format!("{program} --cpu {chip} --format json"));
        let mut report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let names = ["cpu", "cpu_title"].map(|name| report[name].take());
        (names, report)
    };
    let ((older, one), (newer, other)) = (report("p5"), report("p54c"));
    assert!(
        older != newer && older.iter().all(serde_json::Value::is_string),
        "{older:?}"
    );
    assert_eq!(one, other);
}
