//! Whose wait the clocks of an address interlock are: a report counts those of a pair with the instruction in U, also
//! where it is the one in V that waits.

use super::saved::SavedRun;
use super::saved_lines::{SavedInstruction, SavedLine};
use p5_results::Cause;
use std::collections::{BTreeMap, HashMap};

/// The place of an instruction: file and line, or else the function with the distance from its beginning.
type Place<'a> = Result<(&'a str, u32), &'a str>;

/// The clocks of interlocks that are counted with another line than the one that waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shared {
    /// Those counted with this line, by the instruction that waits beside it in V.
    pub(super) of_others: BTreeMap<String, u64>,
    /// The waits of this line, by the instruction in U with which they are counted.
    pub(super) with_others: BTreeMap<String, u64>,
}

/// These clocks of a run, by line.
pub(super) struct Waits<'a>(HashMap<Place<'a>, Shared>);

impl<'a> Waits<'a> {
    pub(super) fn of(run: &'a SavedRun) -> Waits<'a> {
        let texts: HashMap<(&str, u32), &SavedLine> = match run.is_compiled() {
            true => HashMap::new(),
            false => run.lines.iter().map(|line| ((&*line.file, line.line), line)).collect(),
        };
        let text = |one: &'a SavedInstruction| match place(one) {
            Some(Ok(line)) => texts
                .get(&line)
                .map_or_else(|| one.text.clone(), |line| line.instruction()),
            _ => one.text.clone(),
        };
        let mut found: HashMap<Place<'a>, Shared> = HashMap::new();
        for (first, second) in run.instructions.iter().zip(run.instructions.iter().skip(1)) {
            let clocks = first.reasons.get(Cause::Agi.name()).copied().unwrap_or(0);
            let (Some(counted), Some(waits)) = (place(first), place(second)) else {
                continue;
            };
            if clocks == 0 || !first.agi_of_next || counted == waits {
                continue;
            }
            let add = |sums: &mut BTreeMap<String, u64>, text: String| {
                let sum = sums.entry(text).or_default();
                *sum = sum.saturating_add(clocks);
            };
            add(&mut found.entry(counted).or_default().of_others, text(second));
            add(&mut found.entry(waits).or_default().with_others, text(first));
        }
        Waits(found)
    }

    /// Those that concern a line.
    pub(super) fn of_line(&self, line: &SavedLine) -> Shared {
        let place = match (line.line, line.function.as_deref()) {
            (0, Some(function)) => Err(function),
            (number, _) => Ok((&*line.file, number)),
        };
        self.0.get(&place).cloned().unwrap_or_default()
    }
}

fn place(one: &SavedInstruction) -> Option<Place<'_>> {
    match (one.file.as_deref(), one.line) {
        (Some(file), Some(line)) => Some(Ok((file, line))),
        _ => one.function.as_deref().map(Err),
    }
}
