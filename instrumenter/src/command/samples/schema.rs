//! The tables and views of a file of samples, made from the lists of registers, fields and derived events.
//!
//! A table of samples has one column for each recorded register, with its whole image as a signed 64-bit number. Views
//! name the fields of the images and count the derived events, so that SQL needs no shifting. Within version 1, tables
//! only grow; the version of the file changes if a column disappears or changes its meaning.

use runtime::model::ibs::{FETCH_LIN_AD, Field, OP_RIP, RIP_INVALID, SAMPLE_REGISTERS, SampleKind, register_name};
use runtime::record::derived::{Condition, DERIVED, Derived};
use runtime::record::{Described, Recording};
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) const VERSION: i32 = 1;
/// The application number that distinguishes a file of samples from other SQLite files: "p5IS".
pub(super) const APPLICATION: i32 = 0x7035_4953;

/// The tables with fixed columns.
const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE registers (number INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT, title TEXT NOT NULL) STRICT;
CREATE TABLE fields (register INTEGER NOT NULL, name TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  unit TEXT NOT NULL, title TEXT NOT NULL) STRICT;
CREATE TABLE derived_events (code INTEGER PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL)
  STRICT;
CREATE TABLE attempts (kind TEXT PRIMARY KEY, period INTEGER NOT NULL, made INTEGER NOT NULL, dropped INTEGER,
  flushed INTEGER, filtered INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE files (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
CREATE TABLE symbols (name TEXT NOT NULL, address INTEGER NOT NULL, size INTEGER NOT NULL, code INTEGER NOT NULL,
  library INTEGER NOT NULL) STRICT;
CREATE TABLE places (address INTEGER PRIMARY KEY, label TEXT NOT NULL, procedure TEXT NOT NULL) STRICT;
CREATE TABLE lines (address INTEGER PRIMARY KEY, length INTEGER NOT NULL, file INTEGER NOT NULL, line INTEGER NOT NULL)
  STRICT;
CREATE TABLE code (address INTEGER PRIMARY KEY, bytes BLOB NOT NULL, bits INTEGER NOT NULL) STRICT;
CREATE TABLE truth_instructions (address INTEGER PRIMARY KEY, length INTEGER NOT NULL, text TEXT NOT NULL,
  executions INTEGER NOT NULL, ops INTEGER NOT NULL, paired INTEGER NOT NULL, clocks INTEGER NOT NULL) STRICT;
CREATE TABLE truth_causes (address INTEGER NOT NULL, cause TEXT NOT NULL, clocks INTEGER NOT NULL) STRICT;
CREATE TABLE truth_events (address INTEGER, code INTEGER NOT NULL, count INTEGER NOT NULL) STRICT;
CREATE TABLE truth_latencies (field TEXT NOT NULL, value INTEGER NOT NULL, count INTEGER NOT NULL) STRICT;
CREATE TABLE truth_data (address INTEGER PRIMARY KEY, accesses INTEGER NOT NULL, stores INTEGER NOT NULL,
  misses INTEGER NOT NULL, latency INTEGER NOT NULL, touched INTEGER NOT NULL) STRICT;
CREATE TABLE truth_pairs (address INTEGER PRIMARY KEY, pairs INTEGER NOT NULL, overlapping INTEGER NOT NULL,
  wasted INTEGER NOT NULL, flights INTEGER NOT NULL) STRICT;
";

/// The tables whose columns a reader needs.
pub(super) const NEEDED: &[&str] = &[
    "meta",
    "attempts",
    "files",
    "symbols",
    "lines",
    "samples",
    "pairs",
    "truth_instructions",
    "truth_causes",
    "truth_events",
    "truth_latencies",
    "truth_data",
    "truth_pairs",
];

/// A name in SQL, quoted.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The register of a column, if it has one: a known register, or one `described` in the file.
pub(super) fn register(column: &str, described: &Described) -> Option<u32> {
    if let Some(digits) = column.strip_prefix("msr_") {
        return u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 8);
    }
    let registers = SAMPLE_REGISTERS.iter().chain(described.registers());
    registers
        .filter(|register| register.name == column)
        .map(|register| register.number)
        .next()
}

/// The statements that create the tables, for samples and pairs with images of `registers` in ascending order.
pub(super) fn tables(registers: &[u32]) -> String {
    let mut images = String::new();
    for register in registers {
        let _ = write!(images, ", {} INTEGER", register_name(*register));
    }
    format!(
        "{TABLES}
CREATE TABLE samples (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, run INTEGER NOT NULL, clock INTEGER NOT NULL
  {images}) STRICT;
CREATE TABLE pairs (number INTEGER PRIMARY KEY, distance INTEGER NOT NULL, clocks INTEGER NOT NULL{images}) STRICT;
"
    )
}

/// The statements that create the views, which no reader needs, with images of `registers` in ascending order.
pub(super) fn views(recording: &Recording, registers: &[u32]) -> String {
    let kept = |register: u32| registers.binary_search(&register).is_ok();
    let column = |_: &str, register: u32| kept(register).then(|| register_name(register));
    let mut views = of_samples(recording, &column, "VIEW");
    let available = DERIVED.iter().filter(|event| event.registers().all(kept));
    let counted: Vec<String> = available.map(count).collect();
    if !counted.is_empty() {
        let _ = writeln!(views, "CREATE VIEW derived AS\n{};", counted.join("\nUNION ALL "));
    }
    views
}

/// The statements that create the views of samples again, beside those in a file, with the fields that the file
/// describes. `columns` names the column with each register's image, in the table of samples and in that of pairs.
pub(super) fn described_views(recording: &Recording, columns: &[BTreeMap<u32, String>; 2]) -> String {
    let column = |table: &str, register: u32| {
        let name = columns[usize::from(table != "samples")].get(&register);
        name.map(|name| quoted(name))
    };
    of_samples(recording, &column, "TEMP VIEW")
}

/// The views of fetches, ops and second ops of pairs. `column` gives the column of a register's image in a table.
fn of_samples(recording: &Recording, column: &dyn Fn(&str, u32) -> Option<String>, what: &str) -> String {
    let mut views = String::new();
    for (name, kind, table) in [
        ("fetches", SampleKind::Fetch, "samples"),
        ("ops", SampleKind::Op, "samples"),
        ("second_ops", SampleKind::Op, "pairs"),
    ] {
        let mut columns = match table {
            "samples" => "number, run, clock".to_owned(),
            _ => "number, distance, clocks".to_owned(),
        };
        let address = address(kind, &|register| column(table, register));
        let of_kind = |field: &&Field| match recording.register(field.register) {
            Some(register) => register.kind == Some(kind),
            None => true,
        };
        if address.is_some() {
            let _ = write!(columns, ",\n  {PLACE}");
        }
        for field in recording.fields().filter(of_kind) {
            // A register that consists of one field has the field's name already.
            if let Some(column) = column(table, field.register) {
                let _ = write!(columns, ",\n  {} AS \"{}\"", value_in(&column, field), field.name);
            }
        }
        let only = match table {
            "samples" => format!(" WHERE kind = '{}'", kind.name()),
            _ => String::new(),
        };
        let address = address.as_deref().unwrap_or("NULL");
        let _ = writeln!(
            views,
            "CREATE {what} {name} AS SELECT {columns}\n  FROM (SELECT *, {address} AS at FROM {table}{only}) AS one;"
        );
    }
    views
}

/// The address of a sample's code, if its register has a `column`.
fn address(kind: SampleKind, column: &dyn Fn(u32) -> Option<String>) -> Option<String> {
    let field = match kind {
        SampleKind::Fetch => FETCH_LIN_AD,
        SampleKind::Op => OP_RIP,
    };
    let address = format!("{} & {}", column(field.register)?, u32::MAX);
    let invalid = column(RIP_INVALID.register).filter(|_| kind == SampleKind::Op);
    Some(match invalid {
        Some(invalid) => {
            let invalid = value_in(&invalid, &RIP_INVALID);
            format!("CASE WHEN ifnull({invalid}, 0) = 0 THEN {address} END")
        }
        None => address,
    })
}

/// The columns for the place of a sample's code: the label before it, the procedure around it, its file and its line.
const PLACE: &str = "at AS address,
  (SELECT label FROM places WHERE places.address <= one.at ORDER BY places.address DESC LIMIT 1) AS label,
  (SELECT procedure FROM places WHERE places.address <= one.at ORDER BY places.address DESC LIMIT 1) AS procedure,
  (SELECT CASE WHEN lines.address + lines.length > one.at THEN (SELECT name FROM files WHERE id = lines.file) END
    FROM lines WHERE lines.address <= one.at ORDER BY lines.address DESC LIMIT 1) AS file,
  (SELECT CASE WHEN lines.address + lines.length > one.at THEN lines.line END
    FROM lines WHERE lines.address <= one.at ORDER BY lines.address DESC LIMIT 1) AS line";

/// The value of a field in SQL. The shift to the right keeps the sign, and the mask removes it.
fn value(field: &Field) -> String {
    value_in(&register_name(field.register), field)
}

/// Like [`value`], for a register whose image is in `column`.
fn value_in(column: &str, field: &Field) -> String {
    match (field.first, field.last) {
        // All 64 bits are the signed number itself.
        (0, 63) => column.to_owned(),
        _ => format!("({column} >> {} & {})", field.first, field.max()),
    }
}

/// Like [`value`], for a derived event: a missing register contributes 0.
fn known(field: &Field) -> String {
    format!("ifnull({}, 0)", value(field))
}

fn count(event: &Derived) -> String {
    let mut conditions = format!("kind = '{}'", event.kind.name());
    for condition in event.conditions {
        let (fields, joined) = match condition {
            Condition::Any(fields) => (fields.iter().map(|field| format!("{} != 0", known(field))), " OR "),
            Condition::Clear(fields) => {
                let all: Vec<String> = fields.iter().map(|field| format!("{} = 0", known(field))).collect();
                let _ = write!(conditions, " AND {}", all.join(" AND "));
                continue;
            }
            Condition::Is(field, wanted) => {
                let _ = write!(conditions, " AND {} = {wanted}", known(field));
                continue;
            }
        };
        let any: Vec<String> = fields.collect();
        let _ = write!(conditions, " AND ({})", any.join(joined));
    }
    let result = event.sum.map_or("count(*)".to_owned(), |field| {
        format!("ifnull(sum({}), 0)", known(&field))
    });
    format!(
        "SELECT {} AS code, '{}' AS name, {result} AS count FROM samples WHERE {conditions}",
        event.code, event.name
    )
}
