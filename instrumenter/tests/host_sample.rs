//! `p5inst host sample` as a user sees it: a file of samples or, from sysfs, the ability that this machine lacks.

use crate::started;
use serde_json::Value;
use started::{finished, text};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const PROGRAM: &str = "mov ecx,100000\nagain: add eax,ebx\ndec ecx\njnz again\nret\n";

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a directory");
    fs::write(folder.path().join("a.asm"), PROGRAM).expect("a file");
    folder
}

/// Whether the kernel has this unit.
fn offers(unit: &str) -> bool {
    Path::new("/sys/bus/event_source/devices")
        .join(unit)
        .join("type")
        .exists()
}

/// A message in lines of at most 80 columns, with the later lines indented, as one line.
fn in_one_line(message: &str) -> String {
    for (number, line) in message.lines().enumerate() {
        assert!(line.chars().count() <= 80, "{message}");
        assert_eq!(line.starts_with(' '), number > 0, "{message}");
    }
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The message of a command that must fail.
fn refused(folder: &TempDir, arguments: &str) -> String {
    let output = finished(folder.path(), arguments);
    let message = text(&output.stderr).to_owned();
    assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
    assert!(output.stdout.is_empty(), "{arguments}");
    assert!(
        !folder.path().join("run.samples").exists(),
        "{arguments} leaves no file"
    );
    in_one_line(&message)
}

#[test]
fn samples_are_recorded_or_what_is_missing_is_told() {
    let folder = folder();
    let output = finished(folder.path(), "host sample a.asm -o run.samples --op 16000");
    let message = text(&output.stderr).to_owned();
    let units = ["ibs_op", "cpu", "cpu_core"].map(offers);
    if output.status.code() == Some(2) {
        let message = in_one_line(&message);
        println!("SKIPPED: this machine samples nothing: {message}");
        assert!(!folder.path().join("run.samples").exists());
        let native = cfg!(all(target_os = "linux", target_arch = "x86_64"));
        if native && units == [false; 3] {
            assert!(message.contains("nothing to sample with"), "{message}");
            assert!(message.contains("ibs_op") && message.contains("cpu"), "{message}");
            assert!(message.contains("family 10h"), "what would help: {message}");
        } else if native {
            // The machine has a unit, so the kernel refuses the event, or the program cannot run.
            assert!(!message.contains("nothing to sample with"), "{message}");
        }
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{message}");
    assert!(units.contains(&true), "without a unit there is nothing to sample with");
    let told = text(&output.stdout);
    assert!(told.starts_with("run.samples: "), "{told}");
    let asked = finished(folder.path(), "query run.samples --format json");
    assert_eq!(asked.status.code(), Some(0), "{}", text(&asked.stderr));
    let answer: Value = serde_json::from_str(text(&asked.stdout)).expect("JSON");
    assert!(answer.to_string().contains("16000"), "{answer}");
    if !units[0] {
        assert!(told.contains("nothing else"), "a sample has an address only: {told}");
    }
}

#[test]
fn what_needs_instruction_based_sampling_says_so_where_there_is_none() {
    let folder = folder();
    if cfg!(not(all(target_os = "linux", target_arch = "x86_64"))) {
        println!("SKIPPED: this is not x86-64 Linux");
        return;
    }
    for (option, unit) in [
        ("--fetch 16000", "ibs_fetch"),
        ("--mode dispatch", "ibs_op"),
        ("--ldlat 256", "ibs_op"),
        ("--l3missonly", "ibs_op"),
    ] {
        if offers(unit) {
            println!("SKIPPED: this machine has {unit}, so `{option}` is no error");
            continue;
        }
        let message = refused(&folder, &format!("host sample a.asm -o run.samples {option}"));
        let name = option.split(" 1").next().unwrap_or(option);
        let name = name.split(" 2").next().unwrap_or(name);
        assert!(message.contains(&format!("`{name}` needs {unit}")), "{message}");
    }
}

#[test]
fn bad_input_leaves_no_file_and_help_has_examples_that_fit() {
    let folder = folder();
    fs::write(folder.path().join("bad.asm"), "mov eax,\n").expect("a file");
    for (arguments, why) in [
        ("host sample a.asm", "-o"),
        ("host sample missing.asm -o run.samples", "no such file"),
        ("host sample bad.asm -o run.samples", "bad.asm:1"),
        ("host sample a.asm -o run.samples --op 0", "--op"),
        (
            "host sample a.asm -o run.samples --fetch 16 --ldlat 128",
            "--ldlat is for samples of ops",
        ),
        ("host sample a.asm -o run.samples --mode sometimes", "--mode"),
    ] {
        let output = finished(folder.path(), arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.contains(why), "{arguments}: {message}");
        assert!(!folder.path().join("run.samples").exists(), "{arguments}");
    }
    let help = finished(folder.path(), "host sample --help");
    let help = text(&help.stdout);
    let examples: Vec<&str> = help.lines().skip_while(|line| *line != "Examples:").collect();
    assert!(
        examples.len() > 10 && examples.iter().all(|line| line.len() <= 80),
        "{help}"
    );
}
