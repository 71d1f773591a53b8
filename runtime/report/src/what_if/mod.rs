//! `--what-if`: what a program would take on a chip without one of its costs, and on the other chips.
//!
//! Each variant is a whole run of its own, of which only the clocks are kept: those of the user's program, of each
//! region and of each source line. They are compared here and nowhere else, so that text and JSON agree. Savings do
//! not add up: a clock may be lost to two causes at once, or another cause takes over where one ends.

pub(crate) mod json;
mod text;

use super::header::{CLOCK_LIMIT, ended};
use super::json_text::write_json;
use super::{Format, Style, lines, summary};
use p5_chips::{Model, WhatIf};
use p5_results::{Run, StopReason};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What is asked of a variant.
#[derive(Clone, Copy, Debug)]
pub enum Variant {
    /// The chip under a supposition.
    Supposed(&'static WhatIf),
    /// Another chip.
    Chip(&'static Model),
}

impl Variant {
    /// Its name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Variant::Supposed(what) => what.name,
            Variant::Chip(model) => model.name,
        }
    }

    /// What is different in it.
    fn supposes(&self) -> &'static str {
        match self {
            Variant::Supposed(what) => what.supposes,
            Variant::Chip(model) => model.title,
        }
    }
}

/// Why there is no run of a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRun {
    /// The chip has nothing that the supposition changes.
    Unchanged,
    /// The source does not assemble for the other chip; the message of its first error.
    NotAssembled(String),
    /// The runs before it took the time.
    OutOfTime,
}

/// The place of a line: its file and number, and the address of an instruction that has none.
type Place = (String, u32, u32);

/// What is kept of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    cpu_title: &'static str,
    /// The clocks and instructions of the user's program in the last run.
    clocks: u64,
    instructions: u64,
    /// The clocks of each region, if it was passed: as its heading shows them.
    regions: Vec<Option<i64>>,
    /// The clocks of each line of the user's program, and its text.
    lines: BTreeMap<Place, (u64, String)>,
    reason: StopReason,
    code: Option<u32>,
    ended: String,
}

impl Outcome {
    /// What is kept of `run`.
    pub fn of(run: &Run) -> Outcome {
        let rows = lines::rows(run);
        let own = rows.iter().filter(|row| !row.library);
        Outcome {
            cpu_title: run.cpu_title,
            clocks: run.own.totals.cycles,
            instructions: run.own.totals.instructions,
            regions: run.regions.iter().map(|region| region_clocks(run, region)).collect(),
            lines: own
                .map(|row| {
                    let address = if row.line == 0 { row.address } else { 0 };
                    let place = (row.file.to_owned(), row.line, address);
                    (place, (row.sum.cycles, row.text.to_owned()))
                })
                .collect(),
            reason: run.stop.reason,
            code: run.stop.code,
            ended: ended(&run.stop, &run.files, CLOCK_LIMIT),
        }
    }
}

/// The clocks of a region as its heading shows them.
fn region_clocks(run: &Run, region: &p5_results::RegionResult) -> Option<i64> {
    let clocks = summary::region(run, region).clocks()?;
    Some(i64::try_from(clocks).unwrap_or(i64::MAX))
}

/// A run and its variants, to be compared.
#[derive(Debug)]
pub struct Comparison<'a> {
    run: &'a Run,
    base: Outcome,
    variants: Vec<Compared>,
    /// The text of lines that only a variant executed.
    others: BTreeMap<Place, String>,
}

/// A variant beside the run as it is.
#[derive(Debug)]
pub(crate) struct Compared {
    variant: Variant,
    /// The figures, or why there are none.
    figures: Result<Figures, Unknown>,
}

/// Why there are no figures of a variant.
#[derive(Debug)]
enum Unknown {
    /// There is no run.
    NotRun(NotRun),
    /// It ended in another way, in words.
    Ended(String),
    /// Both runs were stopped before their end.
    Unfinished,
}

impl Compared {
    /// Why there are no figures, in words.
    fn reason(&self, base: &Outcome) -> Option<String> {
        let why = self.figures.as_ref().err()?;
        Some(match (why, self.variant) {
            (Unknown::NotRun(NotRun::Unchanged), Variant::Supposed(what)) => {
                format!("the {} {}", base.cpu_title, what.nothing)
            }
            (Unknown::NotRun(NotRun::Unchanged), Variant::Chip(model)) => format!("it is the {}", model.title),
            (Unknown::NotRun(NotRun::NotAssembled(message)), _) => format!("not assembled: {message}"),
            (Unknown::NotRun(NotRun::OutOfTime), _) => "not run: no time was left of `--timeout`".to_owned(),
            (Unknown::Ended(ended), _) => ended.clone(),
            (Unknown::Unfinished, _) => {
                "both runs were stopped before their end, so their clocks are not of the same work".to_owned()
            }
        })
    }
}

/// The clocks of a variant and what it saves; negative savings are clocks that it adds.
#[derive(Debug)]
struct Figures {
    clocks: u64,
    instructions: u64,
    saved: i64,
    /// Of each region; none if it was not passed in both.
    regions: Vec<Option<i64>>,
    /// Of each line that was executed in one of the two.
    lines: BTreeMap<Place, i64>,
}

impl<'a> Comparison<'a> {
    /// Compares `run` with its variants.
    pub fn new(run: &'a Run, variants: Vec<(Variant, Result<Outcome, NotRun>)>) -> Comparison<'a> {
        let base = Outcome::of(run);
        let outcomes = variants.iter().filter_map(|(_, outcome)| outcome.as_ref().ok());
        let lines = outcomes.flat_map(|outcome| &outcome.lines);
        let others = lines.filter(|(place, _)| !base.lines.contains_key(place));
        let others = others.map(|(place, (_, text))| (place.clone(), text.clone())).collect();
        let compared = variants.into_iter().map(|(variant, outcome)| Compared {
            variant,
            figures: figures(run, &base, outcome),
        });
        Comparison {
            variants: compared.collect(),
            run,
            base,
            others,
        }
    }

    /// The clocks of a line as it is, and its text.
    fn line(&self, place: &Place) -> (u64, &str) {
        match self.base.lines.get(place) {
            Some((clocks, text)) => (*clocks, text),
            None => (0, self.others.get(place).map_or("", String::as_str)),
        }
    }

    /// The savings of the suppositions that another one combines, added up, and what they save together; nothing unless
    /// all are known.
    fn combined(&self) -> Option<Combined> {
        let saved = |name: &str| {
            let mut known = self.variants.iter();
            let one = known.find(|one| one.variant.name() == name)?;
            match (&one.figures, one.variant) {
                (Ok(figures), _) => Some(figures.saved),
                // What changes nothing saves nothing.
                (Err(Unknown::NotRun(NotRun::Unchanged)), Variant::Supposed(_)) => Some(0),
                _ => None,
            }
        };
        let together = self.variants.iter().find_map(|one| match one.variant {
            Variant::Supposed(what) if !what.combines.is_empty() => Some(what),
            _ => None,
        })?;
        let each: Option<Vec<i64>> = together.combines.iter().map(|name| saved(name)).collect();
        Some(Combined {
            names: together.combines,
            sum: each?.iter().sum(),
            name: together.name,
            saved: saved(together.name)?,
        })
    }

    /// The lines at which a variant differs, those with the greatest difference first.
    fn differing_lines(&self) -> Vec<&Place> {
        let known = || self.variants.iter().filter_map(|one| one.figures.as_ref().ok());
        let mut greatest: BTreeMap<&Place, u64> = BTreeMap::new();
        for (place, saved) in known().flat_map(|figures| &figures.lines) {
            let most = greatest.entry(place).or_default();
            *most = saved.unsigned_abs().max(*most);
        }
        let mut places: Vec<(&Place, u64)> = greatest.into_iter().filter(|&(_, most)| most > 0).collect();
        places.sort_by_key(|&(place, most)| (std::cmp::Reverse(most), place));
        places.into_iter().map(|(place, _)| place).collect()
    }
}

/// Savings added up, beside what the same suppositions save together.
#[derive(Debug)]
pub(crate) struct Combined {
    names: &'static [&'static str],
    sum: i64,
    name: &'static str,
    saved: i64,
}

fn figures(run: &Run, base: &Outcome, outcome: Result<Outcome, NotRun>) -> Result<Figures, Unknown> {
    let outcome = outcome.map_err(Unknown::NotRun)?;
    if (outcome.reason, outcome.code) != (base.reason, base.code) {
        return Err(Unknown::Ended(outcome.ended));
    }
    if matches!(base.reason, StopReason::Limit | StopReason::Timeout) {
        return Err(Unknown::Unfinished);
    }
    let difference = |before: u64, after: u64| (i128::from(before) - i128::from(after)) as i64;
    let places = base.lines.keys().chain(outcome.lines.keys());
    let clocks = |of: &Outcome, place: &Place| of.lines.get(place).map_or(0, |&(clocks, _)| clocks);
    Ok(Figures {
        clocks: outcome.clocks,
        instructions: outcome.instructions,
        saved: difference(base.clocks, outcome.clocks),
        regions: (0..run.regions.len())
            .map(|index| Some(base.regions[index]? - (*outcome.regions.get(index)?)?))
            .collect(),
        lines: places
            .map(|place| (place.clone(), difference(clocks(base, place), clocks(&outcome, place))))
            .collect(),
    })
}

/// Writes what the variants save.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write(format: Format, comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => write_json(&json::Report::of(comparison), out),
        Format::Text => text::write(comparison, style, out),
    }
}
