//! Opens a file of samples with the caution that data of unknown origin need.
//!
//! The file is read into memory as a whole, so that no other file is opened and nothing is written. Its contents and
//! the rights of statements are restricted before the first table is read: there may only be plain tables, their
//! indexes and views, no triggers, no virtual tables, and nothing that is computed when a row is read or checked;
//! statements may only read, and only for a limited time.
//!
//! SQLite checks the clock between the steps of its machine, and a single step can take long. Therefore a file is read
//! in a separate thread, and the thread that waits for it checks the clock as well.

use super::bounds::{LONGEST_TEXT, MOST_BYTES, MOST_CODE, MOST_PIECE};
use super::read;
use super::schema;
use crate::command::sources::recorded;
use runtime::record::Recording;
use runtime::report::escaped;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, MAIN_DB};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::Read;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The maximum memory of SQLite in this process, in bytes, for two files and their statements. It can only be lowered.
const MOST_MEMORY: i64 = 4 << 30;
/// The maximum memory for a question in SQL in bytes, in addition to the file.
const MOST_FOR_A_QUESTION: i64 = 512 << 20;
/// The time limit for reading a file, unless another is given.
pub(super) const LONGEST: Duration = Duration::from_secs(60);
/// The first bytes of an SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// The number of steps of SQLite's machine between two checks of the clock.
const STEPS: i32 = 100;
/// The time that a step may take after the time limit before it is abandoned.
const GRACE: Duration = Duration::from_millis(300);
/// The stack size of a thread that reads, in bytes, as large as that of the main thread.
const STACK: usize = 8 << 20;
/// The maximum size of a text and of a row in bytes. The time of functions such as `instr` grows with its square.
const LENGTH: i32 = 1 << 16;
const _: () = assert!(LONGEST_TEXT < LENGTH as usize / 2 && MOST_PIECE < LENGTH as usize);
/// The same maximum while the recording is read: earlier versions wrote consecutive code as one row.
const LENGTH_TO_READ: i32 = MOST_CODE as i32 + LENGTH;

/// Performs `work`, or gives up shortly after `longest` with the error `late`. The working thread then continues until
/// the process ends.
pub(super) fn in_time<T: Send + 'static>(
    longest: Option<Duration>,
    late: impl FnOnce() -> String,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (done, result) = sync_channel(1);
    let thread = thread::Builder::new().stack_size(STACK).spawn(move || {
        // The waiting thread may have given up.
        let _ = done.send(work());
    });
    thread.map_err(|error| format!("cannot start a thread: {error}"))?;
    let longest = longest.map_or(Duration::MAX, |longest| longest.saturating_add(GRACE));
    match result.recv_timeout(longest) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => Err(late()),
        Err(RecvTimeoutError::Disconnected) => Err("SQLite cannot read the file".to_owned()),
    }
}

/// Opens the file at `path` and reads its recording, in at most `longest`.
pub(super) fn opened(path: &Path, longest: Option<Duration>) -> Result<(Connection, Recording), String> {
    let file = recorded(path, MOST_BYTES, MAGIC)?;
    let name = file.name.clone();
    let late = move || {
        let seconds = longest.unwrap_or_default().as_secs_f64();
        format!("reading `{name}` takes longer than {seconds} s; give more seconds with `--timeout`")
    };
    let start = Instant::now();
    let read = in_time(longest, late.clone(), move || {
        let database = open(&file.name, file.bytes, longest.unwrap_or(Duration::MAX))?;
        let recording = read::recording(&database).map_err(|problem| damaged(&file.name, &problem))?;
        name_fields(&database, &recording).map_err(|error| damaged(&file.name, &error))?;
        Ok((database, recording))
    });
    // SQLite, which is interrupted first, calls this a defect of the file.
    read.map_err(|error| match longest {
        Some(longest) if start.elapsed() > longest => late(),
        _ => error,
    })
}

/// Gives the views of samples the fields that the file describes. They replace the file's views while it is open.
fn name_fields(database: &Connection, recording: &Recording) -> rusqlite::Result<()> {
    if recording.described.fields().is_empty() {
        return Ok(());
    }
    let columns = |table: &str| -> rusqlite::Result<BTreeMap<u32, String>> {
        let statement = database.prepare(&format!("SELECT * FROM {table}"))?;
        let names = statement.column_names().into_iter();
        let named = names.filter_map(|name| Some((schema::register(name, &recording.described)?, name.to_owned())));
        Ok(named.collect())
    };
    let views = schema::described_views(recording, &[columns("samples")?, columns("pairs")?]);
    // Nothing in the file changes: these views are kept in memory.
    database.authorizer(None::<fn(AuthContext<'_>) -> Authorization>);
    let made = database
        .pragma_update(None, "query_only", false)
        .and_then(|()| database.execute_batch(&views));
    let closed = database.pragma_update(None, "query_only", true);
    database.authorizer(Some(may));
    made.and(closed)
}

/// Makes sure that a file that a recording would replace is a file of samples, or empty; the error names the file.
pub(super) fn may_be_replaced(path: &Path) -> Result<(), String> {
    match is_recording(path) {
        Ok(Some(true) | None) => Ok(()),
        Ok(Some(false)) => Err(format!(
            "`{}` exists and is no file of samples; remove it or name another file",
            path.display()
        )),
        Err(error) => Err(format!(
            "`{}` exists and cannot be read, so it may be no file of samples ({error}); remove it or name another file",
            path.display()
        )),
    }
}

/// Makes sure that a file that another report would replace is not a file of samples; the error names the file.
pub(super) fn is_no_recording(path: &Path) -> Result<(), String> {
    match is_recording(path) {
        Ok(Some(true)) => Err(format!(
            "`{}` is a file of samples, and --study writes a report; remove it or name another file",
            path.display()
        )),
        Ok(Some(false) | None) | Err(_) => Ok(()),
    }
}

/// Whether a regular file is a file of samples; `None` if there is none, or if it is empty.
///
/// # Errors
/// It cannot be read.
fn is_recording(path: &Path) -> std::io::Result<Option<bool>> {
    if !std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(None);
    }
    // The header of SQLite has 16 bytes of text, and the application's number at offset 68.
    let mut header = Vec::new();
    std::fs::File::open(path)?.take(72).read_to_end(&mut header)?;
    let is_own = header.starts_with(MAGIC) && header.get(68..72) == Some(&schema::APPLICATION.to_be_bytes()[..]);
    Ok((!header.is_empty()).then_some(is_own))
}

fn open(name: &str, bytes: Vec<u8>, longest: Duration) -> Result<Connection, String> {
    if bytes.get(..MAGIC.len()) != Some(MAGIC) {
        return Err(format!("`{name}` is no file of samples; `p5inst sample` writes them"));
    }
    let damaged = |error: rusqlite::Error| damaged(name, &error);
    let mut database = Connection::open_in_memory().map_err(damaged)?;
    confine(&mut database, bytes).map_err(damaged)?;
    identify(&database, name)?;
    within(&database, longest);
    // This precedes the check, which evaluates the constraints of tables.
    contents(&database, name)?;
    let sound: rusqlite::Result<String> = database.query_row("PRAGMA quick_check(1)", [], |row| row.get(0));
    match sound.as_deref() {
        Ok("ok") => {}
        Ok(problem) => return Err(self::damaged(name, &problem)),
        Err(error) => return Err(self::damaged(name, error)),
    }
    database.authorizer(Some(may));
    Ok(database)
}

/// The defect of the file `name` in one line; SQLite's message may quote text of the file.
pub(super) fn damaged(name: &str, problem: &dyn Display) -> String {
    let problem = problem.to_string();
    let words: Vec<&str> = problem.split_whitespace().collect();
    format!("`{name}` is damaged: {}", words.join(" "))
}

/// The bytes of a file, of which each part is freed once SQLite has copied it: a large file is in memory once.
struct Parts {
    /// The last one first.
    parts: Vec<Vec<u8>>,
    /// The number of bytes that have been read of the first one.
    read: usize,
}

impl Parts {
    const SIZE: usize = 16 << 20;

    fn of(mut bytes: Vec<u8>) -> Parts {
        let mut parts = Vec::new();
        while bytes.len() > Parts::SIZE {
            parts.push(bytes.split_off(bytes.len() - Parts::SIZE));
            bytes.shrink_to_fit();
        }
        parts.push(bytes);
        Parts { parts, read: 0 }
    }
}

impl Read for Parts {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let Some(part) = self.parts.last() else { return Ok(0) };
        let read = (&part[self.read..]).read(into)?;
        self.read += read;
        if self.read == part.len() {
            self.parts.pop();
            self.read = 0;
        }
        Ok(read)
    }
}

/// Sets the limits, then loads the bytes.
fn confine(database: &mut Connection, bytes: Vec<u8>) -> rusqlite::Result<()> {
    database.pragma_update(None, "hard_heap_limit", MOST_MEMORY)?;
    database.pragma_update(None, "temp_store", "MEMORY")?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, LENGTH_TO_READ),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, LENGTH),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1 << 10),
        (Limit::SQLITE_LIMIT_COLUMN, 256),
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
    let length = bytes.len();
    database.deserialize_read_exact(MAIN_DB, Parts::of(bytes), length, true)?;
    database.pragma_update(None, "cell_size_check", true)?;
    database.pragma_update(None, "query_only", true)
}

/// Limits the memory and the texts of the questions that follow.
pub(super) fn confine_questions(database: &Connection) -> Result<(), String> {
    // From here on, pragmas are not allowed.
    database.authorizer(None::<fn(AuthContext<'_>) -> Authorization>);
    let bounded = || -> rusqlite::Result<()> {
        database.set_limit(Limit::SQLITE_LIMIT_LENGTH, LENGTH)?;
        let pages: i64 = database.query_row("PRAGMA page_count", [], |row| row.get(0))?;
        let bytes: i64 = database.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        let most = pages.saturating_mul(bytes).saturating_add(MOST_FOR_A_QUESTION);
        database.pragma_update(None, "hard_heap_limit", most.min(MOST_MEMORY))
    };
    let result = bounded();
    database.authorizer(Some(may));
    result.map_err(|error| format!("the memory cannot be bounded: {error}"))
}

/// Makes sure that the file is a file of samples, in a version that can be read.
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

/// Makes sure that the file consists of plain tables, indexes and views, and that it has the tables that are read.
fn contents(database: &Connection, name: &str) -> Result<(), String> {
    let damaged = |problem: &dyn Display| damaged(name, problem);
    let refused = |error: rusqlite::Error| damaged(&error);
    let query = "SELECT type, name, tbl_name, sql, rootpage FROM sqlite_schema";
    let mut statement = database.prepare(query).map_err(refused)?;
    let mut rows = statement.query([]).map_err(refused)?;
    let (mut tables, mut computed) = (BTreeSet::new(), None);
    while let Some(row) = rows.next().map_err(refused)? {
        // Names that are not text would make callbacks of the library panic.
        let text = |column: usize| -> Result<Option<String>, String> {
            let value = row.get_ref(column).map_err(refused)?;
            let text = value.as_str_or_null();
            let text = text.map_err(|_| damaged(&"a name in it is no UTF-8"))?;
            Ok(text.map(str::to_owned))
        };
        let [kind, own, _, sql] = [text(0)?, text(1)?, text(2)?, text(3)?];
        let (own, sql) = (own.unwrap_or_default(), sql.unwrap_or_default());
        let root: i64 = row.get(4).map_err(refused)?;
        let plain = match kind.as_deref() {
            Some("table") if root != 0 => plain_table(&sql),
            // An index that belongs to a key has no text.
            Some("index") => sql.is_empty() || plain_index(&sql),
            Some("view") => true,
            _ => {
                return Err(format!(
                    "`{name}` has triggers or virtual tables, which no file of samples has"
                ));
            }
        };
        if !plain {
            computed.get_or_insert_with(|| own.clone());
        }
        if kind.as_deref() == Some("table") {
            tables.insert(own);
        }
    }
    if let Some(computed) = computed {
        return Err(format!(
            "`{name}` has a table or an index with an expression, `{}`, which no file of samples has",
            escaped(&computed)
        ));
    }
    match schema::NEEDED.iter().find(|needed| !tables.contains(**needed)) {
        Some(table) => Err(damaged(&format_args!("it has no table `{table}`"))),
        None => Ok(()),
    }
}

/// Whether no column of a table has an expression: checks, computed columns, and defaults other than a number need
/// parentheses of their own.
fn plain_table(sql: &str) -> bool {
    sql.matches('(').count() == 1
}

/// Whether an index is over plain columns and all rows.
fn plain_index(sql: &str) -> bool {
    let column = |text: &str| text.trim().chars().all(|one| one == '_' || one.is_ascii_alphanumeric());
    let columns = sql.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    columns.is_some_and(|columns| columns.split(',').all(column))
}

/// Makes statements end after this time.
pub(super) fn within(database: &Connection, time: Duration) {
    let start = Instant::now();
    database.progress_handler(STEPS, Some(move || start.elapsed() > time));
}

fn may(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !is_forbidden(function_name) => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// Whether a function reaches beyond the data. Functions of the command line shell are included, though not built in.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_parts_is_the_file() {
        for length in [0, 1, Parts::SIZE, Parts::SIZE + 1, 2 * Parts::SIZE + 12_345] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let mut parts = Parts::of(bytes.clone());
            let mut read = Vec::new();
            parts.read_to_end(&mut read).expect("it is in memory");
            assert!(read == bytes, "{length}");
            assert!(parts.parts.iter().all(Vec::is_empty), "{length}");
        }
    }
}
