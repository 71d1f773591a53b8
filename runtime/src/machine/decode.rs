//! Decoding: a block's instructions with their meaning and their time, and the faults of bytes that do not decode.

use super::blocks::{Blocked, LONGEST, MOST_STEPS, SHORTEST};
use super::known::KnownInstruction;
use super::{Machine, parts};
use crate::exec;
use crate::facts::FACT_CAPACITY;
use crate::fault::{Fault, FaultCause, PageAccess, Vector};
use crate::isa::{LONGEST_INSTRUCTION, PAGE, is_prefix};
use crate::memory::Memory;
use iced_x86::{DecoderError, FlowControl};

/// How many of the bytes fetched at `address` are on pages that the page tables of the program allow.
fn within_pages(memory: &mut Memory, address: u32, available: usize) -> usize {
    let next = (address | (PAGE - 1)).wrapping_add(1);
    let here = next.wrapping_sub(address) as usize;
    if here < available && memory.fill(next, 1, false).is_err() {
        return here;
    }
    available
}

/// The bytes of a window of memory.
const WINDOW: usize = 16;

impl Machine<'_> {
    /// Decodes the block at `address`.
    pub(super) fn decode(&mut self, address: u32) -> Result<u32, Blocked> {
        let mode = *self.blocks.mode();
        self.blocks.count_decoded(address);
        let mut micro_ops = std::mem::take(&mut self.blocks.micro_ops);
        let mut ops = std::mem::take(&mut self.blocks.ops);
        micro_ops.clear();
        ops.clear();
        let image = self.image;
        let mut row = image.line_near(address, &mut self.blocks.near);
        let has_line = row.is_some();
        let library = row.is_some_and(|row| parts::of_library(image, row));
        let cut = self.blocks.cuts.from(address);
        let mut cuts = self.blocks.cuts.addresses[cut..].iter().copied().peekable();
        let begins_probe = library && cuts.peek() == Some(&address);
        let longest = match self.blocks.is_single() {
            true => 1,
            false if begins_probe => SHORTEST,
            false => self.blocks.longest,
        };
        self.blocks.longest = LONGEST.min(2 * self.blocks.longest);
        let mut at = address;
        let (mut words, mut steps) = (0, 0);
        let mut too_long = false;
        loop {
            if row.is_none_or(|row| at.wrapping_sub(row.address) >= row.length) {
                row = image.line_near(at, &mut self.blocks.near);
            }
            while cuts.next_if(|&cut| cut < at).is_some() {}
            // A block has source lines throughout or not at all: see `enter_from`.
            if !micro_ops.is_empty() && (cuts.peek() == Some(&at) || row.is_some() != has_line) {
                break;
            }
            if micro_ops.len() == longest {
                too_long = !self.blocks.is_single();
                break;
            }
            if let Err(fault) = self.state.memory.fill(at, 1, false) {
                if micro_ops.is_empty() {
                    let cause = FaultCause::Page(if fault.present {
                        PageAccess::SupervisorPage
                    } else {
                        PageAccess::Fetch
                    });
                    return Err(Blocked::Fault(Fault {
                        cause,
                        ..Fault::page(fault, self.state.registers.cpl)
                    }));
                }
                break;
            }
            self.state.note_page_of_code(at);
            let limited = self.within_limit(at, WINDOW) < WINDOW;
            let window = self.state.memory.window(at).filter(|_| !limited);
            if let Some(KnownInstruction { op, micro_op, .. }) =
                window.and_then(|window| self.blocks.known.find(window, &mode))
                && words + op.fact_words() <= FACT_CAPACITY
                && (ops.is_empty() || steps + op.most_steps() <= MOST_STEPS)
            {
                words += op.fact_words();
                steps += op.most_steps();
                ops.push(op.at(at));
                micro_ops.push(micro_op.at(at));
                at = at.wrapping_add(u32::from(op.length));
                continue;
            }
            let mut bytes = [0u8; LONGEST_INSTRUCTION];
            let available = self.state.memory.fetch(at, &mut bytes);
            let available = within_pages(&mut self.state.memory, at, available);
            let available = self.within_limit(at, available);
            let mut decoder = self
                .model
                .isa
                .decoder(mode.bits(), &bytes[..available], mode.offset(at));
            let instruction = decoder.decode();
            if instruction.is_invalid() {
                if micro_ops.is_empty() {
                    let cut_off = decoder.last_error() == DecoderError::NoMoreBytes;
                    return Err(Blocked::Fault(self.not_decoded(at, &bytes[..available], cut_off)));
                }
                break;
            }
            let alone = exec::stands_alone(&instruction);
            if alone && !micro_ops.is_empty() {
                break;
            }
            let offsets = decoder.get_constant_offsets(&instruction);
            let of_library = row.is_some_and(|row| parts::of_library(image, row));
            let instruction = Some(instruction)
                .filter(|_| of_library)
                .and_then(|instruction| exec::without_time_stamp(&instruction, self.model.isa))
                .unwrap_or(instruction);
            let micro_op = exec::compile(&instruction, self.model.isa, &mode);
            let length = instruction.len();
            let Some(op) = self
                .classifier
                .classify(&instruction, &offsets, &bytes[..length], &mode)
            else {
                // No row in the table: the chip raises a fault for this instruction.
                if micro_ops.is_empty() {
                    micro_ops.push(micro_op);
                    at = at.wrapping_add(length as u32);
                }
                break;
            };
            if words + op.fact_words() > FACT_CAPACITY || !ops.is_empty() && steps + op.most_steps() > MOST_STEPS {
                too_long = true;
                break;
            }
            words += op.fact_words();
            steps += op.most_steps();
            let unbounded = op.repeated.is_some();
            let ends = alone || unbounded || instruction.flow_control() != FlowControl::Next;
            if let (false, Some(window)) = (ends, window) {
                self.blocks.known.keep(window, &op, micro_op);
            }
            micro_ops.push(micro_op);
            ops.push(op);
            at = at.wrapping_add(length as u32);
            if ends {
                break;
            }
        }
        if too_long && ops.len() > 1 && self.pipeline.leaves_open(&ops) {
            // The last instruction waits for a partner: it begins the next block instead.
            micro_ops.pop();
            if let Some(op) = ops.pop() {
                at = op.address;
            }
        }
        let mut own = self.blocks.spare.pop().unwrap_or_default();
        own.extend_from_slice(&micro_ops);
        let index = self.add_block(address..at, library, own, &mut ops);
        (self.blocks.micro_ops, self.blocks.ops) = (micro_ops, ops);
        Ok(index)
    }

    /// How many of the bytes fetched at `address` are below the limit of the code segment.
    fn within_limit(&self, address: u32, available: usize) -> usize {
        let mode = self.blocks.mode();
        if mode.is_flat_code() {
            return available;
        }
        let offset = mode.offset(address);
        match mode.code_limit.checked_sub(offset) {
            Some(more) => available.min(more.saturating_add(1) as usize),
            None => 0,
        }
    }

    /// The fault at bytes that do not decode: as many as the longest instruction has, or all up to the end of memory or
    /// of the code segment. `cut_off` is set if the instruction goes on there.
    fn not_decoded(&self, address: u32, bytes: &[u8], cut_off: bool) -> Fault {
        let user = u32::from(self.state.registers.cpl == 3) << 2;
        let limited = self.within_limit(address, LONGEST_INSTRUCTION);
        let (vector, cause, concerned) = if cut_off && limited < LONGEST_INSTRUCTION && limited == bytes.len() {
            (Vector::GeneralProtection, FaultCause::PastLimit, address)
        } else if cut_off {
            let end = address.wrapping_add(bytes.len() as u32);
            (Vector::Page, FaultCause::Page(PageAccess::Fetch), end)
        } else if self.is_too_long(address, bytes) {
            (Vector::GeneralProtection, FaultCause::InstructionTooLong, address)
        } else {
            (Vector::InvalidOpcode, FaultCause::invalid_bytes(bytes), address)
        };
        let error_code = match vector {
            Vector::Page => Some(user),
            Vector::GeneralProtection => Some(0),
            _ => None,
        };
        Fault {
            address: Some(concerned),
            ..Fault::new(vector, error_code, cause)
        }
    }

    /// Whether `bytes`, which do not decode, begin an instruction that only its prefixes make too long.
    fn is_too_long(&self, address: u32, bytes: &[u8]) -> bool {
        let prefixes = bytes.iter().take_while(|&&byte| is_prefix(byte)).count();
        let too_long_after = |skipped: usize| {
            let start = address.wrapping_add(skipped as u32);
            let mut bytes = [0; LONGEST_INSTRUCTION];
            let available = self.state.memory.fetch(start, &mut bytes);
            let mode = self.blocks.mode();
            let mut decoder = self
                .model
                .isa
                .decoder(mode.bits(), &bytes[..available], mode.offset(start));
            let instruction = decoder.decode();
            if instruction.is_invalid() {
                decoder.last_error() == DecoderError::NoMoreBytes
            } else {
                skipped + instruction.len() > LONGEST_INSTRUCTION
            }
        };
        prefixes == LONGEST_INSTRUCTION || (1..=prefixes).any(too_long_after)
    }
}
