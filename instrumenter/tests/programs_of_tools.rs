//! Programs of Linux that other tools made: what their reports take from symbols and debugging information, and which
//! part of a short one they show.

use crate::started;
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
