//! Far transfers and returns from interrupts.
//!
//! A call through a gate to an inner privilege level is in `gates`. Returns to an outer level read ESP and SS too, and
//! returns to virtual 8086 mode all segment registers. Transfers to other tasks are in
//! `tasks`.

use super::descriptors::Found;
use super::tasks::Switch;
use super::{Flow, Leave, MEMORY, MicroOp, State};
use iced_x86::Mnemonic;
use p5_words::descriptor::system;
use p5_words::facts::Route;
use p5_words::fault::{FaultCause, SelectorFault, Vector};
use p5_words::mode::Operation;
use p5_words::registers::{CS, DS, ES, FS, GS, IOPL, NT, RF, SS, SegmentRegister, VM};

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

/// The target of a far jump or call.
enum Target {
    /// Code that runs at the current level.
    Code(SegmentRegister),
    /// A call gate that is present and accessible.
    Gate(p5_words::descriptor::Descriptor),
    /// A task state segment that can be entered, with its selector.
    Task(u16, Found),
}

impl State {
    /// The target of a jump or call to `selector`.
    fn far_target(&mut self, selector: u16) -> Result<Target, Leave> {
        let before = self.registers.segments[CS];
        match self.registers.operation() {
            Operation::Real => return Ok(Target::Code(before.reloaded_in_real_mode(selector))),
            Operation::Virtual => return Ok(Target::Code(SegmentRegister::virtual_8086(selector))),
            Operation::Protected => {}
        }
        let level = self.registers.cpl;
        let requested = (selector & 3) as u8;
        if selector & !3 == 0 {
            return Err(self.selector_fault(0, SelectorFault::NullForCs));
        }
        let found = self.descriptor(Vector::GeneralProtection, selector)?;
        let chosen = found.descriptor;
        if chosen.is_segment() {
            if chosen.is_code() && !chosen.is_conforming() && requested > level {
                return Err(self.selector_fault(selector, SelectorFault::LessPrivilegedRpl));
            }
            return Ok(Target::Code(self.code_segment(selector, level, found)?));
        }
        let wide = chosen.system_type() & !system::WIDE;
        let kind = chosen.system_type();
        let task = matches!(wide, system::AVAILABLE_TASK | system::BUSY_TASK);
        let known = wide == system::CALL_GATE || kind == system::TASK_GATE || task;
        if !known {
            return Err(self.selector_fault(selector, SelectorFault::WrongKind));
        }
        if chosen.level() < level.max(requested) {
            return Err(self.selector_fault(selector, SelectorFault::MorePrivileged));
        }
        if task {
            let found = self.task(selector, Vector::GeneralProtection, false)?;
            return Ok(Target::Task(selector, found));
        }
        if !chosen.is_present() {
            return Err(self.selector_fault_of(Vector::SegmentNotPresent, selector, SelectorFault::NotPresent));
        }
        if wide == system::CALL_GATE {
            return Ok(Target::Gate(chosen));
        }
        let selector = chosen.gate_selector();
        let found = self.task(selector, Vector::GeneralProtection, false)?;
        Ok(Target::Task(selector, found))
    }

    /// Continues at `offset` in the code segment that was just checked. Raises a fault before any change if the offset
    /// is past the segment's limit.
    pub(super) fn check_entry(&mut self, code: &SegmentRegister, offset: u32) -> Result<(), Leave> {
        if offset > code.limit() {
            return Err(self.protection(FaultCause::PastLimit));
        }
        Ok(())
    }

    pub(super) fn enter_code(&mut self, code: SegmentRegister, offset: u32) -> Flow {
        self.keep_held(CS, &code);
        self.set_segment(CS, code);
        self.jump(code.base().wrapping_add(offset))
    }

    /// Pushes `N` bits, with the width of the stack segment.
    pub(super) fn push_far<const N: u32>(&mut self, value: u32) -> Result<(), Leave> {
        if self.registers.segments[SS].wide() {
            self.push::<N, true>(value)
        } else {
            self.push::<N, false>(value)
        }
    }

    fn peek_far<const N: u32>(&mut self, distance: u32) -> Result<u32, Leave> {
        if self.registers.segments[SS].wide() {
            self.peek::<N, true>(distance)
        } else {
            self.peek::<N, false>(distance)
        }
    }

    /// Reads `N` bits above the words that every return of its kind reads.
    fn peek_beyond<const N: u32>(&mut self, distance: u32) -> Result<u32, Leave> {
        let words = self.facts.len;
        let value = self.peek_far::<N>(distance)?;
        self.facts.len = words;
        if self.registers.has_tables() {
            let address = self.facts.word(words);
            self.note_system(address, (N / 8) as u8, false);
        }
        Ok(value)
    }

    fn drop_far(&mut self, bytes: u32) {
        if self.registers.segments[SS].wide() {
            self.drop_stack::<true>(bytes);
        } else {
            self.drop_stack::<false>(bytes);
        }
    }
}

pub(super) fn jmp<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let (selector, offset) = target::<N>(op, state)?;
    match state.far_target(selector)? {
        Target::Code(code) => {
            state.check_entry(&code, offset)?;
            state.enter_code(code, offset)
        }
        Target::Gate(gate) => state.jump_through(gate),
        Target::Task(selector, found) => state.leave_task(op, selector, found, Switch::Jump),
    }
}

pub(super) fn call<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let (selector, offset) = target::<N>(op, state)?;
    match state.far_target(selector)? {
        Target::Code(code) => {
            state.check_entry(&code, offset)?;
            state.push_return::<N>(op)?;
            state.enter_code(code, offset)
        }
        Target::Gate(gate) => state.call_through(gate, op),
        Target::Task(selector, found) => {
            let result = state.leave_task(op, selector, found, Switch::Nested);
            // Every far call makes this number of accesses.
            state.facts.turn_into_words(2, true);
            result
        }
    }
}

impl State {
    /// Switches to another task. The current one continues after `op`.
    fn leave_task(&mut self, op: &MicroOp, selector: u16, found: Found, switch: Switch) -> Flow {
        let offset = op.after().wrapping_sub(self.registers.segments[CS].base());
        let flags = self.registers.eflags();
        self.switch_task(selector, found, switch, offset, flags)?;
        Err(Leave::Branch)
    }

    /// Pushes CS and the offset of the next instruction.
    pub(super) fn push_return<const N: u32>(&mut self, op: &MicroOp) -> Result<(), Leave> {
        let before = self.registers.general[super::access::ESP];
        let code = self.registers.segments[CS];
        self.push_far::<N>(u32::from(code.selector()))?;
        if let Err(leave) = self.push_far::<N>(op.after().wrapping_sub(code.base())) {
            self.registers.general[super::access::ESP] = before;
            return Err(leave);
        }
        Ok(())
    }

    /// Returns to `selector:offset` and drops `bytes` plus `released` bytes from the stack. For an outer level, ESP and
    /// SS are `bytes + released` above the top, and `released` bytes are dropped from the outer stack too.
    fn go_back<const N: u32>(
        &mut self,
        selector: u16,
        offset: u32,
        bytes: u32,
        released: u32,
        flags: Option<u32>,
    ) -> Flow {
        let dropped = bytes.wrapping_add(released);
        let before = self.registers.segments[CS];
        let code = match self.registers.operation() {
            Operation::Real => before.reloaded_in_real_mode(selector),
            Operation::Virtual => SegmentRegister::virtual_8086(selector),
            Operation::Protected => return self.go_back_protected::<N>(selector, offset, dropped, released, flags),
        };
        self.check_entry(&code, offset)?;
        self.drop_far(dropped);
        if let Some(image) = flags {
            self.load_flags_quietly::<N>(image)?;
        }
        self.enter_code(code, offset)
    }

    fn go_back_protected<const N: u32>(
        &mut self,
        selector: u16,
        offset: u32,
        dropped: u32,
        released: u32,
        flags: Option<u32>,
    ) -> Flow {
        let level = (selector & 3) as u8;
        let current = self.registers.cpl;
        if selector & !3 == 0 {
            return Err(self.selector_fault(0, SelectorFault::NullForCs));
        }
        if level < current {
            return Err(self.selector_fault(selector, SelectorFault::ReturnInward));
        }
        let found = self.descriptor(Vector::GeneralProtection, selector)?;
        let code = self.code_segment(selector, level, found)?;
        if level == current {
            self.check_entry(&code, offset)?;
            self.drop_far(dropped);
            if let Some(image) = flags {
                self.load_flags_quietly::<N>(image)?;
            }
            return self.enter_code(code, offset);
        }
        let top = self.peek_beyond::<N>(dropped)?;
        let stack = self.peek_beyond::<N>(dropped.wrapping_add(N / 8))? as u16;
        let stack = self.data_segment(SS, stack, level)?;
        self.check_entry(&code, offset)?;
        if let Some(image) = flags {
            self.load_flags_quietly::<N>(image)?;
        }
        if self.registers.has_tables() {
            self.facts.route = Route::Outer;
        }
        self.registers.cpl = level;
        self.set_segment(SS, stack);
        let top = top.wrapping_add(released);
        // ESP is loaded only to the width of the stack segment, and of the value on the stack.
        if stack.wide() && N == 32 {
            self.set_stack_offset::<true>(top);
        } else if stack.wide() {
            self.registers.put::<N>(super::access::ESP as u8, top);
        } else {
            self.set_stack_offset::<false>(top);
        }
        for number in [ES, DS, FS, GS] {
            let held = self.registers.segments[number];
            let conforming = held.is_code() && held.conforming();
            if held.usable() && held.level() < level && !conforming {
                self.registers.segments[number] = SegmentRegister::null(0);
            }
        }
        self.watch_alignment();
        self.enter_code(code, offset)
    }

    /// Loads the flags without an extra stop for the trap flag, because the branch that follows ends the row anyway.
    fn load_flags_quietly<const N: u32>(&mut self, image: u32) -> Flow {
        let resumes = if N == 32 { image & RF } else { 0 };
        match self.load_flags::<N>(image) {
            Ok(()) | Err(Leave::Settle) => {
                self.registers.flags.rest |= resumes;
                Ok(())
            }
            other => other,
        }
    }

    /// IRETD to virtual 8086 mode.
    fn enter_virtual(&mut self, selector: u16, offset: u32, image: u32) -> Flow {
        let mut words = [0; 6];
        for (index, word) in (0..).zip(&mut words) {
            *word = self.peek_beyond::<32>(12 + 4 * index)?;
        }
        let [top, stack, extra, data, third, fourth] = words;
        let code = SegmentRegister::virtual_8086(selector);
        self.check_entry(&code, offset)?;
        self.registers.set_eflags(image);
        self.registers.cpl = 3;
        self.registers.general[super::access::ESP] = top;
        for (number, selector) in [(SS, stack), (ES, extra), (DS, data), (FS, third), (GS, fourth)] {
            self.set_segment(number, SegmentRegister::virtual_8086(selector as u16));
        }
        self.facts.route = Route::EntersVirtual;
        self.watch_alignment();
        self.enter_code(code, offset)
    }
}

/// RETF; the immediate is the number of parameter bytes to drop.
pub(super) fn ret<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.peek_far::<N>(0)?;
    let selector = state.peek_far::<N>(N / 8)? as u16;
    state.go_back::<N>(selector, offset, N / 4, op.immediate, None)
}

pub(super) fn iret<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let operation = state.registers.operation();
    if operation == Operation::Virtual {
        state.need_virtual_level(Mnemonic::Iret)?;
    }
    if operation == Operation::Protected && state.registers.flags.rest & NT != 0 {
        let offset = op.after().wrapping_sub(state.registers.segments[CS].base());
        let result = state.return_to_task(offset);
        // Every IRET makes this number of accesses.
        state.facts.turn_into_words(3, false);
        if matches!(result, Ok(()) | Err(Leave::FaultInTask)) {
            // A fault in the task that is returned to no longer belongs to the handler.
            state.forget_raised();
        }
        result?;
        return Err(Leave::Branch);
    }
    let offset = state.peek_far::<N>(0)?;
    let selector = state.peek_far::<N>(N / 8)? as u16;
    let mut image = state.peek_far::<N>(N / 4)?;
    if N == 32 && operation == Operation::Protected && image & VM != 0 && state.registers.cpl == 0 {
        let result = state.enter_virtual(selector, offset, image);
        if result == Err(Leave::Branch) {
            state.forget_raised();
        }
        return result;
    }
    if operation == Operation::Virtual {
        // IOPL does not change.
        image = image & !IOPL | state.registers.flags.rest & IOPL;
    }
    let result = state.go_back::<N>(selector, offset, N / 8 * 3, 0, Some(image));
    if result == Err(Leave::Branch) {
        state.forget_raised();
    }
    result
}
