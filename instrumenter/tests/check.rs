//! `p5inst check` as a user sees it. The listing of each file in `check` is the `.lst` file beside it.

use crate::started;
use started::{p5inst, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check")
}

fn checked(folder: &Path, arguments: &[&str]) -> Output {
    p5inst(folder, &[&["check"], arguments].concat())
        .output()
        .expect("the command starts")
}

fn with_files(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file is written");
    }
    folder
}

#[test]
fn a_listing_has_every_line_with_its_bytes_and_the_errors_fit_80_columns() {
    for name in ["module", "errors", "library", "segments"] {
        let output = checked(&folder(), &[&format!("{name}.asm"), "--listing", "-"]);
        let expected = fs::read_to_string(folder().join(name).with_extension("lst")).expect("an expectation");
        let listing = text(&output.stdout);
        assert_eq!(listing, expected, "{name}");
        assert!(listing.lines().all(|line| line.chars().count() <= 80), "{name}");
        let code = if name == "errors" { 2 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{name}: {}", text(&output.stderr));
    }
}

#[test]
fn all_lines_of_the_library_and_all_bytes_are_listed_on_demand() {
    let listed = |arguments: &[&str]| {
        let output = checked(&folder(), &[&["library.asm", "--listing", "-"], arguments].concat());
        text(&output.stdout).to_owned()
    };
    let (folded, expanded) = (listed(&[]), listed(&["--expand"]));
    assert!(
        folded.contains("01 .. 300 bytes") && !folded.contains("P5_Rehearse"),
        "{folded}"
    );
    assert!(
        expanded.contains("01 02 03 01 02 03") && expanded.contains("P5_Rehearse"),
        "{expanded}"
    );
    assert!(expanded.lines().count() > 100 && !expanded.contains("300 bytes"));
    let output = checked(&folder(), &["library.asm", "--expand"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn a_copy_of_the_library_is_one_error_that_says_so() {
    let library = include_str!("../../asm-macros/inc/p5.inc");
    let folder = with_files(&[
        ("p5.inc", library),
        ("one.asm", "include p5.inc\nStartTSC\nnop\nEndTSC\n"),
    ]);
    let output = checked(folder.path(), &["one.asm"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(
        errors.starts_with("error: this file is a copy of the bundled library"),
        "{errors}"
    );
    assert!(
        errors.contains("remove or rename the file") && errors.ends_with("one.asm: 1 error\n"),
        "{errors}"
    );
}

#[test]
fn a_file_without_instructions_is_fine_and_says_nothing() {
    let folder = with_files(&[
        ("data.asm", ".data\nx db 1\nend\n"),
        ("empty.asm", "; nothing\n"),
        ("start.asm", "extrn begin:near\nend begin\n"),
    ]);
    let output = checked(folder.path(), &["data.asm", "empty.asm", "start.asm"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
}

/// The sources in `check/parts.asm` are parts of others, or whole: each begins with what is said of it.
#[test]
fn a_source_that_is_a_part_of_another_one_is_refused_with_one_error() {
    let sources = fs::read_to_string(folder().join("parts.asm")).expect("a file");
    let mut parts = 0;
    for source in sources.split(";---\n") {
        let expected = source.lines().next().and_then(|line| line.strip_prefix("; expect: "));
        let expected = expected.expect("an expectation");
        let folder = with_files(&[("one.asm", source)]);
        let told = |arguments: &[&str]| {
            let output = p5inst(folder.path(), arguments).output().expect("the command starts");
            (output.status.code(), text(&output.stderr).to_owned())
        };
        let (code, errors) = told(&["check", "one.asm"]);
        let (built, refusal) = told(&["build", "one.asm", "-o", "one.obj"]);
        if expected == "nothing" {
            assert_eq!((code, built), (Some(0), Some(0)), "{source}{errors}{refusal}");
            assert_eq!(errors, "", "{source}");
            continue;
        }
        parts += 1;
        assert_eq!((code, built), (Some(2), Some(2)), "{source}{errors}{refusal}");
        assert!(errors.starts_with(&format!("error: {expected}")), "{source}{errors}");
        assert!(errors.ends_with("one.asm: 1 error\n"), "{source}{errors}");
        assert!(!folder.path().join("one.obj").exists(), "{source}");
    }
    assert!(parts > 12, "only {parts} parts");
}

#[test]
fn each_file_is_a_program_of_its_own_and_has_a_summary() {
    let folder = with_files(&[
        ("one.asm", "count dd 1\nmov eax,count\n"),
        ("two.asm", "mov ebx,count\nmov al,300\n"),
    ]);
    let output = checked(folder.path(), &["one.asm", "two.asm", "three.asm", "-D", "LEVEL=3"]);
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("undefined symbol `count`"), "{errors}");
    assert!(errors.contains("\ntwo.asm: 2 errors\n"), "{errors}");
    assert!(
        errors.ends_with("standard input\n") && errors.contains("no such file: `three.asm`"),
        "{errors}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn definitions_and_include_directories_apply_to_each_file() {
    let folder = with_files(&[("one.asm", "include more.inc\nmov eax,MORE+LEVEL\n")]);
    fs::create_dir(folder.path().join("inc")).expect("a new directory");
    fs::write(folder.path().join("inc/more.inc"), "MORE equ 2\n").expect("a file is written");
    let arguments = ["one.asm", "-I", "inc", "-D", "LEVEL=3", "--listing", "-"];
    let output = checked(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("B8 05 00 00 00"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn json_is_one_array_of_all_files_in_the_shape_of_the_schema() {
    let folder = with_files(&[("one.asm", "wrong macro\n mov al,\u{fc}nknown\nendm\nnop\n  wrong\n")]);
    let output = checked(folder.path(), &["one.asm", "none.asm", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_str(text(&output.stdout)).expect("JSON");
    let entries = json.as_array().expect("an array");
    let first = &entries[0];
    assert_eq!(
        (&first["file"], &first["line"], &first["severity"]),
        (&"one.asm".into(), &2.into(), &"error".into())
    );
    assert_eq!(
        (&first["trail"][0]["line"], &first["trail"][0]["column"]),
        (&5.into(), &3.into())
    );
    let last = entries.last().expect("the file that is missing");
    assert_eq!(
        (&last["file"], &last["line"]),
        (&"none.asm".into(), &serde_json::Value::Null)
    );
    let schema = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(["schema", "check"])
        .output()
        .expect("the command starts");
    let schema: serde_json::Value = serde_json::from_str(text(&schema.stdout)).expect("JSON");
    let properties = schema["$defs"]["Diagnostic"]["properties"].as_object().expect("fields");
    let fields = first.as_object().expect("an object");
    assert!(fields.keys().eq(properties.keys()), "{fields:?}");
    assert!(fields.values().any(serde_json::Value::is_array));
}

#[test]
fn a_listing_replaces_a_file_only_once_it_is_complete_and_never_a_source() {
    let folder = with_files(&[
        ("one.asm", "include two.inc\nnop\n"),
        ("two.inc", "nop\n"),
        ("one.lst", "old"),
    ]);
    let at = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
    let output = checked(folder.path(), &["one.asm", "--listing", "one.lst"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(at("one.lst").contains("00401000  90"), "{}", at("one.lst"));
    for (name, kept) in [("one.asm", at("one.asm")), ("two.inc", at("two.inc"))] {
        let output = checked(folder.path(), &["one.asm", "--listing", name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output.stderr).contains("is one of the sources"),
            "{}",
            text(&output.stderr)
        );
        assert_eq!(at(name), kept);
    }
    for (arguments, why) in [
        (
            &["one.asm", "--listing", "no/such/folder"][..],
            "cannot write `no/such/folder`: no such directory\n",
        ),
        (&["one.asm", "--listing", "."], "is a directory"),
        (
            &["one.asm", "--listing", "-", "--format", "json"],
            "both go to standard output",
        ),
        #[cfg(unix)]
        (
            &["one.asm", "--listing", "/dev/stdout", "--format", "json"],
            "both go to standard output",
        ),
    ] {
        let output = checked(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(why), "{}", text(&output.stderr));
    }
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 3, "a temporary file was left behind");
}

#[test]
fn the_addresses_of_a_listing_are_those_of_a_run() {
    let folder = with_files(&[("one.asm", "StartTSC\nadd eax,ebx\nEndTSC\n")]);
    let listed = checked(folder.path(), &["one.asm", "--listing", "-"]);
    let listed = text(&listed.stdout);
    let line = listed
        .lines()
        .find(|line| line.ends_with("add eax,ebx"))
        .expect("it is listed");
    let address = line.split_whitespace().nth(1).expect("an address");
    let run = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(["one.asm", "--format", "json"])
        .current_dir(folder.path())
        .output()
        .expect("the command starts");
    let run: serde_json::Value = serde_json::from_str(text(&run.stdout)).expect("JSON");
    let instructions = run["instructions"].as_array().expect("instructions");
    let address = u64::from_str_radix(address, 16).expect("a number");
    let found = instructions
        .iter()
        .find(|instruction| instruction["address"] == address);
    assert_eq!(found.map(|found| &found["line"]), Some(&2.into()), "{instructions:?}");
    assert!(listed.contains("; p5.inc") && !listed.contains("P5_CALIBRATION"));
}

#[test]
fn json_lists_the_first_diagnostics_of_a_file_and_says_how_many_more_there_are() {
    let many: String = (0..30).map(|at| format!("mov eax,u{at}\n")).collect();
    // Lines without a program have data of these names.
    let many = format!(".386\n.model flat\n.code\nstart: {many}end start\n");
    let folder = with_files(&[("many.asm", &many), ("one.asm", "wrong\n")]);
    let output = checked(folder.path(), &["many.asm", "one.asm", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(text(&output.stdout)).expect("JSON");
    let entries = json.as_array().expect("an array");
    let of_file = |name: &str| entries.iter().filter(|one| one["file"] == name).collect::<Vec<_>>();
    let [many, one] = ["many.asm", "one.asm"].map(of_file);
    assert_eq!((many.len(), one.len()), (20, 1), "{entries:?}");
    assert_eq!(many[19]["left_out"], 10);
    assert!(
        many[..19].iter().chain(&one).all(|one| one["left_out"] == 0),
        "{entries:?}"
    );
    let shown = checked(folder.path(), &["many.asm"]);
    let shown = text(&shown.stderr);
    assert!(shown.contains("and 10 errors more in many.asm"), "{shown}");
}

#[test]
fn directives_without_effect_are_listed_on_demand() {
    let text_of = "        title   A program\n        .386\n        .model  flat\n        option  oldstructs\n        \
                   option  oldstructs, casemap:none\n        .code\nstart:  ret\n        end     start\n";
    let folder = with_files(&[("a.asm", text_of)]);
    let output = checked(folder.path(), &["a.asm", "-v"]);
    let expected = "a.asm:1: `title` has no effect\na.asm:4: `option oldstructs` has no effect, nor at 1 more place\n";
    assert_eq!(text(&output.stderr), expected);
    assert_eq!(text(&checked(folder.path(), &["a.asm"]).stderr), "");
}

#[test]
fn includes_lead_through_the_folders_of_a_project() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| folder.path().join(name);
    for (name, text) in [
        (
            "src/main.asm",
            "include ..\\inc\\all.inc\ninclude parts\\first\ncode segment\nassume cs:code\n\
             start: mov ax,one\nmov bx,two\nmov cx,three\ncode ends\nend start\n",
        ),
        ("Inc/ALL.INC", "include sizes.inc\r\none equ 1\r\n\x1A\0\0"),
        ("Inc/sizes.inc", "two equ 2\n"),
        ("src/parts/first.asm", "include second.inc\n"),
        ("src/parts/second.inc", "include third.inc\n"),
        ("src/parts/third.inc", "three equ 3\n"),
    ] {
        let path = at(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder is made");
        fs::write(path, text).expect("a file is written");
    }
    // From the folder of the project, and from that of the program.
    for (place, arguments) in [
        ("", vec!["src/main.asm", "-I", "Inc"]),
        ("src", vec!["main.asm", "-I", "../Inc"]),
    ] {
        let output = checked(&at(place), &[&arguments[..], &["--listing", "-"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let listing = text(&output.stdout).to_owned();
        for bytes in ["B8 01 00", "BB 02 00", "B9 03 00"] {
            assert!(listing.contains(bytes), "{bytes}: {listing}");
        }
    }
    let output = checked(&at("src"), &["main.asm"]);
    let told = text(&output.stderr).to_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.contains("`..\\inc\\all.inc`: the path leads outside") && told.contains("with -I"),
        "{told}"
    );
}

#[test]
fn of_a_statement_that_is_continued_too_long_only_its_beginning_is_reported() {
    let continued = |line: &str, rest: &str| format!("{line}{}", format!("\\\n{rest}").repeat(30_000));
    for statement in [
        continued("x db 1,", " 1, "),
        continued("mov eax,1 + ", " 1 + "),
        continued("x record { a:1, ", " a:1, ") + "\\\na:1 }\ny db",
        format!("x db 1,\\\n{}", "1,".repeat(40_000)),
    ] {
        let source = format!(".386\n.model flat\n.code\n{statement} 1\nnop\nnop eax,ebx,ecx,edx\nend\n");
        let folder = with_files(&[("long.asm", &source)]);
        let output = checked(folder.path(), &["long.asm"]);
        let errors = text(&output.stderr);
        let first = statement.lines().next().expect("a line");
        let expected = format!(
            "error: statement longer than 64 KiB with the lines that continue it\n --> long.asm:4:1\n  |\n\
             4 | {first}\n  | ^\n  |\n"
        );
        assert!(errors.contains(&expected), "{errors}");
        assert!(
            errors.contains("2 errors") && errors.contains("nop eax,ebx,ecx,edx"),
            "{errors}"
        );
    }
}
