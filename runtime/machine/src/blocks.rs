//! Blocks: instructions decoded once, found by address, linked to the blocks that follow them.
//!
//! A block that is cut only because of its length ends at a group border. An instruction stays open in U only before a
//! mark, before an instruction that stands alone, and in blocks of one operation. To close it earlier would move the
//! clock before the next instruction is fetched.

use super::known::Known;
use super::ledger::Addresses;
use super::parts;
use super::regions::CANNOT_ISSUE;
use p5_image::{Image, Near, RESET_VECTOR, Start, partition_point_near};
use p5_meaning::exec::MicroOp;
use p5_meaning::memory::Memory;
use p5_results::Stop;
use p5_timing::block::Op;
use p5_timing::pipeline::BlockTime;
use p5_words::fault::Fault;
use p5_words::mode::Mode;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::ops::Range;

/// The most instructions of one block.
pub(super) const LONGEST: usize = 48;
/// The most instructions of a block at which a probe begins. The issue of its first instruction is awaited, and until
/// then no block is replayed from its schedule.
pub(super) const SHORTEST: usize = 2;
/// The most steps of a block of several instructions, as an observer counts them, without the steps of a repeated
/// instruction or a far transfer, which ends its block.
pub(super) const MOST_STEPS: u32 = 64;
/// The most instructions and schedules kept. Beyond that, all are dropped and decoded again.
pub(super) const DECODED: usize = 1 << 17;
/// The limit of instructions until code is executed again after it was dropped. Code that is executed once is not
/// worth keeping.
const DECODED_ONCE: usize = 1 << 10;
/// The number of blocks decoded again at which the limit grows.
const AGAIN: u32 = 64;

/// The reason why a block cannot be entered.
pub(super) enum Blocked {
    Stop(Stop),
    /// The instruction cannot be fetched or decoded.
    Fault(Fault),
}

/// A straight run of instructions.
pub(super) struct Block {
    // The address and, above its 32 bits, the numbers of the mode and of the chain of calls, and whether blocks have
    // one instruction each. A block that is no longer valid has the largest number.
    start: u64,
    end: u32,
    pub(super) micro_ops: Vec<MicroOp>,
    /// The timing of the operations; none for an instruction that can only fault.
    pub(super) time: Option<BlockTime>,
    /// Whether it contains the first instruction of a region, the first one after a region, or the end of an end
    /// macro.
    pub(super) marked: bool,
    /// Whether the instructions belong to the library.
    pub(super) library: bool,
    /// Whether the last instruction is a return or an indirect jump, which may return from the program.
    pub(super) may_return: bool,
    /// Whether the last instruction is a call.
    pub(super) calls: bool,
    links: [(u64, u32); 2],
    next_link: u8,
    /// The executions until it is compiled; [`UNSUITED`] if it cannot be.
    pub(super) heat: u32,
}

impl Block {
    /// The number of the first instruction, or [`CANNOT_ISSUE`].
    pub(super) fn first(&self) -> u32 {
        self.time.as_ref().map_or(CANNOT_ISSUE, |time| time.ops.start)
    }

    pub(super) fn address_of(&self, index: usize) -> Option<u32> {
        self.micro_ops.get(index).map(MicroOp::address)
    }
}

/// Addresses at which a block begins, whatever was decoded before.
pub(super) struct Cuts {
    /// The addresses in ascending order.
    pub(super) addresses: Vec<u32>,
    // The index found by the last search.
    near: usize,
}

impl Cuts {
    /// The index of the first of these addresses that is not below `address`.
    pub(super) fn from(&mut self, address: u32) -> usize {
        self.near = partition_point_near(&self.addresses, self.near, |&cut| cut < address);
        self.near
    }
}

/// The heat of a block that is not compiled.
pub(super) const UNSUITED: u32 = u32::MAX;

/// The start of an invalid block.
const INVALID: u64 = u64::MAX;
/// Marks the starts of blocks of one instruction each.
const SINGLE: u64 = 1 << 62;
/// The most modes with blocks.
const MODES: usize = 1 << 10;
/// The lowest bit of the number of the chain of calls in the start of a block, above that of the mode.
const CHAIN: u32 = 42;

pub(super) struct Blocks {
    blocks: Vec<Block>,
    by_address: FxHashMap<u64, u32>,
    // The modes of the blocks, and the number of the current one.
    modes: Vec<Mode>,
    mode: usize,
    // The number of the chain of calls that is executed. Each chain has blocks of its own, and so figures of its own.
    chain: u16,
    // The bits above the address in the starts of the current blocks.
    kind: u64,
    // The timing of exception deliveries, by the address and mode of the raising instruction.
    deliveries: FxHashMap<u64, BlockTime>,
    by_page: BTreeMap<u32, Vec<u32>>,
    pub(super) marks: Addresses,
    /// The marks at which a region only begins. A jump back to one of them has no effect.
    beginnings: FxHashSet<u32>,
    pub(super) cuts: Cuts,
    /// The most instructions kept, at most [`DECODED`].
    pub(super) most: usize,
    // The first addresses of the blocks that this run has dropped because there were too many.
    dropped: Addresses,
    // The number of them that were decoded again since `most` last changed.
    again: u32,
    pub(super) known: Known,
    // The source line that was looked up last.
    pub(super) near: Near,
    // The emptied lists of operations of dropped blocks, whose memory is reused.
    pub(super) spare: Vec<Vec<MicroOp>>,
    // Buffers that are empty between two blocks, so that their memory is reused.
    pub(super) micro_ops: Vec<MicroOp>,
    pub(super) ops: Vec<Op>,
    // The most instructions of the next block. They are few after a store into code, because a block that such a store
    // ends early is decoded again.
    pub(super) longest: usize,
    // The executions after which a new block is compiled.
    pub(super) heat: u32,
    // Whether each instruction is a block of its own: in every run, near the limit of the run, and while each is
    // checked.
    always_single: bool,
    near_limit: bool,
    looked_at: bool,
    changed: bool,
}

impl Blocks {
    /// Creates an empty set of blocks; `single` makes each instruction its own block.
    pub(super) fn new(image: &Image, single: bool) -> Blocks {
        let marks: FxHashSet<u32> = image.regions.iter().flat_map(|r| [r.first, r.after, r.done]).collect();
        let ends: FxHashSet<u32> = image.regions.iter().flat_map(|r| [r.after, r.done]).collect();
        let beginnings = marks.difference(&ends).copied().collect();
        let mut cuts: Vec<u32> = marks.iter().copied().chain(image.end).collect();
        cuts.extend(parts::borders(image));
        if image.start != Start::Flat {
            cuts.push(RESET_VECTOR);
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut blocks = Blocks {
            blocks: Vec::new(),
            by_address: FxHashMap::default(),
            modes: vec![Mode::FLAT],
            mode: 0,
            chain: 0,
            kind: 0,
            deliveries: FxHashMap::default(),
            by_page: BTreeMap::new(),
            marks: marks.into_iter().collect(),
            beginnings,
            cuts: Cuts {
                addresses: cuts,
                near: 0,
            },
            most: DECODED_ONCE,
            dropped: Addresses::default(),
            again: 0,
            known: Known::new(),
            near: Near::default(),
            spare: Vec::new(),
            micro_ops: Vec::new(),
            ops: Vec::new(),
            longest: LONGEST,
            heat: UNSUITED,
            always_single: single,
            near_limit: false,
            looked_at: false,
            changed: false,
        };
        blocks.update_kind();
        blocks
    }

    pub(super) fn is_single(&self) -> bool {
        self.always_single || self.near_limit || self.looked_at
    }

    fn update_kind(&mut self) {
        let single = if self.is_single() { SINGLE } else { 0 };
        self.kind = single | u64::from(self.chain) << CHAIN | (self.mode as u64) << 32;
    }

    /// The number of the chain of calls whose blocks are used.
    pub(super) fn chain(&self) -> u16 {
        self.chain
    }

    /// Uses the blocks of a chain of calls from now on.
    #[inline(always)]
    pub(super) fn enter_chain(&mut self, chain: u16) {
        if chain != self.chain {
            self.chain = chain;
            self.update_kind();
        }
    }

    pub(super) fn get(&self, index: u32) -> Option<&Block> {
        self.blocks.get(index as usize)
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, index: u32) -> &mut Block {
        &mut self.blocks[index as usize]
    }

    /// The index of the block at `address`, if it is decoded.
    pub(super) fn find(&self, address: u32) -> Option<u32> {
        self.by_address.get(&self.key(address)).copied()
    }

    /// Adds a block at `place`. The caller marks its pages.
    pub(super) fn add(
        &mut self,
        place: Range<u32>,
        library: bool,
        micro_ops: Vec<MicroOp>,
        time: Option<BlockTime>,
    ) -> u32 {
        let Range { start, end } = place;
        let index = self.blocks.len() as u32;
        let key = self.key(start);
        self.blocks.push(Block {
            start: key,
            end,
            micro_ops,
            time,
            marked: self.marks.contains(start),
            library,
            may_return: false,
            calls: false,
            links: [(INVALID, 0); 2],
            next_link: 0,
            heat: self.heat,
        });
        self.by_address.insert(key, index);
        for page in start >> 12..=end.wrapping_sub(1) >> 12 {
            self.by_page.entry(page).or_default().push(index);
        }
        index
    }

    /// The block that followed block `index` at address `next` before, if it is still valid.
    #[inline(always)]
    pub(super) fn linked(&self, index: u32, next: u32) -> Option<u32> {
        let next = self.key(next);
        for (address, linked) in self.blocks[index as usize].links {
            if address == next && self.blocks[linked as usize].start == next {
                return Some(linked);
            }
        }
        None
    }

    /// The start of a block at `address` of the current kind.
    #[inline(always)]
    fn key(&self, address: u32) -> u64 {
        self.kind | u64::from(address)
    }

    pub(super) fn mode(&self) -> &Mode {
        &self.modes[self.mode]
    }

    /// Whether the timing of exception deliveries for the instruction at `address` is known.
    pub(super) fn knows_delivery(&self, address: u32) -> bool {
        self.deliveries.contains_key(&self.key(address))
    }

    /// Removes and returns the timing of exception deliveries for the instruction at `address`.
    pub(super) fn take_delivery(&mut self, address: u32) -> Option<BlockTime> {
        self.deliveries.remove(&self.key(address))
    }

    /// Stores the timing of exception deliveries for the instruction at `address`.
    pub(super) fn keep_delivery(&mut self, address: u32, time: BlockTime) {
        self.deliveries.insert(self.key(address), time);
    }

    /// Changes the current mode. Returns false, without a change, if there are blocks of too many modes.
    pub(super) fn enter_mode(&mut self, mode: &Mode) -> bool {
        let known = self.modes.iter().position(|other| other == mode);
        if known.is_none() && self.modes.len() == MODES {
            return false;
        }
        let number = known.unwrap_or_else(|| {
            self.modes.push(*mode);
            self.modes.len() - 1
        });
        self.mode = number;
        self.update_kind();
        true
    }

    pub(super) fn link(&mut self, index: u32, next: u32, to: u32) {
        let key = self.key(next);
        // Marks are checked on every entry, but a region begins only where its start macro falls through to it: the
        // jump of a loop that starts there needs no check.
        let falls_through = self.blocks.get(index as usize).is_none_or(|block| block.end == next);
        if self.blocks[to as usize].marked && (falls_through || !self.beginnings.contains(&next)) {
            return;
        }
        let library = self.blocks[to as usize].library;
        // The events of the two parts are separated on entry.
        if let Some(block) = self
            .blocks
            .get_mut(index as usize)
            .filter(|block| block.library == library)
        {
            block.links[usize::from(block.next_link & 1)] = (key, to);
            block.next_link ^= 1;
        }
    }

    /// Whether another run would make the same blocks: no store has changed decoded code.
    pub(super) fn can_be_kept(&self) -> bool {
        !self.changed
    }

    /// Begins another run, which has blocks of several instructions again.
    pub(super) fn begin_run(&mut self) {
        (self.near_limit, self.looked_at) = (false, false);
        self.chain = 0;
        self.update_kind();
        self.dropped = Addresses::default();
    }

    /// Makes each instruction its own block to the end of the run, because the limit is near.
    pub(super) fn come_near_limit(&mut self) {
        self.near_limit = true;
        self.update_kind();
    }

    /// Whether each instruction is its own block because it is checked.
    pub(super) fn are_looked_at(&self) -> bool {
        self.looked_at
    }

    /// Makes each instruction its own block, because each is checked, or ends this. The blocks of either kind are
    /// kept.
    pub(super) fn look_at_each(&mut self, looked_at: bool) {
        self.looked_at = looked_at;
        self.update_kind();
    }

    /// Marks the pages of all blocks in a fresh memory.
    pub(super) fn mark_code(&self, memory: &mut Memory) {
        self.by_page.keys().for_each(|&page| memory.mark_code(page << 12));
    }

    /// Records the addresses of the blocks that are about to be dropped because there are too many.
    pub(super) fn note_dropped(&mut self) {
        for block in self.blocks.iter().filter(|block| block.start != INVALID) {
            self.dropped.insert(block.start as u32);
        }
    }

    /// Records that a block is decoded at `address`. If code is executed again after it was dropped, the limit grows.
    pub(super) fn count_decoded(&mut self, address: u32) {
        if self.dropped.contains(address) {
            self.again += 1;
            if self.again >= AGAIN && self.most < DECODED {
                self.most *= 2;
                self.again = 0;
            }
        }
    }

    /// Lets every block be compiled again.
    pub(super) fn forget_compiled(&mut self) {
        let heat = self.heat;
        for block in &mut self.blocks {
            block.heat = heat;
            if let Some(time) = &mut block.time {
                time.forget_compiled();
            }
        }
    }

    pub(super) fn clear(&mut self) {
        let dropped = self.blocks.drain(..).map(|block| block.micro_ops);
        self.spare.extend(dropped.map(|mut micro_ops| {
            micro_ops.clear();
            micro_ops
        }));
        self.by_address.clear();
        self.deliveries.clear();
        self.by_page.clear();
        self.modes = vec![*self.mode()];
        self.mode = 0;
        self.update_kind();
        self.changed = false;
    }

    /// Invalidates the blocks that contain any byte of a store. Passes them to `invalid`.
    pub(super) fn stored(&mut self, address: u32, length: u32, mut invalid: impl FnMut(&Block)) {
        let last = address.saturating_add(length.max(1) - 1);
        // Several stores may have been merged into one range, so all pages between its ends are checked.
        for indices in self
            .by_page
            .range_mut(address >> 12..=last >> 12)
            .map(|(_, indices)| indices)
        {
            for &index in indices.iter() {
                let block = &mut self.blocks[index as usize];
                if block.start != INVALID && block.start as u32 <= last && block.end > address {
                    self.by_address.remove(&block.start);
                    block.start = INVALID;
                    invalid(block);
                    self.changed = true;
                }
            }
            indices.retain(|&index| self.blocks[index as usize].start != INVALID);
        }
    }
}
