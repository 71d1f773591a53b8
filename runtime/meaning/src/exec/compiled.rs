//! Compiled rows: what a second engine, whose code executes most operations itself, calls for the others.
//!
//! The engine's code executes an operation as its handler does, or calls [`MicroOp::execute`]. It leaves the same facts
//! at the same places, and it leaves a row where the handlers would.

use super::{ARMED, Leave, MicroOp, Outcome, State, leave_oddly};
use p5_words::registers::{AC, DS, ES, SS, TF};
use std::mem::offset_of;

/// The reason why an operation ends its row.
#[derive(Clone, Copy, Debug)]
pub struct Left(Leave);

impl MicroOp {
    /// Executes the operation, whose facts begin at word `at`. Returns the reason to leave the row, if it is other than
    /// a branch.
    pub fn execute(&self, at: usize, state: &mut State) -> Option<Left> {
        state.facts.len = at;
        match (self.handler)(self, state) {
            Ok(()) | Err(Leave::Branch) => None,
            Err(leave) => Some(Left(leave)),
        }
    }

    /// Leaves the row after `executed` operations because of this one, as [`run`](super::run) does.
    pub fn leave(&self, executed: usize, left: Left, state: &mut State) -> Outcome {
        leave_oddly(self, executed, left.0, state)
    }
}

impl State {
    /// The offset of the general registers.
    pub const GENERAL: usize = offset_of!(State, registers.general);

    /// Whether rows can be compiled for this state: nothing is checked at each operation or access, and the segments of
    /// data and of the stack are flat.
    pub fn is_plain(&self) -> bool {
        let flat = |number: usize| {
            let segment = &self.registers.segments[number];
            segment.base() == 0 && segment.checks == 0
        };
        (self.registers.flags.rest | self.armed) & (TF | AC | ARMED) == 0
            && [ES, SS, DS].into_iter().all(flat)
            && !self.memory.is_translated()
    }
}
