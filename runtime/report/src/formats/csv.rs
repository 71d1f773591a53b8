//! The executed lines as comma-separated values: a row for each line that the JSON report shows at this detail, a
//! column for each figure. A region has its name here, where there is no list of regions.
//!
//! Cells that a spreadsheet would take for a formula begin with an apostrophe.

use crate::lines;
use crate::printable::escaped;
use crate::{Detail, Style};
use p5_results::{Cause, Refusal, Run};
use std::io::{self, Write};

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let plain = [
        "file",
        "line",
        "text",
        "executions",
        "cycles",
        "u",
        "v",
        "unlisted",
        "library",
        "times",
        "most_times",
        "function",
        "region",
        "clock",
        "mispredictions",
    ];
    let reasons = Cause::ALL.iter().map(|cause| format!("reasons.{}", cause.name()));
    let refusals = Refusal::ALL
        .iter()
        .map(|refusal| format!("not_paired.{}", refusal.name()));
    record(
        &mut table,
        plain.map(str::to_owned).into_iter().chain(reasons).chain(refusals),
    )?;
    for row in lines::rows(run)
        .into_iter()
        .filter(|row| style.detail == Detail::All || !row.library)
    {
        let sum = &row.sum;
        let region = row.clock.and_then(|clock| run.regions.get(clock.region));
        let plain = [
            cell(row.file),
            row.line.to_string(),
            cell(row.text.trim()),
            sum.executions.to_string(),
            sum.cycles.to_string(),
            sum.u.to_string(),
            sum.v.to_string(),
            sum.unlisted.to_string(),
            row.library.to_string(),
            number(sum.times),
            number(sum.most_times),
            cell(row.name.as_deref().unwrap_or_default()),
            cell(region.map_or("", |region| &region.name)),
            number(row.first_clock()),
            number(sum.mispredicted().map(|(wrong, _)| wrong)),
        ];
        let reasons = Cause::ALL.iter().map(|&cause| sum.spent(cause).to_string());
        let refusals = Refusal::ALL.iter().map(|&refusal| sum.refused(refusal).to_string());
        record(&mut table, plain.into_iter().chain(reasons).chain(refusals))?;
    }
    table.flush()
}

/// A cell with a number, empty if it is not known.
fn number(value: Option<u64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Writes a record. An error of the underlying writer keeps its kind, so that a closed pipe is distinguished.
pub(crate) fn record<W: Write, T: AsRef<[u8]>>(
    table: &mut csv::Writer<W>,
    cells: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    let written = table.write_record(cells);
    written.map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    })
}

pub(crate) fn cell(text: &str) -> String {
    let text = escaped(text);
    if text.starts_with(['=', '+', '-', '@']) {
        format!("'{text}")
    } else {
        text
    }
}
