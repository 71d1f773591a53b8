//! The page of artificial runs: its size is bounded, it says what it leaves out, and its policy fits its script.

use super::{SCRIPT, STYLE, number, page};
use crate::page::LARGEST;
use crate::page::tests::assert_contained;
use crate::specimen;
use p5_image::SourceFile;
use p5_results::{CacheKind, CacheResult, CacheSet, CachedLine, Note, Pipe, Run};

fn html(run: &Run) -> String {
    page(run).into_string()
}

/// A run with much more of everything than the page has room for, in characters that take the most bytes when escaped.
fn excessive() -> Run {
    const LINES: u32 = 20_000;
    let long = "\"".repeat(1_000);
    let mut run = specimen::run();
    run.program = long.clone();
    run.files[0] = SourceFile::new(long.clone(), format!("{long}\n").repeat(LINES as usize));
    let instruction = run.instructions[1].clone();
    run.instructions = (1..=LINES)
        .map(|line| {
            let mut one = instruction.clone();
            one.address = 0x1000 + 4 * line;
            (one.place, one.outermost) = (Some((0, line)), Some((0, line)));
            (one.text, one.written) = (long.clone(), Some(long.clone()));
            one
        })
        .collect();
    let mut region = run.regions[0].clone();
    region.name = long.clone();
    region.trace.issued = (0..4_096)
        .map(|at| {
            let mut one = region.trace.issued[2];
            (one.instruction, one.clock, one.cycles) = (at % LINES, u64::from(at), 1);
            if at % 2 == 1 {
                (one.pipe, one.refusal) = (Pipe::V, None);
            }
            one
        })
        .collect();
    run.regions = vec![region; 400];
    let mut symbol = run.symbols[0].clone();
    (symbol.name, symbol.address, symbol.size) = (long.clone(), 0, u32::MAX);
    run.symbols = vec![symbol];
    let lines = |set: u32| {
        (0..4).map(move |way| CachedLine {
            address: way << 12 | set << 5,
            modified: true,
        })
    };
    let cache = |kind| CacheResult {
        kind,
        ways: 4,
        line: 32,
        sets: (0..128)
            .map(|set| CacheSet {
                fills: u64::MAX >> (set % 64),
                lines: lines(set).collect(),
            })
            .collect(),
    };
    run.caches = vec![cache(CacheKind::Code), cache(CacheKind::Data)];
    run.notes = vec![
        Note::RunsInto {
            from: long.clone(),
            into: long,
            line: None,
        };
        1_000
    ];
    run.output = vec![7; 1 << 20];
    run
}

#[test]
fn a_page_has_a_largest_size_and_says_what_it_leaves_out() {
    let page = html(&excessive());
    assert!(page.len() <= LARGEST, "{} bytes", page.len());
    for words in [
        "18500 executed lines with fewer clocks not listed",
        "300 of 400 regions are listed",
        "64 of 400 passes are shown",
        "more rows, for which the page has no room",
        "more bytes, which `--format output` has",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn what_is_not_known_is_said() {
    let page = html(&specimen::run());
    assert!(page.contains("Not available: the run did not record its cache sets"));
    assert!(page.contains("not available: there is one processor, so nothing snoops"));
    let mut run = specimen::run();
    (run.cpu, run.pipes) = ("i486", 1);
    run.own.events.clear();
    let page = html(&run);
    assert!(page.contains("This chip has no event counters.") && !page.contains("<th scope=\"col\">V</th>"));
}

#[test]
fn any_run_has_a_page() {
    for seed in 0..50 {
        let page = html(&specimen::random(&mut fastrand::Rng::with_seed(seed)));
        assert!(page.ends_with("</body></html>"), "{seed}");
    }
}

#[test]
fn numbers_have_their_thousands_apart() {
    let numbers = [0, -1, 9_999, 10_000, -1_234_567].map(number);
    assert_eq!(numbers, ["0", "-1", "9999", "10,000", "-1,234,567"]);
}

#[test]
fn the_policy_has_the_sums_of_the_style_and_the_script() {
    [STYLE, SCRIPT].into_iter().for_each(assert_contained);
}
