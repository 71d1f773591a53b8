//! Tests of the certainty of clocks, on artificial runs.

use super::*;
use crate::{Detail, Format, specimen, write as report};
use p5_chips::choice;
use std::collections::BTreeMap;

/// A doubt about RET, of a question or not.
fn doubt(question: Option<&'static str>) -> Doubt {
    Doubt {
        form: "RET",
        why: "nobody has measured it",
        question,
        least: false,
    }
}

fn variant(choices: &[&str], clocks: u64, region: u64, line_9: u64) -> Variant {
    Variant {
        choices: choices.iter().map(|text| choice(text).expect("exists")).collect(),
        figures: Ok(Answered {
            clocks,
            instructions: 1,
            regions: vec![Some(region); 3],
            lines: BTreeMap::from([((Some(0), 9, 0), line_9)]),
            cold: clocks + 100,
            cold_regions: vec![Some(region + 100); 3],
            counts: vec![None, Some([2, region as i64 - 40])],
        }),
    }
}

/// The specimen, whose line 15 is doubted, under an answer to each of two questions and under both.
fn run() -> Run {
    let mut run = specimen::run();
    let clocks = run.own.totals.cycles;
    run.answers.touched = vec!["shadow_reach", "imul_r32", "btb_forwarding"];
    run.answers.tried = run.answers.touched.clone();
    run.answers.all_combined = true;
    run.answers.variants = vec![
        variant(&["shadow_reach=2"], clocks + 3, 43, 39),
        variant(&["imul_r32=10"], clocks - 2, 38, 37),
        variant(&["btb_forwarding=0"], clocks, 40, 39),
        variant(&["shadow_reach=2", "imul_r32=10"], clocks + 9, 42, 37),
    ];
    run
}

fn texts(run: &Run, width: usize) -> String {
    let style = Style::plain(width, Detail::Short);
    let mut text = Vec::new();
    report(Format::Text, run, &style, &mut text).expect("a vector takes everything");
    String::from_utf8(text).expect("UTF-8")
}

fn json(run: &Run) -> serde_json::Value {
    let style = Style::plain(80, Detail::Short);
    let mut text = Vec::new();
    report(Format::Json, run, &style, &mut text).expect("a vector takes everything");
    serde_json::from_slice(&text).expect("JSON")
}

#[test]
fn a_bar_has_the_range_of_all_runs_and_the_questions_that_change_it() {
    let run = run();
    let clocks = run.own.totals.cycles;
    let bar = program(&run);
    assert_eq!(bar.range(), (clocks - 2, clocks + 9));
    assert_eq!(bar.questions(), ["shadow_reach", "imul_r32"]);
    // Line 15 has RET, which takes a clock and waits eight for its code.
    assert_eq!(bar.doubted_clocks(), 1);
    let words = texts(&run, 100);
    let (least, most) = (clocks - 2, clocks + 9);
    let line =
        format!("  or {least} to {most} under open questions shadow_reach, imul_r32; 1 clock rests on doubted RET");
    assert!(words.contains(&line), "{words}");
    // The questions and a single row keep their names if there is less room.
    let folded = format!(
        "  or {least} to {most} under open questions shadow_reach, imul_r32; 1 clock\n  rests on doubted RET\n"
    );
    assert!(texts(&run, 70).contains(&folded), "{}", texts(&run, 70));
}

#[test]
fn a_question_that_matters_only_beside_another_one_is_named() {
    let mut run = run();
    let clocks = run.own.totals.cycles;
    for variant in &mut run.answers.variants {
        let alone = variant.choices.len() == 1;
        variant.figures.as_mut().expect("it ends alike").clocks = clocks + u64::from(!alone);
    }
    assert_eq!(program(&run).questions(), ["shadow_reach", "imul_r32"]);
}

#[test]
fn text_and_json_say_the_same_of_each_region_and_line() {
    let run = run();
    let told = json(&run);
    let base = summary::region(&run, &run.regions[0]).clocks().expect("it was passed");
    let bar = &told["regions"][0]["bar"];
    assert_eq!((&bar["clocks"], &bar["least"]), (&base.into(), &38.min(base).into()));
    assert_eq!(bar["most"], 43.max(base));
    let under: Vec<&serde_json::Value> = bar["under"].as_array().expect("answers").iter().collect();
    assert!(under.iter().all(|one| one["clocks"] != bar["clocks"]));
    let lines = told["lines"].as_array().expect("lines");
    let line = |number: u32| {
        let found = lines
            .iter()
            .find(|line| line["file"] == "loop.asm" && line["line"] == number);
        found.expect("it was executed")
    };
    let of_9 = &line(9)["bar"];
    assert_eq!((&of_9["least"], &of_9["most"]), (&37.into(), &39.into()));
    assert_eq!(of_9["questions"], serde_json::json!(["imul_r32"]));
    assert_eq!(line(15)["bar"]["doubted"][0]["form"], "RET");
    assert_eq!(line(15)["bar"]["doubted_clocks"], 1);
    assert_eq!(told["sureness"]["variants"].as_array().map(Vec::len), Some(4));
    assert_eq!(
        told["sureness"]["bar"]["questions"],
        serde_json::json!(["shadow_reach", "imul_r32"])
    );
}

#[test]
fn what_was_not_tried_is_no_certainty() {
    for (untried, words) in [
        (None, "3 open questions not tried\n"),
        (
            Some(Untried::Long { most: 1000 }),
            "3 open questions may change these clocks; `--sure` tries them\n",
        ),
        (
            Some(Untried::OutOfTime),
            "3 open questions not tried: no time was left of `--timeout`\n",
        ),
        (
            Some(Untried::Unfinished),
            "3 open questions not tried, as the run was stopped before its end\n",
        ),
    ] {
        let mut run = run();
        run.answers.tried.clear();
        run.answers.variants.clear();
        run.answers.untried = untried;
        assert!(texts(&run, 80).contains(words), "{}", texts(&run, 80));
        let told = json(&run);
        assert!(told["sureness"]["bar"]["least"].is_null() && told["regions"][0]["bar"]["most"].is_null());
        assert_eq!(told["sureness"]["questions"][1]["tried"], false);
        assert!(told["sureness"]["questions"][1]["reason"].is_string());
    }
}

#[test]
fn a_lack_of_time_is_told_of_what_was_not_tried() {
    for (all_combined, words) in [
        (false, "not every combination of answers was tried: no time was left"),
        (
            true,
            "beside the fewest and the most clocks, not every answer was tried: no time",
        ),
    ] {
        let mut run = run();
        run.answers.untried = Some(Untried::OutOfTime);
        run.answers.all_combined = all_combined;
        let told = texts(&run, 200);
        assert!(told.contains(words), "{told}");
        assert_eq!(told.contains("not every combination"), !all_combined, "{told}");
    }
}

#[test]
fn a_chosen_answer_is_not_called_open_and_another_end_is_told() {
    let mut run = run();
    run.answers.tried = vec!["shadow_reach", "btb_forwarding"];
    run.answers.chosen = vec!["imul_r32"];
    run.answers.variants.truncate(1);
    run.answers.variants[0].figures = Err("ended by HLT".to_owned());
    assert!(!texts(&run, 80).contains("not tried"));
    assert!(
        texts(&run, 80).contains("under shadow_reach=2: ended by HLT\n"),
        "{}",
        texts(&run, 80)
    );
    let told = json(&run);
    assert_eq!(told["sureness"]["questions"][1]["reason"], "the user chose its answer");
    assert_eq!(told["sureness"]["variants"][0]["reason"], "ended by HLT");
    assert!(told["sureness"]["variants"][0]["clocks"].is_null());
}

#[test]
fn a_doubt_that_is_a_question_counts_unless_that_was_tried() {
    let mut run = specimen::run();
    run.instructions[8].doubt = Some(doubt(Some("imul_r32")));
    assert_eq!(program(&run).doubted, [(doubt(Some("imul_r32")), 1)]);
    run.answers.tried = vec!["imul_r32"];
    assert!(program(&run).is_sure() && program(&run).line(80).is_none());
    // A line on other doubts leaves this one out.
    run.instructions[6].doubt = Some(Doubt {
        form: "REP STOS",
        ..doubt(None)
    });
    let bar = program(&run);
    let clocks = bar.doubted_clocks();
    assert_eq!(bar.doubted.len(), 1);
    let words = format!("{clocks} clocks rest on doubted REP STOS");
    assert_eq!(bar.line(80).as_deref(), Some(&*words));
}

#[test]
fn a_count_of_a_region_has_the_range_of_the_same_runs() {
    let mut run = run();
    // Of the second region, which counts AGIs by counter 1: one, and as many as the clocks of the region above 40.
    let told = json(&run);
    let ranges = &told["regions"][1]["count_ranges"];
    assert_eq!(ranges[0], serde_json::json!({ "least": 2, "most": 2, "questions": [] }));
    assert_eq!(
        ranges[1],
        serde_json::json!({ "least": -2, "most": 3, "questions": ["shadow_reach", "imul_r32", "btb_forwarding"] })
    );
    assert!(told["regions"][0].get("count_ranges").is_none());
    let words = texts(&run, 100).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("AGI_STALLS 1 cold, its only pass; the end macro left no result; or -2 to 3 under open questions shadow_reach,"),
        "{words}"
    );
    assert_eq!(words.matches("; or ").count(), 1, "{words}");
    // A question that was not tried may change it.
    run.answers.tried.pop();
    let ranges = &json(&run)["regions"][1]["count_ranges"];
    assert!(ranges[0]["least"].is_null() && ranges[1]["most"].is_null(), "{ranges}");
}

#[test]
fn rows_beyond_a_trace_count_and_without_them_the_figure_is_the_least() {
    let mut run = run();
    let other = Doubt {
        form: "REP STOS",
        ..doubt(None)
    };
    let said = |run: &Run| {
        let bar = region(run, 0).expect("it was passed");
        (bar.doubted_clocks(), bar.all_doubted, bar.line(200))
    };
    // The first group of the trace, which waits for nothing, has a doubted row.
    run.instructions[1].doubt = Some(doubt(None));
    let (whole, all, _) = said(&run);
    assert!(whole > 0 && all);
    run.regions[0].trace.cut = true;
    let (_, all, words) = said(&run);
    let most = program(&run).doubted_clocks();
    assert!(
        !all && words
            .expect("doubts")
            .contains(&format!("; {whole} to {most} clocks rest on "))
    );
    // All of the trace is among the doubts known beyond it.
    let beyond = |at, clocks| {
        Some(p5_results::Beyond {
            at,
            doubts: vec![(other, clocks)],
        })
    };
    run.regions[0].beyond = beyond(0, 70);
    let (clocks, all, words) = said(&run);
    assert!(all && clocks == 70 && words.expect("doubts").ends_with("; 70 clocks rest on doubted REP STOS"));
    // The first group is not.
    run.regions[0].beyond = beyond(2, 70);
    let (clocks, all, words) = said(&run);
    assert_eq!((clocks, all), (71, true));
    assert!(
        words
            .expect("doubts")
            .ends_with("; 71 clocks rest on doubted REP STOS, RET")
    );
}
