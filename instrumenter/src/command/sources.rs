//! Reads source files: only regular files of bounded size.

use super::args::Arguments;
use super::generated::is_generated;
use super::standard_input::as_file;
use clap::CommandFactory;
use p5_assembler::source::{Binary, decode};
use p5_assembler::spelling::nearest;
use runtime::image::SourceFile;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The maximum size of a program in bytes.
pub(super) const PROGRAM_LIMIT: u64 = 64 * 1024 * 1024;
/// The maximum size of an included file in bytes.
pub(super) const INCLUDE_LIMIT: u64 = 16 * 1024 * 1024;

/// The canonical paths of the sources, objects and data that this process has read; no output may replace them.
static READ: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Whether the file at this canonical path was read as a source, an object or data of one.
pub(super) fn was_read(real: &Path) -> bool {
    READ.lock().unwrap_or_else(PoisonError::into_inner).contains(real)
}

/// Reads the program at `path`, or from standard input for `-`. An error is one line: the defect and its remedy.
pub(crate) fn program(path: &Path) -> Result<SourceFile, String> {
    file(path).map(text)
}

pub(crate) fn text(file: Binary) -> SourceFile {
    SourceFile::new(file.name, decode(&file.bytes))
}

/// Reads a file to run or link, or standard input for `-`. An error is one line: the defect and its remedy.
pub(crate) fn file(path: &Path) -> Result<Binary, String> {
    let (name, bytes) = if path == Path::new("-") {
        let bytes = as_file().and_then(|file| bounded(file, PROGRAM_LIMIT));
        let bytes = bytes.map_err(|error| format!("cannot read standard input: {error}"))?;
        ("<stdin>".to_owned(), bytes)
    } else {
        let name = path.display().to_string();
        let bytes = regular(path, PROGRAM_LIMIT).map_err(|error| unreadable(path, &error))?;
        (name, bytes)
    };
    let bytes = bytes.ok_or_else(|| {
        format!(
            "`{name}` is larger than {} MiB, the limit for a program",
            PROGRAM_LIMIT >> 20
        )
    })?;
    Ok(Binary { name, bytes })
}

/// Reads a regular file of samples of at most `limit` bytes, or standard input for `-`, whose first bytes are `magic`;
/// of another file no more is read, and it is returned with these. An error is one line: the defect and its remedy.
pub(crate) fn recorded(path: &Path, limit: u64, magic: &[u8]) -> Result<Binary, String> {
    let begins = |bytes: &[u8]| bytes == magic;
    let (name, read) = match path == Path::new("-") {
        true => (
            "<stdin>".to_owned(),
            as_file().and_then(|file| bounded_if(file, limit, magic.len(), begins)),
        ),
        false => {
            let read = regular_if(path, limit, magic.len(), begins);
            (path.display().to_string(), read)
        }
    };
    match read {
        Ok(Some(bytes)) => Ok(Binary { name, bytes }),
        Ok(None) => Err(format!(
            "`{name}` is larger than {} MiB, the limit for a file of samples",
            limit >> 20
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(format!(
            "no such file: `{name}`; `p5inst sample` writes files of samples"
        )),
        Err(error) if error.kind() == ErrorKind::InvalidInput => Err(format!("cannot read `{name}`: {error}")),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// The bytes of a regular file, which no output may replace from here on; `None` if there are more than `limit`.
pub(super) fn regular(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let bytes = regular_if(path, limit, 0, |_| true)?;
    let real = path.canonicalize()?;
    READ.lock().unwrap_or_else(PoisonError::into_inner).insert(real);
    Ok(bytes)
}

/// Like [`regular`]; the rest of the file is read only if its first bytes, so many as `first`, are `wanted`.
fn regular_if(path: &Path, limit: u64, first: usize, wanted: impl Fn(&[u8]) -> bool) -> io::Result<Option<Vec<u8>>> {
    let must_be_regular = |metadata: &fs::Metadata| match metadata.is_file() {
        true => Ok(()),
        false if metadata.is_dir() => Err(io::Error::from(ErrorKind::IsADirectory)),
        false => Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file")),
    };
    // The type is checked before opening, because opening a FIFO waits for a writer, and after it, because the path may
    // have changed.
    must_be_regular(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    must_be_regular(&metadata)?;
    let length = metadata.len();
    if length > limit {
        let start = bounded(file.take(first as u64), limit)?;
        return Ok(start.filter(|start| first > 0 && !wanted(start)));
    }
    if length == 0 && is_generated(&file)? {
        let why = "the system generates its contents when it is read";
        return Err(io::Error::new(ErrorKind::InvalidInput, why));
    }
    // Beyond its length, reading a file that the system generates may wait without end.
    bounded_if(file.take(length), limit, first, wanted)
}

fn bounded(source: impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    bounded_if(source, limit, 0, |_| true)
}

fn bounded_if(
    mut source: impl Read,
    limit: u64,
    first: usize,
    wanted: impl Fn(&[u8]) -> bool,
) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    source.by_ref().take(first as u64).read_to_end(&mut bytes)?;
    if wanted(&bytes) {
        let left = (limit + 1).saturating_sub(bytes.len() as u64);
        source.take(left).read_to_end(&mut bytes)?;
    }
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

/// The command whose name is similar to a path.
fn nearest_command(path: &Path) -> Option<String> {
    let name = path.to_str()?;
    let commands = Arguments::command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    let near = nearest(name, names)?;
    (near != name).then(|| near.to_owned())
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> String {
    let name = path.display();
    match error.kind() {
        ErrorKind::NotFound if path.with_extension("asm").is_file() => {
            format!(
                "no such file: `{name}`; did you mean `{}`?",
                path.with_extension("asm").display()
            )
        }
        ErrorKind::NotFound if nearest_command(path).is_some() => {
            let command = nearest_command(path).unwrap_or_default();
            format!("no such file: `{name}`; or did you mean the command `p5inst {command}`?")
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            format!(
                "no such file: `{name}`; give the path of an assembly source or of a program, or `-` for standard input"
            )
        }
        ErrorKind::IsADirectory => format!("`{name}` is a directory; name a file in it"),
        ErrorKind::PermissionDenied => format!("no permission to read `{name}`"),
        ErrorKind::InvalidInput => {
            format!(
                "cannot read `{name}`: {error}; to read from a device or pipe, pass `-` and redirect it to standard input"
            )
        }
        _ => format!("cannot read `{name}`: {error}"),
    }
}

/// The bytes of a regular file that is no larger than an included file may be.
pub(super) fn not_larger(path: &Path) -> Option<Vec<u8>> {
    regular(path, INCLUDE_LIMIT).ok().flatten()
}

/// Whether [`not_larger`] would have text of a file; otherwise the limit that its size is above, or `None`.
pub(super) fn would_be_read(path: &Path) -> Result<(), Option<u64>> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() && metadata.len() > INCLUDE_LIMIT => Err(Some(INCLUDE_LIMIT)),
        Ok(metadata) if metadata.is_file() && metadata.len() > 0 && File::open(path).is_ok() => Ok(()),
        _ => Err(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_file_that_begins_otherwise_no_more_is_read() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("large");
        let made = File::create(&path).and_then(|file| file.set_len(10 << 30));
        made.expect("a sparse file");
        let read = recorded(&path, 1 << 30, b"SQLite").expect("its first bytes");
        assert_eq!(read.bytes, [0; 6]);
        let refused = recorded(&path, 1 << 30, &[0; 6]).expect_err("too large");
        assert!(refused.contains("larger than 1024 MiB"), "{refused}");
        fs::write(&path, "SQLite and more").expect("a file");
        let read = recorded(&path, 15, b"SQLite").expect("all of it");
        assert_eq!(read.bytes, b"SQLite and more");
        assert!(recorded(&path, 14, b"SQLite").is_err());
    }

    #[test]
    fn a_program_that_cannot_be_read_says_why_and_how_to_fix_it() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("main")).expect("a new directory");
        let refused = |path: &Path, why: &str| {
            let error = program(path).expect_err(why);
            assert!(error.contains(why) && !error.contains('\n'), "{error}");
        };
        refused(&at("none.asm"), "no such file");
        fs::write(at("loop.asm"), "nop").expect("a new file");
        refused(&at("loop"), "did you mean");
        refused(&at("main"), "is a directory");
        refused(&at("loop.asm/x"), "no such file");
        #[cfg(unix)]
        refused(Path::new("/dev/zero"), "not a regular file");
        #[cfg(target_os = "linux")]
        refused(Path::new("/proc/version"), "generates its contents when it is read");
        fs::write(at("empty.asm"), "").expect("a new file");
        assert_eq!(program(&at("empty.asm")).map(|file| file.text.len()), Ok(0));
        File::create(at("big.asm"))
            .and_then(|file| file.set_len(PROGRAM_LIMIT + 1))
            .expect("a sparse file");
        refused(&at("big.asm"), "larger than 64 MiB");
        assert_eq!(
            program(&at("loop.asm")).map(|file| file.text.to_string()),
            Ok("nop".to_owned())
        );
    }
}
