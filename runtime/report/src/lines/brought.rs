//! The lines of a library whose code a line brings by inlining.

use super::Entry;
use super::names::last_part;
use super::rows::file_name;
use crate::printable::printable;
use p5_results::Run;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The most lines of others that are named beside a line which brings them.
const BROUGHT: usize = 3;

/// The lines of a library whose code a line brings by inlining, those with the most clocks first; `None` without any.
pub(crate) fn brought(run: &Run, entries: &[Entry]) -> Option<String> {
    let mut clocks: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for one in entries.iter().filter_map(|&entry| run.instructions.get(entry)) {
        if let Some(place) = one.brought {
            *clocks.entry(place).or_default() += one.cycles;
        }
    }
    let mut lines: Vec<((u32, u32), u64)> = clocks.into_iter().collect();
    lines.sort_by_key(|&(_, clocks)| Reverse(clocks));
    let named = |&((file, line), _): &((u32, u32), u64)| {
        let name = file_name(run, file)?;
        Some(format!("{}:{line}", printable(last_part(name))))
    };
    let mut named: Vec<String> = lines.iter().take(BROUGHT).filter_map(named).collect();
    if lines.len() > BROUGHT {
        named.push("others".to_owned());
    }
    (!named.is_empty()).then(|| format!("with {}", named.join(", ")))
}
