//! PUSH, POP, PUSHA, POPA, PUSHF, POPF and LEAVE.

use super::access::{EBP, ESP, STACK};
use super::{Flow, Leave, MEMORY, MicroOp, State};
use iced_x86::Mnemonic;
use p5_words::registers::{AC, DF, ID, IF, IOPL, NT, RF, STATUS, TF, VM};

pub(super) fn push_register<const N: u32, const WIDE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.registers.get::<N>(op.dest);
    state.push::<N, WIDE>(value)?;
    state.settle()
}

pub(super) fn push_immediate<const N: u32, const WIDE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.push::<N, WIDE>(op.immediate)?;
    state.settle()
}

pub(super) fn push_memory<const N: u32, const WIDE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.load::<N>(op)?;
    state.push::<N, WIDE>(value)?;
    state.settle()
}

pub(super) fn pop<const N: u32, const WIDE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    if op.dest & MEMORY == 0 {
        let value = state.pop::<N, WIDE>()?;
        state.registers.put::<N>(op.dest, value);
        return Ok(());
    }
    // An address with ESP uses its value after the pop.
    let before = state.registers.general[ESP];
    let value = state.pop::<N, WIDE>()?;
    if let Err(leave) = state.store::<N>(op, value) {
        state.registers.general[ESP] = before;
        return Err(leave);
    }
    state.settle()
}

pub(super) fn push_all<const N: u32, const WIDE: bool>(_: &MicroOp, state: &mut State) -> Flow {
    let before = state.registers.general[ESP];
    for number in 0..8 {
        let value = if usize::from(number) == ESP {
            before
        } else {
            state.registers.get::<N>(number)
        };
        if let Err(leave) = state.push::<N, WIDE>(value) {
            state.registers.general[ESP] = before;
            return Err(leave);
        }
    }
    state.settle()
}

/// POPA. The slot of ESP is skipped but counts as an access. A fault keeps the registers loaded before it, as on
/// silicon; ESP changes last, so that the instruction can be restarted.
pub(super) fn pop_all<const N: u32, const WIDE: bool>(_: &MicroOp, state: &mut State) -> Flow {
    for (count, number) in (0..8u8).rev().enumerate() {
        let value = state.peek::<N, WIDE>(count as u32 * (N / 8))?;
        if usize::from(number) != ESP {
            state.registers.put::<N>(number, value);
        }
    }
    state.drop_stack::<WIDE>(N);
    Ok(())
}

pub(super) fn push_flags<const N: u32, const WIDE: bool>(_: &MicroOp, state: &mut State) -> Flow {
    let image = state.registers.eflags() & !(RF | VM);
    state.push::<N, WIDE>(image)?;
    state.settle()
}

/// PUSHF in virtual 8086 mode.
pub(super) fn push_virtual_flags<const N: u32, const WIDE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.need_virtual_level(Mnemonic::Pushf)?;
    push_flags::<N, WIDE>(op, state)
}

/// POPF in virtual 8086 mode.
pub(super) fn pop_virtual_flags<const N: u32, const WIDE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.need_virtual_level(Mnemonic::Popf)?;
    pop_flags::<N, WIDE>(op, state)
}

impl State {
    /// Sets `N` bits of EFLAGS as POPF and IRET do at the current privilege level.
    pub(super) fn load_flags<const N: u32>(&mut self, image: u32) -> Flow {
        let mut mask = STATUS | TF | DF | NT | AC | ID;
        if self.registers.cpl == 0 {
            mask |= IOPL;
        }
        if self.registers.cpl <= self.registers.iopl() {
            mask |= IF;
        }
        let mut before = self.registers.eflags();
        if N == 16 {
            mask &= 0xFFFF;
        } else {
            before &= !RF;
        }
        self.registers.set_eflags((before & !mask) | (image & mask));
        self.watch_alignment();
        if self.registers.flags.rest & TF != 0 {
            return Err(Leave::Settle);
        }
        Ok(())
    }
}

pub(super) fn pop_flags<const N: u32, const WIDE: bool>(_: &MicroOp, state: &mut State) -> Flow {
    let image = state.pop::<N, WIDE>()?;
    state.load_flags::<N>(image)
}

pub(super) fn leave<const N: u32, const WIDE: bool>(_: &MicroOp, state: &mut State) -> Flow {
    let frame = state.registers.general[EBP];
    let value = state.load_at::<N>(STACK, if WIDE { frame } else { frame & 0xFFFF })?;
    state.set_stack_offset::<WIDE>(frame.wrapping_add(N / 8));
    state.registers.put::<N>(EBP as u8, value);
    Ok(())
}
