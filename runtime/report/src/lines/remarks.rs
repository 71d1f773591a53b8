//! Remarks on the code of a line, in front of its reasons: it was changed, it is on the stack, or there is no memory.

use super::Sum;
use crate::phrases::counted;
use crate::unmapped::in_stack;
use p5_chips::Doubt;
use p5_results::{Cause, InstructionResult, PARTLY_UNMAPPED, UNMAPPED};

/// The remark on code that the program has changed before it executed it. Its source text is not what was executed.
pub(crate) const CHANGED: &str = "code changed by the program";

/// The doubt of the clocks of such code, whatever its rows of the timing table are.
pub(crate) const CHANGED_CODE: Doubt = Doubt {
    form: "changed code",
    why: "nothing holds the clocks of code that a program changes against silicon",
    question: None,
    least: false,
};

/// The clocks of changed code that are doubted: those of the first execution after each change, with what its fetch
/// waits; all of them if it is not known how often the code was changed.
pub(crate) fn doubted_clocks(one: &InstructionResult) -> u64 {
    let misses = [Cause::CodeMiss, Cause::CodeTlbMiss];
    let waits = one.causes.iter().filter(|part| misses.contains(&part.cause));
    let waits: u64 = waits.map(|part| part.cycles).sum();
    let rest = one.cycles.saturating_sub(waits);
    match one.removals {
        0 => one.cycles,
        // A first execution is one in U.
        removals if removals < one.u => waits + (rest * removals).div_ceil(one.u),
        _ => one.cycles,
    }
}

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
        let doubted = self.doubts.iter().find(|(doubt, _)| *doubt == CHANGED_CODE);
        let changed = self.changed.then(|| match doubted {
            Some(&(_, clocks)) if self.removals > 0 => {
                let each = clocks as f64 / self.removals as f64;
                format!("{CHANGED} {}, {each:.1} clocks each", counted(self.removals, "time"))
            }
            _ => CHANGED.to_owned(),
        });
        let remarks = changed.into_iter().chain(self.no_code.map(str::to_owned));
        let reason = Some(self.reason(most)).filter(|reason| !reason.is_empty());
        remarks.chain(reason).collect::<Vec<_>>().join("; ")
    }
}
