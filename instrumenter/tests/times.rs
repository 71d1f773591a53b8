//! Clocks as time, and what small reports of straight code, of programs without source and of sweeps have.

use crate::started;
use serde_json::Value;
use started::{finished, printed, text};
use std::fs;

fn folder(source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    folder
}

/// A region in a procedure.
const REGION: &str = ".586\n.model flat\n.code\nstart: call work\nret\nwork proc\n\
                      StartTSC part\nmov ecx,50\nL: dec ecx\njnz L\nEndTSC\nret\nwork endp\nend start\n";

#[test]
fn a_rate_makes_clocks_times() {
    let source = "mov ecx,100\nL: dec ecx\njnz L\nret\n";
    let folder = folder(source);
    let json = finished(folder.path(), "a.asm --mhz 90 --format json");
    let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let clocks = json["own"]["totals"]["cycles"].as_u64().expect("clocks") as f64;
    let [time, times] = ["microseconds", "per_second"].map(|name| json["time"][name].as_f64().expect("a time"));
    assert!((time - clocks / 90.0).abs() < 1e-9, "{time}");
    assert!((times - 90e6 / clocks).abs() < 1e-6, "{times}");
    let report = printed(folder.path(), "a.asm --mhz 90");
    let words = format!("at 90 MHz: {time:.2} µs, {times:.1} runs a second");
    assert!(report.contains(&words), "{report}");
    let usual = printed(folder.path(), "a.asm");
    assert!(!usual.contains("MHz"), "{usual}");
    fs::write(folder.path().join("r.asm"), REGION).expect("a file is written");
    let json = finished(folder.path(), "r.asm --mhz 66.5 --format json");
    let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let time = json["regions"][0]["time"]["microseconds"].as_f64().expect("a time");
    let report = printed(folder.path(), "r.asm --mhz 66.5");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(report.contains("at 66.5 MHz: "), "{report}");
    assert!(report.contains(&format!("; part {time:.2} µs, ")), "{report}");
}

#[test]
fn lines_of_straight_code_have_their_clocks_in_tables() {
    let folder = folder("mov eax,1\nadd eax,2\nimul eax,eax\nret\n");
    printed(folder.path(), "a.asm -o a.csv -o a.json");
    let table = fs::read_to_string(folder.path().join("a.csv")).expect("a report");
    let mut table = csv::Reader::from_reader(table.as_bytes());
    let at = table
        .headers()
        .expect("headings")
        .iter()
        .position(|name| name == "clock");
    let clocks = table
        .records()
        .map(|one| one.expect("a record")[at.expect("a column")].parse::<u64>());
    let clocks: Vec<u64> = clocks.map(|clock| clock.expect("a clock")).collect();
    let json = fs::read_to_string(folder.path().join("a.json")).expect("a report");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let lines = json["lines"].as_array().expect("lines").iter();
    let told: Vec<u64> = lines.map(|line| line["clock"].as_u64().expect("a clock")).collect();
    assert_eq!(clocks, told);
    assert!(
        clocks.len() == 4 && clocks.is_sorted() && clocks[0] < clocks[3],
        "{clocks:?}"
    );
}

#[test]
fn a_program_without_source_is_not_told_to_have_lines() {
    let source = ".model tiny\n.386\n.code\norg 100h\nstart: mov cx,9000\nL: call work\nloop L\nret\nwork: inc ax\n\
                  ret\nend start\n";
    let folder = folder(source);
    printed(folder.path(), "build a.asm -o a.com");
    fs::remove_file(folder.path().join("a.asm")).expect("the source");
    let report = printed(folder.path(), "a.com");
    assert!(report.contains("Functions") && !report.contains("-g"), "{report}");
}

#[test]
fn budgets_that_concern_no_line_may_stand_after_all_code() {
    let source = |budget: &str| format!("mov eax,1\nadd eax,2\nret\n\n; p5: {budget}\n");
    let folder = folder(&source("eax == 3, total cycles <= 100"));
    let report = printed(folder.path(), "a.asm");
    assert!(report.contains("2 budgets hold"), "{report}");
    fs::write(folder.path().join("a.asm"), source("total cycles <= 1")).expect("a file is written");
    assert_eq!(finished(folder.path(), "a.asm").status.code(), Some(1));
    fs::write(folder.path().join("a.asm"), source("cycles <= 1")).expect("a file is written");
    let refused = finished(folder.path(), "a.asm");
    let told = text(&refused.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("of which line 3 is the last"), "{told}");
}

#[test]
fn a_sweep_says_which_budget_failed() {
    let folder = folder("mov ecx,N\nL: dec ecx\njnz L ; p5: total cycles <= 60\nret\n");
    let table = finished(folder.path(), "sweep a.asm -D N=2,100 --format csv");
    let table = text(&table.stdout);
    let mut rows = csv::Reader::from_reader(table.as_bytes());
    let at = rows
        .headers()
        .expect("headings")
        .iter()
        .position(|name| name == "failed_budget");
    let cells = rows
        .records()
        .map(|one| one.expect("a record")[at.expect("a column")].to_owned());
    let cells: Vec<String> = cells.collect();
    assert_eq!(cells[0], "", "{table}");
    assert!(
        cells[1].contains("at most 60") && cells[1].ends_with("(a.asm:3)"),
        "{table}"
    );
}

#[test]
fn chips_have_other_names_and_an_empty_variable_is_none() {
    let folder = folder("mov eax,1\nret\n");
    for (other, name) in [("486", "i486"), ("mmx", "p55c"), ("MMX", "p55c")] {
        let json = finished(folder.path(), &format!("a.asm --cpu {other} --format json"));
        let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
        assert_eq!(json["cpu"], name);
    }
    let run = |also: &str| {
        let mut command = started::p5inst(folder.path(), &["a.asm"]);
        command.env("P5INST_ALSO", also).output().expect("the command starts")
    };
    assert!(run("").status.success(), "{}", text(&run("").stderr));
    assert!(!run("nothing").status.success());
}
