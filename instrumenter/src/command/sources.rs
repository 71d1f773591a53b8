//! Reads source files: only regular files of bounded size, and includes only from directories that the user allows.

use super::args::Arguments;
use super::generated::is_generated;
use super::standard_input::as_file;
use asm_macros::library;
use clap::CommandFactory;
use p5_assembler::source::{Binary, Included, Unavailable, decode};
use p5_assembler::spelling::nearest;
use runtime::image::SourceFile;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum size of a program in bytes.
pub(super) const PROGRAM_LIMIT: u64 = 64 * 1024 * 1024;
/// The maximum size of an included file in bytes.
const INCLUDE_LIMIT: u64 = 16 * 1024 * 1024;
/// The name that includes the bundled macro library, unless a file has this name.
const LIBRARY: &str = "p5.inc";

/// Reads the program at `path`, or from standard input for `-`. An error is one line: the defect and its remedy.
pub(crate) fn program(path: &Path) -> Result<SourceFile, String> {
    file(path).map(text)
}

pub(crate) fn text(file: Binary) -> SourceFile {
    SourceFile {
        elsewhere: None,
        compiled_in: None,
        read_at: None,
        text: Arc::from(decode(&file.bytes)),
        name: file.name,
    }
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

/// The bytes of a regular file; `None` if there are more than `limit`.
fn regular(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    regular_if(path, limit, 0, |_| true)
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

/// The directories that `include` searches: that of the program, then those given with `-I`.
pub(crate) struct Includes {
    /// Each directory as the user gave it, and its canonical path.
    roots: Vec<(PathBuf, PathBuf)>,
}

impl Includes {
    /// The directories for `program`. Each of `directories` must exist; the error names the directory and the reason.
    pub(crate) fn new(program: &Path, directories: &[PathBuf]) -> Result<Includes, String> {
        let own = program.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut roots = Vec::with_capacity(directories.len() + 1);
        for directory in std::iter::once(&own).chain(directories) {
            let there = if directory.as_os_str().is_empty() {
                Path::new(".")
            } else {
                directory
            };
            let known = there
                .canonicalize()
                .ok()
                .filter(|known| known.is_dir())
                .ok_or_else(|| format!("no such include directory: `{}`", there.display()))?;
            roots.push((directory.clone(), known));
        }
        Ok(Includes { roots })
    }

    /// Reads the file that `include name` names, under the path that reports show, or the bundled library.
    ///
    /// Names are relative to the directories, with `/` or `\`. If no file has exactly that name, one that differs only
    /// in case is taken, as under DOS; and if there is none, in a directory whose path ends with the first folders of
    /// the name, the file of the rest. Nothing outside the directories is read, not even through a link.
    pub(crate) fn read(&self, name: &str) -> Result<Included, Unavailable> {
        let slashed = name.trim().replace('\\', "/");
        let parts = parts(&slashed)?;
        if let Some((given, known, found)) = self.located(&parts).next() {
            let shown = found
                .strip_prefix(known)
                .map(|rest| given.join(rest))
                .unwrap_or_else(|_| found.clone());
            return self.included(&found, shown.display().to_string());
        }
        if parts.last().is_some_and(|last| last.eq_ignore_ascii_case(LIBRARY)) {
            return Ok(Included::Library);
        }
        if let [name] = *parts
            && let Some(text) = library::file(name)
        {
            return Ok(Included::File {
                name: name.to_owned(),
                bytes: text.into(),
            });
        }
        Err(
            Unavailable::because("it is neither in the directory of the program nor in an include directory")
                .with_help("add its directory with -I"),
        )
    }

    /// The canonical paths of the files that a source of a program can be by its name.
    pub(super) fn places(&self, name: &str) -> Vec<PathBuf> {
        let slashed = name.trim().replace('\\', "/");
        let parts = parts(&slashed).unwrap_or_default();
        let found = self.located(&parts);
        found.filter_map(|(_, _, found)| found.canonicalize().ok()).collect()
    }

    /// The files of a name, each with its directory: by the whole name, then by what remains of it in directories whose
    /// paths end with its first folders.
    fn located<'a>(&'a self, parts: &'a [&'a str]) -> impl Iterator<Item = (&'a Path, &'a Path, PathBuf)> {
        let splits = (0..parts.len()).map(|folders| parts.split_at(folders));
        splits.flat_map(|(folders, rest)| {
            let folders: PathBuf = folders.iter().collect();
            let roots = self.roots.iter().filter(move |(_, known)| known.ends_with(&folders));
            roots.filter_map(|(given, known)| Some((&**given, &**known, locate(known, rest)?)))
        })
    }

    /// Whether a canonical path leads into one of the directories.
    fn allow(&self, real: &Path) -> bool {
        self.roots.iter().any(|(_, known)| real.starts_with(known))
    }

    fn included(&self, found: &Path, shown: String) -> Result<Included, Unavailable> {
        let real = found.canonicalize().map_err(|error| not_included(&error))?;
        if !self.allow(&real) {
            return Err(
                Unavailable::because("it is a link to a file outside the include directories")
                    .with_help("add the directory of that file with -I"),
            );
        }
        match regular(&real, INCLUDE_LIMIT) {
            Ok(Some(bytes)) => Ok(Included::File { name: shown, bytes }),
            Ok(None) => Err(Unavailable::because(format!(
                "it is larger than {} MiB, the limit for an included file",
                INCLUDE_LIMIT >> 20
            ))),
            Err(error) => Err(not_included(&error)),
        }
    }
}

/// The parts of the path that an include names, which must not leave the directories.
fn parts(slashed: &str) -> Result<Vec<&str>, Unavailable> {
    if slashed.starts_with('/') || slashed.contains(':') {
        return Err(Unavailable::because("an absolute path is not allowed")
            .with_help("name it relative to the program or to a -I directory"));
    }
    let parts: Vec<&str> = slashed
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    if parts.contains(&"..") {
        return Err(Unavailable::because("the path leads outside the include directories")
            .with_help("add its directory with -I"));
    }
    if parts.is_empty() {
        return Err(Unavailable::because("the file name is missing"));
    }
    Ok(parts)
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

fn not_included(error: &io::Error) -> Unavailable {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Unavailable::because("no such file"),
        ErrorKind::IsADirectory => Unavailable::because("it is a directory").with_help("name a file in it"),
        ErrorKind::PermissionDenied => Unavailable::because("no permission to read it"),
        ErrorKind::InvalidInput => Unavailable::because("it is not a regular file"),
        _ => Unavailable::because(error.to_string()),
    }
}

/// The path of `parts` below `root`. Each part must match exactly, or else regardless of case.
fn locate(root: &Path, parts: &[&str]) -> Option<PathBuf> {
    let mut path = root.to_path_buf();
    for part in parts {
        let exact = path.join(part);
        path = if exact.symlink_metadata().is_ok() {
            exact
        } else {
            // If there are several candidates, the first by name is taken, so that the result does not depend on the
            // directory's order.
            let entries = fs::read_dir(&path).ok()?.flatten().map(|entry| entry.file_name());
            let alike = entries.filter(|name| name.to_str().is_some_and(|name| name.eq_ignore_ascii_case(part)));
            path.join(alike.min()?)
        };
    }
    Some(path)
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

    fn directory() -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for name in ["main", "more", "secret"] {
            fs::create_dir(directory.path().join(name)).expect("a new directory");
            fs::write(directory.path().join(name).join(format!("{name}.inc")), name).expect("a new file");
        }
        directory
    }

    #[test]
    fn includes_come_from_the_allowed_directories_only() {
        let directory = directory();
        let at = |name: &str| directory.path().join(name);
        let includes = Includes::new(&at("main/a.asm"), &[at("more")]).expect("both exist");
        assert_eq!(bytes(&includes, "main.inc"), b"main");
        assert_eq!(bytes(&includes, ".\\MORE.Inc"), b"more");
        assert_eq!(
            bytes(&includes, "more\\more.inc"),
            b"more",
            "the directory is that folder itself"
        );
        assert_eq!(includes.read("P5.INC"), Ok(Included::Library));
        assert_eq!(bytes(&includes, "Perfmon.inc"), library::PERFMON_INC.as_bytes());
        let refused = |name: &str, expected: &str| {
            let why = includes.read(name).expect_err(name).why;
            assert!(why.contains(expected) && !why.contains(name), "{name}: {why}");
        };
        refused("secret.inc", "neither in the directory");
        refused("../secret/secret.inc", "leads outside");
        refused("..\\secret\\secret.inc", "leads outside");
        refused(&at("secret/secret.inc").display().to_string(), "absolute");
        refused("C:\\x.inc", "absolute");
        assert!(
            includes
                .read(" ")
                .is_err_and(|error| error.why.contains("name is missing"))
        );
        refused("a\0b", "neither in the directory");
        fs::create_dir(at("main/sub")).expect("a new directory");
        refused("sub", "is a directory");
        File::create(at("main/big.inc"))
            .and_then(|file| file.set_len(INCLUDE_LIMIT + 1))
            .expect("a sparse file");
        refused("big.inc", "larger than 16 MiB");
        assert!(Includes::new(&at("main/a.asm"), &[at("nowhere")]).is_err_and(|why| why.contains("nowhere")));
    }

    #[test]
    fn a_file_with_the_name_of_the_library_is_that_file() {
        let directory = directory();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("main/P5.inc"), library::P5_INC).expect("a new file");
        let includes = Includes::new(&at("main/a.asm"), &[]).expect("it exists");
        assert_eq!(bytes(&includes, "p5.inc"), library::P5_INC.as_bytes());
    }

    fn bytes(includes: &Includes, name: &str) -> Vec<u8> {
        match includes.read(name) {
            Ok(Included::File { bytes, .. }) => bytes,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_may_not_leave_the_allowed_directories() {
        let directory = directory();
        let at = |name: &str| directory.path().join(name);
        let link = |to: &str, name: &str| std::os::unix::fs::symlink(at(to), at(name)).expect("a new link");
        link("secret/secret.inc", "main/link.inc");
        link("secret", "main/dir");
        link("more/more.inc", "main/fine.inc");
        link("nothing", "main/dangling.inc");
        let includes = Includes::new(&at("main/a.asm"), &[at("more")]).expect("both exist");
        for name in ["link.inc", "dir/secret.inc"] {
            assert!(
                includes
                    .read(name)
                    .is_err_and(|error| error.why.contains("outside the include")),
                "{name}"
            );
        }
        assert_eq!(bytes(&includes, "fine.inc"), b"more");
        assert!(includes.read("dangling.inc").is_err());
    }

    #[test]
    fn a_program_that_cannot_be_read_says_why_and_how_to_fix_it() {
        let directory = directory();
        let at = |name: &str| directory.path().join(name);
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
