//! Code that a program overwrites while it runs: a report shows its source text, and says so.

use crate::started;
use serde_json::Value;
use started::printed;

/// Changes the constant of line 6 before it is executed, and that of line 10 after each round. Line 13 gets the byte
/// that it has.
const PROGRAM: &str = "        .586\n        .model flat\n        .code\n\
start:  mov byte ptr [before+1],5\n        mov byte ptr [same],90h\n\
before: mov eax,1\n\
        mov ecx,3\n\
again:  add byte ptr [each+2],1\n        nop\n\
each:   add edx,1\n        dec ecx\n        jnz again\n\
same:   nop\n        ret\n        end start\n";
const CHANGED: &str = "code changed by the program";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("changes.asm"), PROGRAM).expect("a file is written");
    folder
}

/// The numbers of the lines of a JSON report that are marked.
fn marked(report: &Value, list: &str) -> Vec<u64> {
    let all = report[list].as_array().expect("a list").iter();
    let changed = all.filter(|one| one["changed"] == true);
    let mut lines: Vec<u64> = changed.filter_map(|one| one["line"].as_u64()).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_row_says_that_the_program_changed_its_code() {
    let folder = folder();
    let path = folder.path();
    // In the diagram and in the listing, a row for each of the two.
    for (more, rows) in [
        ("", ["before: mov eax,1", "mov eax,1"]),
        ("--long", ["mov eax,1", "add edx,1"]),
    ] {
        let text = printed(path, &format!("changes.asm {more}"));
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(rows.iter().any(|row| text.contains(row)), "{text}");
        assert!(words.matches("changed").count() >= 2, "{more}: {text}");
    }
    let wide = started::p5inst(path, &["changes.asm", "--long"])
        .env("COLUMNS", "400")
        .output();
    let wide = wide.expect("the command starts");
    let wide = started::text(&wide.stdout);
    let rows: Vec<&str> = wide
        .lines()
        .filter(|line| line.contains(&format!("{CHANGED};")))
        .collect();
    let of = |words: &str| rows.iter().filter(|row| row.contains(words)).count();
    assert!(of("mov eax,1") > 0 && of("add edx,1") > 0, "{wide}");
    assert!(of("nop") == 0 && of("ret") == 0, "{wide}");
    let json: Value = serde_json::from_str(&printed(path, "changes.asm --format json")).expect("JSON");
    assert_eq!(marked(&json, "lines"), [6, 10]);
    assert_eq!(marked(&json, "instructions"), [6, 10]);
    let page = printed(path, "changes.asm --format html");
    assert!(
        page.matches(CHANGED).count() >= 4,
        "the listing and the clocks have two rows each"
    );
}

#[test]
fn code_that_keeps_its_bytes_or_has_no_text_is_not_changed() {
    let folder = folder();
    let path = folder.path();
    let program = PROGRAM
        .replace("[before+1],5", "[before+1],1")
        .replace("[each+2],1", "[each+2],0");
    std::fs::write(path.join("keeps.asm"), program).expect("a file is written");
    // It writes a RET into memory without initial bytes, and calls it.
    let made = ".586\n.model flat\n.code\nstart:\nmov edi,offset room\nmov byte ptr [edi],0C3h\ncall edi\nret\n.data?\n\
                room db 16 dup(?)\nend start\n";
    std::fs::write(path.join("makes.asm"), made).expect("a file is written");
    for file in ["keeps.asm", "makes.asm"] {
        let json: Value = serde_json::from_str(&printed(path, &format!("{file} --format json"))).expect("JSON");
        assert_eq!(marked(&json, "lines"), [0; 0], "{file}");
        assert!(!printed(path, file).contains(CHANGED), "{file}");
    }
}
