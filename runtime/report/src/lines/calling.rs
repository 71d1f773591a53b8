//! The lines of a Linux program that call, with the clocks of what they call until it returns: where a program that
//! uses libraries spends its time by what its author can change.

use super::callers::clocks_of_calls;
use super::chains::Chains;
use super::stacks::function_at;
use super::{file_name, outermost};
use crate::printable::printable;
use crate::{Column, Detail, Style, heading, summary, table};
use p5_image::asked;
use p5_results::Run;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The most lines in a short report, and the part of the clocks from which a line is listed: one in so many.
const LISTED: usize = 8;
const LARGE: u64 = 50;

/// A line and a function that it calls.
struct Calling {
    file: u32,
    line: u32,
    target: u32,
    clocks: u64,
    times: u64,
}

/// Writes them, the most clocks first, if the calls are known.
pub(crate) fn write_calling(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(calls) = run.calls.as_ref().filter(|_| run.cpl == 3) else {
        return Ok(());
    };
    let chains = Chains::of(run);
    let clocks = clocks_of_calls(calls, &chains);
    // What is called while it is active already has its clocks in the call from outside.
    let outer = calls
        .list
        .iter()
        .zip(clocks)
        .filter(|(call, _)| call.caller != call.called);
    let mut found: BTreeMap<(u32, u32, u32), Calling> = BTreeMap::new();
    for (call, clocks) in outer {
        let from = call.entries[0].and_then(|entry| outermost(run, entry as usize));
        // A line of a library is nobody's to change; the call that leads there has its clocks.
        let own = |file: u32| run.files.get(file as usize).is_some_and(|file| !file.is_of_system());
        if let Some((file, line)) = from.filter(|&(file, _)| file_name(run, file).is_some() && own(file)) {
            let target = call.target;
            let sum = found.entry((file, line, target)).or_insert(Calling {
                file,
                line,
                target,
                clocks: 0,
                times: 0,
            });
            sum.clocks += clocks;
            sum.times += call.times;
        }
    }
    let all = run.own.totals.cycles;
    let mut found: Vec<Calling> = found.into_values().collect();
    found.retain(|calling| calling.clocks.saturating_mul(LARGE) >= all && calling.clocks > 0);
    // Lines with equal clocks stay in their order.
    found.sort_by_key(|calling| Reverse(calling.clocks));
    if style.detail == Detail::Short {
        found.truncate(LISTED);
    }
    if found.is_empty() {
        return Ok(());
    }
    let row = |calling: &Calling| {
        let file = file_name(run, calling.file).unwrap_or_default();
        let called = function_at(run, calling.target);
        let called = match style.detail {
            Detail::Short => asked::brief(&called),
            Detail::Long | Detail::All => called,
        };
        vec![
            summary::percent(calling.clocks, all),
            calling.clocks.to_string(),
            calling.times.to_string(),
            format!("{}:{} calls {}", printable(file), calling.line, printable(&called)),
        ]
    };
    let rows: Vec<Vec<String>> = found.iter().map(row).collect();
    heading(style, "Lines that call, with what they call", out)?;
    let columns = [
        ("share", Column::Number),
        ("clocks", Column::Number),
        ("times", Column::Number),
        ("line", Column::Text),
    ];
    table(style, &columns, &rows, out)
}
