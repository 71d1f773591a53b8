//! The command with objects and with Linux programs.

use super::path;
use std::process::{Command, Output, Stdio};

fn finished(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS");
    command.output().expect("the command starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_listing_shows_c_lines_or_else_instructions() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let driver = directory.path().join("driver.asm");
    std::fs::write(
        &driver,
        "extern weigh:proc\n mov eax,esp\n push eax\n call weigh\n pop eax\n",
    )
    .expect("a file");
    let (driver, object) = (driver.display().to_string(), path("routine.o").display().to_string());
    let beside = path("").display().to_string();
    let output = finished(&["--all", &driver, &object, "-I", &beside]);
    let report = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for shown in ["routine.c", "total += sum;", "calls++;"] {
        assert!(report.contains(shown), "{shown} is missing:\n{report}");
    }
    // Without the C source, its line numbers are known, but not its text.
    let output = finished(&["--all", &driver, &object]);
    let report = text(&output.stdout);
    for shown in ["routine.c", "inc dword ptr [calls]", "add [total],eax"] {
        assert!(report.contains(shown), "{shown} is missing:\n{report}");
    }
    assert!(!report.contains("total += sum;"), "{report}");
    let advice = finished(&["advise", &driver, &object]);
    let advice = text(&advice.stdout).replace("\n  ", " ");
    assert!(advice.contains(", in routine.c, of a linked object"), "{advice}");
}

#[test]
fn a_program_is_recognised_by_its_content_and_gets_its_arguments() {
    let output = finished(&[&path("print.elf").display().to_string(), "one", "two"]);
    let report = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    for shown in [
        "CPL 3",
        "exit with code 42",
        "| one",
        "| two",
        "int 80h call 999 is not supported",
    ] {
        assert!(report.contains(shown), "{shown} is missing:\n{report}");
    }
}

#[test]
fn what_is_named_in_the_wrong_place_is_refused_in_one_line() {
    let file = |name: &str| path(name).display().to_string();
    let (object, elf, source) = (file("routine.o"), file("print.elf"), file("routine.c"));
    for (arguments, why) in [
        (vec![&*object], "name the assembly source that uses it first"),
        (vec!["-", &*source], "only one program"),
        (vec!["host", "run", &*elf], "takes assembly source"),
    ] {
        let output = finished(&arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            error.starts_with("p5inst: ") && error.contains(why),
            "{arguments:?}: {error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn an_object_that_begins_by_itself_is_linked_without_a_c_library() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let (source, object) = (folder.path().join("a.asm"), folder.path().join("a.o"));
    let [source_name, object_name] = [&source, &object].map(|path| path.display().to_string());
    for (entry, begins) in [("_start", true), ("sum", false)] {
        let lines = format!(".386\n.model flat\npublic {entry}\n.code\n{entry}: mov eax,1\nint 80h\nend\n");
        std::fs::write(&source, lines).expect("a file is written");
        let built = finished(&["build", &source_name, "--format", "elf", "-o", &object_name]);
        assert!(built.status.success(), "{}", text(&built.stderr));
        let output = finished(&[&object_name]);
        let error = text(&output.stderr);
        let linked = format!("`ld -m elf_i386 -o PROGRAM {object_name}` links it, then `p5inst PROGRAM`");
        assert_eq!(error.contains(&linked), begins, "{entry}: {error}");
        assert_eq!(error.contains("MAIN.c"), !begins, "{entry}: {error}");
    }
}

#[test]
fn variables_of_a_program_have_the_types_of_its_source() {
    let output = finished(&["--all", &path("types.elf").display().to_string()]);
    let report = text(&output.stdout);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let (_, changed) = report.split_once("\nChanged\n").expect("what the program changed");
    let changed = changed.split("\n\n").next().expect("a paragraph");
    let told: Vec<&str> = changed.lines().map(str::trim).skip(2).collect();
    let expected = [
        // What changed first is a bit field.
        "points: 2 elements of 2 changed; points[0] changed",
        "paint = GREEN (5), was RED (0)",
        "offsets: 1 element of 4 changed; offsets[3] = -5 (FFFBh), was -4; now 1, 2, 3,",
        "-5",
        "precise = about 0.1, was 0.0",
        "grid: 1 row of 3 changed; grid[1][2] = -6 (FFFFFFFAh), was 0",
        "ratios: 1 element of 8 changed; ratios[3] = 1.5, was 0.0; now 0.0, 0.0, 0.0,",
        "1.5, 0.0, 0.0, 0.0, 0.0",
        "bytes: 1 element of 4 changed; bytes[2] = 200 (C8h), was 0; now 0, 0, 200, 0",
        "current = &points[1] (080491A0h), was 00000000h",
        "factor = -2.5, was 1.25",
        "balance = -1 (FFFFFFFFFFFFFFFFh), was 0",
    ];
    assert_eq!(told, expected, "{report}");
}
