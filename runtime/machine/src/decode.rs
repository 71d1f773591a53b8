//! Decoding: a block's instructions with their meaning and their time, and the faults of bytes that do not decode.

use super::blocks::{Blocked, LONGEST, MOST_STEPS, SHORTEST};
use super::known::KnownInstruction;
use super::{Machine, parts};
use iced_x86::{ConstantOffsets, Decoder, DecoderError, DecoderOptions, FlowControl, Instruction};
use p5_image::Image;
use p5_meaning::exec;
use p5_meaning::memory::PageFault;
use p5_results::InstructionResult;
use p5_words::facts::FACT_CAPACITY;
use p5_words::fault::{Fault, FaultCause, PageAccess, Vector};
use p5_words::isa::{LONGEST_INSTRUCTION, PAGE, is_prefix};

struct Fetched {
    /// The instruction; invalid if the bytes do not decode.
    instruction: Instruction,
    /// The offsets of its displacement and immediate.
    offsets: ConstantOffsets,
    /// The number of bytes that were fetched.
    available: usize,
    /// Whether it continues after the fetched bytes.
    cut_off: bool,
    /// The page fault that ended the fetch, if the program's page tables caused one.
    missing: Option<PageFault>,
}

/// The size of a window of memory in bytes.
const WINDOW: usize = 16;

/// The instruction of a row, from the bytes of the image.
pub(super) fn decoded(image: &Image, row: &InstructionResult) -> Instruction {
    let bytes = image.bytes_at(row.address);
    Decoder::with_ip(row.bits, bytes, u64::from(row.address), DecoderOptions::NONE).decode()
}

impl Machine<'_> {
    pub(super) fn decode(&mut self, address: u32) -> Result<u32, Blocked> {
        let mode = *self.blocks.mode();
        self.blocks.count_decoded(address);
        let mut micro_ops = std::mem::take(&mut self.blocks.micro_ops);
        let mut ops = std::mem::take(&mut self.blocks.ops);
        micro_ops.clear();
        ops.clear();
        let image = self.image;
        let mut row = image.line_near(address, &mut self.blocks.near).map(|(_, row)| row);
        let has_line = row.is_some();
        let library = row.is_some_and(|row| parts::of_library(image, &row));
        let mut cut = self.blocks.cuts.from(address);
        let begins_probe = library && self.blocks.cuts.addresses.get(cut) == Some(&address);
        let longest = match self.blocks.is_single() {
            true => 1,
            false if begins_probe => SHORTEST,
            false => self.blocks.longest,
        };
        self.blocks.longest = LONGEST.min(2 * self.blocks.longest);
        let mut at = address;
        let (mut words, mut steps) = (0, 0);
        let (mut too_long, mut may_return, mut calls) = (false, false, false);
        let mut jump_back = None;
        loop {
            if row.is_none_or(|row| at.wrapping_sub(row.address) >= row.length) {
                row = image.line_near(at, &mut self.blocks.near).map(|(_, row)| row);
            }
            while self.blocks.cuts.addresses.get(cut).is_some_and(|&address| address < at) {
                cut += 1;
            }
            let is_cut = self.blocks.cuts.addresses.get(cut) == Some(&at);
            // Either all instructions of a block have source lines or none has: see `enter_from`.
            if !micro_ops.is_empty() && (is_cut || row.is_some() != has_line) {
                break;
            }
            if micro_ops.len() == longest {
                too_long = !self.blocks.is_single();
                break;
            }
            if let Err(fault) = self.state.memory.fill(at, 1, false) {
                if micro_ops.is_empty() {
                    return Err(Blocked::Fault(self.not_fetched(fault)));
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
            let fetched = self.fetch_instruction(at, &mut bytes);
            let instruction = fetched.instruction;
            if instruction.is_invalid() {
                if micro_ops.is_empty() {
                    return Err(Blocked::Fault(self.not_decoded(at, &bytes, &fetched)));
                }
                break;
            }
            let alone = exec::stands_alone(&instruction);
            if alone && !micro_ops.is_empty() {
                break;
            }
            let of_library = row.is_some_and(|row| parts::of_library(image, &row));
            let instruction = Some(instruction)
                .filter(|_| of_library)
                .and_then(|instruction| exec::without_time_stamp(&instruction, self.model.isa))
                .unwrap_or(instruction);
            let micro_op = exec::compile(&instruction, self.model.isa, &mode);
            let length = instruction.len();
            let Some(op) = self
                .classifier
                .classify(&instruction, &fetched.offsets, &bytes[..length], &mode)
            else {
                // The chip's table has no row, so the chip raises a fault for this instruction.
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
            may_return = matches!(
                instruction.flow_control(),
                FlowControl::Return | FlowControl::IndirectBranch
            );
            calls = matches!(
                instruction.flow_control(),
                FlowControl::Call | FlowControl::IndirectCall
            );
            jump_back = matches!(
                instruction.flow_control(),
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
            )
            .then_some(at)
            .filter(|&at| instruction.near_branch_target() <= u64::from(at));
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
        if too_long {
            // The last instruction waits for a partner, so it begins the next block instead; instructions of the
            // floating-point unit, most of which wait for FXCH, do so together.
            let shortest = ops.len().div_ceil(2);
            let mut lengths = (shortest..=ops.len()).rev();
            let closed = lengths.find(|&length| !self.pipeline.leaves_open(&ops[..length]));
            let length = closed.unwrap_or(ops.len().saturating_sub(1).max(1));
            if let Some(next) = ops.get(length) {
                at = next.address;
            }
            ops.truncate(length);
            micro_ops.truncate(ops.len());
        }
        if let Some(at) = jump_back.filter(|_| has_line && !library) {
            self.pipeline.await_jump(at);
        }
        if let Some(asked) = &self.options.asked {
            let wanted = ops.iter().map(|op| op.address).filter(|&at| asked.has(at));
            self.pipeline.await_wanted(wanted);
        }
        let mut own = self.blocks.spare.pop().unwrap_or_default();
        own.extend_from_slice(&micro_ops);
        let index = self.add_block(address..at, library, own, &mut ops);
        let block = self.blocks.get_mut(index);
        (block.may_return, block.calls) = (may_return, calls);
        (self.blocks.micro_ops, self.blocks.ops) = (micro_ops, ops);
        Ok(index)
    }

    /// Fetches and decodes the instruction at `address`, whose page can be used, into `bytes`. The next page is looked
    /// up in the program's page tables, which marks it as accessed, only if the instruction continues there.
    fn fetch_instruction(&mut self, address: u32, bytes: &mut [u8; LONGEST_INSTRUCTION]) -> Fetched {
        let next = (address | (PAGE - 1)).wrapping_add(1);
        let here = next.wrapping_sub(address) as usize;
        let most = self.within_limit(address, LONGEST_INSTRUCTION);
        let mut fetched = self.decode_fetched(address, &mut bytes[..most.min(here)]);
        if fetched.cut_off && fetched.available == here && here < most {
            match self.state.memory.fill(next, 1, false) {
                Ok(_) => {
                    self.state.note_page_of_code(next);
                    fetched = self.decode_fetched(address, &mut bytes[..most]);
                }
                Err(fault) => fetched.missing = Some(fault),
            }
        }
        fetched
    }

    /// Decodes the instruction at `address` from the bytes that are mapped.
    fn decode_fetched(&self, address: u32, bytes: &mut [u8]) -> Fetched {
        let available = self.state.memory.fetch(address, bytes);
        let mode = self.blocks.mode();
        let mut decoder = self
            .model
            .isa
            .decoder(mode.bits(), &bytes[..available], mode.offset(address));
        let instruction = decoder.decode();
        Fetched {
            instruction,
            offsets: decoder.get_constant_offsets(&instruction),
            available,
            cut_off: decoder.last_error() == DecoderError::NoMoreBytes,
            missing: None,
        }
    }

    /// The instruction at `address` and its bytes, without a mark in the program's page tables.
    pub(super) fn instruction_at(&self, address: u32) -> (Instruction, [u8; LONGEST_INSTRUCTION]) {
        let mut bytes = [0; LONGEST_INSTRUCTION];
        let instruction = self.decode_fetched(address, &mut bytes).instruction;
        (instruction, bytes)
    }

    /// The number of bytes fetched at `address` that are below the limit of the code segment.
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

    /// The fault of an instruction whose page is not allowed by the program's page tables.
    fn not_fetched(&self, fault: PageFault) -> Fault {
        let access = match fault.present {
            true => PageAccess::SupervisorPage,
            false => PageAccess::Fetch,
        };
        Fault {
            cause: FaultCause::Page(access),
            ..Fault::page(fault, self.state.registers.cpl)
        }
    }

    /// The fault of bytes that do not decode. It has as many bytes as the longest instruction, or all up to the end of
    /// memory or of the code segment.
    fn not_decoded(&self, address: u32, bytes: &[u8], fetched: &Fetched) -> Fault {
        if let Some(fault) = fetched.missing {
            return self.not_fetched(fault);
        }
        let bytes = &bytes[..fetched.available];
        let user = u32::from(self.state.registers.cpl == 3) << 2;
        let limited = self.within_limit(address, LONGEST_INSTRUCTION);
        let beyond_limit = limited < LONGEST_INSTRUCTION && limited == bytes.len();
        let (vector, cause, concerned) = if fetched.cut_off && beyond_limit {
            (Vector::GeneralProtection, FaultCause::PastLimit, address)
        } else if fetched.cut_off {
            let end = address.wrapping_add(bytes.len() as u32);
            let access = match self.state.memory.is_forbidden(end) {
                true => PageAccess::Forbidden,
                false => PageAccess::Fetch,
            };
            (Vector::Page, FaultCause::Page(access), end)
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

    /// Whether `bytes`, which do not decode, begin an instruction that is too long only because of its prefixes.
    fn is_too_long(&self, address: u32, bytes: &[u8]) -> bool {
        let prefixes = bytes.iter().take_while(|&&byte| is_prefix(byte)).count();
        let too_long_after = |skipped: usize| {
            let start = address.wrapping_add(skipped as u32);
            let fetched = self.decode_fetched(start, &mut [0; LONGEST_INSTRUCTION]);
            if fetched.instruction.is_invalid() {
                fetched.cut_off
            } else {
                skipped + fetched.instruction.len() > LONGEST_INSTRUCTION
            }
        };
        prefixes == LONGEST_INSTRUCTION || (1..=prefixes).any(too_long_after)
    }
}
