//! Budgets in the sources of objects that are linked with an assembly source.

use crate::started;
use serde_json::Value;
use started::{finished, printed, text};
use std::fs;
use std::path::Path;

const CALLER: &str = "        .586
        .model flat
        extern  hash:near
        .data
text    db 'The quick brown fox'
len     equ $-text
result  dd 0
        .code
start:  StartTSC all            ; p5: cycles <= 9000
        push len
        push offset text
        call hash
        add esp,8
        EndTSC
        mov result,eax          ; p5: instructions == 1
        ret
        end start
";

/// A folder with an object and the source that calls it, and the source of the object if that is wanted.
fn folder(source: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    fs::write(folder.path().join("caller.asm"), CALLER).expect("a file is written");
    for name in ["hashed.o", "hashed.cc"].iter().take(1 + usize::from(source)) {
        fs::copy(objects.join(name), folder.path().join(name)).expect("a file is copied");
    }
    folder
}

#[test]
fn budgets_in_the_source_of_an_object_are_judged_as_those_of_a_program() {
    let folder = folder(true);
    let output = finished(folder.path(), "--format json caller.asm hashed.o");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let budgets = report["budgets"].as_array().expect("budgets");
    let told: Vec<(&str, &Value, bool)> = (budgets.iter())
        .map(|one| (one["of"].as_str().expect("a place"), &one["per"], one["ok"] == true))
        .collect();
    assert_eq!(
        told,
        [
            ("region all, lines 9-14", &1.into(), true),
            ("line 15", &1.into(), true),
            // It is inlined.
            ("function step, line 5", &Value::Null, false),
            ("function hash, line 14", &1.into(), false),
            // The line with what is inlined into it, in each round.
            ("line 18", &19.into(), true),
            ("line 18", &19.into(), true),
        ]
    );
    let words = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "--> hashed.cc:14:",
        "--> hashed.cc:5:",
        "the compiler inlined `step` in line 18",
    ] {
        assert!(words.contains(wanted), "{wanted}: {words}");
    }
    let junit = finished(folder.path(), "--format junit caller.asm hashed.o");
    let junit = text(&junit.stdout);
    assert!(junit.contains("tests=\"6\" failures=\"2\""), "{junit}");
    // Those that are no budgets are errors, as those of the program are.
    let source = fs::read_to_string(folder.path().join("hashed.cc")).expect("a source");
    let wrong = source.replace("cycles <= 99", "cycels <= 99");
    fs::write(folder.path().join("hashed.cc"), wrong).expect("a file is written");
    for command in ["", "sweep --cpu p54c,p55c "] {
        let output = finished(folder.path(), &format!("{command}caller.asm hashed.o"));
        let told = text(&output.stderr);
        assert!(told.contains("unknown quantity `cycels`"), "{command}: {told}");
        assert!(told.contains("--> hashed.cc:18:"), "{command}: {told}");
        assert_ne!(output.status.code(), Some(0), "{command}");
    }
}

#[test]
fn a_source_of_an_object_that_is_not_read_is_named_and_its_budgets_are_skipped() {
    let folder = folder(false);
    let told = printed(folder.path(), "caller.asm hashed.o");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("`hashed.cc` was not read: reports lack the lines of it, and budgets there are not judged"),
        "{told}"
    );
    let junit = printed(folder.path(), "--format junit caller.asm hashed.o");
    assert!(
        junit.contains("skipped=\"1\"") && junit.contains("classname=\"hashed.cc\""),
        "{junit}"
    );
    // Nothing is missing if no object is linked.
    let alone = CALLER.replace("call hash", "nop").replace("extern  hash:near", "");
    fs::write(folder.path().join("alone.asm"), alone).expect("a file is written");
    assert!(!printed(folder.path(), "alone.asm").contains("was not read"));
}

#[test]
fn functions_of_an_object_have_the_names_of_the_source() {
    let folder = folder(true);
    for format in ["text", "json", "callgrind"] {
        let output = finished(folder.path(), &format!("--format {format} caller.asm hashed.o"));
        let report = text(&output.stdout);
        assert!(
            report.contains("table::final") && !report.contains("_ZN"),
            "{format}: {report}"
        );
    }
}
