//! Operands: effective addresses, the checks before an access, memory and stack.

use super::{ALIGNED, Leave, MEMORY, MicroOp, State, WATCHED};
use crate::memory::PageFault;
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::isa::PAGE;
use p5_words::registers::{CHECK_LOAD, CHECK_STORE, SS};

pub(super) const ESP: usize = 4;
pub(super) const EBP: usize = 5;
/// [`SS`] as stored in operations.
pub(super) const STACK: u8 = SS as u8;

impl State {
    /// The offset of the memory operand within its segment.
    #[inline(always)]
    pub(super) fn offset(&self, op: &MicroOp) -> u32 {
        let general = &self.registers.general;
        // Masks instead of branches: an absent register adds zero.
        let base = general[usize::from(op.base & 7)] & (op.base_mask as i8 as u32);
        let index = general[usize::from(op.index & 7)] & (op.index_mask as i8 as u32);
        base.wrapping_add(index << (op.shift_length & 3))
            .wrapping_add(op.displacement)
            & op.offset_mask
    }

    /// The linear address of a load of `size` bytes, without a fact.
    #[inline(always)]
    pub(super) fn load_address(&mut self, segment: u8, offset: u32, size: u32) -> Result<u32, Leave> {
        let register = &self.registers.segments[usize::from(segment)];
        let linear = register.base().wrapping_add(offset);
        if (register.checks | self.alignment) & CHECK_LOAD != 0 {
            self.check(segment, offset, size, false)?;
        }
        Ok(linear)
    }

    /// The linear address of a store of `size` bytes, without a fact.
    #[inline(always)]
    pub(super) fn store_address(&mut self, segment: u8, offset: u32, size: u32) -> Result<u32, Leave> {
        let register = &self.registers.segments[usize::from(segment)];
        let linear = register.base().wrapping_add(offset);
        if (register.checks | self.alignment) & CHECK_STORE != 0 {
            self.check(segment, offset, size, true)?;
        }
        Ok(linear)
    }

    #[cold]
    fn check(&mut self, segment: u8, offset: u32, size: u32, store: bool) -> Result<(), Leave> {
        let register = self.registers.segments[usize::from(segment)];
        let vector = if segment == STACK {
            Vector::Stack
        } else {
            Vector::GeneralProtection
        };
        let cause = if !register.usable() {
            FaultCause::NullSegment
        } else if store && !register.writable() {
            FaultCause::ReadOnlySegment
        } else if !store && !register.readable() {
            FaultCause::ExecuteOnlySegment
        } else if !register.holds(offset, size) {
            FaultCause::PastLimit
        } else {
            let linear = register.base().wrapping_add(offset);
            // An operand of 8 bytes is checked as a whole, any other one by its own size.
            if self.alignment & ALIGNED == ALIGNED && linear & (size - 1) != 0 {
                return Err(self.raise(Fault {
                    vector: Vector::AlignmentCheck,
                    error_code: Some(0),
                    address: Some(linear),
                    cause: FaultCause::Misaligned,
                }));
            }
            if self.alignment & WATCHED == WATCHED {
                self.look_at_access(linear, size, store);
            }
            return Ok(());
        };
        Err(self.raise(Fault::new(vector, Some(0), cause)))
    }

    /// The fault of an access of `size` bytes to a page that is not mapped.
    #[cold]
    pub(super) fn page_fault(&mut self, segment: u8, linear: u32, size: u32, fault: PageFault) -> Leave {
        // An access that wraps around the end of the address space violates the segment limit, which is checked before
        // paging.
        let fault = if linear.checked_add(size - 1).is_none() {
            let vector = if segment == STACK {
                Vector::Stack
            } else {
                Vector::GeneralProtection
            };
            Fault::new(vector, Some(0), FaultCause::PastAddressSpace)
        } else {
            Fault::page(fault, self.registers.cpl)
        };
        self.raise(fault)
    }

    /// Reads `N` bits at a checked linear address, zero-extended, without a fact.
    #[inline(always)]
    pub(super) fn read_linear<const N: u32>(&mut self, segment: u8, linear: u32) -> Result<u32, Leave> {
        let read = match N {
            8 => self.memory.read_u8(linear).map(u32::from),
            16 => self.memory.read_u16(linear).map(u32::from),
            _ => self.memory.read_u32(linear),
        };
        match read {
            Ok(value) => Ok(value),
            Err(fault) => self.read_translated::<N>(segment, linear, fault),
        }
    }

    /// Repeats a failed read: the page tables of the program may map the page.
    #[cold]
    fn read_translated<const N: u32>(&mut self, segment: u8, linear: u32, fault: PageFault) -> Result<u32, Leave> {
        self.translate(segment, linear, N / 8, false, fault)?;
        let read = match N {
            8 => self.memory.read_u8(linear).map(u32::from),
            16 => self.memory.read_u16(linear).map(u32::from),
            _ => self.memory.read_u32(linear),
        };
        read.map_err(|fault| self.page_fault(segment, linear, N / 8, fault))
    }

    /// Translates an access that has failed with `fault`, so that it can be made again.
    #[cold]
    pub(super) fn translate(
        &mut self,
        segment: u8,
        linear: u32,
        size: u32,
        write: bool,
        fault: PageFault,
    ) -> Result<(), Leave> {
        match self.memory.fill(linear, size, write) {
            Ok(true) => {
                self.note_page(linear);
                self.note_page(linear.wrapping_add(size - 1));
                Ok(())
            }
            Ok(false) => Err(self.page_fault(segment, linear, size, fault)),
            Err(fault) => Err(self.page_fault(segment, linear, size, fault)),
        }
    }

    /// Notes the page of `address` if it is of an unusual kind.
    #[cold]
    pub(super) fn note_page(&mut self, address: u32) {
        let kind = self.memory.page_kind(address);
        self.facts.pages.note(address / PAGE, kind);
    }

    /// Notes the page of the code at `address`, if the program has page tables.
    pub fn note_page_of_code(&mut self, address: u32) {
        if self.memory.is_translated() {
            self.note_page(address);
        }
    }

    /// Reads 8 bytes at a checked linear address, without a fact.
    #[inline(always)]
    pub(super) fn read_quad(&mut self, segment: u8, linear: u32) -> Result<u64, Leave> {
        match self.memory.read_u64(linear) {
            Ok(value) => Ok(value),
            Err(fault) => {
                self.translate(segment, linear, 8, false, fault)?;
                self.memory
                    .read_u64(linear)
                    .map_err(|fault| self.page_fault(segment, linear, 8, fault))
            }
        }
    }

    /// Writes `N` bits at a checked linear address, without a fact.
    #[inline(always)]
    pub(super) fn write_linear<const N: u32>(&mut self, segment: u8, linear: u32, value: u32) -> Result<(), Leave> {
        let plain = match N {
            8 => self.memory.write_plain(linear, [value as u8]),
            16 => self.memory.write_plain(linear, (value as u16).to_le_bytes()),
            _ => self.memory.write_plain(linear, value.to_le_bytes()),
        };
        if plain {
            return Ok(());
        }
        self.write_oddly(segment, linear, value, N)
    }

    #[cold]
    fn write_oddly(&mut self, segment: u8, linear: u32, value: u32, bits: u32) -> Result<(), Leave> {
        let write = |state: &mut State| match bits {
            8 => state.memory.write_u8(linear, value as u8),
            16 => state.memory.write_u16(linear, value as u16),
            _ => state.memory.write_u32(linear, value),
        };
        let mut written = write(self);
        if let Err(fault) = written
            && self.memory.is_translated()
        {
            self.translate(segment, linear, bits / 8, true, fault)?;
            written = write(self);
        }
        self.after_write(segment, linear, bits / 8, written)
    }

    #[cold]
    pub(super) fn after_write(
        &mut self,
        segment: u8,
        linear: u32,
        size: u32,
        written: Result<(), PageFault>,
    ) -> Result<(), Leave> {
        self.facts.code_written |= self.memory.take_code_stored();
        written.map_err(|fault| self.page_fault(segment, linear, size, fault))
    }

    /// Loads `N` bits from `segment:offset`, zero-extended.
    #[inline(always)]
    pub(super) fn load_at<const N: u32>(&mut self, segment: u8, offset: u32) -> Result<u32, Leave> {
        let linear = self.load_address(segment, offset, N / 8)?;
        self.facts.push(linear);
        self.read_linear::<N>(segment, linear)
    }

    /// Loads `N` bits that the same instruction will store again: the load faults if the store would. Returns them and
    /// their linear address for [`State::store_again`].
    #[inline(always)]
    pub(super) fn modify_at<const N: u32>(&mut self, segment: u8, offset: u32) -> Result<(u32, u32), Leave> {
        let linear = self.store_address(segment, offset, N / 8)?;
        self.facts.push(linear);
        match self.read_linear::<N>(segment, linear) {
            Ok(value) => Ok((value, linear)),
            Err(_) => Err(self.fault_of_store(segment, offset, N / 8)),
        }
    }

    /// Stores the result of a read-modify-write at the address that [`State::modify_at`] returned.
    #[inline(always)]
    pub(super) fn store_again<const N: u32>(&mut self, segment: u8, linear: u32, value: u32) -> Result<(), Leave> {
        self.facts.push(linear);
        self.write_linear::<N>(segment, linear, value)
    }

    /// The fault of a failed load in a read-modify-write, which is reported as the fault of a store.
    #[cold]
    fn fault_of_store(&mut self, segment: u8, offset: u32, size: u32) -> Leave {
        self.probe_store(segment, offset, size).err().unwrap_or(Leave::Fault)
    }

    /// Stores `N` bits to `segment:offset`.
    #[inline(always)]
    pub(super) fn store_at<const N: u32>(&mut self, segment: u8, offset: u32, value: u32) -> Result<(), Leave> {
        let linear = self.store_address(segment, offset, N / 8)?;
        self.facts.push(linear);
        self.write_linear::<N>(segment, linear, value)
    }

    #[inline(always)]
    pub(super) fn load<const N: u32>(&mut self, op: &MicroOp) -> Result<u32, Leave> {
        let offset = self.offset(op);
        self.load_at::<N>(op.segment(), offset)
    }

    #[inline(always)]
    pub(super) fn store<const N: u32>(&mut self, op: &MicroOp, value: u32) -> Result<(), Leave> {
        let offset = self.offset(op);
        self.store_at::<N>(op.segment(), offset, value)
    }

    /// Loads 8 bytes that will be stored again, in one access.
    pub(super) fn modify_quad(&mut self, segment: u8, offset: u32) -> Result<u64, Leave> {
        let linear = self.store_address(segment, offset, 8)?;
        self.facts.push(linear);
        match self.read_quad(segment, linear) {
            Ok(value) => Ok(value),
            Err(_) => Err(self.fault_of_store(segment, offset, 8)),
        }
    }

    /// Loads 8 bytes in one access.
    #[inline(always)]
    pub(super) fn load_quad(&mut self, segment: u8, offset: u32) -> Result<u64, Leave> {
        let linear = self.load_address(segment, offset, 8)?;
        self.facts.push(linear);
        self.read_quad(segment, linear)
    }

    /// Stores 8 bytes to `segment:offset` in one access.
    #[inline(always)]
    pub(super) fn store_quad(&mut self, segment: u8, offset: u32, value: u64) -> Result<(), Leave> {
        let linear = self.store_address(segment, offset, 8)?;
        self.facts.push(linear);
        if self.memory.write_plain(linear, value.to_le_bytes()) {
            return Ok(());
        }
        self.write_quad_oddly(segment, linear, value)
    }

    #[cold]
    pub(super) fn write_quad_oddly(&mut self, segment: u8, linear: u32, value: u64) -> Result<(), Leave> {
        let mut written = self.memory.write_u64(linear, value);
        if let Err(fault) = written
            && self.memory.is_translated()
        {
            self.translate(segment, linear, 8, true, fault)?;
            written = self.memory.write_u64(linear, value);
        }
        self.after_write(segment, linear, 8, written)
    }

    #[inline(always)]
    pub(super) fn read_dest<const N: u32>(&mut self, op: &MicroOp) -> Result<u32, Leave> {
        if op.dest & MEMORY == 0 {
            return Ok(self.registers.get::<N>(op.dest));
        }
        self.load::<N>(op)
    }

    /// The value of the first operand, which will be written back.
    #[inline(always)]
    pub(super) fn modify_dest<const N: u32>(&mut self, op: &MicroOp) -> Result<u32, Leave> {
        if op.dest & MEMORY == 0 {
            return Ok(self.registers.get::<N>(op.dest));
        }
        let offset = self.offset(op);
        Ok(self.modify_at::<N>(op.segment(), offset)?.0)
    }

    #[inline(always)]
    pub(super) fn read_source<const N: u32>(&mut self, op: &MicroOp) -> Result<u32, Leave> {
        if op.source & MEMORY == 0 {
            return Ok(self.registers.get::<N>(op.source));
        }
        self.load::<N>(op)
    }

    /// Writes the first operand; [`State::settle`] must follow.
    #[inline(always)]
    pub(super) fn write_dest<const N: u32>(&mut self, op: &MicroOp, value: u32) -> Result<(), Leave> {
        if op.dest & MEMORY == 0 {
            self.registers.put::<N>(op.dest, value);
            return Ok(());
        }
        self.store::<N>(op, value)
    }

    /// The offset in the stack segment that is `distance` bytes above the stack pointer: ESP if `WIDE`, otherwise SP.
    #[inline(always)]
    pub(super) fn stack_offset<const WIDE: bool>(&self, distance: u32) -> u32 {
        let offset = self.registers.general[ESP].wrapping_add(distance);
        if WIDE { offset } else { offset & 0xFFFF }
    }

    /// Sets the stack pointer to an offset in the stack segment.
    #[inline(always)]
    pub(super) fn set_stack_offset<const WIDE: bool>(&mut self, offset: u32) {
        let register = &mut self.registers.general[ESP];
        *register = if WIDE {
            offset
        } else {
            *register & 0xFFFF_0000 | offset & 0xFFFF
        };
    }

    #[inline(always)]
    pub(super) fn push<const N: u32, const WIDE: bool>(&mut self, value: u32) -> Result<(), Leave> {
        let top = self.stack_offset::<WIDE>((N / 8).wrapping_neg());
        self.store_at::<N>(STACK, top, value)?;
        self.set_stack_offset::<WIDE>(top);
        Ok(())
    }

    /// Reads `N` bits at `distance` bytes above the top of the stack.
    #[inline(always)]
    pub(super) fn peek<const N: u32, const WIDE: bool>(&mut self, distance: u32) -> Result<u32, Leave> {
        let offset = self.stack_offset::<WIDE>(distance);
        self.load_at::<N>(STACK, offset)
    }

    #[inline(always)]
    pub(super) fn drop_stack<const WIDE: bool>(&mut self, bytes: u32) {
        self.set_stack_offset::<WIDE>(self.registers.general[ESP].wrapping_add(bytes));
    }

    #[inline(always)]
    pub(super) fn pop<const N: u32, const WIDE: bool>(&mut self) -> Result<u32, Leave> {
        let value = self.peek::<N, WIDE>(0)?;
        self.drop_stack::<WIDE>(N / 8);
        Ok(value)
    }

    /// Raises the fault that a store of `size` bytes to `segment:offset` would raise, and stores nothing.
    pub(super) fn probe_store(&mut self, segment: u8, offset: u32, size: u32) -> Result<(), Leave> {
        let linear = self.store_address(segment, offset, size)?;
        match self.memory.probe_write(linear, size) {
            Ok(()) => Ok(()),
            Err(fault) => self.translate(segment, linear, size, true, fault),
        }
    }
}
