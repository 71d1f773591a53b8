//! The reports of artificial runs: their text, their JSON, and the agreement of the two.

use super::{Detail, Format, SCHEMAS, Style, event_rows, specimen, write, write_event_list};
use crate::document::unversioned;
use asm_macros::events::Event;
use p5_chips::{MODELS, Model};
use p5_results::{Cause, Levels, Pipe, Run, StopReason, WaitCauses};
use p5_words::fault::FaultCause;
use serde_json::{Value, json};
use std::sync::LazyLock;

fn text(run: &Run, style: Style) -> String {
    let mut bytes = Vec::new();
    write(Format::Text, run, &style, &mut bytes).expect("a vector takes everything");
    String::from_utf8(bytes).expect("reports are UTF-8")
}

fn json(run: &Run) -> Value {
    let mut bytes = Vec::new();
    write(Format::Json, run, &PLAIN, &mut bytes).expect("a vector takes everything");
    assert_eq!(bytes.last(), Some(&b'\n'));
    serde_json::from_slice(&bytes).expect("reports are JSON")
}

const PLAIN: Style = Style::plain(80, Detail::Short);

#[test]
fn text_of_a_run() {
    insta::assert_snapshot!(text(&specimen::run(), PLAIN));
}

#[test]
fn long_text_of_a_run() {
    let detail = Detail::Long;
    insta::assert_snapshot!(text(&specimen::run(), Style { detail, ..PLAIN }));
}

#[test]
fn all_text_of_a_run_on_a_wide_terminal() {
    let (detail, width) = (Detail::All, 110);
    insta::assert_snapshot!(text(&specimen::run(), Style { detail, width, ..PLAIN }));
}

#[test]
fn json_of_a_run() {
    let mut bytes = Vec::new();
    write(Format::Json, &specimen::run(), &PLAIN, &mut bytes).expect("a vector takes everything");
    insta::assert_snapshot!(unversioned(&String::from_utf8(bytes).expect("reports are UTF-8")));
}

#[test]
fn a_region_begins_in_v_and_its_end_macro_waits() {
    let mut run = specimen::run();
    let trace = &mut run.regions[0].trace;
    trace.issued.truncate(3);
    trace.issued[0].pipe = Pipe::V;
    trace.issued.remove(1);
    trace.issued[1].cycles = 3;
    trace.after = Some((2, WaitCauses::of(Cause::Prefix, 2)));
    let text = text(&run, PLAIN);
    let mut rows = text.lines().skip_while(|line| !line.contains("why not faster")).skip(1);
    let first: Vec<&str> = rows.next().unwrap_or_default().split("  ").map(str::trim).collect();
    let cells: Vec<&str> = first.into_iter().filter(|cell| !cell.is_empty()).collect();
    assert_eq!(cells[..2], ["0", "-"], "{text}");
    assert_eq!(cells.last(), Some(&"U issued before the region"), "{text}");
    assert!(text.contains("the end macro waited 2: prefix"), "{text}");
    assert!(!text.contains("takes 3"), "{text}");
    let last = &json(&run)["regions"][0]["diagram"]["rows"][1];
    let group = last.get("group").unwrap_or(last);
    assert_eq!(group["end_macro_late"], 2, "{last}");
}

#[test]
fn a_counter_of_an_event_that_is_never_raised_has_no_figures() {
    let mut run = specimen::run();
    run.regions[1].unavailable[0] = Some("nothing raises it");
    run.regions[1].levels[1] = Levels::User;
    run.regions[1].passes[0].measured = Some([0, 1]);
    let region = &json(&run)["regions"][1];
    assert_eq!(region["reason"], json!(["nothing raises it", null]));
    assert_eq!(region["counted_at"], json!(["all", "3"]));
    let cold = &region["cold"];
    assert_eq!(
        (&cold["true"], &cold["measured"]),
        (&json!([null, 1]), &json!([null, 1]))
    );
    assert_eq!(cold["events"], json!({"INSTRUCTIONS_EXECUTED": null, "AGI_STALLS": 1}));
    let (short, detail) = (text(&run, PLAIN), Detail::Long);
    let long = text(&run, Style { detail, ..PLAIN });
    let words = "INSTRUCTIONS_EXECUTED  not available: nothing raises it; what the program";
    assert!(short.contains(words), "{short}");
    assert!(
        short.contains("\n  AGI_STALLS at CPL 3    1 cold, its only pass; measured 1"),
        "{short}"
    );
    assert!(
        long.contains("INSTRUCTIONS_EXECUTED is not available: nothing raises it;"),
        "{long}"
    );
    assert!(long.contains("1Fh, CPL 3"), "{long}");
}

#[test]
fn a_fault_and_a_limit_say_what_happened_and_where() {
    let mut run = specimen::run();
    run.stop.reason = StopReason::Fault;
    run.stop.code = Some(13);
    run.stop.detail = Some(specimen::stop_detail(FaultCause::NoSuchMsr(0x14)));
    let words = "#GP: model specific register 14h does not exist";
    let report = text(&run, PLAIN);
    assert!(
        report.contains(&format!("stopped by fault {words} (loop.asm:15)")),
        "{report}"
    );
    assert_eq!(json(&run)["stop"]["message"], words);
    run.stop.detail = None;
    assert!(text(&run, PLAIN).contains("stopped by fault #GP (loop.asm:15)"));
    run.stop.reason = StopReason::Limit;
    assert!(text(&run, PLAIN).contains("stopped at the clock limit"));
    assert_eq!(json(&run)["stop"]["reason"], "limit");
}

#[test]
fn colour_changes_nothing_but_colour() {
    let run = specimen::run();
    let colored = text(&run, Style { color: true, ..PLAIN });
    assert!(colored.contains("\x1b["));
    let mut stripped = String::new();
    let mut rest = colored.as_str();
    while let Some((before, escape)) = rest.split_once("\x1b[") {
        stripped += before;
        rest = escape.split_once('m').expect("an escape ends in m").1;
    }
    assert_eq!(stripped + rest, text(&run, PLAIN));
}

#[test]
fn random_runs_are_told_at_every_width_and_their_sums_hold() {
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    for pass in 0..120 {
        let run = specimen::random(&mut random);
        let told = text(
            &run,
            Style::plain(
                random.usize(40..=200),
                [Detail::Short, Detail::Long, Detail::All][random.usize(..3)],
            ),
        );
        assert!(
            !told.contains('\x1b') && !told.contains('\x07'),
            "seed {seed} pass {pass}"
        );

        let report = json(&run);
        let number = |value: &Value| {
            value
                .as_u64()
                .unwrap_or_else(|| panic!("seed {seed} pass {pass}: {value}"))
        };
        let sum = |rows: &Value, field: &str| -> u64 {
            rows.as_array()
                .expect("rows")
                .iter()
                .map(|row| number(&row[field]))
                .sum()
        };
        let totals = &report["whole"]["totals"];
        assert_eq!(
            sum(&report["whole"]["cycle_stack"], "cycles"),
            number(&totals["cycles"]),
            "seed {seed} pass {pass}"
        );
        for rows in ["lines", "instructions"] {
            for (field, total) in [
                ("cycles", "cycles"),
                ("executions", "instructions"),
                ("u", "u"),
                ("v", "v"),
            ] {
                assert_eq!(
                    sum(&report[rows], field),
                    number(&totals[total]),
                    "seed {seed} pass {pass}: {rows} {field}"
                );
            }
            for row in report[rows].as_array().expect("rows") {
                let reasons: u64 = row["reasons"]
                    .as_object()
                    .expect("an object")
                    .values()
                    .map(number)
                    .sum();
                assert_eq!(reasons, number(&row["cycles"]), "seed {seed} pass {pass}");
            }
        }
        follows(&report).unwrap_or_else(|why| panic!("seed {seed} pass {pass}: {why}"));
    }
}

#[test]
fn a_run_follows_the_published_schema_and_the_check_notices_if_not() {
    let mut report = json(&specimen::run());
    assert_eq!(follows(&report), Ok(()));
    report["regions"][0]["passes"][0]
        .as_object_mut()
        .expect("a pass")
        .remove("true");
    assert!(follows(&report).is_err_and(|why| why.contains("true")));
    let fields = &published("report")["properties"];
    let named = "schema_version cpu cpl files stop runs whole own probes regions trace diagram registers lines symbols \
                 output output_encoding";
    for field in named.split(' ') {
        assert!(fields[field].is_object(), "{field}");
    }
}

pub(crate) fn published(name: &str) -> Value {
    let schema = SCHEMAS.iter().find(|schema| schema.name == name).expect("it is listed");
    serde_json::from_str(schema.text).expect("JSON")
}

/// Checks a report against its published schema.
fn follows(report: &Value) -> Result<(), String> {
    static SCHEMA: LazyLock<jsonschema::Validator> =
        LazyLock::new(|| jsonschema::validator_for(&published("report")).expect("a schema"));
    SCHEMA.validate(report).map_err(|why| why.to_string())
}

#[test]
fn the_two_formats_agree_on_a_region() {
    let run = specimen::run();
    let warm = &json(&run)["regions"][0]["warm"];
    assert_eq!(warm["measured"]["median"], 32);
    assert_eq!(warm["difference"], 2);
    let report = text(
        &run,
        Style {
            detail: Detail::Long,
            ..PLAIN
        },
    );
    let row = report
        .lines()
        .find(|line| line.contains(" loop ") && line.contains("7-14"))
        .expect("the region's row");
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(
        cells,
        ["loop", "7-14", "4", "55", "32", "32", "33", "13", "30", "+2", "clocks"]
    );
}

#[test]
fn the_event_list_has_every_event_in_both_formats() {
    let list = |format| {
        let mut bytes = Vec::new();
        write_event_list(&event_rows(MODELS[0], None), format, &PLAIN, &mut bytes).expect("a vector takes everything");
        String::from_utf8(bytes).expect("lists are UTF-8")
    };
    let rows: Value = serde_json::from_str(&list(Format::Json)).expect("JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(42));
    assert_eq!(rows[0x1F]["name"], "AGI_STALLS");
    assert_eq!(rows[0x1F]["unit"], "duration");
    assert!(rows[0x1F]["host"].is_null(), "nothing counts them today");
    assert_eq!(rows[0x03]["host"], "L1D READ MISS");
    assert!(
        list(Format::Text)
            .lines()
            .any(|line| line.contains("16h") && line.contains("INSTRUCTIONS_EXECUTED "))
    );
}

#[test]
fn an_event_of_one_counter_is_listed_with_it() {
    let mut events = MODELS[0].events;
    events.selected[0][0x2A] = Some(Event::BRANCHES);
    events.selected[1][0x2A] = Some(Event::FLOPS);
    let model = Model { events, ..*MODELS[0] };
    let list = |format| {
        let mut bytes = Vec::new();
        write_event_list(&event_rows(&model, None), format, &PLAIN, &mut bytes).expect("a vector takes everything");
        String::from_utf8(bytes).expect("lists are UTF-8")
    };
    let rows: Value = serde_json::from_str(&list(Format::Json)).expect("JSON");
    assert!(rows[0x29]["counter"].is_null(), "both count it");
    assert_eq!(
        (&rows[0x2A]["counter"], &rows[0x2A]["name"]),
        (&0.into(), &"BRANCHES".into())
    );
    assert_eq!(
        (&rows[0x2B]["counter"], &rows[0x2B]["name"]),
        (&1.into(), &"FLOPS".into())
    );
    assert!(list(Format::Text).contains("2Ah on 1"));
}

#[test]
fn events_are_found_by_number_name_and_title() {
    let found = |wanted| {
        let rows = event_rows(MODELS[0], Some(wanted));
        rows.iter().map(|row| row.event.name()).collect::<Vec<_>>()
    };
    for code in ["1Fh", "0x1f", "1f", "EV_AGI", "agi stalls", "Address generation"] {
        assert_eq!(found(code), ["AGI_STALLS"], "{code}");
    }
    assert_eq!(found("tlb"), ["DATA_TLB_MISS", "CODE_TLB_MISS"]);
    assert_eq!(found("bogus"), [""; 0]);
}
