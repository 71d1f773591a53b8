//! Call gates and the stacks of inner privilege levels.

use super::{Flow, Leave, MicroOp, State};
use p5_words::descriptor::{Descriptor, system};
use p5_words::facts::Route;
use p5_words::fault::{Fault, FaultCause, SelectorFault, Vector};
use p5_words::registers::{CS, SS, SegmentRegister};

/// The stack of an inner level while words are pushed to it, before it becomes current.
pub(super) struct InnerStack {
    pub(super) segment: SegmentRegister,
    /// The offset of the top.
    pub(super) top: u32,
}

impl InnerStack {
    fn mask(&self) -> u32 {
        if self.segment.wide() { u32::MAX } else { 0xFFFF }
    }
}

impl State {
    /// Loads the stack segment and pointer for `level` from the task state segment.
    pub(super) fn inner_stack(&mut self, level: u8) -> Result<InnerStack, Leave> {
        let task = self.registers.task;
        let (place, size) = if task.wide {
            (4 + 8 * u32::from(level), 4)
        } else {
            (2 + 4 * u32::from(level), 2)
        };
        if task.selector & !3 == 0 || place + u32::from(size) + 1 > task.limit {
            let error_code = Some(u32::from(task.selector & !3));
            let cause = FaultCause::NoInnerStack { level };
            return Err(self.raise(Fault::new(Vector::InvalidTss, error_code, cause)));
        }
        let top = self.read_system(task.base.wrapping_add(place), size)?;
        let place = task.base.wrapping_add(place + u32::from(size));
        let selector = self.read_system(place, 2)? as u16;
        if selector & !3 == 0 {
            return Err(self.selector_fault_of(Vector::InvalidTss, 0, SelectorFault::NullForSs));
        }
        let found = self.descriptor(Vector::InvalidTss, selector)?;
        let chosen = found.descriptor;
        if (selector & 3) as u8 != level || chosen.level() != level || !chosen.is_writable() {
            return Err(self.selector_fault_of(Vector::InvalidTss, selector, SelectorFault::BadInnerStack));
        }
        if !chosen.is_present() {
            return Err(self.selector_fault_of(Vector::Stack, selector, SelectorFault::NotPresent));
        }
        let segment = self.accessed(selector, found)?;
        Ok(InnerStack { segment, top })
    }

    /// Pushes `size` bytes to a stack of privilege level 0 to 2.
    pub(super) fn push_inner(&mut self, stack: &mut InnerStack, size: u8, value: u32) -> Result<(), Leave> {
        let top = stack.top.wrapping_sub(u32::from(size)) & stack.mask();
        if !stack.segment.holds(top, u32::from(size)) {
            let current = stack.segment == self.registers.segments[SS];
            let (selector, cause) = if current {
                (0, FaultCause::PastLimit)
            } else {
                (stack.segment.selector() & !3, FaultCause::InnerStackFull)
            };
            return Err(self.raise(Fault::new(Vector::Stack, Some(u32::from(selector)), cause)));
        }
        self.write_system(stack.segment.base().wrapping_add(top), size, value)?;
        stack.top = stack.top & !stack.mask() | top;
        Ok(())
    }

    /// Makes a stack current at `level`, after everything was pushed to it.
    pub(super) fn enter_inner_stack(&mut self, stack: &InnerStack, level: u8) {
        self.registers.cpl = level;
        self.set_segment(SS, stack.segment);
        self.registers.general[super::access::ESP] = stack.top;
        self.watch_alignment();
    }

    /// The descriptor of the code to which a call gate leads.
    fn gate_target(&mut self, gate: Descriptor) -> Result<super::descriptors::Found, Leave> {
        let selector = gate.gate_selector();
        if selector & !3 == 0 {
            return Err(self.selector_fault(0, SelectorFault::NullForCs));
        }
        let found = self.descriptor(Vector::GeneralProtection, selector)?;
        if !found.descriptor.is_code() || found.descriptor.level() > self.registers.cpl {
            return Err(self.selector_fault(selector, SelectorFault::BadGateTarget));
        }
        if !found.descriptor.is_present() {
            return Err(self.selector_fault_of(Vector::SegmentNotPresent, selector, SelectorFault::NotPresent));
        }
        Ok(found)
    }

    /// JMP through a call gate, which stays at its level.
    pub(super) fn jump_through(&mut self, gate: Descriptor) -> Flow {
        let found = self.gate_target(gate)?;
        let level = self.registers.cpl;
        let selector = gate.gate_selector();
        let code = self.code_segment(selector, level, found)?;
        self.check_entry(&code, gate.gate_offset())?;
        self.facts.route = Route::Gate;
        self.enter_code(code, gate.gate_offset())
    }

    /// CALL through a call gate.
    pub(super) fn call_through(&mut self, gate: Descriptor, op: &MicroOp) -> Flow {
        let found = self.gate_target(gate)?;
        let wide = gate.system_type() & system::WIDE != 0;
        let selector = gate.gate_selector();
        let level = found.descriptor.level();
        if found.descriptor.is_conforming() || level == self.registers.cpl {
            let code = self.code_segment(selector, self.registers.cpl, found)?;
            self.check_entry(&code, gate.gate_offset())?;
            if wide {
                self.push_return::<32>(op)?;
            } else {
                self.push_return::<16>(op)?;
            }
            self.facts.route = Route::Gate;
            return self.enter_code(code, gate.gate_offset());
        }
        let mut inner = self.inner_stack(level)?;
        let size = if wide { 4 } else { 2 };
        let outer = self.registers.segments[SS];
        let (caller, top) = (self.registers.segments[CS], self.registers.general[super::access::ESP]);
        let parameters = gate.gate_parameters();
        self.push_inner(&mut inner, size, u32::from(outer.selector()))?;
        self.push_inner(&mut inner, size, top)?;
        for index in (0..parameters).rev() {
            let offset = top.wrapping_add(index * u32::from(size));
            let offset = if outer.wide() { offset } else { offset & 0xFFFF };
            let value = self.read_parameter(offset, size)?;
            self.push_inner(&mut inner, size, value)?;
        }
        self.push_inner(&mut inner, size, u32::from(caller.selector()))?;
        self.push_inner(&mut inner, size, op.after().wrapping_sub(caller.base()))?;
        // The last two accesses are made by every far call.
        for access in self.facts.system.split_off(self.facts.system.len() - 2) {
            self.facts.push(access.address);
        }
        let code = self.code_segment(selector, level, found)?;
        self.check_entry(&code, gate.gate_offset())?;
        self.enter_inner_stack(&inner, level);
        self.facts.route = Route::InnerGate {
            parameters: parameters as u8,
        };
        self.enter_code(code, gate.gate_offset())
    }

    /// Reads a parameter from the caller's stack, with the caller's privilege.
    fn read_parameter(&mut self, offset: u32, size: u8) -> Result<u32, Leave> {
        let words = self.facts.len;
        let value = if size == 4 {
            self.load_at::<32>(super::access::STACK, offset)
        } else {
            self.load_at::<16>(super::access::STACK, offset)
        }?;
        let address = self.facts.word(words);
        self.facts.len = words;
        self.note_system(address, size, false);
        Ok(value)
    }
}
