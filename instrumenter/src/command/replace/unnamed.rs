//! A file that has no name until it is complete: if the process ends earlier, the system removes it.
//!
//! Where the file system supports it (O_TMPFILE), Linux creates such files and later gives them a name by a link.
//! Elsewhere the file loses its name right after its creation, and its contents are copied in the end.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// The beginning of the names of files that are complete, but not in their place.
pub(in super::super) const PREFIX: &str = ".p5inst";

pub(in super::super) struct Unnamed {
    file: File,
    permissions: Option<Permissions>,
    can_be_named: bool,
}

impl Unnamed {
    /// Creates a file in `folder` with these permissions, without those that the user's mask denies.
    pub(in super::super) fn new(folder: &Path, permissions: Option<Permissions>) -> io::Result<Unnamed> {
        let named = made(folder, permissions.as_ref());
        let (file, can_be_named) = match named {
            Some(file) => (file?, true),
            None => (tempfile::tempfile_in(folder)?, false),
        };
        Ok(Unnamed {
            file,
            permissions: permissions.or_else(usual),
            can_be_named,
        })
    }

    pub(in super::super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Gives the file a name, in place of the file that may have it. Its contents are on the disk before. `prepare` is
    /// called with each file that others may see. After an error, the old file still has the name.
    pub(in super::super) fn named(mut self, path: &Path, prepare: impl Fn(&File)) -> io::Result<()> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        prepare(&self.file);
        self.file.sync_all()?;
        let mut placed = false;
        if self.can_be_named {
            placed = match linked(&self.file, path) {
                Ok(()) => true,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let beside = tempfile::Builder::new().prefix(PREFIX).make_in(folder, |name| {
                        // Any error other than an existing file ends the search for a name.
                        linked(&self.file, name)
                    });
                    match beside {
                        Ok(beside) => {
                            beside.persist(path).map_err(|error| error.error)?;
                            true
                        }
                        Err(_) => false,
                    }
                }
                Err(_) => false,
            };
        }
        if !placed {
            let mut copy = self.copy(folder)?;
            prepare(copy.as_file());
            copy.flush()?;
            copy.as_file().sync_all()?;
            copy.persist(path).map_err(|error| error.error)?;
        }
        sync_folder(folder);
        Ok(())
    }

    /// Copies the contents into a file with a name.
    fn copy(&mut self, folder: &Path) -> io::Result<NamedTempFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        if let Some(permissions) = &self.permissions {
            builder.permissions(permissions.clone());
        }
        let mut copy = builder.tempfile_in(folder)?;
        self.file.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.file, copy.as_file_mut())?;
        Ok(copy)
    }
}

/// Makes sure that the names in a folder are on the disk. Some file systems cannot do that; after a power failure, the
/// old file may be there, which is complete as well.
pub(in super::super) fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A file without a name that can get one; `None` if the system or the file system has no such files.
#[cfg(target_os = "linux")]
fn made(folder: &Path, permissions: Option<&Permissions>) -> Option<io::Result<File>> {
    use rustix::fs::{Mode, OFlags};
    use rustix::io::Errno;
    use std::os::unix::fs::PermissionsExt;
    // Without this folder, the file cannot get a name.
    fs::symlink_metadata("/proc/self/fd").ok()?;
    let usual = usual();
    let mode = permissions.or(usual.as_ref())?.mode() & 0o7777;
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)) {
        Ok(file) => Some(Ok(File::from(file))),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOSYS) => None,
        Err(error) => Some(Err(error.into())),
    }
}

#[cfg(not(target_os = "linux"))]
fn made(_: &Path, _: Option<&Permissions>) -> Option<io::Result<File>> {
    None
}

/// Gives a file a name; an existing file with that name is an error.
#[cfg(target_os = "linux")]
fn linked(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD};
    use std::os::fd::AsRawFd;
    let open = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::linkat(CWD, &*open, CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn linked(_: &File, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

/// The permissions of a new file, before the user's mask removes some.
pub(in super::super) fn usual() -> Option<Permissions> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Some(Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Replaces an older file in a folder, by link if the file system supports it, or by copying.
    fn replaced(by_copy: bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let write = |text: &str| {
            let mut file = Unnamed::new(folder.path(), None).expect("a file");
            file.can_be_named &= !by_copy;
            file.file().write_all(text.as_bytes()).expect("written");
            file
        };
        let unfinished = write("none");
        assert_eq!(
            names(folder.path()),
            [""; 0],
            "nothing has a name before it is complete"
        );
        drop(unfinished);
        write("new").named(&path, |_| {}).expect("a name");
        let before = write("newer");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
        before.named(&path, |_| {}).expect("a name");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "newer");
        assert_eq!(names(folder.path()), ["x"]);
        // A failed replacement leaves nothing behind.
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        write("newest").named(&inner, |_| {}).expect_err("it is a folder");
        assert_eq!(names(folder.path()), ["inner", "x"]);
    }

    #[test]
    fn a_file_has_no_name_until_it_is_complete() {
        replaced(false);
        replaced(true);
    }
}
