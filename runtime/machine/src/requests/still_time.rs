//! What waits for the timer or the keyboard of a PC, which this machine does not have: handlers of their interrupts,
//! and loops that read the BIOS's count of ticks.

use crate::Machine;
use crate::ledger::Ledger;
use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, OpAccess, OpKind, Register};
use p5_image::Start;
use p5_results::{Note, StopReason};
use p5_words::registers::CS;
use std::ops::Range;

/// The interrupts of the timer and of the keyboard, and the one that the BIOS's handler of the timer calls.
const VECTORS: [u8; 3] = [0x08, 0x09, 0x1C];
/// The linear addresses of the BIOS's count of ticks, 0040:006C.
const TICKS: Range<u32> = 0x46C..0x470;

impl Machine<'_> {
    /// Adds notes if the program of DOS has set a handler for the timer or the keyboard that nothing has called, and if
    /// it was stopped in a loop that reads the count of ticks.
    pub(crate) fn note_still_time(&mut self, ledger: &Ledger) {
        if !matches!(self.image.start, Start::Real(_)) {
            return;
        }
        let executed = |address: u32| ledger.listed().iter().any(|kept| kept.op.address == address);
        for vector in VECTORS {
            let place = u32::from(vector) * 4;
            let given = self
                .image
                .bytes_at(place)
                .first_chunk()
                .map_or(0, |bytes| u32::from_le_bytes(*bytes));
            let handler = self.state.memory.read_u32(place).unwrap_or(given);
            if handler != given && !executed((handler >> 16 << 4) + (handler & 0xFFFF)) {
                self.note(Note::NeverInterrupted { vector });
            }
        }
        let stopped = matches!(
            self.stop.reason,
            StopReason::Limit | StopReason::Timeout | StopReason::Endless
        );
        if let Some(address) = stopped.then(|| self.waits_for_ticks(ledger)).flatten() {
            let place = self.place(address);
            self.note(Note::TicksStandStill { place });
        }
    }

    /// The instruction that reads the count of ticks in the smallest loop around the end of the run.
    ///
    /// Its address is computed from the registers at the end: a loop that waits does not change them.
    fn waits_for_ticks(&self, ledger: &Ledger) -> Option<u32> {
        let end = self.state.registers.eip;
        let base = self.state.registers.segments[CS].base();
        let mut factory = InstructionInfoFactory::new();
        let (mut loops, mut reads) = (Vec::new(), Vec::new());
        for kept in ledger.listed() {
            let address = kept.op.address;
            let offset = u64::from(address.wrapping_sub(base) & 0xFFFF);
            let instruction = Decoder::with_ip(16, &kept.op.bytes, offset, DecoderOptions::NONE).decode();
            if instruction.op0_kind() == OpKind::NearBranch16 {
                let target = base.wrapping_add(u32::from(instruction.near_branch16()));
                loops.extend((target <= address).then_some(target..=address));
            }
            let mut memory = factory.info(&instruction).used_memory().iter();
            let reads_ticks = memory.any(|used| {
                let read = matches!(used.access(), OpAccess::Read | OpAccess::ReadWrite | OpAccess::CondRead);
                let bytes = used.memory_size().size() as u64;
                let from = used.virtual_address(0, |register, _, _| self.value_of(register));
                read && from.is_some_and(|from| from < u64::from(TICKS.end) && from + bytes > u64::from(TICKS.start))
            });
            reads.extend(reads_ticks.then_some(address));
        }
        let around = loops.iter().filter(|one| one.contains(&end));
        let smallest = around.min_by_key(|one| one.end() - one.start())?;
        reads.into_iter().find(|read| smallest.contains(read))
    }

    /// A general register, or the base of a segment register.
    fn value_of(&self, register: Register) -> Option<u64> {
        let registers = &self.state.registers;
        match register {
            _ if register.is_gpr32() => Some(registers.general[register.number()].into()),
            _ if register.is_gpr16() => Some((registers.general[register.number()] & 0xFFFF).into()),
            _ if register.is_segment_register() => Some(registers.segments[register.number()].base().into()),
            _ => None,
        }
    }
}
