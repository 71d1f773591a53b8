//! Whether the results of two runs agree, in words.

use super::ends::{OtherLines, Outputs};
use super::other_memory::OtherMemory;
use super::results::Differing;
use super::{Comparison, Style};
use crate::paragraph;
use crate::phrases::counted;
use crate::printable::{cut, printable};
use crate::state::place;
use std::io::{self, Write};

/// The maximum number of budgets that are named, and of variables that differ.
const NAMED: usize = 4;
/// The most columns of a line of output.
const OUTPUT: usize = 40;

/// The first of these texts, and how many more there are.
pub(super) fn first(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    let mut words = all.take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        words += &format!(" and {more} more");
    }
    words
}

/// Writes whether both runs end with the same results, and what is compared; else what differs.
pub(super) fn write(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    match comparison.ends.same {
        None => Ok(()),
        Some(true) => paragraph(style, &same(comparison), out),
        Some(false) => differing(comparison)
            .iter()
            .try_for_each(|words| paragraph(style, words, out)),
    }
}

/// What is compared and is the same, but for EAX.
fn agreeing(comparison: &Comparison) -> String {
    let ends = &comparison.ends;
    let variables = ends.variables - comparison.results.len().min(ends.variables);
    let variables = (variables > 0).then(|| match comparison.results.is_empty() {
        true => counted(variables as u64, "variable"),
        false => format!("{} more", counted(variables as u64, "variable")),
    });
    let output = ends.output.as_ref();
    let output = output.filter(|output| output.same && output.bytes[0] > 0);
    let output = output.map(|output| {
        let bytes = counted(output.bytes[0], "byte");
        match output.cut {
            true => format!("{bytes} of output, of which the reports have the first MiB"),
            false => format!("{bytes} of output"),
        }
    });
    let code = ends.exit_codes.filter(|[old, new]| old == new);
    let code = code.map(|[code, _]| format!("exit code {code}"));
    let drawn = ends.same_screen.filter(|same| *same).map(|_| "screen".to_owned());
    let other = ends.other_memory.as_ref();
    let bytes = other.filter(|other| other.same == Some(true) && other.bytes > 0);
    let bytes = bytes.map(|other| format!("{} without a name", counted(other.bytes, "byte")));
    let all: Vec<String> = [variables, output, code, drawn, bytes].into_iter().flatten().collect();
    all.join(", ")
}

/// What is compared if all of it is the same.
fn same(comparison: &Comparison) -> String {
    let all = agreeing(comparison);
    let ends = &comparison.ends;
    let other = ends.other_memory.as_ref();
    let only_code = ends
        .exit_codes
        .is_some_and(|[code, _]| all == format!("exit code {code}"));
    let words = match ends.eax {
        Some([eax, _]) if all.is_empty() => format!(
            "both runs end with the same EAX, {eax:X}h; nothing else is compared, for there are neither variables nor \
             output"
        ),
        Some([old, new]) if old == new => format!("both runs end with the same results: {all}, EAX {old:X}h"),
        Some([old, new]) => format!("both runs end with the same results: {all}; EAX is {old:X}h, then {new:X}h"),
        None if only_code => format!("both runs end with the same {all}; nothing else could be compared"),
        None => format!("both runs end with the same results: {all}"),
    };
    words + &other.map_or_else(String::new, not_compared)
}

/// What is said of memory of which it is not known whether it is the same.
fn not_compared(other: &OtherMemory) -> String {
    match other.not_compared {
        0 => String::new(),
        count => format!(
            "; {} of memory without a name could not be compared, for only one run changed just these",
            counted(count as u64, "range")
        ),
    }
}

/// What differs, a sentence each.
fn differing(comparison: &Comparison) -> Vec<String> {
    let ends = &comparison.ends;
    let mut told = Vec::new();
    if !comparison.results.is_empty() {
        told.push(format!(
            "the two runs end with other values of {}",
            variables(&comparison.results)
        ));
    }
    told.extend(ends.output.as_ref().filter(|output| !output.same).map(outputs));
    let codes = ends.exit_codes.filter(|[before, after]| before != after);
    told.extend(codes.map(|[before, after]| format!("the two runs end with exit code {before}, then {after}")));
    let eax = ends.eax.filter(|[before, after]| ends.eax_decides && before != after);
    told.extend(
        eax.map(|[before, after]| format!("the two runs end with other values of EAX: {before:X}h, then {after:X}h")),
    );
    if ends.same_screen == Some(false) {
        told.push("the two runs leave other bytes in the memory of the screen".to_owned());
    }
    let other = ends.other_memory.as_ref().filter(|other| other.same == Some(false));
    told.extend(other.map(|other| {
        let places = other
            .differing
            .iter()
            .map(|&[first, last]| place(first, last, other.real));
        format!("the two runs leave other bytes at {}", first(places))
    }));
    let eax = ends.eax.filter(|[before, after]| before == after);
    let eax = eax.map(|[eax, _]| format!("EAX {eax:X}h"));
    let same: Vec<String> = [agreeing(comparison)]
        .into_iter()
        .filter(|all| !all.is_empty())
        .chain(eax)
        .collect();
    if !same.is_empty() {
        told.push(format!("the same in both: {}", same.join(", ")));
    }
    told
}

fn outputs(output: &Outputs) -> String {
    let [before, after] = output.bytes;
    let lengths = match before == after {
        true => format!("the outputs differ, {} each", counted(before, "byte")),
        false => format!("the outputs differ, {}, then {after}", counted(before, "byte")),
    };
    let Some(line) = &output.line else {
        return lengths;
    };
    let text = |text: &Option<String>| match text {
        Some(text) => format!("`{}`", cut(&printable(text), OUTPUT)),
        None => "missing".to_owned(),
    };
    let (old, new) = (text(&line.old), text(&line.new));
    let rest = output.lines.as_ref().map_or(String::new(), others);
    format!("{lengths}: line {} is {old}, then {new}{rest}", line.number)
}

/// Which other lines differ, and that the rest is the same.
fn others(lines: &OtherLines) -> String {
    let mut words = String::new();
    if lines.differing > 1 {
        let named = first(lines.first.iter().map(u64::to_string));
        let more = lines.differing - lines.first.len() as u64;
        words += &match more {
            0 => format!("; lines {named} differ"),
            _ => format!("; {} differ", counted(lines.differing, "line")),
        };
    }
    if lines.numbers_only {
        words += "; they differ in numbers alone, as a measured time does";
    }
    match lines.same {
        0 => words,
        1 => words + "; the other line is the same",
        same => format!("{words}; the other {same} lines are the same"),
    }
}

fn variables(all: &[Differing]) -> String {
    let values = |one: &Differing| match (&one.texts, one.old, one.new) {
        (Some([old, new]), ..) => format!(" ({}, then {})", printable(old), printable(new)),
        (None, Some(old), Some(new)) if old != new => format!(" ({old}, then {new})"),
        _ => String::new(),
    };
    first(all.iter().map(|one| {
        let element = one.element.map_or(String::new(), |at| format!("[{at}]"));
        let field = one.field.as_deref().map_or(String::new(), printable);
        format!("`{}{element}{field}`{}", printable(&one.name), values(one))
    }))
}
