//! Files of samples with random changes of cells and rows: each file is rejected in one line, or answers every
//! question.

use super::stored;
use crate::samples::plausible::hidden;
use crate::samples::specimen::{recording, seed};
use cpu_time::ProcessTime;
use fastrand::Rng;
use instrumenter::command::samples::read;
use p5_seeds::bounds::{assert_bounded_memory, slowness};
use p5_seeds::damage;
use runtime::model::ibs::{FIELDS, FieldUnit};
use runtime::record::Grouping;
use runtime::report::samples::{self as words, Answer, AnswerForm, Partition};
use runtime::report::{Detail, Style};
use runtime::samples::{Analysis, DataGrouping, Ratio};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::path::Path;
use std::time::Duration;

/// The numbers of files with changed cells and with changed bytes, and the variable that sets another number.
const ROUNDS: usize = 100;
const FEW_ROUNDS: usize = 50;
const MORE: &str = "P5INST_ROUNDS";
/// The limit of processor time for one damaged file.
const PATIENCE: Duration = Duration::from_secs(10);

/// The new value of a cell.
fn odd(rng: &mut Rng) -> Value {
    let numbers = [
        -1,
        0,
        1,
        3,
        24,
        255,
        1 << 16,
        1 << 31,
        (1 << 32) - 1,
        1 << 32,
        1 << 61,
        1 << 62,
        i64::MAX,
        i64::MIN,
    ];
    let texts = [
        "",
        "text",
        "0",
        "-1",
        "4294967295",
        "4611686018427387904",
        "99999999999999999999",
        "\u{202e}\0",
    ];
    match rng.u8(..8) {
        0 => Value::Null,
        1 => Value::Real([1.5, 1e300, f64::NAN, -0.0][rng.usize(..4)]),
        2 => Value::Blob(vec![rng.u8(..); [0, 1, 7, 70_000][rng.usize(..4)]]),
        3 => Value::Text("x".repeat([5000, 70_000][rng.usize(..2)])),
        4 | 5 => Value::Text(texts[rng.usize(..texts.len())].to_owned()),
        _ => Value::Integer(numbers[rng.usize(..numbers.len())]),
    }
}

/// The beginning of a value as text.
fn short(value: &impl std::fmt::Debug) -> String {
    format!("{value:?}").chars().take(60).collect()
}

/// Changes a table of a file, and returns a description. The table then has neither types nor keys.
fn mutate(path: &Path, rng: &mut Rng) -> String {
    let database = Connection::open(path).expect("a file of SQLite");
    let hasty = "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF";
    database.execute_batch(hasty).expect("pragmas");
    let names = |query: &str| -> Vec<String> {
        let mut rows = database.prepare(query).expect("a query");
        let rows = rows.query_map([], |row| row.get(0)).expect("rows");
        rows.map(|row| row.expect("a row")).collect()
    };
    let mut tables = names("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    // These tables hold most single values, so they are chosen more often.
    tables.extend(["meta".to_owned(), "meta".to_owned(), "attempts".to_owned()]);
    let table = rng.choice(&tables).expect("a table").clone();
    let columns = names(&format!("SELECT name FROM pragma_table_info('{table}')"));
    let mut rows: Vec<Vec<Value>> = {
        let mut rows = database.prepare(&format!("SELECT * FROM {table}")).expect("a query");
        let row = |row: &rusqlite::Row<'_>| (0..columns.len()).map(|column| row.get(column)).collect();
        let rows = rows.query_map([], row).expect("rows");
        rows.map(|row| row.expect("a row")).collect()
    };
    if rows.is_empty() {
        return String::new();
    }
    let (at, column) = (rng.usize(..rows.len()), rng.usize(..columns.len()));
    let said = match rng.u8(..12) {
        0 => {
            let row = rows.remove(at);
            format!("{table} without {}", short(&row))
        }
        1 => {
            rows.push(rows[at].clone());
            format!("{table} with {} twice", short(&rows[at]))
        }
        2 => {
            let value = odd(rng);
            rows.iter_mut().for_each(|row| row[column] = value.clone());
            format!("{table}.{} all {}", columns[column], short(&value))
        }
        _ => {
            let column = if table == "meta" { 1 } else { column };
            let value = odd(rng);
            let (row, value_is) = (short(&rows[at]), short(&value));
            let said = format!("{table}.{} of {row} is {value_is}", columns[column]);
            rows[at][column] = value;
            said
        }
    };
    let quoted: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    let places = vec!["?"; columns.len()].join(", ");
    let made = format!("DROP TABLE {table}; CREATE TABLE {table} ({})", quoted.join(", "));
    database.execute_batch(&made).expect("another table");
    let mut insert = database
        .prepare(&format!("INSERT INTO {table} VALUES ({places})"))
        .expect("a statement");
    for row in rows {
        insert.execute(params_from_iter(row)).expect("a row");
    }
    said
}

/// Asks all questions in all formats.
fn ask(recording: &Analysis, other: &Analysis) {
    let style = Style::plain(80, Detail::Short);
    let show = |answer: Answer<'_>| {
        for form in [AnswerForm::Text, AnswerForm::Json, AnswerForm::Csv] {
            let mut out = Vec::new();
            words::write_answer(form, &answer, &style, &mut out).expect("memory");
            let text = String::from_utf8(out).expect("UTF-8");
            let mut words = text.split([' ', ',', '\n']);
            assert!(
                !words.any(|word| ["NaN", "NaN%", "inf", "-inf"].contains(&word)),
                "{text}"
            );
        }
    };
    let ratios = Ratio::parse("F206,op_load+IbsDcMissLat::retired,fetched", recording).expect("columns");
    show(words::overview(recording));
    show(words::differences(recording, other, usize::MAX));
    show(words::differences(other, recording, 3));
    for (truth, rows) in [(false, usize::MAX), (true, usize::MAX), (true, 1)] {
        let shown = words::Shown { truth, rows };
        show(words::derived(recording, shown));
        for field in FIELDS.iter().filter(|field| field.unit != FieldUnit::Flag) {
            show(words::histogram(recording, field, shown));
        }
        for by in [DataGrouping::Symbol, DataGrouping::Line, DataGrouping::Page] {
            show(words::data(recording, by, shown));
        }
        for by in [Grouping::Instruction, Grouping::Procedure, Grouping::Line] {
            show(words::top(recording, &ratios, &[], by, shown));
        }
        show(words::slow_loads(recording, 1, shown));
        show(words::pairs(recording, shown));
        if let Ok(stalls) = recording.stalls() {
            show(words::calculation(recording, &stalls, shown));
            show(words::top_stalls(recording, &stalls, shown));
            show(words::where_clocks_go(recording, &stalls, shown));
        }
    }
    for partition in Partition::ALL {
        let files = words::parquet_files(recording, partition);
        assert_eq!(files.is_ok(), cfg!(feature = "parquet"));
    }
}

#[test]
fn any_cell_may_hold_anything() {
    let seed = seed();
    let mut rng = Rng::with_seed(seed);
    let mut plausible = hidden(&mut rng, 2_000, 20).recording;
    plausible.code = recording(&mut rng, 3).0.code;
    plausible.code_bits = 32;
    let given = [recording(&mut rng, 120), plausible];
    let (mut asked, mut refused) = (0, 0);
    let rounds = p5_seeds::number(MORE).unwrap_or(ROUNDS);
    for round in 0..rounds {
        let (_folder, path) = stored(&given[round % 2]);
        let mut said = mutate(&path, &mut rng);
        if rng.u8(..4) == 0 {
            said += " and ";
            said += &mutate(&path, &mut rng);
        }
        println!("round {round}: {said}");
        match read(&path) {
            Ok(found) => {
                ask(&found, &given[0]);
                asked += 1;
            }
            Err(why) => {
                assert!(!why.contains('\n') && !why.contains("panicked"), "{said}: {why}");
                assert!(!why.contains("SQLite cannot read"), "{said}: {why}");
                refused += 1;
            }
        }
    }
    // Chance decides of a few.
    let least = rounds.saturating_sub(16) / 8;
    assert!(asked >= least && refused >= least, "{asked} asked, {refused} refused");
}

#[test]
fn any_byte_may_be_anything() {
    let seed = seed();
    let mut rng = Rng::with_seed(seed);
    let given = recording(&mut rng, 60);
    let (_folder, path) = stored(&given);
    let whole = std::fs::read(&path).expect("the file");
    // The header of the file and of each of its pages, which have the places of the rows.
    let pages: Vec<_> = (0..whole.len()).step_by(4096).map(|at| at..at + 64).collect();
    let places: Vec<_> = pages.iter().cloned().chain([0..100, 100..140]).collect();
    let (mut asked, mut refused) = (0, 0);
    let rounds = p5_seeds::number(MORE).unwrap_or(FEW_ROUNDS);
    for round in 0..rounds {
        let mut bytes = whole.clone();
        damage::within(&mut rng, &mut bytes, &places);
        std::fs::write(&path, &bytes).expect("a file is written");
        let started = ProcessTime::now();
        match read(&path) {
            Ok(found) => {
                ask(&found, &given);
                asked += 1;
            }
            Err(why) => {
                assert!(
                    !why.contains('\n') && !why.contains("SQLite cannot read"),
                    "seed {seed}, round {round}: {why}"
                );
                refused += 1;
            }
        }
        // A thread of its own reads.
        assert!(
            started.elapsed() < PATIENCE.mul_f64(slowness()),
            "seed {seed}, round {round}: {:?}",
            started.elapsed()
        );
    }
    assert_bounded_memory("damaged samples");
    // Chance decides of a few.
    let judged = rounds.saturating_sub(16);
    assert!(
        asked >= judged / 30 && refused >= judged / 3,
        "{asked} asked, {refused} refused"
    );
}
