//! What costs clocks again and again is told with what avoids it: branches that come too soon for their history, and
//! variables that lie where they are misaligned.

use crate::started;
use std::fs;

/// A branch that is taken and not taken in turn, in a loop with so many more instructions.
fn alternating(more: usize) -> String {
    format!(
        ".586\n.model flat\n.data\npattern db 60 dup (1,0)\n.code\nstart: mov esi,offset pattern\nmov ecx,120\n\
         w1: mov al,[esi]\ninc esi\ntest al,al\njnz w2\ninc edx\nw2: {}dec ecx\njnz w1\nret\nend start\n",
        "mov ebx,edx\n".repeat(more)
    )
}

/// The report of a source, with single blanks.
fn told(source: &str, options: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let told = started::printed(folder.path(), &format!("{options} a.asm"));
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_branch_that_comes_too_soon_for_its_history_says_so_on_every_engine() {
    let row = "+5: mispredicted, for its last outcomes come too late in so short a loop";
    let note = "line 11: the branch is mispredicted in 60 of 120 rounds, because its last outcomes count only after 6 \
                further instructions";
    for engine in ["auto", "interpreter", "jit"] {
        let report = told(&alternating(0), &format!("--cpu p55c --engine {engine}"));
        assert!(report.contains(row) && report.contains(note), "{engine}: {report}");
    }
    // A longer round learns the pattern, and another chip has no history.
    for (more, options) in [(6, "--cpu p55c"), (0, "--cpu p54c")] {
        let report = told(&alternating(more), options);
        assert!(!report.contains("outcomes"), "{options}: {report}");
    }
}

#[test]
fn chips_and_macros_are_explained_and_rules_name_their_chip() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let explained = |words: &str| {
        let told = started::printed(folder.path(), &format!("explain {words}"));
        told.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // What only one chip has is explained on that one.
    let tight = explained("tight");
    assert!(tight.starts_with("tight: rule on p55c A branch"), "{tight}");
    assert!(tight.contains("Another rule on p54c"), "{tight}");
    assert!(
        explained("history").contains("keeps no history of outcomes, so no loop is too short for one. On the p55c:")
    );
    for words in ["misprediction", "btb"] {
        let report = explained(words);
        let (head, _) = report.split_once(" on p54c ").unwrap_or_else(|| panic!("{report}"));
        assert!(
            head.ends_with(": rule") || head.ends_with(": cause of clocks"),
            "{report}"
        );
        assert!(report.contains("Another rule on p55c"), "{report}");
        assert!(report.contains(" --cpu p55c`"), "{report}");
        assert!(
            explained(&format!("{words} --cpu p55c")).contains(" on p55c "),
            "{words}"
        );
    }
    // What is the same on all chips names none.
    assert!(
        explained("signals").starts_with("signals: rule A Linux"),
        "{}",
        explained("signals")
    );
    assert!(explained("p55c").starts_with("p55c: chip The Pentium MMX (P55C)"));
    assert!(explained("i486").contains("one cache of 8 KB"), "{}", explained("i486"));
    for (words, name) in [
        ("StartTSC", "StartTSC"),
        ("EndTSC", "StartTSC"),
        ("StartProfile", "StartProfile"),
        ("EndProfile", "StartProfile"),
        ("SetMSRTimers", "SetMSRTimers"),
        ("ReadMSRTimer1", "SetMSRTimers"),
    ] {
        assert!(
            explained(words).starts_with(&format!("{name}: rule `{name} ")),
            "{words}"
        );
    }
}

/// Sums reals that a byte before them misaligns.
const MISALIGNED: &str = ".586\n.model flat\n.data\nalign 4\npad db 0\nreals dd 64 dup (3)\nwords dw 64 dup (5)\n\
                          sum dd 0\n.code\nstart: xor ecx,ecx\nxor ebx,ebx\nnext: add ebx,reals[ecx*4]\n\
                          movzx eax,words[ecx*2]\nadd ebx,eax\ninc ecx\ncmp ecx,64\njb next\nmov sum,ebx\nret\nend start\n";

#[test]
fn misaligned_variables_are_named_with_the_align_that_helps() {
    let note = "`reals`, `words` lie where all accesses to their elements are misaligned, which takes";
    let remedy = "put `align 4` before `reals`, the first of them in memory";
    let report = told(MISALIGNED, "");
    assert!(report.contains(note) && report.contains(remedy), "{report}");
    let advice = told(MISALIGNED, "advise");
    assert!(advice.contains(&format!("not tried here: {note}")), "{advice}");
    // The remedy helps, as `--what-if` says.
    let mended = MISALIGNED.replace("reals dd", "align 4\nreals dd");
    let report = told(&mended, "");
    assert!(!report.contains("misaligned"), "{report}");
    // What a pointer misaligns by itself is no matter of the variable.
    let by_pointer = mended.replace("reals[ecx*4]", "reals[ecx*4+1]");
    let report = told(&by_pointer, "");
    assert!(
        report.contains("misaligned access") && !report.contains("put `align"),
        "{report}"
    );
}
