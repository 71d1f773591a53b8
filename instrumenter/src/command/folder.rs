//! The folder whose files a Linux program may read: `--dir`.
//!
//! The kernel resolves each path below the folder (`openat2` with RESOLVE_BENEATH), so that neither `..` nor a symbolic
//! link leads out of it, whatever changes in the meantime. Only regular files of a bounded size are read.

use runtime::machine::Files;

/// The files of the directory at `path`. They stay known until the process ends.
#[cfg(target_os = "linux")]
pub(crate) fn folder(path: &str) -> Result<&'static Files, String> {
    use rustix::fs::{CWD, Mode, OFlags, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = openat(CWD, path, flags, Mode::empty()).map_err(|error| format!("cannot open it: {error}"))?;
    Ok(Box::leak(Box::new(Files::new(move |path| {
        linux::found(&directory, path)
    }))))
}

/// There are no such paths on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn folder(_: &str) -> Result<&'static Files, String> {
    Err("only Linux keeps a program below a directory, which this system is not".to_owned())
}

#[cfg(target_os = "linux")]
mod linux {
    use runtime::machine::{Found, MOST_FILE, NotFound};
    use rustix::fd::OwnedFd;
    use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
    use rustix::io::Errno;
    use std::fs::File;
    use std::io::Read;

    pub(super) fn found(directory: &OwnedFd, path: &[u8]) -> Result<Found, NotFound> {
        // A FIFO is not waited for.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let beneath = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let file = openat2(directory, path, flags, Mode::empty(), beneath).map_err(reason)?;
        let kind = fstat(&file).map_err(reason)?;
        match FileType::from_raw_mode(kind.st_mode) {
            FileType::Directory => Ok(Found::Folder),
            FileType::RegularFile => {
                let mut bytes = Vec::new();
                let mut file = File::from(file).take(MOST_FILE + 1);
                file.read_to_end(&mut bytes).map_err(|_| NotFound::Failed)?;
                match bytes.len() as u64 > MOST_FILE {
                    true => Err(NotFound::TooLarge),
                    false => Ok(Found::File(bytes.into())),
                }
            }
            _ => Err(NotFound::Denied),
        }
    }

    fn reason(error: Errno) -> NotFound {
        match error {
            Errno::NOENT => NotFound::Missing,
            Errno::NOTDIR => NotFound::NotAFolder,
            Errno::ACCESS | Errno::PERM | Errno::NXIO | Errno::NODEV => NotFound::Denied,
            Errno::XDEV => NotFound::Outside,
            Errno::LOOP => NotFound::Loop,
            Errno::NAMETOOLONG => NotFound::NameTooLong,
            _ => NotFound::Failed,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::linux::found;
    use super::*;
    use runtime::machine::{Found, NotFound};
    use std::fs;
    use std::os::unix::fs::symlink;

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
        symlink("self", at("in/self")).expect("a link");
        let directory = fs::File::open(at("in")).expect("the folder").into();
        let look = |path: &str| match found(&directory, path.as_bytes()) {
            Ok(Found::File(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(Found::Folder) => Ok("/".to_owned()),
            Err(why) => Err(why),
        };
        assert_eq!(look("file"), Ok("yes".to_owned()));
        assert_eq!(look("deep/../file"), Ok("yes".to_owned()));
        assert_eq!(look("deep/inside"), Ok("yes".to_owned()));
        assert_eq!(look("."), Ok("/".to_owned()));
        for path in ["up", "absolute", "parent/secret", "../secret", "deep/../../secret"] {
            assert_eq!(look(path), Err(NotFound::Outside), "{path}");
        }
        assert_eq!(look("self"), Err(NotFound::Loop));
        assert_eq!(look("none"), Err(NotFound::Missing));
        assert_eq!(look("file/x"), Err(NotFound::NotAFolder));
        assert!(folder(at("none").to_str().expect("text")).is_err());
        assert!(folder(at("secret").to_str().expect("text")).is_err());
    }
}
