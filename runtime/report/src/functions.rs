//! The clocks of a run by function: for programs whose code is longer than a screen, the table that comes first.
//!
//! Code that a compiler inlined belongs to the function that it was written in, and has a row for each function into
//! which it was inlined. Code of other tools without source lines, such as that of the C library before `main`, is one
//! row, except for functions with a large share.

use super::callees::{self, WithCallees, why_untold, with_callees};
use super::lines::{self, Entry, Sum};
use super::phrases::counted;
use super::printable::printable;
use super::{Column, Detail, Style, bundled, heading, loop_table, paragraph, summary, table};
use p5_image::asked;
use p5_results::Run;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// The most functions of the program that are listed, and the share from which one without source lines is listed.
const LISTED: usize = 10;
const LARGE: f64 = 0.05;

/// The code of one function, or all that belongs to none.
pub(crate) struct Part<'a> {
    /// The name; `None` for code that belongs to no function.
    pub(crate) name: Option<&'a str>,
    /// The function that its code was inlined into, if it was, and belongs to one.
    pub(crate) inlined_into: Option<&'a str>,
    /// Whether its code was inlined.
    pub(crate) inlined: bool,
    /// The address of its first byte; `None` for inlined code, which may lie in several places.
    pub(crate) address: Option<u32>,
    /// The file and line where its source declares it or, if that is not known, of its first executed instruction; if
    /// it has source lines.
    pub(crate) place: Option<(u32, u32)>,
    /// How often its first instruction was executed: its calls, unless something jumps there; `None` for inlined code,
    /// and if that instruction is one of too many.
    pub(crate) times: Option<u64>,
    pub(crate) sum: Sum,
    /// What it took with all that it called; `None` if the calls are not known. How often inlined code was called is
    /// not known.
    pub(crate) with_callees: Option<WithCallees>,
}

/// The clocks of each executed function, the most first. They add up to those of the program's own part, or of all with
/// [`Detail::All`].
pub(crate) fn parts(run: &Run, detail: Detail) -> Vec<Part<'_>> {
    let mut found: BTreeMap<(Option<u32>, Option<&str>), Vec<Entry>> = BTreeMap::new();
    for entry in lines::shown_entries(run, detail) {
        let (function, call) = match run.instructions.get(entry) {
            Some(one) => (one.function, one.inlined),
            None => lines::remainder(run, entry).map_or((None, None), |rest| (rest.function, rest.inlined)),
        };
        let inlined = call.and_then(|call| run.inlined.get(call as usize));
        let key = (function, inlined.map(|call| call.name.as_str()));
        found.entry(key).or_default().push(entry);
    }
    let with_callees = with_callees(run, detail).unwrap_or_default();
    let of_inlined = callees::inlined::with_callees(run, detail);
    let parts = found.into_iter().map(|(key, entries)| Part {
        with_callees: match key {
            (function, None) => function.and_then(|number| with_callees.get(&number).copied()),
            (function, Some(name)) => of_inlined.get(&(function, name)).map(|&clocks| WithCallees {
                clocks,
                ..WithCallees::default()
            }),
        },
        ..part(run, key, &entries)
    });
    let mut parts: Vec<Part> = parts.collect();
    // Equal ones stay in the order of their addresses.
    parts.sort_by_key(|part| std::cmp::Reverse(part.sum.cycles));
    parts
}

/// The part of a function, or of the code that was inlined into it from another one.
fn part<'a>(run: &'a Run, (function, inlined): (Option<u32>, Option<&'a str>), entries: &[Entry]) -> Part<'a> {
    let function = function.and_then(|number| run.functions.get(number as usize));
    let name = function.map(|function| function.name.as_str());
    let first = entries
        .iter()
        .find_map(|&entry| lines::outermost(run, entry).or(lines::place(run, entry)));
    let declared = match inlined {
        None => function.and_then(|function| function.declared),
        // The code of a header of the system is shown where it is called.
        Some(_) => declared_inlined(run, entries).filter(|(file, _)| first.is_some_and(|first| first.0 == *file)),
    };
    let address = function.filter(|_| inlined.is_none()).map(|function| function.address);
    let first_of = |address: u32| {
        let rows = run
            .instructions
            .binary_search_by_key(&address, |one| one.address)
            .ok()?;
        run.instructions.get(rows).map(|one| one.executions)
    };
    Part {
        name: inlined.or(name),
        inlined_into: name.filter(|_| inlined.is_some()),
        inlined: inlined.is_some(),
        address,
        times: address.and_then(first_of),
        place: first.map(|first| declared.unwrap_or(first)),
        sum: Sum::of_entries(run, entries),
        with_callees: None,
    }
}

/// Where the source declares the function whose inlined code these are.
fn declared_inlined(run: &Run, entries: &[Entry]) -> Option<(u32, u32)> {
    let mut calls = entries.iter().filter_map(|&entry| match run.instructions.get(entry) {
        Some(one) => one.inlined,
        None => lines::remainder(run, entry)?.inlined,
    });
    run.inlined.get(calls.next()? as usize)?.declared
}

/// A name without what C++ adds to it; of a lambda, where it stands.
fn brief(run: &Run, part: &Part, name: &str) -> String {
    let place = part.place.filter(|_| name.contains("{lambda("));
    match place.and_then(|(file, line)| Some((lines::file_name(run, file)?, line))) {
        Some((file, line)) => format!("lambda at {}:{line}", printable(lines::last_part(file))),
        None => printable(&asked::brief(name)),
    }
}

/// What follows the name of inlined code; in a short report without what C++ adds to names.
pub(crate) fn inlining(part: &Part, short: bool) -> String {
    match (part.inlined, part.inlined_into) {
        (true, Some(into)) if short => format!(", inlined into {}", printable(&asked::brief(into))),
        (true, Some(into)) => format!(", inlined into {}", printable(into)),
        (true, None) => ", inlined".to_owned(),
        (false, _) => String::new(),
    }
}

/// Writes the table, unless the program has only one function.
pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let parts = parts(run, style.detail);
    if parts.len() < 2 {
        return Ok(());
    }
    let all: u64 = parts.iter().map(|part| part.sum.cycles).sum();
    let own_lines = parts.iter().any(|part| part.place.is_some());
    let is_bundled = |part: &Part| part.address.is_some_and(|address| bundled::is_within(run, address));
    let large = |part: &Part| part.sum.cycles as f64 >= LARGE * all as f64 && !is_bundled(part);
    let is_own = |part: &Part| part.name.is_some() && (part.place.is_some() || !own_lines || large(part));
    let own: Vec<&Part> = parts.iter().filter(|part| is_own(part)).collect();
    // A row of the others takes as much room as one function.
    let listed = if own.len() == LISTED + 1 || style.detail > Detail::Short {
        own.len()
    } else {
        own.len().min(LISTED)
    };
    let (listed, small) = own.split_at(listed);
    let (mut listed, mut small) = (listed.to_vec(), small.to_vec());
    // The function that calls all others of the source is listed, however little it takes itself.
    let whole = |part: &&Part| {
        part.with_callees
            .filter(|_| part.place.is_some() && !part.inlined)
            .map(|called| called.clocks)
    };
    if let Some(outermost) = own
        .iter()
        .copied()
        .filter(|part| whole(part).is_some())
        .max_by_key(whole)
        && let Some(place) = small.iter().position(|one| std::ptr::eq(*one, outermost))
    {
        listed.push(small.remove(place));
    }
    let (listed, small) = (&listed[..], &small[..]);
    let row = |parts: &[&Part], name: String| {
        let cycles: u64 = parts.iter().map(|part| part.sum.cycles).sum();
        let executions: u64 = parts.iter().map(|part| part.sum.executions).sum();
        let share = summary::percent(cycles, all);
        let times = match parts {
            [only] => only.times.map_or_else(String::new, |times| times.to_string()),
            _ => String::new(),
        };
        let called = match parts {
            [only] => only.with_callees,
            _ => None,
        };
        let whole = called.map_or_else(String::new, |called| called.clocks.to_string());
        let each = called.and_then(|called| called.each()).unwrap_or_default();
        vec![
            share,
            cycles.to_string(),
            whole,
            each,
            executions.to_string(),
            times,
            name,
        ]
    };
    let files = parts.iter().filter_map(|part| Some(part.place?.0));
    let several = files.collect::<BTreeSet<u32>>().len() > 1;
    let mut rows: Vec<Vec<String>> = Vec::new();
    let is_short = style.detail == Detail::Short;
    for part in listed {
        let place = part
            .place
            .and_then(|(file, line)| Some((lines::file_name(run, file)?, line)));
        let place = match place {
            Some((file, line)) if several => format!(" ({}:{line})", printable(lines::last_part(file))),
            Some((_, line)) => format!(" (line {line})"),
            None => String::new(),
        };
        let name = match part.name {
            Some(name) if is_short => brief(run, part, name),
            name => name.map_or(String::new(), printable),
        };
        rows.push(row(&[*part], format!("{name}{place}{}", inlining(part, is_short))));
    }
    let mut together = |parts: &[&Part], name: &dyn Fn(u64) -> String| {
        if !parts.is_empty() {
            rows.push(row(parts, name(parts.len() as u64)));
        }
    };
    together(small, &|number| counted(number, "other function"));
    let others = parts.iter().filter(|part| !is_own(part));
    let (libraries, nowhere): (Vec<&Part>, Vec<&Part>) = others.partition(|part| part.name.is_some());
    let (brought, libraries): (Vec<&Part>, Vec<&Part>) = libraries.into_iter().partition(|part| is_bundled(part));
    together(&brought, &|number| {
        format!("{} of p5inst", counted(number, "library procedure"))
    });
    let has_lines: BTreeSet<u32> = (parts.iter().filter(|part| part.place.is_some()))
        .filter_map(|part| part.address)
        .collect();
    let is_own = |number: u32| (run.functions.get(number as usize)).is_some_and(|one| has_lines.contains(&one.address));
    let called = callees::called_by_own(run, is_own).filter(|_| own_lines);
    let (called, libraries): (Vec<&Part>, Vec<&Part>) = libraries.into_iter().partition(|part| {
        let addresses = called.as_ref().zip(part.address);
        addresses.is_some_and(|(called, address)| called.contains(&address))
    });
    let start_up = match called.is_empty() {
        true => "start-up and library code without lines",
        false => "start-up code without lines",
    };
    together(&called, &|number| {
        format!(
            "library code without lines that the program calls: {}, each below 5%",
            counted(number, "function")
        )
    });
    together(&libraries, &|number| {
        format!("{start_up}: {}, each below 5%", counted(number, "function"))
    });
    together(&nowhere, &|_| "code outside of functions".to_owned());
    heading(style, "Functions", out)?;
    let mut columns = vec![
        ("share", Column::Number),
        ("clocks", Column::Number),
        ("with\ncallees", Column::Number),
        ("per\ncall", Column::Number),
        ("instruc-\ntions", Column::Number),
        ("times", Column::Number),
        ("function", Column::Text),
    ];
    let untold = parts.iter().all(|part| part.with_callees.is_none());
    if untold {
        columns.drain(2..4);
        columns[2].0 = "instructions";
        rows.iter_mut().for_each(|row| drop(row.drain(2..4)));
    }
    table(style, &columns, &rows, out)?;
    let itself = |part: &&&Part| part.with_callees.is_some_and(|called| called.by_itself > 0);
    let recursive: Vec<String> = listed
        .iter()
        .filter(itself)
        .filter_map(|part| part.name.map(printable))
        .collect();
    if !recursive.is_empty() {
        let names = recursive.join(", ");
        let words = format!("Called while active, as by itself: {names}; per call is of its calls from outside.");
        paragraph(style, &words, out)?;
    }
    if untold {
        paragraph(style, why_untold(run), out)?;
    }
    if own_lines {
        write_callers(run, &parts, style, out)?;
    }
    if !own_lines && run.cpl == 3 {
        let words = "The program has no source lines: compile it with -g to see lines, and which of them call.";
        paragraph(style, words, out)?;
    } else if own_lines && listed.iter().any(|part| part.place.is_none()) {
        paragraph(style, "Functions without a line were compiled without -g.", out)?;
    }
    if listed.iter().any(|part| part.inlined) {
        paragraph(style, "Inlined functions have rows of their own.", out)?;
    }
    if own_lines {
        lines::write_calling(run, style, out)?;
        loop_table::write(run, style, out)?;
    }
    Ok(())
}

/// The functions without source lines that take a large part of the clocks, in a program with lines.
fn hot<'a>(run: &'a Run, parts: &'a [Part<'a>]) -> impl Iterator<Item = (&'a Part<'a>, u32)> {
    let all: u64 = parts.iter().map(|part| part.sum.cycles).sum();
    let hot = parts
        .iter()
        .filter(move |part| part.place.is_none() && part.sum.cycles.saturating_mul(lines::HOT) >= all);
    let hot = hot.filter_map(|part| Some((part, part.address?)));
    hot.filter(|(_, address)| !bundled::is_within(run, *address))
}

/// Whether the report has a table of functions, whose clocks with their callees are told if the calls are known.
pub fn has_functions(run: &Run) -> bool {
    parts(run, Detail::Short).len() > 1
}

/// Whether a function of a library takes so many clocks that the report tells who calls it, if the calls are known.
pub fn has_hot_library(run: &Run) -> bool {
    let parts = parts(run, Detail::Short);
    parts.iter().any(|part| part.place.is_some()) && hot(run, &parts).next().is_some()
}

/// Writes which lines of the program call functions without source lines that take a large part of the clocks.
fn write_callers(run: &Run, parts: &[Part], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for (part, address) in hot(run, parts) {
        let name = part.name.map_or(String::new(), printable);
        match lines::hot_callers(run, address) {
            Some(callers) => paragraph(style, &format!("{name}: called {callers}"), out)?,
            None if run.calls.is_none() => {
                let words = format!("{name}: `--format callgrind --timeout 60` tells who calls it");
                paragraph(style, &words, out)?;
            }
            None => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;

    #[test]
    fn code_without_lines_has_the_name_of_its_function() {
        let mut run = specimen::run();
        assert_eq!(run.functions[0].address, 0x1000);
        let mut at = |address, function| {
            let one = &mut run.instructions[0];
            (one.address, one.function) = (address, function);
            lines::instruction_name(&run, &run.instructions[0])
        };
        assert_eq!(at(0x1000, Some(0)), "start");
        assert_eq!(at(0x101A, Some(0)), "start+1Ah");
        assert_eq!(at(0x101A, None), "0000101Ah");
        // An index out of range is no function.
        assert_eq!(at(0x101A, Some(9)), "0000101Ah");
    }

    #[test]
    fn the_parts_of_random_runs_add_up() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let run = specimen::random(&mut random);
            let entries: Vec<Entry> = lines::shown_entries(&run, Detail::All).collect();
            let all = Sum::of_entries(&run, &entries);
            let parts = parts(&run, Detail::All);
            let sum = |of: fn(&Sum) -> u64| parts.iter().map(|part| of(&part.sum)).sum::<u64>();
            assert_eq!(sum(|sum| sum.cycles), all.cycles);
            assert_eq!(sum(|sum| sum.executions), all.executions);
            assert!(parts.is_sorted_by(|one, next| one.sum.cycles >= next.sum.cycles));
        }
    }
}
