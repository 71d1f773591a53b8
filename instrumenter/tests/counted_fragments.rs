//! Fragments: counts of loops whose bodies save them, and registers that are read and left 0.

use crate::started;
use serde_json::Value;
use started::finished;

/// The report in JSON of some lines.
fn report(lines: &str) -> Value {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), lines).expect("a file is written");
    let output = finished(folder.path(), "a.asm --format json");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_count_that_the_body_saves_and_calls_is_found() {
    for (lines, counter) in [
        (
            "l: push ecx\nadd eax,edx\npop ecx\ndec ecx\njnz l\n",
            "ecx = 1,000, eax and edx = 0",
        ),
        (
            "l: push ecx\ncall f\npop ecx\nloop l\nret\nf: add eax,edx\nret\n",
            "ecx = 1,000, eax and edx = 0",
        ),
        (
            "l: push cx\ncall f\npop cx\ndec cx\njnz l\nret\nf: add ax,[si]\nret\n",
            "cx = 1,000, ax = 0",
        ),
    ] {
        let report = report(lines);
        let words = report["fragment"]["words"].as_str().unwrap_or_default();
        assert!(words.contains(counter), "{lines}: {words}");
        let rows = report["lines"].as_array().expect("lines");
        assert!(rows.iter().any(|row| row["times"] == 1000), "{lines}");
    }
}

#[test]
fn registers_that_are_read_and_left_0_are_told() {
    for (lines, told) in [
        ("add eax,[esi]\nadd edx,ebx\n", Some("eax, edx and ebx = 0")),
        ("xor eax,eax\nsbb edx,edx\npush ebx\nadd eax,[esi]\n", None),
        ("mov al,[esi]\nmov [edi],al\n", None),
        ("imul eax,[esi],5\nmov [edi],eax\n", None),
        ("mov al,[esi]\nmov [edi],eax\n", Some("eax = 0")),
    ] {
        let report = report(lines);
        let words = report["fragment"]["words"].as_str().unwrap_or_default();
        match told {
            Some(told) => assert!(words.contains(told), "{lines}: {words}"),
            None => assert!(!words.contains(" = 0"), "{lines}: {words}"),
        }
    }
}
