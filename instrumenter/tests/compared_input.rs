//! Both programs that `compare` runs get the same standard input, the same arguments and the same directory, and both
//! of `stat --compare` their part of the time.

use crate::started;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

/// Multiplies once for each byte that it reads from standard input, or from the file `/words` if `OPENS` is defined,
/// and writes what it has read.
const READS: &str = ".586
.model flat
.data
words db '/words',0
buffer db 100 dup(?)
.code
start: xor ebx,ebx
ifdef OPENS
 mov eax,5
 mov ebx,offset words
 xor ecx,ecx
 int 80h
 mov ebx,eax
endif
 mov eax,3
 mov ecx,offset buffer
 mov edx,100
 int 80h
 mov edi,eax
 mov edx,eax
 mov eax,4
 mov ebx,1
 mov ecx,offset buffer
 int 80h
 mov ecx,edi
 jecxz over
again: imul esi,ecx
ifdef MORE
 imul esi,ecx
endif
 dec ecx
 jnz again
over: ret
end start
";

/// Multiplies once for each character of its command line, which DOS puts into its prefix.
const ARGUED: &str = ".model tiny
.code
org 100h
start: mov si,80h
 mov cl,[si]
 xor ch,ch
 jcxz over
again: imul bx,cx
 dec cx
 jnz again
over: mov ax,4C00h
 int 21h
end start
";

/// The output of the command with `words`, which gets `input`.
fn given(folder: &Path, words: &str, input: &[u8]) -> Output {
    let words: Vec<&str> = words.split(' ').collect();
    let mut command = started::p5inst(folder, &words);
    let command = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = command.spawn().expect("the command starts");
    // What no program reads may not be taken.
    let _ = running.stdin.take().expect("a pipe").write_all(input);
    running.wait_with_output().expect("it ends")
}

/// The clocks of both programs of a comparison.
fn clocks(folder: &Path, words: &str, input: &[u8]) -> [u64; 2] {
    let output = given(folder, words, input);
    let told = started::text(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{words}: {told}"));
    ["old", "new"].map(|side| report["total"][side].as_u64().expect("clocks"))
}

#[test]
fn both_programs_read_all_of_the_standard_input() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    std::fs::write(path.join("one.asm"), READS).expect("a file is written");
    std::fs::write(path.join("other.asm"), format!("MORE = 1\n{READS}")).expect("a file is written");
    let line = "compare one.asm other.asm --format json";
    let empty = clocks(path, line, b"");
    let [old, new] = clocks(path, line, &[b'x'; 60]);
    assert!(old > empty[0] + 60 * 10 && new > old + 60 * 9, "{empty:?} {old} {new}");
    // As each alone.
    for (name, both) in [("one.asm", old), ("other.asm", new)] {
        let alone = given(path, &format!("--format json {name}"), &[b'x'; 60]);
        let alone: Value = serde_json::from_slice(&alone.stdout).expect("JSON");
        assert_eq!(alone["own"]["totals"]["cycles"], both, "{name}");
    }
    // A report on standard input leaves nothing of it for the program.
    let report = given(path, "--format json one.asm", b"");
    let [old, new] = clocks(path, "compare - one.asm --format json", &report.stdout);
    assert_eq!([old, new], [empty[0]; 2]);
}

#[test]
fn both_programs_read_the_same_directory() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let files = path.join("files");
    std::fs::create_dir(&files).expect("a folder");
    std::fs::write(files.join("words"), [b'x'; 50]).expect("a file is written");
    std::fs::write(path.join("one.asm"), READS).expect("a file is written");
    let clocks = |line: &str| clocks(path, line, b"");
    let with = clocks("compare --dir files -DOPENS one.asm one.asm --format json");
    std::fs::write(files.join("words"), [b'x'; 10]).expect("a file is written");
    let shorter = clocks("compare --dir files -DOPENS one.asm one.asm --format json");
    assert!(
        with[0] == with[1] && with[0] > shorter[0] + 40 * 9,
        "{shorter:?} {with:?}"
    );
    assert_eq!(shorter[0], shorter[1]);
}

#[test]
fn both_programs_get_the_arguments_after_them() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    std::fs::write(path.join("one.asm"), ARGUED).expect("a file is written");
    started::printed(path, "build one.asm -o one.com");
    let clocks = |line: &str| clocks(path, line, b"");
    let without = clocks("compare --format json one.com one.com");
    let with = clocks("compare --format json one.com one.com a-word --format");
    assert!(
        with[0] == with[1] && with[0] > without[0] + 15 * 9,
        "{without:?} {with:?}"
    );
    let sources = clocks("compare --args a-word=of.15 one.asm one.asm --format json");
    assert!(
        sources[0] == sources[1] && sources[0] > without[0] + 11 * 9,
        "{without:?} {sources:?}"
    );
}

#[test]
fn one_program_gets_arguments_of_its_own() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    std::fs::write(path.join("one.asm"), ARGUED).expect("a file is written");
    started::printed(path, "build one.asm -o one.com");
    let clocks = |line: &str| clocks(path, line, b"");
    for file in ["one.com", "one.asm"] {
        let without = clocks(&format!("compare --format json {file} {file}"));
        let [old, new] = clocks(&format!("compare --format json --new-args=a-word=of.15 {file} {file}"));
        assert!(
            old == without[0] && new > old + 11 * 9,
            "{file}: {without:?} {old} {new}"
        );
        let [old, new] = clocks(&format!("compare --format json --old-args=a-word=of.15 {file} {file}"));
        assert!(
            new == without[1] && old > new + 11 * 9,
            "{file}: {without:?} {old} {new}"
        );
    }
    let told = started::printed(path, "compare --new-args=a-word one.com one.com");
    assert!(told.contains("one.com a-word on"), "{told}");
    started::finished(path, "--format json -o one.json one.com");
    let refused = started::finished(path, "compare --old-args=x one.json one.com");
    let why = started::text(&refused.stderr);
    assert!(why.contains("`--old-args` is for a program that is run"), "{why}");
    let refused = started::finished(path, "compare --old-args='x one.com one.com");
    assert!(started::text(&refused.stderr).contains("a quote mark is not closed"));
}

#[test]
fn the_first_program_leaves_half_of_the_time_to_the_second_one() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let endless = ".586\n.model flat\n.code\nstart: inc eax\njmp start\nend start\n";
    std::fs::write(path.join("endless.asm"), endless).expect("a file is written");
    std::fs::write(path.join("quick.asm"), "mov eax,1\nret\n").expect("a file is written");
    let line = "stat --format json --compare endless.asm quick.asm --timeout 4 --limit 1000000000000";
    let output = given(path, line, b"");
    let both: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let executions = |side: usize| both["programs"][side]["clocks"].as_array().map(Vec::len);
    assert_eq!(executions(0), Some(0), "{}", both["programs"][0]);
    assert!(
        executions(1).is_some_and(|executions| executions > 1),
        "{}",
        both["programs"][1]
    );
}
