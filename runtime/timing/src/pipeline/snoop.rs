//! The effect of another bus master's accesses on the caches and the bus, and the bus requests of the program's
//! processor.
//!
//! Modelled: an access begins when it is due and the bus is free, or after earlier requests of the bus. It is an
//! inquire cycle, whose answer takes the clocks of the memory preset; a modified line that it hits is written back;
//! then the line is transferred. A line that it reads becomes shared, one that it writes is invalid in both caches. A
//! master with a cache keeps the line, and the program's processor takes it from there. The tags have a port for
//! inquire cycles, so that they delay no access. Not modelled: the lists in `p5inst explain snooper` and
//! snapshots/tutorials/reference/machine.md.
//!
//! Pending accesses are made, in the order of their clocks, when the program's processor looks into its data cache,
//! fetches a line or needs the bus. So nothing depends on where blocks are cut: an early look finds the same accesses
//! before it as a later one would. While there is another master, data accesses take the general path. Blocks with a
//! line of code that it may write to, or before one, are looked up one instruction at a time.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapters 2 and 6.

use super::Pipeline;
use super::core::Core;
use crate::block::Op;
use crate::units::bus::Transfer;
use crate::units::data_cache::Snooped;
use crate::units::master::{Held, Master};
use asm_macros::events::Event;
use p5_chips::BusMaster;
use std::ops::Range;

impl Pipeline {
    /// Puts `master` on the bus, with the lines of `ranges`, which are in ascending order. Does nothing if there is no
    /// range.
    pub fn attach(&mut self, master: &BusMaster, ranges: &[Range<u32>]) {
        let BusMaster {
            every,
            writes,
            seed,
            has_cache,
            ..
        } = *master;
        let line = self.core.units.data_cache.line_size();
        let master = Master::new(every.get(), u32::from(writes), seed, ranges, line, has_cache);
        self.core.units.master = master.map(Box::new);
        self.core.switch_accesses();
    }
}

impl Core {
    #[inline(always)]
    pub fn shares_bus(&self) -> bool {
        self.units.master.is_some()
    }

    /// Makes the other master's accesses that have begun by `now`, before a look into the caches.
    #[inline(always)]
    pub(super) fn snoop_until(&mut self, now: u64) {
        if self.shares_bus() {
            self.snoop(now, false);
        }
    }

    /// Makes the other master's accesses that no later event can precede: up to the entry of the last group into D2.
    #[inline(always)]
    pub(super) fn snoop_past(&mut self) {
        if self.shares_bus() {
            self.snoop(self.time.clock.saturating_sub(self.time.lead), false);
        }
    }

    /// Makes the other master's accesses requested by `now`, when a code line may be read ahead.
    #[inline(always)]
    pub(super) fn snoop_before_request(&mut self, now: u64) {
        if self.shares_bus() {
            self.snoop(now, true);
        }
    }

    /// Makes the other master's accesses that have begun by `now`. If the bus is `requested` then, makes only those
    /// requested before.
    #[cold]
    fn snoop(&mut self, now: u64, requested: bool) {
        while let Some(master) = &self.units.master {
            let free = if requested { 0 } else { self.units.bus.free() };
            if master.due.max(free) > now {
                return;
            }
            self.access_of_other();
        }
    }

    fn access_of_other(&mut self) {
        let Some(master) = &mut self.units.master else { return };
        let due = master.due;
        let drawn = master.draw();
        let held = master.held(drawn.line);
        if held == Held::Modified || held != Held::Nothing && !drawn.write {
            return master.has_begun(due);
        }
        if held == Held::Exclusive {
            master.hold(drawn.line, Held::Modified);
            return master.has_begun(due);
        }
        if master.has_used_much() {
            self.collect_bus_cycles();
        }
        let inquire = self.units.bus.preset().inquire;
        let begins = self.other_uses_bus(due, Transfer::Plain(inquire));
        let found = self.units.data_cache.snoop(drawn.line, drawn.write);
        if drawn.write {
            self.units.code_cache.invalidate(drawn.line);
        }
        let has_cache = self.units.master.as_ref().is_some_and(|master| master.has_cache());
        let tally = &mut self.counts.tally;
        tally.count(Event::EXTERNAL_SNOOPS, 1);
        if found != Snooped::Missing {
            tally.count(Event::EXTERNAL_SNOOP_HITS, 1);
            tally.count(Event::CACHE_LINE_SHARING, u64::from(has_cache));
        }
        if found == Snooped::Modified {
            tally.count(Event::CACHE_M_LINE_SHARING, u64::from(has_cache));
            tally.count(Event::DATA_LINES_WRITTEN_BACK, 1);
            self.units.bus.write_back(drawn.line, due);
        }
        // A line that the master already has is only invalidated elsewhere, without a transfer. A processor reads the
        // line that it writes to.
        match (held, drawn.write && !has_cache) {
            (Held::Shared, _) => {}
            (_, true) => {
                self.other_uses_bus(due, Transfer::Write(drawn.line));
            }
            (_, false) => {
                self.other_uses_bus(due, Transfer::Read(drawn.line));
            }
        }
        if let Some(master) = &mut self.units.master {
            let held = match (drawn.write, found) {
                (true, _) => Held::Modified,
                (false, Snooped::Missing) => Held::Exclusive,
                (false, _) => Held::Shared,
            };
            master.hold(drawn.line, held);
            master.owns_bus = true;
            master.has_begun(begins);
        }
    }

    /// Gives the bus to the other master, which requested it at clock `when`. Returns the clock at which it has the
    /// bus.
    fn other_uses_bus(&mut self, when: u64, transfer: Transfer) -> u64 {
        let units = &mut *self.units;
        units.bus.begin_prefetch(when);
        let begins = when.max(units.bus.free());
        let before = units.bus.uncollected();
        units.bus.transfer(transfer, when);
        let clocks = units.bus.uncollected() - before;
        if let Some(master) = &mut units.master {
            master.uses_bus(before, clocks);
        }
        begins
    }

    /// Requests the bus for the program's processor at clock `when`, to write to the line of `address` or to read it.
    /// Returns whether the other master keeps the line.
    #[inline(always)]
    pub(super) fn claim(&mut self, address: u32, when: u64, write: bool) -> bool {
        self.shares_bus() && self.claim_of_other(address, when, write)
    }

    #[cold]
    fn claim_of_other(&mut self, address: u32, when: u64, write: bool) -> bool {
        self.take_bus(when);
        let Some(master) = &mut self.units.master else {
            return false;
        };
        let held = master.held(address);
        master.served = held == Held::Modified;
        if held == Held::Nothing {
            return false;
        }
        master.hold(address, if write { Held::Nothing } else { Held::Shared });
        if held == Held::Modified {
            let line = address & !(self.units.data_cache.line_size() - 1);
            self.other_uses_bus(when, Transfer::Write(line));
        }
        !write
    }

    /// Requests the bus for the program's processor at clock `when`, after earlier requests of the other master. If
    /// the other master is a processor and has used the bus last, the bus changes its owner.
    pub(super) fn take_bus(&mut self, when: u64) {
        if !self.shares_bus() {
            return;
        }
        self.snoop(when, true);
        let units = &mut *self.units;
        let Some(master) = units.master.as_mut().filter(|master| master.owns_bus) else {
            return;
        };
        master.owns_bus = false;
        if !master.has_cache() {
            return;
        }
        let clocks = units.bus.preset().grant;
        self.other_uses_bus(when, Transfer::Plain(clocks));
        let latency = self.units.bus.free().saturating_sub(when);
        let tally = &mut self.counts.tally;
        tally.lasted(Event::BUS_OWNERSHIP_LATENCY, 1, latency);
        tally.count(Event::BUS_OWNERSHIP_TRANSFERS, 1);
    }

    /// Whether the line of `address` is cached and another master may have it, too.
    #[inline(always)]
    pub(super) fn is_shared(&self, address: u32) -> bool {
        self.shares_bus() && self.units.data_cache.is_shared(address)
    }

    /// Whether the other master may write to code of `ops`, or to the line after it.
    pub(super) fn may_be_snooped(&self, ops: &[Op]) -> bool {
        let (Some(master), Some(first), Some(last)) = (&self.units.master, ops.first(), ops.last()) else {
            return false;
        };
        let cache = &self.units.code_cache;
        let size = cache.line_size();
        let (first, last) = (cache.line(first.address), cache.line(last.last_byte()));
        // The line after the last one may be the first of the address space.
        let count = last.wrapping_sub(first) / size + 1;
        let mut lines = (0..=count).map(|number| first.wrapping_add(number * size));
        lines.any(|line| master.may_write(line))
    }
}

#[cfg(test)]
mod tests {
    use super::super::group::WRITES;
    use super::*;
    use p5_chips::{MODELS, MemoryPreset};

    const READ: u8 = 4;
    const WRITE: u8 = WRITES | 4;
    const LINE: u32 = 0x1040;

    /// A core at the fastest bus, where an inquire cycle takes 2 clocks, a line 7 to read and 5 to write. The line is
    /// in the data cache since clock 10, and another master reads or writes it every 1000 clocks.
    fn core(writes: u32, has_cache: bool) -> Core {
        let mut core = Core::new(
            &MODELS[0].rules,
            &MODELS[0].geometry,
            MemoryPreset::by_name("ideal").expect("a preset"),
        );
        let range = LINE..LINE + 32;
        let master = Master::new(1000, writes, 1, std::slice::from_ref(&range), 32, has_cache);
        core.units.master = master.map(Box::new);
        core.switch_accesses();
        core.access(READ, LINE, 0, 10);
        core
    }

    fn counted(core: &mut Core, events: &[Event]) -> Vec<u64> {
        core.collect_bus_cycles();
        let counted = |&event: &Event| core.counts.tally.counted(event)[0];
        events.iter().map(counted).collect()
    }

    const SNOOPS: [Event; 3] = [
        Event::EXTERNAL_SNOOPS,
        Event::EXTERNAL_SNOOP_HITS,
        Event::DATA_LINES_WRITTEN_BACK,
    ];

    #[test]
    fn a_line_that_is_read_becomes_shared_and_is_written_through() {
        let mut core = core(0, false);
        assert_eq!(core.access(WRITE, LINE, 0, 100), 0);
        assert_eq!(core.access(READ, LINE, 0, 999), 0);
        assert_eq!(counted(&mut core, &SNOOPS), [0, 0, 0]);
        // The inquire cycle takes the bus up to 1002, the modified line is written up to 1007, and read up to 1014.
        assert_eq!(core.access(READ, LINE, 0, 1000), 0);
        assert_eq!(core.units.bus.free(), 1014);
        assert_eq!(counted(&mut core, &SNOOPS), [1, 1, 1]);
        assert_eq!(
            core.access(WRITE, LINE, 0, 1005),
            0,
            "into the buffer, which the bus takes up to 1016"
        );
        assert_eq!(core.access(WRITE, LINE, 0, 1006), 10, "a hit, after it");
        assert_eq!(core.access(WRITE, LINE, 0, 1100), 0);
        assert_eq!(core.access(READ, LINE, 0, 2000), 0);
        assert_eq!(counted(&mut core, &SNOOPS), [2, 2, 2]);
    }

    #[test]
    fn a_line_that_is_written_leaves_both_caches() {
        let mut core = core(100, false);
        core.units.code_cache.fill(LINE);
        // The inquire cycle takes the bus up to 1002, and the write up to 1007; then the line arrives in 4 clocks.
        assert_eq!(core.access(READ, LINE, 0, 1001), 10);
        assert!(core.units.code_cache.peek(LINE).is_none());
        assert_eq!(counted(&mut core, &SNOOPS), [1, 1, 0]);
        assert_eq!(core.access(WRITE, LINE, 0, 1100), 0);
        // Written back up to 2007, written by the device up to 2012.
        assert_eq!(core.access(READ, LINE, 0, 2000), 16);
        assert_eq!(counted(&mut core, &SNOOPS), [2, 2, 1]);
        core.time.clock = 2100;
        core.collect_bus_cycles();
        let clocks = |event| core.counts.tally.counted(event)[1];
        // Five fills and walks of 7 clocks, the write-back of 5; the device's part is twice 7.
        let whole = clocks(Event::BUS_CYCLE_DURATION);
        assert_eq!(clocks(Event::BUS_USED_BY_PROCESSOR), 14);
        assert_eq!((whole - 14 - 5) % 7, 0, "{whole}");
    }

    #[test]
    fn a_request_that_comes_first_is_served_first() {
        let mut core = core(0, false);
        // The bus is taken up to 1005, so the access that is due at 1000 begins then.
        assert_eq!(core.access(READ, 0x1080, 0, 998), 4);
        assert_eq!(core.access(READ, LINE, 0, 1003), 0);
        assert_eq!(counted(&mut core, &SNOOPS), [0, 0, 0], "it waits for the bus");
        assert_eq!(core.access(READ, 0x10A0, 0, 1004), 14, "after the access up to 1014");
        assert_eq!(counted(&mut core, &SNOOPS), [1, 1, 0]);
    }

    #[test]
    fn a_second_processor_keeps_what_it_writes() {
        let mut core = core(100, true);
        let events = [
            Event::EXTERNAL_SNOOPS,
            Event::CACHE_LINE_SHARING,
            Event::CACHE_M_LINE_SHARING,
            Event::BUS_OWNERSHIP_TRANSFERS,
        ];
        // Its accesses at 2000 and 3000 hit its own cache.
        core.snoop(3500, false);
        assert_eq!(counted(&mut core, &events), [1, 1, 0, 0]);
        // The bus is granted in a clock, the other one writes the line back in 5, and it is read.
        assert_eq!(core.access(READ, LINE, 0, 3600), 10);
        assert!(core.units.master.as_ref().is_some_and(|master| master.served));
        assert_eq!(counted(&mut core, &events), [1, 1, 0, 1]);
        assert_eq!(core.counts.tally.counted(Event::BUS_OWNERSHIP_LATENCY), [1, 1]);
        // Both have the line: the other one takes it away without a transfer.
        core.snoop(4000, false);
        assert_eq!(
            (counted(&mut core, &events), core.units.bus.free()),
            (vec![2, 2, 0, 1], 4002)
        );
        core.access(READ, LINE, 0, 4100);
        assert_eq!(core.access(WRITE, LINE, 0, 4200), 0);
        assert_eq!(core.access(WRITE, LINE, 0, 4300), 0);
        core.snoop(5000, false);
        assert_eq!(counted(&mut core, &events), [3, 3, 1, 2]);
    }
}
