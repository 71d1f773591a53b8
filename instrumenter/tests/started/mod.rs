//! The command as tests start it: in a folder, without input, and independent of a terminal.
#![allow(dead_code, reason = "a test file uses some of it")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The command with `arguments`, ready to start in `folder`.
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

/// The output of the command with the words of `line`.
pub(crate) fn finished(folder: &Path, line: &str) -> Output {
    let words: Vec<&str> = line.split_whitespace().collect();
    p5inst(folder, &words).output().expect("the command starts")
}

/// The standard output of a command that must succeed.
#[track_caller]
pub(crate) fn printed(folder: &Path, line: &str) -> String {
    let output = finished(folder, line);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}
