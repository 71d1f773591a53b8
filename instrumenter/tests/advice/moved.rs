//! Code that becomes longer or shorter in front of data: what moves with it is the same, and what depends on its place
//! is not.

use super::{finished, json, printed};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A COM program with its data after the code, as most have: the sum of a table, and a pointer to its end. BEFORE
/// stands before the loop, DATA after the table.
const SUM: &str = "\
        .model tiny
        .386
        .code
        org 100h
start:  mov cx,200
        mov si,offset tab
        xor ax,ax
BEFORE
again:  add al,[si]
        inc si
        loop again
        mov sum,ax
        mov rest,si
        mov ax,4C00h
        int 21h
sum     dw 0
        db 0
rest    dw 0
tab     db 200 dup (3)
DATA
        end start
";

fn written(folder: &Path, text: &str) -> Value {
    fs::write(folder.join("a.asm"), text).expect("a file is written");
    json(folder, "advise a.asm --format json")
}

fn program(before: &str, data: &str) -> String {
    SUM.replace("BEFORE", before).replace("DATA", data)
}

/// Whether a suggestion replaces this instruction.
fn replaces(report: &Value, before: &str) -> bool {
    let suggestions = report["suggestions"].as_array().expect("suggestions").iter();
    let mut replaced = suggestions.filter_map(|one| one["replaced"].as_array()).flatten();
    replaced.any(|one| one["before"] == before)
}

#[test]
fn data_after_the_code_may_move() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let report = written(path, &program("", ""));
    // SI is the end of the table, and `rest`, at an odd place, holds the same address.
    assert!(replaces(&report, "loop again"), "{report:#}");
    assert_eq!(report["refusals"].as_array().map(Vec::len), Some(0), "{report:#}");
    let saved = report["suggestions"][0]["saved"].as_u64().expect("clocks");
    assert!(saved > 900, "200 rounds of LOOP take 5 clocks longer: {saved}");
    // Nothing moves with the data in place, and the suggestion is the same.
    let kept = written(
        path,
        &program("", "").replace("sum     dw 0", "        org 180h\nsum     dw 0"),
    );
    assert!(replaces(&kept, "loop again"), "{kept:#}");
    // The program that is written leaves the same sum, and SI at its own end of the table.
    fs::write(path.join("a.asm"), program("", "")).expect("a file is written");
    let registers = || json(path, "a.asm --runs 2 --format json")["registers"].clone();
    let before = registers();
    printed(path, "advise --write a.asm");
    let after = registers();
    assert_eq!(before["eax"], after["eax"]);
    assert_ne!(before, after, "SI has moved with the table");
}

#[test]
fn data_may_move_back_when_code_becomes_shorter() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let text = program("", "").replace(
        "        loop again\n",
        "        imul edx,1000h\n        dec cx\n        jnz again\n",
    );
    let report = written(folder.path(), &text);
    let bytes = |one: &Value| [0, 1].map(|side| one["bytes"][side].as_u64().expect("bytes"));
    let suggestions = report["suggestions"].as_array().expect("suggestions");
    assert!(replaces(&report, "imul edx,1000h"), "{report:#}");
    assert!(
        suggestions.iter().any(|one| bytes(one)[0] > bytes(one)[1]),
        "{report:#}"
    );
}

#[test]
fn what_depends_on_the_place_of_data_is_told_with_what_it_would_save_and_the_remedy() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // BX tells where the table lies in its paragraph, DX how far twice; the last program writes after its end.
    for (before, data, first) in [
        ("        mov bx,si\n        and bx,15", "", "ebx"),
        ("        mov dx,si\n        add dx,dx", "", "edx"),
        ("        mov byte ptr [behind+50],7", "behind  label byte", "memory at"),
    ] {
        let text = program(before, data);
        let report = written(path, &text);
        assert!(!replaces(&report, "loop again"), "{before}: {report:#}");
        let refusals = report["refusals"].as_array().expect("refusals").iter();
        let mut of_loop = refusals.filter(|one| one["tried"]["before"] == "loop again");
        let refused = of_loop.next().unwrap_or_else(|| panic!("{before}: {report:#}"));
        assert_eq!(refused["moves"], true, "{before}: {refused:#}");
        assert!(refused["saved"].as_u64() > Some(900), "{before}: {refused:#}");
        let changed = refused["changed"].as_str().expect("words");
        assert!(changed.starts_with(first), "{before}: {changed}");
        let told = printed(path, "advise a.asm");
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("left out: `loop again` to `dec cx / jnz again` in lines"),
            "{told}"
        );
        assert!(told.contains("`align 16` or `org` before the data"), "{told}");
        // With the remedy nothing moves, and the suggestion is made.
        let remedied = text.replace("sum     dw 0", "        align 16\nsum     dw 0");
        let report = written(path, &remedied);
        assert!(replaces(&report, "loop again"), "{before}: {report:#}");
    }
}

#[test]
fn code_that_reads_its_own_bytes_is_no_case_of_moved_data() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // BL is the sum of the bytes of the loop itself.
    let sum = "        mov di,offset again\nbytes:  add bl,[di]\n        inc di\n        \
               cmp di,offset again+8\n        jnz bytes";
    let report = written(path, &program(sum, ""));
    let refusals = report["refusals"].as_array().expect("refusals").iter();
    let mut of_loop = refusals.filter(|one| one["tried"]["before"] == "loop again");
    let refused = of_loop.next().unwrap_or_else(|| panic!("{report:#}"));
    assert_eq!((&refused["moves"], &refused["changed"]), (&false.into(), &"ebx".into()));
    assert_eq!(finished(path, "a.asm").status.code(), Some(0));
}
