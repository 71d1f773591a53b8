//! Segment registers and instructions that query selectors.

use super::{Flow, Leave, MEMORY, MicroOp, State};
use crate::fault::{Fault, FaultCause, SelectorFault, Vector};
use crate::registers::{CS, SS, SegmentRegister, ZF, descriptor};

impl State {
    #[cold]
    pub(super) fn selector_fault(&mut self, selector: u16, why: SelectorFault) -> Leave {
        self.raise(Fault::new(
            Vector::GeneralProtection,
            Some(u32::from(selector & !3)),
            FaultCause::Selector(why),
        ))
    }

    /// The value of a data or stack segment register after `selector` is loaded into it.
    pub(super) fn data_segment(&mut self, number: usize, selector: u16, level: u8) -> Result<SegmentRegister, Leave> {
        let requested = (selector & 3) as u8;
        if selector & !3 == 0 {
            if number == SS {
                return Err(self.selector_fault(0, SelectorFault::NullForSs));
            }
            return Ok(SegmentRegister::null(selector));
        }
        let Some(chosen) = descriptor(selector) else {
            return Err(self.selector_fault(selector, SelectorFault::NoSegment));
        };
        if number == SS {
            if chosen.code || chosen.level != level || requested != level {
                return Err(self.selector_fault(selector, SelectorFault::NotForSs));
            }
        } else if chosen.level < level.max(requested) {
            return Err(self.selector_fault(selector, SelectorFault::MorePrivileged));
        }
        Ok(SegmentRegister::new(selector, 0, u32::MAX, !chosen.code))
    }

    pub(super) fn load_segment(&mut self, number: usize, selector: u16) -> Flow {
        let level = self.registers.cpl;
        let register = self.data_segment(number, selector, level)?;
        if let Some(place) = self.registers.segments.get_mut(number) {
            *place = register;
        }
        Ok(())
    }

    /// Checks that `selector` selects code of privilege level `level`.
    pub(super) fn code_segment(&mut self, selector: u16, level: u8) -> Result<SegmentRegister, Leave> {
        if selector & !3 == 0 {
            return Err(self.selector_fault(0, SelectorFault::NullForCs));
        }
        match descriptor(selector) {
            Some(chosen) if chosen.code && chosen.level == level => Ok(SegmentRegister::new(
                (selector & !3) | u16::from(level),
                0,
                u32::MAX,
                false,
            )),
            Some(_) => Err(self.selector_fault(selector, SelectorFault::NotForCs)),
            None => Err(self.selector_fault(selector, SelectorFault::NoSegment)),
        }
    }

    pub(super) fn load_code_segment(&mut self, register: SegmentRegister) {
        self.registers.segments[CS] = register;
    }

    fn selector_of(&self, number: u8) -> u32 {
        self.registers
            .segments
            .get(usize::from(number))
            .map_or(0, |register| u32::from(register.selector()))
    }
}

/// MOV to a general register or memory from segment register `immediate`; memory takes 16 bits.
pub(super) fn store_selector<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.selector_of(op.immediate as u8);
    state.write_dest::<N>(op, value)?;
    state.settle()
}

/// MOV to segment register `immediate`.
pub(super) fn mov_segment(op: &MicroOp, state: &mut State) -> Flow {
    let selector = state.read_source::<16>(op)?;
    state.load_segment(op.immediate as usize, selector as u16)
}

pub(super) fn push_segment<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.selector_of(op.immediate as u8);
    state.push::<N>(value)?;
    state.settle()
}

pub(super) fn pop_segment<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.peek::<N>(0)?;
    state.load_segment(op.immediate as usize, value as u16)?;
    state.drop_stack(N / 8);
    Ok(())
}

/// LDS, LES, LFS, LGS and LSS: the segment register is `immediate`.
pub(super) fn load_far_pointer<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.offset(op);
    let value = state.load_at::<N>(op.segment(), offset)?;
    let selector = state.load_at::<16>(op.segment(), offset.wrapping_add(N / 8) & op.offset_mask)?;
    state.load_segment(op.immediate as usize, selector as u16)?;
    state.registers.put::<N>(op.dest, value);
    Ok(())
}

fn set_zero(state: &mut State, zero: bool) {
    state.registers.flags.set_status_masked(ZF, if zero { ZF } else { 0 });
}

/// The descriptor, if a program at the current level may query it.
fn visible(state: &State, selector: u16) -> Option<crate::registers::Descriptor> {
    let requested = (selector & 3) as u8;
    descriptor(selector).filter(|chosen| chosen.level >= state.registers.cpl.max(requested))
}

/// LAR: the access byte in bits 8-15, granularity and size (both set) in bits 23 and 22.
pub(super) fn access_rights<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let selector = state.read_source::<16>(op)? as u16;
    let chosen = visible(state, selector);
    if let Some(chosen) = chosen {
        let kind = if chosen.code { 0x9B00 } else { 0x9300 };
        let rights = 0x00C0_0000 | kind | (u32::from(chosen.level) << 13);
        state.registers.put::<N>(op.dest, rights);
    }
    set_zero(state, chosen.is_some());
    Ok(())
}

/// LSL: every segment is 4 GiB.
pub(super) fn segment_limit<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let selector = state.read_source::<16>(op)? as u16;
    let seen = visible(state, selector).is_some();
    if seen {
        state.registers.put::<N>(op.dest, u32::MAX);
    }
    set_zero(state, seen);
    Ok(())
}

/// VERR, and VERW if `WRITE`.
pub(super) fn verify<const WRITE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let selector = state.read_dest::<16>(op)? as u16;
    let allowed = visible(state, selector).is_some_and(|chosen| !WRITE || !chosen.code);
    set_zero(state, allowed);
    Ok(())
}

/// ARPL. Memory is written only if the level is raised; the fact of the write is always pushed, so that the number of
/// facts depends on the instruction alone.
pub(super) fn adjust_level(op: &MicroOp, state: &mut State) -> Flow {
    let before = state.read_dest::<16>(op)?;
    let wanted = state.registers.get::<16>(op.source) & 3;
    let raised = before & 3 < wanted;
    if raised {
        state.write_dest::<16>(op, (before & !3) | wanted)?;
    } else if op.dest & MEMORY != 0 {
        let offset = state.offset(op);
        let base = state.registers.segments[usize::from(op.segment())].base();
        state.facts.push(base.wrapping_add(offset));
    }
    set_zero(state, raised);
    state.settle()
}
