//! Tips beside errors in the arguments.

use crate::started;
use started::{finished, text};

#[test]
fn an_error_in_the_arguments_has_the_tip_that_helps() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    // The first bytes and the kind in byte 16 tell a program, whose arguments follow its name.
    let head = b"\x7fELF\x01\0\0\0\0\0\0\0\0\0\0\0\x02\0";
    std::fs::write(folder.path().join("prog"), head).expect("a file is written");
    std::fs::write(folder.path().join("a.asm"), "nop\n").expect("a file is written");
    for (line, tip) in [
        ("sample ./prog 1 -o x.samples", "tip: options stand before the program"),
        ("sample ./prog -ox.samples", "tip: options stand before the program"),
        (
            "sample ./prog --output=x.samples",
            "tip: options stand before the program",
        ),
        (
            "sweep --set eax=1 a.asm",
            "tip: a sweep has no `--set`: let the source begin with `mov REG,NAME`",
        ),
        ("a.asm --html", "tip: write `--format html`"),
    ] {
        let output = finished(folder.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        let error = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(error.contains(tip) && !error.contains("-- --set"), "{line}: {error}");
    }
    // Here no option stands after a program.
    for line in ["sample ./prog", "sample -o x.samples", "sample -ox.samples"] {
        let error = finished(folder.path(), line);
        let error = text(&error.stderr);
        assert!(error.contains("required") && !error.contains("tip:"), "{line}: {error}");
    }
}
