//! The finished rows of a sweep on disk, so that an interrupted sweep continues: a file beside the table with a line of
//! JSON for each row, removed when the table is written.
//!
//! A line counts if it is complete and its checksum is right. Rows that were being written when the process was killed
//! are made again, and so are all rows after a damaged line. The first line identifies the source, the options and the
//! build of the program; a journal with another identity is kept in a separate file. A row that is too long for a line
//! is not kept, and made again.

use super::super::replace::Replacement;
use super::sources::{Cache, fingerprint};
use runtime::report::sweep::Row;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The end of the journal's name.
const ENDING: &str = ".unfinished";
/// The further end of the name of a journal whose rows are not used, before its number.
const OLD: &str = ".old";
/// The maximum length of a line in bytes, with its end.
const LONGEST: u64 = 1 << 20;

/// The identity of a journal: the properties that all of its rows share.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Identity {
    /// The version of the journal's format.
    pub(super) p5inst_sweep: u32,
    /// The version and the build of the program.
    pub(super) tool: String,
    /// The fingerprint of the source and the objects.
    pub(super) source: u64,
    /// The fingerprint of the options that all rows share.
    pub(super) options: u64,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// The name and the fingerprint of an included file.
    Include { name: String, fingerprint: u64 },
    /// The name of a point of the matrix, and its finished row.
    Row { point: String, row: Box<Row> },
}

pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// The included files that the journal names.
    named: BTreeSet<String>,
}

/// A journal, with its contents when it was opened.
pub(super) struct Opened {
    pub(super) journal: Journal,
    /// The finished rows, by the names of their points.
    pub(super) rows: HashMap<String, Row>,
    /// The reason why existing rows are not used, and their new place.
    pub(super) dropped: Option<String>,
    /// The number, from 1, of the first damaged line.
    pub(super) damaged: Option<usize>,
}

impl Journal {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the journal of the table at `output`. An error is one line: it cannot be written, is not a journal, or
    /// belongs to a running sweep.
    pub(super) fn open(output: &Path, identity: &Identity, sources: &Cache) -> Result<Opened, String> {
        let mut path = output.as_os_str().to_owned();
        path.push(ENDING);
        let path = PathBuf::from(path);
        let refused = |why: &str| format!("cannot keep finished rows in `{}`: {why}", path.display());
        let problem = |error: io::Error| refused(&error.to_string());
        if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(refused("it is not a regular file"));
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(problem)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(refused("another sweep is writing it")),
            Err(TryLockError::Error(error)) => return Err(problem(error)),
        }
        // The sweep that held the lock may have removed the file meanwhile; everything written to it would be lost.
        if fs::symlink_metadata(&path).is_err() {
            return Err(refused("another sweep has just removed it; start this one again"));
        }
        let found = read(&file, identity, sources).map_err(|why| match why {
            Unusable::Io(error) => problem(error),
            Unusable::Foreign => {
                refused("its first line is damaged or not of a sweep; remove it to start anew, or name another output")
            }
        })?;
        let dropped = match found.dropped {
            Some(why) => Some(format!("{why}; they are in `{}`", kept(&path, &mut file)?.display())),
            None => None,
        };
        file.set_len(found.length).map_err(problem)?;
        file.seek(SeekFrom::End(0)).map_err(problem)?;
        let mut journal = Journal {
            path,
            file,
            named: found.named,
        };
        if found.length == 0 {
            let begun = journal.append(&serde_json::to_string(identity));
            if begun.is_err() {
                // The journal is empty, and no other sweep can have begun it.
                let _ = fs::remove_file(&journal.path);
            }
            begun?;
        }
        Ok(Opened {
            journal,
            rows: found.rows,
            dropped,
            damaged: found.damaged,
        })
    }

    /// Adds a finished row after the included files that are new; an error is one line.
    pub(super) fn add(&mut self, point: &str, row: &Row, sources: &Cache) -> Result<(), String> {
        for name in sources.names() {
            if self.named.insert(name.clone()) {
                let fingerprint = sources.fingerprint(&name);
                self.append(&with_checksum(&Line::Include { name, fingerprint }))?;
            }
        }
        self.append(&with_checksum(&Line::Row {
            point: point.to_owned(),
            row: Box::new(row.clone()),
        }))
    }

    fn append(&mut self, line: &serde_json::Result<String>) -> Result<(), String> {
        let written = match line {
            // Reading would end at such a line.
            Ok(line) if line.len() as u64 >= LONGEST => Ok(()),
            Ok(line) => self.file.write_all(format!("{line}\n").as_bytes()),
            Err(error) => Err(io::Error::other(error.to_string())),
        };
        written.map_err(|error| format!("cannot keep finished rows in `{}`: {error}", self.path.display()))
    }

    /// Removes the journal after the table is written.
    pub(super) fn remove(self) -> Result<(), String> {
        let Journal { path, file, .. } = self;
        let removed = fs::remove_file(&path);
        drop(file);
        removed.map_err(|error| format!("cannot remove `{}`: {error}", path.display()))
    }
}

/// A line with its checksum before it.
fn with_checksum(line: &Line) -> serde_json::Result<String> {
    let text = serde_json::to_string(line)?;
    Ok(format!("{:016x} {text}", fingerprint(&text)))
}

/// The line in these bytes; `None` if its checksum is wrong.
fn checked(bytes: &[u8]) -> Option<Line> {
    let (checksum, text) = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?.split_once(' ')?;
    let right = checksum.len() == 16 && u64::from_str_radix(checksum, 16).ok()? == fingerprint(&text);
    right.then(|| serde_json::from_str(text).ok()).flatten()
}

/// Copies a journal with unused rows to a file beside it, which replaces no other one: the first with its name is
/// without a number, the next one has the number 2.
fn kept(path: &Path, file: &mut File) -> Result<PathBuf, String> {
    let named = |end: &str| {
        let mut old = path.as_os_str().to_owned();
        old.push(OLD);
        old.push(end);
        PathBuf::from(old)
    };
    let mut old = named("");
    let mut number = 1_u32;
    while fs::symlink_metadata(&old).is_ok() {
        number += 1;
        old = named(&format!(".{number}"));
    }
    let mut copy = Replacement::new(&old)?;
    copy.written(|out| {
        file.seek(SeekFrom::Start(0))?;
        io::copy(file, out).map(|_| ())
    })?;
    copy.finish()?;
    Ok(old)
}

#[derive(Default)]
struct Found {
    rows: HashMap<String, Row>,
    named: BTreeSet<String>,
    dropped: Option<String>,
    damaged: Option<usize>,
    /// The length of the part of the file that is kept.
    length: u64,
}

enum Unusable {
    Io(io::Error),
    Foreign,
}

fn read(file: &File, identity: &Identity, sources: &Cache) -> Result<Found, Unusable> {
    let mut reader = BufReader::new(file);
    let Some(first) = line(&mut reader).map_err(Unusable::Io)? else {
        // The file is empty or has the beginning of a first line; any other file is not a journal.
        let size = file.metadata().map_err(Unusable::Io)?.len();
        let begun = serde_json::to_vec(identity).map_or(0, |bytes| bytes.len() as u64);
        return match size <= begun {
            true => Ok(Found::default()),
            false => Err(Unusable::Foreign),
        };
    };
    let before: Identity = serde_json::from_slice(&first).map_err(|_| Unusable::Foreign)?;
    let different = [
        (
            before.p5inst_sweep != identity.p5inst_sweep || before.tool != identity.tool,
            "by another build of p5inst",
        ),
        (before.source != identity.source, "of another source"),
        (before.options != identity.options, "with other options"),
    ];
    let dropped = |why: String| Found {
        dropped: Some(why),
        ..Found::default()
    };
    if let Some((_, why)) = different.iter().find(|(differs, _)| *differs) {
        return Ok(dropped(format!("finished rows were made {why}")));
    }
    let mut found = Found {
        length: first.len() as u64,
        ..Found::default()
    };
    let mut number = 1;
    while let Some(bytes) = line(&mut reader).map_err(Unusable::Io)? {
        number += 1;
        match checked(&bytes) {
            Some(Line::Row { point, row }) => {
                found.rows.insert(point, *row);
            }
            Some(Line::Include { name, fingerprint }) => {
                if sources.fingerprint(&name) != fingerprint {
                    let name = runtime::report::escaped(&name);
                    return Ok(dropped(format!(
                        "finished rows were made before `{name}`, which the source includes, was changed"
                    )));
                }
                found.named.insert(name);
            }
            // All rows after a damaged line are made again.
            None => {
                found.damaged = Some(number);
                break;
            }
        }
        found.length += bytes.len() as u64;
    }
    Ok(found)
}

/// The next line with its end, or the beginning of one that is too long; `None` at the end of the file.
fn line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    io::Read::take(&mut *reader, LONGEST).read_until(b'\n', &mut bytes)?;
    let too_long = bytes.len() as u64 == LONGEST;
    Ok(Some(bytes).filter(|bytes| too_long || bytes.ends_with(b"\n")))
}

#[cfg(test)]
mod tests;
