//! `p5inst timings`: the timing rows of a chip as a table or as JSON.

mod assumptions;
mod legend;

pub use assumptions::write_assumptions;

use super::formats::{csv_cell, csv_record};
use super::json_text::write_json;
use super::{Column, Format, Style, paragraph, printable, table};
use crate::document::document;
use assumptions::Question;
use iced_x86::Register;
use p5_chips::{Clocks, FloatingPoint, LATER_INSTRUCTIONS, Model, Monitor, RouteClocks, Row};
use serde::Serialize;
use std::borrow::Cow;
use std::io::{self, Write};

const COLUMNS: &[(&str, Column)] = &[
    ("form", Column::Name),
    ("pairs", Column::Name),
    ("clocks", Column::Text),
    ("source", Column::Number),
    ("doubt", Column::Number),
];

/// Alternative spellings of conditions: the part after J, SET or LOOP, and the spelling in rows.
const CONDITIONS: &[(&str, &str)] = &[
    ("C", "B"),
    ("NAE", "B"),
    ("NC", "AE"),
    ("NB", "AE"),
    ("Z", "E"),
    ("NZ", "NE"),
    ("NA", "BE"),
    ("NBE", "A"),
    ("PE", "P"),
    ("PO", "NP"),
    ("NGE", "L"),
    ("NL", "GE"),
    ("NG", "LE"),
    ("NLE", "G"),
];

document! {
    /// A row of the timing table. Clocks are core clocks with cache hits, aligned operands and correct prediction.
    #[cfg_attr(test, schemars(rename = "Row"))]
    pub(crate) struct Listed {
        /// The instructions that it applies to; of several rows that fit, the first one applies.
        form: &'static str = row.form,
        /// Their mnemonics.
        mnemonics: Vec<String> = mnemonics(row).collect(),
        /// The pairing class: `UV`, `PU`, `PV`, `FX` or `NP`.
        class: &'static str = row.class.name(),
        /// The clocks in EX, in words: a number, or a rule.
        clocks: String = clocks(row.clocks),
        /// The clocks until the result; absent if they are those in EX.
        #[serde(skip_serializing_if = "Option::is_none")]
        latency: Option<u32> = latency,
        /// The clocks until the unit takes another such instruction; absent if they are those in EX.
        #[serde(skip_serializing_if = "Option::is_none")]
        throughput: Option<u32> = throughput,
        /// The clocks in which other instructions execute beside it; absent if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        overlap: Option<u32> = overlap,
        /// The latencies under a precision control of 24 and of 53 bits; absent if they do not differ.
        #[serde(skip_serializing_if = "Option::is_none")]
        latency_at_24_and_53_bits: Option<[u32; 2]> =
            by_precision.map(|fpu| fpu.less_by_precision.map(|less| fpu.latency - less)),
        /// The clocks until another multiplication begins; absent if it need not wait.
        #[serde(skip_serializing_if = "Option::is_none")]
        multiplier: Option<u32> = figure(|fpu| fpu.multiplier),
        /// The clocks by which its operands must be ready earlier; absent if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        operands_ahead: Option<u32> = figure(|fpu| fpu.operands_ahead),
        /// The clocks that it waits for the status of the instruction before it; absent if there are none.
        #[serde(skip_serializing_if = "Option::is_none")]
        status_behind: Option<u32> = figure(|fpu| fpu.status_behind),
        /// The registers that it writes before its last clock; absent if there are none.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        early: Vec<String> = row.early.iter().flat_map(|early| early.registers).map(name).collect(),
        /// Whether this was measured rather than concluded; absent without `early`.
        #[serde(skip_serializing_if = "Option::is_none")]
        early_measured: Option<bool> = row.early.map(|early| early.measured),
        /// Whether it serialises.
        serializing: bool = row.serializing,
        /// The source of the clocks.
        source: &'static str = row.source,
        /// Why they are doubted; null if they are not.
        doubt: Option<Cow<'static, str>> = row.doubts(),
    }
    from (row: &Row) {
        // Figures that equal the clocks in EX are omitted.
        let (latency, throughput, overlap) = match (row.clocks, row.fpu) {
            (Clocks::Fixed(clocks) | Clocks::Least(clocks), Some(fpu)) => (
                Some(fpu.latency).filter(|&latency| latency != clocks),
                Some(fpu.throughput).filter(|&throughput| throughput != clocks),
                Some(fpu.overlap(clocks)).filter(|&overlap| overlap > 0),
            ),
            _ => (None, None, None),
        };
        let figure = |of: fn(&FloatingPoint) -> u32| row.fpu.as_ref().map(of).filter(|&clocks| clocks > 0);
        let by_precision = row.fpu.filter(|fpu| fpu.less_by_precision != [0; 2]);
    }
}

/// What `p5inst timings` lists: rows of the timing table in the order of lookup, or with `--assumptions` the questions
/// that the sources leave open.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "p5inst timings"))]
#[serde(untagged)]
pub(crate) enum TimingsReport {
    Rows(Vec<Listed>),
    Assumptions(Vec<Question>),
}

/// The prefixes that may precede the name of an instruction.
const PREFIXES: [&str; 6] = ["REP", "REPE", "REPZ", "REPNE", "REPNZ", "LOCK"];

/// Whether a word is a prefix that may precede the name of an instruction.
pub fn is_prefix(word: &str) -> bool {
    PREFIXES.iter().any(|prefix| prefix.eq_ignore_ascii_case(word))
}

/// The timing rows of `model` in lookup order: all of them, or those of the instruction `name`.
///
/// Case is ignored, and alternative spellings (`jz`, `je`) are equivalent. The name of a group in a row's form, such as
/// `Jcc` or `MOVS`, selects the whole group. If the chip has no such instruction, the list is empty.
pub fn timing_rows(model: &'static Model, name: Option<&str>) -> Vec<&'static Row> {
    let rows = model.all_rows().collect();
    match name {
        Some(name) => rows_named(rows, name),
        None => rows,
    }
}

/// The group of instructions of later processors that has `name`: the name by which `--also` accepts it.
pub fn later_instruction(name: &str) -> Option<&'static str> {
    let mut later = LATER_INSTRUCTIONS.iter();
    let has = |one: &&&Monitor| !rows_named(one.rows.iter().collect(), name).is_empty();
    later.find(has).map(|one| one.name)
}

fn rows_named(rows: Vec<&'static Row>, name: &str) -> Vec<&'static Row> {
    let name = name.to_ascii_uppercase();
    // Notes name instructions with their prefixes, such as `rep movsd`.
    let without_prefix = name.split_once(' ').filter(|(first, _)| PREFIXES.contains(first));
    let name = spelled(without_prefix.map_or(name.as_str(), |(_, rest)| rest).trim());
    // A form begins with its mnemonics; its operands follow.
    let in_form = |row: &Row| {
        let words = row.form.split_whitespace().map(|word| {
            word.strip_suffix("cc")
                .map_or(word.to_owned(), |stem| format!("{stem}CC"))
        });
        let mut mnemonics = words.take_while(|word| {
            word.chars()
                .all(|letter| letter.is_ascii_uppercase() || letter.is_ascii_digit())
        });
        mnemonics.any(|mnemonic| mnemonic == name)
    };
    let exact: Vec<_> = rows
        .iter()
        .copied()
        .filter(|row| in_form(row) || mnemonics(row).any(|mnemonic| mnemonic == name))
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    // With fewer letters, too many rows would match.
    let begins = |row: &&Row| name.len() > 2 && mnemonics(row).any(|mnemonic| mnemonic.starts_with(&name));
    rows.into_iter().filter(begins).collect()
}

/// Writes timing rows: form, pairing class, clocks at a cache hit, the source of the figure, and the reason for doubt;
/// sources and doubts are below the table.
///
/// JSON is an array that follows the schema `timings` of [`crate::SCHEMAS`].
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_timings(format: Format, rows: &[&'static Row], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let listed = rows.iter().map(|row| Listed::of(row));
    if format == Format::Json {
        return write_json(&TimingsReport::Rows(listed.collect()), out);
    }
    let mut sources: Vec<&str> = Vec::new();
    let mut doubts: Vec<&str> = Vec::new();
    let listed: Vec<Listed> = listed.collect();
    let cells: Vec<Vec<String>> = listed
        .iter()
        .map(|row| {
            vec![
                row.form.to_owned(),
                row.class.to_owned(),
                in_full(row),
                format!("[{}]", noted(&mut sources, row.source)),
                row.doubt
                    .as_deref()
                    .map_or_else(String::new, |doubt| format!("({})", noted(&mut doubts, doubt))),
            ]
        })
        .collect();
    table(style, COLUMNS, &cells, out)?;
    paragraph(style, &legend::legend(rows, &listed), out)?;
    let sources = sources
        .iter()
        .zip(1..)
        .map(|(text, number)| (format!("[{number}]"), text));
    let doubts = doubts
        .iter()
        .zip(1..)
        .map(|(text, number)| (format!("({number})"), text));
    for (mut mark, text) in sources.chain(doubts) {
        for line in printable::folded(text, style.width.saturating_sub(7)) {
            writeln!(out, "  {mark:<4} {line}")?;
            mark.clear();
        }
    }
    Ok(())
}

/// Writes timing rows as CSV, a line for each row; a figure that a row does not have is empty.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_timings_csv(rows: &[&'static Row], out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    csv_record(&mut table, CSV.map(str::to_owned))?;
    for row in rows.iter().map(|row| Listed::of(row)) {
        let number = |clocks: Option<u32>| clocks.map_or_else(String::new, |clocks| clocks.to_string());
        let cells = [
            csv_cell(row.form),
            row.mnemonics.join(" "),
            row.class.to_owned(),
            csv_cell(&row.clocks),
            number(row.latency),
            number(row.throughput),
            number(row.overlap),
            row.early.join(" "),
            row.serializing.to_string(),
            csv_cell(row.source),
            csv_cell(row.doubt.as_deref().unwrap_or_default()),
        ];
        csv_record(&mut table, cells)?;
    }
    table.flush()
}

const CSV: [&str; 11] = [
    "form",
    "mnemonics",
    "class",
    "clocks",
    "latency",
    "throughput",
    "overlap",
    "early",
    "serializing",
    "source",
    "doubt",
];

/// The number of `text` among the notes, from 1; a new one is added.
fn noted<'t>(notes: &mut Vec<&'t str>, text: &'t str) -> usize {
    let known = notes.iter().position(|known| *known == text);
    known.map_or_else(
        || {
            notes.push(text);
            notes.len()
        },
        |known| known + 1,
    )
}

fn mnemonics(row: &Row) -> impl Iterator<Item = String> {
    row.mnemonics
        .iter()
        .map(|mnemonic| format!("{mnemonic:?}").to_ascii_uppercase())
}

/// The spelling of `name` in rows, if there are several.
fn spelled(name: &str) -> String {
    if name == "SAL" {
        return "SHL".to_owned();
    }
    for stem in ["J", "SET", "LOOP"] {
        let condition = name.strip_prefix(stem);
        let other = CONDITIONS.iter().find(|(spelling, _)| condition == Some(spelling));
        if let Some((_, usual)) = other {
            return format!("{stem}{usual}");
        }
    }
    name.to_owned()
}

fn in_full(row: &Listed) -> String {
    let mut text = row.clocks.clone();
    let numbers = [
        ("latency", row.latency),
        ("throughput", row.throughput),
        ("overlap", row.overlap),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            text.push_str(&format!(", {name} {number}"));
        }
    }
    if let Some([single, double]) = row.latency_at_24_and_53_bits {
        text.push_str(&format!(", latency {double} with 53 bits, {single} with 24"));
    }
    if let Some(clocks) = row.multiplier {
        text.push_str(&format!(", next multiply after {clocks}"));
    }
    if let Some(clocks) = row.operands_ahead {
        text.push_str(&format!(", operand ready {clocks} earlier"));
    }
    if let Some(clocks) = row.status_behind {
        text.push_str(&format!(", status after {clocks}"));
    }
    if !row.early.is_empty() {
        let sure = if row.early_measured == Some(true) {
            ""
        } else {
            " probably"
        };
        text.push_str(&format!(",{sure} {} early", row.early.join(" ")));
    }
    if row.serializing {
        text.push_str(", serialises");
    }
    text
}

fn name(register: &Register) -> String {
    format!("{register:?}")
}

/// The usual clocks, and those of the routes that take other clocks.
fn by_route(routes: &RouteClocks) -> String {
    let others = [
        (routes.descriptor, "with another descriptor"),
        (routes.gate, "through a gate"),
        (routes.inner_gate, "to an inner level"),
        (routes.leaves_virtual, "out of virtual 8086 mode"),
        (routes.outer, "to an outer level"),
        (routes.enters_virtual, "to virtual 8086 mode"),
    ];
    let mut text = routes.usual.to_string();
    for (clocks, way) in others.into_iter().filter(|&(clocks, _)| clocks != routes.usual) {
        text.push_str(&format!(", {clocks} {way}"));
    }
    let [wide, narrow, virtual_mode] = routes.task;
    if wide != routes.usual {
        text.push_str(&format!(
            ", {wide} to a task ({narrow} of 16 bits, {virtual_mode} in V86 mode)"
        ));
    }
    if routes.parameter > 0 {
        text.push_str(&format!(", {} more per parameter", routes.parameter));
    }
    text
}

fn clocks(clocks: Clocks) -> String {
    match clocks {
        Clocks::Fixed(clocks) | Clocks::Least(clocks) => clocks.to_string(),
        Clocks::ByPrivilege(supervisor, user) => format!("{supervisor} at CPL 0, else {user}"),
        Clocks::ByOutcome(not_taken, taken) => format!("{not_taken} not taken, {taken} taken"),
        Clocks::PerCount(base, step) => format!("{base} + {step}n"),
        Clocks::PerCountMilli(base, milli) => {
            format!("{base} + {}.{:03}n", milli / 1000, milli % 1000)
        }
        Clocks::PerIteration(base, step) => format!("{base} + {step}n"),
        Clocks::ByLevel(zero, one, more) => format!("{zero}, {one}, {one} + {more}(n-1) by level"),
        Clocks::ByStackAlignment(usual, aligned) => {
            format!("{usual}, {aligned} if ESP is a multiple of 4")
        }
        Clocks::ByRoute(routes) => by_route(routes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::MODELS;

    #[test]
    fn an_instruction_is_found_by_any_of_its_names() {
        let forms =
            |name: &str| -> Vec<&str> { timing_rows(MODELS[0], Some(name)).iter().map(|row| row.form).collect() };
        assert!(!forms("adc").is_empty());
        assert_eq!(forms("jz"), forms("JE"));
        assert_eq!(forms("jcc"), forms("jnle"));
        assert_eq!(forms("sal"), forms("Shl"));
        assert_eq!(forms("loopnz"), forms("loopne"));
        for name in ["r", "m", "cl", "", "z80", "acc", "near"] {
            assert_eq!(forms(name), [""; 0], "{name}");
        }
        assert_eq!(forms("rep movsd"), forms("movsd"));
        assert!(!forms("lock xadd").is_empty());
        assert_eq!(timing_rows(MODELS[0], None).len(), MODELS[0].all_rows().count());
    }

    #[test]
    fn what_goes_on_after_ex_is_said_where_there_is_any() {
        let multiplies = |forms: &str| {
            let rows = timing_rows(MODELS[0], Some(forms));
            rows.iter().map(|row| in_full(&Listed::of(row))).collect::<Vec<_>>()
        };
        assert_eq!(multiplies("mul"), ["9, latency 10, overlap 1", "11"]);
        assert_eq!(
            [multiplies("fmul"), multiplies("fdiv"), multiplies("fnstsw")].concat(),
            [
                "1, latency 3, overlap 2, next multiply after 2",
                "1, latency 39, throughput 37, overlap 38, latency 33 with 53 bits, 19 with 24",
                "2, status after 4"
            ]
        );
        assert_eq!(
            [multiplies("loop"), multiplies("lods")].concat(),
            [
                "5 not taken, 6 taken, ECX early",
                "7 + 3n, probably ESI ECX early",
                "2, probably ESI early"
            ]
        );
        let slow = Row {
            fpu: Some(FloatingPoint::multiply(12, 11)),
            clocks: Clocks::Fixed(11),
            ..*timing_rows(MODELS[0], Some("mul"))[0]
        };
        assert_eq!(in_full(&Listed::of(&slow)), "11, throughput 12");
        let listed = serde_json::to_value(Listed::of(&slow)).expect("JSON");
        assert_eq!((&listed["throughput"], listed.get("latency")), (&12.into(), None));
    }

    #[test]
    fn every_row_is_written_with_its_source() {
        for model in MODELS {
            let rows = timing_rows(model, None);
            let style = Style::plain(400, super::super::Detail::Short);
            let mut bytes = Vec::new();
            write_timings(Format::Text, &rows, &style, &mut bytes).expect("a vector takes everything");
            let text = String::from_utf8(bytes).expect("tables are UTF-8");
            assert!(
                rows.iter()
                    .all(|row| text.contains(row.form) && text.contains(&clocks(row.clocks)))
            );
            let mut bytes = Vec::new();
            write_timings(Format::Json, &rows, &style, &mut bytes).expect("a vector takes everything");
            let listed: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
            assert_eq!(listed.as_array().map(Vec::len), Some(rows.len()));
            assert_eq!(listed[0]["source"], rows[0].source);
        }
    }
}
