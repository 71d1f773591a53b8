//! The command as tests start it: in a folder, without input, and without what a terminal would change.
#![allow(dead_code, reason = "a test file uses some of it")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The command with `arguments`, about to start in `folder`.
pub(crate) fn p5inst(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS");
    command
}

/// What the command does with the words of `line`.
pub(crate) fn finished(folder: &Path, line: &str) -> Output {
    let words: Vec<&str> = line.split_whitespace().collect();
    p5inst(folder, &words).output().expect("the command starts")
}

/// What it prints on standard output, if it succeeds.
#[track_caller]
pub(crate) fn printed(folder: &Path, line: &str) -> String {
    let output = finished(folder, line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What it printed.
pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}
