//! The sources of a program that another tool has built. Its debugging information names any file of this machine, so
//! that only those are read that the user has chosen: below the folder of the program and the current folder, without
//! hidden files, and below a folder of `-I`.

use super::sources::{Includes, not_larger};
use p5_assembler::source::{Included, decode};
use runtime::image::{Image, SourceFile};
use runtime::run::{Note, Run, UnreadSource};
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// The maximum number of unread sources that a note has.
const MOST_UNREAD: usize = 1000;

/// Reads the sources of the program `path` that may be read. An error is one line: one of `directories` does not exist.
pub(super) fn read(image: &mut Image, path: &Path, directories: &[PathBuf]) -> Result<(), String> {
    let includes = Includes::new(path, directories)?;
    // What stands below the root of this machine is not the user's choice.
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let current = current.ok().filter(|folder| folder.parent().is_some());
    let chosen: Vec<PathBuf> = directories
        .iter()
        .filter_map(|folder| folder.canonicalize().ok())
        .collect();
    let own = path.parent().map(|folder| Path::new(".").join(folder));
    let own = own.and_then(|folder| folder.canonicalize().ok()).unwrap_or_default();
    let plain = |real: &Path| is_plainly_below(real, &own) || chosen.iter().any(|folder| real.starts_with(folder));
    let allowed = |real: &Path| includes.allow(real) && plain(real);
    for file in &mut image.files {
        let whole = whole_path(file).and_then(|path| path.canonicalize().ok());
        let of_current = |real: &Path| current.as_deref().is_some_and(|root| is_plainly_below(real, root));
        let exact = whole.filter(|real| allowed(real) || of_current(real));
        let bytes = exact.and_then(|real| not_larger(&real));
        let named = own.join(&file.name).canonicalize();
        let may_be_named = named.map_or(!chosen.is_empty(), |real| plain(&real));
        let bytes = bytes.or_else(|| match includes.read(&file.name) {
            Ok(Included::File { bytes, .. }) if may_be_named => Some(bytes),
            _ => None,
        });
        let bytes = bytes.or_else(|| {
            let here = current.as_deref().filter(|_| file.elsewhere.is_none())?;
            let real = here.join(&file.name).canonicalize().ok()?;
            of_current(&real).then(|| not_larger(&real))?
        });
        if let Some(bytes) = bytes {
            file.text = Arc::from(decode(&bytes));
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

/// Whether `real` stands below `root`, and no part of it there is hidden.
fn is_plainly_below(real: &Path, root: &Path) -> bool {
    let hidden = |part: Component| part.as_os_str().as_encoded_bytes().starts_with(b".");
    real.strip_prefix(root).is_ok_and(|rest| !rest.components().any(hidden))
}

/// Adds a note on the program's own sources that were not read although their code was executed.
pub(super) fn note_unread(run: &mut Run) {
    let mut clocks: HashMap<u32, u64> = HashMap::new();
    let instructions = run.instructions.iter().map(|one| (one.place, one.cycles));
    let remainders = run.remainders.iter().map(|one| (one.place, one.cycles));
    for (place, cycles) in instructions.chain(remainders) {
        if let Some((file, _)) = place {
            *clocks.entry(file).or_default() += cycles;
        }
    }
    let mut unread: Vec<(u64, u32)> = clocks.into_iter().map(|(file, clocks)| (clocks, file)).collect();
    unread.retain(|&(_, file)| {
        let file = run.files.get(file as usize);
        file.is_some_and(|file| file.text.is_empty() && !file.is_of_system())
    });
    unread.sort_by_key(|&(clocks, file)| (std::cmp::Reverse(clocks), file));
    let more = unread.len().saturating_sub(MOST_UNREAD);
    let sources: Vec<UnreadSource> = (unread.iter().take(MOST_UNREAD))
        .filter_map(|&(_, file)| run.files.get(file as usize))
        .map(|file| UnreadSource {
            name: file.name.clone(),
            folder: folder(file),
        })
        .collect();
    if !sources.is_empty() {
        run.notes.push(Note::UnreadSources { sources, more });
    }
}

/// The folder below which `-I` finds a source, if the source is still there.
fn folder(file: &SourceFile) -> Option<String> {
    let whole = whole_path(file).filter(|path| path.is_file())?;
    match &file.compiled_in {
        Some(folder) if file.elsewhere.is_none() => Some(folder.to_string()),
        _ => Some(whole.parent()?.display().to_string()),
    }
}
