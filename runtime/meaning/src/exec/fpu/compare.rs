//! FCOM, FUCOM, FICOM, FTST and FXAM.

use super::convert::{DOUBLE, SINGLE, from_integer, widen};
use super::operations::raise_denormal;
use super::rounding::Context;
use super::{Flow, MicroOp, State, context, stack_underflow};
use p5_words::fpu::{C0, C1, C2, C3, DENORMAL, Extended, Fpu, INVALID};
use p5_words::registers::{AF, CF, OF, PF, SF, ZF};
use std::cmp::Ordering;

const CONDITIONS: u16 = C0 | C1 | C2 | C3;
const UNORDERED: u16 = C0 | C2 | C3;

/// The condition code of a comparison. If `quietly`, only signalling NaNs are invalid.
#[inline(always)]
fn conditions(context: &mut Context, a: Extended, b: Extended, quietly: bool) -> u16 {
    let order = if a.is_normal() && b.is_normal() {
        compare(a, b)
    } else {
        if a.is_unsupported() || b.is_unsupported() || a.is_nan() || b.is_nan() {
            let signalling = a.is_signalling() || b.is_signalling() || a.is_unsupported() || b.is_unsupported();
            if signalling || !quietly {
                context.raise(INVALID);
            }
            return UNORDERED;
        }
        if a.is_denormal() || b.is_denormal() {
            context.raise(DENORMAL);
        }
        if a.is_zero() && b.is_zero() {
            Ordering::Equal
        } else {
            compare(a, b)
        }
    };
    match order {
        Ordering::Less => C0,
        Ordering::Equal => C3,
        Ordering::Greater => 0,
    }
}

/// The order of two numbers that are not both zeros.
#[inline(always)]
fn compare(a: Extended, b: Extended) -> Ordering {
    // A pseudo-denormal has the exponent of the smallest normal numbers.
    let magnitude = |value: Extended| {
        let exponent = value.exponent().max((value.significand >> 63) as u16);
        (exponent, value.significand)
    };
    match (a.sign() != 0, b.sign() != 0) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => magnitude(a).cmp(&magnitude(b)),
        (true, true) => magnitude(b).cmp(&magnitude(a)),
    }
}

/// Reports the comparison, and pops unless an exception prevents it.
#[inline(always)]
fn conclude<const POPS: u8>(fpu: &mut Fpu, context: Context, code: u16) -> Flow {
    fpu.report(CONDITIONS, context.raised | code);
    if !context.stops() {
        for _ in 0..POPS {
            fpu.pop();
        }
    }
    Ok(())
}

#[cold]
fn with_empty<const POPS: u8>(fpu: &mut Fpu) -> Flow {
    let masked = stack_underflow(fpu);
    fpu.report(CONDITIONS, UNORDERED);
    for _ in 0..if masked { POPS } else { 0 } {
        fpu.pop();
    }
    Ok(())
}

/// Compares ST(0) with another register.
pub(super) fn registers<const POPS: u8, const QUIETLY: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    if fpu.is_empty(0) || fpu.is_empty(op.source) {
        return with_empty::<POPS>(fpu);
    }
    let mut context = context(fpu);
    let code = conditions(&mut context, fpu.st(0), fpu.st(op.source), QUIETLY);
    conclude::<POPS>(fpu, context, code)
}

/// FCOMI and FUCOMI, and with a pop FCOMIP and FUCOMIP: compares ST(0) with another register, for the flags rather than
/// the condition code. An unmasked exception leaves the flags as they are.
pub(super) fn to_flags<const POPS: u8, const QUIETLY: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    let (code, stops) = if fpu.is_empty(0) || fpu.is_empty(op.source) {
        (UNORDERED, !stack_underflow(fpu))
    } else {
        let mut context = context(fpu);
        let code = conditions(&mut context, fpu.st(0), fpu.st(op.source), QUIETLY);
        fpu.report(C1, context.raised);
        (code, context.stops())
    };
    if stops {
        return Ok(());
    }
    for _ in 0..POPS {
        fpu.pop();
    }
    let flag = |condition: u16, flag: u32| if code & condition == 0 { 0 } else { flag };
    let bits = flag(C3, ZF) | flag(C2, PF) | flag(C0, CF);
    state
        .registers
        .flags
        .set_status_masked(OF | SF | ZF | AF | PF | CF, bits);
    Ok(())
}

#[inline(always)]
fn with_memory<const POPS: u8>(state: &mut State, operand: Extended, denormal: bool) -> Flow {
    let fpu = &mut state.registers.fpu;
    if fpu.is_empty(0) {
        return with_empty::<POPS>(fpu);
    }
    let mut context = context(fpu);
    let top = fpu.st(0);
    if denormal {
        raise_denormal(&mut context, top);
    }
    let code = conditions(&mut context, top, operand, false);
    conclude::<POPS>(fpu, context, code)
}

pub(super) fn single<const POPS: u8>(op: &MicroOp, state: &mut State) -> Flow {
    let bits = state.operand(op, |state, offset| state.load_at::<32>(op.segment(), offset))?;
    let (operand, denormal) = widen(&SINGLE, u64::from(bits));
    with_memory::<POPS>(state, operand, denormal)
}

pub(super) fn double<const POPS: u8>(op: &MicroOp, state: &mut State) -> Flow {
    let bits = state.operand(op, |state, offset| state.load_quad(op.segment(), offset))?;
    let (operand, denormal) = widen(&DOUBLE, bits);
    with_memory::<POPS>(state, operand, denormal)
}

pub(super) fn integer<const POPS: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.operand(op, |state, offset| state.load_integer::<N>(op, offset))?;
    with_memory::<POPS>(state, from_integer(value), false)
}

/// FTST.
pub(super) fn with_zero(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    with_memory::<0>(state, Extended::ZERO, false)
}

/// FXAM.
pub(super) fn examine(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    let value = fpu.st(0);
    let class = if fpu.is_empty(0) {
        C3 | C0
    } else if value.is_unsupported() {
        0
    } else if value.is_nan() {
        C0
    } else if value.is_infinite() {
        C2 | C0
    } else if value.is_zero() {
        C3
    } else if value.is_denormal() {
        C3 | C2
    } else {
        C2
    };
    let sign = if value.sign() != 0 { C1 } else { 0 };
    fpu.report(CONDITIONS, class | sign);
    Ok(())
}
