//! Stores that wait until modified lines are written back, where only some of the lines of a page are modified.

use instrumenter::command::samples::read;
use runtime::samples::{Analysis, Blame, Confidence};
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

/// Samples an op in this many of `text`, with these further options.
fn sampled(text: &str, period: &str, options: &[&str]) -> Analysis {
    let folder = TempDir::new().expect("a directory");
    let (source, target) = (folder.path().join("some.asm"), folder.path().join("some.samples"));
    std::fs::write(&source, text).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.arg("sample").arg(&source).arg("-o").arg(&target);
    command
        .args(["--runs", "1", "--truth", "--op", period, "--timeout", "0"])
        .args(options);
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(&target).expect("a file of samples")
}

#[test]
fn stores_wait_for_the_lines_that_are_modified_and_for_no_others() {
    let stalls = sampled(&program(), "64", &[]).stalls().expect("stalls");
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

/// The fetches of MOV EAX replace modified lines, for which the store after it waits; those of MOV EDX hardly do. The
/// misaligned clocks of MOV EDX pass beside that wait.
const TWO_STORES: &str = ".586\n.model flat\n.data\nalign 4096\ntable dd 65536 dup(7)\nwritten dd 4096 \
                          dup(0)\n.code\nstart:\nmov ebp,60\nagain:\nmov esi,offset table\nmov edi,offset \
                          written\nmov ecx,1000\nnext:\nmov eax,[esi]\nadd esi,68\nmov [edi],eax\nmov \
                          edx,[edi+2]\nadd edi,12\npush ecx\npop ecx\ndec ecx\njnz next\ndec ebp\njnz \
                          again\nret\nend start\n";

#[test]
fn of_two_stores_that_which_waits_is_blamed() {
    // With one op in 11, the latencies tell; with one in 640, they do not.
    for period in ["1", "11", "640"] {
        let stalls = sampled(TWO_STORES, period, &["--rand", "none"])
            .stalls()
            .expect("stalls");
        let waits = stalls.rows.iter().filter_map(|row| {
            let exact = row.exact.as_ref()?.causes[Blame::Store as usize];
            Some((row, row.causes[Blame::Store as usize].clocks, exact))
        });
        for (row, clocks, exact) in waits.filter(|(_, clocks, exact)| *clocks > 10_000.0 || *exact > 10_000) {
            let told = format!("{period}: {:X}h, {clocks} of {exact}", row.address);
            match period {
                "640" => assert_eq!(row.confidence(), Confidence::Low, "{told}"),
                _ => assert!((clocks / exact as f64 - 1.0).abs() < 0.25, "{told}"),
            }
        }
        let scale = stalls.scale;
        for blame in [Blame::Store, Blame::Misaligned, Blame::BankConflict] {
            let exact = stalls.rows.iter().filter_map(|row| row.exact.as_ref());
            let exact: u64 = exact.map(|exact| exact.causes[blame as usize]).sum();
            let sigmas = stalls.cause(blame).sigmas(scale, exact).expect("an error");
            // If every op is a sample, chance has no part in the error.
            assert!(
                period == "1" || sigmas.abs() < 3.0,
                "{period}, {blame:?}: {sigmas} standard errors"
            );
        }
    }
}
