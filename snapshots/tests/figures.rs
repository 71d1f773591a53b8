//! Published figures for real Pentiums come out; `snapshots/src/figures` has the table and says how each is obtained.

use snapshots::figures;

#[test]
fn published_figures_come_out() {
    let mut told = Vec::new();
    let summary = figures::print(&figures::folder(), "", &mut told).expect("a vector takes everything");
    println!("{}", String::from_utf8_lossy(&told));
    assert!(summary.measured >= 200, "only {} figures", summary.measured);
    let [all, exact] = summary.fragments;
    let quoted = format!(
        "The tests hold it to {all} published clock counts of books and manuals, of which {exact} come out exactly."
    );
    let readme: Vec<&str> = include_str!("../../README.md").split_whitespace().collect();
    assert!(
        readme.join(" ").contains(&quoted),
        "the README says otherwise: {quoted}"
    );
    assert!(
        summary.wrong.is_empty(),
        "{} figures are missed:\n{}",
        summary.wrong.len(),
        summary.wrong.join("\n")
    );
}
