//! Lines of makefiles, which call an assembler by its name: each writes what that assembler writes.

use crate::started;
use started::text;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A folder with the sources of `build`, and p5inst by the names of the assemblers.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/build")).expect("a folder") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.path().join(path.file_name().expect("a name"))).expect("a copy");
    }
    for name in ["ml", "masm", "tasm", "jwasm", "p5inst"] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_p5inst"), folder.path().join(name)).expect("a link");
    }
    folder
}

fn made(folder: &Path, line: &str, style: &str) -> Output {
    let mut words = line.split_whitespace();
    let mut command = Command::new(folder.join(words.next().expect("a name")));
    command.args(words).current_dir(folder).stdin(Stdio::null());
    command
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .env("P5INST_STYLE", style);
    command.output().expect("the command starts")
}

/// The file that a line makes, and what it says.
#[track_caller]
fn file(line: &str, name: &str, style: &str) -> (Vec<u8>, String) {
    let folder = folder();
    let output = made(folder.path(), line, style);
    let said = text(&output.stderr).to_owned();
    assert_eq!(output.status.code(), Some(0), "{line}: {said}");
    let bytes = fs::read(folder.path().join(name)).unwrap_or_else(|error| panic!("{line}: {name}: {error}"));
    (bytes, said)
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

#[test]
fn the_name_says_the_style_of_the_line() {
    let (object, said) = file("ml /nologo /c /Cp /Zi /W3 sum16.asm", "sum16.obj", "");
    assert!(object[0] == 0x80 && holds(&object, "\x03sum"), "{said}");
    assert_eq!(said, "p5inst: without effect here: /W3\n");
    let (object, _) = file("ml /c /coff /Foother.obj main32.asm", "other.obj", "");
    assert_eq!(object[..2], [0x4C, 0x01]);
    let (object, _) = file("jwasm -c -elf -Fomain.o main32.asm", "main.o", "");
    assert_eq!(object[..4], *b"\x7FELF");
    let (program, _) = file("ml /AT hello.asm", "hello.com", "");
    assert_eq!(program.len(), 18);
    let (program, _) = file("ml main16.asm sum16.asm scale16.asm", "main16.exe", "");
    assert_eq!(program[..2], *b"MZ");
}

#[test]
fn masm_and_tasm_write_capitals_unless_told_otherwise() {
    let (object, _) = file("tasm /m2 sum16", "sum16.obj", "");
    assert!(holds(&object, "\x03SUM") && holds(&object, "_TEXT"));
    let (object, said) = file("tasm /ml /zi /dDEPTH=2 sum16,named", "named.obj", "");
    assert!(holds(&object, "\x03sum"), "{said}");
    assert_eq!(said, "");
    let (object, _) = file("masm /mx sum16.asm,there.obj,list.lst;", "there.obj", "");
    assert!(holds(&object, "\x03sum"));
    let (listing, _) = file("masm /mx sum16.asm,there.obj,list.lst;", "list.lst", "");
    assert!(holds(&listing, "add ax,[si]"));
}

#[test]
fn the_environment_says_the_style_and_build_and_check_take_the_options() {
    let (object, _) = file("p5inst -ml sum16", "sum16.obj", "tasm");
    assert!(holds(&object, "\x03sum"));
    let (object, _) = file("p5inst /c /Foout.obj sum16.asm", "out.obj", "");
    assert_eq!(object[0], 0x80);
    let (object, said) = file("p5inst build /c /omf /Zm /Fmx /DN=3 main32.asm -o x.obj", "x.obj", "");
    assert!(
        object[0] == 0x80 && said.contains("without effect here: /Fmx"),
        "{said}"
    );
    let folder = folder();
    fs::write(
        folder.path().join("line.rsp"),
        "/c \"sum16.asm\"\n/Fo\"with blank.obj\"",
    )
    .expect("a file");
    let output = made(folder.path(), "ml @line.rsp", "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(folder.path().join("with blank.obj").is_file());
    let output = made(folder.path(), "p5inst check /Cp /DN=3 sum16.asm", "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn unknown_options_and_missing_files_are_said() {
    let folder = folder();
    // Each of these names the next one many times.
    for (name, next) in [("one", "two"), ("two", "three"), ("three", "four")] {
        let words = format!("@{next}.rsp ").repeat(500);
        fs::write(folder.path().join(format!("{name}.rsp")), words).expect("a file");
    }
    fs::write(folder.path().join("four.rsp"), "@four.rsp").expect("a file");
    fs::write(folder.path().join("five.rsp"), "x ".repeat(1 << 20)).expect("a file");
    for (line, expected) in [
        (
            "tasm @/dev/zero",
            "cannot read the arguments in `/dev/zero`: it is no regular file",
        ),
        ("tasm @four.rsp", "deeper than 8, at `@four.rsp`"),
        ("tasm @one.rsp", "deeper than 8, at `@four.rsp`"),
        ("tasm @five.rsp", "these files have more than 1048576 bytes in all"),
        ("ml /c /Yx sum16.asm", "unknown option `/Yx`"),
        ("ml /c sum16.asm /Fo", "`/Fo` needs a value after it"),
        ("tasm @missing.rsp", "cannot read the arguments in `missing.rsp`"),
        ("ml main32.asm sum32.asm", "an .exe of DOS starts in 16-bit code"),
    ] {
        let output = made(folder.path(), line, "");
        let said = text(&output.stderr);
        assert!(
            output.status.code() == Some(2) && said.contains(expected),
            "{line}: {said}"
        );
    }
    let output = made(folder.path(), "p5inst x.asm", "cobol");
    assert!(text(&output.stderr).contains("P5INST_STYLE is `cobol`"));
}

#[test]
fn cmake_assembles_with_it() {
    let folder = folder();
    if Command::new("cmake").arg("--version").output().is_err() {
        println!("nothing is assembled, as this machine has no cmake");
        return;
    }
    let lines = "cmake_minimum_required(VERSION 3.13)\nproject(sums LANGUAGES ASM_MASM)\n\
        add_library(sums OBJECT main32.asm sum32.asm)\ntarget_compile_definitions(sums PRIVATE DEPTH=2)\n";
    fs::write(folder.path().join("CMakeLists.txt"), lines).expect("a file");
    let compiler = format!("-DCMAKE_ASM_MASM_COMPILER={}", env!("CARGO_BIN_EXE_p5inst"));
    for arguments in [&["-B", "out", "-S", ".", &compiler][..], &["--build", "out"]] {
        let mut command = Command::new("cmake");
        let output = command
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .expect("cmake starts");
        let said = [text(&output.stdout), text(&output.stderr)].concat();
        assert!(output.status.success(), "{said}");
    }
    let objects = folder.path().join("out/CMakeFiles/sums.dir");
    let names: Vec<_> = fs::read_dir(&objects)
        .expect("objects")
        .map(|one| one.expect("one").file_name())
        .collect();
    let object = |name: &&std::ffi::OsString| name.to_string_lossy().starts_with("main32.asm.o");
    let object = names.iter().find(object).unwrap_or_else(|| panic!("{names:?}"));
    assert_eq!(fs::read(objects.join(object)).expect("an object")[..2], [0x4C, 0x01]);
}

#[test]
fn names_differ_by_case_where_the_line_says_so() {
    let folder = folder();
    let source = ".model small\n.code\npublic Go, go\nGo: nop\ngo: ret\nend\n";
    fs::write(folder.path().join("case.asm"), source).expect("a file");
    for (line, code) in [
        ("ml /c case.asm", 2),
        ("ml /c /Cp case.asm", 0),
        ("tasm /ml case", 0),
        ("tasm /mx case", 2),
    ] {
        let output = made(folder.path(), line, "");
        assert_eq!(output.status.code(), Some(code), "{line}: {}", text(&output.stderr));
    }
}
