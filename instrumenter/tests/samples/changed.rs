//! Files of samples that were changed: additions are harmless, all other changes are rejected. Long texts are cut.

use super::{answered, refused, stored};
use crate::samples::specimen::{recording, seed};
use fastrand::Rng;
use instrumenter::command::samples::read;
use runtime::model::ibs::DC_MISS_LAT;
use runtime::samples::DataGrouping;
use std::path::Path;
use tempfile::TempDir;

/// Changes a file with SQL statements.
fn changed(path: &Path, statements: &str) {
    let database = rusqlite::Connection::open(path).expect("a file of SQLite");
    database.execute_batch(statements).expect("statements");
}

#[test]
fn other_and_changed_files_are_refused() {
    let given = recording(&mut Rng::with_seed(4), 100);
    // Each column has a value in every row, and takes no space in the file.
    let many_registers: String = (0..40)
        .map(|number| format!("ALTER TABLE samples ADD COLUMN msr_{number:08X} INTEGER DEFAULT 0;"))
        .collect();
    for (statements, why) in [
        (
            "PRAGMA user_version = 2",
            "has version 2, and this p5inst reads version 1 only; use a later p5inst",
        ),
        ("PRAGMA application_id = 1", "is a database, but none of samples"),
        ("DROP TABLE meta", "it has no table `meta`"),
        (
            "CREATE TRIGGER t INSERT ON meta BEGIN SELECT 1; END",
            "triggers or virtual tables",
        ),
        ("CREATE VIRTUAL TABLE v USING fts5(x)", "triggers or virtual tables"),
        (
            "DROP TABLE lines; CREATE VIEW lines AS SELECT 1 AS address",
            "it has no table `lines`",
        ),
        ("DELETE FROM samples WHERE number = 3", "there is no sample 3"),
        ("DELETE FROM attempts WHERE kind = 'op'", "says that 0 were taken"),
        ("UPDATE attempts SET made = 1", "says that"),
        (
            "UPDATE attempts SET dropped = 0, made = made + 9",
            "samples were kept, and there are 34",
        ),
        (
            "UPDATE samples SET kind = 'x' WHERE number = 3",
            "there is no kind \"x\" of samples",
        ),
        ("UPDATE samples SET clock = -1 WHERE number = 3", "-1 is out of range"),
        (
            "UPDATE truth_causes SET cause = 'luck'",
            "there is no cause \"luck\" of clocks",
        ),
        (
            "UPDATE truth_instructions SET clocks = 9223372036854775807",
            "out of range",
        ),
        (
            "UPDATE meta SET value = '33' WHERE key = 'line_bytes'",
            "which is no size",
        ),
        ("UPDATE lines SET file = 99", "there is no such file"),
        (
            "DELETE FROM meta WHERE key = 'code_bits'",
            "has no `code_bits`, and there is code",
        ),
        (
            "UPDATE meta SET value = '24' WHERE key = 'code_bits'",
            "which is no size of code",
        ),
        ("UPDATE code SET bits = 24", "which is no size of code"),
        (
            "UPDATE meta SET value = '4' WHERE key = 'cpl'",
            "which is no privilege level",
        ),
        ("UPDATE meta SET value = '65' WHERE key = 'width'", "no number of pipes"),
        (
            "INSERT OR REPLACE INTO meta VALUES ('lost', '99')",
            "the recorder lost 99",
        ),
        ("INSERT INTO code SELECT address + 1, bytes, bits FROM code", "twice"),
        (
            "UPDATE files SET name = printf('%070000d', 1)",
            "a text is longer than 64 KiB",
        ),
        (&many_registers, "table `samples` has more than 32 registers"),
        ("DELETE FROM meta WHERE key = 'seed'", "table `meta` has no `seed`"),
        (
            "CREATE TABLE slow (a INTEGER CHECK (instr(zeroblob(1000000 - a), zeroblob(500000) || x'01') = 0));
             PRAGMA ignore_check_constraints = 1; INSERT INTO slow VALUES (1), (2)",
            "a table or an index with an expression, `slow`",
        ),
        (
            "CREATE TABLE computed (a INTEGER, b TEXT AS (a || 'x') VIRTUAL)",
            "a table or an index with an expression, `computed`",
        ),
        ("CREATE INDEX i ON files (name || name)", "with an expression, `i`"),
        ("CREATE INDEX i ON files (name) WHERE id > 1", "with an expression, `i`"),
        (
            "PRAGMA writable_schema = 1;
             UPDATE sqlite_schema SET sql = replace(sql, 'title', CAST(x'ff' AS TEXT)) WHERE name = 'fields'",
            "a name in it is no UTF-8",
        ),
        ("UPDATE truth_instructions SET clocks = 1 << 62", "is out of range"),
    ] {
        let (_folder, path) = stored(&given);
        changed(&path, statements);
        let error = read(&path).expect_err(statements);
        assert!(error.contains(why) && !error.contains('\n'), "{statements}: {error}");
        assert!(refused(&path, &["derive"]).contains(why));
    }
    let folder = TempDir::new().expect("a directory");
    let path = folder.path().join("x.samples");
    for bytes in [&b""[..], b"hello", b"SQLite format 3\0", &[0; 5000]] {
        std::fs::write(&path, bytes).expect("a file");
        let error = read(&path).expect_err("no file of samples");
        assert!(
            error.contains("is no file of samples") || error.contains("is damaged"),
            "{error}"
        );
    }
    assert!(read(folder.path()).expect_err("a directory").contains("is a directory"));
}

#[test]
fn plain_tables_columns_and_indexes_may_be_added() {
    let given = recording(&mut Rng::with_seed(4), 100);
    let (_folder, path) = stored(&given);
    changed(
        &path,
        "CREATE TABLE extra (a INTEGER PRIMARY KEY, b TEXT NOT NULL DEFAULT 'x'); CREATE INDEX i ON files (name, id);
         ALTER TABLE truth_data ADD COLUMN later INTEGER DEFAULT 7; CREATE VIEW v AS SELECT a + 1 FROM extra",
    );
    assert_eq!(read(&path).expect("a recording"), given);
}

#[test]
fn damage_anywhere_is_an_error_or_harmless() {
    let mut rng = Rng::with_seed(seed());
    let (_folder, path) = stored(&recording(&mut rng, 200));
    let sound = std::fs::read(&path).expect("a file");
    let mut errors = 0;
    for round in 0..150 {
        let mut bytes = sound.clone();
        if round % 3 == 0 {
            bytes.truncate(rng.usize(..bytes.len()));
        } else {
            for _ in 0..rng.usize(1..20) {
                let at = if rng.bool() {
                    rng.usize(..bytes.len())
                } else {
                    rng.usize(..200)
                };
                bytes[at] = rng.u8(..);
            }
        }
        std::fs::write(&path, &bytes).expect("a file");
        match read(&path) {
            Err(error) => {
                assert!(!error.contains('\n'), "{error}");
                errors += 1;
            }
            Ok(found) => {
                // Every readable file can be queried.
                let _ = (
                    found.stalls(),
                    found.pairs(),
                    found.data(DataGrouping::Line),
                    found.histogram(&DC_MISS_LAT, true),
                );
            }
        }
    }
    assert!(errors > 60, "{errors} of 150");
}

#[test]
fn long_names_are_cut() {
    let mut given = recording(&mut Rng::with_seed(5), 100);
    given.files[0] = "\u{e9}".repeat(4000) + ".asm";
    let (_folder, path) = stored(&given);
    assert_eq!(read(&path).expect("a recording").files[0], "\u{e9}".repeat(2048));
}

#[test]
fn long_texts_are_cut_in_text_alone() {
    let (_folder, path) = stored(&recording(&mut Rng::with_seed(3), 50));
    let question = "with recursive more(n) as (select 1 union all select n + 1 from more) \
                    select hex(zeroblob(30000)) as x from more limit 40";
    assert!(answered(&path, &[question]).contains("40 longer texts are cut to 400 characters"));
    #[cfg(unix)]
    {
        let file = path.to_str().expect("UTF-8");
        let output = crate::hostile::within(20, 1_500_000, &["query", file, question], b"", &std::env::temp_dir());
        assert!(output.status.success(), "not within 20 s of processor time");
    }
    assert_eq!(answered(&path, &[question, "--format", "csv"]).len(), 2 + 40 * 60_001);
}

/// They are not what `--monitor` takes. Earlier versions wrote them among the monitors.
#[test]
fn instructions_of_later_processors_stand_apart_from_the_monitors() {
    let given = recording(&mut Rng::with_seed(4), 100);
    let (_folder, path) = stored(&given);
    let question = "select value from meta where key in ('also', 'monitors') order by key";
    assert_eq!(
        answered(&path, &[question, "--format", "csv"]),
        "value\ncmov\n\"perfmon,rdtscp\"\n"
    );
    changed(
        &path,
        "DELETE FROM meta WHERE key = 'also'; UPDATE meta SET value = 'perfmon,cmov,rdtscp' WHERE key = 'monitors'",
    );
    assert_eq!(read(&path).expect("a recording"), given);
}
