//! What `advise` says of fragments: what is assumed of them, and that no loop was executed.

use super::json;
use crate::started;
use started::printed;
use std::fs;

#[test]
fn what_is_assumed_of_a_fragment_is_told_and_that_its_lines_ran_once() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let lines = "mov eax,[esi]\nadd eax,[edi]\nmov [esi],eax\nadd esi,4\n";
    fs::write(folder.path().join("lines.asm"), lines).expect("a file is written");
    let told = printed(folder.path(), "advise lines.asm");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "assumed: esi, edi -> scratch memory of 64 bytes each; `--set REG=VALUE` changes it",
        "no loop was executed: each instruction ran once in a run",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let report = json(folder.path(), "advise --format json lines.asm");
    let run: serde_json::Value =
        serde_json::from_str(&printed(folder.path(), "lines.asm --format json")).expect("JSON");
    assert_eq!(report["fragment"], run["fragment"]);
    assert_eq!(report["once"], true);
}

#[test]
fn a_loop_is_not_said_to_run_once_and_a_program_has_no_assumptions() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = ".586\n.model flat\n.code\ns: mov ecx,9\nl: add eax,ecx\ndec ecx\njnz l\nret\nend s\n";
    fs::write(folder.path().join("loop.asm"), source).expect("a file is written");
    let told = printed(folder.path(), "advise loop.asm");
    assert!(!told.contains("assumed:") && !told.contains("no loop"), "{told}");
    let report = json(folder.path(), "advise --format json loop.asm");
    assert_eq!(report["once"], false);
    assert!(report["fragment"].is_null(), "{report:#}");
}
