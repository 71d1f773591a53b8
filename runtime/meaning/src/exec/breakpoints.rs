//! Debug registers: breakpoints at instructions and data, and the debug trap after each instruction.
//!
//! A row is executed one operation at a time while a breakpoint is enabled or the trap flag is set; every access then
//! passes the check of its segment, which looks for data breakpoints. IN, OUT, INS and OUTS look for breakpoints of
//! ports, which CR4.DE enables. Not modelled: matches of breakpoints that are not enabled.

use super::{ARMED, MicroOp, Outcome, State, WATCHED, run_row};
use crate::exec::Exit;
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::registers::{CR4_DE, RF, TF};

/// The bits of DR6 for an access to a debug register with DR7.GD set, and for an instruction with the trap flag set.
const GUARDED: u32 = 1 << 13;
const SINGLE_STEP: u32 = 1 << 14;
/// The bit of DR7 with which accesses to debug registers raise an exception.
const GUARD: u32 = 1 << 13;
/// The bits of DR7 that enable breakpoints, two for each.
const ENABLES: u32 = 0xFF;
/// The kinds of breakpoints in DR7.
const EXECUTION: u32 = 0;
const WRITES: u32 = 1;
const PORTS: u32 = 2;
const READS_AND_WRITES: u32 = 3;

impl State {
    /// Enables and disables breakpoints according to DR7.
    pub(super) fn arm(&mut self) {
        self.armed = if self.registers.dr[7] & ENABLES != 0 { ARMED } else { 0 };
        self.matched = 0;
    }

    /// The breakpoints among DR0 to DR3 that the last fault reports, one bit for each.
    pub fn breakpoints(&self) -> u32 {
        self.matched
    }

    /// Raises a fault if debug registers are guarded.
    pub(super) fn need_unguarded(&mut self) -> super::Flow {
        if self.registers.dr[7] & GUARD != 0 {
            self.registers.dr[7] &= !GUARD;
            self.registers.dr[6] |= GUARDED;
            return Err(self.raise(Fault::new(Vector::Debug, None, FaultCause::DebugRegisterGuarded)));
        }
        Ok(())
    }

    /// The enabled breakpoints of the kinds in `kinds` that an access of `size` bytes at `address` meets.
    fn met(&self, kinds: &[u32], address: u32, size: u32) -> u32 {
        let control = self.registers.dr[7];
        let meets = |number: u32| {
            let enabled = control >> (2 * number) & 3 != 0;
            let (kind, length) = (control >> (16 + 4 * number) & 3, control >> (18 + 4 * number) & 3);
            let start = self.registers.dr[number as usize] & !length;
            let apart = address.wrapping_sub(start) > length && start.wrapping_sub(address) >= size;
            enabled && kinds.contains(&kind) && !apart
        };
        (0..4)
            .filter(|&number| meets(number))
            .fold(0, |met, number| met | 1 << number)
    }

    /// Looks for breakpoints of a data access.
    pub(super) fn look_at_access(&mut self, address: u32, size: u32, write: bool) {
        let kinds: &[u32] = if write {
            &[WRITES, READS_AND_WRITES]
        } else {
            &[READS_AND_WRITES]
        };
        self.matched |= self.met(kinds, address, size);
    }

    /// Looks for breakpoints of an access to ports.
    pub(super) fn look_at_port(&mut self, port: u16, size: u32) {
        if self.armed != 0 && self.registers.cr4 & CR4_DE != 0 {
            self.matched |= self.met(&[PORTS], u32::from(port), size);
        }
    }

    /// The debug exception after an operation that has made a request, and is complete now; no single step if what has
    /// served it `returns`.
    pub(super) fn trap_after_request(&mut self, returns: bool) -> Option<Fault> {
        let flags = self.registers.flags.rest;
        if (flags | self.armed) & (TF | ARMED) == 0 {
            return None;
        }
        self.debug_exception(flags & TF != 0 && !returns)
    }

    /// The debug exception for the matched breakpoints and for a single step.
    fn debug_exception(&mut self, single_step: bool) -> Option<Fault> {
        let cause = match self.matched {
            0 if single_step => FaultCause::TrapFlag,
            0 => return None,
            matched => FaultCause::BreakpointRegister {
                number: matched.trailing_zeros() as u8,
            },
        };
        self.registers.dr[6] |= self.matched | if single_step { SINGLE_STEP } else { 0 };
        Some(Fault::new(Vector::Debug, None, cause))
    }
}

/// Executes one operation of a row, and raises the debug exceptions before and after it.
#[cold]
pub(super) fn run_one(ops: &[MicroOp], state: &mut State) -> Outcome {
    let Some(op) = ops.first() else {
        return run_row(ops, state);
    };
    let flags = state.registers.flags.rest;
    let single_step = flags & TF != 0;
    state.matched = 0;
    if state.armed != 0 && flags & RF == 0 {
        state.matched = state.met(&[EXECUTION], op.address, 1);
        if let Some(fault) = state.debug_exception(false) {
            state.registers.eip = op.address;
            state.facts.next = op.after();
            return Outcome {
                executed: 0,
                unfinished: false,
                exit: Exit::Fault(fault),
            };
        }
    }
    if state.armed != 0 {
        state.alignment |= WATCHED;
    }
    let mut outcome = run_row(&ops[..1], state);
    if flags & RF != 0 && outcome.executed == 1 {
        state.registers.flags.rest &= !RF;
    }
    let completed = outcome.executed == 1 || outcome.unfinished;
    if completed
        && outcome.exit == Exit::Next
        && let Some(fault) = state.debug_exception(single_step)
    {
        outcome.exit = Exit::Fault(fault);
    }
    outcome
}
