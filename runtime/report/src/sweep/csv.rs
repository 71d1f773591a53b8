//! A sweep as comma-separated values. A missing figure is an empty cell.

use super::{Cell, Sweep};
use crate::formats::{csv_cell, csv_record};
use std::io::{self, Write};

/// Writes the rows after a line of `headings`, if they are wanted.
pub(super) fn write(sweep: &Sweep, headings: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let columns = sweep.columns();
    if headings {
        csv_record(&mut table, columns.iter().map(|column| csv_cell(&column.name)))?;
    }
    for index in 0..sweep.rows.len() {
        let cells = columns.iter().map(|column| match sweep.cell(index, column) {
            Cell::Text(text) => csv_cell(text),
            Cell::Integer(figure) => figure.to_string(),
            // The same form as in JSON: 2.0 stays a real number.
            Cell::Real(figure) => format!("{figure:?}"),
            Cell::Missing => String::new(),
        });
        csv_record(&mut table, cells)?;
    }
    table.flush()
}
