//! Bit tests and bit scans.
//!
//! Undefined flags: a bit test changes only CF, a scan only ZF. A scan of zero leaves its destination unchanged.

use super::{Flow, MEMORY, MicroOp, State};
use p5_words::registers::ZF;

pub(super) const TEST: u8 = 0;
pub(super) const SET: u8 = 1;
pub(super) const RESET: u8 = 2;
pub(super) const COMPLEMENT: u8 = 3;

/// BT, BTS, BTR and BTC. A bit offset in a register may reach beyond a memory operand in both directions.
pub(super) fn bit<const OP: u8, const N: u32, const BY_REGISTER: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let position = if BY_REGISTER {
        p5_words::registers::sign_extend::<N>(state.registers.get::<N>(op.source))
    } else {
        op.immediate & (N - 1)
    };
    let mask = 1u32 << (position & (N - 1));
    let mut linear = 0;
    let value = if op.dest & MEMORY == 0 {
        state.registers.get::<N>(op.dest)
    } else {
        let units = (position as i32) >> N.trailing_zeros();
        let reach = (units as u32).wrapping_mul(N / 8);
        let offset = state.offset(op).wrapping_add(reach) & op.offset_mask;
        if OP == TEST {
            state.load_at::<N>(op.segment(), offset)?
        } else {
            let (value, place) = state.modify_at::<N>(op.segment(), offset)?;
            linear = place;
            value
        }
    };
    let result = match OP {
        SET => value | mask,
        RESET => value & !mask,
        COMPLEMENT => value ^ mask,
        _ => value,
    };
    if OP != TEST {
        if op.dest & MEMORY == 0 {
            state.registers.put::<N>(op.dest, result);
        } else {
            state.store_again::<N>(op.segment(), linear, result)?;
        }
    }
    state.registers.flags.set_carry(value & mask != 0);
    state.settle()
}

/// BSF, and BSR if `REVERSE`. The fact is the number of bits examined before the one found; all `N` for zero.
pub(super) fn scan<const REVERSE: bool, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.read_source::<N>(op)?;
    if value == 0 {
        state.facts.push(N);
        state.registers.flags.set_status_masked(ZF, ZF);
        return Ok(());
    }
    let steps = if REVERSE {
        value.leading_zeros() - (32 - N)
    } else {
        value.trailing_zeros()
    };
    state.facts.push(steps);
    let index = if REVERSE { N - 1 - steps } else { steps };
    state.registers.put::<N>(op.dest, index);
    state.registers.flags.set_status_masked(ZF, 0);
    Ok(())
}
