//! The standard input of a program: each of its runs, and each of several machines, gets all of it. It is the keyboard
//! of a DOS program.

use crate::started;
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;

/// Multiplies once for each byte that it reads.
const READS: &str = ".586
.model flat
.data
buffer db 100 dup(?)
.code
start: mov eax,3
 xor ebx,ebx
 mov ecx,offset buffer
 mov edx,100
 int 80h
 mov ecx,eax
 jecxz over
again: imul esi,ecx
 dec ecx
 jnz again
over: ret
end start
";

#[test]
fn both_sides_of_a_comparison_read_the_same() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for name in ["one.asm", "other.asm"] {
        std::fs::write(folder.path().join(name), READS).expect("a file is written");
    }
    for line in [
        "stat --format json --compare one.asm other.asm",
        "stat --format json one.asm --against --cpu p54c",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let mut command = started::p5inst(folder.path(), &words);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = command.spawn().expect("the command starts");
        let mut input = running.stdin.take().expect("a pipe");
        input.write_all(&[b'x'; 60]).expect("it reads");
        drop(input);
        let output = running.wait_with_output().expect("it ends");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let events = |side: usize| report["programs"][side]["events"].clone();
        let executed = |side: usize| {
            let rows = events(side);
            let rows = rows.as_array().expect("rows");
            let row = rows
                .iter()
                .find(|row| row["selector"] == 0x16)
                .expect("instructions executed");
            row["count"].as_u64().expect("a count")
        };
        assert!(executed(0) > 2 * 60, "{line}: {}", events(0));
        assert_eq!(executed(0), executed(1), "{line}");
    }
}

/// Asks DOS and the BIOS for keys and lines in every way, and writes what it gets between bars.
const KEYS: &str = ".model small
.stack 100h
.data
buffer db 5, ?, 6 dup(?)
text db 16 dup(?)
.code
write: mov ah,2
 int 21h
 mov dl,'|'
 int 21h
 ret
main: mov ax,@data
 mov ds,ax
 mov ah,1            ; with its echo
 int 21h
 mov dl,al
 call write
 mov ah,8
 int 21h
 mov dl,al
 call write
 mov ah,1
 int 16h             ; looks for a key and leaves it
 mov dl,al
 call write
 xor ah,ah
 int 16h
 mov dl,ah           ; the scan code
 call write
 mov ah,6
 mov dl,0FFh
 int 21h
 mov dl,al
 call write
 mov ah,0Ah
 mov dx,offset buffer
 int 21h             ; echoes four characters and Enter
 mov dl,buffer+1
 add dl,'0'
 call write
 mov ah,3Fh
 xor bx,bx
 mov cx,16
 mov dx,offset text
 int 21h
 jc over
 mov cx,ax
 mov ah,40h
 mov bx,1
 int 21h
 mov ah,0Bh
 int 21h
 mov dl,al
 sub dl,0FFh-'0'
 call write
 mov ah,3Fh
 xor bx,bx
 mov cx,16
 int 21h             ; nothing is left
 mov dl,al
 add dl,'0'
 call write
over: mov ah,4Ch
 int 21h
end main
";

/// What a program prints that gets `typed` as its standard input, and the texts of its report.
fn printed(source: &str, typed: &[u8]) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("keys.asm"), source).expect("a file is written");
    let mut command = started::p5inst(folder.path(), &["keys.asm", "--format", "json"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut running = command.spawn().expect("the command starts");
    let mut input = running.stdin.take().expect("a pipe");
    input.write_all(typed).expect("it reads");
    drop(input);
    let output = running.wait_with_output().expect("it ends");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let text = report["output"].as_str().expect("the output").as_bytes().to_vec();
    (text, report["notes"].to_string())
}

#[test]
fn what_is_typed_at_the_keyboard_of_dos_is_standard_input() {
    let expected = b"aa|b|c|.|d|1234\r4|two\r\n0|0|";
    for typed in ["abcd123456\ntwo\n", "abcd123456\r\ntwo\r\n"] {
        let (output, notes) = printed(KEYS, typed.as_bytes());
        assert_eq!(output.escape_ascii().to_string(), expected.escape_ascii().to_string());
        assert_eq!(notes.matches("no key was left").count(), 1, "{notes}");
    }
    let (output, notes) = printed(KEYS, b"");
    let expected = b"\x1b|\x1b|\x1b|\x01|\x1b|\r0|0|0|";
    assert_eq!(output.escape_ascii().to_string(), expected.escape_ascii().to_string());
    assert!(notes.contains("no key was left"), "{notes}");
}

/// Opens a file by a name of DOS, reads its last four bytes and prints them; then asks for memory and the time.
const FILES: &str = ".model small
.stack 100h
.data
path db 'C:\\DATA\\IN.TXT',0
none db 'none.txt',0
text db 8 dup(?)
.code
main: mov ax,@data
 mov ds,ax
 mov ax,3D00h
 mov dx,offset path
 int 21h
 jc failed
 mov bx,ax
 mov ax,4202h
 mov cx,-1
 mov dx,-4
 int 21h
 jc failed
 mov ah,3Fh
 mov cx,8
 mov dx,offset text
 int 21h
 jc failed
 mov cx,ax
 mov ah,40h
 push bx
 mov bx,1
 int 21h
 pop bx
 mov ah,3Eh
 int 21h
 jc failed
 mov ah,3Fh          ; the handle is closed
 int 21h
 jnc failed
 mov ax,3D00h
 mov dx,offset none
 int 21h
 jnc failed
 add al,'0'
 mov dl,al
 mov ah,2
 int 21h
 mov ah,48h
 mov bx,-1
 int 21h
 jnc failed
 mov ah,48h          ; BX has what is free
 int 21h
 jc failed
 mov es,ax
 mov byte ptr es:[0],1
 mov ah,2Ch
 int 21h
 or ch,ch
 jnz failed
 mov ax,4C00h
 int 21h
failed: mov ax,4C01h
 int 21h
end main
";

/// Three blocks; the exit code is 0 if one grows only where nothing stands above it.
const BLOCKS: &str = "\
.model tiny
.code
org 100h
main:
 mov ah,4Ah
 mov bx,1000h
 int 21h              ; the program itself
 jc failed
 mov ah,48h
 mov bx,10h
 int 21h
 mov si,ax
 mov ah,48h
 mov bx,10h
 int 21h
 mov di,ax
 mov es,si
 mov ah,4Ah
 mov bx,100h
 int 21h              ; the second block is in the way
 jnc failed
 cmp bx,10h
 jne failed
 push cs
 pop es
 mov ah,4Ah
 mov bx,8000h
 int 21h
 jnc failed
 mov es,di
 mov ah,4Ah
 mov bx,100h
 int 21h              ; nothing stands above it
 jc failed
 mov ah,48h
 mov bx,1
 int 21h
 add di,100h
 cmp ax,di
 jb failed
 mov es,ax
 mov ah,49h
 int 21h
 mov cx,ax
 mov ah,48h
 mov bx,1
 int 21h              ; what was given back last is given again
 cmp ax,di
 jne failed
 mov ax,4C00h
 int 21h
failed: mov ax,4C01h
 int 21h
end main
";

#[test]
fn a_block_of_memory_grows_where_nothing_stands_above_it() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("blocks.asm"), BLOCKS).expect("a file is written");
    let output = started::finished(folder.path(), "blocks.asm --format json");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["stop"]["code"], 0, "{}", report["stop"]);
}

#[test]
fn a_program_of_dos_reads_the_files_that_it_is_shown() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file is written");
    std::fs::create_dir_all(folder.path().join("shown/data")).expect("a folder is made");
    write("shown/data/in.txt", "all of 1996");
    write("files.asm", FILES);
    let report =
        |line: &str| -> Value { serde_json::from_slice(&started::finished(folder.path(), line).stdout).expect("JSON") };
    let shown = report("files.asm --dir shown --format json");
    assert_eq!(
        (&shown["output"], &shown["stop"]["code"]),
        (&"19962".into(), &0.into()),
        "{}",
        shown["notes"]
    );
    let hidden = report("files.asm --format json");
    assert_eq!((&hidden["output"], &hidden["stop"]["code"]), (&"".into(), &1.into()));
    let notes = hidden["notes"].to_string();
    assert!(notes.contains("with `--dir .` this is `./DATA/IN.TXT`"), "{notes}");
    let notes = shown["notes"].to_string();
    assert!(notes.contains("`none.txt`, and nothing is there"), "{notes}");
    for (path, why) in [
        ("..\\in.txt", "`..` does not lead out of it: this is `DIR/in.txt`"),
        ("nul", "which was not found: devices are not served"),
    ] {
        write("files.asm", &FILES.replace("none.txt", path));
        let notes = report("files.asm --dir shown --format json")["notes"].to_string();
        assert!(notes.contains(why), "{notes}");
    }
}

#[test]
fn the_time_limit_holds_while_a_program_waits_for_input() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let of_dos = ".model tiny\n.code\norg 100h\nstart: mov ah,1\nint 21h\nret\nend start\n";
    for (name, source, run) in [
        ("linux.asm", READS, ["--runs", "1"]),
        ("dos.asm", of_dos, ["--engine", "both"]),
    ] {
        std::fs::write(folder.path().join(name), source).expect("a file is written");
        let mut command = started::p5inst(folder.path(), &[name, "--timeout", "1", "--format", "json"]);
        command.args(run);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = command.spawn().expect("the command starts");
        // It stays open, and tells something.
        let mut input = running.stdin.take().expect("a pipe");
        input.write_all(b"x").expect("it reads");
        let output = running.wait_with_output().expect("it ends");
        drop(input);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["stop"]["reason"], "timeout", "{name}: {}", report["stop"]);
        let words = report["stop"]["message"].as_str().unwrap_or_default();
        assert!(
            words.starts_with("still waiting for the end of standard input after "),
            "{words}"
        );
        assert_eq!(output.status.code(), Some(1), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn input_that_cannot_be_read_is_told() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), READS).expect("a file is written");
    let mut command = started::p5inst(folder.path(), &["a.asm"]);
    let input = std::fs::File::open(folder.path()).expect("a directory is opened");
    let output = command.stdin(input).output().expect("the command starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("note: cannot read standard input: "), "{told}");
    assert!(told.contains("; the program gets 0 bytes\n"), "{told}");
    assert!(output.status.success(), "{told}");
}

/// Adds the characters of its command line, in a region, and prints it.
const TAIL: &str = ".model small
.586
.stack 100h
.data
sum dw 0
.code
include p5.inc
start: mov bx,es
 mov ax,@data
 mov ds,ax
 mov si,81h
 xor cx,cx
 mov cl,es:[80h]
 mov di,cx
 test cx,cx
 jz over
 StartTSC characters
next: xor ax,ax
 mov al,es:[si]
 add sum,ax
 inc si
 dec cx
 jnz next
 EndTSC
over: mov cx,di
 mov ds,bx
 mov dx,81h
 mov bx,1
 mov ah,40h
 int 21h
 mov ax,4C00h
 int 21h
end start
";

#[test]
fn a_source_of_dos_gets_a_command_line() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let write = |name: &str, text: &str| std::fs::write(path.join(name), text).expect("a file is written");
    write("tail.asm", TAIL);
    let output = |words: &[&str]| started::p5inst(path, words).output().expect("the command starts");
    let report = |words: &[&str]| -> Value {
        let output = output(words);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", started::text(&output.stderr)))
    };
    let given = report(&["--args", "/v in.txt", "--format", "json", "tail.asm"]);
    assert_eq!(given["output"], " /v in.txt");
    assert_eq!(given["regions"][0]["name"], "characters", "{}", given["regions"]);
    // As a built program has it, byte for byte.
    started::printed(path, "build tail.asm -o tail.exe");
    let built = report(&["--format", "json", "tail.exe", "/v", "in.txt"]);
    assert_eq!(given["output"], built["output"]);
    // Nothing is nothing, and other commands give it, too.
    assert_eq!(report(&["--args", "", "--format", "json", "tail.asm"])["output"], "");
    let executed = |text: &str| {
        let report = report(&["stat", "--format", "json", "--args", text, "tail.asm"]);
        let rows = report["programs"][0]["events"].clone();
        let rows = rows.as_array().expect("rows");
        let row = rows.iter().find(|row| row["selector"] == 0x16).expect("a row");
        row["count"].as_u64().expect("a count")
    };
    assert!(executed("123456789") > executed("1") + 5 * 8);
    let swept = |text: &str| {
        let words = ["sweep", "--format", "csv", "--args", text, "tail.asm"];
        let output = output(&words);
        assert_eq!(output.status.code(), Some(0), "{}", started::text(&output.stderr));
        output.stdout
    };
    assert_ne!(swept("123456789"), swept("1"));
    let jobs = output(&["sweep", "--jobs", "--args", "a b", "tail.asm"]);
    assert!(started::text(&jobs.stdout).contains(" --args 'a b' "), "{jobs:?}");
    // What takes none says what does.
    write("flat.asm", ".586\n.model flat\n.code\nstart: ret\nend start\n");
    for (words, expected) in [
        (&["--args", "a", "flat.asm"][..], "16-bit segments"),
        (&["stat", "--args", "a", "flat.asm"], "16-bit segments"),
        (&["sweep", "--args", "a", "flat.asm"], "16-bit segments"),
        (&["--args", "a", "tail.exe"], "`p5inst tail.exe ARGUMENT`"),
        (&["--args", &"a".repeat(126), "tail.asm"], "DOS has room for 125"),
        (&["tail.asm", "LEVEL1"], "`--args`"),
    ] {
        let output = output(words);
        let said = started::text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains(expected),
            "{words:?}: {said}"
        );
    }
}
