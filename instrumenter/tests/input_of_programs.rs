//! The standard input of a program: each of its runs, and each of several machines, gets all of it.

use crate::started;
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// Multiplies once for each byte that it reads.
const READS: &str = ".586
.model flat
.data
buffer db 100 dup(?)
.code
start: mov eax,3
 xor ebx,ebx
 mov ecx,offset buffer
 mov edx,100
 int 80h
 mov ecx,eax
 jecxz over
again: imul esi,ecx
 dec ecx
 jnz again
over: ret
end start
";

#[test]
fn both_sides_of_a_comparison_read_the_same() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for name in ["one.asm", "other.asm"] {
        std::fs::write(folder.path().join(name), READS).expect("a file is written");
    }
    for line in [
        "stat --format json --compare one.asm other.asm",
        "stat --format json one.asm --against --cpu p54c",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = started::p5inst(folder.path(), &words);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = command.spawn().expect("the command starts");
        let mut input = running.stdin.take().expect("a pipe");
        input.write_all(&[b'x'; 60]).expect("it reads");
        drop(input);
        let output = running.wait_with_output().expect("it ends");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let events = |side: usize| report["programs"][side]["events"].clone();
        let executed = |side: usize| {
            let rows = events(side);
            let rows = rows.as_array().expect("rows");
            let row = rows
                .iter()
                .find(|row| row["selector"] == 0x16)
                .expect("instructions executed");
            row["count"].as_u64().expect("a count")
        };
        assert!(executed(0) > 2 * 60, "{line}: {}", events(0));
        assert_eq!(executed(0), executed(1), "{line}");
    }
}
