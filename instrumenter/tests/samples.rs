//! Files of samples: written files are read back, by p5inst and by other programs; damaged or hostile files are
//! rejected; estimates agree with exact figures.

mod asked;
mod blame;
mod changed;
mod described;
mod grading;
mod hidden_waits;
mod lacking;
mod mutated;
mod plausible;
mod programs;
mod repeated;
mod sizes;
mod specimen;
mod sql;
mod stopped;
mod written_back;

use crate::consumers;
use fastrand::Rng;
use instrumenter::command::samples::{read, write};
use plausible::{Hidden, hidden};
use runtime::model::ibs::DC_MISS_LAT;
use runtime::record::SampleKind;
use runtime::record::derived::{DERIVED, SUM_RULES, derived};
use runtime::samples::{Analysis, DataGrouping, DataPlace};
use specimen::{LATER, recording, seed};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn stored(recording: &Analysis) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a directory");
    let path = folder.path().join("run.samples");
    write(recording, &path).expect("a file");
    (folder, path)
}

fn query(path: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.arg("query").arg(path).args(arguments);
    command
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS");
    command.output().expect("the command starts")
}

fn answered(path: &Path, arguments: &[&str]) -> String {
    let output = query(path, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    assert_eq!(error, "", "{arguments:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The one-line message that rejects a question.
fn refused(path: &Path, arguments: &[&str]) -> String {
    let output = query(path, arguments);
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert_eq!(
        (output.stdout.len(), error.lines().count()),
        (0, 1),
        "{arguments:?}: {error}"
    );
    error
}

const QUESTIONS: [&[&str]; 19] = [
    &[],
    &["derive"],
    &["names"],
    &["hist"],
    &["hist", "IbsDcMissLat"],
    &["hist", "ibstagtoretctr"],
    &["hist", "IbsFetchLat"],
    &["hist", "IbsDcLinAd"],
    &["data"],
    &["data", "--by", "line"],
    &["data", "--by", "page"],
    &["top"],
    &["top", "--by", "proc", "--pm", "F206,op_load+IbsDcMissLat::retired"],
    &[
        "top",
        "--by",
        "line",
        "--pm",
        "taken",
        "--where",
        "IbsOpBrnRet=1,IbsDcMissLat<0x8000",
    ],
    &["top", "--where", "IbsDcMiss,IbsLdOp!=0"],
    &["ear", "--lat", "100"],
    &["pairs"],
    &["select name from sqlite_schema"],
    &["select * from derived where count > 0"],
];

#[test]
fn a_recording_is_read_as_it_was_written() {
    let mut rng = Rng::with_seed(seed());
    for packets in [0, 1, 2, 500] {
        let mut given = recording(&mut rng, packets);
        if packets == 2 {
            given.truth = None;
            given.sampling.choice.window = None;
            given.machine.width = None;
        }
        let (_folder, path) = stored(&given);
        let read = read(&path).expect("a recording");
        assert_eq!(read, given);
        if packets == 500 {
            let later = read.samples.iter().filter_map(|one| one.images.get(LATER));
            assert!(later.count() > 0);
        }
    }
}

#[test]
fn the_same_recording_gives_the_same_bytes() {
    let given = recording(&mut Rng::with_seed(7), 200);
    let [first, second] = [stored(&given), stored(&given)].map(|(_folder, path)| std::fs::read(path).expect("a file"));
    assert!(first == second);
}

#[test]
fn sums_of_derived_events_hold_for_any_packets() {
    let mut rng = Rng::with_seed(seed());
    for _ in 0..20 {
        let given = recording(&mut rng, 300);
        let sum = |code: u16| given.sum(derived(code).expect("an event")).total;
        assert_eq!(sum(0xF000), given.count(SampleKind::Fetch));
        assert_eq!(sum(0xF100), given.count(SampleKind::Op));
        assert!(SUM_RULES.contains(&(0xF000, &[0xF001, 0xF002])));
        assert!(SUM_RULES.contains(&(0xF002, &[0xF003, 0xF004])));
        for (whole, parts) in SUM_RULES {
            assert_eq!(
                sum(*whole),
                parts.iter().map(|part| sum(*part)).sum::<u64>(),
                "{whole:04X}"
            );
        }
    }
}

/// The derived events, as lines of code and sum.
fn expected(recordings: &[&Analysis]) -> String {
    let total = |event| recordings.iter().map(|one| one.sum(event).total).sum::<u64>();
    DERIVED
        .iter()
        .map(|event| format!("{:04X} {}\n", event.code, total(event)))
        .collect()
}

fn by_script(arguments: [&str; 2]) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples/derived.py");
    let output = Command::new("python3")
        .arg(script)
        .args(arguments)
        .output()
        .expect("python3 starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn another_program_derives_the_same_from_the_bits_in_the_file() {
    let given = recording(&mut Rng::with_seed(seed()), 900);
    let (_folder, path) = stored(&given);
    let expected = expected(&[&given]);
    let rows = answered(&path, &["select * from derived", "--format", "csv"]);
    let view = rows.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        format!("{:04X} {}\n", cells[0].parse::<u16>().expect("a code"), cells[2])
    });
    assert_eq!(view.collect::<String>(), expected);
    if consumers::available("sqlite", "python3", &["-c", "import sqlite3"]) {
        assert_eq!(by_script(["sqlite", path.to_str().expect("UTF-8")]), expected);
    }
}

#[cfg(feature = "parquet")]
#[test]
fn duckdb_derives_the_same_over_several_exports() {
    let mut rng = Rng::with_seed(seed());
    let lake = TempDir::new().expect("a directory");
    let recordings = [700, 1, 300].map(|packets| recording(&mut rng, packets));
    for (number, given) in recordings.iter().enumerate() {
        let folder = TempDir::new().expect("a directory");
        let path = folder.path().join(format!("run {number}.samples"));
        write(given, &path).expect("a file");
        answered(&path, &["--export", lake.path().to_str().expect("UTF-8")]);
    }
    let part = |number: usize| {
        lake.path()
            .join(format!("kind=op/recording=run%20{number}/part-00000.parquet"))
    };
    assert!(part(0).is_file() && part(2).is_file());
    if consumers::available("duckdb", "python3", &["-c", "import duckdb"]) {
        // The second op of a pair is not a separate sample.
        let expected = expected(&[&recordings[0], &recordings[1], &recordings[2]]);
        assert_eq!(by_script(["duckdb", lake.path().to_str().expect("UTF-8")]), expected);
    }
}

#[test]
fn views_name_the_places_that_reports_name() {
    let given = recording(&mut Rng::with_seed(seed()), 600);
    let (_folder, path) = stored(&given);
    let question = "select number, label, procedure, (select id from files where name = file), line from ops";
    let shown = answered(&path, &[question, "--format", "csv"]);
    let ops = given.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
    let expected = ops.map(|sample| {
        let address = sample.address();
        let label = address.and_then(|address| given.procedure(address));
        let label = label.map_or("", |symbol| &symbol.name);
        let routine = address.and_then(|address| given.routine(address));
        let procedure = routine.map_or(std::borrow::Cow::Borrowed(""), |routine| routine.name());
        let line = address.and_then(|address| given.line(address));
        let place = line.map_or(",".to_owned(), |line| format!("{},{}", line.file, line.line));
        format!("{},{label},{procedure},{place}\n", sample.number)
    });
    let rows = shown.split_once('\n').map_or("", |(_, rows)| rows);
    assert_eq!(rows, expected.collect::<String>());
}

#[cfg(feature = "parquet")]
#[test]
fn an_export_is_replaced_whole_and_alone() {
    let given = recording(&mut Rng::with_seed(seed()), 300);
    let pairs = given.samples.iter().filter(|sample| sample.pair.is_some()).count();
    let (folder, path) = stored(&given);
    let lake = folder.path().join("lake");
    let target = lake.to_str().expect("UTF-8");
    let said = answered(&path, &["--export", target]);
    let words = format!("wrote {} rows as 3 Parquet files to", 100 + pairs);
    assert!(said.contains(&words), "{said}");
    // Files of the old export disappear, and nothing else is left beside the new one.
    let old = lake.join("kind=op/recording=run/part-00001.parquet");
    std::fs::write(&old, "old").expect("a file");
    answered(&path, &["--export", target]);
    assert!(!old.exists());
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("a directory");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> = entries.map(|one| name(one).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&lake), ["kind=fetch", "kind=op", "kind=pair"]);
    assert_eq!(names(&lake.join("kind=op/recording=run")), ["part-00000.parquet"]);
    std::fs::write(lake.join("notes.txt"), "mine").expect("a file");
    assert!(refused(&path, &["--export", target]).contains("has `notes.txt`, which is no part of an export"));
    assert!(lake.join("kind=op/recording=run/part-00000.parquet").is_file());
    let file = lake.join("notes.txt");
    assert!(refused(&path, &["--export", file.to_str().expect("UTF-8")]).contains("is a file; name a directory"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let given = recording(&mut Rng::with_seed(seed()), 20_000);
    let (_folder, path) = stored(&given);
    for form in ["text", "json", "csv"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
        command
            .arg("query")
            .arg(&path)
            .args(["--format", form, "--rows", "100000", "select * from ops"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{form}");
        assert_eq!(output.status.code(), Some(0), "{form}");
    }
}

#[test]
fn estimates_agree_with_what_is_hidden() {
    let mut rng = Rng::with_seed(seed());
    for _ in 0..3 {
        let Hidden {
            hot,
            latencies,
            recording,
        } = hidden(&mut rng, 200_000, 50);
        let scale = recording.scale(SampleKind::Op);
        for event in DERIVED.iter().filter(|event| event.kind == SampleKind::Op) {
            let exact = recording.exact(event).expect("an exact figure");
            let sigmas = recording
                .sum(event)
                .sigmas(scale.expect("a scale"), exact, recording.usual(event))
                .unwrap_or_default();
            assert!(sigmas.abs() < 5.0, "{}: {sigmas}", event.name);
        }
        let spikes: Vec<(u64, u64)> = recording
            .histogram(&DC_MISS_LAT, false)
            .buckets
            .iter()
            .map(|one| (one.from, one.to))
            .collect();
        assert_eq!(spikes, latencies.map(|latency| (latency, latency)));
        let data = recording.data(DataGrouping::Symbol);
        assert!(
            matches!(&data[0].0, DataPlace::Symbol(name, _) if *name == hot),
            "{:?}",
            data[0].0
        );
        let slow = recording.slow_loads(latencies[1]);
        let exact = slow.exact.expect("an exact figure");
        let sigmas = slow.sum.sigmas(scale.expect("a scale"), exact, 1.0).expect("an error");
        assert!(exact > 0 && sigmas.abs() < 5.0, "{sigmas}");
        let stalls = recording.stalls().expect("stalls");
        // The program only misses and mispredicts, and samples show both.
        let right = stalls.blamed_right().expect("stalls that are known");
        assert!(right > 0.95, "{right}");
        for row in recording.pairs().iter().filter(|row| row.pairs >= 100) {
            let exact = row.exact_overlap().expect("an exact figure");
            let error = (exact * (1.0 - exact) / row.pairs as f64).sqrt();
            assert!(
                (row.overlap() - exact).abs() < 5.0 * error + 0.01,
                "{} of {exact}",
                row.overlap()
            );
        }
    }
}

#[test]
fn every_answer_fits_the_terminal_and_its_json_has_its_columns() {
    let seed = seed();
    let given = recording(&mut Rng::with_seed(seed), 900);
    let plausible = hidden(&mut Rng::with_seed(seed), 20_000, 40).recording;
    let stalls: [&[&str]; 3] = [&["calc"], &["topstalls"], &["whatcg"]];
    for (recording, questions) in [
        (&given, &QUESTIONS[..]),
        (&plausible, &QUESTIONS[..]),
        (&plausible, &stalls[..]),
    ] {
        let (_folder, path) = stored(recording);
        for (question, truth) in questions
            .iter()
            .flat_map(|question| [(question, false), (question, true)])
        {
            let with = |more: &[&'static str]| {
                let mut all = question.to_vec();
                all.extend(truth.then_some("--truth"));
                all.extend(more);
                all
            };
            let text = answered(&path, &with(&[]));
            for line in text.lines() {
                assert!(line.chars().count() <= 80, "{question:?} {truth}: {line}");
            }
            let json: serde_json::Value =
                serde_json::from_str(&answered(&path, &with(&["--format", "json"]))).expect("JSON");
            let columns: Vec<&str> = json["columns"]
                .as_array()
                .expect("columns")
                .iter()
                .filter_map(|one| one["name"].as_str())
                .collect();
            let rows = json["rows"].as_array().expect("rows");
            for row in rows {
                let keys = row.as_object().expect("a row");
                assert!(keys.len() == columns.len() && columns.iter().all(|column| keys.contains_key(*column)));
            }
            let table = answered(&path, &with(&["--format", "csv"]));
            assert_eq!(
                table.lines().count(),
                if columns.is_empty() { 1 } else { rows.len() + 1 },
                "{question:?}"
            );
        }
    }
}

#[test]
fn a_question_that_cannot_be_asked_says_what_can() {
    let (folder, path) = stored(&recording(&mut Rng::with_seed(1), 50));
    for (question, why) in [
        (vec!["derive", "--rows", "100001"], "text has at most 100000"),
        (vec!["dervie"], "there is no question `dervie`; did you mean `derive`?"),
        (vec!["hist", "IbsDcMis"], "did you mean `IbsDcMiss`?"),
        (vec!["top", "--pm", "dcmis::retired"], "did you mean `dcmiss`?"),
        (
            vec!["top", "--pm", "dcmiss,l2miss"],
            "there is no figure `l2miss`; did you mean `icmiss`?",
        ),
        (vec!["top", "--pm", "dcmiss::"], "a name is missing"),
        (vec!["top", "--pm", "icmiss::retired"], "sampled separately"),
        (vec!["top", "--where", "IbsDcMis"], "is no condition"),
        (
            vec!["top", "--where", "proc=nosuch"],
            "there is no procedure or label `nosuch`",
        ),
        (vec![""], "the question is empty; there are derive, names, hist"),
        (vec!["top", "--where", "IbsDcMiss=x"], "`x` is no number"),
        (vec!["diff", "none.samples"], "no such file: `none.samples`"),
        (vec!["calc"], "only some ops were kept, by a filter"),
    ] {
        let error = refused(&path, &question);
        assert!(error.contains(why), "{question:?}: {error}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    let output = command
        .args(["query", "calc", "run.samples"])
        .output()
        .expect("the command starts");
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(
        error.contains("the file of samples comes first: `p5inst query FILE calc`"),
        "{error}"
    );
    let other = folder.path().join("other.samples");
    write(&recording(&mut Rng::with_seed(2), 600), &other).expect("a file");
    assert!(answered(&path, &["diff", other.to_str().expect("UTF-8")]).contains("sigmas"));
}

#[test]
fn clocks_of_long_waits_are_read_as_they_were_written() {
    let mut given = recording(&mut Rng::with_seed(5), 100);
    let truth = given.truth.as_mut().expect("a truth");
    (truth.clocks, truth.instructions[0].clocks) = (1 << 60, 1 << 60);
    given.samples[9].clock = 1 << 60;
    let (_folder, path) = stored(&given);
    assert_eq!(read(&path).expect("a recording"), given);
    given.samples[9].clock = 1 << 63;
    let folder = TempDir::new().expect("a directory");
    let path = folder.path().join("none.samples");
    let error = write(&given, &path).expect_err("too large");
    assert!(error.contains("a count is above") && !path.exists(), "{error}");
}
