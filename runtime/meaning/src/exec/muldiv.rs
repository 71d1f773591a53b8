//! Multiplication and division.
//!
//! Undefined flags: a multiplication leaves SF, ZF, AF and PF unchanged, a division all six.

use super::{Flow, Leave, MicroOp, State};
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::registers::sign_extend;

const EAX: u8 = 0;
const EDX: u8 = 2;

/// The double-width accumulator: AX, DX:AX or EDX:EAX.
fn accumulator<const N: u32>(state: &State) -> u64 {
    let registers = &state.registers;
    match N {
        8 => u64::from(registers.get::<16>(EAX)),
        _ => u64::from(registers.get::<N>(EAX)) | (u64::from(registers.get::<N>(EDX)) << N),
    }
}

fn set_accumulator<const N: u32>(state: &mut State, low: u32, high: u32) {
    if N == 8 {
        state.registers.put::<16>(EAX, (low & 0xFF) | (high << 8));
    } else {
        state.registers.put::<N>(EAX, low);
        state.registers.put::<N>(EDX, high);
    }
}

/// MUL and one-operand IMUL.
pub(super) fn multiply<const SIGNED: bool, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let b = state.read_dest::<N>(op)?;
    let a = state.registers.get::<N>(EAX);
    let product = if SIGNED {
        (i64::from(sign_extend::<N>(a) as i32) * i64::from(sign_extend::<N>(b) as i32)) as u64
    } else {
        u64::from(a) * u64::from(b)
    };
    let (low, high) = (product as u32, (product >> N) as u32);
    set_accumulator::<N>(state, low, high);
    let spills = if SIGNED {
        product as i64 != i64::from(sign_extend::<N>(low) as i32)
    } else {
        product >> N != 0
    };
    state.registers.flags.set_carry_overflow(spills, spills);
    Ok(())
}

/// IMUL with two or three operands. With `BY_IMMEDIATE` the factor is the immediate rather than the destination.
pub(super) fn multiply_into<const N: u32, const BY_IMMEDIATE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let b = state.read_source::<N>(op)?;
    let a = if BY_IMMEDIATE {
        op.immediate
    } else {
        state.registers.get::<N>(op.dest)
    };
    let product = i64::from(sign_extend::<N>(a) as i32) * i64::from(sign_extend::<N>(b) as i32);
    let low = product as u32;
    state.registers.put::<N>(op.dest, low);
    let spills = product != i64::from(sign_extend::<N>(low) as i32);
    state.registers.flags.set_carry_overflow(spills, spills);
    Ok(())
}

#[cold]
fn divide_error(state: &mut State, cause: FaultCause) -> Leave {
    state.raise(Fault::new(Vector::DivideError, None, cause))
}

const fn too_large<const N: u32>(signed: bool) -> FaultCause {
    FaultCause::QuotientTooLarge { bits: N as u8, signed }
}

pub(super) fn divide<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let divisor = u64::from(state.read_dest::<N>(op)?);
    let dividend = accumulator::<N>(state);
    let Some(quotient) = dividend.checked_div(divisor) else {
        return Err(divide_error(state, FaultCause::DivisionByZero));
    };
    if quotient >> N != 0 {
        return Err(divide_error(state, too_large::<N>(false)));
    }
    set_accumulator::<N>(state, quotient as u32, (dividend % divisor) as u32);
    Ok(())
}

pub(super) fn divide_signed<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let divisor = i64::from(sign_extend::<N>(state.read_dest::<N>(op)?) as i32);
    let unused = 64 - 2 * N;
    let dividend = ((accumulator::<N>(state) << unused) as i64) >> unused;
    if divisor == 0 {
        return Err(divide_error(state, FaultCause::DivisionByZero));
    }
    let Some(quotient) = dividend.checked_div(divisor) else {
        return Err(divide_error(state, too_large::<N>(true)));
    };
    if quotient != i64::from(sign_extend::<N>(quotient as u32) as i32) {
        return Err(divide_error(state, too_large::<N>(true)));
    }
    set_accumulator::<N>(state, quotient as u32, dividend.wrapping_rem(divisor) as u32);
    Ok(())
}
