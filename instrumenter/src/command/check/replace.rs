//! A file that replaces another only once it is complete.

use runtime::image::SourceFile;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file being written.
pub(super) struct Replacement {
    /// As the user gave it.
    given: PathBuf,
    /// The file that is replaced, if it exists: a link stays a link.
    existing: Option<PathBuf>,
    out: BufWriter<Out>,
}

enum Out {
    Temporary(NamedTempFile),
    /// A device or a pipe, which is written to rather than replaced.
    Device(File),
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Temporary(file) => file.write(bytes),
            Out::Device(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Temporary(file) => file.flush(),
            Out::Device(file) => file.flush(),
        }
    }
}

impl Replacement {
    /// Begins a file that will have this path.
    ///
    /// # Errors
    /// One line that says why it cannot be written.
    pub(super) fn new(path: &Path) -> Result<Replacement, String> {
        let problem = |error: io::Error| cannot_write(path, &error);
        let existing = path.canonicalize().ok();
        let metadata = existing.as_ref().and_then(|known| fs::metadata(known).ok());
        let out = match &metadata {
            Some(metadata) if metadata.is_dir() => {
                return Err(format!("cannot write `{}`: it is a directory", path.display()));
            }
            Some(metadata) if !metadata.is_file() => {
                Out::Device(File::options().write(true).open(path).map_err(problem)?)
            }
            _ => {
                let folder = existing.as_deref().unwrap_or(path).parent();
                let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
                let mut builder = tempfile::Builder::new();
                builder.prefix(".listing");
                let permissions = metadata.map(|metadata| metadata.permissions()).or_else(usual);
                if let Some(permissions) = permissions {
                    builder.permissions(permissions);
                }
                Out::Temporary(builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(problem)?)
            }
        };
        Ok(Replacement {
            given: path.to_owned(),
            existing,
            out: BufWriter::new(out),
        })
    }

    /// Makes sure that it replaces none of the sources.
    ///
    /// # Errors
    /// One line that names the source.
    pub(super) fn must_not_replace(&self, files: &[SourceFile]) -> Result<(), String> {
        let same = |file: &SourceFile| {
            let source = Path::new(&file.name).canonicalize().ok();
            source.is_some() && source == self.existing
        };
        if files.iter().any(same) {
            return Err(format!(
                "`{}` is one of the sources; give the listing another name",
                self.given.display()
            ));
        }
        Ok(())
    }

    /// Writes to it.
    ///
    /// # Errors
    /// One line that says why it cannot be written.
    pub(super) fn written(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), String> {
        write(&mut self.out).map_err(|error| cannot_write(&self.given, &error))
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// One line that says why it cannot be written.
    pub(super) fn finish(self) -> Result<(), String> {
        let Replacement { given, existing, out } = self;
        let problem = |error: io::Error| cannot_write(&given, &error);
        match out.into_inner().map_err(|error| problem(error.into_error()))? {
            Out::Temporary(file) => {
                let target = existing.as_deref().unwrap_or(&given);
                file.persist(target).map(|_| ()).map_err(|error| problem(error.error))
            }
            Out::Device(mut file) => file.flush().map_err(problem),
        }
    }
}

/// The permissions of a new file, from which the system takes what the user denies to others.
fn usual() -> Option<fs::Permissions> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Some(fs::Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    None
}

fn cannot_write(path: &Path, error: &io::Error) -> String {
    let why = match error.kind() {
        ErrorKind::NotFound => "no such directory".to_owned(),
        // Such an error names the temporary file, which the user knows nothing of.
        kind if error.get_ref().is_some() => kind.to_string(),
        _ => error.to_string(),
    };
    format!("cannot write `{}`: {why}", path.display())
}
