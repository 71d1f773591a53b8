//! What a report says of a return that takes what a push has left on the stack, and of a stack that is full.

use crate::started::{finished, text};

/// The report of a source that is stopped after this many clocks, on one line.
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
    let near = SUM.replace("\nret\n", "\nretn\n");
    assert!(
        near.contains("retn") && told(&near).contains("takes for its address"),
        "{}",
        told(&near)
    );
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

/// A program of 16 bits whose `outer` calls `add_up` with two words on the stack.
const WORDS: &str = ".model small\n.386\n.stack 64\n.data\ns dw 0\n.code\nouter proc\npush 1\npush 2\ncall add_up\n\
                     mov s,ax\nret\nouter endp\nmain proc\nmov ax,@data\nmov ds,ax\ncall outer\nmov ax,4c00h\n\
                     int 21h\nmain endp\nadd_up proc\npush bp\nmov bp,sp\nmov ax,[bp+4]\nadd ax,[bp+6]\npop bp\n\
                     ret 8\nadd_up endp\nend main\n";

#[test]
fn a_return_that_removes_more_than_was_pushed_is_told() {
    let note = "`ret 8` in line 27 removes 8 bytes behind its return address, but the caller had only 4 bytes on the \
                stack before the call in line 10: the stack pointer is 4 bytes too high from there on";
    assert!(told(WORDS).contains(note), "{}", told(WORDS));
    // What is pushed outside of all calls counts as well.
    let outside = WORDS.replace("call outer", "push 1\npush 2\ncall add_up");
    assert!(
        told(&outside).contains("but the caller had only 4 bytes"),
        "{}",
        told(&outside)
    );
    // A procedure that saves a register has enough bytes, but its own return takes another address.
    let source = ".586\n.model flat\n.code\nstart:\ncall outer\nret\nouter proc\npush ebx\npush 1\ncall more\n\
                  pop ebx\nret\nouter endp\nmore proc\nmov eax,[esp+4]\nret 8\nmore endp\nend start\n";
    let note = "the `ret` in line 12 takes its address 4 bytes above the one that the call in line 5 left: more was \
                removed from the stack than pushed; see whether `ret 8` in line 16 removes too much";
    assert!(told(source).contains(note), "{}", told(source));
    // Nothing is wrong.
    let wrong = |report: &str| report.contains("too high from there") || report.contains("removes too much");
    for right in [WORDS.replace("ret 8", "ret 4"), source.replace("ret 8", "ret 4")] {
        assert!(!wrong(&told(&right)), "{}", told(&right));
    }
    // A procedure may take its own return address from the stack, and call one that removes what lies above.
    let passed_on = WORDS.replace("call outer", "push 5\npush 6\ncall outer").replace(
        "outer proc\npush 1\npush 2\ncall add_up\nmov s,ax\nret",
        "outer proc\npop bx\ncall add_up\nmov s,ax\npush bx\nret",
    );
    let passed_on = passed_on.replace("ret 8", "ret 4");
    assert!(!wrong(&told(&passed_on)), "{}", told(&passed_on));
}

#[test]
fn a_return_that_takes_a_number_is_told() {
    let source = ".model small\n.386\n.stack 64\n.data\ns dw 0\n.code\nmain proc\nmov ax,@data\nmov ds,ax\ninc s\n\
                  cmp s,3\nje fin\ncall f\nfin: mov ax,4c00h\nint 21h\nmain endp\nf proc\npush 3\nmov ax,7\n\
                  ret\nf endp\nend main\n";
    let note = "the `ret` in line 20 takes for its address what `push 3` in line 18 pushed, 0003h, and leads to line 9: \
                a `pop` before it is missing, or there is one too many";
    assert!(told(source).contains(note), "{}", told(source));
    let right = source.replace("mov ax,7", "mov ax,7\npop bx");
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
