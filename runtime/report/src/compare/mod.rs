//! Compares two JSON reports: the clocks that changed, the regions and lines that are new, and those that are gone.
//!
//! Regions correspond if they have the same name; among several alike, the first corresponds to the first, and so do
//! regions without a name if both programs have as many. Lines of a
//! file with the same text in both runs correspond by their numbers alone. Other lines
//! correspond if they have the same instruction, regardless of label and comment: first in the order of a diff, so that
//! an inserted line shifts nothing, then at any place. Where lines replace others, those with the same label or with a
//! similar text correspond, unless the programs have so little in common that this means nothing; all other lines are
//! new or gone. The main files of both programs correspond, whatever their
//! names; so do the file that only the older program has and the one that only the newer has, if there is one
//! each, and else the files in which both programs begin. Functions correspond if they have the same name, or else the
//! same one without the crates of both programs of Rust. Lines of different regions never correspond, and those of a
//! file without text in one of the reports are not compared. Of code without source lines, a report lists the
//! instructions with the most clocks and sums up the others by function: instructions correspond by their distance
//! from the beginning of the function, and what is left of it is summed up on both sides, so that a row has the same
//! code on both. The library's lines are left out. Runs that did not end by
//! themselves, regions that are gone and different machines are reported, and fail a comparison that has a limit.

mod causes;
mod changed_lines;
mod ends;
mod ends_text;
mod functions;
mod hottest;
mod lines_text;
mod long;
mod moved;
mod other_memory;
mod pairs;
mod regions;
mod results;
mod saved;
mod saved_lines;
mod summed;
mod tables;
mod text;
mod unlike;
mod waits;

pub use saved::SavedRun;

use super::json_text::write_json;
use super::{Format, Style};
use causes::ChangedCause;
use changed_lines::lines;
use ends::Ends;
use functions::functions;
use hottest::Hot;
use p5_results::Cause;
use pairs::without_text;
use results::Differing;
use std::collections::HashSet;
use std::io::{self, Write};

/// One percent, in millionths of a percent.
const PERCENT: u64 = 1_000_000;

/// Two runs compared.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "p5inst compare"))]
pub struct Comparison {
    /// Version of this schema; within one version fields are only added.
    schema_version: u32,
    /// The version of p5inst that wrote it.
    version: &'static str,
    /// The older run.
    old: Side,
    /// The newer run.
    new: Side,
    /// The clocks of the user's program in the last run.
    total: Pair,
    /// Its clocks in the first run.
    cold: Pair,
    /// The cause for which both runs wait at least half of their clocks; null if there is none.
    both_wait: Option<ChangedCause>,
    /// The regions, those of the newer run first: median clocks of a warm pass, or the clocks of the only one.
    regions: Vec<Region>,
    /// The functions whose clocks in the last run differ: first those with source text, then the others, each by the
    /// size of the difference. A function has the clocks of
    /// its inlined copies, too. Among several of one name, the first corresponds to the first.
    functions: Vec<Function>,
    /// The lines whose clocks in the last run differ, those with source text first, and of them the largest difference.
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
    /// Whether both runs end with the same results, and what of them is compared.
    ends: Ends,
    /// The lines of the older run with the most clocks, of programs whose lines do not correspond; absent for others.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    hottest_old: Vec<Hot>,
    /// Those of the newer run.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    hottest_new: Vec<Hot>,
    /// The variables of both programs that differ at the ends of the runs; those longer than 8 bytes only if a run
    /// changed them. Absent if none is known to differ.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    results: Vec<Differing>,
    /// Why the clocks are not of the same work on the same machine: stopped runs, gone regions, different machines,
    /// fragments of which other numbers are assumed.
    incomparable: Vec<String>,
    /// Whether a run was stopped.
    #[serde(skip)]
    stopped: bool,
    /// Whether all lines are of the main files of both programs, which correspond.
    #[serde(skip)]
    of_main: bool,
    /// Whether other results fail the comparison.
    #[serde(skip)]
    same_results: bool,
    /// Whether neither the total nor a region is slower by more than the limit, under a limit, whether nothing is
    /// incomparable, and whether the results are the same if they have to be.
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
    /// The options that only this run was given; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    options: Option<String>,
    /// Whether the program was run for the comparison, and was already built.
    #[serde(skip)]
    built: bool,
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
    /// Its name; of one without a name in both runs, those of its lines, as in `line 27, then line 26`.
    name: String,
    /// Whether the newer program has it, with or without a pass.
    #[serde(skip)]
    in_newer: bool,
    /// The bytes of its code that was executed, in the older and in the newer run; null if a report lacks them.
    code_bytes: [Option<u64>; 2],
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
    /// The causes of its clocks of which one run has more, the largest difference first; absent if the reports do not
    /// tell.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    causes: Vec<ChangedCause>,
    /// Whether the report has no source text of its file, as of a function of a library: such come after the others.
    of_library: bool,
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
    /// The causes of its clocks of which one run has more, the largest difference first; absent if the reports do not
    /// tell.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    causes: Vec<ChangedCause>,
    /// Whether the report has no source text of it, as of code of a library: such come after the others.
    of_library: bool,
}

impl Comparison {
    /// Compares two runs. `limit` is the slowdown allowed for the newer one, in millionths of a percent.
    pub fn of(old: &SavedRun, new: &SavedRun, limit: Option<u64>) -> Comparison {
        let pair = |old, new| Pair::of(old, new, limit);
        let total = pair(Some(old.total()), Some(new.total()));
        let regions = regions::compared(old, new, pair);
        let (old_side, new_side) = (side(old), side(new));
        let stopped = [("older", old), ("newer", new)].into_iter();
        let stopped = stopped.filter_map(|(age, run)| Some(format!("the {age} run was stopped: {}", run.stopped()?)));
        let any_stopped = old.stopped().is_some() || new.stopped().is_some();
        let gone = regions::gone(old, new, &regions);
        let machines = (old_side.machine != new_side.machine).then(|| old.other_machine(new));
        let work = old.other_work(new);
        let results = results::compared(old, new);
        let mut ends = Ends::of(old, new, &results);
        let memory = old.other_memory(new).filter(|_| ends.leaves_out_eax());
        let incomparable: Vec<String> = stopped.chain(gone).chain(machines).chain(work).chain(memory).collect();
        let without_text = without_text(old, new);
        let likeness = Common::of(old, new);
        let unrelated = likeness.unrelated(old, new);
        let (lines, paired_anywhere) = lines(old, new, &without_text, !unrelated && !likeness.is_other_code());
        let hottest = |run| if unrelated { hottest::lines(run) } else { Vec::new() };
        let mut comparison = Comparison {
            schema_version: 1,
            version: crate::document::P5INST,
            old: old_side,
            new: new_side,
            ok: limit.is_none() || incomparable.is_empty(),
            incomparable,
            stopped: any_stopped,
            unrelated,
            total,
            cold: Pair::of(old.cold(), new.cold(), None),
            both_wait: both_wait(old, new),
            regions,
            functions: functions(old, new),
            of_main: lines.iter().all(|line| pairs::is_main(old, new, &line.file)),
            same_results: false,
            lines,
            paired_anywhere,
            ends,
            hottest_old: hottest(old),
            hottest_new: hottest(new),
            results: results.differing,
            without_text: without_text.into_iter().map(str::to_owned).collect(),
            fail_over_millionths: limit,
        };
        comparison.ok &= !comparison.slower();
        comparison
    }

    /// Makes the comparison fail unless both runs came to their ends with the same results.
    #[must_use]
    pub fn with_same_results(mut self) -> Comparison {
        self.same_results = true;
        self.ok &= self.ends.same == Some(true);
        self
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

    /// Whether the programs share less than a quarter of the lines, as any two programs may.
    fn is_little(&self) -> bool {
        4 * self.common < self.shorter
    }

    /// Whether the programs have too little code in common for lines that look alike to correspond.
    fn is_other_code(&self) -> bool {
        self.is_little() && self.shorter >= TELLING
    }

    /// Whether the runs are probably of unrelated programs: these share little code, and neither their own name nor the
    /// name of a region.
    fn unrelated(&self, old: &SavedRun, new: &SavedRun) -> bool {
        let names =
            |run: &SavedRun| -> HashSet<String> { run.regions.iter().map(|region| region.name.clone()).collect() };
        old.program != new.program && self.is_little() && names(old).is_disjoint(&names(new))
    }
}

/// The cause of waiting that takes at least half of the clocks of each run, with its clocks in both.
fn both_wait(old: &SavedRun, new: &SavedRun) -> Option<ChangedCause> {
    let works = |cause: &str| [Cause::Issue, Cause::Execution].iter().any(|work| work.name() == cause);
    let most = |run: &SavedRun, clocks: u64| clocks > 0 && clocks.saturating_mul(2) >= run.total();
    let mut causes = old
        .causes()
        .filter(|&(cause, clocks)| !works(cause) && most(old, clocks));
    causes.find_map(|(cause, before)| {
        let after = new
            .causes()
            .find(|&(other, clocks)| other == cause && most(new, clocks))?
            .1;
        Some(ChangedCause::plain(cause.to_owned(), [before, after]))
    })
}

fn side(run: &SavedRun) -> Side {
    let failed = run.failed_budgets();
    Side {
        report: run.report.clone(),
        program: run.program.clone(),
        options: run.options.clone(),
        built: run.built,
        machine: run.machine(),
        failed_budgets: failed.len(),
        failed,
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests;
