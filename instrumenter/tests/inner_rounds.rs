//! Rounds of a loop that take different clocks because a loop inside makes different numbers of rounds say so.

use crate::started;
use started::printed;
use std::fs;

/// Each round of `outer` takes the next count for `inner`, whose body is given.
fn report(counts: &str, body: &str, format: &str) -> String {
    let program = format!(
        ".586\n.model flat\n.data\ncounts dd {counts}\nlast label dword\n.code\n\
         start: mov esi,offset counts\nouter: mov ecx,[esi]\nadd esi,4\nnop\n\
         inner: {body}\ndec ecx\njnz inner\ncmp esi,offset last\njb outer\nret\nend start\n"
    );
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), program).expect("a file is written");
    let words = printed(folder.path(), &format!("{format} a.asm"));
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

const COUNTS: &str = "5,3,5,8,5,5,4,5,5,7,5,5,5,3,5,5";

#[test]
fn the_rounds_of_the_loop_inside_are_named_where_they_decide() {
    let long = report(COUNTS, "imul eax,3\nimul eax,5", "");
    assert!(long.contains(" (3 to 8 rounds of inner"), "{long}");
    let json = report(COUNTS, "imul eax,3\nimul eax,5", "--format json");
    assert!(
        json.contains(r#""others_inner": { "before": 0, "rounds": [ 3, 8 ]"#),
        "{json}"
    );
}

#[test]
fn they_are_not_named_where_something_else_decides() {
    // A round of the loop inside takes less than a misprediction, or all of them are alike.
    for (counts, body) in [(COUNTS, "nop"), ("5,5,5,5,5,5,5,5,5,5", "imul eax,3")] {
        let report = report(counts, body, "");
        assert!(!report.contains("rounds of inner"), "{counts} {body}: {report}");
    }
}

/// The loop inside has a path that no traced round takes: the trace is of the first rounds, and the path is taken
/// later. It leads into the loop, but not from outside.
#[test]
fn a_path_that_is_not_traced_enters_no_loop() {
    let program = ".586\n.model flat\n.code\nstart: mov edx,2000\nouter: mov ecx,8\n\
                   inner: cmp edx,3\njg skip\nmov eax,3\nskip: add ebx,eax\ndec ecx\njnz inner\n\
                   dec edx\njnz outer\nret\nend start\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), program).expect("a file is written");
    let words = printed(folder.path(), "a.asm");
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let (diagram, _) = words.split_once("Hottest lines").expect("lines");
    assert!(!diagram.contains("mov eax,3"), "{diagram}");
    assert!(diagram.contains("outer: ") && diagram.contains(" inner: "), "{diagram}");
    assert!(diagram.contains(" of 2000 rounds traced"), "{diagram}");
}

/// After LOCALS, TASM has a name as `@@next` anew in each procedure.
#[test]
fn a_local_label_names_its_loop() {
    let program = "ideal\np586\nmodel flat\nlocals\ncodeseg\nproc one\nmov ecx,20\n@@next: add eax,ecx\ndec ecx\n\
                   jnz @@next\nret\nendp one\nproc two\nmov ecx,30\n@@next: add eax,ecx\ndec ecx\njnz @@next\nret\n\
                   endp two\nstart: call one\ncall two\nret\nend start\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), program).expect("a file is written");
    let report = printed(folder.path(), "a.asm");
    assert!(
        report.contains("@@next: 20 rounds") && report.contains("@@next: 30 rounds"),
        "{report}"
    );
    // It is no symbol.
    let json = printed(folder.path(), "--format json a.asm");
    assert!(!json.contains("\"@@next\""), "{json}");
}

#[test]
fn rounds_in_the_run_are_counted_as_those_of_the_trace() {
    // Every other round passes `small`, which pairs with the head.
    let program = ".586\n.model flat\n.data\na dd 750 dup(200,5)\n.code\nstart: mov esi,offset a\nxor ecx,ecx\n\
                   mov ebx,1500\njmp test1\nsmall: dec ecx\nhead: add esi,4\ndec ebx\njz done\n\
                   test1: cmp dword ptr [esi],127\njle small\nadd ecx,[esi]\njmp head\ndone: ret\nend start\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), program).expect("a file is written");
    let report = printed(folder.path(), "a.asm");
    assert!(report.contains(" of 750 rounds traced"), "{report}");
}
