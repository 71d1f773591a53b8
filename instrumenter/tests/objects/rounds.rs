//! Loops of C programs: each is one loop, and has the line of its statement.

use crate::started::finished;

#[test]
fn a_loop_of_c_has_the_line_of_its_statement_and_continue_makes_no_second_one() {
    let source = std::fs::read_to_string(super::path("rounds.c")).expect("a source");
    let line = |words: &str| source.lines().position(|line| line.contains(words)).expect("a line") + 1;
    for (arguments, loops) in [
        ("", vec![line("while (i < count)")]),
        ("1", vec![line("for (int i = 0; i < count; i++)")]),
        ("1 2", vec![line("for (int i = 0; i < 9; i++)"), line("while (next())")]),
    ] {
        let output = finished(&super::path(""), &format!("--runs 1 rounds.elf {arguments}"));
        let report = String::from_utf8(output.stdout).expect("UTF-8");
        let told: Vec<usize> = (report.split("loop at line ").skip(1))
            .filter_map(|rest| rest.split(':').next()?.parse().ok())
            .collect();
        assert_eq!(told, loops, "{report}");
    }
}

#[test]
fn the_clocks_of_a_hot_loop_include_the_rounds_that_the_trace_cuts() {
    let output = finished(&super::path(""), "--runs 1 rounds.elf 1 2");
    let report = String::from_utf8(output.stdout).expect("UTF-8");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let number = |before: &str, after: &str| -> u64 {
        let (_, rest) = report
            .split_once(before)
            .unwrap_or_else(|| panic!("{before}: {report}"));
        rest.split_once(after)
            .and_then(|(number, _)| number.parse().ok())
            .unwrap_or_else(|| panic!("{report}"))
    };
    let shown = number("instructions traced, ", " of ");
    let rounds = number("5 of 9 rounds traced, ", " clocks in all");
    let cut = number("The trace ends ", " clocks into another round.");
    assert_eq!(shown, rounds + cut, "{report}");
}
