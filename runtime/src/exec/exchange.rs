//! Exchanges: XCHG, XADD, CMPXCHG, CMPXCHG8B and BSWAP.

use super::alu::{ADD, CMP, compute};
use super::{Flow, MEMORY, MicroOp, State};
use crate::registers::ZF;

const EAX: u8 = 0;
const ECX: u8 = 1;
const EDX: u8 = 2;
const EBX: u8 = 3;

pub(super) fn xchg<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.offset(op);
    let a = if op.dest & MEMORY == 0 {
        state.registers.get::<N>(op.dest)
    } else {
        state.load_at::<N>(op.segment(), offset)?
    };
    let b = state.registers.get::<N>(op.source);
    if op.dest & MEMORY == 0 {
        state.registers.put::<N>(op.dest, b);
    } else {
        state.store_at::<N>(op.segment(), offset, b)?;
    }
    state.registers.put::<N>(op.source, a);
    state.settle()
}

pub(super) fn xadd<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let a = state.read_dest::<N>(op)?;
    let b = state.registers.get::<N>(op.source);
    let mut flags = state.registers.flags;
    let sum = compute::<ADD, N>(&mut flags, a, b);
    if op.dest & MEMORY == 0 {
        // With one register named twice the sum wins.
        state.registers.put::<N>(op.source, a);
        state.registers.put::<N>(op.dest, sum);
    } else {
        state.store::<N>(op, sum)?;
        state.registers.put::<N>(op.source, a);
    }
    state.registers.flags = flags;
    state.settle()
}

/// CMPXCHG writes its destination in any case: what was there if the comparison fails.
pub(super) fn cmpxchg<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.read_dest::<N>(op)?;
    let accumulator = state.registers.get::<N>(EAX);
    let mut flags = state.registers.flags;
    compute::<CMP, N>(&mut flags, accumulator, value);
    if flags.zero() {
        let source = state.registers.get::<N>(op.source);
        state.write_dest::<N>(op, source)?;
    } else {
        state.write_dest::<N>(op, value)?;
        state.registers.put::<N>(EAX, value);
    }
    state.registers.flags = flags;
    state.settle()
}

pub(super) fn cmpxchg8b(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.offset(op);
    let value = state.load_quad(op.segment(), offset)?;
    let pair = |state: &State, high, low| {
        (u64::from(state.registers.get::<32>(high)) << 32) | u64::from(state.registers.get::<32>(low))
    };
    let equal = value == pair(state, EDX, EAX);
    let stored = if equal { pair(state, ECX, EBX) } else { value };
    state.store_quad(op.segment(), offset, stored)?;
    if !equal {
        state.registers.put::<32>(EAX, value as u32);
        state.registers.put::<32>(EDX, (value >> 32) as u32);
    }
    state.registers.flags.set_status_masked(ZF, if equal { ZF } else { 0 });
    state.settle()
}

/// BSWAP; with a 16-bit operand the result is undefined, and here 0.
pub(super) fn bswap<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    if N == 16 {
        state.registers.put::<16>(op.dest, 0);
    } else {
        let value = state.registers.get::<32>(op.dest);
        state.registers.put::<32>(op.dest, value.swap_bytes());
    }
    Ok(())
}
