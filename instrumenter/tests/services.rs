//! What the simulated system answers to a program, and what it refuses.

use crate::started;
use std::process::Stdio;

/// Ends with the negated answer to a read.
const READS_ONCE: &str = ".586
.model flat
.data
buffer db 8 dup(?)
.code
start: mov eax,3
 xor ebx,ebx
 mov ecx,offset buffer
 mov edx,8
 int 80h
 mov ebx,eax
 neg ebx
 mov eax,1
 int 80h
end start
";

#[cfg(unix)]
#[test]
fn input_that_is_not_open_for_reading_is_none() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("reads.asm"), READS_ONCE).expect("a file is written");
    let output = |words: &[&str], input: Stdio| {
        let mut command = started::p5inst(folder.path(), words);
        command.stdin(input).output().expect("the command starts")
    };
    let for_writing = || Stdio::from(std::fs::File::create(folder.path().join("out")).expect("a file"));
    let report = output(&["reads.asm"], for_writing());
    let report = started::text(&report.stdout).to_owned();
    assert!(report.contains("exit with code 9"), "EBADF: {report}");
    let report = output(&["reads.asm"], Stdio::null());
    assert!(started::text(&report.stdout).contains("exit with code 0"));
    for (input, expected) in [
        (for_writing(), "cannot read standard input"),
        (Stdio::null(), "no instructions to run"),
    ] {
        let refused = output(&["-"], input);
        assert_eq!(refused.status.code(), Some(2));
        let words = started::text(&refused.stderr);
        assert!(words.contains(expected), "{words}");
    }
}

/// Asks DOS about the machine, the drive and itself, and ends with the number of the first answer that is not expected.
const ASKS: &str = ".model tiny
.code
org 100h
start: mov bp,1
 mov ah,62h
 int 21h
 mov ax,cs
 cmp bx,ax
 jne over
 inc bp              ; 2
 mov ah,51h
 int 21h
 mov ax,cs
 cmp bx,ax
 jne over
 inc bp              ; 3
 mov ah,0Eh
 mov dl,2
 int 21h
 cmp al,3
 jne over
 inc bp              ; 4
 mov ax,3300h
 mov dl,9
 int 21h
 cmp dl,0
 jne over
 inc bp              ; 5
 mov ax,3305h
 int 21h
 cmp dl,3
 jne over
 inc bp              ; 6
 mov ax,4400h
 mov bx,1
 int 21h
 jc over
 test dl,80h
 jz over
 inc bp              ; 7
 mov ah,47h
 mov dl,0
 mov si,offset folder
 int 21h
 jc over
 cmp folder,0
 jne over
 inc bp              ; 8
 mov ah,4Dh
 int 21h
 cmp ax,0
 jne over
 xor bp,bp
 mov ah,36h          ; refused
 int 21h
over: mov ax,bp
 mov ah,31h
 mov dx,20h
 int 21h
folder db 64 dup(0FFh)
end start
";

#[test]
fn dos_tells_of_itself_and_what_it_refuses_stands_beside_the_end() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("asks.asm"), ASKS).expect("a file is written");
    let report = started::printed(folder.path(), "asks.asm");
    let end = "ended by exit with code 0; refused: int 21h AH=36h (carry flag set)";
    assert!(report.contains(end), "{report}");
}
