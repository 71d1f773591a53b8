//! The names of instructions that have no source line.

use super::Entry;
use crate::printable::printable;
use p5_results::{InstructionResult, Label, Run};

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
