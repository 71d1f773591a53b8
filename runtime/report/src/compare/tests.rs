//! Compares the specimen with itself and with changed copies of its report.

use super::*;
use crate::{Detail, specimen};
use serde_json::Value;

fn json(run: &p5_results::Run) -> Vec<u8> {
    let mut bytes = Vec::new();
    let style = Style {
        color: false,
        width: 80,
        detail: Detail::Long,
    };
    crate::write(Format::Json, run, &style, &mut bytes).expect("a vector takes everything");
    bytes
}

/// The specimen's report with the changes that `change` makes.
fn saved(name: &str, change: impl FnOnce(&mut Value)) -> SavedRun {
    let mut report: Value = serde_json::from_slice(&json(&specimen::run())).expect("JSON");
    change(&mut report);
    SavedRun::read(name, report.to_string().as_bytes()).expect("a report")
}

fn text(comparison: &Comparison, width: usize) -> String {
    let style = Style {
        color: false,
        width,
        detail: Detail::Short,
    };
    let mut bytes = Vec::new();
    comparison.write(Format::Text, &style, &mut bytes).expect("written");
    String::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn a_run_equals_itself_whatever_the_main_file_is_called() {
    let old = saved("old.json", |_| ());
    let new = saved("new.json", |report| {
        let name = report["program"].take();
        report["program"] = "another.asm".into();
        for line in report["lines"].as_array_mut().expect("lines") {
            if line["file"] == name {
                line["file"] = "another.asm".into();
            }
        }
    });
    let comparison = Comparison::of(&old, &new, Some(0));
    assert!(comparison.ok() && comparison.same());
}

#[test]
fn what_changed_appeared_and_is_gone() {
    let old = saved("old.json", |_| ());
    let new = saved("new.json", |report| {
        report["own"]["totals"]["cycles"] = 1_000_000.into();
        report["cpu"] = "p5".into();
        report["regions"][0]["warm"]["cycles"]["median"] = 1.into();
        report["regions"][1]["name"] = "new\u{1b}[2J".into();
        let lines = report["lines"].as_array_mut().expect("lines");
        lines.retain(|line| line["library"] == false);
        lines[0]["cycles"] = 12_345.into();
        lines[1]["text"] = "  replaced  ".into();
        lines[1]["cycles"] = 7_777.into();
    });
    let comparison = Comparison::of(&old, &new, Some(2 * PERCENT));
    assert!(!comparison.ok() && !comparison.same());
    for width in [80, 40] {
        let told = text(&comparison, width);
        assert!(!told.contains('\u{1b}'));
        let wide = told.lines().find(|line| line.chars().count() > 80);
        assert_eq!(wide, None, "{told}");
    }
    insta::assert_snapshot!("comparison", text(&comparison, 80));
}

/// The report of a C program without regions: a line of `file`, and code of a library without lines.
fn compiled(name: &str, file: &str, [own, library]: [u64; 2], jump: &str) -> SavedRun {
    saved(name, |report| {
        report["regions"] = Value::Array(Vec::new());
        let with = |line: &Value, changes: &[(&str, Value)]| {
            let mut line = line.clone();
            line["library"] = false.into();
            for (field, value) in changes {
                line[*field] = value.clone();
            }
            line
        };
        let line = report["lines"][0].clone();
        let nowhere = || [("file", "<memory>".into()), ("line", 0.into())];
        report["lines"] = Value::Array(vec![
            with(
                &line,
                &[
                    ("file", file.into()),
                    ("text", "sum += x[i];".into()),
                    ("cycles", own.into()),
                ],
            ),
            with(
                &line,
                &[
                    &nowhere()[..],
                    &[("function", "copy+1Ah".into()), ("text", jump.into())],
                ]
                .concat(),
            ),
            with(
                &line,
                &[
                    &nowhere()[..],
                    &[("function", "08049018h".into()), ("text", "ret".into())],
                ]
                .concat(),
            ),
        ]);
        report["lines"][1]["cycles"] = library.into();
        let functions = [("main", own), ("copy", library)].into_iter();
        let functions = functions.map(|(name, cycles)| serde_json::json!({ "name": name, "cycles": cycles }));
        report["functions"] = functions.collect();
    })
}

#[test]
fn programs_of_one_file_each_correspond_whatever_its_name_and_functions_wherever_they_lie() {
    let old = compiled("old.json", "sum.c", [5_000, 300], "jne 08049010h");
    let new = compiled("new.json", "faster.c", [2_000, 400], "jne 08049040h");
    let comparison = Comparison::of(&old, &new, None);
    insta::assert_snapshot!("comparison_of_compiled_programs", text(&comparison, 80));
    let lines: Vec<_> = comparison.lines.iter().map(|line| line.clocks.difference).collect();
    assert_eq!(lines, [Some(-3_000), Some(100)]);
}

#[test]
fn the_limit_is_exact() {
    let slower = |old, new, limit| Pair::of(Some(old), Some(new), Some(limit)).slower;
    assert!(!slower(100, 102, 2 * PERCENT) && slower(100, 103, 2 * PERCENT));
    assert!(slower(1_000_000_000, 1_000_000_001, 0) && !slower(1_000_000_000, 1_000_000_001, 1));
    assert!(slower(0, 1, 100 * PERCENT) && !slower(u64::MAX, u64::MAX, 0) && !slower(9, 3, 0));
    assert_eq!(Pair::of(Some(1), None, Some(0)).difference, None);
}

#[test]
fn what_is_no_report_of_this_version_is_said_with_how_to_make_one() {
    let whole = json(&specimen::run());
    let version = String::from_utf8_lossy(&whole).replacen("\"schema_version\": 2", "\"schema_version\": 9", 1);
    let without = String::from_utf8_lossy(&whole).replacen("\"cpl\":", "\"level\":", 1);
    for (bytes, why) in [
        (&whole[..whole.len() / 2], "is cut off in line"),
        (b"", "is cut off in line"),
        (b"hello", "is not JSON: line 1, column 1"),
        (b"\xff\xfe", "is not JSON"),
        (b"{\"schema_version\": 2}", "is JSON, but not the report of a run"),
        (b"[1]", "is JSON, but not the report of a run"),
        (version.as_bytes(), "has schema version 9; this p5inst knows version 2"),
        (
            without.as_bytes(),
            "does not follow `p5inst schema`: missing field `cpl`",
        ),
    ] {
        let error = SavedRun::read("a.json", bytes).expect_err(why);
        assert!(error.starts_with("`a.json` ") && error.contains(why), "{error}");
        assert!(
            error.contains("`p5inst FILE.asm --format json -o NAME` makes one"),
            "{error}"
        );
    }
    assert!(SavedRun::read("a.json", &whole).is_ok());
}
