//! The loops of a program over its whole run: for programs with functions, whose hot loops one diagram does not show.
//!
//! The instructions of a loop reach each other within its function. Its clocks are those of this code, with the loops
//! inside and without the functions that it calls; its rounds are the executions of its first instruction.

use super::diagram::{Extent, Site, extents};
use super::lines::{file_name, last_part};
use super::printable::printable;
use super::{Column, Detail, Style, heading, summary, table};
use p5_image::asked;
use p5_results::Run;
use std::cmp::Reverse;
use std::io::{self, Write};

/// The most loops of a short report.
const LISTED: usize = 6;
/// The part of the clocks from which a loop is listed there: one in so many.
const LARGE: u64 = 100;

/// A loop over the whole last run.
pub(crate) struct Repeated {
    /// The index of its first instruction.
    pub(crate) head: usize,
    /// Its instructions, and the jump that names it.
    extent: Extent,
    /// How often it was executed.
    pub(crate) rounds: u64,
    pub(crate) cycles: u64,
}

impl Repeated {
    /// Where it stands: the line that diagrams name it by.
    pub(crate) fn site(&self, run: &Run) -> Site {
        self.extent.site(run, self.head)
    }

    /// The bytes of its instructions.
    pub(crate) fn code_bytes(&self, run: &Run) -> u64 {
        let members = self.extent.members.iter();
        members.map(|&one| u64::from(run.instructions[one].length)).sum()
    }

    /// The mean clocks of a round.
    pub(crate) fn mean(&self) -> f64 {
        self.cycles as f64 / self.rounds.max(1) as f64
    }
}

/// The loops of code with source lines of a program of Linux, the most clocks first.
pub(crate) fn repeated(run: &Run) -> Vec<Repeated> {
    let loops = extents(run, |_| true).into_iter().map(|(head, extent)| Repeated {
        head,
        rounds: run.instructions[head].executions,
        cycles: extent.members.iter().map(|&one| run.instructions[one].cycles).sum(),
        extent,
    });
    let mut loops: Vec<Repeated> = loops.collect();
    loops.sort_by_key(|one| (Reverse(one.cycles), one.head));
    loops
}

/// The function that has the line of a loop, with the one that it was inlined into.
fn function(run: &Run, one: &Repeated, call: Option<u32>, short: bool) -> String {
    let named = |name: &str| match short {
        true => printable(&asked::brief(name)),
        false => printable(name),
    };
    let own = run.instructions[one.head]
        .function
        .and_then(|number| run.functions.get(number as usize));
    let own = own.map(|function| function.name.as_str());
    let inlined = call.and_then(|call| run.inlined.get(call as usize));
    match (inlined, own) {
        (Some(call), Some(own)) => format!(" in {}, inlined into {}", named(&call.name), named(own)),
        (Some(call), None) => format!(" in {}", named(&call.name)),
        (None, Some(own)) => format!(" in {}", named(own)),
        (None, None) => String::new(),
    }
}

/// Writes the table, if there are several loops.
pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let all = run.own.totals.cycles;
    let is_short = style.detail == Detail::Short;
    let mut loops = repeated(run);
    loops.retain(|one| !is_short || one.cycles.saturating_mul(LARGE) >= all);
    if loops.len() < 2 {
        return Ok(());
    }
    if is_short {
        loops.truncate(LISTED);
    }
    let row = |one: &Repeated| {
        let site = one.site(run);
        let place = site.place.and_then(|(file, line)| Some((file_name(run, file)?, line)));
        let place = place.map_or_else(String::new, |(file, line)| {
            format!("{}:{line}", printable(last_part(file)))
        });
        let function = function(run, one, site.call, is_short);
        vec![
            summary::percent(one.cycles, all),
            one.cycles.to_string(),
            one.rounds.to_string(),
            format!("{:.1}", one.mean()),
            format!("{place}{function}"),
        ]
    };
    let rows: Vec<Vec<String>> = loops.iter().map(row).collect();
    heading(style, "Loops, without what they call", out)?;
    let columns = [
        ("share", Column::Number),
        ("clocks", Column::Number),
        ("rounds", Column::Number),
        ("per\nround", Column::Number),
        ("loop", Column::Text),
    ];
    table(style, &columns, &rows, out)
}
