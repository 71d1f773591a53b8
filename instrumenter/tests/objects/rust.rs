//! Programs of Rust: the names of their functions, and what ends them.

use crate::started::{finished, printed, text};
use std::collections::BTreeSet;

/// What the command says of the program with these arguments, each paragraph in one line.
fn told(arguments: &str) -> String {
    let output = finished(&super::path(""), &format!("--runs 1 {arguments}"));
    text(&output.stdout).replace("\n  ", " ")
}

#[test]
fn a_panic_is_at_the_line_that_panicked_whatever_its_handler_does() {
    let panic = "a Rust panic: core::panicking::panic_bounds_check, called from <panic::Ring as panic::Sink>::put \
                 (panic.rs:43)";
    for (arguments, end) in [
        ("panic.elf", "ended by exit with code 101: "),
        (
            "panic.elf 1",
            "stopped by fault #UD: `ud2` in __rustc::rust_begin_unwind, after ",
        ),
        (
            "--limit 100000 panic.elf 1 2",
            "ended in a jump to itself, which goes on for ever: ",
        ),
    ] {
        let report = told(arguments);
        assert!(report.contains(&format!("{end}{panic}\n")), "{arguments}: {report}");
        assert!(!report.contains("__builtin_trap"), "{arguments}: {report}");
    }
    let json = told("--format json panic.elf");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let stop = &json["stop"];
    for (field, value) in [
        ("reason", "exit"),
        ("file", "panic.rs"),
        ("called", "core::panicking::panic_bounds_check"),
        ("caller", "<panic::Ring as panic::Sink>::put"),
    ] {
        assert_eq!(stop[field], value, "{field}: {stop}");
    }
    assert_eq!(stop["line"], 43);
    let topic = printed(&super::path(""), "explain a Rust panic").replace("\n  ", " ");
    assert!(topic.starts_with("panic: rule"), "{topic}");
}

#[test]
fn an_instruction_that_only_rusts_library_has_has_its_own_remedy() {
    let library = told("panic.elf 1 2 3");
    for words in [
        "NOP in <u32 as core::fmt::Display>::fmt is of later processors; Rust's library",
        "Rust's library for this target is compiled for processors with SSE2, and `-C target-cpu=pentium` does not \
         compile it again: compile with `--target i586-unknown-linux-gnu -C target-feature=+crt-static`, whose library \
         has none, or do without `std`; `p5inst explain rust` says how",
        // The line of the program that led there, rather than one of the library.
        "called from run (panic.rs:74)",
    ] {
        assert!(library.contains(words), "{words}: {library}");
    }
    let own = told("panic.elf 1 2 3 4");
    let words = "MOVQ (SSE2) in panic::wide is of later processors, and p5inst does not have it; compile with `-C \
                 target-cpu=pentium`; `p5inst explain rust` has the whole command (panic.rs:66)";
    assert!(own.contains(words), "{own}");
    let topic = printed(&super::path(""), "explain rust").replace("\n  ", " ");
    for words in ["--target i686-unknown-linux-musl -C target-cpu=pentium", "`#![no_std]`"] {
        assert!(topic.contains(words), "{words}: {topic}");
    }
}

#[test]
fn functions_of_rust_have_the_names_of_the_source_in_every_report() {
    let folder = super::path("");
    let put = "<panic::Ring as panic::Sink>::put";
    for (format, name) in [
        ("text", format!("{put} (line 42)")),
        ("json", format!("\"name\": \"{put}\"")),
        ("callgrind", format!(") {put}\n")),
        ("collapsed", format!(";run;panic::feed;{put};panic.rs:43;")),
    ] {
        let report = printed(&folder, &format!("--runs 1 --format {format} panic.elf"));
        // The last column of a text goes on below.
        let shown = match format {
            "text" => report.split_whitespace().collect::<Vec<_>>().join(" "),
            _ => report.clone(),
        };
        assert!(shown.contains(&name), "{format}: {report}");
        for mangled in ["_ZN", "_RN", "$LT$", "::h"] {
            assert!(!report.contains(mangled), "{format}, {mangled}: {report}");
        }
    }
}

#[test]
fn what_rusts_library_does_inline_belongs_to_the_line_that_calls_it() {
    let folder = super::path("");
    let json: serde_json::Value =
        serde_json::from_str(&printed(&folder, "--runs 1 --format json inlines.elf")).expect("JSON");
    let lines = json["lines"].as_array().expect("lines");
    let source = std::fs::read_to_string(super::path("inlines.rs")).expect("a source");
    let line = |words: &str| source.lines().position(|line| line.contains(words)).expect("a line") + 1;
    // A few instructions have no line: those that the compiler made up.
    let files: BTreeSet<&str> = lines.iter().filter_map(|line| line["file"].as_str()).collect();
    assert_eq!(files, BTreeSet::from(["<memory>", "inlines.rs"]));
    let of = |words: &str| lines.iter().find(|one| one["line"] == line(words)).expect("executed");
    // The line of the loop is executed once for each byte, whatever the library's iterator does for it.
    assert_eq!(of("for &byte in bytes")["times"], 200);
    assert_eq!(of("for _ in 0..8")["times"], 200);
    assert_eq!(of(".sum()")["times"], 199);
    let functions = json["functions"].as_array().expect("functions").iter();
    let names: Vec<&str> = functions.map(|one| one["name"].as_str().expect("a name")).collect();
    assert_eq!(
        &names[..2],
        ["inlines::crc", "inlines::differences"],
        "the most clocks first"
    );
    // Of all its code in this program, this function of the library has lines.
    assert!(!names.contains(&"wrapping_abs"), "{names:?}");
    let text = told("inlines.elf");
    assert!(text.contains("with iter.rs:"), "{text}");
    assert!(!text.contains("library/core"), "{text}");
}
