//! The files of `--format NAME -o FILE`: their contents, and the old files after an error.

use crate::started;
use started::{finished, p5inst, text};
use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "        .code\nstart:  mov ecx,9\n        StartTSC loop\nnext:   dec ecx\n        jnz next\n        \
                       EndTSC\n        ret\n        end start\n";
/// This program never ends.
const ENDLESS: &str = "        .code\nstart:  nop\n        jmp start\n        end start\n";

/// A folder with the program and an old report.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in [("a.asm", PROGRAM), ("endless.asm", ENDLESS), ("old", "old")] {
        fs::write(folder.path().join(name), text).expect("a file is written");
    }
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn each_file_has_what_standard_output_would_have() {
    let folder = folder();
    let path = folder.path();
    let formats = [
        "text",
        "json",
        "timeline",
        "html",
        "callgrind",
        "kanata",
        "perfetto",
        "collapsed",
        "firefox",
        "csv",
        "junit",
        "sarif",
    ];
    let all: Vec<String> = formats
        .iter()
        .map(|name| format!("--format {name} -o {name}.out"))
        .collect();
    let output = finished(path, &format!("a.asm {}", all.join(" ")));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    for name in formats {
        let output = finished(path, &format!("a.asm --format {name}"));
        let written = fs::read(path.join(format!("{name}.out"))).expect("a report");
        assert!(!written.is_empty() && text(&written) == text(&output.stdout), "{name}");
    }
    let output = finished(path, "a.asm --format csv -o old --timeline");
    assert!(text(&output.stdout).contains("\n  U "), "{}", text(&output.stdout));
    assert!(
        fs::read_to_string(path.join("old"))
            .expect("a report")
            .starts_with("file,line,")
    );
    assert_eq!(names(path).len(), 3 + formats.len(), "{:?}", names(path));
}

#[test]
fn a_stopped_program_has_reports_too() {
    let folder = folder();
    let output = finished(folder.path(), "endless.asm --limit 1000 --format json -o old");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report = fs::read(folder.path().join("old")).expect("a report");
    let json: serde_json::Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(json["stop"]["reason"], "limit");
}

#[test]
fn what_cannot_be_written_is_said_before_the_program_runs_and_nothing_is_replaced() {
    let folder = folder();
    let path = folder.path();
    for (line, why) in [
        ("-o no/such/file", "cannot write `no/such/file`: no such directory"),
        ("-o .", "it is a directory"),
        (
            "-o ./endless.asm",
            "`./endless.asm` is one of the sources; name another file",
        ),
        ("--format csv -o old --format json -o no/such/file", "no such directory"),
        (
            "--format csv -o old --format json -o ./old",
            "two reports go to `./old`",
        ),
        #[cfg(unix)]
        ("-o /dev/full", "it is not a regular file"),
        #[cfg(unix)]
        (
            "--format csv --format json -o /dev/stdout",
            "two reports go to standard output",
        ),
    ] {
        // Without a time limit, the program would not end.
        let output = finished(path, &format!("endless.asm --timeout 0 --limit 1000000000000 {line}"));
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {errors}");
        assert!(
            errors.starts_with("p5inst: ") && errors.contains(why) && errors.lines().count() == 1,
            "{line}: {errors}"
        );
        assert!(output.stdout.is_empty(), "{line}");
        assert_eq!(fs::read_to_string(path.join("old")).expect("a file"), "old", "{line}");
        assert_eq!(names(path), ["a.asm", "endless.asm", "old"], "{line}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_refused_as_it_is_for_a_listing() {
    let folder = folder();
    std::os::unix::fs::symlink("old", folder.path().join("link")).expect("a link");
    let output = finished(folder.path(), "a.asm -o link");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("it is a link to"),
        "{}",
        text(&output.stderr)
    );
    assert_eq!(fs::read_to_string(folder.path().join("old")).expect("a file"), "old");
}

/// A full file system fails at the same place as the limit on the size of files.
#[cfg(unix)]
#[test]
fn on_a_full_disk_the_old_files_stay() {
    let folder = folder();
    let path = folder.path();
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\" a.asm --format csv -o new --format json -o old";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_p5inst")])
        .current_dir(path)
        .output()
        .expect("a shell");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.starts_with("p5inst: cannot write `"), "{errors}");
    assert_eq!(fs::read_to_string(path.join("old")).expect("a file"), "old");
    assert_eq!(names(path), ["a.asm", "endless.asm", "old"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_an_error() {
    let folder = folder();
    let full = fs::File::options().write(true).open("/dev/full").expect("a device");
    let mut command = p5inst(folder.path(), &["a.asm", "--format", "callgrind"]);
    let output = command.stdout(full).output().expect("the command starts");
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.starts_with("p5inst: cannot write the report: "), "{errors}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_the_old_file_and_nothing_else() {
    let folder = folder();
    let path = folder.path();
    let line = "endless.asm --timeout 60 --limit 1000000000000 --format json -o old";
    let arguments: Vec<&str> = line.split(' ').collect();
    let mut child = p5inst(path, &arguments).spawn().expect("the command starts");
    std::thread::sleep(std::time::Duration::from_millis(300));
    // The parent of the test may ignore the signal of Ctrl+C.
    let interrupt = Command::new("sh")
        .args(["-c", "kill -TERM \"$0\"", &child.id().to_string()])
        .status()
        .expect("a shell");
    assert!(interrupt.success(), "the run had ended by itself");
    let status = child.wait().expect("the command ends");
    assert_eq!(status.code(), None, "it ends by the signal");
    assert_eq!(fs::read_to_string(path.join("old")).expect("a file"), "old");
    assert_eq!(names(path), ["a.asm", "endless.asm", "old"]);
}

#[test]
#[cfg(unix)]
fn a_file_that_is_replaced_keeps_its_mode_and_its_owner() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    let folder = folder();
    let path = folder.path();
    let [report, link] = ["a.json", "link.json"].map(|name| path.join(name));
    fs::write(&report, "old").expect("a file is written");
    fs::hard_link(&report, &link).expect("a hard link");
    fs::set_permissions(&report, fs::Permissions::from_mode(0o640)).expect("permissions");
    // Only root may change the owner of a file.
    let given = chown(&report, Some(12_345), Some(54_321)).is_ok();
    let before = fs::metadata(&report).expect("a file");
    let output = finished(path, "a.asm --format json -o a.json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let after = fs::metadata(&report).expect("a file");
    assert_eq!(after.mode(), before.mode());
    assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
    assert!(!given || after.uid() == 12_345);
    assert_ne!(after.ino(), before.ino(), "it is another file");
    assert_eq!(fs::read_to_string(&link).expect("the other name"), "old");
}

#[test]
fn a_profile_of_a_stopped_run_says_so_once() {
    let folder = folder();
    fs::write(folder.path().join("f.asm"), "xor edx,edx\ndiv edx\n").expect("a file is written");
    let profile = finished(folder.path(), "f.asm --format callgrind");
    let line = text(&profile.stdout)
        .lines()
        .find(|line| line.starts_with("desc: Stopped: "));
    let line = line.unwrap_or_else(|| panic!("{}", text(&profile.stdout)));
    assert!(
        line.starts_with("desc: Stopped: by fault ") && line.matches("topped").count() == 1,
        "{line}"
    );
    let profile = finished(folder.path(), "endless.asm --limit 1000 --format callgrind");
    assert!(
        text(&profile.stdout).contains("\ndesc: Stopped: at the clock limit, "),
        "{}",
        text(&profile.stdout)
    );
}

#[test]
fn a_source_with_errors_is_a_failed_test_case() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("wrong.asm"), "l: dec ecx\n jnz lp\n mov al,300\n").expect("a file is written");
    for (source, message) in [
        ("wrong.asm", "undefined symbol `lp` (wrong.asm:2)"),
        ("budget.asm", "budget.asm:1"),
    ] {
        fs::write(path.join("budget.asm"), "l: dec ecx ; p5: cycles <= many\n").expect("a file is written");
        let output = finished(path, &format!("{source} --format junit -o old --format sarif"));
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let junit = fs::read_to_string(path.join("old")).expect("a report");

        assert!(junit.contains("tests=\"1\" failures=\"0\" errors=\"1\""), "{junit}");
        assert!(
            junit.contains("<error type=\"assembly\" message=\"") && junit.contains(message),
            "{junit}"
        );
        let sarif: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let results = sarif["runs"][0]["results"].as_array().expect("results");
        assert_eq!(results[0]["ruleId"], "assembly");
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], source);
        assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    }
}

#[test]
fn the_json_of_a_source_with_errors_has_the_errors() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("wrong.asm"), "l: dec ecx\n jnz lp\n mov al,300\n").expect("a file is written");
    let output = finished(path, "wrong.asm --format json");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("undefined symbol `lp`"),
        "{}",
        text(&output.stderr)
    );
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let errors = json["errors"].as_array().expect("errors");
    assert_eq!(
        (&json["schema_version"], &json["program"], errors.len()),
        (&1.into(), &"wrong.asm".into(), 2)
    );
    let undefined = (errors.iter())
        .find(|error| error["message"] == "undefined symbol `lp`")
        .expect("it is an error");
    assert_eq!(
        (&undefined["file"], &undefined["line"], &undefined["column"]),
        (&"wrong.asm".into(), &2.into(), &6.into())
    );
    // A file of a run before is no report of this source.
    let output = finished(path, "wrong.asm --format json -o old");
    assert_eq!(output.status.code(), Some(2));
    let old: serde_json::Value = serde_json::from_slice(&fs::read(path.join("old")).expect("a report")).expect("JSON");
    assert_eq!(old, json);
}

#[test]
fn why_a_run_stopped_is_said_where_all_reports_are_files() {
    let folder = folder();
    let output = finished(folder.path(), "endless.asm --limit 1000 --format json -o old");
    let told = text(&output.stderr);
    assert!(told.starts_with("p5inst: stopped at the clock limit"), "{told}");
    let output = finished(folder.path(), "endless.asm --limit 1000 --format json");
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_without_an_output_is_an_error() {
    let folder = folder();
    let run = |line: &str| {
        let shell = format!("exec {} {line}", env!("CARGO_BIN_EXE_p5inst"));
        let mut command = Command::new("sh");
        let command = command.args(["-c", &shell]).current_dir(folder.path());
        command.output().expect("a shell starts")
    };
    for line in [
        "endless.asm --limit 1000",
        "endless.asm --limit 1000 --format json",
        "check endless.asm --format json",
        "explain pairing",
        "events",
        "--help",
        "--version",
        "-h",
    ] {
        let output = run(&format!("{line} >&- 2>told"));
        let told = fs::read_to_string(folder.path().join("told")).expect("a message");
        assert_eq!(output.status.code(), Some(2), "{line}: {told}");
        assert!(told.contains("standard output is closed"), "{line}: {told}");
    }
    // What goes elsewhere needs none, and nothing else has to be open.
    let output = run("endless.asm --limit 1000 --format json -o file.json <&- >&- 2>&-");
    assert_eq!(output.status.code(), Some(1));
    let output = run("endless.asm --limit 1000 <&- 2>&-");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("clocks"));
}

#[test]
fn a_page_of_an_earlier_run_is_told_if_a_source_has_errors() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    fs::write(path.join("a.asm"), "        mov eax\n").expect("a file is written");
    let output = finished(path, "a.asm --format html -o a.html");
    assert_eq!(output.status.code(), Some(2));
    assert!(!path.join("a.html").exists(), "nothing is written");
    fs::write(path.join("a.html"), "older").expect("a file is written");
    let output = finished(path, "a.asm --format html -o a.html");
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(
        told.contains("`a.html` is not written") && told.contains("an earlier run"),
        "{told}"
    );
    assert!(output.stdout.is_empty());
    assert_eq!(fs::read_to_string(path.join("a.html")).expect("a file"), "older");
}
