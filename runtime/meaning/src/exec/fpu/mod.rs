//! The floating-point unit: the effects of its instructions on its registers and on memory.
//!
//! | module | holds |
//! |---|---|
//! | `rounding` | one rounding of a result with more bits than any format; exceptions of results |
//! | `arithmetic` | addition, multiplication, division and square root of two registers |
//! | `flawed` | the divider with missing table entries |
//! | `convert` | memory formats |
//! | `operations` | the instructions with two operands |
//! | `compare` | comparisons and classification |
//! | `transfer` | loads, stores and exchanges |
//! | `unary` | the instructions that replace the top of the stack |
//! | `remainder` | partial remainders, scaling, and extraction |
//! | `transcendental` | special cases of the transcendental functions |
//! | `series`, `coefficients` | their values |
//! | `control` | control and status words, the stack pointer |
//! | `environment` | images of the unit in memory |
//! | `select` | which handler an instruction has |
//!
//! The arithmetic is that of integers, so the results are the same on every host. An exception that is not masked
//! becomes pending, and the next instruction that waits raises it.

pub(crate) use environment::{UNIT_IMAGE, take_unit_image, unit_image};

mod arithmetic;
mod coefficients;
mod compare;
mod control;
mod convert;
mod dispatch;
mod environment;
mod flawed;
mod operations;
mod remainder;
mod rounding;
mod series;
mod transcendental;
mod transfer;
mod unary;

pub(super) use control::wait;
pub(super) use dispatch::handler;

use super::{Flow, Leave, MicroOp, State};
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::fpu::{C1, EXCEPTIONS, Extended, Fpu, INVALID, STACK_FAULT};
use p5_words::registers::{CR0_EM, CR0_NE, CR0_TS, CS};
use rounding::Context;

/// Begins an instruction that waits, if the unit is not emulated: a pending exception is raised.
#[inline(always)]
pub(super) fn available(state: &mut State) -> Flow {
    state.enter()
}

impl State {
    /// Begins an instruction that does not wait for pending exceptions.
    #[inline(always)]
    fn enter_without_wait(&mut self) -> Flow {
        if self.registers.cr0 & (CR0_EM | CR0_TS) != 0 {
            return Err(self.not_available());
        }
        self.registers.fpu.used = true;
        Ok(())
    }

    /// Begins an instruction that waits, which raises a pending exception.
    #[inline(always)]
    fn enter(&mut self) -> Flow {
        self.enter_without_wait()?;
        if self.registers.fpu.is_pending() {
            return Err(self.pending());
        }
        Ok(())
    }

    #[cold]
    fn not_available(&mut self) -> Leave {
        let cause = if self.registers.cr0 & CR0_EM != 0 {
            FaultCause::FloatingPointEmulated
        } else {
            FaultCause::FloatingPointAfterTaskSwitch
        };
        self.raise(Fault::new(Vector::DeviceNotAvailable, None, cause))
    }

    #[cold]
    fn pending(&mut self) -> Leave {
        let fpu = &self.registers.fpu;
        let exceptions = (fpu.status() & EXCEPTIONS & !fpu.control()) as u8;
        let cause = if self.registers.cr0 & CR0_NE != 0 {
            FaultCause::FloatingPoint { exceptions }
        } else {
            FaultCause::FloatingPointErrorPin { exceptions }
        };
        self.raise(Fault::new(Vector::FloatingPoint, None, cause))
    }

    #[inline(always)]
    fn note_instruction(&mut self, op: &MicroOp) {
        let code = &self.registers.segments[CS];
        let last = &mut self.registers.fpu.last;
        last.code_selector = code.selector();
        last.code_offset = op.address.wrapping_sub(code.base());
        last.opcode = op.immediate as u16;
    }

    /// Begins an instruction that waits and has an operand in memory, and reads that by its offset.
    #[inline(always)]
    fn operand<T>(&mut self, op: &MicroOp, read: impl FnOnce(&mut State, u32) -> Result<T, Leave>) -> Result<T, Leave> {
        self.enter()?;
        let offset = self.offset(op);
        let value = read(self, offset)?;
        self.note_operand(op, offset);
        Ok(value)
    }

    #[inline(always)]
    fn note_operand(&mut self, op: &MicroOp, offset: u32) {
        self.note_instruction(op);
        let selector = self.registers.segments[usize::from(op.segment())].selector();
        let last = &mut self.registers.fpu.last;
        last.data_selector = selector;
        last.data_offset = offset;
    }
}

#[inline(always)]
fn context(fpu: &Fpu) -> Context {
    Context::new(fpu.control())
}

/// Ends an operation whose result, if any, is in its place.
#[inline(always)]
fn finish(fpu: &mut Fpu, context: Context) -> Flow {
    fpu.report(C1, context.raised);
    Ok(())
}

/// Reports the use of an empty register. Returns whether the exception is masked, so that the result is the indefinite.
#[cold]
fn stack_underflow(fpu: &mut Fpu) -> bool {
    fpu.report(C1, INVALID | STACK_FAULT);
    fpu.control() & INVALID != 0
}

/// Stores the result of an operation with an empty register in ST(`number`).
#[cold]
fn underflowed(fpu: &mut Fpu, number: u8, pop: bool) -> Flow {
    if stack_underflow(fpu) {
        fpu.set(number, Extended::INDEFINITE);
        if pop {
            fpu.pop();
        }
    }
    Ok(())
}

/// Pushes the value, or reports that the stack is full.
#[inline(always)]
fn push(fpu: &mut Fpu, value: Extended) {
    if fpu.is_empty(7) {
        fpu.push(value);
        return;
    }
    overflowed(fpu);
}

#[cold]
fn overflowed(fpu: &mut Fpu) {
    fpu.report(0, INVALID | STACK_FAULT | C1);
    if fpu.control() & INVALID != 0 {
        fpu.push(Extended::INDEFINITE);
    }
}

#[cfg(test)]
mod tests;
