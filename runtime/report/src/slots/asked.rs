//! The loop that the user asks for, in place of all other diagrams.

use super::loops::name;
use super::{ROWS, ROWS_EACH, write};
use crate::diagram::{Diagram, Found, Node, begins, found, traced_loops};
use crate::phrases::counted;
use crate::printable::printable;
use crate::{Detail, Style, header, lines, regions};
use p5_results::{Asked, AskedBy, Run};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The most loops that are named if the one that is asked for was not traced.
const NAMED: usize = 4;

/// Writes the diagram of the loop that is asked for, below the heading of its region. Returns whether it was traced; if
/// not, says why and names the loops that were.
pub(super) fn write_asked(run: &Run, asked: &Asked, style: &Style, out: &mut dyn Write) -> io::Result<bool> {
    let Some(found) = found(run, asked) else {
        writeln!(out)?;
        header::lines(&missing(run, asked), style, out)?;
        return Ok(false);
    };
    for region in &run.regions {
        writeln!(out)?;
        regions::heading(run, region, style, out)?;
        if std::ptr::eq(found.trace, &region.trace) {
            write_found(run, asked, &found, ROWS_EACH, style, out)?;
        }
    }
    if std::ptr::eq(found.trace, &run.trace) {
        writeln!(out)?;
        write_found(run, asked, &found, ROWS, style, out)?;
    }
    Ok(true)
}

fn write_found(
    run: &Run,
    asked: &Asked,
    found: &Found,
    rows: usize,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let diagram = Diagram {
        nodes: found.nodes.clone(),
        bound: None,
    };
    header::lines(&words(run, asked, found), style, out)?;
    let rows = if style.detail == Detail::Short {
        rows
    } else {
        usize::MAX
    };
    write(run, &diagram, rows, style, out).map(|_| ())
}

/// What stands above the diagram.
pub(crate) fn words(run: &Run, asked: &Asked, found: &Found) -> String {
    let place = place(run, asked);
    let all = found.all;
    let several = match found.executions {
        0 | 1 => String::new(),
        several => format!(" in {several} executions; one of typical rounds"),
    };
    match (found.in_loop, &asked.by) {
        (0, _) => format!(
            "No loop {place} repeats in the {} traced; from there on:",
            counted(found.all, "clock")
        ),
        (clocks, AskedBy::Name(_)) => {
            format!("Of what is traced, the loop with the most clocks {place}, {clocks} of {all} clocks{several}:")
        }
        (clocks, AskedBy::Line { .. }) => match found.nodes.first() {
            Some(Node::Loop(inner)) if !begins(run, asked, inner) => {
                let inner = match name(run, inner) {
                    unnamed if unnamed.starts_with("loop at ") => format!("the {}", printable(&unnamed)),
                    label => format!("the loop `{}`", printable(&label)),
                };
                let line = match place.strip_prefix("at line ") {
                    Some(line) => format!("Line {line}"),
                    None => place.trim_start_matches("at ").to_owned(),
                };
                format!("{line} is in {inner}, {clocks} of {all} clocks traced{several}:")
            }
            _ => format!("The loop {place}, {clocks} of {all} clocks traced{several}:"),
        },
    }
}

/// Why no diagram is shown of the code that is asked for, and of which loops one can be.
pub(crate) fn missing(run: &Run, asked: &Asked) -> String {
    let place = place(run, asked);
    let why = match asked.executed {
        false => format!("No loop {place} is shown: the run has not executed any of its instructions."),
        true => format!(
            "No loop {place} is shown: the run has executed it, but not in the {} that were traced.",
            counted(run.trace.issued.len() as u64, "instruction")
        ),
    };
    let mut names: Vec<String> = Vec::new();
    let mut known = BTreeSet::new();
    for (_, inner) in traced_loops(run) {
        let name = name(run, &inner);
        if known.insert(name.clone()) {
            names.push(printable(&name));
        }
    }
    let more = names.len() > NAMED;
    names.truncate(NAMED);
    let others = if more { " and others" } else { "" };
    match names.is_empty() {
        true => why,
        false => format!("{why} Loops that were traced: {}{others}.", names.join(", ")),
    }
}

/// Where the loop is to be, in a sentence.
fn place(run: &Run, asked: &Asked) -> String {
    match &asked.by {
        AskedBy::Name(name) => format!("in `{}`", printable(name)),
        AskedBy::Line { file: 0, line } => format!("at line {line}"),
        AskedBy::Line { file, line } => {
            let name = lines::file_name(run, *file).unwrap_or(lines::MEMORY);
            format!("at {}:{line}", printable(name))
        }
    }
}
