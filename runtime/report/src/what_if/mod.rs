//! `--what-if`: the clocks of a program on a chip without one of its costs, and on the other chips.
//!
//! Each variant is a separate run, of which only the clocks are kept: those of the user's program, of each region and
//! of each source line. Only this module compares them, so that text and JSON agree. Savings do not add up: a clock may
//! be lost to two causes at once, or another cause may take over where one ends.

pub(crate) mod json;
mod text;

use super::ending::{CLOCK_LIMIT, ended};
use super::json_text::write_json;
use super::{Format, Style, lines, summary, wording};
use p5_chips::{Model, WhatIf};
use p5_results::{Note, Run, StopReason};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A variant of the run.
#[derive(Clone, Copy, Debug)]
pub enum Variant {
    /// The same chip under a supposition.
    Supposed(&'static WhatIf),
    /// Another chip of the model.
    Chip(&'static Model),
}

impl Variant {
    /// The name of the variant in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Variant::Supposed(what) => what.name,
            Variant::Chip(model) => model.name,
        }
    }

    /// The difference from the run as it is.
    fn supposes(&self) -> &'static str {
        match self {
            Variant::Supposed(what) => what.supposes,
            Variant::Chip(model) => model.title,
        }
    }
}

/// The reason why a variant has no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRun {
    /// The chip has nothing that the supposition would change.
    Unchanged,
    /// The source does not assemble for the other chip. Holds the message of the first error.
    NotAssembled(String),
    /// Earlier runs used up the time.
    OutOfTime,
}

/// The place of a line: its file, its number, and the address of an instruction without a line.
type Place = (String, u32, u32);

/// Whether it is an instruction without a line, as code of a library.
fn is_foreign(place: &Place) -> bool {
    place.1 == 0
}

/// The kept figures of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    cpu_title: &'static str,
    clocks: u64,
    instructions: u64,
    /// The clocks of each region as its heading shows them; `None` if it was not passed.
    regions: Vec<Option<i64>>,
    /// The clocks and the text of each line of the user's program.
    lines: BTreeMap<Place, (u64, String)>,
    reason: StopReason,
    code: Option<u32>,
    ended: String,
}

impl Outcome {
    /// The figures of `run` that a comparison needs.
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

fn region_clocks(run: &Run, region: &p5_results::RegionResult) -> Option<i64> {
    let clocks = summary::region(run, region).clocks()?;
    Some(i64::try_from(clocks).unwrap_or(i64::MAX))
}

/// A run and its variants.
#[derive(Debug)]
pub struct Comparison<'a> {
    run: &'a Run,
    base: Outcome,
    variants: Vec<Compared>,
    /// The text of lines that only a variant executed.
    others: BTreeMap<Place, String>,
}

#[derive(Debug)]
pub(crate) struct Compared {
    variant: Variant,
    /// The figures, or the reason why there are none.
    figures: Result<Figures, Unknown>,
}

/// The reason why a variant has no figures.
#[derive(Debug)]
enum Unknown {
    /// The variant has no run.
    NotRun(NotRun),
    /// The variant ended in another way, in words.
    Ended(String),
    /// Both runs were stopped before their end.
    Unfinished,
}

impl Compared {
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

/// The clocks of a variant and its savings; negative savings are additional clocks.
#[derive(Debug)]
struct Figures {
    clocks: u64,
    instructions: u64,
    saved: i64,
    /// The savings of each region; `None` if it was not passed in both runs.
    regions: Vec<Option<i64>>,
    /// The savings of each line that was executed in one of the runs.
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

    /// Whether the program changes code that it executes, of whose time chips differ most.
    fn changes_code(&self) -> bool {
        self.run.notes.iter().any(|note| matches!(note, Note::ChangedCode))
    }

    /// What is to be known of all figures, each a sentence without a full stop.
    fn doubts(&self) -> Vec<String> {
        let changed = self.run.notes.iter().filter(|note| matches!(note, Note::ChangedCode));
        changed.map(wording::note).collect()
    }

    /// The clocks of a line in the run as it is, and its text.
    fn line(&self, place: &Place) -> (u64, &str) {
        match self.base.lines.get(place) {
            Some((clocks, text)) => (*clocks, text),
            None => (0, self.others.get(place).map_or("", String::as_str)),
        }
    }

    /// The sum of the savings of the suppositions that another one combines, and their joint saving; `None` unless all
    /// are known.
    fn combined(&self) -> Option<Combined> {
        let saved = |name: &str| {
            let mut known = self.variants.iter();
            let one = known.find(|one| one.variant.name() == name)?;
            match (&one.figures, one.variant) {
                (Ok(figures), _) => Some(figures.saved),
                // A supposition that changes nothing saves nothing.
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

    /// The lines whose clocks differ in a variant: those of the program's sources first, then instructions without a
    /// line; each by what all suppositions together save, then by its largest difference, which stands beside it.
    fn differing_lines(&self) -> Vec<(&Place, u64)> {
        let known = || self.variants.iter().filter_map(|one| one.figures.as_ref().ok());
        let mut greatest: BTreeMap<&Place, u64> = BTreeMap::new();
        for (place, saved) in known().flat_map(|figures| &figures.lines) {
            let most = greatest.entry(place).or_default();
            *most = saved.unsigned_abs().max(*most);
        }
        let together = self.variants.iter().find_map(|one| match one.variant {
            Variant::Supposed(what) if !what.combines.is_empty() => one.figures.as_ref().ok(),
            _ => None,
        });
        let saved = |place: &Place| together.and_then(|figures| figures.lines.get(place)).copied();
        let mut places: Vec<(&Place, u64)> = greatest.into_iter().filter(|&(_, most)| most > 0).collect();
        places.sort_by_key(|&(place, most)| {
            (
                is_foreign(place),
                Reverse(saved(place).unwrap_or(0)),
                Reverse(most),
                place,
            )
        });
        places
    }
}

/// The sum of the savings of suppositions, and their joint saving.
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

/// Writes the savings of the variants.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write(format: Format, comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match format {
        Format::Json => write_json(&json::Report::of(comparison), out),
        Format::Text => text::write(comparison, style, out),
    }
}
