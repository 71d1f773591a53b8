//! Missing parts of a recording are named, and never shown as 0, in every answer.

use super::{answered, refused, stored};
use crate::samples::plausible::hidden;
use crate::samples::specimen::{recording, seed};
use fastrand::Rng;
use runtime::model::ibs::{IBS_OP_DATA, IBS_OP_RIP, IC_IBS_EXTD_CTL};
use runtime::record::{Attempts, SampleKind};
use runtime::samples::Analysis;
use std::collections::BTreeSet;
use std::path::Path;

fn json(path: &Path, question: &[&str]) -> serde_json::Value {
    serde_json::from_str(&answered(path, &[question, &["--format", "json"]].concat())).expect("JSON")
}

/// The notes of an answer, joined to one text.
fn notes(path: &Path, question: &[&str]) -> String {
    json(path, question)["notes"].to_string()
}

/// The recording with only some of its registers.
fn kept(mut recording: Analysis, registers: &[u32]) -> Analysis {
    recording.sampling.choice.kept = Some(registers.to_vec());
    recording.sampling.choice.load_latency = None;
    recording.sampling.choice.last_level_misses_only = false;
    for sample in &mut recording.samples {
        sample.images.retain(|register| registers.contains(&register));
    }
    recording
}

/// The recording without the samples of a kind, as if its sampler had been off.
fn without(mut recording: Analysis, kind: SampleKind) -> Analysis {
    recording.samples.retain(|sample| sample.kind != kind);
    for (sample, number) in recording.samples.iter_mut().zip(1..) {
        sample.number = number;
    }
    match kind {
        SampleKind::Fetch => recording.sampling.fetch = None,
        // The samples that were cut and lost were ops.
        SampleKind::Op => {
            recording.sampling.op = None;
            (recording.sampling.cut, recording.sampling.lost) = (0, 0);
        }
    }
    recording
}

#[test]
fn with_addresses_alone_each_question_names_what_is_missing() {
    let given = kept(recording(&mut Rng::with_seed(seed()), 900), &[IBS_OP_RIP]);
    let (_folder, path) = stored(&given);
    for (question, missing) in [
        (
            &["derive"][..],
            "no sample has IbsFetchCtl, IbsOpData, IbsOpData2, IbsOpData3",
        ),
        (
            &["hist", "IbsDcMissLat"],
            "no sample has IbsOpData3, so IbsDcMissLat is not known",
        ),
        (
            &["hist", "IbsFetchLat"],
            "no sample has IbsFetchCtl, so IbsFetchLat is not known",
        ),
        (
            &["data"],
            "no sample has IbsOpData3 or IbsDcLinAd, so nothing is known of data",
        ),
        (&["ear"], "no sample has IbsOpData3, so no load that waited is known"),
        (&["pairs"], "no sample has IbsOpData, so nothing is known of pairs"),
        (
            &["top", "--pm", "dcmiss::retired,taken"],
            "no sample has IbsOpData3, so `dcmiss::retired` is not known",
        ),
        (
            &["top", "--pm", "dcmiss::retired,taken"],
            "no sample has IbsOpData, so `taken` is not known",
        ),
        (
            &["top", "--pm", "icmiss"],
            "no sample has IbsFetchLinAd, so where they belong is not known",
        ),
        (&[], "`p5inst query FILE derive`"),
    ] {
        let said = notes(&path, question);
        assert!(said.contains(missing), "{question:?}: {said}");
    }
    assert!(
        json(&path, &[])["lead"]
            .to_string()
            .contains("only these registers were kept: IbsOpRip")
    );
    // Figures that need only the samples are known; those that need more are null in every row.
    let rows = json(&path, &["top", "--pm", "retired,dcmiss::retired,IbsOpBrnTaken"]);
    let rows = rows["rows"].as_array().expect("rows");
    let ops = given.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
    let places: BTreeSet<_> = ops.map(|sample| sample.address()).collect();
    assert_eq!(rows.len(), places.len(), "a row for each instruction with a sample");
    for row in rows {
        assert_eq!(row["op_all"], row["samples"]);
        assert!(
            row["op_data_cache_miss::op_all"].is_null() && row["IbsOpBrnTaken"].is_null(),
            "{row}"
        );
    }
    for (question, missing) in [
        (
            ["top", "--where", "IbsDcMiss=0"],
            "no sample has IbsOpData3, so whether a condition on `IbsDcMiss` holds",
        ),
        (["top", "--where", "IbsDcMissLat<20"], "no sample has IbsOpData3"),
        (["top", "--where", "proc=start"], "no sample has IbsFetchLinAd"),
    ] {
        let error = refused(&path, &question);
        assert!(error.contains(missing), "{question:?}: {error}");
    }
    let error = refused(&path, &["calc"]);
    assert!(error.contains("IbsOpData was not kept"), "{error}");
    // There are no other kinds of events, so the answered ones need no register.
    let derived = json(&path, &["derive"]);
    let codes: Vec<&str> = derived["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter_map(|row| row["code"].as_str())
        .collect();
    assert_eq!(codes, ["F000", "F100"]);
    let sums = derived["lead"].to_string();
    assert!(!sums.contains('='), "{sums}");
}

#[test]
fn a_comparison_says_of_which_recording_something_is_missing() {
    let mut rng = Rng::with_seed(seed());
    let (_first_folder, first) = stored(&recording(&mut rng, 900));
    let (_second_folder, second) = stored(&kept(recording(&mut rng, 900), &[IBS_OP_RIP, IBS_OP_DATA]));
    let second = second.to_str().expect("UTF-8");
    let said = notes(&first, &["diff", second]);
    for missing in ["IbsOpData3", "IbsFetchCtl", "are not known of the second"] {
        assert!(said.contains(missing), "{missing}: {said}");
    }
    assert!(!said.contains("of the first"), "{said}");
    let compared = json(&first, &["diff", second]);
    let rows = compared["rows"].as_array().expect("rows");
    assert!(
        rows.iter()
            .all(|row| row["code"].as_str().is_some_and(|code| code < "F200")),
        "{rows:?}"
    );
}

#[test]
fn a_sampler_that_was_off_is_named() {
    let mut rng = Rng::with_seed(seed());
    let whole = recording(&mut rng, 900);
    let (_folder, fetches) = stored(&without(whole.clone(), SampleKind::Op));
    for question in [
        &["derive"][..],
        &["hist", "IbsDcMissLat"],
        &["data"],
        &["ear"],
        &["pairs"],
        &["top", "--pm", "dcmiss"],
    ] {
        let said = notes(&fetches, question);
        assert!(
            said.contains("no ops were sampled") && said.contains("record with `--op`"),
            "{question:?}: {said}"
        );
    }
    assert!(refused(&fetches, &["calc"]).contains("no ops were sampled"));
    assert!(refused(&fetches, &["top", "--where", "IbsDcMiss=1"]).contains("no ops were sampled"));
    let (_folder, ops) = stored(&without(whole, SampleKind::Fetch));
    for question in [&["derive"][..], &["hist", "IbsFetchLat"], &["top", "--pm", "icmiss"]] {
        let said = notes(&ops, question);
        assert!(said.contains("no fetches were sampled"), "{question:?}: {said}");
    }
}

#[test]
fn the_meaning_of_a_field_may_stand_in_another_register() {
    let given = kept(recording(&mut Rng::with_seed(seed()), 900), &[IC_IBS_EXTD_CTL]);
    let (_folder, path) = stored(&given);
    let said = notes(&path, &["hist", "IbsItlbRefillLat"]);
    assert!(
        said.contains("no sample has IbsFetchCtl, so IbsItlbRefillLat is not known"),
        "{said}"
    );
}

#[test]
fn where_clocks_went_is_no_number_for_a_cause_that_nothing_tells() {
    let mut given = hidden(&mut Rng::with_seed(seed()), 20_000, 40).recording;
    given.machine.chip = "other".to_owned();
    let (_folder, path) = stored(&given);
    let answer = json(&path, &["whatcg", "--truth"]);
    let rows = answer["rows"].as_array().expect("rows");
    for row in rows {
        let letter = row["letter"].as_str().expect("a letter");
        let unknown = ["i", "I", "p", "m", "b", "n", "w", "q", "l", "x", "a", "o", "f", "s"].contains(&letter);
        // The remainder is unknown, too, if the estimates happen to exceed the clocks.
        if letter != "?" {
            assert_eq!(row["clocks"].is_null(), unknown, "{row}");
        }
        assert!(row["exact"].is_number(), "{row}");
    }
    assert!(
        answer["notes"]
            .to_string()
            .contains("no fetches were sampled, so stalls for code (i, I) are not known")
    );
    given.truth = None;
    let (_folder, path) = stored(&given);
    for row in json(&path, &["whatcg", "--truth"])["rows"].as_array().expect("rows") {
        assert!(row["exact"].is_null() && row["exact_share_percent"].is_null(), "{row}");
    }
}

#[test]
fn where_the_clocks_of_a_long_run_went_remains_a_table() {
    let mut given = hidden(&mut Rng::with_seed(seed()), 20_000, 40).recording;
    let truth = given.truth.as_mut().expect("it is known");
    truth.clocks = 1_000_000_000_000;
    let (_folder, path) = stored(&given);
    let text = answered(&path, &["whatcg", "--truth"]);
    assert!(text.contains("\n clocks went to "), "{text}");
    assert!(
        text.contains("columns for which there is no room are left out"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn what_the_recorder_does_not_know_is_no_number() {
    let mut given = hidden(&mut Rng::with_seed(seed()), 20_000, 40).recording;
    given.machine.width = None;
    let Some(attempts) = &mut given.sampling.op else {
        panic!("ops are sampled")
    };
    (attempts.dropped, attempts.flushed) = (None, None);
    let (_folder, path) = stored(&given);
    for question in ["calc", "topstalls", "whatcg"] {
        let error = refused(&path, &[question]);
        assert!(
            error.contains("how many ops this machine issues in a clock"),
            "{question}: {error}"
        );
    }
    let json = |question: &[&str]| -> serde_json::Value {
        serde_json::from_str(&answered(&path, &[question, &["--format", "json"]].concat())).expect("JSON")
    };
    let attempts = json(&[]);
    assert!(attempts["rows"][0]["dropped"].is_null() && attempts["rows"][0]["flushed"].is_null());
    assert_eq!(attempts["rows"][0]["filtered"], 0);
    let notes = attempts["notes"].to_string();
    for said in ["attempts dropped", "tagged ops that were flushed", "how many ops"] {
        assert!(notes.contains(said), "{said}: {notes}");
    }
    let pairs = json(&["pairs", "--truth"]);
    assert!(pairs["notes"].to_string().contains("unused slots are not known"));
    let rows = pairs["rows"].as_array().expect("rows");
    assert!(!rows.is_empty());
    for row in rows {
        assert!(
            row["wasted_slots"].is_null() && row["wasted_standard_error"].is_null(),
            "{row}"
        );
        assert!(row["overlap_percent"].is_number(), "{row}");
    }
    let sql = json(&["select dropped, flushed from attempts"]);
    assert!(sql["rows"][0]["dropped"].is_null() && sql["rows"][0]["flushed"].is_null());
}

#[test]
fn a_filter_that_leaves_nothing_is_named() {
    let mut given = without(recording(&mut Rng::with_seed(seed()), 300), SampleKind::Fetch);
    given.samples.clear();
    (given.sampling.cut, given.sampling.lost) = (0, 0);
    given.sampling.op = given.sampling.op.map(|all| Attempts {
        filtered: all.filtered + all.taken(),
        ..all
    });
    given.sampling.choice.load_latency = Some(10_000);
    given.sampling.choice.last_level_misses_only = false;
    let (_folder, path) = stored(&given);
    let said = notes(&path, &["top"]);
    assert!(said.contains("the filter left no sample of ops"), "{said}");
    assert!(!said.contains("smaller period"), "{said}");
}

/// Sums over the instructions that are known are not those of the run.
#[test]
fn with_exact_figures_of_some_instructions_no_cause_has_an_exact_sum() {
    let mut given = hidden(&mut Rng::with_seed(seed()), 20_000, 64).recording;
    let truth = given.truth.as_mut().expect("exact figures");
    truth.instructions.truncate(3);
    truth.instructions_cut = true;
    let (_folder, path) = stored(&given);
    let answer = json(&path, &["whatcg", "--truth"]);
    for row in answer["tables"][0]["rows"]
        .as_array()
        .or(answer["rows"].as_array())
        .expect("rows")
    {
        assert!(row["exact"].is_null() && row["exact_share_percent"].is_null(), "{row}");
    }
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("exact figures are known of 3 instructions only"),
        "{notes}"
    );
}

/// One of two samples was kept: the others are neither dropped nor filtered, and without them the attempts do not add
/// up.
#[test]
fn samples_that_were_not_kept_have_a_column() {
    let mut given = without(recording(&mut Rng::with_seed(seed()), 900), SampleKind::Fetch);
    let count = given.samples.len() as u64;
    given.sampling.op = Some(Attempts {
        period: 1,
        made: 2 * count + 5,
        dropped: Some(3),
        flushed: None,
        filtered: 2,
    });
    (given.sampling.cut, given.sampling.lost) = (count, 0);
    let (_folder, path) = stored(&given);
    let row = json(&path, &[])["rows"][0].clone();
    let figure = |name: &str| row[name].as_u64().expect("a number");
    assert_eq!(figure("not_kept"), count);
    let all = ["samples", "dropped", "filtered", "not_kept"]
        .map(figure)
        .iter()
        .sum::<u64>();
    assert_eq!(figure("attempts"), all);
    let said = answered(&path, &[]);
    assert!(said.contains("not kept if there were too many"), "{said}");
    let op = given.sampling.op.as_mut().expect("ops");
    (op.made, given.sampling.cut) = (count + 5, 0);
    let (_folder, path) = stored(&given);
    assert_eq!(json(&path, &[])["rows"][0]["not_kept"], 0);
    assert!(!answered(&path, &[]).contains("kept"));
}
