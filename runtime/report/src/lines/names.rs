//! The names of instructions that have no source line.

use super::Entry;
use crate::printable::printable;
use p5_results::{InstructionResult, Label, Run};
use std::collections::BTreeMap;

/// The name of an instruction: its function or, if it has no source line, the label before it there, with the distance
/// from that; or else its address.
pub(crate) fn instruction_name(run: &Run, instruction: &InstructionResult) -> String {
    let function = instruction
        .function
        .and_then(|number| run.functions.get(number as usize));
    let Some(function) = function else {
        return format!("{:08X}h", instruction.address);
    };
    let behind = run
        .local_labels
        .partition_point(|label| label.address <= instruction.address);
    let label = behind.checked_sub(1).and_then(|last| run.local_labels.get(last));
    let named = |label: &&Label| instruction.place.is_none() && label.address > function.address;
    let (name, from) = match label.filter(named) {
        Some(label) => (&label.name, label.address),
        None => (&function.name, function.address),
    };
    match instruction.address - from {
        0 => printable(name),
        distance => format!("{}+{distance:X}h", printable(name)),
    }
}

/// The most lines of others that are named beside a line which brings them.
const BROUGHT: usize = 3;

/// The lines of a library whose code a line brings by inlining, those with the most clocks first; `None` without any.
pub(crate) fn brought(run: &Run, entries: &[Entry]) -> Option<String> {
    let mut clocks: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for one in entries.iter().filter_map(|&entry| run.instructions.get(entry)) {
        if let Some(place) = one.brought {
            *clocks.entry(place).or_default() += one.cycles;
        }
    }
    let mut lines: Vec<((u32, u32), u64)> = clocks.into_iter().collect();
    lines.sort_by_key(|&(_, clocks)| std::cmp::Reverse(clocks));
    let named = |&((file, line), _): &((u32, u32), u64)| {
        let name = super::file_name(run, file)?;
        Some(format!("{}:{line}", printable(last_part(name))))
    };
    let mut named: Vec<String> = lines.iter().take(BROUGHT).filter_map(named).collect();
    if lines.len() > BROUGHT {
        named.push("others".to_owned());
    }
    (!named.is_empty()).then(|| format!("with {}", named.join(", ")))
}

/// The last part of a path.
pub(crate) fn last_part(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name of an instruction or a sum without a source line, as far as it is known.
pub(crate) fn entry_name(run: &Run, entry: Entry) -> Option<String> {
    match run.instructions.get(entry) {
        Some(one) => Some(instruction_name(run, one)),
        None => {
            let number = super::remainder(run, entry)?.function?;
            Some(printable(&run.functions.get(number as usize)?.name))
        }
    }
}
