//! The names of instructions that have no source line.

use super::Entry;
use crate::printable::printable;
use p5_results::{InstructionResult, Run};

/// The name of an instruction without a source line: its function with the distance from its beginning, or else its
/// address.
pub(crate) fn instruction_name(run: &Run, instruction: &InstructionResult) -> String {
    let function = instruction
        .function
        .and_then(|number| run.functions.get(number as usize));
    match function {
        Some(function) if function.address == instruction.address => printable(&function.name),
        Some(function) => format!(
            "{}+{:X}h",
            printable(&function.name),
            instruction.address - function.address
        ),
        None => format!("{:08X}h", instruction.address),
    }
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
