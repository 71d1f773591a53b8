//! `--show`: the loop of a function or at a line, in place of the one with the most clocks.

use crate::started::{finished, printed, text};
use std::path::Path;

/// A program with a loop that takes most clocks, one that runs once long after it, and code that is never executed.
const PROGRAM: &str = "\
.586
.model flat
.data
table   dd 64 dup(1)
.code
start:  mov ecx,9000
most:   imul eax,eax,3
        dec ecx
        jnz most
        call small
        ret
small   proc
        mov esi,offset table
        mov edx,40
inner:  add eax,[esi]
        add esi,4
        dec edx
        jnz inner
        ret
small   endp
never   proc
        nop
        ret
never   endp
end start
";

/// The same loops as two regions, and one outside of them.
const REGIONS: &str = "\
.586
.model flat
.code
start:  StartTSC
        mov ecx,20
first:  dec ecx
        jnz first
        EndTSC
        StartTSC
        mov ecx,30
second: dec ecx
        nop
        jnz second
        EndTSC
        mov edx,4
third:  dec edx
        jnz third
        ret
end start
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("two.asm"), PROGRAM).expect("a file is written");
    std::fs::write(folder.path().join("regions.asm"), REGIONS).expect("a file is written");
    folder
}

/// The report on one line.
#[track_caller]
fn told(folder: &Path, line: &str) -> String {
    let report = printed(folder, line);
    report.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_loop_of_a_function_a_label_or_a_line_is_drawn() {
    let folder = folder();
    let folder = folder.path();
    assert!(told(folder, "two.asm").contains("why not faster most: "));
    for place in ["small", "inner", "15", "18", "two.asm:16"] {
        let report = told(folder, &format!("two.asm --show {place}"));
        assert!(
            report.contains("why not faster inner: ") && !report.contains("most: 1"),
            "{place}: {report}"
        );
        // The trace is the same however blocks are executed.
        let both = told(folder, &format!("two.asm --engine both --show {place}"));
        assert_eq!(both, report, "{place}");
    }
    let report = told(folder, "two.asm --show small");
    assert!(
        report.contains("Of what is traced, the loop with the most clocks in `small`, "),
        "{report}"
    );
    let timeline = told(folder, "two.asm --timeline --show small");
    assert!(
        timeline.contains("U add eax,[esi] = dec edx") && !timeline.contains("imul"),
        "{timeline}"
    );
}

#[test]
fn a_line_inside_a_loop_is_said_to_be_in_it() {
    let folder = folder();
    let report = told(folder.path(), "two.asm --show 16");
    assert!(report.contains(" Line 16 is in the loop `inner`, "), "{report}");
    let report = told(folder.path(), "two.asm --show 15");
    assert!(report.contains(" The loop at line 15, "), "{report}");
}

#[test]
fn a_function_that_is_called_reaches_past_the_labels_inside_it() {
    // No directive says where the functions end.
    let source = ".text\n.globl main\nf: movl $10, %ecx\n.L1: decl %ecx\njne .L1\nret\ng: nop\nret\n\
                  main: call f\ncall g\nret\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("f.s"), source).expect("a file is written");
    let found = "Of what is traced, the loop with the most clocks in `f`, ";
    let report = told(folder.path(), "f.s --show f");
    assert!(
        report.contains(found) && report.contains(".L1: 10 rounds, "),
        "{report}"
    );
    let timeline = told(folder.path(), "f.s --timeline --show f");
    assert!(
        timeline.contains(found) && timeline.contains("U decl %ecx"),
        "{timeline}"
    );
    // What follows the function is not drawn.
    let report = told(folder.path(), "f.s --show g");
    let diagram = report.split("Hottest lines").next().unwrap_or_default();
    assert!(report.contains("No loop in `g` repeats in the "), "{report}");
    assert_eq!(diagram.matches("ret takes 2").count(), 1, "{report}");
}

#[test]
fn code_without_a_loop_is_drawn_from_there_on() {
    let folder = folder();
    let report = told(folder.path(), "two.asm --show 13");
    assert!(
        report.contains("No loop at line 13 repeats in the ") && report.contains("why not faster 90016 mov esi"),
        "{report}"
    );
}

#[test]
fn the_loop_of_a_region_is_drawn_below_its_heading() {
    let folder = folder();
    let report = told(folder.path(), "regions.asm --show second");
    assert!(
        report.contains("Of what is traced, the loop with the most clocks in `second`, ")
            && !report.contains("first: 20 rounds"),
        "{report}"
    );
    let report = told(folder.path(), "regions.asm --show third");
    // It is in no region.
    assert!(
        report.contains("Of what is traced, the loop with the most clocks in `third`, "),
        "{report}"
    );
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let folder = folder();
    let report = told(folder.path(), "two.asm --show never");
    let why = "No loop in `never` is shown: the run has not executed any of its instructions. Loops that were traced: ";
    assert!(report.contains(why), "{report}");
    for (place, why) in [
        ("smal", "`--show` finds no function `smal`; did you mean `small`?"),
        (
            "12",
            "`--show 12`: that line has no code; the nearest lines with code are 11 and 13",
        ),
        (
            "3.asm:2",
            "`--show` finds no source `3.asm` of the program; it has two.asm",
        ),
    ] {
        let output = finished(folder.path(), &format!("two.asm --show {place}"));
        assert_eq!(output.status.code(), Some(2), "{place}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
}

#[test]
fn functions_of_cxx_are_meant_by_a_part_of_their_names() {
    let folder = folder();
    let folder = folder.path();
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    std::fs::copy(objects.join("class.elf"), folder.join("class.elf")).expect("a program is copied");
    for name in ["f", "S::f", "_ZN1S1fEi", "s::F"] {
        let report = told(folder, &format!("--show {name} class.elf"));
        assert!(
            report.contains(&format!(
                "Of what is traced, the loop with the most clocks in `{name}`, "
            )),
            "{name}: {report}"
        );
    }
    let least = "least(int, int):\n mov eax, DWORD PTR [esp+4]\n ret\nleast(long, long):\n mov eax, DWORD PTR [esp+4]\n \
                 ret\n";
    std::fs::write(folder.join("least.txt"), least).expect("a file is written");
    for (line, why) in [
        (
            "--show least least.txt",
            "`--show least`: several functions have that name; write `least(int, int)` or `least(long, long)`",
        ),
        (
            "--show leas least.txt",
            "`--show` finds no function `leas`; did you mean `least(int, int)` or `least(long, long)`?",
        ),
        ("--show S class.elf", "did you mean `S::f`, `S::g` or `_start`?"),
    ] {
        let output = finished(folder, line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
}

/// What GCC writes for a function of which it has made a variant, and keeps the function itself for others to call.
const VARIANT: &str = "\
	.text
	.globl	weigh
	.type	weigh, @function
weigh:
	movl	4(%esp), %ecx
.L2:
	decl	%ecx
	jne	.L2
	ret
	.type	weigh.constprop.0, @function
weigh.constprop.0:
	movl	$50, %ecx
.L5:
	addl	%ecx, %eax
	decl	%ecx
	jne	.L5
	ret
	.globl	main
	.type	main, @function
main:
	call	weigh.constprop.0
	ret
";

#[test]
fn the_variant_of_a_function_is_shown_under_the_name_of_the_function() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("weigh.s"), VARIANT).expect("a file is written");
    let report = told(folder.path(), "weigh.s --entry main --show weigh");
    assert!(report.contains("50 rounds"), "{report}");
    let report = told(folder.path(), "weigh.s --entry main --show weigh.constprop.0");
    assert!(report.contains("50 rounds"), "{report}");
}

#[test]
fn several_loops_are_shown_one_after_the_other() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = "mov ecx,50\none: add eax,ebx\ndec ecx\njnz one\nmov ecx,60\ntwo: imul eax,ebx\ndec ecx\njnz two\n";
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let report = printed(folder.path(), "a.asm --show two --show one");
    let at = |words: &str| report.find(words).unwrap_or_else(|| panic!("{words}: {report}"));
    // The second one follows the report of the first, which ends with what the program has changed.
    assert!(at("two: 60 rounds") < at("Changed"), "{report}");
    assert!(at("Changed") < at("one: 49 rounds"), "{report}");
    assert_eq!(report.matches("Changed").count(), 1, "{report}");
    let timeline = printed(folder.path(), "--timeline a.asm --show two --show one");
    assert!(timeline.contains("two") && timeline.contains("one"), "{timeline}");
    let refused = finished(folder.path(), "a.asm --show two --show three");
    assert_eq!(refused.status.code(), Some(2));
}

/// A function that is called some hundred times. The first call finds none of its data in the caches.
const CALLED: &str = "\
.586
.model flat
.data
table   dd 4096 dup(1)
.code
start:  mov ebx,300
again:  call sums
        mov ecx,200
other:  imul eax,eax,3
        dec ecx
        jnz other
        dec ebx
        jnz again
        ret
sums    proc
        mov esi,offset table
        mov edx,160
inner:  add eax,[esi]
        add esi,32
        dec edx
        jnz inner
        ret
sums    endp
end start
";

#[test]
fn of_a_function_that_is_called_often_a_typical_call_is_drawn() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("called.asm"), CALLED).expect("a file is written");
    let report = told(folder.path(), "called.asm --runs 1 --show sums");
    assert!(
        report.contains(" executions; one of typical rounds:") && report.contains("inner: 160 rounds, "),
        "{report}"
    );
    let (drawn, _) = report.split_once(" Hottest lines ").expect("a table");
    assert!(!drawn.contains("read miss"), "{report}");
    // Following calls traces the same code.
    assert!(!report.contains("calls were not followed"), "{report}");
}
