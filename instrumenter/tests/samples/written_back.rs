//! Stores that wait until modified lines are written back, where only some of the lines of a page are modified.

use instrumenter::command::samples::read;
use runtime::samples::Blame;
use std::fmt::Write;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Reads every second line of a part of 16 MB, and changes every third one, in code that is longer than its cache.
fn program() -> String {
    let mut text =
        ".586\n.model flat\n.data?\nalign 4096\nbig db 16000000 dup(?)\n.code\nstart:\npush ebx\npush esi\npush \
                    edi\nmov edi,3\nmov esi,offset big\nnext:\n"
            .to_owned();
    for group in 0..500 {
        let (read, changed) = (64 * group, 96 * group + 32);
        let _ = writeln!(
            text,
            "mov eax,[esi+{read}]\nadd [esi+{changed}],eax\nimul ecx,eax\njz at{group}\nat{group}:"
        );
    }
    text += "add esi,50000\ncmp esi,offset big+15900000\njb next\nmov esi,offset big\ndec edi\njnz next\npop edi\npop \
             esi\npop ebx\nret\nend start\n";
    text
}

#[test]
fn stores_wait_for_the_lines_that_are_modified_and_for_no_others() {
    let folder = TempDir::new().expect("a directory");
    let (source, target) = (folder.path().join("some.asm"), folder.path().join("some.samples"));
    std::fs::write(&source, program()).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.arg("sample").arg(&source).arg("-o").arg(&target);
    command.args(["--runs", "1", "--truth", "--op", "64", "--timeout", "0"]);
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stalls = read(&target).expect("a file of samples").stalls().expect("stalls");
    let estimate = stalls.cause(Blame::Store);
    let exact = stalls.rows.iter().filter_map(|row| row.exact.as_ref());
    let exact: u64 = exact.map(|exact| exact.causes[Blame::Store as usize]).sum();
    let sigmas = estimate.sigmas(stalls.scale, exact).expect("an error");
    let told = format!("{estimate:?}, not {exact}, {sigmas} standard errors");
    println!("{told}");
    assert!(exact > 5_000_000, "{told}");
    assert!((estimate.clocks / exact as f64 - 1.0).abs() < 0.1, "{told}");
    let right = stalls.blamed_right().expect("stalls that are known");
    assert!(right >= 0.95, "{right}");
}
