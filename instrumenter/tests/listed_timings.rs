//! `p5inst timings` of several instructions, of one with its operands, and as CSV.

use crate::started;
use started::{finished, printed, text};
use std::path::Path;

#[test]
fn several_instructions_are_listed_in_their_order_each_row_once() {
    let rows = |line: &str| -> Vec<String> {
        let json = printed(Path::new("."), &format!("timings {line} --format json"));
        let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
        rows.iter().map(|row| row["form"].to_string()).collect()
    };
    let (both, one, other) = (rows("mul div mul"), rows("mul"), rows("div"));
    assert!(!one.is_empty() && !other.is_empty());
    assert_eq!(both, [one, other].concat());
    assert_eq!(rows("rep movsd"), rows("movsd"));
}

#[test]
fn operands_choose_no_rows_and_are_told_so() {
    let output = finished(Path::new("."), "timings mul");
    let plain = text(&output.stdout).to_owned();
    let output = started::p5inst(Path::new("."), &["timings", "mul r32"]).output();
    let output = output.expect("the command starts");
    assert_eq!(text(&output.stdout), plain);
    let words = "these are all forms of `mul`; the operands of `mul r32` choose none of them";
    assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    let output = finished(Path::new("."), "timings mul r32");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("name instructions without operands"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn csv_has_the_rows_of_json() {
    let table = printed(Path::new("."), "timings mul fdiv --format csv");
    let json = printed(Path::new("."), "timings mul fdiv --format json");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).expect("JSON");
    let mut lines = table.lines();
    let names = "form,mnemonics,class,clocks,latency,throughput,overlap,early,serializing,source,doubt";
    assert_eq!(lines.next(), Some(names));
    let lines: Vec<&str> = lines.collect();
    assert_eq!(lines.len(), rows.len(), "{table}");
    for (line, row) in lines.iter().zip(&rows) {
        let class = row["class"].as_str().expect("a class");
        let latency = row["latency"]
            .as_u64()
            .map_or_else(String::new, |clocks| clocks.to_string());
        for cell in [class, &*latency] {
            assert!(line.split(',').any(|own| own == cell), "{cell}: {line}");
        }
    }
    let output = finished(Path::new("."), "timings --assumptions --format csv");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_name_of_an_instruction_explains_its_clocks_and_leads_to_topics() {
    for (wanted, told) in [
        ("div", ["DIV r/m32  NP     41", "about it: not pairable, execution"]),
        ("loop", ["LOOP  NP     5 not taken", "early_writes"]),
        ("rep movsd", ["REP MOVS  NP     12 + 1n", "rep_zero"]),
        ("push", ["PUSH", "stack pointer"]),
    ] {
        let found = finished(Path::new("."), &format!("explain {wanted}"));
        let listed = text(&found.stdout);
        assert!(told.iter().all(|words| listed.contains(words)), "{wanted}: {listed}");
    }
    let none = finished(Path::new("."), "explain --format json div");
    let help = "`p5inst timings div` has the clocks of the instruction `div`";
    assert!(text(&none.stderr).contains(help), "{}", text(&none.stderr));
}
