//! The place of other projects' objects, and the script that makes them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the objects, which is not part of the repository.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/figures")
}

/// Fetches the sources of the routines and assembles them into `folder`.
///
/// # Errors
/// The output of the script, if it fails.
pub fn fetch(folder: &Path) -> Result<(), String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/figures/fetch.sh");
    let made = Command::new("bash").arg(script).arg(folder).output();
    let output = made.map_err(|why| format!("bash does not start: {why}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}
