//! The clocks of the last run by stack: the label before the code, the macro calls and repeats that led to a line, and
//! the line.
//!
//! The calls are those of the source; `chains` has the calls between procedures at run time.

use super::rows::{MEMORY, file_name};
use super::{Entry, Sum};
use crate::Detail;
use crate::printable::number;
use crate::wording;
use p5_results::{Label, Run, TrailStep};
use std::collections::BTreeMap;

/// The instructions of a line with the same trail of calls.
pub(crate) struct Stack<'a> {
    /// The last label or procedure before them, or the name of their group.
    pub(crate) function: &'a str,
    /// The calls with their places, the outermost one first.
    pub(crate) calls: Vec<String>,
    pub(crate) file: &'a str,
    /// The line number, from 1; 0 in [`MEMORY`].
    pub(crate) line: u32,
    /// The address, if there is no source line.
    pub(crate) address: Option<u32>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) sum: Sum,
}

impl Stack<'_> {
    /// The address of its first instruction, or of its function if it has no row; `None` for code of the library that
    /// no line of the program calls, and without an address.
    pub(crate) fn start(&self, run: &Run) -> Option<u32> {
        let &entry = self.entries.first()?;
        match function(run, entry) {
            Function::Calibration | Function::Unlisted => None,
            Function::Unlabelled | Function::Label(_) => address(run, entry),
        }
    }

    /// The frame name of the line, or of the address.
    pub(crate) fn leaf(&self) -> String {
        match (self.line, self.address) {
            (0, Some(address)) => format!("{} {}", self.file, number(address)),
            (0, None) => self.file.to_owned(),
            (line, _) => format!("{}:{line}", self.file),
        }
    }
}

/// All stacks that this detail shows, ordered by function, file and line.
pub(crate) fn stacks(run: &Run, detail: Detail) -> Vec<Stack<'_>> {
    let mut found: BTreeMap<Key, Vec<Entry>> = BTreeMap::new();
    for entry in super::shown_entries(run, detail) {
        let place = super::place(run, entry).filter(|&(file, _)| file_name(run, file).is_some());
        let instruction = run.instructions.get(entry);
        let trail = instruction.map_or(&[][..], |one| &one.trail);
        let key = Key {
            function: function(run, entry),
            place: place.ok_or_else(|| instruction.map(|one| one.address)),
            calls: trail.iter().rev().map(|step| call(run, step)).collect(),
        };
        found.entry(key).or_default().push(entry);
    }
    let stack = |(key, entries): (Key, Vec<Entry>)| {
        let file = key.place.ok().and_then(|(file, _)| file_name(run, file));
        Stack {
            function: key.function.name(run),
            calls: key.calls,
            file: file.unwrap_or(MEMORY),
            line: key.place.map_or(0, |(_, line)| line),
            address: key.place.err().flatten(),
            sum: Sum::of_entries(run, &entries),
            entries,
        }
    };
    found.into_iter().map(stack).collect()
}

/// The frame name of a macro call or a repeat; all passes of a repeat have the same one.
fn call(run: &Run, step: &TrailStep) -> String {
    let every = TrailStep {
        pass: None,
        ..step.clone()
    };
    wording::trail_step(run, &every)
}

/// The properties that the instructions of one stack share.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    function: Function,
    place: Result<(u32, u32), Option<u32>>,
    calls: Vec<String>,
}

/// The function of an instruction.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Function {
    /// There is none: no label precedes it.
    Unlabelled,
    /// A label, by its index.
    Label(usize),
    /// The calibration of the library's probes.
    Calibration,
    /// Instructions without a row of their own.
    Unlisted,
}

impl Function {
    fn name<'a>(&self, run: &'a Run) -> &'a str {
        match *self {
            Function::Unlabelled => "(no label)",
            Function::Label(at) => run.labels.get(at).map_or("", |label| label.name.as_str()),
            Function::Calibration => "(calibration)",
            Function::Unlisted => "(not listed)",
        }
    }
}

fn function(run: &Run, entry: Entry) -> Function {
    // Library code is under a label of the user's only at the edges of regions, and not in procedures of the library.
    let called_by_user = super::outermost(run, entry).is_some_and(|(file, _)| run.library != Some(file));
    if super::in_library(run, entry) && !called_by_user {
        return Function::Calibration;
    }
    address(run, entry).map_or(Function::Unlisted, |address| label(run, address))
}

/// The name of the function at an address: that of its label, or the address as frames have it.
pub(crate) fn function_at(run: &Run, address: u32) -> String {
    match before(run, address).filter(|label| label.address == address) {
        Some(label) => label.name.clone(),
        None => format!("{MEMORY} {}", number(address)),
    }
}

/// The address of an instruction, or of the function of those without rows.
fn address(run: &Run, entry: Entry) -> Option<u32> {
    match run.instructions.get(entry) {
        Some(instruction) => Some(instruction.address),
        None => {
            let number = super::remainder(run, entry).and_then(|rest| rest.function);
            number.and_then(|number| Some(run.functions.get(number as usize)?.address))
        }
    }
}

/// The last label up to an address. If an address has several names, the first one is used everywhere.
pub(crate) fn before(run: &Run, address: u32) -> Option<&Label> {
    let after = run.labels.partition_point(|label| label.address <= address);
    let last = run.labels[..after].last()?.address;
    run.labels.get(run.labels.partition_point(|label| label.address < last))
}

/// The last label up to an address, as the function of stacks.
fn label(run: &Run, address: u32) -> Function {
    let Some(last) = before(run, address) else {
        return Function::Unlabelled;
    };
    Function::Label(run.labels.partition_point(|label| label.address < last.address))
}
