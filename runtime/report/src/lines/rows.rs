//! The executed source lines of the last run, one row each, for every format that lists them.

use super::names::entry_name;
use super::{Entry, PassClock, Sum, Text};
use p5_results::{Place, Run};
use std::collections::{BTreeMap, HashMap};

pub(crate) const MEMORY: &str = "<memory>";

/// The text of the row that sums up instructions without a source line.
pub(crate) const WITHOUT_LINES: &str = "code without lines";

/// An executed line, or an instruction without a source line.
pub(crate) struct Row<'a> {
    pub(crate) file: &'a str,
    /// The line number, from 1; 0 in [`MEMORY`].
    pub(crate) line: u32,
    /// The place of the line, which is the same in other runs of the program.
    pub(crate) place: Place,
    /// The address of its first instruction with a row of its own, otherwise 0.
    pub(crate) address: u32,
    /// The line as it is in the file, or the text of the instruction.
    pub(crate) text: &'a str,
    /// The function with the distance from its beginning, or the address, if there is no source line.
    pub(crate) name: Option<String>,
    pub(crate) sum: Sum,
    pub(crate) clock: Option<PassClock>,
    /// The clock of its first issue in the diagram of the program, if that has no regions and begins with it.
    pub(crate) clock_of_program: Option<u64>,
    /// Whether any part of it belongs to the bundled library.
    pub(crate) library: bool,
}

/// For each instruction of a program without regions, the clock of its first issue in the diagram of the program; empty
/// if that does not begin with the program.
fn program_clocks(run: &Run) -> HashMap<Entry, u64> {
    let mut clocks = HashMap::new();
    if run.regions.is_empty() && run.trace.from == 0 {
        // The others are variants of one that was changed.
        let listed = |entry: &Entry| *entry < run.instructions.len();
        for issued in &run.trace.issued {
            if let Some(entry) = Some(issued.instruction as Entry).filter(listed) {
                clocks.entry(entry).or_insert(issued.clock);
            }
        }
    }
    clocks
}

impl Row<'_> {
    /// The clock of its first issue in what is shown: a pass of a region, or the program without regions.
    pub(crate) fn first_clock(&self) -> Option<u64> {
        self.clock.map(|clock| clock.clock).or(self.clock_of_program)
    }
}

/// One row for each line, by file and number; then one for each instruction without a source line.
pub(crate) fn rows(run: &Run) -> Vec<Row<'_>> {
    let text = Text::of(run);
    let clocks = super::pass_clocks(run);
    let of_program = program_clocks(run);
    let mut by_place: BTreeMap<(u32, u32), Vec<Entry>> = BTreeMap::new();
    let mut elsewhere = Vec::new();
    for entry in super::entries(run) {
        match super::place(run, entry).filter(|&(file, _)| file_name(run, file).is_some()) {
            Some(place) => by_place.entry(place).or_default().push(entry),
            None => elsewhere.push(entry),
        }
    }
    let row = |file: Option<u32>, line, text, entries: &[Entry]| {
        let instructions = entries.iter().filter_map(|&entry| run.instructions.get(entry));
        let address = instructions.map(|one| one.address).min().unwrap_or(0);
        Row {
            file: file.and_then(|file| file_name(run, file)).unwrap_or(MEMORY),
            line,
            place: (file, line, if line == 0 { address } else { 0 }),
            address,
            text,
            name: entries
                .first()
                .filter(|_| file.is_none())
                .and_then(|&entry| entry_name(run, entry)),
            sum: Sum::of_entries(run, entries),
            clock: super::earliest(&clocks, entries),
            clock_of_program: entries.iter().filter_map(|entry| of_program.get(entry)).min().copied(),
            library: entries.iter().any(|&entry| super::in_library(run, entry)),
        }
    };
    let mut rows: Vec<Row> = by_place
        .iter()
        .map(|(&place, entries)| row(Some(place.0), place.1, text.line(place), entries))
        .collect();
    rows.extend(elsewhere.iter().map(|&entry| {
        let instruction = run.instructions.get(entry);
        let text = match (instruction, super::remainder(run, entry)) {
            (Some(one), _) => &*one.text,
            (None, Some(remainder)) if remainder.empty => "empty memory",
            (None, _) => WITHOUT_LINES,
        };
        row(None, 0, text, &[entry])
    }));
    rows
}

/// The path of a source from the current folder, if it was read there; otherwise its name.
pub(crate) fn path_name(run: &Run, file: u32) -> Option<&str> {
    let file = run.files.get(file as usize)?;
    Some(file.read_at.as_deref().unwrap_or(&file.name))
}

pub(crate) fn file_name(run: &Run, file: u32) -> Option<&str> {
    run.files.get(file as usize).map(|file| file.name.as_str())
}
