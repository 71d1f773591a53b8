//! Decimal arithmetic: AAA, AAS, DAA, DAS, AAM and AAD.
//!
//! Undefined flags: AAA and AAS take SF, ZF and PF from AL and clear OF; DAA and DAS clear OF; AAM and AAD clear OF, CF
//! and AF.

use super::{Flow, MicroOp, State};
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::registers::{AF, CF};

const AL: u8 = 0;
const AX: u8 = 0;

/// Sets the status flags for the byte `value`, with CF and AF as given and OF clear.
fn set_flags(state: &mut State, value: u32, carry: bool, auxiliary: bool) {
    let flags = &mut state.registers.flags;
    flags.set_logic::<8>(value);
    let bits = if carry { CF } else { 0 } | if auxiliary { AF } else { 0 };
    flags.set_status_masked(CF | AF, bits);
}

/// AAA and AAS.
pub(super) fn ascii_adjust<const SUBTRACT: bool>(_: &MicroOp, state: &mut State) -> Flow {
    let mut value = state.registers.get::<16>(AX);
    let adjust = value & 0xF > 9 || state.registers.flags.auxiliary();
    if adjust {
        value = if SUBTRACT {
            value.wrapping_sub(0x106)
        } else {
            value.wrapping_add(0x106)
        };
    }
    value &= 0xFF0F;
    state.registers.put::<16>(AX, value);
    set_flags(state, value & 0xFF, adjust, adjust);
    Ok(())
}

/// DAA and DAS.
pub(super) fn decimal_adjust<const SUBTRACT: bool>(_: &MicroOp, state: &mut State) -> Flow {
    let before = state.registers.get::<8>(AL);
    let carry_before = state.registers.flags.carry();
    let apply = |value: u32, amount: u32| {
        if SUBTRACT {
            value.wrapping_sub(amount)
        } else {
            value.wrapping_add(amount)
        }
    };
    let mut value = before;
    let mut carry = false;
    let auxiliary = before & 0xF > 9 || state.registers.flags.auxiliary();
    if auxiliary {
        value = apply(value, 6);
        carry = carry_before || value > 0xFF;
    }
    if before > 0x99 || carry_before {
        value = apply(value, 0x60);
        carry = true;
    }
    value &= 0xFF;
    state.registers.put::<8>(AL, value);
    set_flags(state, value, carry, auxiliary);
    Ok(())
}

pub(super) fn aam(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.registers.get::<8>(AL);
    let base = op.immediate & 0xFF;
    let Some(quotient) = value.checked_div(base) else {
        return Err(state.raise(Fault::new(Vector::DivideError, None, FaultCause::AamByZero)));
    };
    let remainder = value % base;
    state.registers.put::<16>(AX, (quotient << 8) | remainder);
    set_flags(state, remainder, false, false);
    Ok(())
}

pub(super) fn aad(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.registers.get::<16>(AX);
    let result = (value & 0xFF).wrapping_add((value >> 8) * (op.immediate & 0xFF)) & 0xFF;
    state.registers.put::<16>(AX, result);
    set_flags(state, result, false, false);
    Ok(())
}
