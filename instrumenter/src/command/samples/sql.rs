//! A question in SQL from the user to a file of unknown origin: both may only read, and only for a limited time.

use super::guard;
use super::schema::quoted;
use runtime::report::samples::{Answer, Columns, Unit, Value};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::collections::BTreeSet;
use std::time::Duration;

/// The maximum size of an answer in bytes: its texts, and the memory of its rows and numbers.
const MOST_ANSWER: usize = 64 << 20;
/// The time limit for a question, unless another is given.
pub(super) const LONGEST: Duration = Duration::from_secs(10);
const LATE: &str = "the question took longer than `--timeout`; ask for less, or give more seconds";
/// The names of the tables and views, views first, and how many of them are searched for a column.
const NAMES: &str = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY type DESC, name LIMIT ?";
const MOST_ASKED: usize = 64;
/// The maximum number of bytes shown of a value that is neither a number nor text.
const MOST_BINARY: usize = 32;

struct Found {
    names: Vec<String>,
    rows: Vec<Vec<Value>>,
    more: bool,
}

/// Answers a question with at most `most` rows, in at most `longest`; an error is one line about the question.
pub(super) fn ask(
    database: Connection,
    question: &str,
    most: usize,
    longest: Option<Duration>,
    answer: &mut Answer<'_>,
) -> Result<(), String> {
    guard::confine_questions(&database)?;
    let question = question.to_owned();
    let found = guard::in_time(
        longest,
        || LATE.to_owned(),
        move || {
            guard::within(&database, longest.unwrap_or(Duration::MAX));
            find(&database, &question, most)
        },
    )?;
    let mut columns = Columns::default();
    for (index, name) in found.names.iter().enumerate() {
        let numeric = found.rows.iter().all(|row| !matches!(row[index], Value::Text(_)));
        let unit = if numeric { Unit::Count } else { Unit::Text };
        columns.add(name, runtime::report::escaped(name), unit, move |row: &Vec<Value>| {
            row[index].clone()
        });
    }
    answer.table(columns, found.rows);
    if found.more {
        answer.lacks_rows(format!("only the first {most} rows; `--rows` sets how many"));
    }
    Ok(())
}

fn find(database: &Connection, question: &str, most: usize) -> Result<Found, String> {
    let refused = |error: rusqlite::Error| problem(&error);
    if let Some(number) = too_large(question) {
        return Err(format!("the question cannot be asked: number too large: {number}"));
    }
    let unknown = |error: rusqlite::Error| problem(&error) + &elsewhere(database, question, &error);
    let mut statement = database.prepare(question).map_err(unknown)?;
    if statement.column_count() == 0 {
        return Err("the question has no answer: only `select` can be asked".to_owned());
    }
    let names = unique(statement.column_names());
    let count = names.len();
    let mut rows = statement.query([]).map_err(refused)?;
    let (mut found, mut size) = (Vec::new(), 0);
    let mut more = false;
    while let Some(row) = rows.next().map_err(refused)? {
        if found.len() >= most {
            more = true;
            break;
        }
        let values = values(row, count).map_err(refused)?;
        let infinite = |value: &Value| matches!(value, Value::Plain(number) if !number.is_finite());
        if let Some(column) = values.iter().position(infinite) {
            return Err(format!(
                "a number of the answer is too large, in column `{}`",
                runtime::report::escaped(&names[column])
            ));
        }
        size += size_of::<Vec<Value>>() + values.iter().map(length).sum::<usize>();
        if size > MOST_ANSWER {
            return Err(format!(
                "the answer is longer than {} MiB; ask for less",
                MOST_ANSWER >> 20
            ));
        }
        found.push(values);
    }
    Ok(Found {
        names,
        rows: found,
        more,
    })
}

/// The first number of a question that no real number is large enough for; SQLite takes it as infinite.
fn too_large(question: &str) -> Option<&str> {
    let part_of_name = |letter: u8| letter.is_ascii_alphanumeric() || b"_$.".contains(&letter) || !letter.is_ascii();
    let bytes = question.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let from = |begin: usize, end: &str| {
            let rest = question.get(begin..);
            rest.and_then(|rest| rest.find(end))
                .map_or(bytes.len(), |to| begin + to)
        };
        let after = |end: &str| from(at + 1, end);
        at = match bytes[at] {
            quote @ (b'\'' | b'"' | b'`') => after(char::from(quote).encode_utf8(&mut [0; 4])) + 1,
            b'[' => after("]") + 1,
            b'-' if bytes.get(at + 1) == Some(&b'-') => after("\n"),
            b'/' if bytes.get(at + 1) == Some(&b'*') => from(at + 2, "*/") + 2,
            letter if part_of_name(letter) => {
                let mut end = at + 1;
                // The digits of a hexadecimal number may be an `e`.
                let hexadecimal = letter == b'0' && matches!(bytes.get(at + 1), Some(b'x' | b'X'));
                let has_exponent = begins_number(letter) && !hexadecimal;
                while bytes.get(end).is_some_and(|&letter| {
                    let signed = b"+-".contains(&letter) && matches!(bytes[end - 1], b'e' | b'E');
                    part_of_name(letter) || signed && has_exponent
                }) {
                    end += 1;
                }
                let word = question.get(at..end).filter(|_| begins_number(letter));
                let number = word.and_then(|word| word.replace('_', "").parse::<f64>().ok());
                if number.is_some_and(f64::is_infinite) {
                    return word;
                }
                end
            }
            _ => at + 1,
        };
    }
    None
}

fn begins_number(letter: u8) -> bool {
    letter.is_ascii_digit() || letter == b'.'
}

fn problem(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code() {
        Some(ErrorCode::AuthorizationForStatementDenied) => {
            "a question may only read: `select` from the tables and views of the file".to_owned()
        }
        Some(ErrorCode::OperationInterrupted) => LATE.to_owned(),
        Some(ErrorCode::OutOfMemory) => "the question needs too much memory; ask for less".to_owned(),
        _ => match error {
            rusqlite::Error::SqlInputError { msg, offset, .. } => {
                let at =
                    usize::try_from(*offset).map_or(String::new(), |offset| format!(" (at character {})", offset + 1));
                format!("the question cannot be asked: {msg}{at}")
            }
            rusqlite::Error::MultipleStatement => "the question has several statements; ask one".to_owned(),
            other => format!("the question cannot be asked: {other}"),
        },
    }
}

/// Where the column is that a question seeks elsewhere, or what columns there are, and what lists all tables and views;
/// empty for other errors.
fn elsewhere(database: &Connection, question: &str, error: &rusqlite::Error) -> String {
    let msg = match error {
        rusqlite::Error::SqlInputError { msg, .. } | rusqlite::Error::SqliteFailure(_, Some(msg)) => msg,
        _ => return String::new(),
    };
    let column = msg.strip_prefix("no such column: ");
    if column.is_none() && !msg.starts_with("no such table: ") {
        return String::new();
    }
    // A name may follow that of its table.
    let column = column.and_then(|column| column.rsplit('.').next());
    let tables = column.map_or_else(Vec::new, |_| tables(database).unwrap_or_default());
    let has =
        |one: &&Table| column.is_some_and(|column| one.columns.iter().any(|own| own.eq_ignore_ascii_case(column)));
    let having: Vec<String> = tables.iter().filter(has).map(Table::title).collect();
    let is_asked = |one: &&Table| {
        let mut words = question.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        words.any(|word| word.eq_ignore_ascii_case(&one.name))
    };
    let lists = "`select name, sql from sqlite_schema` lists all tables and views";
    match (having.as_slice(), tables.iter().find(is_asked)) {
        ([], None) => format!("; {lists}"),
        ([], Some(asked)) => {
            let columns = asked
                .columns
                .iter()
                .take(MOST_NAMED)
                .map(|one| runtime::report::escaped(one));
            let columns: Vec<String> = columns.collect();
            format!("; {} has {}; {lists}", asked.title(), columns.join(", "))
        }
        ([one], _) => format!("; {one} has it, and {lists}"),
        (several, _) => format!("; {} have it, and {lists}", several.join(", ")),
    }
}

/// The most columns that an error names.
const MOST_NAMED: usize = 80;

/// A table or a view.
struct Table {
    name: String,
    columns: Vec<String>,
}

impl Table {
    /// Its name, quoted for a report.
    fn title(&self) -> String {
        format!("`{}`", runtime::report::escaped(&self.name))
    }
}

/// The tables and views, except those that a damaged file only names.
fn tables(database: &Connection) -> rusqlite::Result<Vec<Table>> {
    let mut names = database.prepare(NAMES)?;
    let mut rows = names.query([MOST_ASKED])?;
    let mut tables = Vec::new();
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        let Ok(all) = database.prepare(&format!("SELECT * FROM {}", quoted(&name))) else {
            continue;
        };
        let columns = all.column_names().into_iter().map(str::to_owned).collect();
        tables.push(Table { name, columns });
    }
    Ok(tables)
}

fn unique(names: Vec<&str>) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut unique = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        let plain = if name.is_empty() {
            format!("column {}", index + 1)
        } else {
            name.to_owned()
        };
        let mut own = plain.clone();
        let mut number = 2;
        while !taken.insert(own.clone()) {
            own = format!("{plain} {number}");
            number += 1;
        }
        unique.push(own);
    }
    unique
}

fn values(row: &Row<'_>, count: usize) -> rusqlite::Result<Vec<Value>> {
    let value = |index: usize| {
        Ok(match row.get_ref(index)? {
            ValueRef::Null => Value::Missing,
            ValueRef::Integer(value) => Value::Signed(value),
            ValueRef::Real(value) => Value::Plain(value),
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => {
                let shown: String = bytes
                    .iter()
                    .take(MOST_BINARY)
                    .map(|byte| format!("{byte:02X}"))
                    .collect();
                let rest = if bytes.len() > MOST_BINARY { "..." } else { "" };
                Value::Text(format!("{shown}{rest}"))
            }
        })
    };
    (0..count).map(value).collect()
}

fn length(value: &Value) -> usize {
    match value {
        Value::Text(text) => size_of::<Value>() + text.len(),
        _ => size_of::<Value>(),
    }
}
