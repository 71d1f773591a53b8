//! A sweep as JSON: rows as objects whose fields are the columns.

use super::{Axis, Cell, Column, Kind, Sweep};
use crate::document::{P5INST, document};
use crate::json_text::write_json;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::io::{self, Write};

document! {
    /// The runs of a program under all combinations of some options.
    #[cfg_attr(test, schemars(title = "p5inst sweep"))]
    pub(crate) struct Table<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program.
        program: &'a str = &sweep.program,
        /// The options, those that vary slowest first.
        options: Vec<Values<'a>> = sweep.axes.iter().map(Values::of).collect(),
        /// The columns in the order of CSV and Parquet.
        columns: Vec<Described> = columns.iter().map(Described::of).collect(),
        /// One object for each run, in the order of the options, with the columns as fields; a missing figure is null.
        rows: Vec<Record<'a>> = (0..sweep.rows.len()).map(row).collect(),
        /// The open questions with an answer that concerns a run, unless the option `assume` chooses it.
        open_questions: Vec<&'static str> = sweep.open_questions().into_iter().map(|(open, _)| open.name).collect(),
        /// The doubted rows of the timing table that runs use; absent without any.
        doubted_timings: Vec<&'a str> = sweep.doubted().into_keys().collect(),
        /// The runs, by their index among the rows, whose measured regions wait for memory, maybe for lines that their
        /// macros evict; absent without any.
        region_misses: Vec<usize> = (0..sweep.rows.len()).filter(|&row| sweep.rows[row].region_misses).collect(),
        /// What is assumed of the fragment in each run, in the order of the rows; null for a run of a program.
        assumed: Vec<Option<&'a str>> = sweep.rows.iter().map(|row| row.assumed.as_deref()).collect(),
    }
    from (sweep: &'a Sweep, columns: &'a [Column]) {
        let row = |index| {
            let cells = columns.iter();
            Record(cells.map(|column| (&*column.name, sweep.cell(index, column))).collect())
        };
    }

    /// An option.
    pub(crate) struct Values<'a> {
        /// The name of its column.
        name: &'a str = &axis.name,
        /// Its values.
        values: &'a [String] = &axis.values,
    }
    from (axis: &'a Axis)

    /// A column.
    pub(crate) struct Described {
        /// Its name.
        name: String = column.name.clone(),
        /// The type of its values.
        kind: Type = match column.kind {
            Kind::Text => Type::Text,
            Kind::Integer => Type::Integer,
            Kind::Real => Type::Real,
        },
    }
    from (column: &Column)
}

/// The type of a column.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Type {
    /// Text.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Real,
}

/// A run: the fields in the order of the columns.
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(
    test,
    schemars(with = "std::collections::BTreeMap<String, Option<serde_json::Value>>")
)]
pub(crate) struct Record<'a>(Vec<(&'a str, Cell<'a>)>);

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

pub(super) fn write(sweep: &Sweep, out: &mut dyn Write) -> io::Result<()> {
    write_json(&Table::of(sweep, &sweep.columns()), out)
}
