//! The files that `include` names: only those in directories that the user allows.

use super::sources::{INCLUDE_LIMIT, regular};
use asm_macros::library;
use p5_assembler::source::{Included, Unavailable};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The name that includes the bundled macro library, unless a file has this name.
const LIBRARY: &str = "p5.inc";

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
    /// the name, the file of the rest. Nothing outside the directories is read, not even through a link; but a name may
    /// lead from one of them into another. A name from the root of a disk is taken for one from a directory given with
    /// `-I`. A name without an extension has `.asm`, as for TASM, if there is no such file.
    pub(crate) fn read(&self, name: &str) -> Result<Included, Unavailable> {
        let name = name.trim();
        let found = self.as_named(name);
        let bare = name
            .rsplit(['/', '\\'])
            .next()
            .is_some_and(|last| !last.is_empty() && !last.contains('.'));
        match found {
            Err(_) if bare => self.as_named(&format!("{name}.asm")).or(found),
            found => found,
        }
    }

    fn as_named(&self, name: &str) -> Result<Included, Unavailable> {
        let slashed = name.replace('\\', "/");
        let path = parts(&slashed)?;
        let parts = match path {
            Parts::Below(parts) => parts,
            Parts::Through(parts) => return self.through(&parts),
            Parts::FromRoot(parts) => return self.at_root(&parts),
        };
        if let Some((given, known, found)) = located(&self.roots, &parts).next() {
            let shown = found
                .strip_prefix(known)
                .map(|rest| given.join(rest))
                .unwrap_or_else(|_| found.clone());
            return self.included(&found, shown.display().to_string());
        }
        if parts.last().is_some_and(|last| last.eq_ignore_ascii_case(LIBRARY)) {
            return Ok(Included::Library);
        }
        if let Some(bundled) = bundled(&parts) {
            return Ok(bundled);
        }
        Err(
            Unavailable::because("it is neither in the directory of the program nor in an include directory")
                .with_help("add its directory with -I"),
        )
    }

    /// The canonical paths of the files that a source of a program can be by its name.
    pub(super) fn places(&self, name: &str) -> Vec<PathBuf> {
        let slashed = name.trim().replace('\\', "/");
        let Ok(Parts::Below(parts)) = parts(&slashed) else {
            return Vec::new();
        };
        let found = located(&self.roots, &parts);
        found.filter_map(|(_, _, found)| found.canonicalize().ok()).collect()
    }

    /// The file of a name with `..`.
    fn through(&self, parts: &[&str]) -> Result<Included, Unavailable> {
        let found = self.roots.iter().filter_map(|(_, known)| locate(known, parts));
        for real in found.filter_map(|found| found.canonicalize().ok()) {
            let root = self.roots.iter().find(|(_, known)| real.starts_with(known));
            let within = root.and_then(|(given, known)| Some(given.join(real.strip_prefix(known).ok()?)));
            if let Some(shown) = within {
                return contents(&real, shown.display().to_string());
            }
        }
        // The name counts from the folder of a makefile: a directory whose path ends with its folders has the file.
        let below = parts.iter().position(|part| *part != "..").unwrap_or(parts.len());
        let rest = parts.get(below..).unwrap_or_default();
        if let Some((name, folders)) = rest.split_last()
            && !rest.contains(&"..")
        {
            let folders: PathBuf = folders.iter().collect();
            let named = |known: &Path| folders.components().next().is_some() && known.ends_with(&folders);
            let root = self.roots.iter().find(|(_, known)| named(known));
            if let Some((given, found)) = root.and_then(|(given, known)| Some((given, locate(known, &[*name])?))) {
                return self.included(&found, given.join(name).display().to_string());
            }
        }
        Err(Unavailable::because("the path leads outside the include directories")
            .with_help("add its directory with -I"))
    }

    /// The file of a name from the root of a disk, as from the directories that the user gave.
    fn at_root(&self, parts: &[&str]) -> Result<Included, Unavailable> {
        let given = self.roots.get(1..).unwrap_or_default();
        match located(given, parts).next() {
            Some((given, known, found)) => {
                let rest = found.strip_prefix(known).map(|rest| given.join(rest));
                let shown = rest.unwrap_or_else(|_| found.clone()).display().to_string();
                self.included(&found, shown)
            }
            None => bundled(parts).ok_or_else(|| {
                Unavailable::because("an absolute path is not allowed")
                    .with_help("name it relative to the program or to a -I directory")
            }),
        }
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
        contents(&real, shown)
    }
}

/// The bundled file of this name, in whatever folder it is looked for.
fn bundled(parts: &[&str]) -> Option<Included> {
    let name = parts.last()?;
    Some(Included::File {
        name: (*name).to_owned(),
        bytes: library::file(name)?.into(),
    })
}

/// The files of a name, each with its directory: by the whole name, then by what remains of it in directories whose
/// paths end with its first folders.
fn located<'a>(
    roots: &'a [(PathBuf, PathBuf)],
    parts: &'a [&'a str],
) -> impl Iterator<Item = (&'a Path, &'a Path, PathBuf)> {
    let splits = (0..parts.len()).map(|folders| parts.split_at(folders));
    splits.flat_map(|(folders, rest)| {
        let folders: PathBuf = folders.iter().collect();
        let roots = roots.iter().filter(move |(_, known)| known.ends_with(&folders));
        roots.filter_map(|(given, known)| Some((&**given, &**known, locate(known, rest)?)))
    })
}

/// The file at a canonical path that the user allows.
fn contents(real: &Path, shown: String) -> Result<Included, Unavailable> {
    match regular(real, INCLUDE_LIMIT) {
        Ok(Some(bytes)) => Ok(Included::File { name: shown, bytes }),
        Ok(None) => Err(Unavailable::because(format!(
            "it is larger than {} MiB, the limit for an included file",
            INCLUDE_LIMIT >> 20
        ))),
        Err(error) => Err(not_included(&error)),
    }
}

/// The parts of the path that an include names.
enum Parts<'n> {
    /// A path below a directory.
    Below(Vec<&'n str>),
    /// One with `..`.
    Through(Vec<&'n str>),
    /// One from the root of a disk, without `..`.
    FromRoot(Vec<&'n str>),
}

fn parts(slashed: &str) -> Result<Parts<'_>, Unavailable> {
    let (disk, path) = slashed.split_once(':').unwrap_or(("", slashed));
    let from_root = slashed.starts_with('/') || slashed.contains(':');
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let leaves = parts.contains(&"..");
    if from_root && (leaves || disk.len() > 1 || path.contains(':')) {
        return Err(Unavailable::because("an absolute path is not allowed")
            .with_help("name it relative to the program or to a -I directory"));
    }
    match parts.is_empty() {
        true => Err(Unavailable::because("the file name is missing")),
        false if leaves => Ok(Parts::Through(parts)),
        false if from_root => Ok(Parts::FromRoot(parts)),
        false => Ok(Parts::Below(parts)),
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

/// The path of `parts` from `root`. Each part must match exactly, or else regardless of case.
fn locate(root: &Path, parts: &[&str]) -> Option<PathBuf> {
    let mut path = root.to_path_buf();
    for part in parts {
        if *part == ".." {
            path.pop();
            continue;
        }
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
    use std::fs::File;

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
    fn a_name_may_lead_from_one_allowed_directory_into_another() {
        let directory = directory();
        let at = |name: &str| directory.path().join(name);
        let includes = Includes::new(&at("main/a.asm"), &[at("more")]).expect("both exist");
        assert_eq!(bytes(&includes, "..\\MORE\\more.inc"), b"more");
        assert_eq!(bytes(&includes, "../main/../more/./More.inc"), b"more");
        assert_eq!(bytes(&includes, "../main/main.inc"), b"main");
        fs::write(at("more/last.ASM"), "last").expect("a new file");
        assert_eq!(bytes(&includes, "..\\more\\LAST"), b"last");
        assert_eq!(
            bytes(&includes, "../../../more/more.inc"),
            b"more",
            "from another folder"
        );
        let shown = match includes.read("..\\More\\more.inc") {
            Ok(Included::File { name, .. }) => name,
            other => panic!("{other:?}"),
        };
        assert_eq!(shown, at("more/more.inc").display().to_string());
        for name in [
            "../more/none.inc",
            "../secret/secret.inc",
            "../more/../secret/secret.inc",
        ] {
            let why = includes.read(name).expect_err(name).why;
            assert!(why.contains("leads outside"), "{name}: {why}");
        }
    }

    #[test]
    fn a_name_from_the_root_of_a_disk_is_one_from_a_directory_of_the_user() {
        let directory = directory();
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("more/sub")).expect("a new directory");
        fs::write(at("more/sub/below.inc"), "below").expect("a new file");
        let includes = Includes::new(&at("main/a.asm"), &[at("more")]).expect("both exist");
        assert_eq!(bytes(&includes, "C:\\MORE\\more.inc".to_lowercase().as_str()), b"more");
        assert_eq!(bytes(&includes, "\\more\\sub\\below.inc"), b"below");
        assert_eq!(bytes(&includes, "d:sub\\below.inc"), b"below");
        for name in [
            "\\main.inc",
            "c:\\main\\main.inc",
            "c:\\..\\more\\more.inc",
            "cd:\\more\\more.inc",
        ] {
            let why = includes.read(name).expect_err(name).why;
            assert!(why.contains("absolute"), "{name}: {why}");
        }
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
}
