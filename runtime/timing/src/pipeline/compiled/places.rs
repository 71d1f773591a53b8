//! Places: where the state of the timing simulation lies in memory, for an engine whose code reads and writes it.
//!
//! Modelled: nothing; these are offsets of fields, and the geometry of the units as masks and shifts. Not modelled:
//! what the fields mean, which stands beside them.

use crate::counters::Tally;
use crate::pipeline::Pipeline;
use crate::pipeline::compiled::miss_places::MissPlaces;
use crate::pipeline::compiled::planned_floating::FloatingPlaces;
use crate::pipeline::counts::stats::RecentStats;
use crate::units::bus::{Bus, Fill};
use crate::units::code_cache::CodeCache;
use crate::units::tlb::Tlb;
use crate::units::{Units, btb::Btb};
use asm_macros::events::Event;
use p5_chips::Resolved;
use p5_results::Cause;
use p5_results::records::STAGES_TO_EXECUTION;
use std::mem::offset_of;

/// Offsets in bytes: of fields of [`Pipeline`], and of fields of the units, whose address is [`Places::units`].
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// The address of the units, which never move.
    pub units: usize,
    /// The clock of the last group's issue.
    pub clock: i32,
    /// The clocks that the last group stays in EX.
    pub busy: i32,
    /// The clocks from the last group's entry into D2 to its issue.
    pub lead: i32,
    /// The clocks from its entry into D1 to its issue.
    pub ahead: i32,
    /// Whether it holds D2 until its last clock.
    pub holds: i32,
    /// The stages before EX.
    pub stages: u32,
    /// The clock at which D1 is ready.
    pub ready: i32,
    /// The clocks of that clock which a misprediction has caused.
    pub refill: i32,
    /// The number of the instruction that has mispredicted.
    pub refill_op: i32,
    /// The clocks of it that a walk of the page tables has caused.
    pub code_walk: i32,
    /// The size of the statistics of an instruction, of which the plan has numbers.
    pub statistics: usize,
    /// In them, the clocks of mispredictions.
    pub mispredictions: usize,
    /// The code line fetched last.
    pub line: i32,
    /// The clock until which a code line is being filled.
    pub filling: i32,
    /// The code line that was read ahead.
    pub read_ahead: i32,
    /// The address in U of the last group.
    pub last_u: i32,
    /// The address in U of the group before it.
    pub previous_u: i32,
    /// Whether the last group contained a branch.
    pub last_branched: i32,
    /// The number of groups.
    pub groups: i32,
    /// The number of the last group that mispredicted.
    pub mispredicted: i32,
    /// The count of code reads.
    pub code_reads: i32,
    /// The count of hits in the branch target buffer.
    pub btb_hits: i32,
    /// The count of taken branches without a hit.
    pub taken_branches: i32,
    /// The counts of a misprediction: pipeline flushes, those by branches, and those by branches resolved in WB.
    pub flushes: [i32; 3],
    /// The clocks that an entry costs which a group without a branch meets.
    pub met: u32,
    /// The number of groups after which the update of an entry is written.
    pub update_groups: u32,
    /// The count of writes that hit in both pipes in one clock.
    pub both_write_hits: i32,
    /// The value of a line that is not there.
    pub no_line: u32,
    /// In the units, as all that follow: the data page of each set of the TLB that was looked up last.
    pub data_pages: i32,
    /// The bits of a page that select its set.
    pub page_mask: u32,
    /// The pages that the data TLB has, and the trees of its sets, of eight bytes each.
    pub tlb_pages: i32,
    /// The trees: bit 0 is the root, bits 1 and 2 its children.
    pub tlb_orders: i32,
    /// The ways of a set of the data TLB.
    pub tlb_ways: usize,
    /// The code page of each set that was looked up last.
    pub code_pages: i32,
    /// The bits of a code page that select its set.
    pub code_page_mask: u32,
    /// The pages that the code TLB has.
    pub code_tlb_pages: i32,
    /// The trees of its sets, like those of the data TLB.
    pub code_tlb_orders: i32,
    /// The ways of a set of it.
    pub code_tlb_ways: usize,
    /// The clock from which on a read of a line that hits does not wait.
    pub filling_until: i32,
    /// For each transfer of that line, 16 bits: the clocks from its arrival until the line is whole.
    pub before_end: i32,
    /// The base-2 logarithm of the bytes of a transfer.
    pub transfer: u32,
    /// The clock from which on a write of a line that hits does not wait.
    pub settled: i32,
    /// The clock at which all writes are done.
    pub drained: i32,
    /// The data line filled last.
    pub filled: i32,
    /// The tags of the data cache. The index of a set's first one is an address shifted down and masked.
    pub tags: i32,
    /// The bits by which an address is shifted.
    pub tag_shift: u32,
    /// The mask.
    pub tag_mask: u32,
    /// The bits in which a tag must agree with the first address of a line.
    pub tag_bits: u32,
    /// The size of a line in bytes.
    pub line_size: u32,
    /// The ways of a set, of which the first is the most recent.
    pub ways: usize,
    /// The bit of a modified line.
    pub modified: u32,
    /// The lines that may be read without a change of state, as [`Pipeline::keep_plain`] knows them.
    pub plain_read: i32,
    /// The lines that may be written so.
    pub plain_written: i32,
    /// What is added to an address in such a line for the address of its byte in this process.
    pub plain_base: i32,
    /// The bits of an address that are its index in these; none if no line is known.
    pub plain_selection: u32,
    /// The sets of the data TLB with pages of such lines, as bits.
    pub plain_page_sets: i32,
    /// For each of these sets, sixteen bytes, of which the first four are the number of the page.
    pub plain_pages: i32,
    /// For each of these sets, a byte: the number of lines that are not to be kept.
    pub plain_restraint: i32,
    /// The bits of an address that select its bank.
    pub bank: u32,
    /// The boundaries that smaller accesses, and those of at least the second one's size, must not cross.
    pub boundaries: [u32; 2],
    /// The beginning of the code cache, in which a plan has offsets.
    pub code_cache: i32,
    /// The ways of a set of it, of which the first is the most recent.
    pub code_ways: usize,
    /// The size of such a way in bytes.
    pub code_way_size: i32,
    /// In a way, the number of the fill.
    pub code_fill: i32,
    /// The addresses that the entries of the branch target buffer are attached to.
    pub attached: i32,
    /// Addresses without an entry, by their low bits.
    pub absent: i32,
    /// Addresses whose entry, if they have one, predicts no jump, in the same order.
    pub unmet: i32,
    /// The number of either.
    pub absent_count: u32,
    /// The slots of the entries.
    pub slots: i32,
    /// The size of a slot in bytes.
    pub slot_size: i32,
    /// In a slot, the target.
    pub target: i32,
    /// In a slot, the number of the group that updated it.
    pub updated: i32,
    /// In a slot, the attached address with the counter in its two lowest bits.
    pub mark: i32,
    /// By how many bits an address is shifted left to give the offset of the first slot of its set.
    pub btb_shift: u32,
    /// The mask of that index.
    pub btb_mask: u32,
    /// Of accesses that miss; none if code does not make them.
    pub misses: Option<MissPlaces>,
    /// Of the floating-point unit, in [`Pipeline`].
    pub floating: FloatingPlaces,
}

impl Pipeline {
    /// The places of its state.
    pub fn places(&self) -> Places {
        let units = &*self.core.units;
        let cache = units.data_cache.places();
        let btb = units.btb.places();
        let tally = offset_of!(Pipeline, core.counts.tally);
        let in_cache = offset_of!(Units, data_cache);
        let in_btb = offset_of!(Units, btb);
        let in_bus = offset_of!(Units, bus);
        let fill = (in_bus + Bus::FILL) as i32;
        let (in_cache_plain, plain) = units.data_cache.plain_places();
        let in_plain = in_cache + in_cache_plain;
        Places {
            units: &raw const *units as usize,
            clock: offset_of!(Pipeline, core.time.clock) as i32,
            busy: offset_of!(Pipeline, core.time.busy) as i32,
            lead: offset_of!(Pipeline, core.time.lead) as i32,
            ahead: offset_of!(Pipeline, core.time.ahead) as i32,
            holds: offset_of!(Pipeline, core.time.holds) as i32,
            stages: STAGES_TO_EXECUTION as u32,
            ready: offset_of!(Pipeline, core.front.ready) as i32,
            refill: offset_of!(Pipeline, core.front.refill) as i32,
            refill_op: offset_of!(Pipeline, core.front.refill_op) as i32,
            code_walk: offset_of!(Pipeline, core.front.code_walk) as i32,
            statistics: size_of::<RecentStats>(),
            mispredictions: offset_of!(RecentStats, causes) + Cause::Misprediction as usize * size_of::<i32>(),
            line: offset_of!(Pipeline, core.front.line) as i32,
            filling: offset_of!(Pipeline, core.front.filling) as i32,
            read_ahead: offset_of!(Pipeline, core.front.read_ahead) as i32,
            last_u: offset_of!(Pipeline, core.trail.last_u) as i32,
            previous_u: offset_of!(Pipeline, core.trail.previous_u) as i32,
            last_branched: offset_of!(Pipeline, core.trail.last_branched) as i32,
            groups: offset_of!(Pipeline, core.groups) as i32,
            mispredicted: offset_of!(Pipeline, core.mispredicted) as i32,
            code_reads: (tally + Tally::place_of(Event::CODE_READ)) as i32,
            btb_hits: (tally + Tally::place_of(Event::BTB_HITS)) as i32,
            taken_branches: (tally + Tally::place_of(Event::TAKEN_BRANCH_OR_BTB_HIT)) as i32,
            flushes: [
                Event::PIPELINE_FLUSHES,
                Event::MISPREDICTED_FLUSHES,
                Event::MISPREDICTED_FLUSHES_IN_WB,
            ]
            .map(|event| (tally + Tally::place_of(event)) as i32),
            met: self.core.rules.mispredicted(Resolved::InEx),
            update_groups: self.core.rules.btb_update_groups as u32,
            both_write_hits: (tally + Tally::place_of_shared(Event::WRITE_HIT_TO_M_OR_E_LINE)) as i32,
            no_line: crate::pipeline::group::NONE,
            data_pages: (offset_of!(Units, data_tlb) + Tlb::LAST) as i32,
            tlb_pages: (offset_of!(Units, data_tlb) + Tlb::PAGES) as i32,
            tlb_orders: (offset_of!(Units, data_tlb) + Tlb::ORDERS) as i32,
            tlb_ways: units.data_tlb.ways(),
            page_mask: units.data_tlb.set_mask(),
            code_pages: (offset_of!(Units, code_tlb) + Tlb::LAST) as i32,
            code_page_mask: units.code_tlb.set_mask(),
            code_tlb_pages: (offset_of!(Units, code_tlb) + Tlb::PAGES) as i32,
            code_tlb_orders: (offset_of!(Units, code_tlb) + Tlb::ORDERS) as i32,
            code_tlb_ways: units.code_tlb.ways(),
            filling_until: fill + offset_of!(Fill, end) as i32,
            before_end: fill + offset_of!(Fill, before_end) as i32,
            transfer: units.bus.transfer_width(),
            settled: (in_bus + Bus::SETTLED) as i32,
            drained: (in_bus + Bus::DRAINED) as i32,
            filled: fill + offset_of!(Fill, line) as i32,
            ways: cache.ways,
            tags: (in_cache + cache.tags) as i32,
            tag_shift: cache.shift,
            tag_mask: cache.mask,
            tag_bits: cache.line,
            line_size: units.data_cache.line_size(),
            modified: cache.modified,
            plain_read: (in_plain + plain.read) as i32,
            plain_written: (in_plain + plain.written) as i32,
            plain_base: (in_plain + plain.base) as i32,
            plain_selection: plain.selection,
            plain_page_sets: (in_plain + plain.page_sets) as i32,
            plain_pages: (in_plain + plain.pages) as i32,
            plain_restraint: (in_plain + plain.restraint) as i32,
            bank: cache.bank,
            boundaries: cache.boundaries,
            code_cache: offset_of!(Units, code_cache) as i32,
            code_ways: units.code_cache.ways(),
            code_way_size: CodeCache::WAY_SIZE as i32,
            code_fill: CodeCache::FILL as i32,
            attached: (in_btb + btb.attached) as i32,
            absent: (in_btb + btb.absent) as i32,
            unmet: (in_btb + btb.unmet) as i32,
            absent_count: btb.absent_count,
            slots: (in_btb + btb.slots) as i32,
            slot_size: btb.slot_size as i32,
            target: btb.target as i32,
            updated: btb.updated as i32,
            mark: btb.mark as i32,
            btb_shift: btb.shift,
            btb_mask: btb.mask,
            misses: self.miss_places(),
            floating: FloatingPlaces::new(),
        }
    }
}

const _: () = assert!(size_of::<Btb>() < 1 << 20, "offsets fit a displacement");
