//! Programs of others that read what p5inst writes. Tests of both packages use this file.

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether a consumer can be used: whether `program` with `arguments` succeeds. If not, standard error says what is not
/// covered; with `P5INST_ALL_CONSUMERS=1`, where all of them are to be there, the test fails.
pub(crate) fn available(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    let why = match command.output() {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    let words = format!("`{program} {}` does not work: {why}", arguments.join(" "));
    let required = std::env::var_os("P5INST_ALL_CONSUMERS").is_some_and(|value| value == "1");
    assert!(!required, "{words}");
    // Unlike what `eprintln` prints, this is shown though the test passes.
    let _ = writeln!(std::io::stderr(), "not covered: {words}");
    false
}
