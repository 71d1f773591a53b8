//! A file of samples opened as what it is: data of unknown origin.
//!
//! The file is read into memory as a whole, so that nothing beside it is opened and nothing is written. What it may
//! contain and what a statement may do is bounded before the first table is read: only tables and views, no triggers,
//! no virtual tables; statements may read, and only for so long.

use super::schema;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, MAIN_DB};
use std::fmt::Display;
use std::time::{Duration, Instant};

/// The largest file.
pub(super) const MOST_BYTES: u64 = 1 << 30;
/// The most memory that SQLite may use in this process, which can only be lowered: two files and what statements need.
const MOST_MEMORY: i64 = 4 << 30;
/// How long reading a file may take.
const LONGEST: Duration = Duration::from_secs(60);
/// The first bytes of a file of SQLite.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Steps of SQLite's machine from one look at the clock to the next.
const STEPS: i32 = 10_000;

/// Opens the bytes of the file `name`.
///
/// # Errors
/// One line: what is wrong with the file.
pub(super) fn open(name: &str, bytes: &[u8]) -> Result<Connection, String> {
    if bytes.get(..MAGIC.len()) != Some(MAGIC) {
        return Err(format!("`{name}` is no file of samples; `p5inst sample` writes them"));
    }
    let damaged = |error: rusqlite::Error| damaged(name, &error);
    let mut database = Connection::open_in_memory().map_err(damaged)?;
    confine(&mut database, bytes).map_err(damaged)?;
    identify(&database, name)?;
    within(&database, LONGEST);
    let sound: rusqlite::Result<String> = database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    match sound.as_deref() {
        Ok("ok") => {}
        Ok(problem) => return Err(self::damaged(name, &problem)),
        Err(error) => return Err(self::damaged(name, error)),
    }
    contents(&database, name)?;
    database.authorizer(Some(may));
    Ok(database)
}

/// What is wrong with the file `name`, in one line: SQLite quotes the file's own text.
pub(super) fn damaged(name: &str, problem: &dyn Display) -> String {
    let problem = problem.to_string();
    let words: Vec<&str> = problem.split_whitespace().collect();
    format!("`{name}` is damaged: {}", words.join(" "))
}

/// Sets the limits and loads the bytes.
fn confine(database: &mut Connection, bytes: &[u8]) -> rusqlite::Result<()> {
    database.pragma_update(None, "hard_heap_limit", MOST_MEMORY)?;
    database.pragma_update(None, "temp_store", "MEMORY")?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, 1 << 20),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 18),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 0),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        database.set_limit(limit, most)?;
    }
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
    ] {
        database.set_db_config(setting, on)?;
    }
    database.deserialize_read_exact(MAIN_DB, bytes, bytes.len(), true)?;
    database.pragma_update(None, "cell_size_check", true)?;
    database.pragma_update(None, "query_only", true)
}

/// Makes sure that the file is one of samples, and of a version that can be read.
fn identify(database: &Connection, name: &str) -> Result<(), String> {
    let number = |pragma: &str| -> Result<i32, String> {
        let value = database.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0));
        value.map_err(|error| damaged(name, &error))
    };
    if number("application_id")? != schema::APPLICATION {
        return Err(format!(
            "`{name}` is a database, but none of samples; `p5inst sample` writes them"
        ));
    }
    match number("user_version")? {
        schema::VERSION => Ok(()),
        later if later > schema::VERSION => Err(format!(
            "`{name}` has version {later}, and this p5inst reads version {} only; use a later p5inst",
            schema::VERSION
        )),
        other => Err(damaged(name, &format_args!("there is no version {other}"))),
    }
}

/// Makes sure that the file consists of tables, indexes and views, and that the tables that are read are there.
fn contents(database: &Connection, name: &str) -> Result<(), String> {
    let damaged = |error: rusqlite::Error| damaged(name, &error);
    let count = |condition: &str| -> rusqlite::Result<i64> {
        let query = format!("SELECT count(*) FROM sqlite_schema WHERE {condition}");
        database.query_row(&query, [], |row| row.get(0))
    };
    let strange = "type NOT IN ('table', 'index', 'view') OR (type = 'table' AND rootpage = 0)";
    if count(strange).map_err(damaged)? > 0 {
        return Err(format!(
            "`{name}` has triggers or virtual tables, which no file of samples has"
        ));
    }
    for table in schema::NEEDED {
        if count(&format!("type = 'table' AND name = '{table}'")).map_err(damaged)? != 1 {
            return Err(self::damaged(name, &format_args!("it has no table `{table}`")));
        }
    }
    Ok(())
}

/// Ends statements after this time.
pub(super) fn within(database: &Connection, time: Duration) {
    let start = Instant::now();
    database.progress_handler(STEPS, Some(move || start.elapsed() > time));
}

/// Only reading is allowed.
fn may(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !is_forbidden(function_name) => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// Functions that reach beyond the data. Those of the command line shell are not built in, but named all the same.
fn is_forbidden(function: &str) -> bool {
    [
        "load_extension",
        "fts3_tokenizer",
        "readfile",
        "writefile",
        "edit",
        "sqlite_log",
    ]
    .iter()
    .any(|forbidden| function.eq_ignore_ascii_case(forbidden))
}
