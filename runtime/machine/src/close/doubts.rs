//! The notes on doubted timing: one for each doubt, with the mnemonics that it concerns.

use p5_results::Note;
use std::collections::HashSet;

/// A note for each doubt about uncertain rows of the timing table. `used` has the mnemonic, the doubt, and whether the
/// library used the row.
pub(super) fn doubts<'a>(used: impl Iterator<Item = (&'a str, &'static str, bool)>) -> Vec<Note> {
    // The program's own uses come before those of the library alone.
    let (library, own): (Vec<_>, Vec<_>) = used.partition(|&(_, _, library)| library);
    let mut known = HashSet::new();
    let mut notes: Vec<(&'static str, bool, Vec<String>)> = Vec::new();
    let used = own.into_iter().chain(library);
    for (mnemonic, doubt, library) in used.filter(|&(mnemonic, doubt, _)| known.insert((mnemonic, doubt))) {
        let alike = |note: &&mut (&'static str, bool, Vec<String>)| (note.0, note.1) == (doubt, library);
        match notes.iter_mut().find(alike) {
            Some(note) => note.2.push(mnemonic.to_owned()),
            None => notes.push((doubt, library, vec![mnemonic.to_owned()])),
        }
    }
    notes
        .into_iter()
        .map(|(doubt, library, mnemonics)| Note::DoubtedTiming {
            mnemonics,
            doubt,
            library,
        })
        .collect()
}
