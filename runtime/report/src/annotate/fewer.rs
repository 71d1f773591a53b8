//! The selection of lines for a listing that does not show all.

use super::{MEMORY, Row};

/// The maximum number of lines of such a listing.
pub(super) const LISTED: usize = 200;
/// The maximum number of lines for code that is executed once and has no source line, as after a stray jump.
pub(super) const LISTED_ONCE: usize = 16;

/// Keeps only the first [`LISTED_ONCE`] rows of code without a source line that was executed once, unless no code has
/// lines. Returns the number of removed rows.
pub(super) fn keep_few_of_once(files: &mut [(String, Vec<Row>)]) -> usize {
    let Some(((name, rows), others)) = files.split_last_mut() else {
        return 0;
    };
    if name != MEMORY || others.is_empty() {
        return 0;
    }
    let before = rows.len();
    let mut room = LISTED_ONCE;
    rows.retain(|row| {
        let once = row.executions == "1";
        let kept = !once || room > 0;
        room -= usize::from(once && kept);
        kept
    });
    before - rows.len()
}

/// Keeps only the [`LISTED`] rows with the most clocks. Returns the number of removed rows.
pub(super) fn keep_hottest(files: &mut [(String, Vec<Row>)]) -> usize {
    let mut heats: Vec<u64> = files.iter().flat_map(|(_, rows)| rows).map(|row| row.heat).collect();
    let Some(left) = heats.len().checked_sub(LISTED).filter(|&left| left > 0) else {
        return 0;
    };
    heats.sort_unstable();
    let least = heats.get(left).copied().unwrap_or(0);
    // Among equally hot rows, the first ones stay.
    let mut room = LISTED - heats.iter().filter(|&&heat| heat > least).count();
    for (_, rows) in files {
        rows.retain(|row| {
            let equal = row.heat == least && room > 0;
            room -= usize::from(equal);
            equal || row.heat > least
        });
    }
    left
}
