//! What a report says of a return that takes what a push has left on the stack, and of a stack that is full.

use crate::started::{finished, text};

/// The report of a source that is stopped after so many clocks, on one line.
#[track_caller]
fn told(source: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let output = finished(folder.path(), "a.asm --limit 3000000");
    let report = text(&output.stdout);
    assert!(!report.is_empty(), "{}", text(&output.stderr));
    report.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A program that sums words, with a POP forgotten: CX is 0 after LOOP, and the return goes to CS:0, where the program
/// begins.
const SUM: &str = ".model small\n.stack 64\n.data\nv dw 5,9,2,7\ns dw 0\n.code\nmain proc\nmov ax,@data\nmov ds,ax\n\
                   call sumit\nmov s,ax\nmov ax,4c00h\nint 21h\nmain endp\nsumit proc\npush cx\npush si\nxor ax,ax\n\
                   lea si,v\nmov cx,4\nl1: add ax,[si]\nadd si,2\nloop l1\npop si\nret\nsumit endp\nend main\n";

#[test]
fn a_return_that_takes_a_register_is_told() {
    let note = "the `ret` in line 25 takes for its address what `push cx` in line 16 pushed, 0000h, and leads to line 8: \
                a `pop` before it is missing, or there is one too many";
    assert!(told(SUM).contains(note), "{}", told(SUM));
    // It ends by itself after three rounds.
    let ends = SUM.replace("call sumit\nmov s,ax\n", "inc s\ncmp s,3\nje fin\ncall sumit\nfin: ");
    let report = told(&ends);
    assert!(
        report.contains("the `ret` in line 27 takes for its address what `push cx` in line 18"),
        "{report}"
    );
    // One POP too many takes the return address, and the return what the caller pushed.
    let too_many = SUM.replace("call sumit\n", "xor ax,ax\npush ax\ncall sumit\npop ax\n");
    let report = told(&too_many.replace("pop si\nret", "pop si\npop cx\npop dx\nret"));
    assert!(
        report.contains("the `ret` in line 30 takes for its address what `push ax` in line 11"),
        "{report}"
    );
    // Nothing is wrong.
    let right = SUM.replace("pop si\nret", "pop si\npop cx\nret");
    assert!(!told(&right).contains("takes for its address"), "{}", told(&right));
}

#[test]
fn a_return_that_is_meant_is_not_told() {
    let program = |body: &str| {
        format!(
            ".model small\n.386\n.stack 100h\n.data\ntable dw one,two\nsaved dw 0\nother dw 40 dup(0)\n\
             otop label word\n.code\nmain: mov ax,@data\nmov ds,ax\nmov ss,ax\nmov sp,offset otop\n{body}\n\
             done: mov ax,4c00h\nint 21h\none: inc cx\njmp done\ntwo: inc dx\njmp done\n\
             sub1 proc\npop bx\ninc cx\npush dx\npush bx\nnop\nnop\nnop\nnop\nnop\nret\nsub1 endp\nend main\n"
        )
    };
    for body in [
        // A label, a table of jumps, and a label that waits in a register and on the stack.
        "push offset two\nret",
        "mov bx,2\npush table[bx]\nret",
        "mov bx,2\nmov ax,table[bx]\npush ax\nret",
        "mov ax,offset two\npush ax\nnop\nnop\nnop\nnop\nnop\nnop\nret",
        // The address in the middle of unrolled code.
        "mov ax,offset two\ninc ax\npush ax\nret",
        // A result on the stack, below the return address.
        "call sub1\npop dx",
        // Another task's stack.
        "mov ax,offset two+1\nmov bx,sp\npush ax\npush cx\nmov saved,sp\nmov sp,bx\nmov sp,saved\npop cx\nnop\nnop\n\
         nop\nret",
    ] {
        let report = told(&program(body));
        assert!(!report.contains("takes for its address"), "{body}: {report}");
    }
}

#[test]
fn a_stack_that_is_full_is_told() {
    let source = ".model small\n.stack 100h\n.code\nf proc\npush ax\ndec ax\ncall f\npop ax\nret\nf endp\n\
                  main: mov ax,5\ncall f\nmov ax,4c00h\nint 21h\nend main\n";
    let note = "the stack is full in line 7: the push there is the first one below its 256 bytes; make `.stack` larger";
    let report = told(source);
    assert!(report.contains(note), "{report}");
    assert!(!report.contains("moves SP below 0"), "{report}");
    // It comes back in time, and so does a stack that is just full.
    let ends = source.replace("call f\npop ax", "jz back\ncall f\nback: pop ax");
    for source in [
        ends.clone(),
        ends.replace(".stack 100h", ".stack 18"),
        ends.replace(".stack 100h", ".stack 20"),
    ] {
        let report = told(&source);
        let full = source.contains(".stack 18");
        assert_eq!(report.contains("the stack is full"), full, "{report}");
    }
}
