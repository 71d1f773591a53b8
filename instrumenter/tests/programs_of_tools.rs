//! Programs of Linux that other tools made: what their reports take from symbols and debugging information, and which
//! part of a short one they show.

use crate::started;
use serde_json::Value;
use started::printed;
use std::path::{Path, PathBuf};

fn objects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects")
}

#[test]
fn a_short_program_shows_its_own_loop() {
    let report = printed(&objects(), "--runs 1 brief.elf");
    assert!(report.contains("\n        own: 10 rounds"), "{report}");
}

#[test]
fn labels_and_data_without_types_have_names() {
    let report = printed(&objects(), "--runs 1 labels.elf");
    for expected in [
        "mov ecx,[count]",
        "\n        _start.again: 5 rounds",
        "jne _start.again",
        "call work",
        "\n        work.loop: 3 rounds",
        "mov [total],eax",
        "\n  table.last = 20 (14h), was 7\n",
        "\n  total = 20 (14h), was 0\n",
    ] {
        assert!(report.contains(expected), "{expected}: {report}");
    }
}

#[test]
fn variables_read_as_their_source_declares_them() {
    let report = printed(&objects(), "--runs 1 --long kinds.elf");
    let (_, changed) = report.split_once("\nChanged\n").expect("changes");
    let words = changed.split_whitespace().collect::<Vec<_>>().join(" ");
    for expected in [
        "twice::calls = 1, was 0",
        "points[1].y = -40 (FFD8h), was 4",
        "palette[1] = BLUE (6), was RED (0); now 0, 6, 0",
        "paint = GREEN (5), was RED (0)",
        "flag = true, was false",
        "letter = 'z' (7Ah), was 'a'",
        "odd = -3 (FDh), was 'b'",
        "text[0] = 'J' (4Ah), was 'h'; now 'Jello'",
        "small = -7 (F9h), was -1",
        "pointer = &numbers[1] (",
        "function = twice (",
        "real = -2.25, was 1.5",
    ] {
        assert!(words.contains(expected), "{expected}: {changed}");
    }
    let json = printed(&objects(), "--runs 1 --format json kinds.elf");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let symbols = json["symbols"].as_array().expect("symbols");
    let paint = symbols.iter().find(|one| one["name"] == "paint").expect("a variable");
    // Without values below 0, it is held by unsigned integers.
    assert_eq!(
        (&paint["kind"], &paint["declared"]),
        (&Value::Null, &"enumeration".into())
    );
    assert_eq!(paint["changed"]["names"], serde_json::json!(["RED", "GREEN"]));
    assert_eq!(paint["changed"]["signed"], Value::Null);
}

#[test]
fn a_program_is_called_by_the_name_of_its_file_and_takes_the_same_clocks_in_any_folder() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let inner = folder.path().join("a/longer/path");
    std::fs::create_dir_all(&inner).expect("folders");
    std::fs::copy(objects().join("named.elf"), inner.join("named.elf")).expect("a copy");
    let [near, far] = ["named.elf", "a/longer/path/named.elf"].map(|path| {
        let from = if path == "named.elf" {
            inner.as_path()
        } else {
            folder.path()
        };
        let report = printed(from, &format!("--format json {path}"));
        let report: Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(report["output"], "named.elf", "{path}");
        report["whole"].clone()
    });
    assert!(near.is_object() && near == far, "{near} {far}");
}

#[test]
fn misses_of_programs_are_explained() {
    let report = printed(&objects(), "--runs 1 sharing.elf");
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "line 11: the misses are conflicts: 3 cache lines are read until one of them is read again";
    assert!(words.contains(expected), "{report}");
}
