//! An answer: a table with text before and after it, in the forms that all answers have.

use super::super::formats::{csv_cell, csv_record};
use super::super::phrases::{counted, lines};
use super::super::{Column, Style, json_text, paragraph, paragraphs, printable, table};
use crate::document::{P5INST, document};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// The most characters of a cell in text: the layout of a table takes a time that grows with the square.
const LONGEST_CELL: usize = 400;

/// The least room for texts in the last column, unless all are shorter.
const LEAST_TEXT: usize = 20;

/// The forms of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// A table for reading.
    Text,
    /// One object that follows the schema `query` of [`crate::SCHEMAS`].
    Json,
    /// The rows of the table, after a line of names. The text before and after the table is left out.
    Csv,
}

/// The unit of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number of things, or a plain number.
    Count,
    /// Core clocks.
    Clocks,
    /// Percent, 0 to 100 for shares.
    Percent,
    /// Standard errors.
    Sigmas,
    /// A linear address.
    Address,
    /// Text.
    Text,
}

impl Unit {
    const fn name(self) -> &'static str {
        match self {
            Unit::Count => "count",
            Unit::Clocks => "clocks",
            Unit::Percent => "percent",
            Unit::Sigmas => "sigmas",
            Unit::Address => "address",
            Unit::Text => "text",
        }
    }
}

/// The heading of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its name in JSON and CSV, unique in its answer.
    pub name: String,
    /// Its heading in text, of up to two lines; empty for one that only programs read.
    pub text: String,
    /// The unit of its values.
    pub unit: Unit,
}

/// The value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Unknown, as opposed to 0.
    Missing,
    /// A name that does not exist, with the words that only text has in its place.
    Nameless(&'static str),
    /// A whole number.
    Integer(u128),
    /// A whole number that may be negative.
    Signed(i64),
    /// A number; text shows two digits after the point.
    Real(f64),
    /// A number without a known unit; text shows 15 significant digits.
    Plain(f64),
    /// An estimate of a whole number; text rounds it.
    Rounded(f64),
    /// A percentage; text shows one digit after the point.
    Percent(f64),
    /// A linear address.
    Address(u64),
    /// Text.
    Text(String),
}

impl Value {
    pub(super) fn count(number: u64) -> Value {
        Value::Integer(u128::from(number))
    }

    pub(super) fn address(address: Option<u32>) -> Value {
        address.map_or(Value::Missing, |address| Value::Address(u64::from(address)))
    }

    pub(super) fn words(text: Option<String>) -> Value {
        text.map_or(Value::Missing, Value::Text)
    }

    pub(super) fn real(number: Option<f64>) -> Value {
        number.map_or(Value::Missing, Value::Real)
    }

    fn text(&self) -> String {
        match self {
            Value::Missing => "-".to_owned(),
            Value::Nameless(words) => (*words).to_owned(),
            Value::Integer(value) => value.to_string(),
            Value::Signed(value) => value.to_string(),
            Value::Real(value) => format!("{value:.2}"),
            Value::Plain(value) => significant(*value),
            Value::Rounded(value) => format!("{value:.0}"),
            Value::Percent(value) => format!("{value:.1}%"),
            Value::Address(value) => format!("{value:08X}h"),
            Value::Text(text) => printable::printable(text),
        }
    }

    fn csv(&self) -> String {
        match self {
            Value::Missing | Value::Nameless(_) => String::new(),
            Value::Integer(value) => value.to_string(),
            Value::Signed(value) => value.to_string(),
            Value::Real(value) | Value::Plain(value) | Value::Rounded(value) | Value::Percent(value) => {
                format!("{value:?}")
            }
            Value::Address(value) => value.to_string(),
            Value::Text(text) => csv_cell(text),
        }
    }
}

/// A number in as many digits as all numbers of this type have, without the error of its last binary digit.
fn significant(value: f64) -> String {
    let rounded = format!("{value:.14e}").parse().unwrap_or(value);
    format!("{rounded:?}")
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Missing | Value::Nameless(_) => serializer.serialize_none(),
            // Larger numbers are sums of squares; readers take such numbers as reals.
            Value::Integer(value) => match u64::try_from(*value) {
                Ok(value) => serializer.serialize_u64(value),
                Err(_) => serializer.serialize_f64(*value as f64),
            },
            Value::Signed(value) => serializer.serialize_i64(*value),
            Value::Real(value) | Value::Plain(value) | Value::Rounded(value) | Value::Percent(value) => {
                serializer.serialize_f64(*value)
            }
            Value::Address(value) => serializer.serialize_u64(*value),
            Value::Text(text) => serializer.serialize_str(text),
        }
    }
}

/// Adds the cells that some columns have in a row.
type Cells<'c, R> = Box<dyn Fn(&R, &mut Vec<Value>) + 'c>;

/// The columns of a table, each with the function that gives its value in a row.
pub struct Columns<'c, R> {
    headings: Vec<Heading>,
    cells: Vec<Cells<'c, R>>,
}

impl<R> Default for Columns<'_, R> {
    fn default() -> Self {
        Columns {
            headings: Vec::new(),
            cells: Vec::new(),
        }
    }
}

impl<'c, R> Columns<'c, R> {
    /// Adds a column: its name in JSON and CSV, its heading in text, its unit, and the function of its cell in a row.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        text: impl Into<String>,
        unit: Unit,
        cell: impl Fn(&R) -> Value + 'c,
    ) {
        let (name, text) = (name.into(), text.into());
        self.headings.push(Heading { name, text, unit });
        self.cells.push(Box::new(move |row, cells| cells.push(cell(row))));
    }

    /// Adds an exact figure and the error of its estimate in standard errors, which are computed together.
    pub fn add_graded(
        &mut self,
        exact: (impl Into<String>, &str, Unit),
        sigmas: &str,
        cells: impl Fn(&R) -> [Value; 2] + 'c,
    ) {
        let (name, text, unit) = exact;
        let headings = [(name.into(), text, unit), (sigmas.to_owned(), "sigmas", Unit::Sigmas)];
        self.headings.extend(headings.map(|(name, text, unit)| Heading {
            name,
            text: text.to_owned(),
            unit,
        }));
        self.cells.push(Box::new(move |row, all| all.extend(cells(row))));
    }
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer<'a> {
    question: &'static str,
    program: &'a str,
    chip: &'a str,
    memory: &'a str,
    /// The lines before the table.
    lead: Vec<String>,
    headings: Vec<Heading>,
    rows: Vec<Vec<Value>>,
    /// The number of rows that are kept, and that of the others.
    most: usize,
    left_out: usize,
    /// Text headings of the columns that are left out first if there is no room.
    spare: Vec<&'static str>,
    notes: Vec<String>,
    /// The statement that there are more rows.
    more_rows: Option<String>,
}

impl<'a> Answer<'a> {
    /// An answer without a table.
    pub fn new(question: &'static str, program: &'a str, chip: &'a str, memory: &'a str) -> Answer<'a> {
        Answer {
            question,
            program,
            chip,
            memory,
            lead: Vec::new(),
            headings: Vec::new(),
            rows: Vec::new(),
            most: usize::MAX,
            left_out: 0,
            spare: Vec::new(),
            notes: Vec::new(),
            more_rows: None,
        }
    }

    /// Keeps at most this many of the rows that follow.
    pub(super) fn at_most(&mut self, rows: usize) {
        self.most = rows;
    }

    /// Adds a line before the table.
    pub fn lead(&mut self, words: String) {
        self.lead.push(words);
    }

    /// Adds a note for the reader, once.
    pub fn note(&mut self, words: String) {
        if !self.notes.contains(&words) {
            self.notes.push(words);
        }
    }

    /// Makes the table of `rows`, with a cell of each in every column.
    pub fn table<R>(&mut self, columns: Columns<'_, R>, rows: impl IntoIterator<Item = R>) {
        let Columns { headings, cells } = columns;
        self.headings = headings;
        let mut rows = rows.into_iter();
        self.rows.extend(rows.by_ref().take(self.most).map(|row| {
            let mut values = Vec::with_capacity(self.headings.len());
            cells.iter().for_each(|cell| cell(&row, &mut values));
            values
        }));
        self.left_out += rows.count();
    }

    /// Sets the columns that text leaves out if there is no room, in the order of `headings`.
    pub fn spare(&mut self, headings: &[&'static str]) {
        self.spare.extend(headings);
    }

    /// Keeps the first `most` rows, and states the number of the others.
    pub fn shorten(&mut self, most: usize) {
        let kept = self.rows.len().min(most);
        let more = self.rows.len() - kept + self.left_out;
        if more > 0 {
            self.rows.truncate(most);
            let more_rows = counted(more as u64, "more row");
            self.lacks_rows(format!("{more_rows}; `--rows {}` shows all", kept + more));
        }
    }

    /// Adds the statement that there are more rows.
    pub fn lacks_rows(&mut self, words: String) {
        self.note(words.clone());
        self.more_rows = Some(words);
    }

    /// The statement that there are more rows, for which CSV has no place.
    pub fn more_rows(&self) -> Option<&str> {
        self.more_rows.as_deref()
    }
}

/// Writes an answer.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_answer(form: AnswerForm, answer: &Answer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match form {
        AnswerForm::Text => text(answer, style, out),
        AnswerForm::Json => json_text::write_json(&AnswerReport::of(answer), out),
        AnswerForm::Csv => csv(answer, out),
    }
}

fn text(answer: &Answer<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let setting = format!("{} on {}, memory {}", answer.program, answer.chip, answer.memory);
    lines(&printable::printable(&setting), style, out)?;
    for words in &answer.lead {
        lines(&printable::printable(words), style, out)?;
    }
    let (mut cut, mut omitted) = (0, false);
    let shown: Vec<usize> = (0..answer.headings.len())
        .filter(|&index| !answer.headings[index].text.is_empty())
        .collect();
    if !answer.rows.is_empty() {
        writeln!(out)?;
        let columns: Vec<(&str, Column)> = shown
            .iter()
            .map(|&index| {
                let heading = &answer.headings[index];
                let last = shown.last() == Some(&index);
                let kind = match heading.unit {
                    Unit::Text if last => Column::Text,
                    Unit::Text => Column::Name,
                    _ => Column::Number,
                };
                (heading.text.as_str(), kind)
            })
            .collect();
        let mut cell = |value: &Value| {
            let mut text = value.text();
            if let Some((end, _)) = text.char_indices().nth(LONGEST_CELL) {
                text.truncate(end);
                text.push_str("...");
                cut += 1;
            }
            text
        };
        let mut cells = |row: &Vec<Value>| shown.iter().map(|&index| cell(&row[index])).collect();
        let mut rows: Vec<Vec<String>> = answer.rows.iter().map(&mut cells).collect();
        place_by_address(answer, &columns, &mut rows);
        let (all_columns, all_rows) = (columns.clone(), rows.clone());
        let (mut columns, mut rows) = (columns, rows);
        let mut spare = answer.spare.iter();
        while !has_room(style, &columns, &rows) {
            // A column without known values goes first.
            let missing = Value::Missing.text();
            let empty = (0..columns.len()).find(|&at| rows.iter().all(|row| row[at] == missing));
            let mut named = || spare.find_map(|name| columns.iter().position(|(own, _)| own == name));
            let Some(at) = empty.or_else(&mut named) else {
                break;
            };
            columns.remove(at);
            for row in &mut rows {
                row.remove(at);
            }
            place_by_address(answer, &columns, &mut rows);
            omitted = true;
        }
        if has_room(style, &columns, &rows) {
            table(style, &columns, &rows, out)?;
        } else {
            // Then there is room for all.
            omitted = false;
            paragraphs(style, &all_columns, &all_rows, out)?;
        }
    }
    let cut = (cut > 0).then(|| {
        format!("{cut} longer texts are cut to {LONGEST_CELL} characters; `--format json` and `csv` have them whole")
    });
    let omitted =
        omitted.then(|| "columns for which there is no room are left out; `--format json` has all".to_owned());
    if !answer.notes.is_empty() || cut.is_some() || omitted.is_some() {
        writeln!(out)?;
    }
    for note in answer.notes.iter().chain(&cut).chain(&omitted) {
        paragraph(style, &format!("note: {note}"), out)?;
    }
    Ok(())
}

/// Writes the addresses of rows without another place, in a table without a column of addresses.
fn place_by_address(answer: &Answer<'_>, columns: &[(&str, Column)], rows: &mut [Vec<String>]) {
    let named = |name: &str| answer.headings.iter().position(|heading| heading.name == name);
    let address = named("address").or(named("instruction_address"));
    let location = named("location").map(|index| answer.headings[index].text.as_str());
    let column = |name: Option<&str>| columns.iter().position(|&(own, _)| name == Some(own));
    let (Some(address), Some(at), None) = (address, column(location), column(Some("address"))) else {
        return;
    };
    for (row, values) in rows.iter_mut().zip(&answer.rows) {
        if row[at].is_empty() {
            row[at] = values[address].text();
        }
    }
}

/// Whether there is room for all columns, and for words in the last one if it is one of text.
fn has_room(style: &Style, columns: &[(&str, Column)], rows: &[Vec<String>]) -> bool {
    let widths = |(index, (name, _)): (usize, &(&str, Column))| {
        let cells = rows.iter().map(|row| row[index].chars().count());
        let heading = name.lines().map(|line| line.chars().count());
        cells.chain(heading).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = columns.iter().enumerate().map(widths).collect();
    if let (Some((_, Column::Text)), Some(last)) = (columns.last(), widths.last_mut()) {
        *last = LEAST_TEXT.min(*last);
    }
    // A blank before and after each column.
    widths.iter().sum::<usize>() + 2 * widths.len() <= style.width
}

fn csv(answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    let names = answer.headings.iter().map(|heading| csv_cell(&heading.name));
    csv_record(&mut table, names)?;
    for row in &answer.rows {
        csv_record(&mut table, row.iter().map(Value::csv))?;
    }
    table.flush()
}

document! {
    /// The answer to a question, asked of a recording of samples.
    #[cfg_attr(test, schemars(title = "p5inst query"))]
    pub(crate) struct AnswerReport<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 2,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The question, as on the command line.
        question: &'static str = answer.question,
        /// The program that was sampled.
        program: &'a str = answer.program,
        /// The full name of the chip.
        chip: &'a str = answer.chip,
        /// The memory preset.
        memory: &'a str = answer.memory,
        /// The lines before the table.
        lead: &'a [String] = &answer.lead,
        /// The columns of the table.
        columns: Vec<ColumnReport<'a>> = answer.headings.iter().map(ColumnReport::of).collect(),
        /// The rows: an object each, with a value for each column by its name. A value that is not known is null.
        #[cfg_attr(test, schemars(with = "Vec<std::collections::BTreeMap<String, serde_json::Value>>"))]
        rows: Vec<Named<'a>> = rows
            .map(|values| Named { headings: &answer.headings, values })
            .collect(),
        /// Notes for the reader.
        notes: &'a [String] = &answer.notes,
    }
    from (answer: &'a Answer<'a>) {
        let rows = answer.rows.iter();
    }

    /// A column of the table.
    pub(crate) struct ColumnReport<'a> {
        /// Its name, unique in the table.
        name: &'a str = &heading.name,
        /// `count`, `clocks`, `percent`, `sigmas`, `address` or `text`.
        unit: &'static str = heading.unit.name(),
    }
    from (heading: &'a Heading)
}

/// A row as an object.
pub(crate) struct Named<'a> {
    headings: &'a [Heading],
    values: &'a [Value],
}

impl Serialize for Named<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.values.len()))?;
        for (heading, value) in self.headings.iter().zip(self.values) {
            map.serialize_entry(&heading.name, value)?;
        }
        map.end()
    }
}
