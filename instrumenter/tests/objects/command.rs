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
