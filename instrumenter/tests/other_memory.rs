//! What a program leaves in memory without a name: back buffers in a segment of their own, which a report tells and
//! `compare` compares.

use crate::started;
use serde_json::Value;
use started::{finished, text};
use std::fs;
use std::path::Path;

/// A program of 64,000 bytes in the segment 64 KiB on, each of which `store` makes; `more` comes before.
fn program(more: &str, store: &str) -> String {
    format!(
        ".model tiny\n.386\n.code\norg 100h\nstart: {more}\nmov ax,cs\nadd ah,10h\nmov es,ax\nxor di,di\n\
         mov cx,64000\nmov al,55h\nL: {store}\nloop L\nmov ax,4C00h\nint 21h\nend start\n"
    )
}

fn words(path: &Path, line: &str) -> (String, Option<i32>) {
    let output = finished(path, line);
    let told = text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    (told, output.status.code())
}

fn compared(old: &str, new: &str) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, source) in [("old.asm", old), ("new.asm", new)] {
        fs::write(folder.path().join(name), source).expect("a file is written");
    }
    words(folder.path(), "compare --fail-on-other-results old.asm new.asm")
}

#[test]
fn a_back_buffer_is_told_with_its_place() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), program("", "stosb")).expect("a file is written");
    let (told, _) = words(folder.path(), "a.asm");
    let expected = "no name: 64,000 bytes changed at 2000:0000h to 2000:F9FFh";
    assert!(told.replace(',', "").contains(&expected.replace(',', "")), "{told}");
    let json = finished(folder.path(), "a.asm --format json");
    let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let one = &json["other_memory"][0];
    assert_eq!((&one["first"], &one["last"]), (&0x2_0000.into(), &0x2_F9FF.into()));
    assert_eq!((&one["bytes"], &one["part"]), (&64_000.into(), &"outside".into()));
    assert_eq!(json["other_memory"].as_array().map(Vec::len), Some(1), "not the stack");
}

#[test]
fn other_bytes_in_a_back_buffer_are_other_results() {
    let usual = program("", "stosb");
    let (told, code) = compared(&usual, &program("nop", "mov es:[di],al\ninc di"));
    assert!(
        told.contains("the same results: exit code 0, 64000 bytes without a name"),
        "{told}"
    );
    assert_eq!(code, Some(0), "{told}");
    // Other bytes, none but zeros, and fewer.
    for other in [
        "stosb\nxor al,3",
        "mov byte ptr es:[di],0\ninc di",
        "stosb\ninc di\ndec cx",
    ] {
        let (told, code) = compared(&usual, &program("", other));
        assert!(told.contains("the two runs leave other bytes at 2000:0000h"), "{told}");
        assert_eq!(code, Some(1), "{told}");
    }
}

#[test]
fn without_other_results_the_exit_code_alone_is_compared() {
    let quiet = |more: &str| program(more, "nop");
    let (told, code) = compared(&quiet(""), &quiet("nop"));
    assert!(
        told.contains("both runs end with the same exit code 0; nothing else could be compared"),
        "{told}"
    );
    assert_eq!(code, Some(0), "{told}");
}

#[test]
fn what_lies_within_a_program_is_compared_if_both_changed_as_much() {
    let scratch = |value: u16, second: &str| {
        format!(
            ".model tiny\n.386\n.code\norg 100h\nstart: mov word ptr scratch,{value}\n{second}\nmov ax,4C00h\nint 21h\n\
             scratch:\nend start\n"
        )
    };
    // `scratch` has no size, and moves with the code.
    let (told, code) = compared(&scratch(0x1234, ""), &scratch(0x1234, "nop"));
    assert_eq!(code, Some(0), "{told}");
    let (told, code) = compared(&scratch(0x1234, ""), &scratch(0x1235, "nop"));
    assert!(told.contains("other bytes at 1000:01"), "{told}");
    assert_eq!(code, Some(1), "{told}");
}

#[test]
fn addresses_of_a_flat_program_are_not_compared() {
    // A block of a heap has an address of code, which the longer program has elsewhere.
    let program = |more: &str, last: u32| {
        format!(
            ".586\n.model flat\n.code\nstart: mov eax,45\nxor ebx,ebx\nint 80h\nmov esi,eax\n\
             lea ebx,[eax+4096]\nmov eax,45\nint 80h\n{more}\nmov eax,offset stop\nmov [esi+8],eax\n\
             mov dword ptr [esi+12],{last}\nstop: mov eax,1\nxor ebx,ebx\nint 80h\nend start\n"
        )
    };
    let (told, code) = compared(&program("", 5), &program("nop\nnop", 5));
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("the same results: exit code 0, "), "{told}");
    let (told, code) = compared(&program("", 5), &program("nop\nnop", 6));
    assert!(told.contains("the two runs leave other bytes at 00"), "{told}");
    assert_eq!(code, Some(1), "{told}");
}
