//! Messages about a stopped run, about monitors of its chip, and about samples that are not random.

use super::{answered, refused};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// This program runs for long, then reads unmapped memory.
const PROGRAM: &str = ".586
.model flat
.code
start:
mov ecx,5000
next:
imul eax,ecx
dec ecx
jnz next
mov eax,dword ptr ds:[0FEE00020h]
ret
end start
";

/// This program ends by a signal that it sends to itself.
const ABORTS: &str = ".586
.model flat
.code
start:
mov eax,20
int 80h
mov ebx,eax
mov eax,37
mov ecx,6
int 80h
ret
end start
";

/// The recording of the program, and the messages of the command.
fn recorded(options: &[&str], code: i32) -> (TempDir, PathBuf, String) {
    recorded_of(PROGRAM, options, code)
}

fn recorded_of(program: &str, options: &[&str], code: i32) -> (TempDir, PathBuf, String) {
    let folder = TempDir::new().expect("a directory");
    let (source, target) = (folder.path().join("long.asm"), folder.path().join("long.samples"));
    std::fs::write(&source, program).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.args(["sample", "--op", "100", "--runs", "1"]).arg(&source);
    let output = command
        .arg("-o")
        .arg(&target)
        .args(options)
        .stdin(Stdio::null())
        .output()
        .expect("the command starts");
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    (folder, target, joined(&String::from_utf8_lossy(&output.stdout)))
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_answer_says_by_which_signal_the_run_ended() {
    let (_folder, path, said) = recorded_of(ABORTS, &["--rand", "none"], 1);
    let words = "ended by raising SIGABRT";
    assert!(said.contains(words), "{said}");
    for question in [&[][..], &["derive"]] {
        let said = joined(&answered(&path, question));
        assert!(said.contains(words) && said.contains("of the run until then"), "{said}");
    }
}

#[test]
fn every_answer_says_that_the_run_was_stopped() {
    for (options, words) in [
        (&["--limit", "9000"][..], "still running after 9000 clocks"),
        (&[], "stopped by fault #PF: read from unmapped memory"),
    ] {
        let (_folder, path, said) = recorded(options, 1);
        assert!(said.contains(words), "{said}");
        for question in [&[][..], &["derive"], &["top"], &["whatcg"], &["hist", "IbsTagToRetCtr"]] {
            let said = joined(&answered(&path, question));
            assert!(said.contains(words) && said.contains("of the run until then"), "{said}");
        }
    }
}

#[test]
fn what_is_attached_and_fixed_distances_are_said() {
    let options = ["--monitor", "perfmon,ibs", "--core-ratio", "3/2", "--rand", "none"];
    let (folder, path, said) = recorded(&options, 0);
    assert!(
        said.contains("with perfmon, ibs attached, 3/2 core clocks per reference clock"),
        "{said}"
    );
    assert!(said.contains("distances were fixed"), "{said}");
    let export = folder.path().join("none").join("lake");
    let said = refused(&path, &["derive", "--export", export.to_str().expect("a name")]);
    assert!(said.contains("cannot write to"), "{said}");
    assert!(!folder.path().join("none").exists());
}

#[test]
fn a_run_that_is_stopped_before_the_last_leaves_no_samples_and_is_no_bad_input() {
    let folder = TempDir::new().expect("a directory");
    let (source, target) = (folder.path().join("long.asm"), folder.path().join("long.samples"));
    std::fs::write(&source, PROGRAM).expect("a file");
    for how in [&["-o", target.to_str().expect("UTF-8")][..], &["--study"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
        command
            .args(["sample", "--limit", "1000", "--runs", "2"])
            .arg(&source)
            .args(how);
        let output = command.stdin(Stdio::null()).output().expect("the command starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains("nothing was sampled; use --runs 1, or a larger limit"),
            "{said}"
        );
        assert!(!target.exists());
    }
}
