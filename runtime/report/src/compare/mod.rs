//! Compares two JSON reports: the clocks that changed, the regions and lines that appeared, and those that are gone.
//!
//! Regions correspond if they have the same name; among several alike, the first corresponds to the first. Lines
//! correspond if they have the same instruction, regardless of label and comment: first in the order of a diff, so that
//! an inserted line shifts nothing, then at any place. If equally many unmatched lines replace each other, they are
//! compared one by one; all other lines have appeared or are gone. The main files of both programs correspond, whatever
//! their names. The library's lines are left out. Runs that did not end by themselves, regions that are gone and
//! different machines are reported, and fail a comparison that has a limit.

mod saved;
mod text;

pub use saved::SavedRun;

use super::json_text::write_json;
use super::{Format, Style};
use saved::SavedLine;
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The time limit for ordering lines. Lines of reports that differ too much are paired regardless of their order.
const DIFF_TIME: Duration = Duration::from_secs(2);
/// One percent, in millionths of a percent.
const PERCENT: u64 = 1_000_000;

/// Two runs compared.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "p5inst compare"))]
pub struct Comparison {
    /// Version of this schema; within one version fields are only added.
    schema_version: u32,
    /// The older run.
    old: Side,
    /// The newer run.
    new: Side,
    /// The clocks of the user's program in the last run.
    total: Pair,
    /// Its clocks in the first run.
    cold: Pair,
    /// The regions, those of the newer run first: median clocks of a warm pass, or the clocks of the only one.
    regions: Vec<Region>,
    /// The lines whose clocks in the last run differ, the largest difference first.
    lines: Vec<Line>,
    /// The share in millionths of a percent by which the newer run may be slower; null without a limit.
    fail_over_millionths: Option<u64>,
    /// Whether the two are probably not versions of one program: other names, no region in common, and less than a
    /// quarter of the lines of the shorter one.
    unrelated: bool,
    /// Whether equal lines were paired wherever they stand, because too many differ to order them in time.
    paired_anywhere: bool,
    /// Why the clocks are not of the same work on the same machine: stopped runs, gone regions, different machines.
    incomparable: Vec<String>,
    /// Whether neither the total nor a region is slower by more than the limit, and under a limit, whether nothing is
    /// incomparable.
    ok: bool,
}

/// One of the two runs.
#[derive(PartialEq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Side {
    /// The file of its report.
    report: String,
    /// The program.
    program: String,
    /// The machine: chip, memory, privilege level and assumptions.
    machine: String,
}

/// Clocks of both runs; null where the run has none.
#[derive(Clone, Copy, Debug, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Pair {
    /// In the older run.
    old: Option<u64>,
    /// In the newer run.
    new: Option<u64>,
    /// The newer run's minus the older run's.
    difference: Option<i64>,
    /// Whether the newer run is slower by more than the limit.
    slower: bool,
}

/// A region in both runs.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Region {
    /// Its name.
    name: String,
    /// Its clocks.
    #[serde(flatten)]
    clocks: Pair,
}

/// A line in both runs.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Line {
    /// Its file in the newer run, or else in the older one.
    file: String,
    /// Its number in the older run.
    old_line: Option<u32>,
    /// Its number in the newer run.
    new_line: Option<u32>,
    /// Its text in the older run.
    old_text: Option<String>,
    /// Its text in the newer run.
    new_text: Option<String>,
    /// Its clocks in the last run.
    #[serde(flatten)]
    clocks: Pair,
}

impl Comparison {
    /// Compares two runs. `limit` is the slowdown allowed for the newer one, in millionths of a percent.
    pub fn of(old: &SavedRun, new: &SavedRun, limit: Option<u64>) -> Comparison {
        let pair = |old, new| Pair::of(old, new, limit);
        let total = pair(Some(old.total()), Some(new.total()));
        let regions = regions(old, new, pair);
        let (old_side, new_side) = (side(old), side(new));
        let stopped = [("older", old), ("newer", new)].into_iter();
        let stopped = stopped.filter_map(|(age, run)| Some(format!("the {age} run was stopped: {}", run.stopped()?)));
        let gone = regions.iter().filter(|region| region.clocks.gone());
        let gone = gone.map(|region| format!("region {} is gone or has no pass", region.name));
        let machines = old_side.machine != new_side.machine;
        let machines = machines.then(|| "the two runs are of different machines".to_owned());
        let incomparable: Vec<String> = stopped.chain(gone).chain(machines).collect();
        let (lines, paired_anywhere) = lines(old, new);
        let mut comparison = Comparison {
            schema_version: 1,
            old: old_side,
            new: new_side,
            ok: limit.is_none() || incomparable.is_empty(),
            incomparable,
            unrelated: unrelated(old, new),
            total,
            cold: Pair::of(old.cold(), new.cold(), None),
            regions,
            lines,
            paired_anywhere,
            fail_over_millionths: limit,
        };
        comparison.ok &= !comparison.slower();
        comparison
    }

    fn slower(&self) -> bool {
        self.total.slower || self.regions.iter().any(|region| region.clocks.slower)
    }

    /// Whether neither the total nor a region is slower by more than the limit. With a limit, both runs must also have
    /// ended by themselves, on the same machine, with all regions of the older one.
    pub fn ok(&self) -> bool {
        self.ok
    }

    /// Whether all clocks are equal.
    pub fn same(&self) -> bool {
        let pairs = self.regions.iter().map(|region| region.clocks);
        let mut pairs = pairs.chain([self.total, self.cold]);
        self.lines.is_empty() && pairs.all(|pair| pair.difference == Some(0) || (pair.old, pair.new) == (None, None))
    }

    /// Writes the comparison in a format.
    ///
    /// # Errors
    /// Only what `out` itself reports.
    pub fn write(&self, format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        match format {
            Format::Json => write_json(self, out),
            Format::Text => text::write(self, style, out),
        }
    }
}

impl Pair {
    fn of(old: Option<u64>, new: Option<u64>, limit: Option<u64>) -> Pair {
        let slower = |old: u64, new: u64, limit: u64| {
            let whole = u128::from(100 * PERCENT);
            u128::from(new) * whole > u128::from(old) * (whole + u128::from(limit))
        };
        let both = old.zip(new);
        Pair {
            old,
            new,
            difference: both.map(|(old, new)| i64::try_from(i128::from(new) - i128::from(old)).unwrap_or(i64::MAX)),
            slower: both
                .zip(limit)
                .is_some_and(|((old, new), limit)| slower(old, new, limit)),
        }
    }

    fn gone(&self) -> bool {
        self.old.is_some() && self.new.is_none()
    }

    /// The absolute difference of its clocks; clocks that one run lacks count as 0.
    fn weight(&self) -> u64 {
        self.old.unwrap_or(0).abs_diff(self.new.unwrap_or(0))
    }
}

/// Whether the runs are probably not of versions of one program: their names differ, they have no region name in
/// common, and the common lines are less than a quarter of the shorter one, as in any two programs.
fn unrelated(old: &SavedRun, new: &SavedRun) -> bool {
    let texts = |run: &SavedRun| -> HashSet<String> {
        let own = run.lines.iter().filter(|line| !line.library);
        own.map(|line| line.text.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect()
    };
    let names = |run: &SavedRun| -> HashSet<String> { run.regions.iter().map(|region| region.name.clone()).collect() };
    let (before, after) = (texts(old), texts(new));
    let shorter = before.len().min(after.len());
    let common = before.intersection(&after).count();
    old.program != new.program && 4 * common < shorter && names(old).is_disjoint(&names(new))
}

fn side(run: &SavedRun) -> Side {
    Side {
        report: run.report.clone(),
        program: run.program.clone(),
        machine: run.machine(),
    }
}

fn regions(old: &SavedRun, new: &SavedRun, pair: impl Fn(Option<u64>, Option<u64>) -> Pair) -> Vec<Region> {
    let mut rest: HashMap<&str, VecDeque<Option<u64>>> = HashMap::new();
    for region in &old.regions {
        rest.entry(&region.name).or_default().push_back(region.clocks());
    }
    let mut found: Vec<Region> = Vec::new();
    for region in &new.regions {
        let before = rest.get_mut(&*region.name).and_then(VecDeque::pop_front).flatten();
        found.push(Region {
            name: region.name.clone(),
            clocks: pair(before, region.clocks()),
        });
    }
    for region in &old.regions {
        if let Some(before) = rest.get_mut(&*region.name).and_then(VecDeque::pop_front) {
            found.push(Region {
                name: region.name.clone(),
                clocks: pair(before, None),
            });
        }
    }
    found
}

/// The lines that differ, and whether lines were paired regardless of their order.
fn lines(old: &SavedRun, new: &SavedRun) -> (Vec<Line>, bool) {
    // Code without a source line has no number.
    let numbered = |line: &&SavedLine| line.line > 0;
    let (pairs, anywhere) = paired(old, new);
    let changed = pairs.into_iter().filter_map(|(before, after)| {
        let clocks = Pair::of(before.map(|line| line.cycles), after.map(|line| line.cycles), None);
        (clocks.difference != Some(0)).then(|| Line {
            file: after.or(before).map_or_else(String::new, |line| line.file.clone()),
            old_line: before.filter(numbered).map(|line| line.line),
            new_line: after.filter(numbered).map(|line| line.line),
            old_text: before.map(|line| line.text.trim().to_owned()),
            new_text: after.map(|line| line.text.trim().to_owned()),
            clocks,
        })
    });
    let mut changed: Vec<Line> = changed.collect();
    changed.sort_by_key(|line| {
        let weight = line.clocks.weight();
        (std::cmp::Reverse(weight), line.new_line.or(line.old_line))
    });
    (changed, anywhere)
}

/// The instruction of a line: without its label, its comment and the width of its gaps.
fn instruction(text: &str) -> String {
    let mut quote = None;
    let comment = text.find(|letter: char| {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => {}
        }
        letter == ';' && quote.is_none()
    });
    let code = text[..comment.unwrap_or(text.len())].trim();
    let named = |name: &str| {
        !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || "'\"[".contains(letter))
    };
    let code = match code.split_once(':') {
        Some((label, rest)) if named(label.trim_end()) && !rest.trim().is_empty() => rest,
        _ => code,
    };
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A pair of corresponding lines, or a line that only one run has.
type Lines<'a> = (Option<&'a SavedLine>, Option<&'a SavedLine>);

/// Pairs the corresponding lines of two runs, and returns the others alone; also whether ordering ran out of time.
fn paired<'a>(old: &'a SavedRun, new: &'a SavedRun) -> (Vec<Lines<'a>>, bool) {
    let (before, after): (Vec<&SavedLine>, Vec<&SavedLine>) = (old.own_lines().collect(), new.own_lines().collect());
    let keys = [(old, &before), (new, &after)].map(|(run, lines)| {
        let keys = lines.iter().map(|&line| (run.file(line), instruction(&line.text)));
        keys.collect::<Vec<_>>()
    });
    let [old_keys, new_keys] = &keys;
    let started = Instant::now();
    let deadline = started.checked_add(DIFF_TIME);
    let operations = capture_diff_slices_deadline(Algorithm::Patience, old_keys, new_keys, deadline);
    let anywhere = started.elapsed() >= DIFF_TIME;
    // The partner of each newer line, and for each older line whether it has a partner.
    let mut partners: Vec<Option<usize>> = vec![None; after.len()];
    let mut taken = vec![false; before.len()];
    let equal = operations.iter().filter(|one| one.tag() == DiffTag::Equal);
    for (place, partner) in equal.flat_map(|one| one.new_range().zip(one.old_range())) {
        partners[place] = Some(partner);
        taken[partner] = true;
    }
    let mut moved: HashMap<_, VecDeque<usize>> = HashMap::new();
    for (place, key) in old_keys.iter().enumerate().filter(|&(place, _)| !taken[place]) {
        moved.entry(key).or_default().push_back(place);
    }
    for (partner, key) in partners
        .iter_mut()
        .zip(new_keys)
        .filter(|(partner, _)| partner.is_none())
    {
        *partner = moved.get_mut(key).and_then(VecDeque::pop_front);
        partner.iter().for_each(|&partner| taken[partner] = true);
    }
    for operation in operations.iter().filter(|one| one.tag() == DiffTag::Replace) {
        let gone: Vec<usize> = operation.old_range().filter(|&place| !taken[place]).collect();
        let new: Vec<usize> = operation
            .new_range()
            .filter(|&place| partners[place].is_none())
            .collect();
        let same_file = |(&one, &other): (&usize, &usize)| old_keys[one].0 == new_keys[other].0;
        if gone.len() == new.len() && gone.iter().zip(&new).all(same_file) {
            for (place, partner) in new.into_iter().zip(gone) {
                partners[place] = Some(partner);
                taken[partner] = true;
            }
        }
    }
    let known = after.iter().zip(&partners);
    let known = known.map(|(&line, partner)| (partner.map(|partner| before[partner]), Some(line)));
    let gone = before.iter().zip(&taken).filter(|&(_, &taken)| !taken);
    (
        known.chain(gone.map(|(&line, _)| (Some(line), None))).collect(),
        anywhere,
    )
}

#[cfg(test)]
mod tests;
