//! Blocks: instructions decoded once, found by address, linked to the blocks that follow them.
//!
//! A block that is cut only because of its length ends at a group border. An instruction stays open in U only before a
//! mark, before an instruction that stands alone, and in blocks of one operation: closing it earlier would move the
//! clock before the next instruction is fetched.

use super::known::{Known, KnownInstruction};
use super::ledger::Addresses;
use super::{Machine, parts};
use crate::block::Op;
use crate::exec::{self, MicroOp};
use crate::facts::FACT_CAPACITY;
use crate::fault::{Fault, FaultCause, PageAccess, Vector};
use crate::image::{Image, RETURN_ADDRESS};
use crate::isa::{LONGEST_INSTRUCTION, is_prefix};
use crate::memory::Memory;
use crate::pipeline::BlockTime;
use crate::run::{Stop, StopDetail, StopReason};
use iced_x86::{DecoderError, FlowControl};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Range};

/// Instructions of one block at most.
pub(super) const LONGEST: usize = 48;
/// The same where a probe begins: the issue of its first instruction is watched for, and a block with a watched
/// instruction is not replayed from its schedule.
const SHORTEST: usize = 2;
/// The most instructions and schedules kept; beyond, everything is dropped and decoded again.
pub(super) const DECODED: usize = 1 << 17;
/// The same as long as no code is executed again after it was dropped: code that is executed once is not worth keeping.
const DECODED_ONCE: usize = 1 << 10;
/// The blocks that are decoded again before more is kept.
const AGAIN: u32 = 64;

/// A straight run of instructions.
pub(super) struct Block {
    // The address, or more than any address once the block is no longer valid.
    start: u64,
    end: u32,
    /// The operations.
    pub(super) micro_ops: Vec<MicroOp>,
    /// Their timing; an instruction that can only fault has none.
    pub(super) time: Option<BlockTime>,
    /// Whether a region's first instruction, its first instruction after or its end macro's end is here.
    pub(super) marked: bool,
    /// Whether the instructions belong to the library.
    library: bool,
    links: [(u64, u32); 2],
    next_link: u8,
}

/// No address.
const INVALID: u64 = u64::MAX;

/// All blocks.
pub(super) struct Blocks {
    blocks: Vec<Block>,
    by_address: FxHashMap<u32, u32>,
    by_page: BTreeMap<u32, Vec<u32>>,
    marks: FxHashSet<u32>,
    /// Marks at which a region only begins: a jump back to one has no effect.
    beginnings: FxHashSet<u32>,
    cuts: BTreeSet<u32>,
    /// The most instructions and schedules kept, at most [`DECODED`].
    most: usize,
    // The first addresses of the blocks that this run has dropped because there were too many.
    dropped: Addresses,
    // How many of them were decoded again since `most` last changed.
    again: u32,
    known: Known,
    // The number of the source line that was looked up last.
    near: usize,
    // The operations of blocks that were dropped, all empty: their memory is used again.
    spare: Vec<Vec<MicroOp>>,
    // Empty between two blocks; their memory is used again.
    micro_ops: Vec<MicroOp>,
    ops: Vec<Op>,
    // The most instructions of the next block: few after a store into code, because what such a store ends early is
    // decoded again.
    longest: usize,
    single: bool,
    // Whether `single` holds for every run, not only near the limit of one.
    always_single: bool,
    changed: bool,
}

impl Blocks {
    /// No blocks yet; `single` makes each instruction its own block.
    pub(super) fn new(image: &Image, single: bool) -> Blocks {
        let marks: FxHashSet<u32> = image.regions.iter().flat_map(|r| [r.first, r.after, r.done]).collect();
        let ends: FxHashSet<u32> = image.regions.iter().flat_map(|r| [r.after, r.done]).collect();
        let beginnings = marks.difference(&ends).copied().collect();
        let mut cuts: BTreeSet<u32> = marks.iter().copied().collect();
        cuts.extend(image.end);
        cuts.extend(parts::borders(image));
        Blocks {
            blocks: Vec::new(),
            by_address: FxHashMap::default(),
            by_page: BTreeMap::new(),
            marks,
            beginnings,
            cuts,
            most: DECODED_ONCE,
            dropped: Addresses::default(),
            again: 0,
            known: Known::new(),
            near: 0,
            spare: Vec::new(),
            micro_ops: Vec::new(),
            ops: Vec::new(),
            longest: LONGEST,
            single,
            always_single: single,
            changed: false,
        }
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, index: u32) -> &mut Block {
        &mut self.blocks[index as usize]
    }

    /// The block that followed `index` at `next` before, if it is still valid.
    #[inline(always)]
    pub(super) fn linked(&self, index: u32, next: u32) -> Option<u32> {
        let next = u64::from(next);
        for (address, linked) in self.blocks[index as usize].links {
            if address == next && self.blocks[linked as usize].start == next {
                return Some(linked);
            }
        }
        None
    }

    fn link(&mut self, index: u32, next: u32, to: u32) {
        // Marks are checked on every entry, but a region begins only where its start macro falls through to it: the
        // jump of a loop that starts there needs no check.
        let falls_through = self.blocks.get(index as usize).is_none_or(|block| block.end == next);
        if self.blocks[to as usize].marked && (falls_through || !self.beginnings.contains(&next)) {
            return;
        }
        let library = self.blocks[to as usize].library;
        // The parts' events are told apart on entry.
        if let Some(block) = self
            .blocks
            .get_mut(index as usize)
            .filter(|block| block.library == library)
        {
            block.links[usize::from(block.next_link & 1)] = (u64::from(next), to);
            block.next_link ^= 1;
        }
    }

    /// Whether the blocks are those that another run would make: no store has changed decoded code, and the last run
    /// did not end in blocks of one instruction.
    pub(super) fn can_be_kept(&self) -> bool {
        !self.changed && self.single == self.always_single
    }

    /// Another run begins; it has blocks of several instructions again.
    pub(super) fn begin_run(&mut self) {
        self.single = self.always_single;
        self.dropped = Addresses::default();
    }

    /// Makes each instruction its own block from now on. The instructions decoded so far keep their numbers.
    pub(super) fn make_single(&mut self) {
        if self.single {
            return;
        }
        self.single = true;
        self.by_address.clear();
        self.blocks.iter_mut().for_each(|block| block.start = INVALID);
    }

    /// Marks the pages of all blocks in a fresh memory.
    pub(super) fn mark_code(&self, memory: &mut Memory) {
        self.by_page.keys().for_each(|&page| memory.mark_code(page << 12));
    }

    /// Notes that all blocks are dropped because there are too many.
    fn drop_for_room(&mut self) {
        for block in &self.blocks {
            self.dropped.insert(block.start as u32);
        }
    }

    /// Notes that a block is decoded at `address`: if code is executed again after it was dropped, more is kept.
    fn count_decoded(&mut self, address: u32) {
        if self.dropped.contains(address) {
            self.again += 1;
            if self.again >= AGAIN && self.most < DECODED {
                self.most *= 2;
                self.again = 0;
            }
        }
    }

    fn clear(&mut self) {
        let dropped = self.blocks.drain(..).map(|block| block.micro_ops);
        self.spare.extend(dropped.map(|mut micro_ops| {
            micro_ops.clear();
            micro_ops
        }));
        self.by_address.clear();
        self.by_page.clear();
        self.changed = false;
    }

    /// Invalidates the blocks that hold any byte of a store.
    fn stored(&mut self, address: u32, length: u32) {
        let last = address.saturating_add(length.max(1) - 1);
        // Several stores may have been merged into one range, so all pages between its ends are checked.
        for indices in self
            .by_page
            .range_mut(address >> 12..=last >> 12)
            .map(|(_, indices)| indices)
        {
            for &index in indices.iter() {
                let block = &mut self.blocks[index as usize];
                if block.start != INVALID && block.start <= u64::from(last) && block.end > address {
                    self.by_address.remove(&(block.start as u32));
                    block.start = INVALID;
                    self.changed = true;
                }
            }
            indices.retain(|&index| self.blocks[index as usize].start != INVALID);
        }
    }
}

impl Machine<'_> {
    /// Applies the last stores into code pages to blocks and the code cache. They ended a block after `executed`
    /// instructions.
    #[cold]
    pub(super) fn code_stored(&mut self, executed: usize) {
        self.blocks.longest = executed.clamp(1, LONGEST);
        let stores = self.state.memory.code_stores().to_vec();
        self.state.memory.forget_code_stores();
        for (address, length) in stores {
            self.blocks.stored(address, length);
            self.pipeline.core.code_stored(address, length);
        }
    }

    /// Drops every decoded instruction; their statistics are kept by address.
    pub(super) fn drop_blocks(&mut self) {
        // Issues noted by the old instruction numbers are applied while those are still valid.
        self.regions.settle(&mut self.pipeline, &self.counters);
        self.blocks.clear();
        let (ledger, image) = (&mut self.ledger, self.image);
        self.pipeline.forget(|op, stats| ledger.add(image, op, stats));
        ledger.condense(image);
    }

    /// The block at `address` after block `from`, linked for the next time.
    #[cold]
    pub(super) fn enter_from(&mut self, from: u32, address: u32, sequential: bool) -> Result<u32, Stop> {
        // A fault in bytes without a source line is reported with the line that led there. Every way from a line to
        // such bytes passes here, because the two blocks are never linked.
        let outside = address == RETURN_ADDRESS || self.image.end == Some(address);
        let mut strays = None;
        if !outside && self.image.line_near(address, &mut self.blocks.near).is_none() {
            let last = self
                .blocks
                .blocks
                .get(from as usize)
                .map(|block| block.end.wrapping_sub(1));
            strays = last.and_then(|last| self.place(last));
            self.strayed_from = strays.or(self.strayed_from);
        }
        // A watched instruction is identified by its number, so it must issue first.
        if self.pipeline.decoded() > self.blocks.most && !self.pipeline.watching() {
            self.blocks.drop_for_room();
            self.drop_blocks();
            return self.enter(address, sequential);
        }
        let index = self.enter(address, sequential)?;
        if strays.is_none() {
            self.blocks.link(from, address, index);
        }
        Ok(index)
    }

    /// The block at `address`, decoded if necessary, with its marks applied; or the run's end.
    pub(super) fn enter(&mut self, address: u32, sequential: bool) -> Result<u32, Stop> {
        if self.blocks.marks.contains(&address) {
            self.regions.settle(&mut self.pipeline, &self.counters);
            self.regions.done(address, &self.state.memory);
        }
        if self.image.end == Some(address) {
            return Err(Stop::plain(StopReason::End));
        }
        if address == RETURN_ADDRESS {
            return Err(Stop::plain(StopReason::Return));
        }
        let index = match self.blocks.by_address.get(&address) {
            Some(&index) => index,
            None => self.decode(address)?,
        };
        let block = &self.blocks.blocks[index as usize];
        let first = block.time.as_ref().map(|time| time.ops.start);
        self.regions.enter_part(block.library, first, &mut self.pipeline);
        if block.marked {
            self.regions.enter(address, first, sequential, &mut self.pipeline);
        }
        Ok(index)
    }

    /// Decodes the block at `address`.
    fn decode(&mut self, address: u32) -> Result<u32, Stop> {
        self.blocks.count_decoded(address);
        let mut micro_ops = std::mem::take(&mut self.blocks.micro_ops);
        let mut ops = std::mem::take(&mut self.blocks.ops);
        micro_ops.clear();
        ops.clear();
        let image = self.image;
        let mut row = image.line_near(address, &mut self.blocks.near);
        let has_line = row.is_some();
        let library = row.is_some_and(|row| parts::of_library(image, row));
        let begins_probe = library && self.blocks.cuts.contains(&address);
        let longest = match self.blocks.single {
            true => 1,
            false if begins_probe => SHORTEST,
            false => self.blocks.longest,
        };
        self.blocks.longest = LONGEST.min(2 * self.blocks.longest);
        let last = address.saturating_add((LONGEST * LONGEST_INSTRUCTION) as u32);
        let nearest = (Bound::Excluded(address), Bound::Included(last));
        let mut cuts = self.blocks.cuts.range::<u32, _>(nearest).copied().peekable();
        let mut at = address;
        let mut words = 0;
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
                too_long = !self.blocks.single;
                break;
            }
            let window = self.state.memory.window(at);
            if let Some(KnownInstruction { op, micro_op, .. }) =
                window.and_then(|window| self.blocks.known.find(window))
                && words + op.fact_words() <= FACT_CAPACITY
            {
                words += op.fact_words();
                ops.push(op.at(at));
                micro_ops.push(micro_op.at(at));
                at = at.wrapping_add(u32::from(op.length));
                continue;
            }
            let mut bytes = [0u8; LONGEST_INSTRUCTION];
            let available = self.state.memory.fetch(at, &mut bytes);
            let mut decoder = self.model.isa.decoder(&bytes[..available], at);
            let instruction = decoder.decode();
            if instruction.is_invalid() {
                if micro_ops.is_empty() {
                    let cut_off = decoder.last_error() == DecoderError::NoMoreBytes;
                    return Err(self.not_decoded(at, &bytes[..available], cut_off));
                }
                break;
            }
            let alone = exec::stands_alone(&instruction);
            if alone && !micro_ops.is_empty() {
                break;
            }
            let micro_op = match exec::compile(&instruction, self.model.isa) {
                Ok(micro_op) => micro_op,
                Err(error) if micro_ops.is_empty() => {
                    return Err(self.stopped(StopReason::Unsupported, StopDetail::NotSimulated(error.0), at));
                }
                Err(_) => break,
            };
            let offsets = decoder.get_constant_offsets(&instruction);
            let length = instruction.len();
            let Some(op) = self.classifier.classify(&instruction, &offsets, &bytes[..length]) else {
                // No row in the table: the chip raises a fault for this instruction.
                if micro_ops.is_empty() {
                    micro_ops.push(micro_op);
                    at = at.wrapping_add(length as u32);
                }
                break;
            };
            if words + op.fact_words() > FACT_CAPACITY {
                too_long = true;
                break;
            }
            words += op.fact_words();
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

    fn add_block(&mut self, place: Range<u32>, library: bool, micro_ops: Vec<MicroOp>, ops: &mut Vec<Op>) -> u32 {
        let Range { start, end } = place;
        let time = (ops.len() == micro_ops.len()).then(|| self.pipeline.add_block(ops));
        let index = self.blocks.blocks.len() as u32;
        self.blocks.blocks.push(Block {
            start: u64::from(start),
            end,
            micro_ops,
            time,
            marked: self.blocks.marks.contains(&start),
            library,
            links: [(INVALID, 0); 2],
            next_link: 0,
        });
        self.blocks.by_address.insert(start, index);
        for page in start >> 12..=end.wrapping_sub(1) >> 12 {
            self.blocks.by_page.entry(page).or_default().push(index);
            self.state.memory.mark_code(page << 12);
        }
        index
    }

    /// The stop at bytes that do not decode: as many as the longest instruction has, or all up to the end of memory.
    /// `cut_off` is set if the instruction goes on there.
    fn not_decoded(&self, address: u32, bytes: &[u8], cut_off: bool) -> Stop {
        let (vector, cause, concerned) = if cut_off {
            let end = address.wrapping_add(bytes.len() as u32);
            (Vector::Page, FaultCause::Page(PageAccess::Fetch), end)
        } else if self.is_too_long(address, bytes) {
            (Vector::GeneralProtection, FaultCause::InstructionTooLong, address)
        } else {
            (Vector::InvalidOpcode, FaultCause::invalid_bytes(bytes), address)
        };
        let fault = Fault {
            address: Some(concerned),
            ..Fault::new(vector, None, cause)
        };
        self.faulted(&fault, address)
    }

    /// Whether `bytes`, which do not decode, begin an instruction that only its prefixes make too long.
    fn is_too_long(&self, address: u32, bytes: &[u8]) -> bool {
        let prefixes = bytes.iter().take_while(|&&byte| is_prefix(byte)).count();
        let too_long_after = |skipped: usize| {
            let start = address.wrapping_add(skipped as u32);
            let mut bytes = [0; LONGEST_INSTRUCTION];
            let available = self.state.memory.fetch(start, &mut bytes);
            let mut decoder = self.model.isa.decoder(&bytes[..available], start);
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
