//! Budgets under the options of a sweep: which runs do not keep them.

use crate::started;
use started::{finished, text};
use std::fs;
use std::process::Output;

/// A loop in a region that may take as much as 64 rounds do.
const SOURCE: &str = "        .586
        .model flat
        .data
table   dd 128 dup (1)
        .code
start:  mov esi,offset table
        mov ecx,COUNT
        StartTSC sums           ; p5: cycles <= 259
next:   add eax,[esi]
        dec ecx
        lea esi,[esi+4]
        jnz next
        EndTSC
        ret
        end start
";

#[test]
fn a_sweep_marks_the_runs_that_do_not_keep_a_budget() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), SOURCE).expect("a file is written");
    let swept = |memory: &str| finished(folder.path(), &format!("sweep -D COUNT=16,32,64,80 {memory} a.asm"));
    let curve = swept("");
    assert_eq!(curve.status.code(), Some(1), "{}", text(&curve.stderr));
    let lines = |output: &Output| -> Vec<String> {
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        text(&output.stdout).lines().map(words).collect()
    };
    let marked: Vec<String> = lines(&curve).into_iter().filter(|line| line.contains('!')).collect();
    // 80 rounds are more than the region may take; the others are not marked.
    assert!(marked[0].starts_with("80 "), "{marked:?}");
    assert!(marked[1].starts_with("`!` behind a figure marks"), "{marked:?}");
    assert_eq!(marked.len(), 2, "{marked:?}");
    let map = swept("--memory l2,dram");
    let marked = lines(&map).iter().map(|line| line.matches('!').count()).sum::<usize>();
    assert_eq!(marked, 3, "{}", text(&map.stdout));
}
