//! The passes that are shown clock by clock: the traced pass of each region, or a run without regions.

use super::{Diagram, Group, groups};
use crate::phrases::{counted, lines_from};
use crate::printable::printable;
use p5_results::{Run, Trace};

pub(crate) struct Shown<'a> {
    /// The region's name and lines, or `last run`.
    pub(crate) name: String,
    pub(crate) trace: &'a Trace,
    /// The groups that issued, in order.
    pub(crate) groups: Vec<Group>,
    /// The reason why the trace has only the beginning, if so.
    pub(crate) cut: Option<String>,
}

impl Shown<'_> {
    /// The diagram of the pass; `None` if nothing was traced.
    pub(crate) fn diagram(&self, run: &Run) -> Option<Diagram> {
        Diagram::of_groups(run, self.trace, &self.groups)
    }
}

/// The traced passes of the regions, in source order, and the run if it was traced.
pub(crate) fn shown(run: &Run) -> Vec<Shown<'_>> {
    let regions = run.regions.iter().map(|region| {
        let lines = lines_from((region.start_line, region.end_line));
        let name = if region.name == format!("line {}", region.start_line) {
            lines
        } else {
            format!("{}, {lines}", printable(&region.name))
        };
        (name, &region.trace)
    });
    let whole = std::iter::once(("last run".to_owned(), &run.trace));
    let traced = regions.chain(whole).filter(|(_, trace)| !trace.issued.is_empty());
    traced
        .map(|(name, trace)| Shown {
            name,
            trace,
            groups: groups(run, trace),
            cut: cut(trace),
        })
        .collect()
}

fn cut(trace: &Trace) -> Option<String> {
    let first = counted(trace.issued.len() as u64, "instruction");
    match (trace.full, trace.cut, trace.from) {
        (true, _, 0) => Some(format!("only the first {first} were traced")),
        (true, _, from) => Some(format!("only {first} from clock {from} were traced")),
        (false, true, _) => Some(format!("the run stopped after {first}")),
        (false, false, _) => None,
    }
}
