//! Notes as data, and an exit code by which a script finds the mistakes that they tell of.

use crate::started;
use serde_json::{Value, json};
use started::{finished, text};
use std::fs;

/// A loop that goes one element too far, and reads a register that nothing has set.
const MISTAKEN: &str = "        .586
        .model flat
        .data
table   dd 8 dup (1)
other   dd 5
        .code
start:  xor ecx,ecx
next:   add eax,table[ecx*4]
        inc ecx
        cmp ecx,9
        jne next
        ret
        end start
";

#[test]
fn notes_have_kind_file_and_line_and_mistakes_an_exit_code() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    fs::write(path.join("a.asm"), MISTAKEN).expect("a file is written");
    fs::write(path.join("b.asm"), "        mov eax,1\n        ret\n").expect("a file is written");
    let output = finished(path, "a.asm --format json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let noted = report["noted"].as_array().expect("notes");
    let texts: Vec<&Value> = noted.iter().map(|note| &note["text"]).collect();
    assert_eq!(
        texts,
        report["notes"].as_array().expect("notes").iter().collect::<Vec<_>>()
    );
    let past = noted
        .iter()
        .find(|note| note["kind"] == "past variable")
        .expect("a note");
    assert_eq!(
        [&past["mistake"], &past["file"], &past["line"]],
        [&json!(true), &json!("a.asm"), &json!(8)]
    );
    let unset = noted
        .iter()
        .find(|note| note["kind"] == "register never set")
        .expect("a note");
    assert_eq!([&unset["mistake"], &unset["line"]], [&json!(true), &json!(8)]);
    // What is simulated is no mistake of the program.
    assert!(
        noted
            .iter()
            .all(|note| note["kind"] != "timing doubted" || note["mistake"] == false)
    );

    let strict = finished(path, "a.asm --fail-on-mistakes");
    assert_eq!(strict.status.code(), Some(1));
    assert!(text(&strict.stderr).contains("2 mistakes"), "{}", text(&strict.stderr));
    let right = finished(path, "b.asm --fail-on-mistakes");
    assert_eq!(right.status.code(), Some(0), "{}", text(&right.stderr));
}

/// Loops whose counter is counted down from 0: `asks` is what ends them.
fn counted_down_from_0(asks: &str) -> String {
    format!(
        "        .586\n        .model flat\n        .code\nstart:  mov edx,70000\n        mov ebx,-1\nagain:  xor ecx,ecx\n\
         next:   {asks}\n        dec ecx\n        jnz next\ndone:   dec edx\n        jnz again\n        ret\n        end \
         start\n"
    )
}

#[test]
fn a_counter_that_is_meant_to_get_below_zero_is_no_mistake() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let kinds = |asks: &str| -> Vec<String> {
        fs::write(folder.path().join("a.asm"), counted_down_from_0(asks)).expect("a file is written");
        let output = finished(folder.path(), "a.asm --format json");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["stop"]["reason"], "return", "{report}");
        let noted = report["noted"].as_array().into_iter().flatten();
        noted
            .map(|note| note["kind"].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let wraps = |asks: &str| kinds(asks).iter().any(|kind| kind == "counter wraps");
    assert!(!wraps("cmp ecx,-1\n        je done"));
    assert!(!wraps("test ecx,ecx\n        js done"));
    // Nothing there asks for a number below zero.
    assert!(wraps("cmp ecx,ebx\n        je done"));
}
