//! The notes on doubted timing: one for each doubt, with the rows of the timing table that it concerns.

use p5_chips::Doubt;
use p5_results::Note;

/// A note for each doubt about uncertain rows of the timing table. `used` has the doubt of each row that was used, and
/// whether the library used it.
pub(super) fn doubts(used: impl Iterator<Item = (Doubt, bool)>) -> Vec<Note> {
    // The program's own uses come before those of the library alone.
    let (library, own): (Vec<_>, Vec<_>) = used.partition(|&(_, library)| library);
    let mut known: Vec<&'static str> = Vec::new();
    let mut notes: Vec<Note> = Vec::new();
    for (doubt, of_library) in own.into_iter().chain(library) {
        if known.contains(&doubt.form) {
            continue;
        }
        known.push(doubt.form);
        let same = notes.iter_mut().find_map(|note| match note {
            Note::DoubtedTiming {
                forms,
                doubt: why,
                library,
            } if (*why, *library) == (doubt.why, of_library) => Some(forms),
            _ => None,
        });
        match same {
            Some(forms) => forms.push(doubt.form),
            None => notes.push(Note::DoubtedTiming {
                forms: vec![doubt.form],
                doubt: doubt.why,
                library: of_library,
            }),
        }
    }
    notes
}
