//! A run of a sweep, reduced to the contents of its row as soon as it has ended.

use crate::ending::{CLOCK_LIMIT, ended};
use crate::{budgets, fragment, summary};
use asm_macros::events::{Event, Unit};
use p5_image::RegionKind;
use p5_results::{Cause, Note, Part, RegionResult, Run};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The status of a program that the assembler rejected.
pub(super) const NOT_ASSEMBLED: &str = "not assembled";

/// The figures of a run, without the options of the run.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The name of the ending, as [`StopReason::name`](p5_results::StopReason::name) gives it, or `not assembled`.
    pub(super) status: String,
    /// The reason of a stop, or the error in the source.
    pub(super) message: Option<String>,
    /// The figures, unless the run was stopped.
    pub(super) figures: Option<Figures>,
    /// The regions in source order; those of a stopped run have no figures.
    pub(super) regions: Vec<Region>,
    /// The count of each event of the sweep, or its clocks; `None` if the chip does not count it.
    pub(super) events: Vec<Option<u64>>,
    /// The budgets that do not hold; `None` if the source has none, or the run was stopped.
    pub(super) budgets: Option<Failed>,
    /// The open questions that the run touches, unless their answers are chosen.
    pub(super) open_questions: Vec<String>,
    /// What is assumed of a fragment, in words.
    #[serde(default)]
    pub(super) assumed: Option<String>,
    /// The rows of the timing table that it uses and whose clocks are in doubt, without those that only the library
    /// uses.
    #[serde(default)]
    pub(super) doubted: Vec<String>,
    /// Whether the user's instructions of a measured region waited for memory, for which its macros may be the reason.
    #[serde(default)]
    pub(super) region_misses: bool,
}

/// The doubted rows of the timing table that the user's code uses.
fn doubted(run: &Run) -> Vec<String> {
    let forms = run.notes.iter().filter_map(|note| match note {
        Note::DoubtedTiming {
            forms, library: false, ..
        } => Some(forms),
        _ => None,
    });
    forms.flatten().map(|&form| form.to_owned()).collect()
}

/// Whether the user's instructions of a measured region waited for memory.
fn region_misses(run: &Run) -> bool {
    let regions = run.regions.iter().filter(|region| region.kind == RegionKind::Tsc);
    let waits = |cause: Cause| matches!(cause, Cause::DataReadMiss | Cause::WriteBufferFull | Cause::CodeMiss);
    let waited = |region: &RegionResult| {
        let lines = region.start_line..=region.end_line;
        let own = run.instructions.iter().filter(|row| !row.library);
        let mut own = own.filter(|row| {
            row.outermost
                .is_some_and(|(file, line)| file == region.file && lines.contains(&line))
        });
        own.any(|row| row.causes.iter().any(|part| waits(part.cause)))
    };
    regions.into_iter().any(waited)
}

/// The budgets of a run that do not hold.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Failed {
    /// Their number; 0 if all hold.
    pub(super) count: u64,
    /// The first of them, in words, with its place.
    pub(super) first: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Figures {
    pub(super) cycles: u64,
    pub(super) cold_cycles: u64,
    pub(super) instructions: u64,
    /// The instructions in V, which is the number of pairs.
    pub(super) pairs: u64,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub(super) struct Region {
    pub(super) name: String,
    pub(super) cycles: Option<u64>,
    pub(super) cold_cycles: Option<u64>,
    /// The number of passes in all runs.
    pub(super) passes: Option<u64>,
}

impl Region {
    fn without_figures(name: &str) -> Region {
        Region {
            name: name.to_owned(),
            cycles: None,
            cold_cycles: None,
            passes: None,
        }
    }
}

impl Row {
    /// Reduces a run to its row. `events` are those of the sweep.
    pub fn of(run: &Run, events: &[Event]) -> Row {
        let succeeds = run.stop.reason.succeeds();
        let first = run.runs.first();
        let names = unique(run.regions.iter().map(|region| &*region.name));
        let regions = names.into_iter().zip(&run.regions).map(|(name, region)| {
            let summary = summary::region(run, region);
            Region {
                name,
                cycles: summary.warm_clocks().filter(|_| succeeds),
                cold_cycles: summary.cold.map(|pass| pass.cycles).filter(|_| succeeds),
                passes: succeeds.then_some(region.pass_count),
            }
        });
        let answers = &run.answers;
        let open = answers.touched.iter().filter(|name| !answers.chosen.contains(name));
        Row {
            status: run.stop.reason.name().to_owned(),
            message: (!succeeds).then(|| ended(&run.stop, &run.files, CLOCK_LIMIT)),
            figures: first.filter(|_| succeeds).map(|first| Figures {
                cycles: run.own.totals.cycles,
                cold_cycles: first.own.cycles,
                instructions: run.own.totals.instructions,
                pairs: run.own.totals.v,
            }),
            regions: regions.collect(),
            events: events
                .iter()
                .map(|&event| counted(&run.own, event).filter(|_| succeeds))
                .collect(),
            budgets: Failed::of(run).filter(|_| succeeds),
            open_questions: open.map(|&name| name.to_owned()).collect(),
            assumed: fragment::words(run.fragment.as_deref()),
            doubted: doubted(run),
            region_misses: region_misses(run),
        }
    }

    /// The row of a program that the assembler rejected, with its message.
    pub fn not_assembled(message: String, events: &[Event]) -> Row {
        Row {
            status: NOT_ASSEMBLED.to_owned(),
            message: Some(message),
            figures: None,
            regions: Vec::new(),
            events: vec![None; events.len()],
            budgets: None,
            open_questions: Vec::new(),
            assumed: None,
            doubted: Vec::new(),
            region_misses: false,
        }
    }

    /// Whether no budget of the run fails.
    pub fn keeps_budgets(&self) -> bool {
        self.budgets.as_ref().is_none_or(|failed| failed.count == 0)
    }

    /// Whether the source could be assembled.
    pub fn is_assembled(&self) -> bool {
        self.status != NOT_ASSEMBLED
    }

    /// Whether the program ended by itself.
    pub fn has_ended(&self) -> bool {
        self.figures.is_some()
    }

    /// Moves each region to its position in `regions`, and puts one without figures where the row lacks a region.
    pub(super) fn align(&mut self, regions: &[String], places: &HashMap<&str, usize>) {
        let mut aligned: Vec<Region> = regions.iter().map(|name| Region::without_figures(name)).collect();
        for region in self.regions.drain(..) {
            if let Some(&place) = places.get(&*region.name) {
                aligned[place] = region;
            }
        }
        self.regions = aligned;
    }

    /// The names of the row's regions, each once.
    pub fn regions(&self) -> impl Iterator<Item = &str> {
        self.regions.iter().map(|region| &*region.name)
    }
}

impl Failed {
    /// The budgets of a run; `None` if it has none.
    fn of(run: &Run) -> Option<Failed> {
        if run.budgets.is_empty() {
            return None;
        }
        let failed = budgets::failed_budgets(run);
        let first = failed.first().map(|failed| {
            let file = run.files.get(failed.budget.file as usize);
            let name = file.map_or("", |file| &file.name);
            format!("{} ({}:{})", failed.message, name, failed.budget.line)
        });
        Some(Failed {
            count: failed.len() as u64,
            first,
        })
    }
}

/// The count of an event in the user's program, or its clocks if it lasts; `None` if the chip does not count it.
fn counted(part: &Part, event: Event) -> Option<u64> {
    let count = part.events.iter().find(|count| count.event == event)?;
    let figure = match event.row().unit {
        Unit::Occurrence => count.occurrences,
        Unit::Duration => count.clocks,
    };
    count.unavailable.is_none().then_some(figure)
}

/// The names of regions as column names: the second of several equal ones is `NAME (2)`.
pub fn unique<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut made: HashSet<String> = HashSet::new();
    // The number for the next region of each name, unless another region has that name already.
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let unique = names.map(|name| {
        let mut candidate = name.to_owned();
        let number = numbers.entry(name).or_insert(2);
        while !made.insert(candidate.clone()) {
            candidate = format!("{name} ({number})");
            *number += 1;
        }
        candidate
    });
    unique.collect()
}

#[cfg(test)]
mod tests {
    use super::unique;

    #[test]
    fn each_name_is_there_once_also_beside_names_with_numbers() {
        let names = ["a", "a", "a (2)", "b", "a", "a (2)"];
        let made = ["a", "a (2)", "a (2) (2)", "b", "a (3)", "a (2) (3)"];
        assert_eq!(unique(names.into_iter()), made);
        let names = ["a (2)", "a", "a"];
        assert_eq!(unique(names.into_iter()), ["a (2)", "a", "a (3)"]);
        // If each number were compared with all names, this would take minutes.
        let many = unique(std::iter::repeat_n("a", 30_000));
        assert_eq!(many.last().map(String::as_str), Some("a (30000)"));
    }
}
