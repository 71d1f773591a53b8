//! A file that replaces another one only after it is complete and on the disk.
//!
//! Until then it has no name, so that an end of the process for any reason leaves the old file and nothing beside it.
//! It has the permissions of the file that it replaces and, if the system allows it, the owner and group. Hard links to
//! the old file keep the old contents, because writing in place would leave half a file after a failure. Attributes and
//! access lists are not copied.

use std::fs;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::sources::was_read;

mod unnamed;

pub(super) use unnamed::{PREFIX, Unnamed, sync_folder};

/// From here on, a file that would exceed the limit of its size causes an error of writing, as on a full disk.
/// Otherwise the signal that the system sends as well would end the process.
pub(super) fn survive_full_files() {
    // If this fails, the signal ends the process, which leaves the old file as well.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

pub(super) struct Replacement {
    /// The path as the user gave it.
    given: PathBuf,
    existing: Option<PathBuf>,
    out: BufWriter<Out>,
}

enum Out {
    /// The new file, and the metadata of the file that it replaces.
    File(Unnamed, Option<fs::Metadata>),
    /// Standard output, given by a path: it is written to, not replaced.
    Standard(io::Stdout),
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::File(file, _) => file.file().write(bytes),
            Out::Standard(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::File(file, _) => file.file().flush(),
            Out::Standard(file) => file.flush(),
        }
    }
}

impl Replacement {
    /// Begins a file for this path, which must not be that of a source. This and the other errors here are one line
    /// with the reason.
    pub(super) fn new(path: &Path) -> Result<Replacement, String> {
        let file = Replacement::of_source(path)?;
        file.must_not_replace_source()?;
        Ok(file)
    }

    /// Begins a file for this path, which may be that of a source.
    pub(super) fn of_source(path: &Path) -> Result<Replacement, String> {
        let problem = |error: io::Error| cannot_write(path, &error);
        let refused = |why: String| Err(format!("cannot write `{}`: {why}", path.display()));
        let metadata = fs::metadata(path).ok();
        let linked = fs::symlink_metadata(path).is_ok_and(|own| own.is_symlink());
        let existing = path.canonicalize().ok();
        let out = match &metadata {
            Some(metadata) if is_standard_output(metadata) => Out::Standard(io::stdout()),
            // The file to which the link points may be anywhere.
            _ if linked => {
                let target = existing.or_else(|| fs::read_link(path).ok()).unwrap_or_default();
                return refused(format!(
                    "it is a link to `{}`; name that file instead",
                    target.display()
                ));
            }
            Some(metadata) if metadata.is_dir() => return refused("it is a directory".to_owned()),
            // Opening a pipe may wait without end.
            Some(metadata) if !metadata.is_file() => {
                return refused("it is not a regular file; `-` writes to standard output".to_owned());
            }
            _ => {
                let folder = existing.as_deref().unwrap_or(path).parent();
                let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
                let permissions = metadata.as_ref().map(fs::Metadata::permissions);
                let file = Unnamed::new(folder.unwrap_or(Path::new(".")), permissions).map_err(problem)?;
                Out::File(file, metadata)
            }
        };
        Ok(Replacement {
            given: path.to_owned(),
            existing,
            out: BufWriter::new(out),
        })
    }

    pub(super) fn is_standard_output(&self) -> bool {
        matches!(self.out.get_ref(), Out::Standard(_))
    }

    /// Makes sure that the file replaces nothing that was read by now as a source or as data of one.
    pub(super) fn must_not_replace_source(&self) -> Result<(), String> {
        match self.existing.as_deref().is_some_and(was_read) {
            true => Err(self.is_source()),
            false => Ok(()),
        }
    }

    /// Makes sure that the file replaces none of `sources`, which were read or are only named by a program.
    pub(super) fn must_not_replace(&self, mut sources: impl Iterator<Item: AsRef<Path>>) -> Result<(), String> {
        let same = |source: Option<PathBuf>| source.is_some() && source == self.existing;
        match sources.any(|source| same(source.as_ref().canonicalize().ok())) {
            true => Err(self.is_source()),
            false => Ok(()),
        }
    }

    fn is_source(&self) -> String {
        format!("`{}` is one of the sources; name another file", self.given.display())
    }

    /// Whether both files have the same path.
    pub(super) fn is_same(&self, other: &Replacement) -> bool {
        let path = |one: &Replacement| {
            let folder = one.given.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(folder.join(one.given.file_name()?))
        };
        path(self).is_some_and(|own| path(other) == Some(own))
    }

    pub(super) fn written(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), String> {
        write(&mut self.out).map_err(|error| cannot_write(&self.given, &error))
    }

    /// Writes the buffered rest.
    pub(super) fn complete(self) -> Result<Complete, String> {
        let Replacement { given, existing, out } = self;
        match out.into_inner() {
            Ok(out) => Ok(Complete { given, existing, out }),
            Err(error) => Err(cannot_write(&given, &error.into_error())),
        }
    }

    /// Writes the buffered rest and moves the file to its place.
    pub(super) fn finish(self) -> Result<(), String> {
        self.complete()?.replace()
    }
}

/// A file that is complete, but not in its place.
pub(super) struct Complete {
    given: PathBuf,
    existing: Option<PathBuf>,
    out: Out,
}

impl Complete {
    /// Moves the file to its place.
    pub(super) fn replace(self) -> Result<(), String> {
        let Complete { given, existing, out } = self;
        let problem = |error: io::Error| cannot_write(&given, &error);
        match out {
            Out::File(file, metadata) => {
                let keep = |file: &fs::File| {
                    if let Some(metadata) = &metadata {
                        keep_owner(file, metadata);
                    }
                };
                file.named(existing.as_deref().unwrap_or(&given), keep).map_err(problem)
            }
            Out::Standard(mut file) => file.flush().map_err(problem),
        }
    }
}

/// Whether standard output writes to the file with this metadata.
#[cfg(unix)]
fn is_standard_output(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::fs::fstat(io::stdout());
    own.is_ok_and(|own| (own.st_dev, own.st_ino) == (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn is_standard_output(_: &fs::Metadata) -> bool {
    false
}

/// Gives a file the owner, group and permissions of another one, as far as the system allows it.
#[cfg(unix)]
fn keep_owner(file: &fs::File, metadata: &fs::Metadata) {
    use rustix::fs::{Gid, Uid};
    use std::os::unix::fs::MetadataExt;
    let (user, group) = (Uid::from_raw(metadata.uid()), Gid::from_raw(metadata.gid()));
    // A process that may not give the file to another user may still give it to one of its own groups.
    let given = rustix::fs::fchown(file, Some(user), Some(group));
    let given = given.or_else(|_| rustix::fs::fchown(file, None, Some(group)));
    // A new owner removes special bits. If the group could not be kept, its permissions would be those of another
    // group.
    if given.is_ok() {
        let _ = file.set_permissions(metadata.permissions());
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &fs::File, _: &fs::Metadata) {}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    let why = match error.kind() {
        ErrorKind::NotFound => "no such directory".to_owned(),
        // The report itself has nothing to write.
        ErrorKind::InvalidData => error.to_string(),
        // Such an error names the temporary file, of which the user does not know.
        kind if error.get_ref().is_some() => kind.to_string(),
        _ => error.to_string(),
    };
    format!("cannot write `{}`: {why}", path.display())
}
