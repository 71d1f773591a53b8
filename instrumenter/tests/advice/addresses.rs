//! Code that becomes longer or shorter: the code that moves with it, the addresses of refused trials, and budgets.

use super::{ORDER, REGION, finished, json, printed};
use serde_json::Value;
use std::fs;
use std::path::Path;

#[test]
fn code_in_a_region_may_become_longer_or_shorter() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    for (text, gone, new) in [
        (REGION.to_owned(), "movzx", "mov "),
        (
            REGION.replace("movzx eax,byte ptr [esi]", "mov eax,[esi]"),
            "loop",
            "dec",
        ),
    ] {
        fs::write(path.join("a.asm"), &text).expect("a file is written");
        let report = json(path, "advise --write a.asm --format json");
        let replaced = report["suggestions"].as_array().expect("suggestions").iter();
        let replaced: Vec<&Value> = replaced
            .filter_map(|one| one["replaced"].as_array())
            .flatten()
            .collect();
        let begins = |value: &Value, with: &str| value.as_str().is_some_and(|text| text.contains(with));
        assert!(
            replaced
                .iter()
                .any(|one| begins(&one["before"], gone) && begins(&one["after"], new)),
            "{report:#}"
        );
        assert_eq!(report["written"], "a.asm");
        assert_eq!(difference_outside_of_results(&text, path), None);
    }
}

#[test]
fn a_refused_trial_says_what_lies_at_an_address() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // The program stores where in its paragraph the data without a name lies, which longer code moves.
    let text = "\
        .model tiny
        .386
        .code
        org 100h
start:  mov cx,100
        xor ax,ax
again:  add ax,3
        loop again
        mov di,offset last
        mov dx,di
        and dx,15
        mov [di],dx
        mov dx,0
        mov ax,4C00h
        int 21h
last:
        dw 1234h, 5678h
        end start
";
    fs::write(path.join("a.asm"), text).expect("a file is written");
    let report = json(path, "advise a.asm --format json");
    let refusals = report["refusals"].as_array().expect("refusals");
    let told = |one: &Value| {
        let changed = one["changed"].as_str().expect("words");
        changed.contains("data among the code of line 17")
    };
    assert!(refusals.iter().any(told), "{report:#}");
}

#[test]
fn budgets_in_lines_of_their_own_keep_their_instructions() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let budget = "        ; p5: cycles <= 9\n";
    let lines: Vec<&str> = ORDER.lines().collect();
    let plain = json(path_of(path, ORDER), "advise a.asm --format json");
    assert!(!plain["suggestions"].as_array().expect("suggestions").is_empty());
    for at in 1..lines.len() {
        let (above, below) = lines.split_at(at);
        let text = format!("{}\n{budget}{}\n", above.join("\n"), below.join("\n"));
        if finished(path_of(path, &text), "check a.asm").status.code() != Some(0) {
            continue;
        }
        printed(path, "advise --write a.asm");
        let fixed = fs::read_to_string(path.join("a.asm")).expect("a program");
        let behind = |text: &str| {
            text.split_once(budget)
                .and_then(|(_, rest)| rest.lines().next().map(str::to_owned))
        };
        assert_eq!(behind(&fixed), behind(&text), "{fixed}");
    }
}

/// Writes a program into the folder, and returns the folder.
fn path_of<'a>(path: &'a Path, text: &str) -> &'a Path {
    fs::write(path.join("a.asm"), text).expect("a file is written");
    path
}

/// The differences between the data and registers that a program and the fixed file leave, except for the results of
/// its region.
fn difference_outside_of_results(text: &str, path: &Path) -> Option<String> {
    let fixed = fs::read_to_string(path.join("a.asm")).expect("a program");
    let of = |text: &str| {
        let report = json(path_of(path, text), "a.asm --runs 2 --format json");
        let registers = report["registers"].clone();
        registers.to_string()
    };
    let (old, new) = (of(text), of(&fixed));
    (old != new).then(|| format!("{old}\n{new}"))
}
