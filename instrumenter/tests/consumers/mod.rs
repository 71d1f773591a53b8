//! Programs of others that read what p5inst writes. Tests of both packages use this file.

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether the consumer `name` can be used: whether `program` with `arguments` succeeds. If not, standard error says
/// what is not covered; if the variable `P5INST_CONSUMERS`, names with commas between them, has it, the test fails.
pub(crate) fn available(name: &str, program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    let why = match command.output() {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    let words = format!("`{program} {}` does not work: {why}", arguments.join(" "));
    let required = std::env::var("P5INST_CONSUMERS").unwrap_or_default();
    assert!(!required.split(',').any(|required| required == name), "{words}");
    // Unlike what `eprintln` prints, this is shown though the test passes.
    let _ = writeln!(std::io::stderr(), "not covered: {words}");
    false
}
