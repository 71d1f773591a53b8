//! The sources of a program that another tool has built. Its debugging information names any file of this machine, so
//! that only those are read that the user has chosen: below the folder of the program and the current folder, without
//! hidden files, and below a folder of `-I`.

use super::includes::Includes;
use super::sources::{not_larger, would_be_read};
use p5_assembler::source::decode;
use runtime::image::{Image, SourceFile};
use runtime::run::{Note, Run, SourceFound, UnreadSource};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The maximum number of unread sources that a note has.
const MOST_UNREAD: usize = 1000;

/// The folders whose files may be read.
struct Chosen {
    /// That of the program and the current one, where hidden files are left out.
    plain: Vec<PathBuf>,
    /// The current folder.
    current: Option<PathBuf>,
    /// Those of `-I`.
    named: Vec<PathBuf>,
}

impl Chosen {
    fn new(program: &Path, directories: &[PathBuf]) -> Chosen {
        let canonical = |folder: PathBuf| folder.canonicalize().ok();
        let own = program.parent().map(|folder| Path::new(".").join(folder));
        let current = std::env::current_dir().ok().and_then(canonical);
        Chosen {
            plain: own.and_then(canonical).into_iter().chain(current.clone()).collect(),
            current,
            named: directories.iter().cloned().filter_map(canonical).collect(),
        }
    }

    fn allows(&self, real: &Path) -> bool {
        let plainly = self.plain.iter().any(|folder| is_plainly_below(real, folder));
        plainly || self.named.iter().any(|folder| real.starts_with(folder))
    }
}

/// Reads the sources of the program `path` that may be read. An error is one line: one of `directories` does not exist.
pub(super) fn read(image: &mut Image, path: &Path, directories: &[PathBuf]) -> Result<(), String> {
    let includes = Includes::new(path, directories)?;
    let current = Includes::new(Path::new(""), &[])?;
    let chosen = Chosen::new(path, directories);
    for file in &mut image.files {
        // A build may name the folder of the compilation from that of the program.
        let beside = file.compiled_in.as_deref().filter(|_| file.elsewhere.is_none());
        let beside = beside.and_then(|folder| Some(path.parent()?.join(folder).join(&file.name)));
        let named = whole_path(file)
            .into_iter()
            .chain(beside)
            .chain(includes.places(&file.name));
        let here = chosen.current.as_ref().filter(|_| file.elsewhere.is_none());
        let here = here.map(|folder| folder.join(&file.name));
        let candidates = named.chain(here).chain(current.places(&file.name));
        let mut real = candidates.filter_map(|path| path.canonicalize().ok());
        let allowed = |real: PathBuf| chosen.allows(&real).then(|| Some((not_larger(&real)?, real)))?;
        if let Some((bytes, real)) = real.find_map(allowed) {
            file.text = Arc::from(decode(&bytes));
            let current = chosen.current.as_deref();
            let below = current.and_then(|current| real.strip_prefix(current).ok()?.to_str());
            file.read_at = below.map(str::to_owned);
        }
    }
    Ok(())
}

/// The path of a source where it was compiled.
fn whole_path(file: &SourceFile) -> Option<PathBuf> {
    let path = match (&file.elsewhere, &file.compiled_in) {
        (Some(path), _) => PathBuf::from(path),
        (None, Some(folder)) => Path::new(&**folder).join(&file.name),
        (None, None) => return None,
    };
    path.is_absolute().then_some(path)
}

/// Whether `real` stands below `folder`, and no part of it there is hidden. What stands below the root of this machine
/// is nobody's choice.
fn is_plainly_below(real: &Path, folder: &Path) -> bool {
    let hidden = |part: Component| part.as_os_str().as_encoded_bytes().starts_with(b".");
    let rest = real.strip_prefix(folder).ok().filter(|_| folder.parent().is_some());
    rest.is_some_and(|rest| !rest.components().any(hidden))
}

/// Adds a note on the own sources of the program and of its objects that were not read, though their code was executed.
pub(super) fn note_unread(run: &mut Run) {
    let unread = |file: &SourceFile| file.text.is_empty() && !file.is_of_system();
    if !run.files.iter().any(unread) {
        return;
    }
    let mut clocks: HashMap<u32, u64> = HashMap::new();
    let instructions = run.instructions.iter().map(|one| (one.place, one.cycles));
    let remainders = run.remainders.iter().map(|one| (one.place, one.cycles));
    for (place, cycles) in instructions.chain(remainders) {
        if let Some((file, _)) = place {
            *clocks.entry(file).or_default() += cycles;
        }
    }
    let mut executed: Vec<(u64, u32)> = clocks.into_iter().map(|(file, clocks)| (clocks, file)).collect();
    executed.retain(|&(_, file)| run.files.get(file as usize).is_some_and(unread));
    executed.sort_by_key(|&(clocks, file)| (std::cmp::Reverse(clocks), file));
    let more = executed.len().saturating_sub(MOST_UNREAD);
    let sources: Vec<UnreadSource> = (executed.iter().take(MOST_UNREAD))
        .filter_map(|&(_, file)| run.files.get(file as usize))
        .map(|file| UnreadSource {
            name: file.name.clone(),
            found: found(file),
        })
        .collect();
    if !sources.is_empty() {
        run.notes.push(Note::UnreadSources { sources, more });
    }
}

/// What there is of a source: the folder for which `-I` has it read, if its size does not keep it from being read.
fn found(file: &SourceFile) -> SourceFound {
    let Some(real) = whole_path(file).and_then(|path| path.canonicalize().ok()) else {
        return SourceFound::Nothing;
    };
    match would_be_read(&real) {
        Ok(()) => folder(&real, file.compiled_in.as_deref()).map_or(SourceFound::Nothing, SourceFound::InFolder),
        Err(Some(limit)) => SourceFound::TooLarge(limit),
        Err(None) => SourceFound::Nothing,
    }
}

/// The folder of the compilation, if the file is there, which then serves other sources, too, or else that of the file.
/// The root of this machine is proposed to nobody.
fn folder(real: &Path, compiled_in: Option<&str>) -> Option<String> {
    let compiled_in = compiled_in.and_then(|folder| Path::new(folder).canonicalize().ok());
    let common = compiled_in.filter(|folder| real.starts_with(folder));
    let folders = [common.as_deref(), real.parent()].into_iter().flatten();
    let folder = folders.into_iter().find(|folder| folder.parent().is_some())?;
    folder.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_below_the_root_is_chosen_by_a_program_there() {
        let below = |real: &str, folder: &str| is_plainly_below(Path::new(real), Path::new(folder));
        assert!(below("/home/u/a.c", "/home/u") && below("/home/u/x/a.c", "/home"));
        assert!(!below("/home/u/.x/a.c", "/home/u") && !below("/home/v/a.c", "/home/u"));
        assert!(!below("/etc/secret", "/") && !below("/etc/secret", ""));
        let mut chosen = Chosen {
            plain: vec![PathBuf::from("/")],
            current: None,
            named: Vec::new(),
        };
        assert!(!chosen.allows(Path::new("/etc/secret")));
        // Unless it is named.
        chosen.named.push(PathBuf::from("/"));
        assert!(chosen.allows(Path::new("/etc/secret")));
    }

    #[test]
    fn what_an_option_would_not_have_read_is_not_promised() {
        let made = tempfile::tempdir().expect("a temporary directory");
        let top = made.path().canonicalize().expect("it exists");
        let made = |name: &str, length: u64| {
            let path = top.join(name);
            let file = std::fs::File::create(&path).expect("a file");
            file.set_len(length).expect("a length");
            found(&SourceFile {
                elsewhere: path.to_str().map(str::to_owned),
                ..SourceFile::new(name, "")
            })
        };
        let below = top.to_str().expect("text").to_owned();
        assert_eq!(made("a.c", 1), SourceFound::InFolder(below));
        assert_eq!(made("large.c", 70 << 20), SourceFound::TooLarge(16 << 20));
        assert_eq!(made("empty.c", 0), SourceFound::Nothing);
    }

    #[test]
    fn the_folder_that_is_proposed_has_the_source() {
        let folder = |real: &str, compiled: Option<&str>| folder(Path::new(real), compiled);
        let made = tempfile::tempdir().expect("a temporary directory");
        let top = made.path().canonicalize().expect("it exists");
        let text = |path: &Path| path.to_str().expect("text").to_owned();
        std::fs::create_dir(top.join("build")).expect("a new folder");
        let (build, source) = (text(&top.join("build")), text(&top.join("build/x/a.c")));
        assert_eq!(folder(&source, Some(&build)), Some(build.clone()));
        assert_eq!(folder(&source, None), Some(format!("{build}/x")));
        // It left the folder of the compilation.
        assert_eq!(
            folder(&text(&top.join("inc/a.h")), Some(&build)),
            Some(text(&top.join("inc")))
        );
        assert_eq!(folder(&source, Some("/")), Some(format!("{build}/x")));
        assert_eq!(folder("/a.c", Some("/")), None);
    }
}
