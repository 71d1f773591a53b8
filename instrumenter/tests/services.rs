//! What the simulated system answers to a program, and what it refuses.

use crate::started;
use std::process::Stdio;

/// Ends with the negated answer to a read.
const READS_ONCE: &str = ".586
.model flat
.data
buffer db 8 dup(?)
.code
start: mov eax,3
 xor ebx,ebx
 mov ecx,offset buffer
 mov edx,8
 int 80h
 mov ebx,eax
 neg ebx
 mov eax,1
 int 80h
end start
";

#[cfg(unix)]
#[test]
fn input_that_is_not_open_for_reading_is_none() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("reads.asm"), READS_ONCE).expect("a file is written");
    let output = |words: &[&str], input: Stdio| {
        let mut command = started::p5inst(folder.path(), words);
        command.stdin(input).output().expect("the command starts")
    };
    let for_writing = || Stdio::from(std::fs::File::create(folder.path().join("out")).expect("a file"));
    let report = output(&["reads.asm"], for_writing());
    let report = started::text(&report.stdout).to_owned();
    assert!(report.contains("exit with code 9"), "EBADF: {report}");
    let report = output(&["reads.asm"], Stdio::null());
    assert!(started::text(&report.stdout).contains("exit with code 0"));
    for (input, expected) in [
        (for_writing(), "cannot read standard input"),
        (Stdio::null(), "no instructions to run"),
    ] {
        let refused = output(&["-"], input);
        assert_eq!(refused.status.code(), Some(2));
        let words = started::text(&refused.stderr);
        assert!(words.contains(expected), "{words}");
    }
}
