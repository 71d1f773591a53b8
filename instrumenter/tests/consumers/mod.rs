//! Other programs that read the output of p5inst. The tests of both packages use this file.

use std::io::Write;
use std::process::{Command, Stdio};

/// Whether the consumer `name` can be used, that is, whether `program` with `arguments` succeeds. If not, standard
/// error says what is not covered; the test fails if the variable `P5INST_CONSUMERS`, a list with commas, has the name.
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
    // Unlike the output of `eprintln`, this is shown even if the test passes.
    let _ = writeln!(std::io::stderr(), "not covered: {words}");
    false
}
