//! `--rerun`: a saved source is run again, and the changes come first.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = "        .code\nstart:  mov ecx,9\n        include body.inc\n        ret\n        end start\n";

/// Ends the command when dropped, even if the test fails.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the file has `words` after its first `from` bytes, and returns its length.
fn until(path: &Path, from: usize, words: &str) -> usize {
    let started = Instant::now();
    loop {
        let text = fs::read_to_string(path).expect("a file");
        if let Some(at) = text.get(from..).and_then(|rest| rest.find(words)) {
            return from + at + words.len();
        }
        assert!(started.elapsed() < Duration::from_secs(60), "no `{words}` in:\n{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_saved_source_runs_again_and_what_changed_is_said_first() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.asm"), PROGRAM).expect("a file is written");
    fs::write(path("body.inc"), "next: dec ecx\n jnz next\n").expect("a file is written");
    let out = fs::File::create(path("out")).expect("a file");
    let errors = fs::File::create(path("errors")).expect("a file");
    let child = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(["--rerun", "a.asm"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(errors)
        .spawn();
    let _ended = Ended(child.expect("the command starts"));
    let first = until(&path("out"), 0, ", CPI ");
    fs::write(path("body.inc"), "next: dec ecx\n nop\n nop\n jnz next\n").expect("a file is written");
    let told = until(&path("out"), first, "Saved: what changed");
    let lines = until(&path("out"), told, "Lines that changed");
    let second = until(&path("out"), lines, " new ");
    // An error does not end the command.
    fs::write(path("body.inc"), "next: dec ecxx\n").expect("a file is written");
    until(&path("errors"), 0, "ecxx");
    fs::write(path("body.inc"), "next: dec ecx\n nop\n nop\n jnz next  ; back\n").expect("a file is written");
    until(&path("out"), second, "Saved: no clock changed");
    let text = fs::read_to_string(path("out")).expect("a file");
    assert_eq!(
        text.matches(", CPI ").count(),
        1,
        "only what changed follows the first report: {text}"
    );
    assert!(!text.contains('\u{1b}'), "{text}");
}

#[test]
fn the_whole_report_follows_what_changed_if_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.asm"), PROGRAM).expect("a file is written");
    fs::write(path("body.inc"), "next: dec ecx\n jnz next\n").expect("a file is written");
    let out = fs::File::create(path("out")).expect("a file");
    let child = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(["--rerun", "--long", "a.asm"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(out)
        .spawn();
    let _ended = Ended(child.expect("the command starts"));
    let first = until(&path("out"), 0, ", CPI ");
    fs::write(path("body.inc"), "next: dec ecx\n nop\n nop\n jnz next\n").expect("a file is written");
    let told = until(&path("out"), first, "Saved: what changed");
    until(&path("out"), told, ", CPI ");
}

#[test]
fn watching_ends_when_nobody_reads() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.asm"), PROGRAM).expect("a file is written");
    fs::write(path("body.inc"), "next: dec ecx\n jnz next\n").expect("a file is written");
    let child = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(["--rerun", "a.asm"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = Ended(child.expect("the command starts"));
    let mut line = String::new();
    let reader = child.0.stdout.take().expect("a pipe");
    BufReader::new(reader).read_line(&mut line).expect("a line");
    assert!(line.starts_with("a.asm"), "{line}");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.0.try_wait().expect("a status") {
            break status;
        }
        assert!(started.elapsed() < Duration::from_secs(60), "still watching");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "{status}");
}

#[test]
fn standard_input_cannot_be_watched() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    let output = command.args(["--rerun", "-"]).stdin(Stdio::null()).output();
    let output = output.expect("the command starts");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        output.stderr,
        b"p5inst: standard input cannot be watched; name a file\n"
    );
}

#[test]
fn a_file_that_was_removed_stops_nothing() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("a.asm"), PROGRAM).expect("a file is written");
    fs::write(path("body.inc"), "next: dec ecx\n jnz next\n").expect("a file is written");
    let out = fs::File::create(path("out")).expect("a file");
    let errors = fs::File::create(path("errors")).expect("a file");
    let child = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(["--rerun", "a.asm"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(out)
        .stderr(errors)
        .spawn();
    let _ended = Ended(child.expect("the command starts"));
    let first = until(&path("out"), 0, ", CPI ");
    fs::remove_file(path("body.inc")).expect("a file is removed");
    until(&path("errors"), 0, "body.inc");
    // The include is no longer needed.
    let alone = PROGRAM.replace("include body.inc", "dec ecx");
    fs::write(path("a.asm"), alone).expect("a file is written");
    let second = until(&path("out"), first, "Saved: what changed");
    fs::write(
        path("a.asm"),
        PROGRAM.replace("include body.inc", "nop\n nop\n nop\n cdq"),
    )
    .expect("a file is written");
    until(&path("out"), second, "Saved: what changed");
}
