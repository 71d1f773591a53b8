//! Moves, extensions, and instructions that only move flags.

use super::alu::IMMEDIATE;
use super::{Flow, Handler, MEMORY, MicroOp, State};
use iced_x86::Mnemonic;
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::registers::{AF, CF, DF, IF, PF, SF, ZF};

const EAX: u8 = 0;
const EDX: u8 = 2;
const EBX: u8 = 3;
const AH: u8 = 4;

fn mov_register_register<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.registers.get::<N>(op.source);
    state.registers.put::<N>(op.dest, value);
    Ok(())
}

fn mov_register_immediate<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.registers.put::<N>(op.dest, op.immediate);
    Ok(())
}

fn mov_register_memory<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.load::<N>(op)?;
    state.registers.put::<N>(op.dest, value);
    Ok(())
}

fn mov_memory_register<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.registers.get::<N>(op.source);
    state.store::<N>(op, value)?;
    state.settle()
}

fn mov_memory_immediate<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.store::<N>(op, op.immediate)?;
    state.settle()
}

/// The handler of MOV between general registers, memory and immediates.
pub(super) fn mov(bits: u32, dest: u8, source: u8) -> Handler {
    macro_rules! shaped {
        ($n:literal) => {
            match (dest & MEMORY != 0, source) {
                (false, IMMEDIATE) => mov_register_immediate::<$n>,
                (false, MEMORY) => mov_register_memory::<$n>,
                (false, _) => mov_register_register::<$n>,
                (true, IMMEDIATE) => mov_memory_immediate::<$n>,
                (true, _) => mov_memory_register::<$n>,
            }
        };
    }
    match bits {
        8 => shaped!(8),
        16 => shaped!(16),
        _ => shaped!(32),
    }
}

pub(super) fn lea<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.offset(op);
    state.registers.put::<N>(op.dest, offset);
    Ok(())
}

pub(super) fn nop(_: &MicroOp, _: &mut State) -> Flow {
    Ok(())
}

/// MOVZX and MOVSX from `FROM` to `TO` bits.
pub(super) fn extend<const SIGNED: bool, const FROM: u32, const TO: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let mut value = state.read_source::<FROM>(op)?;
    if SIGNED {
        value = p5_words::registers::sign_extend::<FROM>(value);
    }
    state.registers.put::<TO>(op.dest, value);
    Ok(())
}

/// CBW (`FROM` 8) and CWDE (`FROM` 16).
pub(super) fn widen_accumulator<const FROM: u32, const TO: u32>(_: &MicroOp, state: &mut State) -> Flow {
    let value = p5_words::registers::sign_extend::<FROM>(state.registers.get::<FROM>(EAX));
    state.registers.put::<TO>(EAX, value);
    Ok(())
}

/// CWD and CDQ.
pub(super) fn spread_sign<const N: u32>(_: &MicroOp, state: &mut State) -> Flow {
    let value = p5_words::registers::sign_extend::<N>(state.registers.get::<N>(EAX));
    state.registers.put::<N>(EDX, ((value as i32) >> 31) as u32);
    Ok(())
}

/// XLAT; the memory operand has neither base nor index here, and `offset_mask` selects BX or EBX.
pub(super) fn xlat(op: &MicroOp, state: &mut State) -> Flow {
    let base = state.registers.get::<32>(EBX);
    let offset = base.wrapping_add(state.registers.get::<8>(EAX)) & op.offset_mask;
    let value = state.load_at::<8>(op.segment(), offset)?;
    state.registers.put::<8>(EAX, value);
    Ok(())
}

/// SETcc; `immediate` is the condition.
pub(super) fn set_condition(op: &MicroOp, state: &mut State) -> Flow {
    let holds = state.registers.flags.condition(op.immediate as u8);
    state.write_dest::<8>(op, u32::from(holds))?;
    state.settle()
}

/// CMOVcc; `immediate` is the condition. The source is read whether it holds or not.
pub(super) fn conditional<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.read_source::<N>(op)?;
    if state.registers.flags.condition(op.immediate as u8) {
        state.registers.put::<N>(op.dest, value);
    }
    Ok(())
}

pub(super) fn lahf(_: &MicroOp, state: &mut State) -> Flow {
    let flags = (state.registers.flags.status() & 0xFF) | 2;
    state.registers.put::<8>(AH, flags);
    Ok(())
}

pub(super) fn sahf(_: &MicroOp, state: &mut State) -> Flow {
    let bits = state.registers.get::<8>(AH);
    state.registers.flags.set_status_masked(CF | PF | AF | ZF | SF, bits);
    Ok(())
}

pub(super) fn salc(_: &MicroOp, state: &mut State) -> Flow {
    let value = if state.registers.flags.carry() { 0xFF } else { 0 };
    state.registers.put::<8>(EAX, value);
    Ok(())
}

pub(super) fn clc(_: &MicroOp, state: &mut State) -> Flow {
    state.registers.flags.set_carry(false);
    Ok(())
}

pub(super) fn stc(_: &MicroOp, state: &mut State) -> Flow {
    state.registers.flags.set_carry(true);
    Ok(())
}

pub(super) fn cmc(_: &MicroOp, state: &mut State) -> Flow {
    let carry = state.registers.flags.carry();
    state.registers.flags.set_carry(!carry);
    Ok(())
}

pub(super) fn cld(_: &MicroOp, state: &mut State) -> Flow {
    state.registers.flags.rest &= !DF;
    Ok(())
}

pub(super) fn std(_: &MicroOp, state: &mut State) -> Flow {
    state.registers.flags.rest |= DF;
    Ok(())
}

pub(super) fn cli(_: &MicroOp, state: &mut State) -> Flow {
    state.need_io(Mnemonic::Cli)?;
    state.registers.flags.rest &= !IF;
    Ok(())
}

pub(super) fn sti(_: &MicroOp, state: &mut State) -> Flow {
    state.need_io(Mnemonic::Sti)?;
    state.registers.flags.rest |= IF;
    Ok(())
}

pub(super) fn undefined(_: &MicroOp, state: &mut State) -> Flow {
    Err(state.raise(Fault::new(Vector::InvalidOpcode, None, FaultCause::Undefined)))
}
