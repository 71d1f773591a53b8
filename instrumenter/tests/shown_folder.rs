//! A program reads the files of the folder that `--dir` shows it.
#![cfg(target_os = "linux")]

use crate::started;
use started::{finished, text};
use std::fs;
use std::os::unix::fs::symlink;

/// Opens a file by a link, reads it, and exits with the sum of its bytes, or with the error of `open`.
const PROGRAM: &str = "        .586
        .model flat
        .data
path    db '/deep/link',0
room    db 16 dup (0)
        .code
start:  mov eax,5
        mov ebx,offset path
        mov ecx,0
        mov edx,0
        int 80h
        test eax,eax
        js failed
        mov ebx,eax
        mov eax,3
        mov ecx,offset room
        mov edx,16
        int 80h
        mov ecx,eax
        mov ebx,0
        mov eax,0
next:   mov al,room[ecx-1]
        add ebx,eax
        dec ecx
        jnz next
        jmp done
failed: neg eax
        mov ebx,eax
done:   mov eax,1
        int 80h
        end start
";

#[test]
fn a_program_reads_the_files_of_a_folder_which_is_its_root() {
    let outer = tempfile::tempdir().expect("a folder");
    let at = |name: &str| outer.path().join(name);
    fs::create_dir_all(at("in/deep")).expect("folders");
    fs::write(at("a.asm"), PROGRAM).expect("a program");
    fs::write(at("in/file"), [1, 2, 4]).expect("a file");
    fs::write(at("file"), [100]).expect("another file");
    symlink("/file", at("in/deep/link")).expect("a link");
    let ends = |arguments: &str, code: u32, line: &str| {
        let output = finished(outer.path(), arguments);
        let report = text(&output.stdout).replace("\n  ", " ");
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(report.contains(&format!("ended by exit with code {code}")), "{report}");
        assert!(report.contains(line), "{report}");
    };
    ends("a.asm --dir in --long", 7, "");
    let lacking = "ended by exit with code 2; it opened `/deep/link`, which was not found: files are served with \
                   `--dir DIR`, and with `--dir .` this is `./deep/link`";
    ends("a.asm --long", 2, lacking);
    fs::remove_file(at("in/file")).expect("it is there");
    ends(
        "a.asm --dir in --long",
        2,
        "it opened `/deep/link`, and nothing is there: with `--dir DIR` paths begin at DIR",
    );
    let refused = finished(outer.path(), "a.asm --dir file");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("cannot open it"),
        "{}",
        text(&refused.stderr)
    );
}

/// Makes two files and a folder, in this order: the first that was opened is named.
const WRITES: &str = "        .586
        .model flat
        .data
first   db 'w.o',0
second  db 'other',0
        .code
start:  mov eax,39
        mov ebx,offset second
        int 80h
        cmp byte ptr first,'-'
        je done
        mov eax,5
        mov ebx,offset first
        mov ecx,1101o
        int 80h
        mov eax,8
        mov ebx,offset second
        int 80h
done:   mov ebx,eax
        neg ebx
        mov eax,1
        int 80h
        end start
";

#[test]
fn the_end_names_the_file_that_could_not_be_written() {
    let folder = tempfile::tempdir().expect("a folder");
    for (first, expected) in [
        (
            "w.o",
            "ended by exit with code 30; it opened `w.o` to write, and files are read only",
        ),
        (
            "-",
            "ended by exit with code 30; it tried to change a file, and files are read only",
        ),
    ] {
        fs::write(folder.path().join("w.asm"), WRITES.replace("w.o", first)).expect("a program");
        let output = finished(folder.path(), "w.asm --dir .");
        let report = text(&output.stdout).replace("\n  ", " ");
        assert!(report.contains(expected), "{report}{}", text(&output.stderr));
    }
}
