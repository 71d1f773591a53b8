//! `p5inst sample --study`: errors that come from the runs and shrink as theory predicts, a period that always takes
//! one op, the effect of random distances, samples by clocks that follow clocks, and errors in one line.

use instrumenter::command::samples::read;
use runtime::record::SampleKind;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const LOOP: &str = "loop.asm";

fn study(arguments: &str, threads: &str) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/study");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.arg("sample").args(arguments.split(' ')).current_dir(folder);
    command
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .env("RAYON_NUM_THREADS", threads);
    command.output().expect("the command starts")
}

fn text(arguments: &str) -> String {
    let output = study(arguments, "2");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{arguments}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn json(options: &str) -> Value {
    let text = text(&format!("{LOOP} --study --format json {options}"));
    serde_json::from_str(&text).expect("JSON")
}

fn rows<'a>(study: &'a Value, name: &str) -> &'a Vec<Value> {
    study[name].as_array().expect("rows")
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().expect("a number")
}

#[test]
fn text_has_a_curve_and_tables_of_80_columns() {
    let text = text(&format!("{LOOP} --study --seeds 8 --by insn"));
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!("loop", text);
}

#[test]
fn sixteen_times_the_samples_have_a_quarter_of_the_error() {
    let study = json("--periods 64,1024 --seeds 20");
    let [many, few] = &rows(&study, "errors")[..] else {
        panic!("two periods: {study}")
    };
    let ratio = number(few, "samples") / number(many, "samples");
    assert!((ratio - 1.0 / 16.0).abs() < 0.01, "{ratio}");
    // With 20 seeds and 8 shares, the root mean square has an uncertainty of a tenth.
    let ratio = number(few, "rms") / number(many, "rms");
    assert!((3.0..5.4).contains(&ratio), "{ratio}");
    for row in [many, few] {
        let ratio = number(row, "rms") / number(row, "expected");
        assert!((0.7..1.4).contains(&ratio), "{row}");
        assert!(number(row, "largest") >= number(row, "rms"));
    }
}

#[test]
fn errors_are_those_of_the_samples() {
    let folder = TempDir::new().expect("a directory");
    let path = folder.path().join("run.samples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/study").join(LOOP);
    command
        .arg("sample")
        .arg(source)
        .args(["--op", "500", "--seed", "7", "--truth", "-o"])
        .arg(&path);
    assert!(command.output().expect("the command starts").status.success());
    let recording = read(&path).expect("a recording");
    let samples = recording.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
    let mut taken: BTreeMap<u32, f64> = BTreeMap::new();
    for sample in samples.clone() {
        *taken.entry(sample.address().expect("an address")).or_default() += 1.0;
    }
    let instructions = &recording.truth.as_ref().expect("exact counts").instructions;
    let ops: u64 = instructions.iter().map(|row| row.ops).sum();
    let squares = instructions.iter().map(|row| {
        let sampled = taken.get(&row.address).copied().unwrap_or(0.0) / samples.clone().count() as f64;
        (sampled - row.ops as f64 / ops as f64).powi(2)
    });
    let rms = (squares.sum::<f64>() / instructions.len() as f64).sqrt() * 100.0;
    let study = json("--by insn --periods 500 --seeds 1 --seed 7");
    let row = &rows(&study, "errors")[0];
    assert_eq!(study["ops"], ops);
    assert_eq!(number(row, "samples"), samples.count() as f64);
    assert!((number(row, "rms") - rms).abs() < 1e-9, "{row} {rms}");
}

#[test]
fn a_multiple_of_the_loop_takes_one_op_unless_distances_are_random() {
    let study = json("--seeds 20");
    assert_eq!(study["loop_ops"], 8);
    let biased: Vec<&Value> = rows(&study, "biases").iter().filter(|row| row["left"] == 0).collect();
    assert!(biased.len() >= 3, "{study}");
    for row in biased {
        let (share, p) = (number(row, "share"), number(row, "p"));
        match row["randomization"].as_str() {
            Some("none") => assert!(share == 100.0 && p < 1e-6, "{row}"),
            _ => assert!(share < 20.0 && p > 0.001, "{row}"),
        }
    }
}

#[test]
fn samples_by_clocks_follow_clocks() {
    let study = json("--by insn");
    let waits = rows(&study, "waits");
    let first = &waits[0];
    assert!(number(first, "sampled") > 2.0 * number(first, "executed"), "{first}");
    assert!(
        number(first, "waited") > 1.0 && first["why"].as_str().is_some(),
        "{first}"
    );
    for row in waits {
        assert!((number(row, "sampled") - number(row, "clocks")).abs() < 3.0, "{row}");
    }
}

#[test]
fn seeds_alone_decide() {
    let arguments = format!("{LOOP} --study --seeds 3 --format json");
    let [one, four] = ["1", "4"].map(|threads| study(&arguments, threads).stdout);
    assert!(!one.is_empty() && one == four);
    assert!(study(&format!("{arguments} --seed 9"), "1").stdout != one);
}

#[test]
fn the_page_needs_nothing_and_json_has_the_fields_of_its_schema() {
    let page = text(&format!("{LOOP} --study --seeds 4 --format html"));
    assert!(page.contains("<svg") && page.contains("stroke-dasharray") && page.contains("prefers-color-scheme: dark"));
    assert!(page.contains("default-src 'none'") && !page.contains("style=") && !page.contains("src="));
    assert!(!page.contains("http:") && !page.contains("https:"));
    let study = json("--seeds 4");
    for row in rows(&study, "errors") {
        assert!(page.contains(&format!(">{:.3}</td>", number(row, "rms"))), "{row}");
    }
    let schema = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(["schema", "study"])
        .output();
    let schema: Value = serde_json::from_slice(&schema.expect("it starts").stdout).expect("JSON");
    assert_eq!(schema["title"], "p5inst study");
    let names = |value: &Value| {
        value
            .as_object()
            .map(|object| object.keys().cloned().collect::<Vec<_>>())
    };
    assert_eq!(names(&schema["properties"]), names(&study));
}

#[test]
fn what_cannot_be_studied_is_said_in_one_line() {
    for (options, said) in [
        (
            "--study --periods 10",
            "--periods 10 is too small for --rand hw, which needs at least 64",
        ),
        (
            "--study --periods 64,128 --seeds 501",
            "1002 samplers, which are seeds times periods, are too many",
        ),
        (
            "--study --periods 100000",
            "a period of 100000 gives 1 samples in a run",
        ),
        ("-o none --format html", "a page is of a study only"),
        ("--study --format html -o loop.asm", "loop.asm"),
    ] {
        let output = study(&format!("{LOOP} {options}"), "1");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{options}: {error}");
        assert!(error.contains(said) && error.lines().count() == 1, "{options}: {error}");
        assert!(output.stdout.is_empty());
    }
}

/// No sampler counts while the core sleeps, and no instruction waits for its end.
#[test]
fn sleep_is_left_out_by_all_samplers() {
    let asleep = include_str!("../../snapshots/asm/halt_with_a_timer.asm");
    let work = "mov esi,20000\nbefore: imul eax,esi\ndec esi\njnz before\nrdtsc\nmov first,eax\n";
    let text = asleep.replacen("rdtsc\n        mov     first,eax\n", work, 1);
    let text = text.replace("equ    100000", "equ    1000000");
    assert!(text.contains("before") && text.contains("1000000"), "{text}");
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = folder.path().join("asleep.asm");
    std::fs::write(&program, text).expect("a file is written");
    let program = program.to_str().expect("a printable path");
    let options = "--monitor perfmon --study --mode cycles --format json --seeds 4 --periods 512";
    let output = study(&format!("{program} {options}"), "2");
    let study: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // 200,000 clocks awake in 512s, and a million asleep.
    assert!(
        (1_100_000.0..1_300_000.0).contains(&number(&study, "clocks")),
        "{study}"
    );
    assert!((1400.0..1700.0).contains(&number(&study, "clocks_samples")), "{study}");
    assert!(number(&study, "clocks_dropped") < 100.0, "{study}");
    let cli = rows(&study, "waits").iter().find(|row| row["text"] == "cli");
    assert!(cli.is_none_or(|row| number(row, "waited") < 1000.0), "{study}");
}
