//! A study as a page: one file that needs no network, with the curve as SVG and the tables.

use super::{ErrorReport, StudyReport, chance, ratio, scale};
use crate::page::page;
use crate::plot::{STYLE, SvgCurve};
use crate::printable::{cut, escaped};
use maud::{Markup, html};
use std::io::{self, Write};

/// The most rows of a table, and the most characters of a name; JSON has all.
const ROWS: usize = 2_000;
const LONGEST: usize = 120;

/// Text of the program, made safe for display: without control or reordering characters, of bounded length.
fn text(untrusted: &str) -> String {
    cut(&escaped(untrusted), LONGEST)
}

pub(super) fn write(report: &StudyReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let body = html! {
        main {
            h1 { (text(report.program)) ", how good sampling is" }
            @for words in report.setting() { p { (escaped(&words)) } }
            section {
                h2 { "Error by number of samples" }
                p { (report.about_errors()) ". The error has dots, the expectation is dashed." }
                @if let Some(ends) = scale(&report.errors) { (curve(&report.errors, ends)) }
                (errors(report))
            }
            section {
                h2 { "Periods and rounds of the loop" }
                p { (report.about_biases()) "." }
                (biases(report))
            }
            section {
                h2 { "Samples by clocks" }
                p { (report.about_waits()) "." }
                (waits(report))
            }
            @for note in &report.notes { p { "Note: " (escaped(note)) "." } }
            footer { p { "Written by p5inst " (env!("CARGO_PKG_VERSION")) ". The page loads nothing." } }
        }
    };
    let page = page(
        &format!("{}: study of sampling", text(report.program)),
        STYLE,
        None,
        &body,
    );
    writeln!(out, "{}", page.into_string())
}

fn curve(errors: &[ErrorReport], ends: [f64; 2]) -> Markup {
    let error = |at: usize| (errors[at].rms > 0.0).then(|| errors[at].places(ends)[0]);
    let expected = |at: usize| (errors[at].expected > 0.0).then(|| errors[at].places(ends)[1]);
    let curve = SvgCurve {
        label: "error by number of samples".to_owned(),
        across: "samples".to_owned(),
        least: format!("{:.3}", ends[0]),
        most: format!("{:.3}", ends[1]),
        joined: true,
        places: errors.iter().map(|row| row.samples.max(1.0).ln()).collect(),
        name: &|at| format!("{:.0}", errors[at].samples),
        series: vec![&error, &expected],
        tip: &|at| {
            let row = &errors[at];
            format!(
                "{:.3}, expected {:.3}, at {:.0} samples",
                row.rms, row.expected, row.samples
            )
        },
        missing: &|_| '0',
    };
    curve.draw()
}

fn table(headings: &[&str], rows: &[Markup], all: usize) -> Markup {
    html! {
        @if all > rows.len() { p { "The first " (rows.len()) " of " (all) " rows; JSON has all." } }
        div.scroll tabindex="0" {
            table {
                thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
                tbody { @for row in rows { (row) } }
            }
        }
    }
}

fn errors(report: &StudyReport<'_>) -> Markup {
    let row = |row: &ErrorReport| {
        html! {
            tr {
                td.number { (row.period) }
                td.number { (format!("{:.0}", row.samples)) }
                td.number { (format!("{:.3}", row.rms)) }
                td.number { (format!("{:.3}", row.expected)) }
                td.number { (ratio(row.rms, row.expected)) }
                td.number { (format!("{:.2}", row.largest)) }
            }
        }
    };
    let rows: Vec<Markup> = report.errors.iter().take(ROWS).map(row).collect();
    let headings = ["period", "samples", "rms", "expected", "ratio", "largest"];
    table(&headings, &rows, report.errors.len())
}

fn biases(report: &StudyReport<'_>) -> Markup {
    let rows = report.biases.iter().take(ROWS).map(|row| {
        html! {
            tr {
                td.number { (row.period) }
                td.number { @match row.left { Some(left) => (left), None => "-" } }
                td { (row.randomization) }
                td.number { (row.samples) }
                td.number { (format!("{:.1}%", row.share)) }
                td.number { (format!("{:.1}%", row.exact)) }
                td.number { @match row.chi_square { Some(value) => (format!("{value:.1}")), None => "-" } }
                td.number { @match row.freedom { Some(freedom) => (freedom), None => "-" } }
                td.number { @match row.p { Some(p) => (chance(p)), None => "-" } }
                td { (text(&row.label)) }
                td { (text(&row.text)) }
            }
        }
    });
    let rows: Vec<Markup> = rows.collect();
    let headings = [
        "period",
        "left",
        "rand",
        "samples",
        "share",
        "exact",
        "chi-square",
        "df",
        "p",
        "label",
        "most often",
    ];
    table(&headings, &rows, report.biases.len())
}

fn waits(report: &StudyReport<'_>) -> Markup {
    let rows = report.waits.iter().take(ROWS).map(|row| {
        html! {
            tr {
                td { (text(&row.place)) }
                td { (text(&row.text)) }
                td.number { (format!("{:.1}%", row.executed)) }
                td.number { (format!("{:.1}%", row.sampled)) }
                td.number { (format!("{:.1}%", row.clocks)) }
                td.number { (ratio(row.sampled, row.executed)) }
                td.number { (format!("{:.2}", row.waited)) }
                td { @match &row.why { Some(why) => (text(why)), None => "" } }
            }
        }
    });
    let rows: Vec<Markup> = rows.collect();
    let headings = [
        "place",
        "first instruction",
        "ops",
        "samples",
        "clocks",
        "ratio",
        "waited",
        "for",
    ];
    table(&headings, &rows, report.waits.len())
}
