//! What programs of a first course are told: code of the 8086, screens, tables of bytes, fragments, and lessons on the
//! cache.

use crate::started::{finished, text};
use std::process::Output;

/// The command on a source, in the file `a.asm`.
fn run(source: &str, line: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    finished(folder.path(), line)
}

/// What the command prints, on one line.
fn told(source: &str, line: &str) -> String {
    let output = run(source, line);
    let all = [text(&output.stdout), text(&output.stderr)].join(" ");
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

const ENDS: &str = "mov ax,4c00h\nint 21h\n";

#[test]
fn misses_that_the_macros_cause_are_told() {
    let source = |count: u32| {
        format!(
            ".386\n.model flat\n.data\nalign 4096\ndd 0\nbuf db 65536 dup(0)\n.code\nstart: mov edx,50\nagain:\n\
             mov esi,offset buf\nmov ecx,{count}\nStartTSC reads\nl: mov eax,[esi]\nadd esi,4096\ndec ecx\njnz l\n\
             EndTSC\ndec edx\njnz again\nret\nend start\n"
        )
    };
    let report = told(&source(2), "a.asm");
    let words = "region reads: 20 of the 28 clocks of its last pass are misses of lines that the macros evict; `p5inst \
                 audit` shows it without macros";
    assert!(report.contains(words), "{report}");
    // Sixteen lines miss without macros as well.
    let own = told(&source(16), "a.asm");
    assert!(!own.contains("the macros evict"), "{own}");
}
