//! A program that needs the library's measuring macros to assemble is counted with them, and this is said.

use crate::started;
use serde_json::Value;
use started::printed;

#[test]
fn macros_that_cannot_be_left_out_are_said_to_be_counted() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    // It uses a variable of the macros.
    for (name, line) in [("private.asm", "mov edx,P5_eax"), ("plain.asm", "")] {
        let text = format!("StartTSC cells\n{line}\nmov eax,cell\nEndTSC\nret\n.data\ncell dd 0\n");
        std::fs::write(folder.path().join(name), text).expect("a file is written");
    }
    for command in [
        "stat",
        "stat --event data_read",
        "stat --event data_read --every 100000",
    ] {
        let told = printed(folder.path(), &format!("{command} private.asm"));
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("macros of the library are counted, too, because the program does not assemble without them")
                && told.contains("undefined symbol `P5_eax` (private.asm:2)"),
            "{told}"
        );
    }
    let report = |name: &str| -> Value {
        let text = printed(folder.path(), &format!("stat --format json {name}"));
        serde_json::from_str(&text).expect("JSON")
    };
    let of = |name: &str| report(name)["programs"][0].clone();
    let (private, plain) = (of("private.asm"), of("plain.asm"));
    let note = private["notes"][0].as_str().expect("a note");
    assert!(note.contains("are counted, too"), "{note}");
    // The macros take thousands of clocks.
    let clocks = |of: &Value| of["clocks"][2].as_u64().expect("clocks");
    assert!(clocks(&private) > 1000 && clocks(&plain) < 100, "{private}, {plain}");
}

/// The event of clocks is split between the program and the macros where their clocks are.
#[test]
fn clocks_not_halted_belong_to_the_part_that_has_the_clocks() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let multiply = "mov ecx,10\na: imul eax,ecx\ndec ecx\njnz a\n";
    let body = |start: &str, end: &str, before: &str, behind: &str| {
        format!(
            ".586\n.model flat\n.data\nx dd 9 dup (0)\n.code\ns: {before}{start}\n{multiply}{end}\n{behind}ret\nend s\n"
        )
    };
    let mut programs = Vec::new();
    for (start, end) in [
        ("StartTSC timed", "EndTSC"),
        ("StartProfile 30h+COUNT_CYCLES,16h,counted", "EndProfile"),
    ] {
        // What stands beside a macro may pair with its first instruction, or with its last one.
        for before in [
            "",
            "nop\n",
            "nop\nnop\n",
            "mov eax,x\n",
            "cmp eax,eax\nje b\nb: ",
            "call f\njmp b\nf: ret\nb: ",
        ] {
            for behind in ["", "nop\n", "mov x+4,eax\nnop\n", "imul eax,ecx\n"] {
                programs.push(body(start, end, before, behind));
            }
        }
    }
    for (number, program) in programs.iter().enumerate() {
        let name = format!("p{number}.asm");
        std::fs::write(folder.path().join(&name), program).expect("a file is written");
        let report = printed(folder.path(), &format!("{name} --cpu p55c --all --format json"));
        let report: Value = serde_json::from_str(&report).expect("JSON");
        let lasted = |part: &str| {
            let events = report[part]["events"].as_array().expect("events");
            let event = events.iter().find(|event| event["name"] == "CLOCKS_NOT_HALTED");
            event.expect("the chip has it")["clocks"].as_u64().expect("clocks")
        };
        let clocks = |part: &str| report[part]["totals"]["cycles"].as_u64().expect("clocks");
        for part in ["own", "probes", "whole"] {
            assert_eq!(lasted(part), clocks(part), "{part} of {program}");
        }
        assert_eq!(lasted("own") + lasted("probes"), lasted("whole"));
        // What a region counts of it are the clocks from its first issue to the first after it.
        let region = &report["regions"][0];
        if region["name"] == "counted" {
            let counted = &region["warm"]["true"]["median"][0];
            assert_eq!(counted, &region["warm"]["cycles"]["median"], "{program}");
        }
    }
}
