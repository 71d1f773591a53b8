//! Lines that stores miss: they are read first where that saves clocks, or the report says why not.

use super::json;
use crate::started;
use started::printed;
use std::fs;
use tempfile::TempDir;

/// A loop of 64 rounds with `body`, which ends with the store, over 2 KiB that no cache has; then `behind`.
fn program(body: &str, behind: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = format!(
        ".586\n.model flat\n.data\nwritten dd 512 dup (0)\n.code\nstart: mov edi,offset written\nmov ecx,64\n\
         StartTSC stores\nagain: {body}\nadd edi,4\ndec ecx\njnz again\nEndTSC\n{behind}\nret\nend start\n"
    );
    fs::write(folder.path().join("stores.asm"), source).expect("a file is written");
    folder
}

/// What overwrites registers and flags.
const ALL_DEAD: &str = "xor eax,eax\nxor ebx,ebx\nxor edx,edx\nxor esi,esi\nxor ebp,ebp";

fn one_line(folder: &TempDir) -> String {
    let report = printed(folder.path(), "advise stores.asm");
    report.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_line_is_read_before_a_store_that_waits_for_it() {
    let folder = program("mov [edi],ecx", ALL_DEAD);
    let report = json(folder.path(), "advise --format json stores.asm");
    let suggestion = &report["suggestions"][0];
    let replaced = suggestion["replaced"].to_string();
    assert!(replaced.contains("mov eax,[edi] / mov [edi],ecx"), "{report:#}");
    let [before, after] = ["clocks_before", "clocks_after"].map(|name| report[name].as_u64().expect("clocks"));
    assert!(after * 3 < before * 2, "{after} of {before}");
    assert_eq!(report["unread"].as_array().map(Vec::len), Some(0), "{report:#}");
    let diff = suggestion["diff"].as_str().expect("a difference");
    assert!(diff.contains("; brings the line into the cache"), "{diff}");
}

#[test]
fn a_read_may_compare_if_only_flags_are_dead() {
    let folder = program("mov [edi],ecx", "");
    let report = one_line(&folder);
    assert!(report.contains("becomes `cmp [edi],ecx / mov [edi],ecx`"), "{report}");
}

#[test]
fn a_line_is_read_before_a_store_of_the_floating_point_unit_as_well() {
    for store in ["fst dword ptr [edi]", "fist dword ptr [edi]"] {
        let folder = program(store, ALL_DEAD);
        let report = one_line(&folder);
        let words = format!("becomes `mov eax,[edi] / {store}`");
        assert!(report.contains(&words), "{report}");
    }
}

#[test]
fn the_report_says_why_a_line_is_not_read() {
    for (body, behind, why) in [
        (
            "push eax\nsetc byte ptr [edi]\npop eax",
            ALL_DEAD,
            "is tried for `mov`, `fst` and `fist` to memory, and none of these writes here",
        ),
        (
            "cmp ecx,5\nmov [edi],ecx\nadc ebx,edx\nlea edi,[edi+28]",
            "",
            "takes a register, or the flags, and all of them may be read later",
        ),
    ] {
        let folder = program(body, behind);
        let report = one_line(&folder);
        assert!(
            report.contains(" clocks for write buffers; to read the lines"),
            "{report}"
        );
        assert!(report.contains(why), "{why}: {report}");
    }
}

/// 64 KiB, in lines of which each has four stores.
fn of_lines(read: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = format!(
        ".586\n.model flat\n.data?\nalign 4096\nwritten db 65536 dup (?)\n.code\nstart: mov edi,offset written\n\
         mov ecx,1024\nagain: {read}mov [edi],ecx\nmov [edi+4],ecx\nmov [edi+8],ecx\nmov [edi+12],ecx\nadd edi,64\n\
         dec ecx\njnz again\n{ALL_DEAD}\nret\nend start\n"
    );
    fs::write(folder.path().join("stores.asm"), source).expect("a file is written");
    folder
}

#[test]
fn nothing_is_said_of_reads_where_the_line_is_read() {
    // The read is proposed, and the rest of the wait is not for the line.
    let report = one_line(&of_lines(""));
    assert!(report.contains("+again: mov eax,[edi]"), "{report}");
    assert!(!report.contains("before they are written"), "{report}");
    for read in [
        "mov eax,[edi]\n",
        "mov eax,[edi+28]\n",
        "cmp [edi],ecx\n",
        "add edx,[edi+4]\nmov ebx,1\n",
    ] {
        let report = one_line(&of_lines(read));
        assert!(
            report.contains("no suggestion") || report.contains("-again"),
            "{report}"
        );
        assert!(!report.contains("before they are written"), "{read}: {report}");
    }
    // These read other lines.
    for read in ["mov eax,[edi+32]\n", "mov eax,[edi]\nxor edi,32\n"] {
        let report = one_line(&of_lines(read));
        let told = report.contains("before they are written") || report.contains("brings the line");
        assert!(told, "{read}: {report}");
    }
}
