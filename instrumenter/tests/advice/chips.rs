//! The chip of advice for a program that needs a later one.

use super::finished;
use crate::started::text;
use std::fs;

#[test]
fn a_program_of_mmx_is_examined_on_the_chip_that_has_it() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = ".586\n.model flat\n.data\nn dd 5\n.code\nstart: mov ecx,10\nl: paddw mm0,mm1\nmov eax,n\nadd eax,1\n\
                  dec ecx\njnz l\nemms\nret\nend start\n";
    fs::write(folder.path().join("m.asm"), source).expect("a file is written");
    let told = |line: &str| {
        let output = finished(folder.path(), line);
        text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let note = "this chip was taken because `p54c`, the usual one, has no PADDW; `--cpu` chooses one";
    let report = told("advise m.asm");
    for words in ["m.asm on Pentium MMX (P55C)", note, "suggestion"] {
        assert!(report.contains(words), "{words}: {report}");
    }
    assert!(!report.contains("no advice"), "{report}");
    let json: serde_json::Value = serde_json::from_str(&told("advise m.asm --format json")).expect("JSON");
    assert_eq!(json["later_chip"], note);
    let report = told("advise m.asm --cpu p55c");
    assert!(!report.contains("was taken because"), "{report}");
    let report = told("advise m.asm --cpu p54c");
    assert!(report.contains("no advice"), "{report}");
}
