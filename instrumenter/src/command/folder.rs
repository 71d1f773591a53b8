//! The folder whose files a Linux program may read: `--dir`.
//!
//! The folder is the root of the program's file system: the kernel resolves each path in it (`openat2` with
//! RESOLVE_IN_ROOT), so that absolute links and `..` stay in it, whatever changes in the meantime. Only regular files
//! are opened, and only those that are stored.

use runtime::machine::Files;

/// The files of the directory at `path`. They stay known until the process ends.
#[cfg(target_os = "linux")]
pub(crate) fn folder(path: &str) -> Result<&'static Files, String> {
    let directory = linux::Directory::open(path)?;
    Ok(Box::leak(Box::new(Files::new(directory))))
}

/// There are no such paths on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn folder(_: &str) -> Result<&'static Files, String> {
    Err("only Linux keeps a program in a directory, which this system is not".to_owned())
}

#[cfg(target_os = "linux")]
mod linux {
    use super::super::generated::is_generated;
    use runtime::machine::{Entry, Folder, Found, Identity, Kind, NotFound};
    use rustix::fd::OwnedFd;
    use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2};
    use rustix::io::Errno;
    use std::fs::File;
    use std::io::Read;

    /// A directory that is the root of a program's file system.
    pub(super) struct Directory(OwnedFd);

    impl Directory {
        /// The directory at `path`.
        ///
        /// # Errors
        /// Why it cannot be opened, or why the kernel cannot resolve paths in it.
        pub(super) fn open(path: &str) -> Result<Directory, String> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let opened = openat(CWD, path, flags, Mode::empty());
            let directory = Directory(opened.map_err(|error| format!("cannot open it: {error}"))?);
            match directory.resolve(b".", OFlags::PATH) {
                Ok(_) => Ok(directory),
                Err(error) => Err(format!("the system cannot keep a program in it (openat2: {error})")),
            }
        }

        fn resolve(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
            /// How often a path is resolved again that was changed at the same time.
            const RETRIES: u32 = 8;
            let within = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
            let resolve = || openat2(&self.0, path, flags | OFlags::CLOEXEC, Mode::empty(), within);
            let mut resolved = resolve();
            for _ in 0..RETRIES {
                if !matches!(resolved, Err(Errno::AGAIN)) {
                    break;
                }
                resolved = resolve();
            }
            resolved
        }
    }

    /// The facts about an open file.
    fn told(file: &OwnedFd) -> Result<Found, NotFound> {
        let told = fstat(file).map_err(reason)?;
        let kind = match FileType::from_raw_mode(told.st_mode) {
            FileType::Directory => Kind::Folder,
            FileType::RegularFile => Kind::File,
            _ => return Err(NotFound::Denied),
        };
        Ok(Found {
            kind,
            size: u64::try_from(told.st_size).unwrap_or(0),
            identity: Identity {
                device: told.st_dev,
                number: told.st_ino,
            },
        })
    }

    impl Folder for Directory {
        fn describe(&self, path: &[u8]) -> Result<Found, NotFound> {
            told(&self.resolve(path, OFlags::PATH).map_err(reason)?)
        }

        fn read(&self, path: &[u8], most: u64) -> Result<Vec<u8>, NotFound> {
            // Opening a device or a FIFO may have an effect: the path is looked at first, and what is opened must be
            // the same file.
            let place = self.resolve(path, OFlags::PATH).map_err(reason)?;
            let found = told(&place)?;
            if found.kind != Kind::File {
                return Err(NotFound::Denied);
            }
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
            let file = self.resolve(path, flags).map_err(reason)?;
            let opened = told(&file)?;
            if opened.identity != found.identity {
                return Err(NotFound::Failed);
            }
            if opened.size > most {
                return Err(NotFound::TooLarge);
            }
            let file = File::from(file);
            if opened.size == 0 && is_generated(&file).map_err(|_| NotFound::Failed)? {
                return Err(NotFound::Denied);
            }
            let mut bytes = Vec::new();
            let mut file = file.take(opened.size);
            file.read_to_end(&mut bytes).map_err(|_| NotFound::Failed)?;
            Ok(bytes)
        }

        fn list(&self, path: &[u8], most: usize) -> Result<Vec<Entry>, NotFound> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY;
            let folder = self.resolve(path, flags).map_err(reason)?;
            let within = path.strip_suffix(b"/").unwrap_or(path);
            let mut entries = Vec::new();
            for (read, entry) in Dir::new(folder).map_err(reason)?.enumerate() {
                // Two of them are the folder itself and the one around it.
                if read >= most.saturating_add(2) {
                    return Err(NotFound::TooLarge);
                }
                let entry = entry.map_err(reason)?;
                let name = entry.file_name().to_bytes();
                if matches!(name, b"." | b"..") {
                    continue;
                }
                if let Ok(found) = self.describe(&[within, b"/", name].concat()) {
                    entries.push(Entry {
                        name: name.to_vec(),
                        kind: found.kind,
                        identity: found.identity,
                    });
                }
            }
            Ok(entries)
        }
    }

    fn reason(error: Errno) -> NotFound {
        match error {
            Errno::NOENT => NotFound::Missing,
            Errno::NOTDIR => NotFound::NotAFolder,
            Errno::ACCESS | Errno::PERM | Errno::NXIO | Errno::NODEV => NotFound::Denied,
            Errno::LOOP => NotFound::Loop,
            Errno::NAMETOOLONG => NotFound::NameTooLong,
            _ => NotFound::Failed,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::linux::Directory;
    use super::*;
    use runtime::machine::{Folder, Kind, NotFound};
    use std::fs;
    use std::os::unix::fs::symlink;

    fn opened(path: &std::path::Path) -> Directory {
        Directory::open(path.to_str().expect("text")).expect("a directory")
    }

    #[test]
    fn a_path_never_leads_out_of_the_folder() {
        let outer = tempfile::tempdir().expect("a folder");
        let at = |name: &str| outer.path().join(name);
        fs::create_dir_all(at("in/deep")).expect("folders");
        fs::write(at("secret"), "no").expect("a file");
        fs::write(at("in/file"), "yes").expect("a file");
        symlink("../secret", at("in/up")).expect("a link");
        symlink(at("secret"), at("in/absolute")).expect("a link");
        symlink("..", at("in/parent")).expect("a link");
        symlink("../file", at("in/deep/inside")).expect("a link");
        symlink("/file", at("in/deep/rooted")).expect("a link");
        symlink("self", at("in/self")).expect("a link");
        let directory = opened(&at("in"));
        let look = |path: &str| match directory.describe(path.as_bytes()) {
            Ok(found) if found.kind == Kind::Folder => Ok("folder".to_owned()),
            Ok(_) => {
                let bytes = directory.read(path.as_bytes(), 3)?;
                Ok(String::from_utf8_lossy(&bytes).into_owned())
            }
            Err(why) => Err(why),
        };
        for path in [
            "/file",
            "/deep/../file",
            "/deep/inside",
            "/deep/rooted",
            "/../file",
            "/parent/file",
            "/deep/../../../file",
        ] {
            assert_eq!(look(path), Ok("yes".to_owned()), "{path}");
        }
        for path in ["/", "/..", "/parent", "/deep/"] {
            assert_eq!(look(path), Ok("folder".to_owned()), "{path}");
        }
        for path in [
            "/up",
            "/absolute",
            "/parent/secret",
            "/../secret",
            "/deep/../../secret",
            "/none",
        ] {
            assert_eq!(look(path), Err(NotFound::Missing), "{path}");
        }
        assert_eq!(look("/self"), Err(NotFound::Loop));
        assert_eq!(look("/file/x"), Err(NotFound::NotAFolder));
        assert_eq!(look("/file/"), Err(NotFound::NotAFolder));
        assert_eq!(directory.read(b"/file", 2), Err(NotFound::TooLarge));
        assert_eq!(directory.read(b"/deep", 2), Err(NotFound::Denied));
        let identity = |path: &str| directory.describe(path.as_bytes()).map(|found| found.identity);
        assert_eq!(identity("/deep/inside"), identity("/file"));
        assert_ne!(identity("/deep"), identity("/file"));
        assert!(folder(at("none").to_str().expect("text")).is_err());
        assert!(folder(at("secret").to_str().expect("text")).is_err());
    }

    #[test]
    fn a_folder_lists_what_can_be_read_with_what_links_lead_to() {
        let outer = tempfile::tempdir().expect("a folder");
        let at = |name: &str| outer.path().join(name);
        fs::create_dir_all(at("in/deep")).expect("folders");
        fs::write(at("secret"), "no").expect("a file");
        fs::write(at("in/file"), "yes").expect("a file");
        symlink(at("secret"), at("in/absolute")).expect("a link");
        symlink("/file", at("in/link")).expect("a link");
        let directory = opened(&at("in"));
        let mut entries = directory.list(b"/", 4).expect("a folder");
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        let told: Vec<_> = entries
            .iter()
            .map(|entry| (entry.name.as_slice(), entry.kind))
            .collect();
        let expected: [(&[u8], Kind); 3] = [(b"deep", Kind::Folder), (b"file", Kind::File), (b"link", Kind::File)];
        assert_eq!(told, expected);
        assert_eq!(entries[1].identity, entries[2].identity);
        assert_eq!(directory.list(b"/deep", 0), Ok(Vec::new()));
        assert_eq!(directory.list(b"/", 3), Err(NotFound::TooLarge));
        assert_eq!(directory.list(b"/file", 9), Err(NotFound::NotAFolder));
    }

    #[test]
    fn devices_and_what_the_system_generates_are_not_read() {
        let devices = opened("/dev".as_ref());
        for path in [b"/null".as_slice(), b"/zero"] {
            assert_eq!(devices.describe(path), Err(NotFound::Denied));
            assert_eq!(devices.read(path, 1), Err(NotFound::Denied));
        }
        assert_eq!(opened("/proc".as_ref()).read(b"/version", 1000), Err(NotFound::Denied));
    }
}
