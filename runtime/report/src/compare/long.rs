//! Which instructions take the clocks that are called `execution`: those of several clocks.

use super::saved::SavedRun;
use super::saved_lines::SavedLine;
use p5_results::Cause;
use std::collections::{BTreeMap, HashMap};

/// The clocks that instructions take beyond their first, by mnemonic.
pub(super) type Long = BTreeMap<String, u64>;

/// The instructions of several clocks in a run, by line and by function.
#[derive(Default)]
pub(super) struct LongInstructions<'a> {
    lines: HashMap<(&'a str, u32), Long>,
    functions: HashMap<&'a str, Long>,
}

impl<'a> LongInstructions<'a> {
    pub(super) fn of(run: &'a SavedRun) -> LongInstructions<'a> {
        let mut found = LongInstructions::default();
        for one in &run.instructions {
            let Some(&clocks) = one.reasons.get(Cause::Execution.name()) else {
                continue;
            };
            let add = |long: &mut Long| {
                let sum = long.entry(one.mnemonic()).or_default();
                *sum = sum.saturating_add(clocks);
            };
            if let (Some(file), Some(line)) = (one.file.as_deref(), one.line) {
                add(found.lines.entry((file, line)).or_default());
            }
            if let Some(function) = one.function.as_deref() {
                let name = function.rsplit_once('+').map_or(function, |(name, _)| name);
                add(found.functions.entry(name).or_default());
            }
        }
        found
    }

    /// Those of a line, if they are all known.
    pub(super) fn of_line(&self, line: &SavedLine) -> Long {
        let known = self.lines.get(&(&*line.file, line.line));
        whole(known, line.reasons.get(Cause::Execution.name()))
    }

    /// Those of the function of this name, if they are all known.
    pub(super) fn of_function(&self, name: &str, reasons: &BTreeMap<String, u64>) -> Long {
        whole(self.functions.get(name), reasons.get(Cause::Execution.name()))
    }
}

/// Instructions that take all of these clocks; none if there are others, which the report has left out, or which have
/// another function of the same name.
fn whole(known: Option<&Long>, clocks: Option<&u64>) -> Long {
    let sum = |long: &Long| long.values().fold(0_u64, |sum, one| sum.saturating_add(*one));
    known
        .filter(|long| clocks == Some(&sum(long)))
        .cloned()
        .unwrap_or_default()
}
