//! Published figures for real Pentiums, compared with the model: one table, one row per figure, and its runner.
//!
//! A *fragment* is placed in a loop between two NOTs, which take one clock and never pair, so that it starts in the U
//! pipe and nothing after it pairs with it; its figure is the clocks per iteration of that loop minus those of the loop
//! without it. A *loop* runs n and n + k times; its figure is the difference in clocks divided by k; the same holds for
//! a fragment that is *repeated*. A *routine* is an object of another project, which [`fetch`] makes; it is called for
//! n and for n + k units. Everything is warm: the third run counts, the data lines are read in advance, and no method
//! includes prologue or epilogue. A *program* leaves its figure in the symbol `_TSC`, and a *region* is one in a
//! program of this project.
//!
//! The table gives the origin of each figure. Most are entries of instruction tables, from which the model is made, and
//! expectations that follow from rules that the model applies as well. The strongest evidence are figures that authors
//! state for a sequence or routine.
//!
//! Excluded: pushes of words before a call, which are an example in 16-bit code.

mod claims;
mod fetch;
mod frame;
mod routines;
mod table;

pub use fetch::{fetch, folder};

use instrumenter::source::Binary;
use runtime::machine::Options;
use runtime::model::{self, Model};
use runtime::run::{Run, StopReason};
use std::io::{self, Write};
use std::path::Path;

/// A published figure, and the way to compute ours.
#[derive(Clone, Copy)]
pub struct Row {
    /// The name of the figure, unique in the table.
    pub id: &'static str,
    /// The code: instructions separated by ` / `, a program, or the call of a routine.
    text: &'static str,
    /// For a fragment: code that precedes it in the loop; the loop without the fragment has it as well.
    before: &'static str,
    method: Method,
    /// For a routine: the multiple of its usual units.
    scale: u32,
    cpl: u8,
    chip: &'static str,
    /// The assumptions, in the notation of `--assume`.
    assumed: &'static str,
    /// The published figure, in clocks or in clocks per unit.
    pub figure: f64,
    /// The allowed absolute difference between ours and the figure.
    pub tolerance: f64,
    kind: Kind,
    origin: Option<Origin>,
    source: &'static str,
    /// The suspected mechanism, if the difference is larger.
    pub missed: Option<&'static str>,
}

/// The certainty of a figure.
#[derive(Clone, Copy)]
enum Kind {
    /// The author measured it on silicon.
    Measured,
    /// The author derived it from the rules.
    Counted,
}

/// The origin of a figure, which decides how much an agreement shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The author states it for this sequence or routine, after measuring or counting: ours is a prediction.
    Stated,
    /// It follows from the rules of a manual for a sequence of ours; the model applies the same rules.
    Derived,
    /// It is the entry of an instruction in a table. The model is made from such tables, so it only reproduces it.
    Entry,
}

impl Origin {
    /// All origins, in the order of their numbers.
    pub const ALL: [Origin; 3] = [Origin::Stated, Origin::Derived, Origin::Entry];

    fn title(self) -> &'static str {
        match self {
            Origin::Stated => "Stated by their authors for a routine or sequence",
            Origin::Derived => "Worked out from the rules of a manual",
            Origin::Entry => "Entries of instruction tables, read back",
        }
    }
}

/// The way to compute our figure of a row.
#[derive(Clone, Copy)]
enum Method {
    Fragment,
    Repeated,
    Loop,
    Program,
    /// The clocks of the region of this name in a program of this project; the number is how many units it processes.
    Region(&'static str, f64),
    /// A routine of another project.
    Routine(&'static routines::Routine),
}

/// The title of the section whose figures cannot all be right, so that they count in no other tally.
pub const CONTRADICTING: &str = "Where sources contradict each other: clocks under each answer";

/// The sections, each with a title and its rows; the first one has figures that authors state for whole routines.
pub static SECTIONS: &[(&str, &[Row])] = &[
    ("GNU MP: clocks per limb", routines::LOOPS),
    ("OpenSSL: clocks per byte", routines::PROGRAMS),
    ("Word count of 1996: clocks per byte", claims::WORD_COUNT),
    ("Sequences whose clocks an author measured or counted", table::STATED),
    ("Sequences whose clocks follow from a manual's rules", table::DERIVED),
    ("Entries of instruction tables, read back", table::ENTRIES),
    (CONTRADICTING, claims::CONTRADICTIONS),
];

/// A smaller absolute difference is the result of a division.
const EXACT: f64 = 0.0005;
/// The relative difference up to which a figure counts as close.
const CLOSE: f64 = 0.03;

/// The result of measuring a row.
pub enum Outcome {
    /// Our figure, in the unit of the published one.
    Ours(f64),
    /// The name of the object that is missing.
    NotFetched(&'static str),
}

/// Counts of how near some rows are to their figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// The number of measured rows.
    pub measured: usize,
    /// The number of measured rows whose figure comes out exactly.
    pub exact: usize,
    /// The number of measured rows that are at most 3 % from their figure.
    pub close: usize,
    /// The number of rows without their object.
    pub skipped: usize,
    error: f64,
}

impl Tally {
    /// The mean absolute difference over the measured rows; NaN if there are none.
    pub fn mean(&self) -> f64 {
        self.error / self.measured as f64
    }

    /// Adds a row with the published figure `figure` and ours.
    fn add(&mut self, figure: f64, ours: f64) {
        let difference = (ours - figure).abs();
        self.measured += 1;
        self.exact += usize::from(difference < EXACT);
        self.close += usize::from(difference <= (CLOSE * figure.abs()).max(EXACT));
        self.error += difference;
    }
}

/// The tallies of all rows, and the rows that missed their figure.
#[derive(Default)]
pub struct Summary {
    /// The tally of all rows except those of [`CONTRADICTING`].
    pub all: Tally,
    /// The tallies by origin, in the order of [`Origin::ALL`].
    pub by_origin: [Tally; 3],
    /// The tallies by section, with their titles.
    pub sections: Vec<(&'static str, Tally)>,
    /// The rows that differ by more than allowed, without a known mechanism.
    pub wrong: Vec<String>,
}

/// Measures the rows whose names begin with `wanted`, with the objects in `folder`. Prints figure, ours and difference
/// of each, the claims that hold, and the tallies by origin.
///
/// # Errors
/// Those of `out`.
pub fn print(folder: &Path, wanted: &str, out: &mut dyn Write) -> io::Result<Summary> {
    let mut whole = Summary::default();
    for (title, rows) in SECTIONS {
        if !rows.iter().any(|row| row.id.starts_with(wanted)) {
            continue;
        }
        writeln!(out, "{title}")?;
        writeln!(
            out,
            "{:<24} {:>8} {:>8} {:>10}  kind and source",
            "row", "figure", "ours", "difference"
        )?;
        whole.sections.push((*title, Tally::default()));
        for row in rows.iter().filter(|row| row.id.starts_with(wanted)) {
            print_row(row, folder, &mut whole, out)?;
        }
        if let Some((_, tally)) = whole.sections.last() {
            print_mean(tally, out)?;
        }
        writeln!(out)?;
    }
    print_claims(wanted, &mut whole, out)?;
    for (origin, tally) in Origin::ALL.iter().zip(&whole.by_origin) {
        writeln!(out, "\n{}:", origin.title())?;
        print_mean(tally, out)?;
    }
    writeln!(out, "\nAll rows but those of sources that contradict each other:")?;
    print_mean(&whole.all, out)?;
    Ok(whole)
}

fn print_claims(wanted: &str, summary: &mut Summary, out: &mut dyn Write) -> io::Result<()> {
    let claims = claims::CLAIMS.iter().filter(|claim| claim.id.starts_with(wanted));
    for (index, claim) in claims.enumerate() {
        if index == 0 {
            writeln!(out, "Claims")?;
        }
        let (word, found) = match (claim.check)() {
            Ok(found) => ("holds", found),
            Err(found) => {
                summary.wrong.push(format!("{}: {found}", claim.id));
                ("FAILS", found)
            }
        };
        writeln!(out, "{:<6} {}\n       {word}: {found}", claim.id, claim.text)?;
    }
    Ok(())
}

fn print_row(row: &Row, folder: &Path, summary: &mut Summary, out: &mut dyn Write) -> io::Result<()> {
    let kind = match row.kind {
        Kind::Measured => 'M',
        Kind::Counted => 'C',
    };
    let ours = match measure(row, folder) {
        Outcome::Ours(ours) => ours,
        Outcome::NotFetched(object) => {
            summary.each(row.origin()).for_each(|tally| tally.skipped += 1);
            return writeln!(
                out,
                "{:<24} {:>8} {:>8} {:>10}  {kind} {}",
                row.id,
                row.figure,
                "SKIPPED",
                "",
                format_args!("no {object}: run with --fetch")
            );
        }
    };
    let difference = ours - row.figure;
    writeln!(
        out,
        "{:<24} {:>8} {:>8} {:>10}  {kind} {}",
        row.id,
        row.figure,
        rounded(ours),
        rounded(difference),
        row.source
    )?;
    summary.each(row.origin()).for_each(|tally| tally.add(row.figure, ours));
    match row.missed {
        Some(why) if difference.abs() > row.tolerance => writeln!(out, "    missed: {why}")?,
        None if difference.abs() > row.tolerance => {
            summary
                .wrong
                .push(format!("{}: {ours} instead of {}", row.id, row.figure));
        }
        Some(_) => summary
            .wrong
            .push(format!("{}: {ours} is right now; its note is out of date", row.id)),
        None => {}
    }
    Ok(())
}

impl Summary {
    /// The tallies to which a row of the last section belongs.
    fn each(&mut self, origin: Origin) -> impl Iterator<Item = &mut Tally> {
        let last = self.sections.last_mut();
        let others = last.as_ref().is_some_and(|(title, _)| *title != CONTRADICTING);
        let others = others.then_some([&mut self.all, &mut self.by_origin[origin as usize]]);
        last.map(|(_, tally)| tally)
            .into_iter()
            .chain(others.into_iter().flatten())
    }
}

fn print_mean(summary: &Tally, out: &mut dyn Write) -> io::Result<()> {
    if summary.measured > 0 {
        writeln!(
            out,
            "mean absolute difference over {} rows: {:.4}; {} exact, {} within 3 %",
            summary.measured,
            summary.mean(),
            summary.exact,
            summary.close
        )?;
    }
    if summary.skipped > 0 {
        writeln!(out, "SKIPPED {} rows, whose objects were not fetched", summary.skipped)?;
    }
    Ok(())
}

/// Rounds to three decimals.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// Our figure of a row.
///
/// # Panics
/// If the program has errors or does not end by itself.
pub fn measure(row: &Row, folder: &Path) -> Outcome {
    Outcome::Ours(match row.method {
        Method::Program => {
            let run = warm(row, row.text, &[]);
            value_of(&run, "_TSC") as u32 as i32 as f64
        }
        Method::Fragment => {
            let with = difference(row, |n| frame::fragment_loop(row.before, row.text, n));
            let without = difference(row, |n| frame::fragment_loop(row.before, "", n));
            with - without
        }
        Method::Repeated => {
            const FEW: usize = 4;
            const MORE: usize = 8;
            let of = |times| {
                let text = vec![row.text; times].join(" / ");
                difference(row, |n| frame::fragment_loop(row.before, &text, n))
            };
            (of(FEW + MORE) - of(FEW)) / MORE as f64
        }
        Method::Loop => difference(row, |n| frame::counted_loop(row.text, n)),
        Method::Region(name, units) => {
            let run = warm(row, row.text, &[]);
            let region = run.regions.iter().find(|region| region.name == name);
            let region = region.unwrap_or_else(|| panic!("{}: no region {name}", row.id));
            let pass = region.passes.last().expect("it was entered");
            pass.cycles as f64 / units
        }
        Method::Routine(routine) => match routine.object(folder) {
            Some(object) => routine.per_unit(row.scale, |n| {
                clocks(&warm(row, &routine.program(n), std::slice::from_ref(&object)))
            }),
            None => return Outcome::NotFetched(routine.object),
        },
    })
}

/// The additional clocks of a loop for `MORE` more iterations.
fn difference(row: &Row, program: impl Fn(u32) -> String) -> f64 {
    const FEW: u32 = 100;
    const MORE: u32 = 400;
    let of = |iterations| clocks(&warm(row, &program(iterations), &[]));
    (of(FEW + MORE) - of(FEW)) / f64::from(MORE)
}

fn clocks(run: &Run) -> f64 {
    run.whole.totals.cycles as f64
}

fn value_of(run: &Run, name: &str) -> u64 {
    crate::value(run, name).unwrap_or_else(|| panic!("the program has no `{name}`"))
}

/// The third run of a program, which is warm.
fn warm(row: &Row, text: &str, objects: &[Binary]) -> Run {
    let options = Options {
        cpl: row.cpl,
        runs: 3,
        ..Options::default()
    };
    let run =
        crate::run_with(row.id, text, objects, row.model(), &options).unwrap_or_else(|why| panic!("{}: {why}", row.id));
    assert_eq!(
        run.stop.reason,
        StopReason::Return,
        "{}: {:?}\n{text}",
        row.id,
        run.stop
    );
    run
}

const fn row(method: Method, id: &'static str, text: &'static str, figure: f64, source: &'static str) -> Row {
    Row {
        id,
        text,
        before: "",
        method,
        scale: 1,
        cpl: 0,
        chip: "",
        assumed: "",
        figure,
        tolerance: 0.0,
        kind: Kind::Counted,
        origin: None,
        source,
        missed: None,
    }
}

/// Gives all of `rows` this origin.
const fn of<const ROWS: usize>(origin: Origin, mut rows: [Row; ROWS]) -> [Row; ROWS] {
    let mut index = 0;
    while index < ROWS {
        rows[index].origin = Some(origin);
        index += 1;
    }
    rows
}

const fn fragment(id: &'static str, text: &'static str, figure: f64, source: &'static str) -> Row {
    row(Method::Fragment, id, text, figure, source)
}

const fn looped(id: &'static str, text: &'static str, figure: f64, source: &'static str) -> Row {
    row(Method::Loop, id, text, figure, source)
}

const fn program(id: &'static str, text: &'static str, cpl: u8, figure: f64, source: &'static str) -> Row {
    Row {
        cpl,
        kind: Kind::Measured,
        ..row(Method::Program, id, text, figure, source)
    }
}

impl Row {
    const fn after(self, before: &'static str) -> Row {
        Row { before, ..self }
    }

    const fn measured(self) -> Row {
        Row {
            kind: Kind::Measured,
            ..self
        }
    }

    const fn from(self, origin: Origin) -> Row {
        Row {
            origin: Some(origin),
            ..self
        }
    }

    /// The origin of the figure.
    ///
    /// # Panics
    /// If the row has no origin.
    pub fn origin(&self) -> Origin {
        self.origin
            .unwrap_or_else(|| panic!("{}: say where the figure comes from", self.id))
    }

    const fn at_cpl(self, cpl: u8) -> Row {
        Row { cpl, ..self }
    }

    const fn on(self, chip: &'static str) -> Row {
        Row { chip, ..self }
    }

    const fn assuming(self, assumed: &'static str) -> Row {
        Row { assumed, ..self }
    }

    const fn within(self, tolerance: f64) -> Row {
        Row { tolerance, ..self }
    }

    const fn missed(self, why: &'static str) -> Row {
        Row {
            missed: Some(why),
            ..self
        }
    }

    /// The chip under the row's assumptions.
    fn model(&self) -> &'static Model {
        let chip = match self.chip {
            "" => crate::chip(),
            name => model::by_name(name).expect("a chip of the list"),
        };
        match self.assumed {
            "" => chip,
            text => chip.assuming(&[model::choice(text).expect("an assumption of the list")]),
        }
    }
}
