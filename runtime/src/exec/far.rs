//! Far transfers and returns from interrupts.
//!
//! Jumps and calls stay at their privilege level: there are no gates and no task segments. Returns may also go to outer
//! level 3; they then read two further words, the outer ESP and SS.

use super::access::ESP;
use super::{Flow, Leave, MEMORY, MicroOp, State};
use crate::fault::{Fault, FaultCause, SelectorFault, Vector};
use crate::registers::{CS, DS, ES, FS, GS, NT, SS, SegmentRegister, VM, descriptor};

/// The far pointer in memory or in the instruction, where `immediate` is the offset and `displacement` the selector.
fn target<const N: u32>(op: &MicroOp, state: &mut State) -> Result<(u16, u32), Leave> {
    if op.dest & MEMORY == 0 {
        return Ok((op.displacement as u16, op.immediate));
    }
    let place = state.offset(op);
    let offset = state.load_at::<N>(op.segment(), place)?;
    let selector = state.load_at::<16>(op.segment(), place.wrapping_add(N / 8) & op.offset_mask)?;
    Ok((selector as u16, offset))
}

/// The code segment of a jump or call, which cannot request another privilege level.
fn same_level(state: &mut State, selector: u16) -> Result<SegmentRegister, Leave> {
    let level = state.registers.cpl;
    if selector & !3 != 0 && (selector & 3) as u8 > level {
        return Err(state.selector_fault(selector, SelectorFault::LessPrivilegedRpl));
    }
    state.code_segment(selector, level)
}

pub(super) fn jmp<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let (selector, offset) = target::<N>(op, state)?;
    let code = same_level(state, selector)?;
    state.load_code_segment(code);
    state.jump(offset)
}

pub(super) fn call<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let (selector, offset) = target::<N>(op, state)?;
    let code = same_level(state, selector)?;
    let before = state.registers.general[ESP];
    let caller = u32::from(state.registers.segments[CS].selector());
    state.push::<N>(caller)?;
    if let Err(leave) = state.push::<N>(op.after()) {
        state.registers.general[ESP] = before;
        return Err(leave);
    }
    state.load_code_segment(code);
    state.jump(offset)
}

/// Returns to `selector:offset` and drops `bytes` plus `released` bytes from the stack. For an outer level, ESP and SS
/// are `bytes + released` above the top, and `released` bytes are dropped from the outer stack too.
fn go_back<const N: u32>(
    state: &mut State,
    selector: u16,
    bytes: u32,
    released: u32,
    flags: Option<u32>,
) -> Result<(), Leave> {
    let level = (selector & 3) as u8;
    let current = state.registers.cpl;
    if selector & !3 != 0 && level < current {
        return Err(state.selector_fault(selector, SelectorFault::ReturnInward));
    }
    if selector & !3 != 0 && descriptor(selector).is_none() {
        return Err(state.selector_fault(selector, SelectorFault::NoSegment));
    }
    let code = state.code_segment(selector, level)?;
    if level == current {
        state.drop_stack(bytes.wrapping_add(released));
        state.load_code_segment(code);
        return flags.map_or(Ok(()), |image| load_flags_quietly::<N>(state, image));
    }
    let top = state.peek::<N>(bytes.wrapping_add(released))?;
    let stack = state.peek::<N>(bytes.wrapping_add(released).wrapping_add(N / 8))? as u16;
    let stack = state.data_segment(SS, stack, level)?;
    if let Some(image) = flags {
        load_flags_quietly::<N>(state, image)?;
    }
    state.registers.cpl = level;
    state.load_code_segment(code);
    state.registers.segments[SS] = stack;
    state.registers.put::<N>(ESP as u8, top.wrapping_add(released));
    for number in [ES, DS, FS, GS] {
        let held = state.registers.segments[number].selector();
        if descriptor(held).is_some_and(|chosen| chosen.level < level) {
            state.registers.segments[number] = SegmentRegister::null(0);
        }
    }
    state.watch_alignment();
    Ok(())
}

/// The branch that follows ends the row anyway, so a trap flag needs no extra stop.
fn load_flags_quietly<const N: u32>(state: &mut State, image: u32) -> Flow {
    match state.load_flags::<N>(image) {
        Err(Leave::Settle) => Ok(()),
        other => other,
    }
}

/// RETF; the immediate is the number of parameter bytes to drop.
pub(super) fn ret<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.peek::<N>(0)?;
    let selector = state.peek::<N>(N / 8)? as u16;
    go_back::<N>(state, selector, N / 4, op.immediate, None)?;
    state.jump(offset)
}

pub(super) fn iret<const N: u32>(_: &MicroOp, state: &mut State) -> Flow {
    if state.registers.flags.rest & NT != 0 {
        return Err(state.raise(Fault::new(Vector::InvalidTss, Some(0), FaultCause::NestedTask)));
    }
    let offset = state.peek::<N>(0)?;
    let selector = state.peek::<N>(N / 8)? as u16;
    let image = state.peek::<N>(N / 4)?;
    if N == 32 && image & VM != 0 && state.registers.cpl == 0 {
        return Err(state.raise(Fault::new(Vector::GeneralProtection, Some(0), FaultCause::Virtual8086)));
    }
    go_back::<N>(state, selector, N / 8 * 3, 0, Some(image))?;
    state.jump(offset)
}
