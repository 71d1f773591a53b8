//! Exchanges: XCHG, XADD, CMPXCHG, CMPXCHG8B and BSWAP.

use super::alu::{ADD, CMP, compute};
use super::{Flow, MEMORY, MicroOp, State};
use p5_words::registers::ZF;

const EAX: u8 = 0;
const ECX: u8 = 1;
const EDX: u8 = 2;
const EBX: u8 = 3;

pub(super) fn xchg<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let b = state.registers.get::<N>(op.source);
    let a = state.modify_dest::<N>(op)?;
    state.write_dest::<N>(op, b)?;
    state.registers.put::<N>(op.source, a);
    state.settle()
}

pub(super) fn xadd<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let a = state.modify_dest::<N>(op)?;
    let b = state.registers.get::<N>(op.source);
    let mut flags = state.registers.flags;
    let sum = compute::<ADD, N>(&mut flags, a, b);
    if op.dest & MEMORY == 0 {
        // If both operands are the same register, the sum wins.
        state.registers.put::<N>(op.source, a);
        state.registers.put::<N>(op.dest, sum);
    } else {
        state.store::<N>(op, sum)?;
        state.registers.put::<N>(op.source, a);
    }
    state.registers.flags = flags;
    state.settle()
}

/// CMPXCHG always writes its destination, with the old value if the comparison fails.
pub(super) fn cmpxchg<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.modify_dest::<N>(op)?;
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
    let value = state.modify_quad(op.segment(), offset)?;
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

/// BSWAP. The result for a 16-bit operand is undefined, and 0 here.
pub(super) fn bswap<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    if N == 16 {
        state.registers.put::<16>(op.dest, 0);
    } else {
        let value = state.registers.get::<32>(op.dest);
        state.registers.put::<32>(op.dest, value.swap_bytes());
    }
    Ok(())
}
