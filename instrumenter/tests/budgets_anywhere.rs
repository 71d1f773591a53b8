//! Budgets in the comments of any text that is assembled, and those that concern no line.

use crate::started::{finished, text};
use serde_json::Value;

/// Text of the GNU assembler has other comments, and what a program leaves concerns no line.
#[test]
fn a_budget_may_stand_in_any_comment_that_the_text_can_have() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let run = |name: &str, lines: &str| {
        std::fs::write(folder.path().join(name), lines).expect("a file is written");
        finished(folder.path(), name)
    };
    let gnu = |comment: &str| {
        format!("\t.text\n\t.globl f\nf:\n\tmovl $10, %ecx\n.L1:\n\tdecl %ecx {comment}\n\tjnz .L1\n\tret\n")
    };
    for comment in ["# p5: cycles <= 0", "/* p5: cycles <= 0 */", "; p5: cycles <= 0"] {
        let output = run("f.s", &gnu(comment));
        assert_eq!(output.status.code(), Some(1), "{comment}");
        let told = text(&output.stderr);
        assert!(
            told.contains("the budget is at most 0") && told.contains("f.s:6"),
            "{comment}: {told}"
        );
    }
    assert_eq!(run("f.s", &gnu("# p5: cycles <= 100")).status.code(), Some(0));
    let program =
        |first: &str, last: &str| format!("{first}.586\n.model flat\n.code\nstart: mov eax,3\nret\nend start\n{last}");
    for (lines, code) in [
        (program("", "; p5: eax == 3\n"), 0),
        (program("", "; p5: eax == 4\n"), 1),
        (program("; p5: eax == 3, eax > 2\n", ""), 0),
        (program("", "; p5: agi == 0\n"), 2),
    ] {
        let output = run("a.asm", &lines);
        assert_eq!(output.status.code(), Some(code), "{lines}: {}", text(&output.stderr));
    }
}

#[test]
fn the_whole_program_has_a_budget_wherever_it_stands() {
    let source = |limit: u64| {
        format!(
            ".586\n.model flat\n.code\nstart: call work ; p5: total cycles <= {limit}\nret\nwork proc\nmov ecx,50\n\
             again: dec ecx\njnz again\nret\nwork endp\nend start\n"
        )
    };
    let of = |limit: u64| {
        let folder = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(folder.path().join("a.asm"), source(limit)).expect("a file is written");
        let output = finished(folder.path(), "a.asm --format json");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), report)
    };
    let (code, report) = of(1000);
    assert_eq!(code, Some(0), "{report}");
    let cycles = report["own"]["totals"]["cycles"]
        .as_u64()
        .or(report["runs"][4]["own"]["cycles"].as_u64());
    let cycles = cycles.expect("the clocks of the last run");
    let budget = &report["budgets"][0];
    assert_eq!(
        [&budget["name"], &budget["of"]],
        ["total cycles <= 1000", "the whole program"]
    );
    assert_eq!(budget["amount"].as_u64(), Some(cycles));
    assert!(cycles > 50, "{cycles}");
    assert_eq!([of(cycles).0, of(cycles - 1).0], [Some(0), Some(1)]);
}
