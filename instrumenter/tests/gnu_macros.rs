//! Sources for GNU's assembler with macros, repeats and conditions: the folder `gnu_macros` has them, and beside each
//! what the assembler of Debian 12 makes of it: its instructions, and the bytes of its data.

use crate::gnu_assembler::{instructions, is_here, told};
use crate::started;
use started::{finished, p5inst, text};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gnu_macros")
}

/// The instructions of an object, and the bytes of its data, two digits each, a line for each 32 of them. One
/// instruction between registers has two forms of the same length, of which each assembler has its own.
fn contents(object: &str, folder: &Path) -> String {
    let mut made = instructions(object, folder).join("\n") + "\n";
    for section in [".data", ".rodata"] {
        let output = Command::new("objdump")
            .args(["-s", "-j", section, object])
            .current_dir(folder)
            .output();
        let output = output.expect("the program starts");
        let lines = text(&output.stdout).lines().filter(|line| line.starts_with(' '));
        let digits: String = lines
            .filter_map(|line| line.trim_start().split_once(' '))
            .map(|(_, rest)| rest.split("  ").next().unwrap_or_default().replace(' ', ""))
            .collect();
        for line in digits.as_bytes().chunks(64) {
            let _ = writeln!(made, "{}", text(line));
        }
    }
    made
}

#[test]
fn code_and_data_are_those_of_gnus_assembler() {
    let made = tempfile::tempdir().expect("a folder");
    let mut sources = 0;
    for file in fs::read_dir(folder()).expect("the folder is beside the tests") {
        let path = file.expect("a file").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        fs::copy(&path, made.path().join(name)).expect("a copy");
    }
    for file in fs::read_dir(folder()).expect("the folder is beside the tests") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|end| end != "s") {
            continue;
        }
        sources += 1;
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let output = p5inst(made.path(), &["build", name, "-o", "own.o"]).output();
        let output = output.expect("the command starts");
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        if !is_here() {
            continue;
        }
        told("as", &["--32", name, "-o", "theirs.o"], made.path());
        let [own, theirs] = ["own.o", "theirs.o"].map(|object| contents(object, made.path()));
        let expected = path.with_extension("expected");
        let kept = fs::read_to_string(&expected).unwrap_or_default();
        if kept != theirs && std::env::var_os("P5INST_UPDATE_BYTES").is_some() {
            fs::write(&expected, &theirs).expect("it is written");
        } else {
            assert_eq!(kept, theirs, "{name}: GNU's assembler makes something else");
        }
        assert_eq!(own, theirs, "{name}");
    }
    assert!(sources >= 12, "{sources}");
}

/// What is said of a text, with one blank between words.
fn said(source: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.s"), source).expect("it is written");
    let output = finished(folder.path(), "m.s");
    let told = format!("{}\n{}", text(&output.stdout), text(&output.stderr));
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_not_as_it_should_be_is_said_where_it_is() {
    let begin = ".text\nf: movl $1, %eax\n";
    let cases = include_str!("gnu_macros/refused.txt");
    let mut number = 0;
    for case in cases.split("\n====\n") {
        let (source, expected) = case.split_once("\n----\n").expect("a text and what is said of it");
        let told = said(&format!("{begin}{source}\n ret\n"));
        for line in expected.lines() {
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(told.contains(&line), "{source}\n{line}\n{told}");
        }
        number += 1;
    }
    assert!(number >= 10, "{number}");
}
