//! Answers to open questions that contradict each other, or are a list where a run takes one.

use crate::started;
use started::{finished, printed, text};
use std::path::Path;

/// Follows the example at the end of a refusal.
fn works(folder: &Path, told: &str) {
    let mut quoted = told.split('`').rev();
    let rest = quoted.next().unwrap_or_default();
    let example = quoted.next().unwrap_or_else(|| panic!("no example: {told}"));
    let at_the_end = !rest.contains("--assume") && rest.lines().next().is_none_or(str::is_empty);
    assert!(at_the_end && example.contains("--assume"), "{told}");
    let line = match example.strip_prefix("p5inst ") {
        Some(line) => line.replace("FILE.asm", "both.asm"),
        None => format!("both.asm {example}"),
    };
    printed(folder, &line);
}

#[test]
fn two_answers_to_one_question_are_refused_with_both() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let program = ".586\n.model flat\n.code\nstart:\nmov ecx,50\nagain:\nimul eax,ecx\nloop again\nret\nend start\n";
    std::fs::write(path.join("both.asm"), program).expect("a file is written");
    let refused = |line: &str| {
        let output = finished(path, line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        text(&output.stderr).to_owned()
    };
    let both = "`--assume imul_r32=9` and `--assume imul_r32=10` contradict each other";
    for command in [
        "",
        "stat ",
        "audit ",
        "sample -o a.samples ",
        "advise ",
        "stat --event 0Bh --every 100_000 ",
        "msr dump ",
    ] {
        let told = refused(&format!("{command}both.asm --assume imul_r32=9 --assume imul_r32=10"));
        assert!(
            told.contains(both) && told.ends_with("or try each with `p5inst sweep FILE.asm --assume imul_r32=9,10`\n"),
            "{command}: {told}"
        );
    }
    assert!(refused("msr dump --assume imul_r32=9,imul_r32=10").contains(both));
    let told = refused("both.asm --errata --assume errata=off");
    assert!(
        told.contains("`--errata` and `--assume errata=off` contradict"),
        "{told}"
    );
    works(path, &told);
    let told = refused("both.asm --assume imul_r32=9,10");
    assert!(
        told.contains("a list of answers to one question is for `p5inst sweep`"),
        "{told}"
    );
    works(path, &told);
    let told = refused("both.asm --assume imul_r32=9,imul");
    assert!(
        told.contains("write NAME=VALUE; `p5inst explain assume` lists them"),
        "{told}"
    );
    works(path, &told);
    works(path, &refused("both.asm --assume imul_r32=8"));
    works(path, &refused("both.asm --assume imul_r33=9"));
    // The same answer twice is none, and the other side of a comparison overrides the first.
    printed(
        path,
        "both.asm --errata --assume errata=on,imul_r32=10 --assume imul_r32=10",
    );
    let plain = printed(path, "stat both.asm --against --assume imul_r32=10");
    let again = printed(path, "stat both.asm --assume imul_r32=9 --against --assume imul_r32=10");
    let back = printed(
        path,
        "stat both.asm --errata --assume imul_r32=9 --against --assume imul_r32=10,errata=off",
    );
    let clocks = |told: &str| {
        let line = told.lines().find(|line| line.contains("clocks, warm"));
        line.map(str::to_owned).expect("a line of clocks")
    };
    assert_eq!((clocks(&plain), clocks(&plain)), (clocks(&again), clocks(&back)));
    assert!(refused("stat both.asm --against --assume imul_r32=9,imul_r32=10").contains(both));
}
