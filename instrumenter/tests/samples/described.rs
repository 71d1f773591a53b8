//! Files with fields that this version does not know: the file describes them, and they have names in every question.
//! Histograms by instruction, procedure and line, of these fields and of known ones.

use super::{answered, refused, stored};
use crate::samples::specimen::{LATER, recording, seed};
use fastrand::Rng;
use instrumenter::command::samples::{read, write};
use runtime::model::ibs::{DC_MISS_LAT, Field, OP_RIP};
use runtime::record::{Grouping, SampleKind};
use runtime::samples::{Analysis, ENOUGH};
use std::path::Path;
use tempfile::TempDir;

/// The names and bits of two fields of a register that this version does not know.
const FIELDS: &str = "INSERT INTO fields VALUES (3221295167, 'IbsLaterClocks', 4, 15, 'clocks', 'clocks of later'),
                      (3221295167, 'IbsLaterSeen', 63, 63, 'flag', 'seen later')";

/// A file of op samples, some with the unknown register, changed by SQL statements.
fn described(statements: &str) -> (TempDir, std::path::PathBuf, Analysis) {
    assert_eq!(LATER, 3_221_295_167);
    let mut given = recording(&mut Rng::with_seed(seed()), 2_000);
    given.sampling.choice.load_latency = None;
    given.sampling.choice.last_level_misses_only = false;
    let (folder, path) = stored(&given);
    let database = rusqlite::Connection::open(&path).expect("a file of SQLite");
    database.execute_batch(statements).expect("statements");
    (folder, path, given)
}

fn json(path: &Path, question: &[&str]) -> serde_json::Value {
    let arguments = [question, &["--format", "json", "--rows", "100000"]].concat();
    serde_json::from_str(&answered(path, &arguments)).expect("JSON")
}

fn images(given: &Analysis) -> Vec<u64> {
    let images = given.samples.iter().filter_map(|sample| sample.images.get(LATER));
    images.collect()
}

#[test]
fn fields_that_a_file_describes_have_names_in_every_question() {
    let (_folder, path, given) = described(FIELDS);
    let images = images(&given);
    assert!(!images.is_empty());
    assert!(answered(&path, &["names"]).contains("IbsLaterClocks"));
    assert!(answered(&path, &["hist"]).contains("clocks of later"));
    let seen = images.iter().filter(|&image| image >> 63 == 1).count();
    let hist = json(&path, &["hist", "ibslaterclocks"]);
    let rows = hist["rows"].as_array().expect("rows");
    let samples: u64 = rows.iter().filter_map(|row| row["samples"].as_u64()).sum();
    assert_eq!(samples, images.len() as u64, "{hist}");
    let top = json(
        &path,
        &["top", "--pm", "IbsLaterSeen", "--where", "IbsLaterClocks>=2048"],
    );
    let rows = top["rows"].as_array().expect("rows");
    let sum: u64 = rows.iter().filter_map(|row| row["IbsLaterSeen"].as_u64()).sum();
    let expected = images
        .iter()
        .filter(|&image| image >> 63 == 1 && image >> 4 & 0xFFF >= 2048);
    assert_eq!(sum, expected.count() as u64, "{top}");
    let views = "select (select sum(IbsLaterSeen) from ops) + (select sum(IbsLaterSeen) from fetches) as seen";
    let answer = json(&path, &[views]);
    assert_eq!(answer["rows"][0]["seen"], seen, "{answer}");
    assert!(refused(&path, &["hist", "IbsLaterClock"]).contains("did you mean `IbsLaterClocks`?"));
    // Unknown registers that are read are written again.
    let again = read(&path).expect("a recording");
    let folder = TempDir::new().expect("a directory");
    let copy = folder.path().join("copy.samples");
    write(&again, &copy).expect("a file");
    assert_eq!(read(&copy).expect("a recording"), again);
    assert_eq!(again.described.fields().len(), 2);
}

#[test]
fn columns_may_have_the_names_that_the_file_gives_their_registers() {
    let renamed = format!(
        "{FIELDS}; UPDATE registers SET name = 'Ibs Later\"s', kind = 'op' WHERE number = 3221295167;
         UPDATE registers SET name = 'IbsLater' WHERE number = 3221295167;
         ALTER TABLE samples RENAME COLUMN msr_C001103F TO IbsLater; ALTER TABLE samples ADD COLUMN remark TEXT"
    );
    let (_folder, path, given) = described(&renamed);
    let found = read(&path).expect("a recording");
    let of_ops = |recording: &Analysis| {
        let ops = recording.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
        ops.filter_map(|sample| sample.images.get(LATER)).collect::<Vec<_>>()
    };
    assert_eq!(of_ops(&found), of_ops(&given));
    let answer = json(&path, &["select sum(IbsLaterSeen) as seen from ops"]);
    let seen = of_ops(&given).iter().filter(|&image| image >> 63 == 1).count();
    assert_eq!(answer["rows"][0]["seen"], seen, "{answer}");
}

/// Statements that describe this many fields.
fn many_fields(count: u32) -> String {
    (0..count)
        .map(|number| format!("INSERT INTO fields VALUES (3221295167, 'Ibs{number}', 0, 0, 'flag', '');"))
        .collect()
}

#[test]
fn as_many_fields_as_are_allowed_are_read_written_and_read_again() {
    let (folder, path, _) = described(&many_fields(128));
    let found = read(&path).expect("a recording");
    assert_eq!(found.described.fields().len(), 128);
    let again = folder.path().join("again.samples");
    write(&found, &again).expect("a file");
    assert_eq!(read(&again).expect("a recording"), found);
}

#[test]
fn impossible_and_too_many_fields_are_refused() {
    for (statements, why) in [
        (
            "INSERT INTO fields VALUES (3221295167, 'IbsNowhere', 7, 3, 'flag', '')".to_owned(),
            "field \"IbsNowhere\" in table `fields` has bits 7 to 3",
        ),
        (
            format!("{FIELDS}; INSERT INTO fields VALUES (3221295167, 'ibslaterseen', 0, 0, 'flag', '')"),
            "field \"ibslaterseen\" stands twice in table `fields`",
        ),
        (
            "INSERT INTO fields VALUES (3221295167, 'IbsOdd', 0, 0, 'furlongs', '')".to_owned(),
            "has the unit \"furlongs\"; units are flag, clocks, count,",
        ),
        (
            "INSERT INTO fields SELECT * FROM fields WHERE name = 'IbsDcMissLat'".to_owned(),
            "\"IbsDcMissLat\" stands twice",
        ),
        (
            "INSERT INTO fields VALUES (3221295167, 'retired', 0, 0, 'flag', '')".to_owned(),
            "\"retired\" in table `fields` cannot name a field",
        ),
        (
            "INSERT INTO fields VALUES (3221295167, 'a b', 0, 0, 'flag', '')".to_owned(),
            "\"a b\" in table `fields` cannot name a field",
        ),
        (many_fields(129), "more than 128 fields that this p5inst does not know"),
    ] {
        let (_folder, path, _) = described(&statements);
        let error = read(&path).expect_err("refused");
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_register_of_ones_own_is_a_column_and_a_row_for_each_field() {
    let statements = "ALTER TABLE samples ADD COLUMN msr_C0011099 INTEGER; UPDATE samples SET msr_C0011099 = number;
                      INSERT INTO fields VALUES (0xC0011099, 'Own', 0, 3, 'count', 'a number of my own')";
    let (_folder, path, given) = described(statements);
    let hist = json(&path, &["hist", "Own"]);
    let rows = hist["rows"].as_array().expect("rows");
    let samples: u64 = rows.iter().filter_map(|row| row["samples"].as_u64()).sum();
    assert_eq!(samples, given.samples.len() as u64, "{hist}");
    assert_eq!(
        (&rows[0]["from"], &rows[rows.len() - 1]["to"]),
        (&0.into(), &15.into()),
        "{hist}"
    );
    // Divided by an event of ops, it is a figure of ops, as it is with a row in the table of registers.
    let also = "INSERT INTO registers VALUES (0xC0011099, 'Own', 'op', 'a register of my own')";
    for statements in [statements, &format!("{statements}; {also}")] {
        let (_folder, path, given) = described(statements);
        let ratio = json(&path, &["top", "--pm", "own::retired", "--by", "proc"]);
        let rows = ratio["rows"].as_array().expect("rows").iter();
        let samples: u64 = rows.filter_map(|row| row["samples"].as_u64()).sum();
        let ops = given.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
        assert_eq!(samples, ops.count() as u64, "{ratio}");
    }
}

/// The number of samples in the buckets of a row.
fn inside(row: &serde_json::Value) -> u64 {
    let cells = row.as_object().expect("a row").iter();
    let buckets = cells.filter(|(name, _)| name.starts_with("samples_of_"));
    buckets.filter_map(|(_, count)| count.as_u64()).sum()
}

#[test]
fn histograms_by_place_have_the_samples_of_the_whole() {
    let (_folder, path, given) = described(FIELDS);
    let whole = |field: &Field| given.histogram(field, false);
    for field in [&DC_MISS_LAT, &OP_RIP] {
        let whole = whole(field);
        assert!(whole.samples > 0);
        for (by, name) in [
            (Grouping::Instruction, "insn"),
            (Grouping::Procedure, "proc"),
            (Grouping::Line, "line"),
        ] {
            let rows = given.histograms(field, &whole, by);
            let sum = |bucket: usize| rows.iter().map(|row| row.buckets[bucket]).sum::<u64>();
            for (number, bucket) in whole.buckets.iter().enumerate() {
                assert_eq!(sum(number), bucket.samples, "{} by {name}", field.name);
            }
            let answer = json(&path, &["hist", field.name, "--by", name]);
            let found = answer["rows"].as_array().expect("rows");
            assert_eq!(found.len(), rows.len(), "{answer}");
            for (row, expected) in found.iter().zip(&rows) {
                assert_eq!(row["samples"], expected.samples, "{row}");
                assert_eq!(inside(row), expected.samples, "{row}");
            }
            let table = answered(&path, &["hist", field.name, "--by", name, "--format", "csv"]);
            assert_eq!(table.lines().count(), rows.len() + 1);
            let text = answered(&path, &["hist", field.name, "--by", name]);
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            // What is said of small rows is said of those that are shown.
            let first = answered(&path, &["hist", field.name, "--by", name, "--rows", "1"]);
            let few = rows[0].samples < ENOUGH;
            assert_eq!(first.contains("1 row with fewer than"), few, "{first}");
            assert!(!first.contains("rows with fewer than"), "{first}");
        }
    }
    assert!(answered(&path, &["hist", "IbsLaterClocks", "--by", "proc"]).contains("each column"));
}
