//! Functions that are called while they are active, as those that call themselves: their clocks with callees.

use crate::started;
use started::{finished, text};

/// The report of a source, as words.
fn told(source: &str, options: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let output = finished(folder.path(), &format!("a.asm {options}"));
    text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_calls_of_a_function_from_outside_have_their_clocks() {
    let source = ".586\n.model flat\n.code\nmain proc\nmov eax,20\ncall f\nmov eax,12\ncall f\nret\nmain endp\nf proc\n\
                  dec eax\njz done\npush eax\ncall f\npop eax\ndone: ret\nf endp\nend main\n";
    let report = told(source, "");
    let note = "Called while active, as by itself: f; per call is of its calls from outside.";
    assert!(report.contains(note), "{report}");
    let words: Vec<&str> = report.split(' ').collect();
    let row = words.windows(2).position(|two| two == ["f", "(line"]).expect("its row");
    // The clocks with callees, those of a call, instructions and times come before the name.
    let [whole, each, times] = [row - 4, row - 3, row - 1].map(|at| words[at].parse::<f64>().expect("a number"));
    assert_eq!((times, each * 2.0), (32.0, whole));
    let plain = source.replace("push eax\ncall f\npop eax\n", "");
    assert!(!told(&plain, "").contains("Called while active"));
}
