//! P5Stat: one execution that warms the caches, and one for every two events.
//!
//! Source: Mathisen, Pentium Secrets (BYTE, July 1994): 20 executions, the list of 38 events.

use super::{Program, Subject, Uncounted, execute, usual};
use crate::{Machine, Options, Progress};
use asm_macros::events::{Event, Unit};
use p5_chips::Selection;
use p5_results::{EventCount, StopReason};
use std::ops::RangeInclusive;

/// The selectors of Mathisen's list.
pub const LISTED: [RangeInclusive<u8>; 3] = [0x00..=0x0F, 0x12..=0x1F, 0x22..=0x29];

/// The result of P5Stat: a count for each event.
#[derive(Clone, Debug)]
pub struct Stat {
    /// The program and its machine.
    pub subject: Subject,
    /// The clocks of each execution, except one that the time limit cut off. The first execution warms the caches and
    /// counts nothing.
    pub clocks: Vec<u64>,
    /// The events, in the order in which they were counted.
    pub lines: Vec<Line>,
}

/// An event with its count in one execution and its count with all events at once.
#[derive(Clone, Debug)]
pub struct Line {
    /// The event and its selector.
    pub selection: Selection,
    /// The number of the execution that counted it, from 1.
    pub execution: u32,
    /// The value of the counter after the execution, or the reason why there is no count.
    pub count: Result<u64, Uncounted>,
    /// The count in the last execution, which counts all events at once; none if this machine does not raise the
    /// event.
    pub at_once: Option<u64>,
    /// The reason why the two counts differ, if they do.
    pub difference: Option<Difference>,
}

/// The reason why a count of two events at a time differs from one of all at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// The two executions have different numbers of instructions: the program reads the time, or data that outlasts an
    /// execution.
    Path,
    /// The limit of clocks ended the two executions at different instructions.
    Cut,
    /// They execute the same instructions, but caches and predictions still change.
    NotSettled,
    /// They execute the same instructions, but another bus master accesses other lines in each.
    BusMaster,
    /// The counter's value differs from the event's count in its execution.
    Miscounted,
}

/// Counts the events of Mathisen's list, or `all` of the chip, two in each execution.
pub fn stat(program: &Program<'_>, options: &Options, all: bool, progress: &mut dyn FnMut(Progress)) -> Stat {
    let pairs = pairs(&selected(program, all));
    let options = Options {
        runs: 1 + pairs.len() as u32,
        ..options.clone()
    };
    let mut machine = Machine::new(program.model, program.image, options.clone());
    let warming = execute(&mut machine, [0; 2], progress);
    let (mut stop, mut clocks) = (warming.stop, warming.clocks.into_iter().collect::<Vec<u64>>());
    let mut last = (machine.events(), stop.reason);
    let mut counted = Vec::new();
    for pair in &pairs {
        if stop.reason == StopReason::Timeout {
            break;
        }
        let halves = pair.map(|selection| selection.map_or(0, usual));
        let execution = execute(&mut machine, halves, progress);
        stop = execution.stop;
        let own = machine.events();
        if stop.reason != StopReason::Timeout {
            last = (own.clone(), stop.reason);
        }
        clocks.extend(execution.clocks);
        counted.push((execution.counts, (own, stop.reason)));
    }
    let mut lines = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        let counted = counted.get(index);
        for (counter, selection) in pair.iter().enumerate() {
            let Some(selection) = *selection else { continue };
            lines.push(line(program, selection, counter, index as u32 + 2, counted, &last));
        }
    }
    Stat {
        subject: Subject::new(program, &options, &stop),
        clocks,
        lines,
    }
}

fn selected(program: &Program<'_>, all: bool) -> Vec<Selection> {
    let selections = program.model.events.selections();
    let listed = |selection: &Selection| LISTED.iter().any(|range| range.contains(&selection.selector));
    selections.filter(|selection| all || listed(selection)).collect()
}

/// The pairs of events that are counted together, by counter.
fn pairs(selections: &[Selection]) -> Vec<[Option<Selection>; 2]> {
    let mut pairs: Vec<[Option<Selection>; 2]> = Vec::new();
    for &selection in selections {
        let counter = selection.counter.map(usize::from);
        match pairs.last_mut() {
            Some(pair) if pair[counter.unwrap_or(1)].is_none() => pair[counter.unwrap_or(1)] = Some(selection),
            _ => {
                let mut pair = [None; 2];
                pair[counter.unwrap_or(0)] = Some(selection);
                pairs.push(pair);
            }
        }
    }
    pairs
}

/// The event counts of an execution, and the reason for its end.
type Happened = (Vec<EventCount>, StopReason);
/// The values of the counters after an execution, and the execution's event counts.
type Counted = (Result<[u64; 2], Uncounted>, Happened);

/// The line of an event that `counter` counted.
fn line(
    program: &Program<'_>,
    selection: Selection,
    counter: usize,
    execution: u32,
    counted: Option<&Counted>,
    last: &Happened,
) -> Line {
    let unavailable = program.model.events.why_unavailable(selection.event);
    let count = match (unavailable, counted) {
        (Some(reason), _) => Err(Uncounted::Unavailable(reason)),
        (None, None) => Err(Uncounted::OutOfTime),
        (None, Some((values, _))) => values.map(|values| values[counter]),
    };
    let at_once = of(&last.0, selection.event).filter(|_| unavailable.is_none());
    let difference = match (count, at_once, counted) {
        (Ok(count), Some(at_once), Some((_, own))) => {
            let difference = difference(count, at_once, own, last, selection.event);
            difference.map(|why| match why {
                Difference::NotSettled if program.model.bus_master().is_some() => Difference::BusMaster,
                why => why,
            })
        }
        _ => None,
    };
    Line {
        selection,
        execution,
        count,
        at_once,
        difference,
    }
}

/// The reason why `count`, made while `own` happened, differs from `at_once`, the count in `last`.
fn difference(
    count: u64,
    at_once: u64,
    (own, own_end): &Happened,
    (last, last_end): &Happened,
    event: Event,
) -> Option<Difference> {
    let instructions = |counts: &[EventCount]| of(counts, Event::INSTRUCTIONS_EXECUTED);
    let cut = [own_end, last_end].contains(&&StopReason::Limit);
    if of(own, event) != Some(count) {
        Some(Difference::Miscounted)
    } else if count == at_once {
        None
    } else if instructions(own) != instructions(last) {
        Some(if cut { Difference::Cut } else { Difference::Path })
    } else {
        Some(Difference::NotSettled)
    }
}

/// The count of an event in its own unit.
fn of(counts: &[EventCount], event: Event) -> Option<u64> {
    let count = counts.iter().find(|count| count.event == event)?;
    Some(match event.row().unit {
        Unit::Occurrence => count.occurrences,
        Unit::Duration => count.clocks,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::MODELS;

    #[test]
    fn the_list_takes_nineteen_pairs_and_every_event_is_on_a_counter_that_has_it() {
        for model in MODELS.iter().filter(|model| model.events.selections().next().is_some()) {
            let image = p5_image::Image::default();
            let program = Program {
                name: "pairs",
                image: &image,
                model,
            };
            let listed = selected(&program, false);
            assert_eq!((listed.len(), pairs(&listed).len()), (38, 19), "{}", model.name);
            let all = selected(&program, true);
            assert_eq!(all.len(), model.events.selections().count());
            for pair in pairs(&all) {
                for (counter, selection) in pair.iter().enumerate() {
                    let Some(selection) = selection else { continue };
                    assert_eq!(
                        model.events.event(counter, selection.selector),
                        Some(selection.event),
                        "{selection:?}"
                    );
                }
            }
        }
    }
}
