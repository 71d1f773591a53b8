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
    assert!(report.contains("loop at line 8: 10 rounds"), "{report}");
}
