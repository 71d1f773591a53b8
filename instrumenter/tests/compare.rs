//! `p5inst compare`: two reports of real runs.

mod started;

use started::{finished, text};
use std::fs;

const SLOW: &str = "        .586\n        .model flat\n        .data\ntable   dd 64 dup (1)\n        .code
start:  mov esi,offset table\n        mov ecx,64\n        StartTSC sums\nnext:   add eax,[esi]
        lea esi,[esi+4]\n        dec ecx\n        jnz next\n        EndTSC\n        ret\n        end start\n";

#[test]
fn a_change_is_told_by_region_and_line_and_decides_the_exit_code() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let fast = SLOW.replace(
        "        lea esi,[esi+4]\n        dec ecx\n",
        "        add esi,4\n        dec ecx\n        nop\n",
    );
    for (name, program) in [("slow", SLOW), ("fast", &fast)] {
        fs::write(path.join(format!("{name}.asm")), program).expect("a file is written");
        let output = finished(path, &format!("{name}.asm --format json -o {name}.json"));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
    let output = finished(path, "compare slow.json fast.json --fail-over 0");
    insta::assert_snapshot!("slow_and_fast", text(&output.stdout));
    for (line, code) in [
        ("compare slow.json slow.json --fail-over 0", 0),
        ("compare slow.json fast.json", 0),
        ("compare fast.json slow.json", 0),
        ("compare fast.json slow.json --fail-over 1000%", 0),
        ("compare slow.json slow.asm", 2),
        ("compare slow.json missing.json", 2),
        ("compare - -", 2),
        ("compare slow.json fast.json --fail-over -1", 2),
        ("compare slow.json fast.json --fail-over 2%%", 2),
    ] {
        let output = finished(path, line);
        assert_eq!(output.status.code(), Some(code), "{line}: {}", text(&output.stderr));
        assert_eq!(output.stderr.is_empty(), code < 2, "{line}");
    }
    let negative = finished(path, "compare slow.json fast.json --fail-over -30%");
    assert!(
        text(&negative.stderr).contains("a share is not negative"),
        "{}",
        text(&negative.stderr)
    );
    let json = finished(path, "compare slow.json fast.json --format json --fail-over 0");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let report = |name: &str| -> serde_json::Value {
        let bytes = fs::read(path.join(name)).expect("a report");
        serde_json::from_slice(&bytes).expect("JSON")
    };
    let (slow, fast) = (report("slow.json"), report("fast.json"));
    assert_eq!(json["total"]["old"], slow["own"]["totals"]["cycles"]);
    assert_eq!(json["total"]["new"], fast["own"]["totals"]["cycles"]);
    assert_eq!(
        json["regions"][0]["new"],
        fast["regions"][0]["warm"]["cycles"]["median"]
    );
    let (old, new) = (json["total"]["old"].as_i64(), json["total"]["new"].as_i64());
    let differences = json["lines"].as_array().expect("lines").iter();
    let clocks = |line: &serde_json::Value, side: &str| line[side].as_i64().unwrap_or(0);
    let sum: i64 = differences.map(|line| clocks(line, "new") - clocks(line, "old")).sum();
    assert_eq!(new.zip(old).map(|(new, old)| new - old), Some(sum));
    assert_eq!(
        finished(path, "compare slow.json fast.json --fail-over 0")
            .status
            .code(),
        Some(i32::from(sum > 0))
    );
    assert_eq!(
        finished(path, "compare fast.json slow.json --fail-over 0")
            .status
            .code(),
        Some(i32::from(sum < 0))
    );
    assert_ne!(sum, 0);
}
