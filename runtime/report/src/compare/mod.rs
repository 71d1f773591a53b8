//! Compares two JSON reports: the clocks that changed, the regions and lines that are new, and those that are gone.
//!
//! Regions correspond if they have the same name; among several alike, the first corresponds to the first. Lines of a
//! file with the same text in both runs correspond by their numbers alone. Other lines
//! correspond if they have the same instruction, regardless of label and comment: first in the order of a diff, so that
//! an inserted line shifts nothing, then at any place. Where lines replace others, those with the same label or with a
//! similar text correspond, unless the programs have so little in common that this means nothing; all other lines are
//! new or gone. The main files of both programs correspond, whatever their
//! names; so do the file that only the older program has and the one that only the newer has, if there is one
//! each, and else the files in which both programs begin. Functions correspond if they have the same name, or else the
//! same one without the crates of both programs of Rust. Lines of different regions never correspond, and those of a
//! file without text in one of the reports are not compared. The library's lines are left out. Runs that did not end by
//! themselves, regions that are gone and different machines are reported, and fail a comparison that has a limit.

mod pairs;
mod regions;
mod results;
mod saved;
mod text;

pub use saved::SavedRun;

use super::json_text::write_json;
use super::{Format, Style};
use p5_image::without_variant;
use pairs::{paired, without_text};
use results::Differing;
use saved::SavedLine;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::io::{self, Write};

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
    /// The functions whose clocks in the last run differ, the largest difference first. A function has the clocks of
    /// its inlined copies, too. Among several of one name, the first corresponds to the first.
    functions: Vec<Function>,
    /// The lines whose clocks in the last run differ, the largest difference first.
    lines: Vec<Line>,
    /// The share in millionths of a percent by which the newer run may be slower; null without a limit.
    fail_over_millionths: Option<u64>,
    /// Whether the two are probably not versions of one program: other names, no region in common, and less than a
    /// quarter of the lines of the shorter one.
    unrelated: bool,
    /// Whether equal lines were paired wherever they stand, because too many differ to order them in time.
    paired_anywhere: bool,
    /// The files whose lines are not compared, because one of the reports lacks their text; absent if none is.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    without_text: Vec<String>,
    /// The variables of both programs that differ at the ends of the runs; those longer than 8 bytes only if a run
    /// changed them. Absent if none is known to differ.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    results: Vec<Differing>,
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
    /// The number of its budgets that do not hold; absent if all hold.
    #[serde(skip_serializing_if = "is_zero", default)]
    failed_budgets: usize,
    /// These budgets, each with its line; absent if all hold.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    failed: Vec<String>,
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

/// A function in both runs.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Function {
    /// Its name; empty for code that belongs to no function.
    name: String,
    /// Its clocks in the last run.
    #[serde(flatten)]
    clocks: Pair,
}

/// A line in both runs.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Line {
    /// Its file in the newer run, or else in the older one.
    file: String,
    /// The function of code without a source line, with the distance from its beginning, or the address, in the newer
    /// run, or else in the older one; absent with a source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
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
        let machines = (old_side.machine != new_side.machine).then(|| old.other_machine(new));
        let incomparable: Vec<String> = stopped.chain(gone).chain(machines).collect();
        let without_text = without_text(old, new);
        let likeness = Common::of(old, new);
        let unrelated = likeness.unrelated(old, new);
        let (lines, paired_anywhere) = lines(old, new, &without_text, !unrelated && !likeness.is_other_code());
        let mut comparison = Comparison {
            schema_version: 1,
            old: old_side,
            new: new_side,
            ok: limit.is_none() || incomparable.is_empty(),
            incomparable,
            unrelated,
            total,
            cold: Pair::of(old.cold(), new.cold(), None),
            regions,
            functions: functions(old, new),
            lines,
            paired_anywhere,
            results: results::differing(old, new),
            without_text: without_text.into_iter().map(str::to_owned).collect(),
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
            u128::from(new) * whole > u128::from(old).saturating_mul(whole + u128::from(limit))
        };
        let both = old.zip(new);
        Pair {
            old,
            new,
            difference: both
                .map(|(old, new)| (i128::from(new) - i128::from(old)).clamp(i64::MIN.into(), i64::MAX.into()) as i64),
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

/// How much of their text two programs have in common.
struct Common {
    /// The different lines of the program with fewer of them.
    shorter: usize,
    /// Those that both have.
    common: usize,
}

/// The fewest lines of a program by which it can be told that another one does not come from it.
const TELLING: usize = 12;

impl Common {
    fn of(old: &SavedRun, new: &SavedRun) -> Common {
        let texts = |run: &SavedRun| -> HashSet<String> {
            let own = run.lines.iter().filter(|line| !line.library);
            own.map(|line| line.text.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect()
        };
        let (before, after) = (texts(old), texts(new));
        Common {
            shorter: before.len().min(after.len()),
            common: before.intersection(&after).count(),
        }
    }

    /// Less than a quarter of the lines, as in any two programs.
    fn is_little(&self) -> bool {
        4 * self.common < self.shorter
    }

    /// Whether one program does the same in another way, so that lines that look alike do not correspond.
    fn is_other_code(&self) -> bool {
        self.is_little() && self.shorter >= TELLING
    }

    /// Whether the runs are probably not of versions of one program: little in common, neither the name nor that of a
    /// region.
    fn unrelated(&self, old: &SavedRun, new: &SavedRun) -> bool {
        let names =
            |run: &SavedRun| -> HashSet<String> { run.regions.iter().map(|region| region.name.clone()).collect() };
        old.program != new.program && self.is_little() && names(old).is_disjoint(&names(new))
    }
}

fn side(run: &SavedRun) -> Side {
    let failed = run.failed_budgets();
    Side {
        report: run.report.clone(),
        program: run.program.clone(),
        machine: run.machine(),
        failed_budgets: failed.len(),
        failed,
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Pairs what has the same name, the first with the first: what the newer run has, in its order, then what is gone.
fn by_name<'a>(
    old: impl Iterator<Item = (&'a str, Option<u64>)>,
    new: impl Iterator<Item = (&'a str, Option<u64>)>,
) -> Vec<(&'a str, Option<u64>, Option<u64>)> {
    let old: Vec<_> = old.collect();
    let mut rest: HashMap<&str, VecDeque<Option<u64>>> = HashMap::new();
    for &(name, clocks) in &old {
        rest.entry(name).or_default().push_back(clocks);
    }
    let mut next = |name| rest.get_mut(name).and_then(VecDeque::pop_front);
    let mut found: Vec<_> = new.map(|(name, clocks)| (name, next(name).flatten(), clocks)).collect();
    let gone = old.iter().filter_map(|&(name, _)| Some((name, next(name)?, None)));
    found.extend(gone);
    found
}

fn regions(old: &SavedRun, new: &SavedRun, pair: impl Fn(Option<u64>, Option<u64>) -> Pair) -> Vec<Region> {
    let [old, new] = [old, new].map(|run| run.regions.iter().map(|region| (&*region.name, region.clocks())));
    let found = by_name(old, new).into_iter();
    found
        .map(|(name, before, after)| Region {
            name: name.to_owned(),
            clocks: pair(before, after),
        })
        .collect()
}

/// The name of a function of Rust without the crate `own`, wherever a path in it begins with that: also in the types of
/// `<one::Point as one::Shape>::area`.
fn without_crate(name: &str, own: &str) -> String {
    let mut rest = name;
    let mut plain = String::new();
    let begins = |before: &str| !before.ends_with(|last: char| last.is_alphanumeric() || "_:".contains(last));
    while let Some(at) = rest.find(own).filter(|_| !own.is_empty()) {
        let (before, found) = rest.split_at(at);
        let (crate_name, after) = found.split_at(own.len());
        plain += before;
        match after
            .strip_prefix("::")
            .filter(|path| begins(&plain) && !path.is_empty())
        {
            Some(path) => rest = path,
            None => {
                plain += crate_name;
                rest = after;
            }
        }
    }
    plain + rest
}

/// The names of the functions of a run, and of the run with which it is compared.
struct Names<'a> {
    own: HashSet<&'a str>,
    other: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(own: &'a SavedRun, other: &'a SavedRun) -> Names<'a> {
        let names = |run: &'a SavedRun| run.functions.iter().filter_map(|one| one.name.as_deref()).collect();
        Names {
            own: names(own),
            other: names(other),
        }
    }

    /// The function for which a variant stands that a compiler made: one that the other run has itself, without this
    /// variant of it, and this run has only in variants.
    fn stands_for(&self, name: &'a str) -> Option<&'a str> {
        let plain = without_variant(name);
        let stands = !self.other.contains(name) && self.other.contains(plain) && !self.own.contains(plain);
        stands.then_some(plain)
    }

    /// The functions of the run with their clocks. Variants that stand for one function are added up, and so are the
    /// copies of one function that a compiler inlined: they have the name and the file of the function itself.
    fn functions(&self, run: &'a SavedRun) -> Vec<(&'a str, Option<u64>)> {
        let mut functions: Vec<(&str, Option<u64>)> = Vec::new();
        let mut places: HashMap<(&str, Option<&str>), usize> = HashMap::new();
        for one in &run.functions {
            let name = one.name.as_deref().unwrap_or_default();
            let (plain, file) = match (self.stands_for(name), one.file.as_deref()) {
                (Some(plain), _) => (plain, None),
                (None, Some(file)) => (name, Some(file)),
                (None, None) => {
                    functions.push((name, Some(one.cycles)));
                    continue;
                }
            };
            let place = *places.entry((plain, file)).or_insert(functions.len());
            match functions.get_mut(place) {
                Some((_, clocks)) => *clocks = clocks.map(|clocks| clocks.saturating_add(one.cycles)),
                None => functions.push((plain, Some(one.cycles))),
            }
        }
        functions
    }
}

/// The functions that differ: those of one name correspond, then those that have one name without their crates.
fn functions(old: &SavedRun, new: &SavedRun) -> Vec<Function> {
    // The two may be crates of one program under different names.
    let [own, other] = [old, new].map(SavedRun::own_crate);
    let differ = own != other;
    let [old, new] = [(old, new), (new, old)].map(|(own, other)| Names::of(own, other).functions(own));
    let all = by_name(old.into_iter(), new.into_iter()).into_iter();
    let (mut pairs, single): (Vec<_>, Vec<_>) = all
        .map(|(name, before, after)| (name.to_owned(), before, after))
        .partition(|(_, before, after)| !differ || before.is_some() && after.is_some());
    let (gone, appeared): (Vec<_>, Vec<_>) = single.into_iter().partition(|(_, before, _)| before.is_some());
    let mut rest: HashMap<String, VecDeque<(String, Option<u64>)>> = HashMap::new();
    let mut order: Vec<String> = Vec::new();
    for (name, before, _) in gone {
        let plain = without_crate(&name, &own);
        rest.entry(plain.clone()).or_default().push_back((name, before));
        order.push(plain);
    }
    for (name, _, after) in appeared {
        let plain = without_crate(&name, &other);
        match rest.get_mut(&plain).and_then(VecDeque::pop_front) {
            Some((_, before)) => pairs.push((plain, before, after)),
            None => pairs.push((name, None, after)),
        }
    }
    let gone = order.iter().filter_map(|plain| rest.get_mut(plain)?.pop_front());
    pairs.extend(gone.map(|(name, before)| (name, before, None)));
    let changed = pairs.into_iter().map(|(name, before, after)| Function {
        name,
        clocks: Pair::of(before, after, None),
    });
    let mut changed: Vec<Function> = changed
        .filter(|function| function.clocks.difference != Some(0))
        .collect();
    changed.sort_by_key(|function| std::cmp::Reverse(function.clocks.weight()));
    changed
}

/// The lines that differ, and whether lines were paired regardless of their order.
fn lines(old: &SavedRun, new: &SavedRun, without_text: &BTreeSet<&str>, alike: bool) -> (Vec<Line>, bool) {
    // Code without a source line has no number.
    let numbered = |line: &&SavedLine| line.line > 0;
    let (pairs, anywhere) = paired(old, new, without_text, alike);
    let changed = pairs.into_iter().filter_map(|(before, after)| {
        let clocks = Pair::of(before.map(|line| line.cycles), after.map(|line| line.cycles), None);
        (clocks.difference != Some(0)).then(|| Line {
            file: after.or(before).map_or_else(String::new, |line| line.file.clone()),
            function: after.or(before).and_then(|line| line.function.clone()),
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

#[cfg(test)]
mod tests;
