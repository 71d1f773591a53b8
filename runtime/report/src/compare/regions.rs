//! Which regions of two runs correspond, and which of them keep lines apart.
//!
//! Regions correspond by name. One without a name has that of its line, which says nothing where a program has other
//! lines: such regions correspond in their order, if both programs have as many.

use super::functions::by_name;
use super::saved::{SavedRegion, SavedRun};
use super::saved_lines::SavedLine;
use super::{Pair, Region};
use std::collections::{BTreeSet, HashMap};

/// Whether regions without a name correspond in their order.
fn in_order(old: &SavedRun, new: &SavedRun) -> bool {
    let count = |run: &SavedRun| run.regions.iter().filter(|region| region.is_unnamed()).count();
    count(old) == count(new)
}

/// By what the regions of a run correspond to those of `other`: their names. Of two without a name that correspond,
/// both have the name of the one with the smaller number.
fn keys<'a>(run: &'a SavedRun, other: &'a SavedRun) -> Vec<&'a str> {
    let in_order = in_order(run, other);
    let mut partners = other.regions.iter().filter(|region| region.is_unnamed());
    let key = |region: &'a SavedRegion| match in_order && region.is_unnamed() {
        true => partners
            .next()
            .filter(|partner| partner.start_line < region.start_line)
            .map_or(&*region.name, |partner| &*partner.name),
        false => &*region.name,
    };
    run.regions.iter().map(key).collect()
}

/// The regions of both runs with their clocks: those of the newer run, in its order, then those that only the older
/// one has. A region without a name has that of its line in the newer run, after that in the older one.
pub(super) fn compared(old: &SavedRun, new: &SavedRun, pair: impl Fn(Option<u64>, Option<u64>) -> Pair) -> Vec<Region> {
    let keyed = |run, other| keys(run, other).into_iter().zip(run.regions.iter().map(Some));
    let pairs = by_name(keyed(old, new), keyed(new, old));
    let regions = pairs.into_iter().map(|(key, before, after)| {
        let name = |region: Option<&SavedRegion>| region.map_or(key, |region| &*region.name).to_owned();
        let name = match [before, after].map(name) {
            [then, now] if before.is_some() && after.is_some() && then != now => format!("{then}, then {now}"),
            [then, _] if after.is_none() => then,
            [_, now] => now,
        };
        let clocks = |region: Option<&SavedRegion>| region.and_then(SavedRegion::clocks);
        Region {
            name,
            in_newer: after.is_some(),
            code_bytes: [before, after].map(|region| region?.code_bytes),
            clocks: pair(clocks(before), clocks(after)),
        }
    });
    regions.collect()
}

/// Why regions of the older run have no clocks in the newer one.
pub(super) fn gone(old: &SavedRun, new: &SavedRun, regions: &[Region]) -> Vec<String> {
    let unnamed = |run: &SavedRun| run.regions.iter().any(SavedRegion::is_unnamed);
    let help = match !in_order(old, new) && unnamed(old) && unnamed(new) {
        true => "; name it in both, as in `StartTSC span`: regions without a name are paired if both have as many",
        false => "",
    };
    let why = |region: &Region| match region.in_newer {
        true => format!("region {} has no pass in the newer run", region.name),
        false => format!("region {} is only in the old file{help}", region.name),
    };
    regions.iter().filter(|region| region.clocks.gone()).map(why).collect()
}

/// For each of some lines of `run`, what its partner in the run `other` must have as well: the name of the innermost
/// region around it. It is `""` where a line in no region may be the partner, too.
///
/// A region that only one run has was put around lines, or taken from them, or has another name now.
pub(super) fn around<'a>(run: &'a SavedRun, lines: &[&'a SavedLine], other: &'a SavedRun) -> Vec<&'a str> {
    let keys = keys(run, other);
    let own: BTreeSet<&str> = keys.iter().copied().collect();
    let others: BTreeSet<&str> = self::keys(other, run).into_iter().collect();
    let (here, there) = (own.difference(&others).count(), others.difference(&own).count());
    let plain = here == 0 || there == 0 || here == 1 && there == 1;
    let mut of_file: HashMap<&str, Vec<(&str, &SavedRegion)>> = HashMap::new();
    for (key, region) in keys.into_iter().zip(&run.regions) {
        of_file.entry(&region.file).or_default().push((key, region));
    }
    // Outer regions come before those inside.
    for regions in of_file.values_mut() {
        regions.sort_by_key(|(_, region)| (region.start_line, std::cmp::Reverse(region.end_line)));
    }
    let mut found = vec![""; lines.len()];
    let mut order: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].line > 0).collect();
    order.sort_by_key(|&at| (&*lines[at].file, lines[at].line));
    for one in order.chunk_by(|&one, &other| lines[one].file == lines[other].file) {
        let regions = one.first().and_then(|&at| of_file.get(&*lines[at].file));
        let mut next = regions.into_iter().flatten().copied().peekable();
        let mut open: Vec<(&str, &SavedRegion)> = Vec::new();
        for &at in one {
            let line = lines[at].line;
            while let Some(inner) = next.next_if(|(_, region)| region.start_line <= line) {
                while open.pop_if(|(_, outer)| outer.end_line < inner.1.start_line).is_some() {}
                open.push(inner);
            }
            while open.pop_if(|(_, region)| region.end_line < line).is_some() {}
            let counts = |(key, _): &&(&str, &SavedRegion)| !plain || others.contains(key);
            found[at] = open.iter().rev().find(counts).map_or("", |&(key, _)| key);
        }
    }
    found
}
