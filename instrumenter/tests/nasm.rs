//! Programs for NASM, as people hand them in: the folder `nasm` has the sources, and beside each the lines that its
//! commands print, blanks aside. A line `$ words` is a command; a line that begins with an exclamation mark must not be
//! in what the command before it prints.

use crate::started;
use started::{finished, p5inst, text};
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nasm")
}

/// The words of a text with one blank between them.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a command prints, and its status.
fn told(line: &str) -> String {
    let output = finished(&folder(), line);
    let status = output.status.code().map_or("none".to_owned(), |code| code.to_string());
    words(&format!(
        "{}\n{}\nstatus {status}",
        text(&output.stdout),
        text(&output.stderr)
    ))
}

#[test]
fn programs_print_what_is_beside_them() {
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("the folder is beside the tests")
        .map(|file| file.expect("a file").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.ends_with(".asm"))
        .collect();
    names.sort();
    assert!(names.len() >= 20, "{names:?}");
    for name in names {
        let kept = folder().join(&name).with_extension("expected");
        let expected = fs::read_to_string(&kept).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut printed = None;
        for line in expected.lines().filter(|line| !line.trim().is_empty()) {
            if let Some(command) = line.strip_prefix("$ ") {
                printed = Some((command, told(command)));
                continue;
            }
            let (command, printed) = printed.as_ref().expect("a command comes first");
            let (wanted, line) = match line.strip_prefix('!') {
                Some(line) => (false, words(line)),
                None => (true, words(line)),
            };
            assert_eq!(printed.contains(&line), wanted, "{name}: {command}: {line}\n{printed}");
        }
    }
}

#[test]
fn suggestions_are_written_into_the_source_and_keep_what_it_does() {
    let made = tempfile::tempdir().expect("a folder");
    for name in ["sum.asm", "sort_registers.asm"] {
        let source = made.path().join(name);
        fs::copy(folder().join(name), &source).expect("the file can be copied");
        let run = || {
            let output = p5inst(made.path(), &["--format", "json", name]).output();
            let json: serde_json::Value = serde_json::from_slice(&output.expect("it starts").stdout).expect("JSON");
            (json["output"].clone(), json["stop"].clone(), json["runs"].clone())
        };
        let before = run();
        let output = p5inst(made.path(), &["advise", "--write", name]).output();
        let output = output.expect("the command starts");
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        let [old, new] = [folder().join(name), source].map(|path| fs::read_to_string(path).expect("text"));
        assert_ne!(old, new, "{name}");
        let after = run();
        assert_eq!((&before.0, &before.1), (&after.0, &after.1), "{name}");
        assert_ne!(before.2, after.2, "{name}: other clocks");
    }
}
