//! A study as text: a curve and two tables.

use super::{BiasReport, ErrorReport, StudyReport, WaitReport, chance, ratio, scale};
use crate::phrases::lines;
use crate::plot::{SEVERAL, TextCurve, TextLine, TextMark};
use crate::printable::{cut, printable};
use crate::{Column, Style, heading, paragraph, table};
use std::io::{self, Write};

/// The most groups that are shown.
const ROWS: usize = 16;
/// The most columns of a name or an instruction.
const NAME: usize = 24;

pub(super) fn write(report: &StudyReport<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for words in report.setting() {
        lines(&printable(&words), style, out)?;
    }
    heading(style, "Error by number of samples", out)?;
    let both = format!(
        "{}: * the error, o the expectation, {SEVERAL} both",
        report.about_errors()
    );
    paragraph(style, &both, out)?;
    let columns = [
        ("period", Column::Number),
        ("samples", Column::Number),
        ("rms", Column::Number),
        ("expected", Column::Number),
        ("ratio", Column::Number),
        ("largest", Column::Number),
    ];
    let rows: Vec<Vec<String>> = report.errors.iter().map(error).collect();
    writeln!(out)?;
    table(style, &columns, &rows, out)?;
    if let Some(ends) = scale(&report.errors) {
        writeln!(out)?;
        curve(&report.errors, ends).write(style, out)?;
    }
    heading(style, "Periods and rounds of the loop", out)?;
    paragraph(style, &report.about_biases(), out)?;
    writeln!(out)?;
    let columns = [
        ("period", Column::Number),
        ("left", Column::Number),
        ("rand", Column::Name),
        ("samples", Column::Number),
        ("share", Column::Number),
        ("exact", Column::Number),
        ("chi2", Column::Number),
        ("df", Column::Number),
        ("p", Column::Number),
        ("most often", Column::Text),
    ];
    let rows: Vec<Vec<String>> = report.biases.iter().map(bias).collect();
    table(style, &columns, &rows, out)?;
    heading(style, "Samples by clocks", out)?;
    paragraph(style, &report.about_waits(), out)?;
    writeln!(out)?;
    let columns = [
        ("place", Column::Name),
        ("ops", Column::Number),
        ("samples", Column::Number),
        ("clocks", Column::Number),
        ("ratio", Column::Number),
        ("waited", Column::Number),
        ("perhaps for", Column::Text),
    ];
    let rows: Vec<Vec<String>> = report.waits.iter().take(ROWS).map(wait).collect();
    table(style, &columns, &rows, out)?;
    let left_out = report.waits.len().saturating_sub(ROWS);
    if left_out > 0 {
        paragraph(
            style,
            &format!("{left_out} more, which `--format json` and `html` have"),
            out,
        )?;
    }
    if !report.notes.is_empty() {
        writeln!(out)?;
    }
    for note in &report.notes {
        paragraph(style, &format!("note: {note}"), out)?;
    }
    Ok(())
}

fn error(row: &ErrorReport) -> Vec<String> {
    vec![
        row.period.to_string(),
        format!("{:.0}", row.samples),
        format!("{:.3}", row.rms),
        format!("{:.3}", row.expected),
        ratio(row.rms, row.expected),
        format!("{:.2}", row.largest),
    ]
}

fn curve(errors: &[ErrorReport], ends: [f64; 2]) -> TextCurve {
    let line = |row: &ErrorReport| {
        let places = row.places(ends).into_iter().zip(['*', 'o']);
        TextLine {
            label: format!("{:.0}", row.samples),
            text: format!("{:.3}", row.rms),
            marks: places
                .map(|(place, sign)| TextMark {
                    from: place,
                    to: place,
                    sign,
                })
                .collect(),
        }
    };
    TextCurve {
        across: "samples".to_owned(),
        heading: "rms".to_owned(),
        least: format!("{:.3}", ends[0]),
        most: format!("{:.3}", ends[1]),
        lines: errors.iter().map(line).collect(),
    }
}

fn bias(row: &BiasReport) -> Vec<String> {
    let missing = || "-".to_owned();
    vec![
        row.period.to_string(),
        row.left.map_or_else(missing, |left| left.to_string()),
        row.randomization.to_owned(),
        row.samples.to_string(),
        format!("{:.1}%", row.share),
        format!("{:.1}%", row.exact),
        row.chi_square.map_or_else(missing, |value| match value {
            large if large >= 100.0 => format!("{large:.0}"),
            value => format!("{value:.1}"),
        }),
        row.freedom.map_or_else(missing, |freedom| freedom.to_string()),
        row.p.map_or_else(missing, chance),
        cut(&printable(&row.text), NAME - 8),
    ]
}

fn wait(row: &WaitReport) -> Vec<String> {
    vec![
        cut(&printable(&row.place), NAME),
        format!("{:.1}%", row.executed),
        format!("{:.1}%", row.sampled),
        format!("{:.1}%", row.clocks),
        ratio(row.sampled, row.executed),
        format!("{:.2}", row.waited),
        row.why.as_deref().map_or_else(String::new, printable),
    ]
}
