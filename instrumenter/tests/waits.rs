//! Runs that end because they wait for what never comes.

/// A run that waits for ever ends at the same clock whichever engine made it.
#[test]
fn a_wait_ends_at_the_same_clock_with_either_engine() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path().join("wait.asm");
    let source = ".586\n.model flat\n.data\nflag dd 0\n.code\nstart:\nagain: cmp flag,1\njne again\nret\nend start\n";
    std::fs::write(&path, source).expect("a file is written");
    let totals = ["interpreter", "jit", "both"].map(|engine| {
        let arguments = ["--engine", engine, path.to_str().expect("a path of text")];
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_p5inst"))
            .args(arguments)
            .output()
            .expect("the program runs");
        let report = String::from_utf8(output.stdout).expect("text");
        assert!(report.contains("goes on for ever"), "{engine}: {report}");
        let total = report
            .lines()
            .find(|line| line.starts_with("total: "))
            .map(str::to_owned);
        total.expect("totals")
    });
    assert!(totals.iter().all(|total| *total == totals[0]), "{totals:?}");
}
