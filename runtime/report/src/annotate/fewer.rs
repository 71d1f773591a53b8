//! The selection of lines for a listing that does not show all.

use super::super::header::counted;
use super::super::lines::last_part;
use super::super::summary;
use super::{MEMORY, Row};
use p5_results::Run;
use std::collections::BTreeMap;

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
        let once = row.times == "1";
        let kept = !once || room > 0;
        room -= usize::from(once && kept);
        kept
    });
    before - rows.len()
}

/// The maximum number of lines of a listing that begins with the hottest one.
const HOTTEST: usize = 16;
/// The share from which an instruction without a source line has a row of its own in a program with lines.
const LARGE: f64 = 0.05;
/// The share from which it has one if it takes more than each line.
const LARGE_BESIDE_LINES: f64 = 0.01;

/// Orders the rows of all files by their clocks, with their shares of all, and keeps the first [`HOTTEST`]. Returns
/// how many rows with clocks it removed, and their share.
pub(super) fn hottest_first(files: &mut Vec<(String, Vec<Row>)>, run: &Run) -> Option<(u64, String)> {
    let all = run.own.totals.cycles;
    let short = short_names(files, run);
    let several = files.iter().filter(|(name, _)| name != MEMORY).count() > 1;
    let has_lines = files.iter().any(|(name, _)| name != MEMORY);
    let lines = files.iter().filter(|(name, _)| name != MEMORY);
    let hottest_line = lines.flat_map(|(_, rows)| rows).map(|row| row.heat).max();
    let is_large = |heat: u64| {
        let share = heat as f64 / all as f64;
        share >= LARGE || share >= LARGE_BESIDE_LINES && Some(heat) > hottest_line
    };
    let mut rows: Vec<Row> = Vec::new();
    let mut library = Row::default();
    let mut bundled = (0, 0);
    let mut most = 0;
    let mut instructions = 0u64;
    for (name, own) in std::mem::take(files) {
        // The line of a call without instructions of its own has the clocks of the lines below it.
        for mut row in own.into_iter().filter(|row| !row.times.is_empty()) {
            if row.bundled && has_lines {
                bundled = (bundled.0 + row.heat, bundled.1 + row.instructions);
                continue;
            }
            if name == MEMORY && has_lines && !is_large(row.heat) {
                library.heat += row.heat;
                most = row.heat.max(most);
                instructions += row.instructions;
                continue;
            }
            if several && name != MEMORY {
                row.line = format!("{}:{}", short.get(&name).unwrap_or(&name), row.line);
            }
            row.share = summary::percent(row.heat, all);
            row.with.clear();
            row.indent = 0;
            rows.push(row);
        }
    }
    if instructions > 0 {
        let few = (most as f64) < LARGE_BESIDE_LINES * all as f64;
        let below = if few { LARGE_BESIDE_LINES } else { LARGE };
        rows.push(Row {
            share: summary::percent(library.heat, all),
            times: "-".to_owned(),
            pipe: "-".to_owned(),
            cycles: library.heat.to_string(),
            reason: format!("each below {:.0}%", below * 100.0),
            source: format!("code without lines: {}", counted(instructions, "instruction")),
            ..library
        });
    }
    if bundled.1 > 0 {
        rows.push(Row {
            share: summary::percent(bundled.0, all),
            times: "-".to_owned(),
            pipe: "-".to_owned(),
            cycles: bundled.0.to_string(),
            heat: bundled.0,
            source: format!("library procedures of p5inst: {}", counted(bundled.1, "instruction")),
            ..Row::default()
        });
    }
    // Equal ones stay in the order of the source.
    rows.sort_by_key(|row| std::cmp::Reverse(row.heat));
    let cool = rows.split_off(rows.len().min(HOTTEST));
    files.push((String::new(), rows));
    let clocks: u64 = cool.iter().map(|row| row.heat).sum();
    (!cool.is_empty()).then(|| (cool.len() as u64, summary::percent(clocks, all)))
}

/// The sources of libraries without their folders, but for the last one where several have one name.
fn short_names(files: &[(String, Vec<Row>)], run: &Run) -> BTreeMap<String, String> {
    let same = |short: &str| files.iter().filter(|(name, _)| last_part(name) == short).count();
    let mut names = BTreeMap::new();
    for (name, _) in files {
        let short = last_part(name);
        let mut of_system = run.files.iter().filter(|file| file.is_of_system());
        if !of_system.any(|file| file.name == *name) {
            continue;
        }
        let folder = name
            .strip_suffix(short)
            .map_or("", |path| last_part(path.trim_end_matches('/')));
        let short = match (same(short), folder) {
            (0 | 1, _) | (_, "") => short.to_owned(),
            (_, folder) => format!("{folder}/{short}"),
        };
        names.insert(name.clone(), short);
    }
    names
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
