//! One data access: alignment, TLB, data cache, write buffers.
//!
//! Modelled: an access that crosses a boundary costs the rule's clocks and counts as two references; a read miss waits
//! for the requested quadword; a read of a line that is being filled waits for its quadword, and a write for the whole
//! line; a write miss goes to the pipe's write buffer; a write hit waits until earlier writes are done. Pages that are
//! not of the usual kind are in `pages`, and another bus master in `snoop`. Not modelled: parity. The memory of a video
//! card is never cached.
//!
//! Sources: Intel, Pentium Processor Family Developer's Manual 1997, chapters 2 and 16; Agner Fog, Microarchitecture
//! 2020.

use crate::pipeline::core::Core;
use crate::pipeline::group::WRITES;
use asm_macros::events::Event;
use p5_chips::Extra;
use p5_results::Cause;
use p5_results::records::DataSource;
use p5_words::isa::PAGE;

/// The number of entries of a page table, and of the page directory.
const ENTRIES: u32 = 1024;
/// The size of an entry in bytes.
const ENTRY: u32 = 4;
/// The assumed address of the page tables: the end of the address space, where many systems place them, because a
/// program that does not page by itself has none of its own. The last page table also serves as the directory.
const PAGE_TABLES: u32 = 0xFFC0_0000;
const PAGE_DIRECTORY: u32 = 0xFFFF_F000;

impl Core {
    /// Makes an access from pipe `pipe` at clock `when`. Returns the clocks it waits.
    #[inline(always)]
    pub(in crate::pipeline) fn access(&mut self, shape: u8, address: u32, pipe: usize, when: u64) -> u32 {
        let size = u32::from(shape & !WRITES);
        if self.units.data_cache.crosses(address, size) || self.switches.general_accesses {
            return self.access_slowly(shape, address, pipe, when);
        }
        if !self.units.translates(address) {
            return self.access_after_walk(shape, address, pipe, when);
        }
        if shape & WRITES == 0 {
            let hit = self.units.data_cache.read(address);
            if hit && self.units.bus.filling_until() <= when {
                return 0;
            }
            self.read_waits(hit, address, pipe, when)
        } else {
            if self.units.bus.settled() <= when && self.units.data_cache.write(address) {
                return 0;
            }
            self.write_waits(address, pipe, when)
        }
    }

    /// Makes an access after a data TLB miss, which walks the page tables first.
    fn access_after_walk(&mut self, shape: u8, address: u32, pipe: usize, when: u64) -> u32 {
        let walk = self.walk(address, pipe, when);
        walk + self.aligned(shape, address, pipe, when + u64::from(walk))
    }

    fn walk(&mut self, address: u32, pipe: usize, when: u64) -> u32 {
        let walk = self.walk_tables(address, when);
        self.counts.tally.count(Event::DATA_TLB_MISS, 1);
        self.stalls(Event::DATA_READ_STALL, when, walk);
        self.stalls(Event::DATA_TLB_MISS_STALL, when, walk);
        self.waits.add_data(pipe, (Cause::DataTlbMiss, walk), address);
        if self.attention.records() {
            self.records.walked += walk;
        }
        walk
    }

    /// Translates `address` at clock `when` by its entries in the page directory and, unless the page is large, in the
    /// page table, which the data cache caches. Returns the clocks it takes. The reads are not counted, but lines that
    /// they evict are.
    pub(in crate::pipeline) fn walk_tables(&mut self, address: u32, when: u64) -> u32 {
        let page = address / PAGE;
        let mut clocks = self.units.bus.preset().page_walk;
        let entries = [PAGE_DIRECTORY + page / ENTRIES * ENTRY, PAGE_TABLES + page * ENTRY];
        let walked = if self.pages.kind(address).large { 1 } else { 2 };
        for &entry in &entries[..walked] {
            let now = when + u64::from(clocks);
            let ready = if self.units.data_cache.read(entry) {
                self.units.bus.arrival(entry)
            } else if self.switches.cache_inhibited {
                self.counts.tally.count(Event::NONCACHEABLE_READS, 1);
                self.claim(entry, now, false);
                self.units.bus.read_uncached(entry, now)
            } else {
                self.fill(entry, now)
            };
            clocks += ready.saturating_sub(now) as u32;
        }
        clocks
    }

    /// Fills the line of `address`. Returns the clock at which the quadword at `address` arrives.
    fn fill(&mut self, address: u32, when: u64) -> u64 {
        self.note_bus(when);
        if self.units.unified {
            self.units.fill_unified(address);
            return self.units.bus.fill_data(address, when, None);
        }
        let shared = self.claim(address, when, false);
        let leaves = self.units.fill_data(address);
        if shared {
            self.units.data_cache.share(address, true);
        }
        if leaves.is_some() {
            self.counts.tally.count(Event::DATA_LINES_WRITTEN_BACK, 1);
        }
        self.units.bus.fill_data(address, when, leaves)
    }

    /// Notes for how long the bus is not free for a read at clock `when`, and for which write, if it is the first one
    /// of the group that has to wait.
    fn note_bus(&mut self, when: u64) {
        // A code line that is read ahead may have the bus: it has begun by now, whenever it is looked at.
        self.units.bus.begin_prefetch(when);
        if self.waits.addresses[Cause::DataReadMiss as usize].is_none() {
            let (free, drained) = (self.units.bus.free(), self.units.bus.drained());
            self.waits.held = free.max(drained).saturating_sub(when) as u32;
            if self.waits.held > 0 && drained >= free {
                self.waits.wait_for_write(drained);
            }
        }
    }

    /// Makes an access by the general path, which handles all that the fast path does not.
    fn access_slowly(&mut self, shape: u8, address: u32, pipe: usize, when: u64) -> u32 {
        self.snoop_until(when);
        if self.attention.records() {
            return self.access_observed(shape, address, pipe, when);
        }
        self.access_generally(shape, address, pipe, when)
    }

    pub(in crate::pipeline) fn access_generally(&mut self, shape: u8, address: u32, pipe: usize, when: u64) -> u32 {
        let size = u32::from(shape & !WRITES);
        let mut waits = 0;
        if !self.translated(address) {
            waits += self.walk(address, pipe, when);
        }
        if !self.units.data_cache.crosses(address, size) {
            return waits + self.aligned(shape, address, pipe, when + u64::from(waits));
        }
        let last = address.wrapping_add(size - 1);
        if last / PAGE != address / PAGE && !self.translated(last) {
            // The walk looks up the first byte of the page.
            waits += self.walk(last & !(PAGE - 1), pipe, when + u64::from(waits));
        }
        if !self.units.data_cache.misaligned(address, size) {
            // The access is several accesses, each of them aligned.
            waits += self.aligned(shape, address, pipe, when + u64::from(waits));
            if let Some(second) = self.units.data_cache.second_line(address, size) {
                waits += self.aligned(shape, second, pipe, when + u64::from(waits));
            }
            return waits;
        }
        self.counts.tally.count(Event::MISALIGNED_REFERENCES, 1);
        // The second half counts as a separate reference.
        let event = if shape & WRITES == 0 {
            Event::DATA_READ
        } else {
            Event::DATA_WRITE
        };
        self.counts.tally.count(event, 1);
        waits += self.rules.misaligned;
        self.waits
            .add_data(pipe, (Cause::Misaligned, self.rules.misaligned), address);
        let (event, extra) = if shape & WRITES == 0 {
            (Event::DATA_READ_MISS, Extra::MisalignedReadMiss)
        } else {
            (Event::DATA_WRITE_MISS, Extra::MisalignedWriteMiss)
        };
        let [before, _] = self.counts.tally.counted(event);
        waits += self.aligned(shape, address, pipe, when + u64::from(waits));
        // Within the same line, the second half hits or misses as the first half did.
        let second = self.units.data_cache.second_line(address, size);
        let second = second.unwrap_or_else(|| self.units.data_cache.second_half(address, size));
        waits += self.aligned(shape, second, pipe, when + u64::from(waits));
        let [after, _] = self.counts.tally.counted(event);
        self.counts.tally.count_extra(extra, after.wrapping_sub(before));
        waits
    }

    /// Makes one reference that crosses no boundary and whose page is in the TLB.
    fn aligned(&mut self, shape: u8, address: u32, pipe: usize, when: u64) -> u32 {
        let kind = self.pages.kind(address);
        if self.switches.cache_inhibited || kind.uncached {
            return self.uncached(shape, address, pipe, when);
        }
        if shape & WRITES == 0 {
            let hit = self.units.data_cache.read(address);
            if hit && self.units.bus.filling_until() <= when {
                return 0;
            }
            self.read_waits(hit, address, pipe, when)
        } else {
            self.write_waits(address, pipe, when)
        }
    }

    /// Makes a read that misses, or whose quadword has not arrived yet. Returns the clocks it waits.
    fn read_waits(&mut self, hit: bool, address: u32, pipe: usize, when: u64) -> u32 {
        let arrival = if hit {
            self.units.bus.arrival(address)
        } else if self.units.bus.is_video(address) {
            self.counts.tally.count(Event::DATA_READ_MISS, 1);
            self.counts.tally.count(Event::NONCACHEABLE_READS, 1);
            self.note_bus(when);
            self.claim(address, when, false);
            self.units.bus.read_uncached(address, when)
        } else {
            self.counts.tally.count(Event::DATA_READ_MISS, 1);
            self.fill(address, when)
        };
        let wait = arrival.saturating_sub(when) as u32;
        if self.attention.records() {
            self.observe_fill(wait, self.read_source(address));
        }
        if wait > 0 {
            self.stalls(Event::DATA_READ_STALL, when, wait);
            self.waits.add_data(pipe, (Cause::DataReadMiss, wait), address);
        }
        wait
    }

    /// Makes a write that misses, or that hits while earlier writes are buffered. Returns the clocks it waits.
    fn write_waits(&mut self, address: u32, pipe: usize, when: u64) -> u32 {
        let kind = self.pages.kind(address);
        if self.units.write_through || kind.write_through {
            if !self.units.data_cache.read(address) {
                self.counts.tally.count(Event::DATA_WRITE_MISS, 1);
            } else if kind.write_through {
                self.counts.tally.count_extra(Extra::WriteThrough, 1);
            }
            return self.buffer_write(address, pipe, when);
        }
        if self.is_shared(address) {
            return self.write_through(address, pipe, when);
        }
        if self.units.data_cache.write(address) {
            let wait = self.units.bus.write_ready(address).saturating_sub(when) as u32;
            if wait > 0 {
                self.waits.wait_for_write(self.units.bus.drained());
                self.stalls(Event::WRITE_TO_M_OR_E_LINE_STALL, when, wait);
                self.waits.add_data(pipe, (Cause::WriteOrder, wait), address);
            }
            return wait;
        }
        self.counts.tally.count(Event::DATA_WRITE_MISS, 1);
        if self.units.bus.is_video(address) || kind.uncached {
            self.counts.tally.count(Event::NONCACHEABLE_WRITES, 1);
        }
        self.buffer_write(address, pipe, when)
    }

    /// Makes a write to a shared line. It goes to memory and makes the line exclusive. Returns the clocks it waits.
    #[cold]
    fn write_through(&mut self, address: u32, pipe: usize, when: u64) -> u32 {
        self.counts.tally.count_extra(Extra::WriteThrough, 1);
        if let Some(master) = &mut self.units.master {
            master.goes_through(address, when);
        }
        let wait = self.buffer_write(address, pipe, when);
        self.units.data_cache.share(address, false);
        wait
    }

    /// Puts a write into a buffer. Returns the clocks it waits.
    fn buffer_write(&mut self, address: u32, pipe: usize, when: u64) -> u32 {
        self.claim(address, when, true);
        let wait = self.units.bus.buffer_write(address, pipe, when) as u32;
        if self.traces.growing() {
            if wait > 0 {
                // The buffer is empty when its write is done.
                self.waits.wait_for_write(when + u64::from(wait));
            }
            self.waits.write_until(self.units.bus.drained(), pipe);
        }
        if self.attention.records() {
            self.records.buffered += wait;
        }
        if wait > 0 {
            self.stalls(Event::WRITE_BUFFER_FULL_STALL, when, wait);
            self.waits.add_data(pipe, (Cause::WriteBufferFull, wait), address);
        }
        wait
    }

    /// Makes a reference while line fills are inhibited, by test register 12, by CR0 or for this page: cached lines
    /// still hit, and misses are single transfers.
    fn uncached(&mut self, shape: u8, address: u32, pipe: usize, when: u64) -> u32 {
        if shape & WRITES != 0 {
            return self.write_waits(address, pipe, when);
        }
        if self.units.data_cache.read(address) {
            return 0;
        }
        self.counts.tally.count(Event::DATA_READ_MISS, 1);
        self.counts.tally.count(Event::NONCACHEABLE_READS, 1);
        self.claim(address, when, false);
        let done = self.units.bus.read_uncached(address, when);
        let wait = (done - when) as u32;
        if self.attention.records() {
            self.observe_fill(wait, self.read_source(address));
        }
        self.stalls(Event::DATA_READ_STALL, when, wait);
        self.waits.add_data(pipe, (Cause::DataReadMiss, wait), address);
        wait
    }

    /// Makes a locked read and write at `address`. The line is evicted from the cache, and both accesses go over the
    /// bus.
    pub(in crate::pipeline) fn locked(&mut self, address: u32, size: u32, when: u64) -> u32 {
        self.snoop_until(when);
        let second = self.units.data_cache.second_line(address, size);
        let split = u64::from(self.units.data_cache.misaligned(address, size)) + 1;
        self.counts.tally.count(Event::LOCKED_BUS_CYCLE, split);
        if split == 2 {
            self.counts.tally.count(Event::MISALIGNED_REFERENCES, 2);
        }
        self.counts.tally.count(Event::DATA_READ, split);
        self.counts.tally.count(Event::DATA_READ_MISS, split);
        self.counts.tally.count(Event::DATA_WRITE, split);
        self.counts.tally.count(Event::DATA_WRITE_MISS, split);
        let mut walk = 0;
        let mut walks = 0;
        self.records.walked = 0;
        if !self.translated(address) {
            walk = self.walk(address, 0, when);
            walks += 1;
        }
        let last = address.wrapping_add(size.max(1) - 1);
        if last / PAGE != address / PAGE && !self.translated(last) {
            walk += self.walk(last, 0, when + u64::from(walk));
            walks += 1;
        }
        // The write-back of an evicted line needs the bus, too.
        self.take_bus(when + u64::from(walk));
        for line in [Some(address), second].into_iter().flatten() {
            if self.units.unified {
                self.units.code_cache.invalidate(line);
            }
            if self.units.data_cache.invalidate(line) {
                self.counts.tally.count(Event::DATA_LINES_WRITTEN_BACK, 1);
                self.units.bus.write_back(line, when + u64::from(walk));
            }
        }
        let begins = when + u64::from(walk);
        let parts = [address, last];
        for &part in &parts[..split as usize] {
            self.claim(part, begins, true);
        }
        let wait = (self.units.bus.lock(&parts[..split as usize], begins) - begins) as u32;
        self.waits.of_pipe[0].add(Cause::LockedBus, wait);
        if self.attention.records() {
            self.observe_fill(0, self.read_source(address));
            self.observe_locked(address, size, when, split, walks, walk + wait);
        }
        walk + wait
    }

    /// The source of the last read at `address`, which went past the data cache.
    fn read_source(&self, address: u32) -> DataSource {
        if self.units.bus.is_video(address) {
            DataSource::Device
        } else {
            self.fill_source()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::{MODELS, MemoryPreset};

    const READ: u8 = 4;
    const WRITE: u8 = WRITES | 4;

    fn core() -> Core {
        let mut core = Core::new(
            &MODELS[0].rules,
            &MODELS[0].geometry,
            MemoryPreset::by_name("ideal").expect("a preset"),
        );
        // Two pages are in the TLB and a line of the first is cached, long before the clocks that the tests use.
        core.access(READ, 0x1040, 0, 10);
        core.access(WRITE, 0x2000, 0, 100);
        core
    }

    #[test]
    fn full_write_buffers_of_both_pipes_stall_one_clock_at_a_time() {
        let mut core = core();
        assert_eq!([0, 1].map(|pipe| core.access(WRITE, 0x2000, pipe, 1000)), [0, 0]);
        assert_eq!([0, 1].map(|pipe| core.access(WRITE, 0x2000, pipe, 1001)), [1, 3]);
        assert_eq!(core.counts.tally.get(Event::WRITE_BUFFER_FULL_STALL, true), 3);
    }

    #[test]
    fn write_hits_in_both_pipes_wait_in_the_same_clocks() {
        let mut core = core();
        core.access(WRITE, 0x2000, 0, 1000);
        assert_eq!([0, 1].map(|pipe| core.access(WRITE, 0x1040, pipe, 1000)), [2, 2]);
        assert_eq!(core.counts.tally.get(Event::WRITE_TO_M_OR_E_LINE_STALL, true), 2);
    }

    #[test]
    fn a_locked_access_across_pages_looks_both_up() {
        let waits = |known: &[u32]| {
            let mut core = core();
            for &address in known {
                core.access(READ, address, 0, 500);
            }
            let before = core.counts.tally.get(Event::DATA_TLB_MISS, false);
            let wait = core.locked(0x3FFE, 4, 1000);
            let walks = core.counts.tally.get(Event::DATA_TLB_MISS, false) - before;
            (walks, wait - walks as u32 * core.units.bus.preset().page_walk)
        };
        // The entries of the page tables are in one line, which is cached.
        let (_, locked) = waits(&[0x3100, 0x4100]);
        assert_eq!(waits(&[0x3100, 0x4100]).0, 0);
        assert_eq!(waits(&[0x3100]), (1, locked));
        assert_eq!(waits(&[0x4100]), (1, locked));
        assert_eq!(waits(&[]), (2, locked));
    }

    #[test]
    fn a_misaligned_access_looks_up_the_pages_of_its_bytes() {
        for (address, pages) in [(0x3FFB, 1), (0x3FFD, 2)] {
            let mut core = core();
            let before = core.counts.tally.get(Event::DATA_TLB_MISS, false);
            core.access(READ, address, 0, 1000);
            let missed = core.counts.tally.get(Event::DATA_TLB_MISS, false) - before;
            assert_eq!(missed, pages, "{address:x}");
        }
    }

    #[test]
    fn a_miss_while_line_fills_are_inhibited_is_a_single_transfer() {
        let mut core = core();
        core.inhibit_cache(true);
        let reads = [1000, 1100].map(|when| core.access(READ, 0x1080, 0, when));
        assert_eq!(reads, [4, 4], "nothing is filled");
        assert_eq!(core.access(READ, 0x1040, 0, 1200), 0, "a cached line hits");
        assert_eq!(core.counts.tally.get(Event::NONCACHEABLE_READS, false), 2);
        let walk = core.units.bus.preset().page_walk + 4;
        let reads = core.access(READ, 0x40_0000, 0, 1250);
        assert_eq!(reads, walk + 4, "an entry of a page table, then the data");
        assert_eq!(core.counts.tally.get(Event::NONCACHEABLE_READS, false), 4);
        let missed = core.counts.tally.get(Event::DATA_WRITE_MISS, false);
        assert_eq!(core.access(WRITE, 0x1080, 0, 1300), 0, "the buffer is empty");
        assert_eq!(core.access(WRITE, 0x1080, 0, 1300), 2, "and now full");
        assert_eq!(core.counts.tally.get(Event::DATA_WRITE_MISS, false) - missed, 2);
        assert_eq!(core.counts.tally.get(Event::NONCACHEABLE_READS, false), 4);
    }

    #[test]
    fn a_walk_reads_an_entry_of_the_directory_and_one_of_a_table() {
        let mut core = core();
        let walk = core.units.bus.preset().page_walk;
        // A line has the entries of eight pages, or of eight tables.
        assert_eq!(core.walk_tables(0x3000, 1000), walk, "both are cached");
        assert_eq!(core.walk_tables(0x8000, 2000), walk + 4, "the next line of the table");
        assert_eq!(core.walk_tables(0x40_0000, 3000), walk + 4, "another table");
        assert_eq!(
            core.walk_tables(0x200_0000, 4000),
            walk + 11,
            "another line of the directory too"
        );
        assert_eq!(core.walk_tables(0x200_0000, 5000), walk);
    }
}
