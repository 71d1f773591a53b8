//! FADD, FSUB, FMUL and FDIV with registers, and with reals and integers in memory.

use super::arithmetic::{DIVIDE_REVERSED, compute};
use super::convert::{DOUBLE, SINGLE, from_integer, widen};
use super::rounding::Context;
use super::{Flow, MicroOp, State, context, finish, underflowed};
use p5_words::fpu::{DENORMAL, Extended};

/// Operates on two registers. The destination may be popped, or be below a popped source.
pub(super) fn registers<const OPERATION: u8, const POP: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    let mut context = context(fpu);
    if fpu.is_empty(op.dest) || fpu.is_empty(op.source) {
        state.facts.push(context.without_operation());
        return underflowed(fpu, op.dest, POP);
    }
    let (destination, source) = (fpu.st(op.dest), fpu.st(op.source));
    let result = compute::<OPERATION>(&mut context, fpu.divider, destination, source);
    state.facts.push(context.circumstances(fpu.safe, destination, source));
    if !context.stops() {
        fpu.set(op.dest, result);
        if POP {
            fpu.pop();
        }
    }
    finish(fpu, context)
}

/// Operates on ST(0) and an operand from memory.
#[inline(always)]
fn with_memory<const OPERATION: u8>(state: &mut State, operand: Extended, denormal: bool) -> Flow {
    let fpu = &mut state.registers.fpu;
    let mut context = context(fpu);
    if fpu.is_empty(0) {
        state.facts.push(context.without_operation());
        return underflowed(fpu, 0, false);
    }
    let top = fpu.st(0);
    let by_zero = OPERATION == DIVIDE_REVERSED && top.is_zero();
    if denormal && !by_zero {
        raise_denormal(&mut context, top);
    }
    if !context.stops() {
        let result = compute::<OPERATION>(&mut context, fpu.divider, top, operand);
        if !context.stops() {
            fpu.set(0, result);
        }
    }
    state.facts.push(context.circumstances(fpu.safe, top, operand));
    finish(fpu, context)
}

/// Raises the exception of a denormal operand, unless the other operand is a NaN.
#[cold]
pub(super) fn raise_denormal(context: &mut Context, other: Extended) {
    if !other.is_nan() && !other.is_unsupported() {
        context.raise(DENORMAL);
    }
}

pub(super) fn single<const OPERATION: u8>(op: &MicroOp, state: &mut State) -> Flow {
    let bits = state.operand(op, |state, offset| state.load_at::<32>(op.segment(), offset))?;
    let (operand, denormal) = widen(&SINGLE, u64::from(bits));
    with_memory::<OPERATION>(state, operand, denormal)
}

pub(super) fn double<const OPERATION: u8>(op: &MicroOp, state: &mut State) -> Flow {
    let bits = state.operand(op, |state, offset| state.load_quad(op.segment(), offset))?;
    let (operand, denormal) = widen(&DOUBLE, bits);
    with_memory::<OPERATION>(state, operand, denormal)
}

/// Operates on ST(0) and an integer of 16 or 32 bits.
pub(super) fn integer<const OPERATION: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.operand(op, |state, offset| state.load_integer::<N>(op, offset))?;
    with_memory::<OPERATION>(state, from_integer(value), false)
}
