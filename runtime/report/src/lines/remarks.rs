//! Remarks on the code of a line, in front of its reasons: it was changed, it is on the stack, or there is no memory.

use super::Sum;
use crate::unmapped::in_stack;
use p5_chips::Doubt;
use p5_results::{InstructionResult, PARTLY_UNMAPPED, UNMAPPED};

/// The remark on code that the program has changed before it executed it. Its source text is not what was executed.
pub(crate) const CHANGED: &str = "code changed by the program";

/// The doubt of the clocks of such code, whatever its rows of the timing table are.
pub(crate) const CHANGED_CODE: Doubt = Doubt {
    form: "changed code",
    why: "nothing holds the clocks of code that a program changes against silicon",
    question: None,
    least: false,
};

/// The remark on what a return to the wrong place executes.
const OF_STACK: &str = "bytes of the stack, executed";

/// What else than code of the program an instruction is, if it is on the stack or where memory lacks.
pub(crate) fn no_code(instruction: &InstructionResult) -> Option<&'static str> {
    let stack = instruction.outermost.is_none() && in_stack(instruction.address);
    no_memory(&instruction.text).or(stack.then_some(OF_STACK))
}

/// Why there is no instruction, if this is the text of one in memory that does not exist.
pub(crate) fn no_memory(text: &str) -> Option<&'static str> {
    match text {
        UNMAPPED => Some("there is no memory"),
        PARTLY_UNMAPPED => Some("the memory ends within the instruction"),
        _ => None,
    }
}

impl Sum {
    /// The remarks, then [`Sum::reason`] with at most this many causes.
    pub(crate) fn remarks(&self, most: usize) -> String {
        let changed = self.changed.then_some(CHANGED);
        let remarks = changed.into_iter().chain(self.no_code).map(str::to_owned);
        let reason = Some(self.reason(most)).filter(|reason| !reason.is_empty());
        remarks.chain(reason).collect::<Vec<_>>().join("; ")
    }
}
