//! Task switches: by JMP and CALL to a task state segment or through a task gate, by IRET of a nested task, and by an
//! interrupt through a task gate.
//!
//! Checks before the exchange of state fault in the old task. Registers that cannot be loaded fault in the new task,
//! before its first instruction.
//!
//! Source: Intel Architecture Software Developer's Manual 1997, volume 3, chapter 6.

use super::access::ESP;
use super::descriptors::{Found, LOCAL};
use super::gates::InnerStack;
use super::{Leave, State};
use p5_words::descriptor::system;
use p5_words::facts::{Route, TaskKind};
use p5_words::fault::{Fault, FaultCause, SelectorFault, Vector};
use p5_words::registers::{CR0_PG, CR0_TS, CS, DS, ES, FS, GS, NT, RF, SS, SegmentRegister, SystemSegment, VM};

/// The kind of a task switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Switch {
    /// JMP, which leaves the old task for good.
    Jump,
    /// CALL or an interrupt: the new task is nested and returns to the old one.
    Nested,
    /// IRET of a nested task, which returns to the old one.
    Return,
}

/// The offsets of the fields in a task state segment.
struct Layout {
    /// The size of the field of a register in bytes, and the minimum limit.
    size: u8,
    least_limit: u32,
    directory: Option<u32>,
    instruction_pointer: u32,
    flags: u32,
    /// The offset of EAX or AX; the other general registers follow.
    general: u32,
    /// The offset of ES; CS, SS, DS and the others follow.
    segments: u32,
    segment_count: u32,
    local_table: u32,
    /// The offset of the word with the bit for a debug exception after the switch.
    trap: Option<u32>,
}

const WIDE: Layout = Layout {
    size: 4,
    least_limit: 0x67,
    directory: Some(0x1C),
    instruction_pointer: 0x20,
    flags: 0x24,
    general: 0x28,
    segments: 0x48,
    segment_count: 6,
    local_table: 0x60,
    trap: Some(0x64),
};
const NARROW: Layout = Layout {
    size: 2,
    least_limit: 0x2B,
    directory: None,
    instruction_pointer: 0x0E,
    flags: 0x10,
    general: 0x12,
    segments: 0x22,
    segment_count: 4,
    local_table: 0x2A,
    trap: None,
};

fn layout(wide: bool) -> &'static Layout {
    if wide { &WIDE } else { &NARROW }
}

/// The bit of a type for busy, and the offset of the access byte in a descriptor.
const BUSY: u8 = 2;
const ACCESS: u32 = 5;
/// The bits of DR7 for breakpoints of the task alone, and of DR6 for the debug exception that the new task requests.
const LOCAL_BREAKPOINTS: u32 = 0x155;
const SWITCHED: u32 = 1 << 15;

/// The state of the new task in its task state segment.
struct Loaded {
    directory: Option<u32>,
    instruction_pointer: u32,
    flags: u32,
    general: [u32; 8],
    selectors: [u16; 6],
    local_table: u16,
    trap: bool,
}

impl State {
    /// The task state segment of `selector`, which must be busy or available as `busy` says. Faults of the selector
    /// have this vector.
    pub(super) fn task(&mut self, selector: u16, vector: Vector, busy: bool) -> Result<Found, Leave> {
        if selector & !3 == 0 || selector & LOCAL != 0 || !self.registers.has_tables() {
            return Err(self.selector_fault_of(vector, selector, SelectorFault::NoTask));
        }
        let found = self.descriptor(vector, selector)?;
        let chosen = found.descriptor;
        let kind = chosen.system_type() & !system::WIDE;
        if chosen.is_segment() || !matches!(kind, system::AVAILABLE_TASK | system::BUSY_TASK) {
            return Err(self.selector_fault_of(vector, selector, SelectorFault::NoTask));
        }
        if (kind == system::BUSY_TASK) != busy {
            let why = if busy {
                SelectorFault::TaskNotBusy
            } else {
                SelectorFault::TaskBusy
            };
            return Err(self.selector_fault_of(vector, selector, why));
        }
        if !chosen.is_present() {
            return Err(self.selector_fault_of(Vector::SegmentNotPresent, selector, SelectorFault::NotPresent));
        }
        Ok(found)
    }

    /// IRET of a nested task: switches back to the task in the link of the current one.
    pub(super) fn return_to_task(&mut self, offset: u32) -> Result<(), Leave> {
        let current = self.registers.task;
        if current.selector & !3 == 0 {
            return Err(self.raise(Fault::new(Vector::InvalidTss, Some(0), FaultCause::NestedTask)));
        }
        let link = self.read_system(current.base, 2)? as u16;
        let found = self.task(link, Vector::InvalidTss, true)?;
        let flags = self.registers.eflags() & !NT;
        self.switch_task(link, found, Switch::Return, offset, flags)
    }

    /// Exchanges the state of the current task for that of `selector`. The old task continues at `offset` with `flags`.
    ///
    /// # Errors
    /// [`Leave::Fault`] in the old task, or [`Leave::FaultInTask`] in the new one.
    pub(super) fn switch_task(
        &mut self,
        selector: u16,
        found: Found,
        switch: Switch,
        offset: u32,
        flags: u32,
    ) -> Result<(), Leave> {
        let old = self.registers.task;
        let chosen = found.descriptor;
        let new = SystemSegment {
            selector,
            base: chosen.base(),
            limit: chosen.limit(),
            wide: chosen.system_type() & system::WIDE != 0,
        };
        for (task, missing) in [(new, false), (old, old.selector & !3 == 0)] {
            if missing || task.limit < layout(task.wide).least_limit {
                let error_code = Some(u32::from(task.selector & !3));
                let cause = if missing {
                    FaultCause::NoTaskToSave
                } else {
                    FaultCause::TaskTooSmall
                };
                return Err(self.raise(Fault::new(Vector::InvalidTss, error_code, cause)));
            }
        }
        // From here on only a missing page can fault, which must be known before the first write.
        self.need_pages(old.base, layout(old.wide).least_limit + 1, true)?;
        self.need_pages(new.base, layout(new.wide).least_limit + 1, switch == Switch::Nested)?;
        let places = [found.place, self.place_of_current_task()];
        for place in places.into_iter().flatten() {
            self.need_pages(place.wrapping_add(ACCESS), 1, true)?;
        }
        let mut loaded = self.read_task(&new)?;
        if switch != Switch::Nested
            && let Some(place) = places[1]
        {
            let access = self.read_system(place.wrapping_add(ACCESS), 1)?;
            self.write_system(place.wrapping_add(ACCESS), 1, access & !u32::from(BUSY))?;
        }
        self.save_task(&old, offset, flags)?;
        if switch == Switch::Nested {
            self.write_system(new.base, 2, u32::from(old.selector))?;
            loaded.flags |= NT;
        }
        if let Some(place) = places[0].filter(|_| switch != Switch::Return) {
            self.write_system(place.wrapping_add(ACCESS), 1, u32::from(chosen.access() | BUSY))?;
        }
        self.registers.task = new;
        let result = self.enter_task(&loaded);
        self.facts.route = Route::Task {
            kind: match (self.registers.flags.rest & VM != 0, new.wide) {
                (true, _) => TaskKind::Virtual,
                (false, true) => TaskKind::Wide,
                (false, false) => TaskKind::Narrow,
            },
        };
        self.facts.taken = true;
        self.facts.mode_changed = true;
        self.facts.next = self.registers.eip;
        result.map_err(|_| Leave::FaultInTask)
    }

    /// Raises a fault unless all of `size` bytes can be read, or written if `write`.
    fn need_pages(&mut self, address: u32, size: u32, write: bool) -> Result<(), Leave> {
        for byte in [0, size - 1] {
            let place = address.wrapping_add(byte);
            let result = match write {
                true => self.memory.probe_as_system(place),
                false => self.memory.read_as_system(place).map(|_| ()),
            };
            if let Err(fault) = result {
                return Err(self.raise(Fault::page(fault, 0)));
            }
        }
        Ok(())
    }

    /// The linear address of the current task's descriptor, if it is still in the table.
    fn place_of_current_task(&self) -> Option<u32> {
        let (selector, table) = (self.registers.task.selector, self.registers.gdtr);
        let place = table.base.wrapping_add(u32::from(selector & !7));
        (u32::from(selector | 7) <= u32::from(table.limit)).then_some(place)
    }

    fn save_task(&mut self, task: &SystemSegment, offset: u32, flags: u32) -> Result<(), Leave> {
        let (layout, base) = (layout(task.wide), task.base);
        let mut place = base.wrapping_add(layout.instruction_pointer);
        let general = self.registers.general;
        for value in [offset, flags].into_iter().chain(general) {
            self.write_system(place, layout.size, value)?;
            place = place.wrapping_add(u32::from(layout.size));
        }
        for number in 0..layout.segment_count {
            let selector = self.registers.segments[number as usize].selector();
            let place = base.wrapping_add(layout.segments + number * u32::from(layout.size));
            self.write_system(place, 2, u32::from(selector))?;
        }
        Ok(())
    }

    fn read_task(&mut self, task: &SystemSegment) -> Result<Loaded, Leave> {
        let (layout, base) = (layout(task.wide), task.base);
        let size = u32::from(layout.size);
        let mut field = |place: u32, size: u8| self.read_system(base.wrapping_add(place), size);
        let directory = layout.directory.map(|place| field(place, 4)).transpose()?;
        let instruction_pointer = field(layout.instruction_pointer, layout.size)?;
        let flags = field(layout.flags, layout.size)?;
        let mut general = [0; 8];
        for (number, register) in (0..).zip(&mut general) {
            *register = field(layout.general + number * size, layout.size)?;
            if !task.wide {
                // The manual leaves the upper halves undefined.
                *register |= 0xFFFF_0000;
            }
        }
        let mut selectors = [0; 6];
        for (number, selector) in (0..layout.segment_count).zip(&mut selectors) {
            *selector = field(layout.segments + number * size, 2)? as u16;
        }
        let local_table = field(layout.local_table, 2)? as u16;
        let trap = layout.trap.map(|place| field(place, 2)).transpose()?;
        Ok(Loaded {
            directory,
            instruction_pointer,
            flags,
            general,
            selectors,
            local_table,
            trap: trap.is_some_and(|word| word & 1 != 0),
        })
    }

    /// Loads the registers of the new task, in which faults are then raised.
    fn enter_task(&mut self, loaded: &Loaded) -> Result<(), Leave> {
        self.registers.cr0 |= CR0_TS;
        self.registers.dr[7] &= !LOCAL_BREAKPOINTS;
        self.arm();
        if let Some(directory) = loaded.directory.filter(|_| self.registers.cr0 & CR0_PG != 0) {
            self.registers.cr3 = directory;
            self.memory.change_directory(directory);
        }
        self.registers.general = loaded.general;
        self.registers.set_eflags(loaded.flags);
        self.registers.flags.rest |= loaded.flags & RF;
        self.registers.ldtr = SystemSegment::default();
        let virtual_mode = loaded.flags & VM != 0;
        let code = loaded.selectors[CS];
        self.registers.cpl = if virtual_mode { 3 } else { (code & 3) as u8 };
        for (number, &selector) in loaded.selectors.iter().enumerate() {
            let segment = if virtual_mode {
                SegmentRegister::virtual_8086(selector)
            } else {
                SegmentRegister::null(selector)
            };
            self.set_segment(number, segment);
        }
        self.registers.eip = self.registers.segments[CS]
            .base()
            .wrapping_add(loaded.instruction_pointer);
        self.load_local_table(loaded.local_table)?;
        if !virtual_mode {
            let segment = self.code_of_task(code)?;
            self.set_segment(CS, segment);
            self.registers.eip = segment.base().wrapping_add(loaded.instruction_pointer);
            for number in [SS, DS, ES, FS, GS] {
                self.load_segment_of_task(number, loaded.selectors[number])?;
            }
        }
        self.watch_alignment();
        if loaded.trap {
            self.registers.dr[6] |= SWITCHED;
            return Err(self.raise(Fault::new(Vector::Debug, None, FaultCause::TaskTrap)));
        }
        Ok(())
    }

    fn load_local_table(&mut self, selector: u16) -> Result<(), Leave> {
        self.registers.ldtr.selector = selector;
        if selector & !3 == 0 {
            return Ok(());
        }
        let fault = |state: &mut State, why| Err(state.selector_fault_of(Vector::InvalidTss, selector, why));
        if selector & LOCAL != 0 {
            return fault(self, SelectorFault::NoLocalTable);
        }
        let table = self.descriptor(Vector::InvalidTss, selector)?.descriptor;
        if table.is_segment() || table.system_type() != system::LOCAL_TABLE {
            return fault(self, SelectorFault::NoLocalTable);
        }
        if !table.is_present() {
            return fault(self, SelectorFault::NotPresent);
        }
        self.registers.ldtr = SystemSegment {
            selector,
            base: table.base(),
            limit: table.limit(),
            wide: false,
        };
        Ok(())
    }

    fn code_of_task(&mut self, selector: u16) -> Result<SegmentRegister, Leave> {
        if selector & !3 == 0 {
            return Err(self.selector_fault_of(Vector::InvalidTss, 0, SelectorFault::NullForCs));
        }
        let found = self.descriptor(Vector::InvalidTss, selector)?;
        let level = self.registers.cpl;
        self.code_segment(selector, level, found)
            .map_err(|leave| self.of_task(leave))
    }

    fn load_segment_of_task(&mut self, number: usize, selector: u16) -> Result<(), Leave> {
        let level = self.registers.cpl;
        let segment = self
            .data_segment(number, selector, level)
            .map_err(|leave| self.of_task(leave))?;
        self.set_segment(number, segment);
        Ok(())
    }

    /// Converts a fault of a segment named in a task state segment to #TS, unless the segment is not present.
    fn of_task(&mut self, leave: Leave) -> Leave {
        if let Some(fault) = &mut self.fault
            && fault.vector == Vector::GeneralProtection
        {
            fault.vector = Vector::InvalidTss;
        }
        leave
    }

    /// Pushes the error code of an exception to the stack of the task that was just entered to handle it.
    pub(super) fn push_in_task(&mut self, code: u32) -> Result<(), Leave> {
        let mut stack = InnerStack {
            segment: self.registers.segments[SS],
            top: self.registers.general[ESP],
        };
        let size = layout(self.registers.task.wide).size;
        self.push_inner(&mut stack, size, code)
            .map_err(|_| Leave::FaultInTask)?;
        self.registers.general[ESP] = stack.top;
        Ok(())
    }
}
