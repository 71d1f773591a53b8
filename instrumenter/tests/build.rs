//! `p5inst build` as a user sees it, and programs of several modules. The bytes of each program in `build` are the
//! `.hex` file beside it; objects are linked by the linker of this machine.

use crate::started;
use started::{finished, printed, text};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/build")
}

/// The bytes of a file, 16 in a line.
fn dump(bytes: &[u8]) -> String {
    let mut dump = String::new();
    for line in bytes.chunks(16) {
        let line: Vec<String> = line.iter().map(|byte| format!("{byte:02X}")).collect();
        let _ = writeln!(dump, "{}", line.join(" "));
    }
    dump
}

/// Builds `sources` as the file `name`, which must have the bytes that the file beside the sources has.
#[track_caller]
fn builds(sources: &str, name: &str) {
    let out = tempfile::tempdir().expect("a temporary directory");
    let file = out.path().join(name);
    printed(&folder(), &format!("build {sources} -o {}", file.display()));
    let bytes = dump(&fs::read(&file).expect("the file is written"));
    let expected = folder().join(format!("{name}.hex"));
    if std::env::var_os("P5INST_UPDATE_BUILDS").is_some() {
        fs::write(&expected, &bytes).expect("the expectation is written");
    }
    let expected = fs::read_to_string(expected).expect("an expectation").replace('\r', "");
    assert_eq!(bytes, expected, "{name}");
}

#[test]
fn programs_of_dos_have_their_header_relocations_and_bytes() {
    builds("hello.asm", "hello.com");
    builds("main16.asm sum16.asm scale16.asm", "main16.exe");
    builds("hello.asm", "hello.bin");
    builds("resident.asm", "resident.com");
    builds("resident.asm", "resident.obj");
}

#[test]
fn objects_and_libraries_have_records_of_segments_names_and_fixups() {
    builds("main16.asm", "main16.obj");
    builds("sum16.asm", "sum16.obj");
    builds("main32.asm --format omf", "main32.obj");
    builds("sum16.asm scale16.asm", "sums.lib");
    builds("common16.asm", "common16.obj");
}

#[test]
fn flat_objects_have_sections_symbols_and_relocations() {
    builds("common32.asm", "common32.obj");
    builds("common32.asm", "common32.o");
    builds("main32.asm", "main32.o");
}

#[test]
fn objects_hold_bytes_of_offsets_and_name_libraries() {
    builds("bytes16.asm", "bytes16.obj");
    builds("bytes16.asm other16.asm", "bytes16.com");
    builds("words.asm --format omf", "words.obj");
    builds("lines32.asm", "lines32.obj");
}

#[test]
fn objects_say_which_line_an_instruction_comes_from() {
    builds("lines16.asm --lines", "lines16.obj");
    builds("lines32.asm --lines", "lines32.o");
    let folder_of_objects = tempfile::tempdir().expect("a temporary directory");
    let object = folder_of_objects.path().join("lines32.o");
    printed(&folder(), &format!("build lines32.asm --lines -o {}", object.display()));
    let object = object.display().to_string();
    let Some(code) = tool("objdump", &["-d", "-l", "--no-show-raw-insn", &object]) else {
        return;
    };
    // Both passes of the repeat are in the line that begins it.
    let lines = ["lines32.asm:9", "lines32.asm:10", "lines32.asm:13"];
    assert!(lines.iter().all(|line| code.contains(line)), "{code}");
    assert_eq!(code.matches("lines32.asm:").count(), lines.len(), "{code}");
}

#[test]
fn modules_share_common_data() {
    builds("common16.asm adder16.asm", "common16.exe");
    let alone = printed(&folder(), "common32.asm");
    assert!(alone.contains("_count = 42 (2Ah), was 0"), "{alone}");
    let report = printed(&folder(), "common16.asm adder16.asm");
    for changed in ["ebx 0000000Eh", "ecx 0000000Ah", "esi 00001234h"] {
        assert!(report.contains(changed), "{changed}\n{report}");
    }
}

#[test]
fn modules_run_as_one_program() {
    let report = printed(&folder(), "main16.asm sum16.asm scale16.asm");
    assert!(report.contains("result = 30 (1Eh), was 0"), "{report}");
    assert!(report.contains("edx 00000005h"), "{report}");
    let report = printed(&folder(), "main32.asm sum32.asm");
    assert!(
        report.contains("_result = 15 (Fh), was 0") && report.contains("eax 00000005h"),
        "{report}"
    );
}

/// The data of the measuring macros are reached through CS, wherever the modules' segments lie.
#[test]
fn regions_of_several_modules_in_real_mode_are_measured() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let main = "        .model small\n        .stack 200h\n        .386\n        .code\n        extrn twice:near\n\
                main:   mov cx,100\n        StartTSC\nagain:  call twice\n        dec cx\n        jnz again\n        \
                EndTSC\n        mov ax,4C00h\n        int 21h\n        end main\n";
    let twice = "        .model small\n        .386\n        .code\n        public twice\ntwice:  add ax,bx\n        \
                 ret\n        end\n";
    fs::write(path.join("main.asm"), main).expect("a file is written");
    fs::write(path.join("twice.asm"), twice).expect("a file is written");
    for modules in ["main.asm twice.asm", "twice.asm main.asm"] {
        let line = format!("--format json {modules}");
        let report: serde_json::Value = serde_json::from_str(&printed(path, &line)).expect("JSON");
        let warm = &report["regions"][0]["warm"];
        assert!(warm["true"]["median"].as_u64() > Some(500), "{modules}: {warm}");
        assert_eq!(warm["difference"], 0, "{modules}: {warm}");
        assert_eq!(warm["measured"]["median"], warm["true"]["median"], "{modules}");
    }
    // An object of DOS is not linked by a run.
    assert_eq!(finished(path, "build twice.asm -o twice.obj").status.code(), Some(0));
    let refused = finished(path, "main.asm twice.obj");
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("in OMF, which a run does not link: name its source"),
        "{}",
        text(&refused.stderr)
    );
}

/// Programs of DOS run like the source that they were built from.
#[test]
fn built_programs_of_dos_run() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let small = "        .model small\n        .stack 256\n        .data\nhello   db 'hello$'\n        .code\nstart:  mov ax,@data\n        \
                 mov ds,ax\n        mov dx,offset hello\n        mov ah,9\n        int 21h\n        mov ax,4C07h\n        \
                 int 21h\n        end start\n";
    let tiny = "        .model tiny\n        .code\n        org 100h\nstart:  mov si,80h\n        lodsb\n        \
                cbw\n        mov cx,ax\n        jcxz done\n        mov ah,40h\n        mov bx,1\n        \
                mov dx,81h\n        int 21h\ndone:   ret\n        end start\n";
    for (source, name, arguments, output, code) in [
        (small, "small.exe", "", "hello", 7),
        (tiny, "tiny.com", " one two", " one two", 0),
    ] {
        fs::write(path.join("a.asm"), source).expect("a file is written");
        let built = finished(path, &format!("build a.asm -o {name}"));
        assert_eq!(built.status.code(), Some(0), "{}", text(&built.stderr));
        let report = |line: &str| -> serde_json::Value { serde_json::from_str(&printed(path, line)).expect("JSON") };
        let (of_source, of_program) = (
            report("--format json -- a.asm"),
            report(&format!("--format json -- {name}{arguments}")),
        );
        assert_eq!(of_program["stop"]["code"], code, "{name}");
        assert_eq!(of_program["output"], output, "{name}");
        let clocks = |report: &serde_json::Value| report["own"]["totals"]["cycles"].clone();
        if arguments.is_empty() {
            assert_eq!(clocks(&of_program), clocks(&of_source), "{name}");
        }
        let swept = printed(path, &format!("sweep --memory l2,dram --format csv {name}"));
        assert_eq!(swept.lines().count(), 3, "{swept}");
    }
    // What is damaged or of another system says so.
    let mut bytes = fs::read(path.join("small.exe")).expect("a program");
    bytes.truncate(40);
    fs::write(path.join("cut.exe"), &bytes).expect("a file is written");
    let output = finished(path, "cut.exe");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("cannot run `cut.exe`: truncated or damaged"),
        "{}",
        text(&output.stderr)
    );
    bytes.resize(0x80, 0);
    bytes[0x18..0x1A].copy_from_slice(&[0x40, 0]);
    bytes[0x3C] = 0x60;
    bytes[0x60..0x62].copy_from_slice(b"PE");
    fs::write(path.join("other.exe"), &bytes).expect("a file is written");
    let output = finished(path, "other.exe");
    assert!(
        text(&output.stderr).contains("for Windows, OS/2 or a DOS extender"),
        "{}",
        text(&output.stderr)
    );
}

/// Runs a tool of this machine; `None` if there is none.
fn tool(name: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(name).args(arguments).output();
    let Ok(output) = output else {
        println!("nothing is compared, as this machine has no {name}");
        return None;
    };
    assert!(
        output.status.success(),
        "{name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The exit code is what a region of the built program counts: one read of data.
#[test]
fn built_programs_of_dos_count_in_each_model() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    for model in ["tiny", "small", "medium", "compact", "large", "huge"] {
        let stack = if model == "tiny" { "" } else { ".stack 100h\n" };
        let source = format!(
            ".model {model}\n.586\n{stack}.data\nx dw 1\n.code\n.startup\nStartProfile EV_DATA_READ, \
             EV_DATA_WRITE\nmov ax,x\nEndProfile\nmov al,byte ptr _prof0\nmov ah,4Ch\nint 21h\nend\n"
        );
        fs::write(path.join("a.asm"), source).expect("a file is written");
        printed(path, "build a.asm -o a.exe");
        for file in ["a.asm", "a.exe"] {
            let output = finished(path, &format!("--format json {file}"));
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            assert_eq!(report["stop"]["code"], 1, "{model}: {file}: {}", report["stop"]);
        }
    }
}

/// Padding of code is executed, so the bytes of another assembler take other clocks.
#[test]
fn padding_is_that_of_the_assembler_asked_for() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let wide = ".586\n.model flat\n.code\ns: inc eax\nalign 16\ninc ebx\njmp l\nalign 4\nl: ret\nend s\n";
    let narrow = ".model tiny\n.code\norg 100h\ns: inc ax\neven\ninc bx\ninc bx\ninc bx\nalign 4\nret\nend s\n";
    let bytes = |source: &str, options: &str, name: &str| {
        fs::write(path.join("a.asm"), source).expect("a file is written");
        printed(path, &format!("build a.asm {options} -o {name}"));
        let bytes = fs::read(path.join(name)).expect("the file is built");
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    for options in ["", "--encode tasm"] {
        let nops = "90".repeat(15);
        assert_eq!(
            bytes(wide, options, "a.bin"),
            format!("40{nops}43eb0190c3"),
            "{options}"
        );
        assert_eq!(
            bytes(narrow, options, "a.com"),
            "40904343439090 90c3".replace(' ', ""),
            "{options}"
        );
    }
    assert_eq!(
        bytes(wide, "--encode masm", "a.bin"),
        "40 8da42400000000 8da42400000000 90 43 eb01 90 c3".replace(' ', "")
    );
    assert_eq!(
        bytes(narrow, "--encode masm", "a.com"),
        "40 90 43 43 43 2e8bc0 c3".replace(' ', "")
    );
    // The style of ml is that of its forms, unless the line says otherwise.
    assert!(bytes(wide, "/Zm", "a.bin").contains("8da424"));
    assert!(!bytes(wide, "/Zm --encode tasm", "a.bin").contains("8da424"));
    let listed = |options: &str| printed(path, &format!("check a.asm {options} --listing -"));
    assert!(
        listed("--encode masm").contains("8D A4 24"),
        "{}",
        listed("--encode masm")
    );
    let instructions = |options: &str| {
        let report: serde_json::Value =
            serde_json::from_str(&printed(path, &format!("--format json {options} a.asm"))).expect("JSON");
        report["own"]["totals"]["instructions"].as_u64().expect("a number")
    };
    assert_eq!(instructions("--encode tasm") - instructions("--encode masm"), 12);
}

#[test]
fn objects_have_the_label_of_the_start_for_the_linker() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = ".386\n.model flat\n.code\nf: mov ebx,99\nret\nstart: call f\nret\nend start\n";
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    printed(folder.path(), "build a.asm -o a.o");
    let object = folder.path().join("a.o").display().to_string();
    if let Some(symbols) = tool("nm", &["--extern-only", &object]) {
        assert_eq!(symbols, "00000006 T start\n");
    }
}

#[test]
fn the_linker_of_linux_takes_the_objects() {
    let out = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| out.path().join(name).display().to_string();
    let (main, sum, linked) = (path("main.o"), path("sum.o"), path("linked"));
    printed(&folder(), &format!("build main32.asm -o {main}"));
    printed(&folder(), &format!("build sum32.asm -o {sum}"));
    let places = ["-Ttext", "0x10000", "-Tdata", "0x20000"];
    let arguments = [
        &["-m", "elf_i386", "-e", "start", "-o", &linked][..],
        &places,
        &[&main, &sum],
    ]
    .concat();
    if tool("ld", &arguments).is_none() {
        return;
    }
    let Some(code) = tool("objdump", &["-d", "-M", "intel", "--no-show-raw-insn", &linked]) else {
        return;
    };
    for instruction in [
        "mov    esi,0x20010",
        "call   10020 <_sum>",
        "mov    ds:0x20000,eax",
        "mov    eax,ds:0x20014",
    ] {
        assert!(code.contains(instruction), "{instruction}\n{code}");
    }
    let data = tool("objdump", &["-s", "-j", ".data", &linked]).expect("objdump");
    assert!(data.contains("20000 00000000 14000200"), "{data}");
}

#[test]
fn coff_objects_have_relocations_that_a_linker_of_windows_applies() {
    let out = tempfile::tempdir().expect("a temporary directory");
    let file = out.path().join("main.obj").display().to_string();
    printed(&folder(), &format!("build main32.asm -o {file}"));
    let Some(code) = tool("objdump", &["-dr", "-M", "intel", &file]) else {
        return;
    };
    for line in [
        "call   f <start+0xf>",
        "DISP32\t_sum",
        "mov    ds:0x0,eax",
        "dir32\t.data",
        "dir32\t_table",
    ] {
        assert!(code.contains(line), "{line}\n{code}");
    }
}

#[test]
fn what_cannot_be_written_is_said_with_its_place_and_leaves_the_old_file() {
    for name in ["undefined", "twice", "segments", "flat"] {
        let out = tempfile::tempdir().expect("a temporary directory");
        let lines = fs::read_to_string(folder().join(format!("{name}.err"))).expect("an expectation");
        let (line, expected) = lines.split_once('\n').expect("a command and what it says");
        let file = out.path().join(line.rsplit(' ').next().expect("a file"));
        fs::write(&file, "old").expect("a file is written");
        let line = line.replace(file.file_name().and_then(|name| name.to_str()).expect("text"), "");
        let output = finished(&folder(), &format!("{line}{}", file.display()));
        assert_eq!(output.status.code(), Some(2), "{name}");
        let said = text(&output.stderr);
        if std::env::var_os("P5INST_UPDATE_BUILDS").is_some() {
            let first = lines.split('\n').next().expect("a command");
            fs::write(folder().join(format!("{name}.err")), format!("{first}\n{said}")).expect("written");
            continue;
        }
        assert_eq!(said, expected, "{name}");
        assert_eq!(fs::read_to_string(&file).expect("the old file"), "old");
    }
}

#[test]
fn no_output_replaces_a_file_that_was_read() {
    let source = ".386\n.model flat\ninclude more.inc\n.code\nx: mov eax,four\nincbin data.bin\nend x\n";
    let files = [
        ("a.asm", source),
        ("b.asm", ".386\n.model flat\n.code\nnop\nend\n"),
        ("more.inc", "four = 4\n"),
        ("data.bin", "data"),
    ];
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file is written");
    }
    for line in [
        "build a.asm --format bin -o",
        "build b.asm a.asm --format lib -o",
        "build a.asm -o out.bin --listing",
        "check a.asm --listing",
        "a.asm --format csv -o",
        "sweep a.asm -D N=1..2 --format csv -o",
    ] {
        let named = if line.contains("b.asm") {
            &files[..]
        } else {
            &files[2..]
        };
        for (name, _) in named {
            let output = finished(folder.path(), &format!("{line} ./{name}"));
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{line} {name}: {errors}");
            assert!(
                errors.contains(&format!("`./{name}` is one of the sources")),
                "{line}: {errors}"
            );
        }
    }
    for (name, text) in files {
        assert_eq!(
            fs::read_to_string(folder.path().join(name)).expect("it is kept"),
            text,
            "{name}"
        );
    }
    assert!(!folder.path().join("out.bin").exists());
}
