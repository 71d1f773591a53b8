//! The regions that keep lines of two runs apart.

use super::saved::{SavedLine, SavedRegion, SavedRun};
use std::collections::{BTreeSet, HashMap};

/// For each of some lines of `run`, what its partner in the run `other` must have as well: the name of the innermost
/// region around it. It is `""` where a line in no region may be the partner, too.
///
/// A region that only one run has was put around lines, or taken from them, or has another name now.
pub(super) fn around<'a>(run: &'a SavedRun, lines: &[&'a SavedLine], other: &SavedRun) -> Vec<&'a str> {
    let own: BTreeSet<&str> = run.regions.iter().map(|region| &*region.name).collect();
    let others: BTreeSet<&str> = other.regions.iter().map(|region| &*region.name).collect();
    let (here, there) = (own.difference(&others).count(), others.difference(&own).count());
    let plain = here == 0 || there == 0 || here == 1 && there == 1;
    let mut of_file: HashMap<&str, Vec<&SavedRegion>> = HashMap::new();
    for region in &run.regions {
        of_file.entry(&region.file).or_default().push(region);
    }
    // Outer regions come before those inside.
    for regions in of_file.values_mut() {
        regions.sort_by_key(|region| (region.start_line, std::cmp::Reverse(region.end_line)));
    }
    let mut found = vec![""; lines.len()];
    let mut order: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].line > 0).collect();
    order.sort_by_key(|&at| (&*lines[at].file, lines[at].line));
    for one in order.chunk_by(|&one, &other| lines[one].file == lines[other].file) {
        let regions = one.first().and_then(|&at| of_file.get(&*lines[at].file));
        let mut next = regions.into_iter().flatten().copied().peekable();
        let mut open: Vec<&SavedRegion> = Vec::new();
        for &at in one {
            let line = lines[at].line;
            while let Some(region) = next.next_if(|region| region.start_line <= line) {
                while open.pop_if(|outer| outer.end_line < region.start_line).is_some() {}
                open.push(region);
            }
            while open.pop_if(|region| region.end_line < line).is_some() {}
            let counts = |region: &&&SavedRegion| !plain || others.contains(&*region.name);
            found[at] = open.iter().rev().find(counts).map_or("", |region| &*region.name);
        }
    }
    found
}
