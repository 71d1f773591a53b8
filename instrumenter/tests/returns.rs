//! What a return that leads astray is told of: what wrote the address that it took from the stack.

use crate::started;
use started::{finished, text};
use std::fs;

/// The report of a program in 32-bit code, each white space a blank.
fn told(code: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = format!(".586\n.model flat\n.code\nstart:\n{code}\nend start\n");
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let output = finished(folder.path(), "a.asm");
    text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says(report: &str, words: &str) {
    assert!(report.contains(words), "{words}: {report}");
}

#[test]
fn room_on_the_stack_is_not_pushed_and_its_writer_is_named() {
    let call = "call f\nret\nf: push ebp\nmov ebp,esp\nmov eax,7\n";
    let report = told(&format!("{call}sub esp,8\nmov [ebp-8],eax\nmov [ebp-4],ecx\nret"));
    says(
        &report,
        "its return popped what `mov [ebp-8],eax` wrote (a.asm:11) into the 8 bytes of room on the stack; take them off \
         before: `leave`, `mov esp,ebp`, or `add esp,8`",
    );
    assert!(!report.contains("pushed"), "{report}");
    // Nothing has written to it.
    let report = told(&format!("{call}sub esp,8\nret"));
    says(
        &report,
        "its return popped from the 8 bytes of room on the stack that `sub esp,8` made (a.asm:10); take them off before:",
    );
    let report = told("call f\nret\nf: enter 8,0\nmov eax,7\nmov [ebp-8],eax\nret");
    says(
        &report,
        "its return popped what `mov [ebp-8],eax` wrote (a.asm:9) into the ",
    );
}

#[test]
fn what_is_pushed_is_told_as_before_unless_it_is_overwritten() {
    let report = told("mov ebx,5\npush ebx\nret");
    says(&report, "its return popped what `push ebx` pushed (a.asm:6)");
    let report = told("mov ebx,5\npush 6\nmov [esp],ebx\nret");
    says(&report, "its return popped what `mov [esp],ebx` wrote (a.asm:7)");
    assert!(!report.contains("room"), "{report}");
    let report = told("call f\nret\nf: enter 8,0\nadd esp,8\nret");
    says(&report, "its return popped what `enter 8,0` pushed (a.asm:7)");
}
