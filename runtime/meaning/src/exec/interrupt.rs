//! Interrupts and exceptions: delivery to the handlers of the program, through its interrupt table.
//!
//! A fault during the delivery of another is delivered instead of it, becomes a double fault, or shuts the processor
//! down. `machine` decides when an interrupt from outside is delivered.

use super::gates::InnerStack;
use super::tasks::Switch;
use super::{Leave, State};
use p5_words::descriptor::{Descriptor, system};
use p5_words::facts::Route;
use p5_words::fault::{Fault, FaultCause, SelectorFault, Vector};
use p5_words::mode::Operation;
use p5_words::registers::{AC, CS, DS, ES, FS, GS, IF, NT, RF, SS, SegmentRegister, TF, VM};

/// An event that interrupts a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// INT n after its completion, by its vector.
    Software(u8),
    /// An exception, with its cause.
    Exception(Fault),
    /// An interrupt from outside the program, by its vector, between two instructions.
    External(u8),
}

/// The outcome of delivering an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The handler executes next. The facts describe the delivery.
    Delivered,
    /// The program has no handler, and nothing has changed.
    Unhandled,
    /// The processor shuts down, because not even a double fault could be delivered. The last event in
    /// [`State::raised`] is the fault that prevented it.
    Shutdown,
}

/// An event that the program is handling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The event that was raised.
    pub event: Event,
    /// The linear address of the instruction that raised it.
    pub address: u32,
    /// Whether the delivery of the previous event raised it, which it then replaced.
    pub instead: bool,
}

/// The maximum number of events that are kept while they are handled: the last ones.
const MOST_RAISED: usize = 16;

/// The sizes of an entry of the interrupt table in real mode and in protected mode.
const FAR_POINTER: u32 = 4;
const GATE: u32 = 8;
/// The bits of an error code for a gate of the interrupt table, and for an event from outside the program.
const IN_INTERRUPT_TABLE: u32 = 2;
const EXTERNAL: u32 = 1;

/// The error code of an exception that concerns the gate of `vector`.
pub fn gate_error(vector: u8) -> u32 {
    (u32::from(vector) * GATE) | IN_INTERRUPT_TABLE
}

/// The class of an exception, which decides the result if one is raised while another is delivered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Severity {
    Benign,
    Contributory,
    Page,
    Double,
}

fn severity(event: &Event) -> Severity {
    match event {
        Event::Software(_) | Event::External(_) => Severity::Benign,
        Event::Exception(fault) => match fault.vector {
            Vector::DivideError
            | Vector::InvalidTss
            | Vector::SegmentNotPresent
            | Vector::Stack
            | Vector::GeneralProtection => Severity::Contributory,
            Vector::Page => Severity::Page,
            Vector::DoubleFault => Severity::Double,
            _ => Severity::Benign,
        },
    }
}

impl State {
    /// EFLAGS as an interrupt or a signal stores them: with RF if the instruction `resumes`, because a fault ended it.
    pub(crate) fn flags_at_interrupt(&self, resumes: bool) -> u32 {
        let flags = self.registers.eflags();
        match (resumes, self.armed) {
            (true, _) => flags | RF,
            // Every instruction clears RF, but this is carried out only while a breakpoint requires it.
            (false, 0) => flags & !RF,
            (false, _) => flags,
        }
    }
}

impl Event {
    fn vector(&self) -> u8 {
        match self {
            Event::Software(vector) | Event::External(vector) => *vector,
            Event::Exception(fault) => fault.vector.number(),
        }
    }

    /// Whether an instruction requested it, so that the gate must be accessible to the program.
    fn is_software(&self) -> bool {
        match self {
            Event::Software(_) => true,
            Event::External(_) => false,
            Event::Exception(fault) => matches!(fault.cause, FaultCause::BreakpointInstruction | FaultCause::Overflow),
        }
    }

    /// Whether it is reported after the instruction that raised it.
    fn is_trap(&self) -> bool {
        match self {
            Event::Software(_) | Event::External(_) => true,
            Event::Exception(fault) => self.is_software() || matches!(fault.cause, FaultCause::DebugInstruction),
        }
    }

    /// Whether the instruction is executed again with RF set, so that its breakpoint does not match again.
    fn resumes(&self) -> bool {
        match self {
            Event::Software(_) | Event::External(_) => false,
            Event::Exception(fault) => !self.is_trap() && fault.vector != Vector::Debug,
        }
    }

    fn error_code(&self) -> Option<u32> {
        match self {
            Event::Software(_) | Event::External(_) => None,
            Event::Exception(fault) => fault.error_code.filter(|_| has_error_code(fault.vector)),
        }
    }
}

fn has_error_code(vector: Vector) -> bool {
    matches!(
        vector,
        Vector::DoubleFault
            | Vector::InvalidTss
            | Vector::SegmentNotPresent
            | Vector::Stack
            | Vector::GeneralProtection
            | Vector::Page
            | Vector::AlignmentCheck
    )
}

/// Delivers `event`, which the instruction at `registers.eip` raised; `facts.next` is the next instruction.
pub fn deliver(event: Event, state: &mut State) -> Delivery {
    if !state.has_handler(&event) {
        return Delivery::Unhandled;
    }
    // A return to a repeated comparison begins it anew.
    state.before_comparison = None;
    let (mut address, mut after) = (state.registers.eip, state.facts.next);
    let mut event = event;
    state.note_raised(event.clone(), address, false);
    loop {
        state.facts.clear();
        let before = state.registers.clone();
        let Err(leave) = state.dispatch(&event, after) else {
            return Delivery::Delivered;
        };
        let written = state.facts.code_written;
        if leave == Leave::FaultInTask {
            // The task of the handler is the current one.
            (address, after) = (state.registers.eip, state.registers.eip);
        } else {
            state.registers = before;
        }
        state.facts.code_written = written;
        let Some(fault) = state.fault.take() else {
            return Delivery::Shutdown;
        };
        if fault.vector == Vector::Page {
            state.registers.cr2 = fault.address.unwrap_or(0);
        }
        let raised = Event::Exception(fault.clone());
        state.note_raised(raised.clone(), address, true);
        let (first, second) = (severity(&event), severity(&raised));
        event = match (first, second) {
            (Severity::Double, Severity::Contributory | Severity::Page) => return Delivery::Shutdown,
            (Severity::Contributory, Severity::Contributory)
            | (Severity::Page, Severity::Contributory | Severity::Page) => {
                let double = Fault::new(Vector::DoubleFault, Some(0), FaultCause::DoubleFault);
                state.note_raised(Event::Exception(double.clone()), address, true);
                Event::Exception(double)
            }
            _ => raised,
        };
    }
}

impl State {
    /// The events that the program is handling, the oldest one first.
    pub fn raised(&self) -> &[Raised] {
        &self.raised
    }

    fn note_raised(&mut self, event: Event, address: u32, instead: bool) {
        if self.raised.len() == MOST_RAISED {
            self.raised.remove(0);
        }
        self.raised.push(Raised {
            event,
            address,
            instead,
        });
    }

    /// Forgets the last event, because its handler returns.
    pub(super) fn forget_raised(&mut self) {
        while self.raised.pop().is_some_and(|last| last.instead) {}
    }

    /// Whether the program has an interrupt table and, for INT n and in real mode, an entry for the event.
    fn has_handler(&mut self, event: &Event) -> bool {
        let table = self.registers.idtr;
        let place = |size: u32| table.base.wrapping_add(u32::from(event.vector()) * size);
        let is_empty = |state: &State, size: u32| {
            let mut bytes = (0..size).map(|byte| state.memory.peek_as_system(place(size).wrapping_add(byte)));
            bytes.all(|byte| byte.unwrap_or(0) == 0)
        };
        if self.registers.operation() == Operation::Real {
            return !is_empty(self, FAR_POINTER);
        }
        if u32::from(table.limit) < GATE - 1 {
            return false;
        }
        match event {
            Event::Software(vector) | Event::External(vector) => {
                u32::from(*vector) * GATE + GATE - 1 <= u32::from(table.limit) && !is_empty(self, GATE)
            }
            Event::Exception(_) => true,
        }
    }

    /// Enters the handler of `event`. After a fault the caller must restore the registers.
    fn dispatch(&mut self, event: &Event, after: u32) -> Result<(), Leave> {
        let next = if event.is_trap() { after } else { self.registers.eip };
        let offset = next.wrapping_sub(self.registers.segments[CS].base());
        if self.registers.operation() == Operation::Real {
            return self.dispatch_real(event.vector(), offset);
        }
        let external = if event.is_software() { 0 } else { EXTERNAL };
        let result = self.dispatch_protected(event, offset);
        if let (Err(_), Some(fault)) = (&result, &mut self.fault)
            && fault.vector != Vector::Page
        {
            fault.error_code = fault.error_code.map(|code| code | external);
        }
        result
    }

    fn dispatch_real(&mut self, vector: u8, offset: u32) -> Result<(), Leave> {
        let place = u32::from(vector) * FAR_POINTER;
        if place + FAR_POINTER - 1 > u32::from(self.registers.idtr.limit) {
            return Err(self.protection(FaultCause::NoGate { vector }));
        }
        let base = self.registers.idtr.base.wrapping_add(place);
        let target = self.read_system(base, 2)?;
        let selector = self.read_system(base.wrapping_add(2), 2)? as u16;
        let stack = self.registers.segments[SS];
        let mut stack = InnerStack {
            segment: stack,
            top: self.registers.general[super::access::ESP],
        };
        let flags = self.registers.eflags();
        let code = self.registers.segments[CS];
        for word in [flags, u32::from(code.selector()), offset] {
            self.push_inner(&mut stack, 2, word)?;
        }
        self.registers.general[super::access::ESP] = stack.top;
        self.registers.flags.rest &= !(IF | TF | AC | RF);
        self.facts.route = Route::Gate;
        self.continue_at(code.reloaded_in_real_mode(selector), target)
    }

    fn dispatch_protected(&mut self, event: &Event, offset: u32) -> Result<(), Leave> {
        let gate = self.interrupt_gate(event)?;
        let selector = gate.gate_selector();
        if gate.system_type() == system::TASK_GATE {
            return self.enter_handling_task(event, selector, offset);
        }
        if selector & !3 == 0 {
            return Err(self.selector_fault(0, SelectorFault::NullForCs));
        }
        let found = self.descriptor(Vector::GeneralProtection, selector)?;
        let (chosen, current) = (found.descriptor, self.registers.cpl);
        if !chosen.is_code() || chosen.level() > current {
            return Err(self.selector_fault(selector, SelectorFault::BadGateTarget));
        }
        if !chosen.is_present() {
            return Err(self.selector_fault_of(Vector::SegmentNotPresent, selector, SelectorFault::NotPresent));
        }
        let size = if gate.system_type() & system::WIDE != 0 { 4 } else { 2 };
        let from_virtual = self.registers.operation() == Operation::Virtual;
        let same_level = chosen.is_conforming() || chosen.level() == current;
        if from_virtual && (same_level || chosen.level() != 0) {
            return Err(self.selector_fault(selector, SelectorFault::VirtualNotToLevel0));
        }
        let flags = self.flags_at_interrupt(event.resumes());
        let outer = self.registers.segments[SS];
        let top = self.registers.general[super::access::ESP];
        let level = if same_level { current } else { chosen.level() };
        let mut stack = if same_level {
            InnerStack { segment: outer, top }
        } else {
            self.inner_stack(level)?
        };
        if from_virtual {
            for number in [GS, FS, DS, ES] {
                let held = self.registers.segments[number].selector();
                self.push_inner(&mut stack, size, u32::from(held))?;
            }
        }
        if !same_level {
            self.push_inner(&mut stack, size, u32::from(outer.selector()))?;
            self.push_inner(&mut stack, size, top)?;
        }
        self.push_inner(&mut stack, size, flags)?;
        let caller = self.registers.segments[CS].selector();
        self.push_inner(&mut stack, size, u32::from(caller))?;
        self.push_inner(&mut stack, size, offset)?;
        if let Some(code) = event.error_code() {
            self.push_inner(&mut stack, size, code)?;
        }
        let code = self.code_segment(selector, level, found)?;
        self.check_entry(&code, gate.gate_offset())?;
        if from_virtual {
            for number in [GS, FS, DS, ES] {
                self.set_segment(number, SegmentRegister::null(0));
            }
        }
        self.registers.flags.rest &= !(TF | NT | RF | VM);
        if gate.system_type() & !system::WIDE == system::INTERRUPT_GATE {
            self.registers.flags.rest &= !IF;
        }
        self.enter_inner_stack(&stack, level);
        self.facts.route = match (from_virtual, same_level) {
            (true, _) => Route::LeavesVirtual,
            (false, true) => Route::Gate,
            (false, false) => Route::InnerGate { parameters: 0 },
        };
        self.continue_at(code, gate.gate_offset())
    }

    /// Switches to the task of `selector` to handle `event`.
    fn enter_handling_task(&mut self, event: &Event, selector: u16, offset: u32) -> Result<(), Leave> {
        let found = self.task(selector, Vector::GeneralProtection, false)?;
        let flags = self.flags_at_interrupt(event.resumes());
        self.switch_task(selector, found, Switch::Nested, offset, flags)?;
        match event.error_code() {
            Some(code) => self.push_in_task(code),
            None => Ok(()),
        }
    }

    fn interrupt_gate(&mut self, event: &Event) -> Result<Descriptor, Leave> {
        let vector = event.vector();
        let place = u32::from(vector) * GATE;
        let error_code = Some(gate_error(vector));
        let protection = |cause| Fault::new(Vector::GeneralProtection, error_code, cause);
        if place + GATE - 1 > u32::from(self.registers.idtr.limit) {
            return Err(self.raise(protection(FaultCause::NoGate { vector })));
        }
        let gate = self.read_descriptor(self.registers.idtr.base.wrapping_add(place))?;
        let kind = gate.system_type();
        let known = matches!(kind & !system::WIDE, system::INTERRUPT_GATE | system::TRAP_GATE);
        if gate.is_segment() || !(known || kind == system::TASK_GATE) {
            return Err(self.raise(protection(FaultCause::NoGate { vector })));
        }
        if event.is_software() && gate.level() < self.registers.cpl {
            return Err(self.raise(protection(FaultCause::GatePrivilege { vector })));
        }
        if !gate.is_present() {
            let cause = FaultCause::GateNotPresent { vector };
            return Err(self.raise(Fault::new(Vector::SegmentNotPresent, error_code, cause)));
        }
        Ok(gate)
    }

    fn continue_at(&mut self, code: SegmentRegister, offset: u32) -> Result<(), Leave> {
        self.check_entry(&code, offset)?;
        self.set_segment(CS, code);
        self.facts.taken = true;
        self.facts.next = code.base().wrapping_add(offset);
        self.registers.eip = self.facts.next;
        Ok(())
    }
}
