//! Descriptors in memory: looked up by selector, checked before they are loaded, marked as accessed.
//!
//! A program that has loaded no descriptor table has four flat segments and the segment of a thread, whose descriptors
//! are not in memory. Accesses to tables have privilege level 0, whatever the level of the program, and are in
//! [`Facts::system`].
//!
//! [`Facts::system`]: p5_words::facts::Facts::system

use super::{Leave, State};
use p5_words::descriptor::Descriptor;
use p5_words::facts::{Route, SystemAccess};
use p5_words::fault::{Fault, FaultCause, SelectorFault, Vector};
use p5_words::registers::{SS, SegmentRegister};

/// A descriptor and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) descriptor: Descriptor,
    /// Its linear address; `None` for a segment of a program without tables.
    pub(super) place: Option<u32>,
}

/// The bit of a selector that selects the local table.
pub(super) const LOCAL: u16 = 4;

impl State {
    #[cold]
    pub(super) fn selector_fault(&mut self, selector: u16, why: SelectorFault) -> Leave {
        self.selector_fault_of(Vector::GeneralProtection, selector, why)
    }

    #[cold]
    pub(super) fn selector_fault_of(&mut self, vector: Vector, selector: u16, why: SelectorFault) -> Leave {
        let error_code = Some(u32::from(selector & !3));
        self.raise(Fault::new(vector, error_code, FaultCause::Selector(why)))
    }

    /// Notes an access that depends on the state of the processor.
    pub(super) fn note_system(&mut self, address: u32, size: u8, write: bool) {
        self.facts.system.push(SystemAccess { address, size, write });
        if self.memory.is_translated() {
            self.note_page(address);
            self.note_page(address.wrapping_add(u32::from(size) - 1));
        }
    }

    /// Reads `size` bytes, at most 4, at a linear address with privilege level 0.
    pub(super) fn read_system(&mut self, address: u32, size: u8) -> Result<u32, Leave> {
        self.note_system(address, size, false);
        let mut value = 0;
        for byte in 0..u32::from(size) {
            match self.memory.read_as_system(address.wrapping_add(byte)) {
                Ok(read) => value |= u32::from(read) << (8 * byte),
                Err(fault) => return Err(self.raise(Fault::page(fault, 0))),
            }
        }
        Ok(value)
    }

    /// Writes `size` bytes, at most 4, at a linear address with privilege level 0.
    pub(super) fn write_system(&mut self, address: u32, size: u8, value: u32) -> Result<(), Leave> {
        self.note_system(address, size, true);
        let bytes = value.to_le_bytes();
        // A page fault must not leave the bytes partly written.
        for byte in [0, u32::from(size) - 1] {
            if let Err(fault) = self.memory.probe_as_system(address.wrapping_add(byte)) {
                return Err(self.raise(Fault::page(fault, 0)));
            }
        }
        for (byte, &value) in (0..).zip(&bytes[..usize::from(size)]) {
            if let Err(fault) = self.memory.write_as_system(address.wrapping_add(byte), value) {
                return Err(self.raise(Fault::page(fault, 0)));
            }
        }
        self.facts.code_written |= self.memory.take_code_stored();
        Ok(())
    }

    /// The eight bytes at a linear address.
    pub(super) fn read_descriptor(&mut self, address: u32) -> Result<Descriptor, Leave> {
        Ok(Descriptor {
            low: self.read_system(address, 4)?,
            high: self.read_system(address.wrapping_add(4), 4)?,
        })
    }

    /// The descriptor for a selector that is not null; `None` if it is past the end of its table.
    pub(super) fn find_descriptor(&mut self, selector: u16) -> Result<Option<Found>, Leave> {
        let registers = &self.registers;
        let table = if selector & LOCAL == 0 {
            if !registers.has_tables() {
                let of_thread = registers
                    .thread
                    .filter(|_| u32::from(selector >> 3) == Descriptor::OF_THREAD);
                let descriptor = of_thread.or_else(|| Descriptor::of_flat_program(selector));
                return Ok(descriptor.map(|descriptor| Found {
                    descriptor,
                    place: None,
                }));
            }
            Some((registers.gdtr.base, u32::from(registers.gdtr.limit)))
        } else {
            let local = registers.ldtr;
            (local.selector & !3 != 0).then_some((local.base, local.limit))
        };
        let Some((base, _)) = table.filter(|&(_, limit)| u32::from(selector | 7) <= limit) else {
            return Ok(None);
        };
        let place = base.wrapping_add(u32::from(selector & !7));
        let descriptor = self.read_descriptor(place)?;
        Ok(Some(Found {
            descriptor,
            place: Some(place),
        }))
    }

    /// The descriptor for a selector that is not null; a fault with this vector if there is none.
    pub(super) fn descriptor(&mut self, vector: Vector, selector: u16) -> Result<Found, Leave> {
        match self.find_descriptor(selector)? {
            Some(found) => Ok(found),
            None => {
                let of_flat_program = !self.registers.has_tables() && selector & LOCAL == 0;
                let why = if of_flat_program {
                    SelectorFault::NoSegment
                } else {
                    SelectorFault::PastTable
                };
                Err(self.selector_fault_of(vector, selector, why))
            }
        }
    }

    /// The segment register after `selector` has loaded `found`, whose descriptor is marked as accessed.
    pub(super) fn accessed(&mut self, selector: u16, found: Found) -> Result<SegmentRegister, Leave> {
        if let Some(place) = found.place {
            if !found.descriptor.is_accessed() {
                let access = u32::from(found.descriptor.accessed().access());
                self.write_system(place.wrapping_add(5), 1, access)?;
            }
            if self.facts.route == Route::Usual {
                self.facts.route = Route::Descriptor;
            }
        }
        Ok(SegmentRegister::of(selector, found.descriptor.accessed()))
    }

    /// The value of a data or stack segment register after `selector` is loaded into it at privilege level `level`.
    pub(super) fn data_segment(&mut self, number: usize, selector: u16, level: u8) -> Result<SegmentRegister, Leave> {
        let requested = (selector & 3) as u8;
        if selector & !3 == 0 {
            if number == SS {
                return Err(self.selector_fault(0, SelectorFault::NullForSs));
            }
            return Ok(SegmentRegister::null(selector));
        }
        let found = self.descriptor(Vector::GeneralProtection, selector)?;
        let chosen = found.descriptor;
        if number == SS {
            if !chosen.is_writable() || chosen.level() != level || requested != level {
                return Err(self.selector_fault(selector, SelectorFault::NotForSs));
            }
            if !chosen.is_present() {
                return Err(self.selector_fault_of(Vector::Stack, selector, SelectorFault::NotPresent));
            }
            return self.accessed(selector, found);
        }
        if !chosen.is_segment() {
            return Err(self.selector_fault(selector, SelectorFault::WrongKind));
        }
        if !chosen.is_readable() {
            return Err(self.selector_fault(selector, SelectorFault::NotReadable));
        }
        if !chosen.is_conforming() && chosen.level() < level.max(requested) {
            return Err(self.selector_fault(selector, SelectorFault::MorePrivileged));
        }
        if !chosen.is_present() {
            return Err(self.selector_fault_of(Vector::SegmentNotPresent, selector, SelectorFault::NotPresent));
        }
        self.accessed(selector, found)
    }

    /// The code segment to run at privilege level `level` after a jump, a call or a return, with this level as the RPL
    /// of its selector.
    pub(super) fn code_segment(&mut self, selector: u16, level: u8, found: Found) -> Result<SegmentRegister, Leave> {
        let chosen = found.descriptor;
        let fits = chosen.is_code()
            && if chosen.is_conforming() {
                chosen.level() <= level
            } else {
                chosen.level() == level
            };
        if !fits {
            return Err(self.selector_fault(selector, SelectorFault::NotForCs));
        }
        if !chosen.is_present() {
            return Err(self.selector_fault_of(Vector::SegmentNotPresent, selector, SelectorFault::NotPresent));
        }
        self.accessed((selector & !3) | u16::from(level), found)
    }
}
