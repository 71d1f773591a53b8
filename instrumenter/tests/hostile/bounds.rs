//! Small sources that ask for much: each ends in bounded time and memory, with a report or diagnostic of bounded size.

use super::within;
use std::path::Path;

/// KiB of address space. A release build takes less than half of it.
const KIBIBYTES: u32 = 768 << 10;
/// Seconds of processor time. A release build takes less than a third of it, and never more than the ten seconds to
/// which a run is limited by default.
const SECONDS: u32 = 20;
/// The most bytes of a report.
const REPORT: usize = 1 << 20;

/// Asserts that a source ends within the bounds, with this code and these words in its report or diagnostics.
fn ends(name: &str, text: &str, code: i32, expected: &str) {
    for format in ["text", "json"] {
        let output = within(
            SECONDS,
            KIBIBYTES,
            &["-", "--format", format, "--runs", "1", "--timeout", "0"],
            text.as_bytes(),
            Path::new("."),
        );
        let said = [output.stdout.as_slice(), &output.stderr].concat();
        let head = String::from_utf8_lossy(&said[..said.len().min(1500)]).into_owned();
        assert_eq!(output.status.code(), Some(code), "{name}: {}\n{head}", output.status);
        assert!(said.len() <= REPORT, "{name}: {} bytes of {format}\n{head}", said.len());
        let said = String::from_utf8_lossy(&said);
        assert!(!said.contains("panicked"), "{name}: {head}");
        if format == "text" {
            assert!(said.contains(expected), "{name}: no `{expected}` in\n{head}");
        }
    }
}

#[test]
fn code_of_any_length_takes_bounded_memory() {
    // How far a slow machine comes within the time limit is not asserted.
    for text in ["db 10000000 dup(90h)\n", "db 60000000 dup(40h)\n"] {
        let output = within(
            SECONDS,
            KIBIBYTES,
            &["-", "--format", "json"],
            text.as_bytes(),
            Path::new("."),
        );
        assert!(matches!(output.status.code(), Some(0 | 1)), "{text}: {}", output.status);
        assert!(output.stdout.len() <= REPORT, "{text}: {} bytes", output.stdout.len());
    }
    ends(
        "a million instructions",
        "db 1000000 dup(90h)\n",
        0,
        "1000000 instructions",
    );
    ends(
        "a million lines",
        "rept 1000000\nnop\nendm\n",
        0,
        "1000000 instructions",
    );
    ends(
        "zeros behind the program",
        "x dd 0\nmov ebx,offset z\nmov eax,offset y\njmp ebx\n.data\ny dd 4096 dup(0)\nz db 1048576 dup(0)\n",
        1,
        "#PF",
    );
}

#[test]
fn lines_names_and_regions_take_linear_time() {
    ends("carriage returns", &"\r".repeat(1_000_000), 2, "no instructions to run");
    let jumps: String = (0..100_000).map(|at| format!("jmp u{at}\n")).collect();
    ends("jumps to undefined names", &jumps, 2, "undefined symbol `u0`");
    let regions: String = (0..10_000).map(|at| format!("StartTSC r{at}\nnop\nEndTSC\n")).collect();
    let output = within(
        SECONDS,
        KIBIBYTES,
        &["-", "--runs", "2"],
        regions.as_bytes(),
        Path::new("."),
    );
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", output.status);
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("r9999"), "{report}");
}

#[test]
fn expansion_stops_at_a_limit_that_it_names() {
    let nested = |inner: &str| format!("rept 1000000\nrept 1000000\n{inner}endm\nendm\n");
    let letters = "a".repeat(20_000);
    for (name, text) in [
        ("nested repeats", nested("x = 1\n")),
        ("a comment", nested("; nothing\n")),
        ("repeats alone", nested("rept 2\nendm\n")),
        (
            "characters",
            format!("irpc a,<{letters}>\nirpc b,<{letters}>\nx = 1\nendm\nendm\n"),
        ),
        ("probes", "rept 100000\nStartTSC\nnop\nEndTSC\nendm\n".to_owned()),
    ] {
        ends(name, &text, 2, "macros and repeats expand to more than 4000000 lines");
    }
}
