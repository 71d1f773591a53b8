//! Programs without an end: those that run off their last instruction, and loops that are never left.

use crate::started;
use serde_json::Value;
use started::{finished, text};
use std::fs;

/// The kinds and texts of the notes on a source, and the exit code with `--fail-on-mistakes`.
fn noted(name: &str, source: &str, options: &str) -> (Vec<(String, String)>, Option<i32>) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join(name), source).expect("a file is written");
    let output = finished(folder.path(), &format!("{name} {options} --format json"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let notes = report["noted"].as_array().into_iter().flatten();
    let of = |one: &Value, field: &str| one[field].as_str().unwrap_or_default().to_owned();
    let notes = notes.map(|one| (of(one, "kind"), of(one, "text"))).collect();
    let strict = finished(folder.path(), &format!("{name} {options} --fail-on-mistakes"));
    (notes, strict.status.code())
}

fn told<'a>(notes: &'a [(String, String)], kind: &str) -> Option<&'a str> {
    notes.iter().find(|one| one.0 == kind).map(|one| &*one.1)
}

#[test]
fn a_program_of_linux_that_does_not_exit_is_a_mistake() {
    let nasm = "section .data\nv dd 0\nsection .text\nglobal _start\n_start: mov eax,5\nmov [v],eax\n";
    let gnu = ".intel_syntax noprefix\n.text\n.globl _start\n_start: mov eax,5\nadd eax,2\n";
    let masm = ".586\n.model flat\n.code\n_start: mov eax,5\nadd eax,2\nend _start\n";
    for (name, source) in [("a.asm", nasm), ("a.s", gnu), ("b.asm", masm)] {
        let (notes, code) = noted(name, source, "");
        let words = told(&notes, "no exit").unwrap_or_else(|| panic!("{name}: {notes:?}"));
        assert!(words.contains("`mov eax,1` and `int 80h`"), "{words}");
        assert_eq!(code, Some(1), "{name}");
    }
}

#[test]
fn what_exits_or_returns_or_is_a_fragment_lacks_no_exit() {
    let exits = "section .text\nglobal _start\n_start: mov eax,1\nxor ebx,ebx\nint 80h\n";
    let returns = ".586\n.model flat\n.code\nstart: mov eax,5\nret\nend start\n";
    let fragment = "add eax,[esi]\nadd esi,4\n";
    for source in [exits, returns, fragment] {
        let (notes, code) = noted("a.asm", source, "");
        assert_eq!(told(&notes, "no exit"), None, "{source}");
        assert_eq!(code, Some(0), "{source}");
    }
}

/// A sum of as many numbers as `count` says.
fn summed(count: &str) -> String {
    format!(
        "section .data\nv dd 1,2,3,4\ncnt dd 4\nsection .text\nglobal _start\n_start:\n mov ecx, {count}\n \
         xor eax,eax\n mov esi, v\nlp: add eax,[esi]\n add esi,4\n dec ecx\n jnz lp\n mov eax,1\n xor ebx,ebx\n int 80h\n"
    )
}

#[test]
fn an_address_that_counts_is_told_if_the_run_faults() {
    for source in [summed("cnt"), summed("cnt").replace("dec ecx\n jnz lp", "loop lp")] {
        let (notes, code) = noted("a.asm", &source, "");
        assert_eq!(
            told(&notes, "address counts"),
            Some("ecx is the address of cnt, used as a count (line 7): `[cnt]` is what it holds")
        );
        assert_ne!(code, Some(0));
    }
    let (notes, code) = noted("a.asm", &summed("[cnt]"), "");
    assert_eq!(told(&notes, "address counts"), None);
    assert_eq!(code, Some(0));
    // A number of the program that is too large is none.
    let (notes, _) = noted("a.asm", &summed("100000"), "");
    assert_eq!(told(&notes, "address counts"), None);
}

/// A loop that looks for the end of a text, with `step` in it.
fn searched(step: &str) -> String {
    format!(
        "section .data\ntxt db 'abc',0\nn dd 0\nsection .text\nglobal _start\n_start:\n mov edi, txt\n xor eax,eax\n\
         lp: inc eax\n {step}\n cmp byte [edi],0\n jne lp\n mov eax,1\n xor ebx,ebx\n int 80h\n"
    )
}

#[test]
fn a_loop_is_told_in_which_nothing_changes_what_its_end_reads() {
    let words = "nothing in the loop changes what `cmp byte [edi],0` reads (line 11): it goes on for ever";
    let (notes, code) = noted("a.asm", &searched("add ebx,eax"), "--limit 100000");
    assert_eq!(told(&notes, "never left"), Some(words));
    assert_ne!(code, Some(0));
    // What is stored may be what is read.
    let (notes, _) = noted("a.asm", &searched("mov [n],eax"), "--limit 100000");
    assert_eq!(told(&notes, "never left"), None);
    let (notes, code) = noted("a.asm", &searched("inc edi"), "--limit 100000");
    assert_eq!((told(&notes, "never left"), code), (None, Some(0)));
    // Only the limit is too low.
    let counted = searched("inc edi").replace("cmp byte [edi],0", "cmp eax,1000000");
    let (notes, _) = noted("a.asm", &counted, "--limit 100000");
    assert_eq!(told(&notes, "never left"), None);
}
