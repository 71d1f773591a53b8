//! No line of text is wider than the terminal, unless it cannot be folded: a single word, a line of a difference, which
//! `patch` reads, or a line of the program's own output.

use crate::started;
use started::{p5inst, printed, text};
use std::path::Path;

const PROGRAM: &str = "\
        .586
        .model flat
        .data
buf     dd 64 dup(1)
a_name_that_is_as_long_as_names_of_c_plus_plus  dd 7
        .code
start:  mov ecx,64
        xor eax,eax
        mov esi,offset buf
        StartProfile 0, 1
again:  mov ebx,[esi]
        add eax,ebx             ; a remark that is far too long for forty columns
        imul edx,ebx,3          ; p5: cycles <= 1, agi == 0
        lea esi,[esi+4]
        dec ecx
        jnz again
        EndProfile
        StartTSC
        mov eax,a_name_that_is_as_long_as_names_of_c_plus_plus
        fld qword ptr buf
        fmul st,st(0)
        fstp qword ptr buf
        EndTSC
        fldpi
        fmul st,st(0)
        ret
        end start
";

/// Commands that print text, each run for widths of 80, 60 and 40 columns.
const COMMANDS: &[&str] = &[
    "a.asm",
    "--long a.asm",
    "--all a.asm",
    "--what-if a.asm",
    "--what-if --long a.asm",
    "--timeline a.asm",
    "--runs 1 --limit 100 a.asm",
    "--monitor perfmon,ibs --core-ratio 3/2 a.asm",
    "events",
    "events cache",
    "explain",
    "explain agi",
    "explain btb",
    "timings",
    "timings imul",
    "timings --assumptions",
    "check a.asm",
    "check --listing a.lst a.asm",
    "stat a.asm",
    "stat --compare b.asm a.asm",
    "stat --event 1Ah a.asm",
    "stat --event 0 a.asm",
    "audit a.asm",
    "audit --all a.asm",
    "stat --event 0B a.asm --every 100_000",
    "stat --event 0B --event 1 --every 100 a.asm",
    "msr dump --mhz 60",
    "msr dump --monitor ibs",
    "advise a.asm",
    "compare a.json b.json",
    "compare --all --fail-over 1% a.json b.json",
    "sweep --cpu p54c,p55c --memory l2,ideal a.asm",
    "query a.samples",
    "query a.samples hist IbsFetchLat",
    "query a.samples derive",
    "query a.samples names",
    "query a.samples data",
    "query a.samples top",
    "query a.samples calc",
    "query a.samples topstalls",
    "query a.samples whatcg",
    "query a.samples ear",
    "query a.samples diff a.samples",
    "host tsc",
    "host run a.asm",
    "host cpi a.asm",
];

#[test]
fn no_line_is_wider_than_the_terminal() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let folder = directory.path();
    std::fs::write(folder.join("a.asm"), PROGRAM).expect("a file is written");
    let changed = PROGRAM.replace("imul edx,ebx,3 ", "imul edx,ebx,5\n mul ebx ");
    std::fs::write(folder.join("b.asm"), changed).expect("a file is written");
    for made in [
        "--format json -o a.json a.asm",
        "--format json -o b.json b.asm",
        "sample -o a.samples a.asm",
    ] {
        let _ = started::finished(folder, made);
    }
    assert!(printed(folder, "compare a.json a.json").contains("clocks"));
    let mut wide = Vec::new();
    for line in COMMANDS {
        for width in [80, 60, 40] {
            for (width, line) in wider(folder, line, width) {
                wide.push(format!("{width}: {line}"));
            }
        }
    }
    assert!(wide.is_empty(), "{}", wide.join("\n"));
}

/// The lines that are wider than `width`.
fn wider(folder: &Path, line: &str, width: usize) -> Vec<(usize, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let output = p5inst(folder, &words).env("COLUMNS", width.to_string()).output();
    let output = output.expect("the command starts");
    let (printed, told) = (text(&output.stdout), text(&output.stderr));
    let usage = told.contains("Usage:") || output.status.code() == Some(2) && printed.is_empty();
    assert!(!usage, "{line}: {told}");
    let lines = printed.lines().chain(told.lines());
    let wide = lines.filter(|line| line.chars().count() > width && line.split_whitespace().count() > 1);
    let of_difference = |line: &str| words[0] == "advise" && line.starts_with([' ', '+', '-', '@']);
    wide.filter(|line| !of_difference(line))
        .map(|wide| (width, format!("{line}: {} columns: {wide}", wide.chars().count())))
        .collect()
}
