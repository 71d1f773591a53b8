//! Compiled rows: what a second engine, whose code executes most operations itself, calls for the others.
//!
//! The engine's code executes an operation as its handler does, or calls [`MicroOp::execute`]. It leaves the same facts
//! at the same places, and it leaves a row where the handlers would.

use super::{ARMED, Leave, MicroOp, Outcome, State, leave_row};
use p5_words::fpu::EXCEPTIONS;
use p5_words::registers::{AC, CR0_EM, CR0_TS, DS, ES, SS, TF};
use std::mem::offset_of;

/// The reason why an operation ends its row.
#[derive(Clone, Copy, Debug)]
pub struct Left(Leave);

impl MicroOp {
    /// Executes the operation, whose facts begin at word `at`. Returns the reason to leave the row, if it is other than
    /// a branch that has stored to no code, as a call may.
    pub fn execute(&self, at: usize, state: &mut State) -> Option<Left> {
        state.facts.len = at;
        match (self.handler)(self, state) {
            Ok(()) => None,
            Err(Leave::Branch) if !state.facts.code_written => None,
            Err(leave) => Some(Left(leave)),
        }
    }

    /// The opcode by which the floating-point unit notes the operation, if it is one of the unit.
    pub fn noted_opcode(&self) -> u16 {
        self.immediate as u16
    }

    /// Leaves the row after `executed` operations because of this one, as [`run`](super::run) does.
    pub fn leave(&self, executed: usize, left: Left, state: &mut State) -> Outcome {
        leave_row(self, executed, left.0, state)
    }
}

impl State {
    /// The offset of the general registers.
    pub const GENERAL: usize = offset_of!(State, registers.general);

    /// The offset of the floating-point unit.
    pub const FPU: usize = offset_of!(State, registers.fpu);

    /// Whether the floating-point unit executes operations without faults until its control word or its status word
    /// changes otherwise: it is available and in use, and all exceptions are masked.
    pub fn computes_plainly(&self) -> bool {
        let fpu = &self.registers.fpu;
        self.registers.cr0 & (CR0_EM | CR0_TS) == 0
            && fpu.used
            && !fpu.is_pending()
            && fpu.control() & EXCEPTIONS == EXCEPTIONS
    }

    /// Forgets the checks that the last interpreted row made at each access: in this state, which is plain, there are
    /// none, but operations that compiled code calls would still make them.
    pub fn forget_checks(&mut self) {
        self.alignment = 0;
    }

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
