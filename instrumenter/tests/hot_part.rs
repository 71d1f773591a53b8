//! The first screen of a program that is longer than one: its functions, the loop with the most clocks, and its lines,
//! each with the most clocks first.

use crate::started;
use serde_json::Value;
use started::{finished, printed, text};
use std::fs;

/// A program whose main part comes after 20,000 clocks of another one, and code that runs once.
const PROGRAM: &str = "\
.586
.model flat
.data
buffer  dd 1024 dup(3)
sum     dd 0
.code
fill    proc
        mov edi,offset buffer
        mov ecx,1024
        mov eax,7
again:  mov [edi],eax
        add edi,4
        dec ecx
        jnz again
        ret
fill    endp
add_up  proc
        mov esi,offset buffer
        mov ecx,1024
        xor eax,eax
next:   add eax,[esi]
        add esi,4
        imul edx,eax,3
        dec ecx
        jnz next
        mov sum,eax
        ret
add_up  endp
once    proc
        nop
        ret
once    endp
start:  call fill
        mov ebp,40
outer:  call add_up
        dec ebp
        jnz outer
        call once
        ret
end start
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("long.asm"), PROGRAM).expect("a file is written");
    folder
}

fn cycles(row: &Value) -> u64 {
    row["cycles"].as_u64().expect("clocks")
}

#[test]
fn functions_come_first_and_lines_by_their_clocks() {
    let folder = folder();
    insta::assert_snapshot!("first_screen", printed(folder.path(), "long.asm"));
    let long = printed(folder.path(), "long.asm --long");
    assert!(
        long.contains("\nListing\n") && !long.contains("Hottest lines"),
        "{long}"
    );
}

#[test]
fn functions_add_up_in_every_format() {
    let folder = folder();
    let json: Value = serde_json::from_str(&printed(folder.path(), "long.asm --format json")).expect("JSON");
    let functions = json["functions"].as_array().expect("functions");
    let names: Vec<&str> = functions.iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["add_up", "fill", "start", "once"]);
    let all: u64 = functions.iter().map(cycles).sum();
    assert_eq!(all, cycles(&json["own"]["totals"]));
    assert!(functions.is_sorted_by(|one, next| cycles(one) >= cycles(next)));
    for function in functions {
        let reasons = function["reasons"].as_object().expect("reasons").values();
        let sum: u64 = reasons.map(|clocks| clocks.as_u64().expect("clocks")).sum();
        assert_eq!(sum, cycles(function));
    }
    let page = printed(folder.path(), "long.asm --format html");
    let (_, section) = page.split_once("id=\"functions\"").expect("a section");
    let add_up = format!("data-v=\"{}\"", cycles(&functions[0]));
    assert!(section.contains(&add_up), "{add_up}");
}

#[test]
fn functions_have_their_clocks_with_those_of_their_callees() {
    let folder = folder();
    let report: Value = serde_json::from_str(&printed(folder.path(), "long.asm --format json")).expect("JSON");
    let function = |name: &str| {
        let functions = report["functions"].as_array().expect("functions").iter();
        let mut named = functions.filter(|one| one["name"] == name);
        named.next().expect("a function").clone()
    };
    // The first function has all of the run, and one that calls nothing its own clocks alone.
    let (start, leaf) = (function("start"), function("add_up"));
    assert_eq!(start["cycles_with_callees"], report["own"]["totals"]["cycles"]);
    assert_eq!(start["calls"], 1);
    assert_eq!(leaf["cycles_with_callees"], leaf["cycles"]);
    assert_eq!(leaf["calls"], 40);
    let page = printed(folder.path(), "long.asm --format html");
    assert!(page.contains("with callees") && page.contains("per call"));
    // Calls are followed in another run, which a program that was stopped does not get.
    let stopped = finished(folder.path(), "long.asm --limit 100000");
    let untold = "Clocks with callees are not known: calls are followed in another run, and only if the program ends";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words(text(&stopped.stdout)).contains(untold),
        "{}",
        text(&stopped.stdout)
    );
    let stopped = finished(folder.path(), "long.asm --limit 100000 --format html");
    assert!(words(text(&stopped.stdout)).contains(untold));
    // Only the beginning of the run is traced, and the clocks by cause beside the trace are of that.
    assert!(page.contains("last run: clocks of the traced part of the pass by cause"));
}
