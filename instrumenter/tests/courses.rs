//! Programs of courses, which call procedures that they do not define: those of Irvine32 and a few of Windows. The
//! folder `courses` has each program with what is typed and what it writes.

use crate::started;
use serde_json::Value;
use started::{finished, p5inst, text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/courses")
}

/// The report in JSON of a program, for which this is typed.
fn report(program: &str, typed: &str) -> Value {
    let typed = fs::File::open(folder().join(typed)).expect("what is typed is beside the program");
    let mut command = p5inst(&folder(), &[program, "--format", "json"]);
    let output = command.stdin(typed).stderr(Stdio::piped()).output().expect("it runs");
    assert!(output.status.success(), "{program}: {}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn programs_of_courses_write_what_they_write_on_windows() {
    let files = fs::read_dir(folder()).expect("the folder is beside the tests");
    let programs = files.filter_map(|file| {
        let name = file.expect("a file").file_name().into_string().ok()?;
        Some(name.strip_suffix(".asm")?.to_owned())
    });
    let programs: Vec<String> = programs.collect();
    assert!(programs.len() >= 4);
    for name in programs {
        let report = report(&format!("{name}.asm"), &format!("{name}.typed"));
        let expected = fs::read_to_string(folder().join(format!("{name}.expected"))).expect("the output is beside it");
        let written = report["output"].as_str().expect("text").replace('\r', "");
        assert_eq!(written.trim_end(), expected.trim_end(), "{name}");
        assert_eq!(
            (&report["stop"]["reason"], &report["stop"]["code"]),
            (&"exit".into(), &0.into())
        );
    }
}

/// What the text of a report says of a source, whose other modules are given, too.
fn told(sources: &[(&str, &str)], options: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, source) in sources {
        fs::write(folder.path().join(name), source).expect("a file is written");
    }
    let names = sources.iter().map(|one| one.0).filter(|name| name.ends_with(".asm"));
    let names: Vec<&str> = names.collect();
    let output = finished(folder.path(), &format!("{} {options}", names.join(" ")));
    let all = [output.stdout, output.stderr].concat();
    text(&all).split_whitespace().collect::<Vec<_>>().join(" ")
}

const COUNTS: &str = "include Irvine32.inc
.code
main proc
mov ecx,3
next: mov eax,ecx
call WriteDec
dec ecx
jnz next
call Crlf
exit
main endp
end main
";

#[test]
fn a_call_of_a_bundled_procedure_is_one_row() {
    let short = told(&[("a.asm", COUNTS)], "");
    for words in [
        "in WriteDec",
        "instructions of p5inst",
        "| 321",
        "the procedures of Irvine32 and Windows are p5inst's own: those take other clocks",
    ] {
        assert!(short.contains(words), "{words}:\n{short}");
    }
    for words in ["pushfd", "WriteChar", "code without lines"] {
        assert!(!short.contains(words), "{words}:\n{short}");
    }
    // What is linked without being bundled has its rows.
    assert!(told(&[("a.asm", COUNTS)], "--long").contains("WriteChar"));
}

#[test]
fn modules_share_the_bundled_procedures() {
    let main = "include Irvine32.inc\ntwice proto\n.code\nmain proc\nmov eax,21\ncall twice\ncall WriteDec\nexit\n\
                main endp\nend main\n";
    let other = "include Irvine32.inc\n.code\ntwice proc\nshl eax,1\ncall Crlf\nret\ntwice endp\nend\n";
    let both = told(&[("a.asm", main), ("b.asm", other)], "");
    assert!(
        both.contains("ended by exit with code 0") && both.contains("| 42"),
        "{both}"
    );
}

#[test]
fn what_is_not_bundled_is_said() {
    let missing = COUNTS.replace("WriteDec", "MsgBox");
    assert!(told(&[("a.asm", &missing)], "").contains("p5inst's Irvine32 lacks it: leave this out"));
    // The program's own file comes first, and macros of its own are not taken for those of the course.
    let own = told(&[("a.asm", COUNTS), ("Irvine32.inc", ".586\n.model flat\n")], "");
    assert!(own.contains("undefined symbol `WriteDec`"), "{own}");
    let macros = told(
        &[("a.asm", ".586\n.model flat\ninclude macros.inc\n.code\nret\nend\n")],
        "",
    );
    assert!(
        macros.contains("`macros.inc` is not in the directories of the program"),
        "{macros}"
    );
}
