//! A sweep as JSON: rows as objects whose fields are the columns.

use super::{Cell, Kind, Sweep};
use crate::json_text::write_json;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Increased when a field is removed or changes its meaning.
const SCHEMA_VERSION: u32 = 1;

#[derive(serde::Serialize, JsonSchema)]
#[schemars(title = "p5inst sweep")]
struct Table<'a> {
    /// Version of this schema; within one version fields are only added.
    schema_version: u32,
    /// The program.
    program: &'a str,
    /// The options, those that vary slowest first.
    options: Vec<Values<'a>>,
    /// The columns in the order of CSV and Parquet.
    columns: Vec<Described>,
    /// One object for each run, in the order of the options. Its fields are the columns; a figure that a run does not
    /// have is null.
    rows: Vec<Record<'a>>,
}

/// An option.
#[derive(serde::Serialize, JsonSchema)]
struct Values<'a> {
    /// The name of its column.
    name: &'a str,
    /// Its values.
    values: &'a [String],
}

/// A column.
#[derive(serde::Serialize, JsonSchema)]
struct Described {
    /// Its name.
    name: String,
    /// What it has.
    kind: Type,
}

/// What a column has.
#[derive(serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Type {
    /// Text.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Real,
}

/// A run: the fields in the order of the columns.
#[derive(JsonSchema)]
#[schemars(with = "BTreeMap<String, Option<serde_json::Value>>")]
struct Record<'a>(Vec<(&'a str, Cell<'a>)>);

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, cell) in &self.0 {
            match cell {
                Cell::Text(text) => map.serialize_entry(name, text)?,
                Cell::Integer(figure) => map.serialize_entry(name, figure)?,
                Cell::Real(figure) => map.serialize_entry(name, figure)?,
                Cell::Missing => map.serialize_entry(name, &None::<()>)?,
            }
        }
        map.end()
    }
}

/// The JSON schema of a sweep.
pub fn schema() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings.into_generator().into_root_schema_for::<Table>().to_value()
}

/// Writes the sweep.
pub(super) fn write(sweep: &Sweep, out: &mut dyn Write) -> io::Result<()> {
    let columns = sweep.columns();
    let row = |index| {
        let cells = columns.iter();
        Record(cells.map(|column| (&*column.name, sweep.cell(index, column))).collect())
    };
    let table = Table {
        schema_version: SCHEMA_VERSION,
        program: &sweep.program,
        options: sweep
            .axes
            .iter()
            .map(|axis| Values {
                name: &axis.name,
                values: &axis.values,
            })
            .collect(),
        columns: columns
            .iter()
            .map(|column| Described {
                name: column.name.clone(),
                kind: match column.kind {
                    Kind::Text => Type::Text,
                    Kind::Integer => Type::Integer,
                    Kind::Real => Type::Real,
                },
            })
            .collect(),
        rows: (0..sweep.rows.len()).map(row).collect(),
    };
    write_json(&table, out)
}
