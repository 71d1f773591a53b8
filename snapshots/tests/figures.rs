//! Published figures for real Pentiums come out. `snapshots/src/figures` has the table and explains the methods.

use snapshots::figures;

#[test]
fn published_figures_come_out() {
    let mut told = Vec::new();
    let summary = figures::print(&figures::folder(), "", &mut told).expect("a vector takes everything");
    println!("{}", String::from_utf8_lossy(&told));
    assert!(summary.all.measured >= 200, "only {} figures", summary.all.measured);
    let readme = include_str!("../../README.md");
    // Of routines without their objects, only the number is known.
    let sections = summary.sections.iter();
    for (title, tally) in sections.filter(|(title, _)| *title != figures::CONTRADICTING) {
        let rows = tally.measured + tally.skipped;
        let quoted = match tally.skipped {
            0 => format!("| {title} | {rows} | {} | {} |", tally.exact, tally.close),
            _ => format!("| {title} | {rows} | "),
        };
        assert!(
            readme.lines().any(|line| line.starts_with(&quoted)),
            "the README says otherwise: {quoted}"
        );
    }
    let by_origin: usize = summary
        .by_origin
        .iter()
        .map(|tally| tally.measured + tally.skipped)
        .sum();
    assert_eq!(by_origin, summary.all.measured + summary.all.skipped);
    let [stated, derived, read_back] = summary.by_origin.map(|tally| tally.measured + tally.skipped);
    let quoted = format!(
        "{stated} of {by_origin} are stated by an author for a routine or sequence, {derived} follow from the rules of a \
         manual, and {read_back} are entries of instruction tables, read back."
    );
    let words: Vec<&str> = readme.split_whitespace().collect();
    assert!(words.join(" ").contains(&quoted), "the README says otherwise: {quoted}");
    assert!(
        summary.wrong.is_empty(),
        "{} figures are missed:\n{}",
        summary.wrong.len(),
        summary.wrong.join("\n")
    );
}
