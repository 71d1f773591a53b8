//! Clocks as time, and what small reports of straight code, of programs without source and of sweeps have.

use crate::started;
use serde_json::Value;
use started::{finished, printed};
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
