//! Programs that print much: a report shows the beginning and the end of it, and JSON all.

use crate::started::printed;
use serde_json::Value;

/// A program that prints `text` this many times.
fn printing(text: &str, times: u32) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = format!(
        ".586\n.model flat\n.data\ntext db {text}\nlast = $-text\n.code\nstart: mov esi,{times}\nagain: mov eax,4\n\
         mov ebx,1\nmov ecx,offset text\nmov edx,last\nint 80h\ninc byte ptr text\ncmp byte ptr text,'z'\njbe @f\n\
         mov byte ptr text,'a'\n@@: dec esi\njnz again\nret\nend start\n"
    );
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    folder
}

#[test]
fn a_report_shows_the_ends_of_much_output_and_says_how_much_it_leaves_out() {
    let folder = printing("'a line',10", 500);
    let report = printed(folder.path(), "a.asm --runs 1");
    let json: Value = serde_json::from_str(&printed(folder.path(), "a.asm --runs 1 --format json")).expect("JSON");
    let all = json["output"].as_str().expect("output");
    assert_eq!(all.len(), 3500);
    let shown: Vec<&str> = report.lines().filter_map(|line| line.strip_prefix("  | ")).collect();
    let lines: Vec<&str> = all.lines().collect();
    assert_eq!(shown, [&lines[..12], &lines[492..]].concat(), "{report}");
    // A line has 7 bytes.
    let words = "... 3360 bytes are left out here; `--long` shows all";
    assert!(report.contains(words), "{report}");
    let long = printed(folder.path(), "a.asm --runs 1 --long");
    let shown = long.lines().filter(|line| line.starts_with("  | ")).count();
    assert_eq!(shown, 500, "{long}");
}

#[test]
fn a_report_says_which_format_has_all_of_very_much_output() {
    for (times, words) in [
        (10_000, "bytes are left out here; `--format json` has all"),
        (150_000, "bytes are left out here; `--format output -o FILE` has all"),
    ] {
        let folder = printing("'a line',10", times);
        let report = printed(folder.path(), "a.asm --runs 1");
        assert!(report.contains(words), "{report}");
    }
    let folder = printing("'a line',10", 150_000);
    let long = printed(folder.path(), "a.asm --runs 1 --long");
    assert!(long.contains("more bytes; `--format output -o FILE` has all"), "{long}");
    let json: Value = serde_json::from_str(&printed(folder.path(), "a.asm --runs 1 --format json")).expect("JSON");
    assert_eq!(json["output"].as_str().expect("output").len(), 1_048_576);
    let raw = printed(folder.path(), "a.asm --runs 1 --format output");
    assert_eq!(raw.len(), 7 * 150_000);
    assert!(
        raw.starts_with(json["output"].as_str().expect("output")),
        "it differs from the JSON report"
    );
}

#[test]
fn standard_error_is_apart_from_standard_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let linux = ".586\n.model flat\n.code\nstart:\n".to_owned()
        + &["out1", "err1", "err2", "out2"]
            .map(|text| {
                let descriptor = 1 + u32::from(text.starts_with("err"));
                format!("mov eax,4\nmov ebx,{descriptor}\nmov ecx,offset {text}\nmov edx,5\nint 80h\n")
            })
            .concat()
        + "ret\nout1 db 'out1',10\nout2 db 'out2',10\nerr1 db 'err1',10\nerr2 db 'err2',10\nend start\n";
    let dos = linux
        .replace("mov eax,4", "mov ah,40h")
        .replace("mov ecx", "mov edx")
        .replace("mov edx,5", "mov ecx,5");
    for source in [linux, dos.replace("int 80h", "int 21h")] {
        std::fs::write(folder.path().join("a.asm"), source).expect("a source is written");
        assert_eq!(printed(folder.path(), "a.asm --runs 1 --format output"), "out1\nout2\n");
        assert_eq!(printed(folder.path(), "a.asm --runs 1 --format errors"), "err1\nerr2\n");
        let json: Value = serde_json::from_str(&printed(folder.path(), "a.asm --format json")).expect("JSON");
        assert_eq!(json["output"], "out1\nerr1\nerr2\nout2\n");
        assert_eq!(json["standard_error"], serde_json::json!([[5, 15]]));
    }
}

#[test]
fn equal_lines_are_counted() {
    let folder = printing("'x',8,'same',10", 1);
    let source = std::fs::read_to_string(folder.path().join("a.asm")).expect("a source");
    let same = source
        .replace("'x',8,", "")
        .replace("inc byte ptr text\n", "")
        .replace("esi,1\n", "esi,900\n");
    std::fs::write(folder.path().join("a.asm"), same).expect("a file is written");
    let report = printed(folder.path(), "a.asm --runs 1");
    assert!(report.contains("  | same\n    (this line 900 times)\n"), "{report}");
}
