//! Additions, subtractions and bitwise operations.

use super::{Flow, Handler, MEMORY, MicroOp, State};
use p5_words::registers::Flags;

/// The numbers of the two-operand operations: those of the opcode map, then TEST.
pub(super) const ADD: u8 = 0;
pub(super) const OR: u8 = 1;
pub(super) const ADC: u8 = 2;
pub(super) const SBB: u8 = 3;
pub(super) const AND: u8 = 4;
pub(super) const SUB: u8 = 5;
pub(super) const XOR: u8 = 6;
pub(super) const CMP: u8 = 7;
pub(super) const TEST: u8 = 8;

const INC: u8 = 0;
const DEC: u8 = 1;
const NEG: u8 = 2;
const NOT: u8 = 3;

#[inline(always)]
pub(super) fn compute<const OP: u8, const N: u32>(flags: &mut Flags, a: u32, b: u32) -> u32 {
    let carry = match OP {
        ADC | SBB => u32::from(flags.carry()),
        _ => 0,
    };
    match OP {
        ADD | ADC => {
            let result = a.wrapping_add(b).wrapping_add(carry);
            flags.set_add::<N>(a, b, result);
            result
        }
        SUB | SBB | CMP => {
            let result = a.wrapping_sub(b).wrapping_sub(carry);
            flags.set_subtract::<N>(a, b, result);
            result
        }
        _ => {
            let result = match OP {
                OR => a | b,
                XOR => a ^ b,
                _ => a & b,
            };
            flags.set_logic::<N>(result);
            result
        }
    }
}

const fn keeps(operation: u8) -> bool {
    operation != CMP && operation != TEST
}

fn register_register<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let a = state.registers.get::<N>(op.dest);
    let b = state.registers.get::<N>(op.source);
    let result = compute::<OP, N>(&mut state.registers.flags, a, b);
    if keeps(OP) {
        state.registers.put::<N>(op.dest, result);
    }
    Ok(())
}

fn register_immediate<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let a = state.registers.get::<N>(op.dest);
    let result = compute::<OP, N>(&mut state.registers.flags, a, op.immediate);
    if keeps(OP) {
        state.registers.put::<N>(op.dest, result);
    }
    Ok(())
}

fn register_memory<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let b = state.load::<N>(op)?;
    let a = state.registers.get::<N>(op.dest);
    let result = compute::<OP, N>(&mut state.registers.flags, a, b);
    if keeps(OP) {
        state.registers.put::<N>(op.dest, result);
    }
    Ok(())
}

#[inline(always)]
fn memory_value<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State, b: u32) -> Flow {
    let offset = state.offset(op);
    if !keeps(OP) {
        let a = state.load_at::<N>(op.segment(), offset)?;
        compute::<OP, N>(&mut state.registers.flags, a, b);
        return Ok(());
    }
    let (a, linear) = state.modify_at::<N>(op.segment(), offset)?;
    let mut flags = state.registers.flags;
    let result = compute::<OP, N>(&mut flags, a, b);
    state.store_again::<N>(op.segment(), linear, result)?;
    state.registers.flags = flags;
    state.settle()
}

fn memory_register<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let b = state.registers.get::<N>(op.source);
    memory_value::<OP, N>(op, state, b)
}

fn memory_immediate<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    memory_value::<OP, N>(op, state, op.immediate)
}

#[inline(always)]
fn compute_one<const OP: u8, const N: u32>(flags: &mut Flags, a: u32) -> u32 {
    match OP {
        INC | DEC => {
            let before = flags.carries;
            let result = if OP == INC {
                compute::<ADD, N>(flags, a, 1)
            } else {
                compute::<SUB, N>(flags, a, 1)
            };
            flags.keep_carry(before);
            result
        }
        NEG => compute::<SUB, N>(flags, 0, a),
        _ => !a,
    }
}

fn one_register<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let a = state.registers.get::<N>(op.dest);
    let result = compute_one::<OP, N>(&mut state.registers.flags, a);
    state.registers.put::<N>(op.dest, result);
    Ok(())
}

fn one_memory<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.offset(op);
    let (a, linear) = state.modify_at::<N>(op.segment(), offset)?;
    let mut flags = state.registers.flags;
    let result = compute_one::<OP, N>(&mut flags, a);
    state.store_again::<N>(op.segment(), linear, result)?;
    state.registers.flags = flags;
    state.settle()
}

/// The value of `source` for an immediate second operand.
pub(super) const IMMEDIATE: u8 = 0x40;

/// The handler of a two-operand operation; `source` is a register, [`MEMORY`] or [`IMMEDIATE`].
pub(super) fn two(operation: u8, bits: u32, dest: u8, source: u8) -> Handler {
    macro_rules! shaped {
        ($op:ident, $n:literal) => {
            match (dest & MEMORY != 0, source) {
                (false, IMMEDIATE) => register_immediate::<$op, $n>,
                (false, MEMORY) => register_memory::<$op, $n>,
                (false, _) => register_register::<$op, $n>,
                (true, IMMEDIATE) => memory_immediate::<$op, $n>,
                (true, _) => memory_register::<$op, $n>,
            }
        };
    }
    macro_rules! sized {
        ($op:ident) => {
            match bits {
                8 => shaped!($op, 8),
                16 => shaped!($op, 16),
                _ => shaped!($op, 32),
            }
        };
    }
    match operation {
        ADD => sized!(ADD),
        OR => sized!(OR),
        ADC => sized!(ADC),
        SBB => sized!(SBB),
        AND => sized!(AND),
        SUB => sized!(SUB),
        XOR => sized!(XOR),
        CMP => sized!(CMP),
        _ => sized!(TEST),
    }
}

/// The handler of INC, DEC, NEG or NOT.
pub(super) fn one(mnemonic: iced_x86::Mnemonic, bits: u32, dest: u8) -> Option<Handler> {
    macro_rules! sized {
        ($op:ident) => {
            match (bits, dest & MEMORY != 0) {
                (8, false) => one_register::<$op, 8>,
                (16, false) => one_register::<$op, 16>,
                (_, false) => one_register::<$op, 32>,
                (8, true) => one_memory::<$op, 8>,
                (16, true) => one_memory::<$op, 16>,
                (_, true) => one_memory::<$op, 32>,
            }
        };
    }
    use iced_x86::Mnemonic;
    Some(match mnemonic {
        Mnemonic::Inc => sized!(INC),
        Mnemonic::Dec => sized!(DEC),
        Mnemonic::Neg => sized!(NEG),
        Mnemonic::Not => sized!(NOT),
        _ => return None,
    })
}
