//! What the report of a run says of code that a macro made, of output that is no text, and of doubt about a video card.

use crate::started;
use started::printed;
use std::fs;

fn folder(name: &str, source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join(name), source).expect("a file is written");
    folder
}

/// A region that a macro makes, so that it begins and ends in one line.
const COUNT: &str = "        .586
        .model flat
        .data
values  db 200,3,250,1
large   dd 0
        .code
count   macro from, mask
        local again, no
        xor esi,esi
        StartTSC counted
again:  cmp from[esi],128       ; the label is known in this expansion only
        jb no
        lea eax,[eax+esi+mask]
no:     inc esi
        cmp esi,4
        jb short again
        EndTSC
        endm
start:  count values, 0D76AA478h
        ret
        end start
";

#[test]
fn jumps_of_a_macro_go_to_the_labels_of_its_body() {
    let folder = folder("count.asm", COUNT);
    let report = printed(folder.path(), "count.asm");
    assert!(report.contains("\ncounted, line 19: "), "{report}");
    assert!(report.contains("jb no ") && report.contains("jb again"), "{report}");
    assert!(
        report.contains("0D76AA478h]") && !report.contains("-28955B88h"),
        "{report}"
    );
    let page = printed(folder.path(), "count.asm --format html");
    assert!(
        page.contains("jb no") && !page.contains("lines 19-19"),
        "the page agrees"
    );
}
