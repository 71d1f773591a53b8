//! Hostile input: for every file and program, the command ends within its limits of time and memory, with a clear
//! message and without a panic.

mod bounds;
mod files;
mod guests;
mod mutations;
mod names;
mod saved;
mod small;
mod sources;

use p5_seeds::bounds::{MOST_MEMORY, slowness};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The limit of processor time in seconds. The longest case takes one second on an idle machine, and several if other
/// programs share its processors and caches.
const SECONDS: u32 = 10;
/// The limit of the address space, in KiB.
const KIBIBYTES: u32 = MOST_MEMORY as u32;

/// Runs the command within these limits, with `input` on its standard input.
fn bounded(arguments: &[&str], input: &[u8], directory: &Path) -> Output {
    within(SECONDS, KIBIBYTES, arguments, input, directory)
}

/// Like [`bounded`], with other limits of processor time and address space.
pub(crate) fn within(seconds: u32, kibibytes: u32, arguments: &[&str], input: &[u8], directory: &Path) -> Output {
    let seconds = (f64::from(seconds) * slowness()).ceil();
    let mut child = Command::new("sh")
        .args([
            "-c",
            &format!("ulimit -t {seconds}; ulimit -v {kibibytes}; exec \"$0\" \"$@\""),
        ])
        .arg(env!("CARGO_BIN_EXE_p5inst"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the shell starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // A separate thread writes, so that reading and writing do not wait for each other; the command may stop reading.
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    let _ = writer.join().expect("the writer ends");
    output
}

/// Asserts the exit code and that the output contains `expected`: an error for code 2, a report for code 0. The report
/// of a stopped run has code 1 instead of 0.
fn assert_ends(name: &str, output: &Output, code: i32, expected: &str) {
    let (report, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let head = |text: &str| text.chars().take(1500).collect::<String>();
    let stopped = report.lines().any(|line| line.starts_with("stopped"));
    assert_eq!(
        output.status.code(),
        Some(if code == 0 && stopped { 1 } else { code }),
        "{name}: {}\n{}\n{}",
        output.status,
        head(&errors),
        head(&report)
    );
    let said = if code == 2 { &errors } else { &report };
    // Messages may be folded.
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words(said).contains(&words(expected)),
        "{name}: no `{expected}` in\n{}",
        head(said)
    );
    assert!(!errors.contains("panicked"), "{name}: {errors}");
}

/// Asserts the output for a source on standard input.
fn source(name: &str, text: impl AsRef<[u8]>, code: i32, expected: &str) {
    source_with(&[], name, text, code, expected);
}

/// Like [`source`], with more arguments.
fn source_with(more: &[&str], name: &str, text: impl AsRef<[u8]>, code: i32, expected: &str) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut arguments = vec!["-", "--long", "--runs", "1"];
    if !more.contains(&"--limit") {
        arguments.extend(["--limit", "1000000"]);
    }
    if !more.contains(&"--timeout") {
        // The expectation must not depend on the speed of this machine.
        arguments.extend(["--timeout", "0"]);
    }
    arguments.extend(more);
    let output = bounded(&arguments, text.as_ref(), directory.path());
    assert_ends(name, &output, code, expected);
}
