//! Segment registers and instructions that query selectors.

use super::descriptors::Found;
use super::{Flow, MEMORY, MicroOp, State};
use p5_words::descriptor::system;
use p5_words::facts::Route;
use p5_words::mode::Operation;
use p5_words::registers::{SegmentRegister, ZF};

impl State {
    pub(super) fn load_segment(&mut self, number: usize, selector: u16) -> Flow {
        let before = self.registers.segments[number];
        let register = match self.registers.operation() {
            Operation::Real => before.reloaded_in_real_mode(selector),
            Operation::Virtual => SegmentRegister::virtual_8086(selector),
            Operation::Protected => self.data_segment(number, selector, self.registers.cpl)?,
        };
        self.keep_held(number, &register);
        self.set_segment(number, register);
        Ok(())
    }

    /// Takes the usual path, which reads no descriptor, if the segment register already holds the descriptor that was
    /// just found for it, and no other was looked up.
    pub(super) fn keep_held(&mut self, number: usize, register: &SegmentRegister) {
        let before = &self.registers.segments[number];
        let held = before == register && before.usable() && self.former_tables & (1 << number) == 0;
        if held && self.facts.route == Route::Descriptor {
            self.facts.route = Route::Usual;
            self.facts.system.clear();
        }
    }

    /// Sets a segment register; CS and SS are part of the mode.
    pub(super) fn set_segment(&mut self, number: usize, register: SegmentRegister) {
        self.former_tables &= !(1 << number);
        if let Some(place) = self.registers.segments.get_mut(number) {
            *place = register;
        }
        self.facts.mode_changed = true;
    }

    fn selector_of(&self, number: u8) -> u32 {
        self.registers
            .segments
            .get(usize::from(number))
            .map_or(0, |register| u32::from(register.selector()))
    }

    /// The descriptor for a selector, if a program at the current level may query it.
    fn visible(&mut self, selector: u16) -> Result<Option<Found>, super::Leave> {
        if selector & !3 == 0 {
            return Ok(None);
        }
        let least = self.registers.cpl.max((selector & 3) as u8);
        let found = self.find_descriptor(selector)?;
        Ok(found.filter(|found| found.descriptor.is_conforming() || found.descriptor.level() >= least))
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

pub(super) fn push_segment<const N: u32, const WIDE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.selector_of(op.immediate as u8);
    state.push::<N, WIDE>(value)?;
    state.settle()
}

pub(super) fn pop_segment<const N: u32, const WIDE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.peek::<N, WIDE>(0)?;
    state.load_segment(op.immediate as usize, value as u16)?;
    state.drop_stack::<WIDE>(N / 8);
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

/// Whether LAR, and LSL unless `GATES`, can query a descriptor of this kind.
fn is_queried<const GATES: bool>(found: &Found) -> bool {
    let task = matches!(
        found.descriptor.system_type() & !system::WIDE,
        system::AVAILABLE_TASK | system::BUSY_TASK
    );
    let gate = match found.descriptor.system_type() {
        system::LOCAL_TABLE => true,
        kind => GATES && (kind & !system::WIDE == system::CALL_GATE || kind == system::TASK_GATE),
    };
    found.descriptor.is_segment() || task || gate
}

/// LAR: the access byte in bits 8-15, the flags in bits 20-23.
pub(super) fn access_rights<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let selector = state.read_source::<16>(op)? as u16;
    let found = state.visible(selector)?.filter(is_queried::<true>);
    if let Some(found) = found {
        state.registers.put::<N>(op.dest, found.descriptor.high & 0x00F0_FF00);
    }
    set_zero(state, found.is_some());
    Ok(())
}

/// LSL: the limit in bytes.
pub(super) fn segment_limit<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let selector = state.read_source::<16>(op)? as u16;
    let found = state.visible(selector)?.filter(is_queried::<false>);
    if let Some(found) = found {
        state.registers.put::<N>(op.dest, found.descriptor.limit());
    }
    set_zero(state, found.is_some());
    Ok(())
}

/// VERR, and VERW if `WRITE`.
pub(super) fn verify<const WRITE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let selector = state.read_dest::<16>(op)? as u16;
    let found = state.visible(selector)?;
    let allowed = found.is_some_and(|found| {
        if WRITE {
            found.descriptor.is_writable()
        } else {
            found.descriptor.is_readable()
        }
    });
    set_zero(state, allowed);
    Ok(())
}

/// ARPL. Memory is written only if the level is raised. The fact of the write is always pushed, so that the number of
/// facts depends only on the instruction.
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
