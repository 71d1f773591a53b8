//! The instructions that replace the top of the stack by a function of it.

use super::arithmetic::{absolute, change_sign, square_root};
use super::remainder::round_to_integer;
use super::rounding::Context;
use super::transcendental::two_to_x_minus_1;
use super::{Flow, MicroOp, State, context, finish, underflowed};
use p5_words::fpu::Extended;

#[inline(always)]
fn replace(op: &MicroOp, state: &mut State, function: impl FnOnce(&mut Context, Extended) -> Extended) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    if fpu.is_empty(0) {
        return underflowed(fpu, 0, false);
    }
    let mut context = context(fpu);
    let result = function(&mut context, fpu.st(0));
    if !context.stops() {
        fpu.set(0, result);
    }
    finish(fpu, context)
}

pub(super) fn chs(op: &MicroOp, state: &mut State) -> Flow {
    replace(op, state, |_, value| change_sign(value))
}

pub(super) fn abs(op: &MicroOp, state: &mut State) -> Flow {
    replace(op, state, |_, value| absolute(value))
}

pub(super) fn sqrt(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    let mut context = context(fpu);
    if fpu.is_empty(0) {
        state.facts.push(context.without_operation());
        return underflowed(fpu, 0, false);
    }
    let value = fpu.st(0);
    let result = square_root(&mut context, value);
    state.facts.push(context.circumstances(fpu.safe, value, value));
    if !context.stops() {
        fpu.set(0, result);
    }
    finish(fpu, context)
}

pub(super) fn rndint(op: &MicroOp, state: &mut State) -> Flow {
    replace(op, state, round_to_integer)
}

pub(super) fn f2xm1(op: &MicroOp, state: &mut State) -> Flow {
    replace(op, state, two_to_x_minus_1)
}
