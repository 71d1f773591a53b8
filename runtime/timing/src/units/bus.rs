//! The bus between the first level caches and memory: line fills, write buffers, write-backs, the second level cache.
//!
//! Modelled: one transfer at a time, at the speed of the second level cache or memory, whichever answers; line fills
//! that deliver the requested quadword first and then the others one by one; write buffers of each pipe or shared by
//! both, emptied in order; a read miss waits for buffered writes, and a write hit for these and for write-backs
//! (strong ordering); the transfers of another bus master. Not modelled: pipelined bus cycles.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997, chapter 2 and 6.4.2.

mod fill;
mod places;

pub(crate) use fill::Fill;
pub use places::{BusPlaces, SecondPlaces, TransferClocks};

use super::second_level::{Found, SecondLevel};
use super::sets::TRANSFERS;
use p5_chips::{Geometry, MemoryPreset, Transfers, VIDEO, WriteBuffers};
use std::mem::offset_of;

/// The bus and the write buffers. All times are absolute clocks.
#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Bus {
    // The clock at which all writes are done.
    drained: u64,
    // The later of `drained` and the end of the line fill. From this clock on a write hit does not wait.
    settled: u64,
    fill: Fill,
    // The clock at which the bus becomes free.
    free: u64,
    // Clocks with a bus cycle in progress and the number of cycles, since they were last collected.
    busy: u64,
    cycles: u64,
    buffers: [Buffers; 2],
    // The number of buffers available to a write, and whether each pipe has its own.
    buffer_count: u32,
    own_buffers: bool,
    // The bytes of a transfer, and the number of transfers of a data cache line and of a code cache line.
    width: u32,
    data_transfers: u32,
    code_transfers: u32,
    // The code line to be read as soon as the bus is free, the clock of the request, and the fill once it has begun.
    wanted: u32,
    wanted_since: u64,
    prefetched: Fill,
    preset: &'static MemoryPreset,
    // Whether memory, rather than the second level cache, answered the last request, and the last read ahead.
    of_memory: bool,
    ahead_of_memory: bool,
    // Whether a video card has memory on the bus.
    video: bool,
    // Whether the video card has answered a read or write in this run.
    pub(crate) asked_video: bool,
    second_level: Option<(SecondLevel, Transfers)>,
}

/// Write buffers, used in rotation.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Buffers {
    // The clock at which each becomes empty.
    empty: [u64; BUFFERS],
    // The buffer that was filled first.
    next: u32,
}

/// Marks the absence of a line; no line begins at this address.
const NO_LINE: u32 = u32::MAX;

/// The maximum number of write buffers of one pipe, or of both together.
const BUFFERS: usize = 4;

/// The purpose for which another bus master uses the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// A number of clocks without a transfer of a line.
    Plain(u32),
    /// A read of the line that begins at this address.
    Read(u32),
    /// A write of the line that begins at this address.
    Write(u32),
}

impl Bus {
    pub(crate) const FILL: usize = offset_of!(Bus, fill);
    pub(crate) const SETTLED: usize = offset_of!(Bus, settled);
    pub(crate) const DRAINED: usize = offset_of!(Bus, drained);

    pub(crate) fn new(preset: &'static MemoryPreset, geometry: &Geometry) -> Bus {
        let (own_buffers, buffer_count) = match geometry.write_buffers {
            WriteBuffers::OfEachPipe(count) => (true, count),
            WriteBuffers::Shared(count) => (false, count),
        };
        assert!(
            (1..=BUFFERS as u32).contains(&buffer_count),
            "{geometry:?} has more write buffers than the bus"
        );
        assert!(
            preset.memory.read_burst(TRANSFERS as u32) <= u32::from(u16::MAX),
            "{}: a line fill takes more clocks than `Fill` has room for",
            preset.name
        );
        let buffers = Buffers {
            empty: [0; BUFFERS],
            next: 0,
        };
        Bus {
            drained: 0,
            // A cache that writes through never treats the bus as settled.
            settled: if geometry.write_through { u64::MAX } else { 0 },
            fill: Fill::NONE,
            free: 0,
            busy: 0,
            cycles: 0,
            buffers: [buffers; 2],
            buffer_count,
            own_buffers,
            width: geometry.bus_width,
            data_transfers: geometry.data_cache.line / geometry.bus_width,
            code_transfers: geometry.code_cache.line / geometry.bus_width,
            wanted: NO_LINE,
            wanted_since: 0,
            prefetched: Fill::NONE,
            preset,
            of_memory: false,
            ahead_of_memory: false,
            video: preset.video,
            asked_video: false,
            second_level: preset
                .second_level
                .map(|cache| (SecondLevel::new(&cache.geometry), cache.transfers)),
        }
    }

    /// The base-2 logarithm of the bytes of a transfer.
    pub(crate) fn transfer_width(&self) -> u32 {
        self.width.ilog2()
    }

    pub(crate) fn preset(&self) -> &'static MemoryPreset {
        self.preset
    }

    /// Whether memory, rather than the second level cache, answered the last request.
    pub(crate) fn last_was_of_memory(&self) -> bool {
        self.of_memory
    }

    /// Whether memory answered the last read of a code line ahead of its use.
    pub(crate) fn ahead_is_of_memory(&self) -> bool {
        self.ahead_of_memory
    }

    /// Whether the fill of a line takes no time.
    pub(crate) fn fills_at_once(&self) -> bool {
        self.preset.memory.first_quadword == 0 && self.second_level.is_none()
    }

    pub(crate) fn add_video(&mut self) {
        self.video = true;
    }

    /// Whether `address` is in the memory of a video card, which is not cached.
    pub(crate) fn is_video(&self, address: u32) -> bool {
        self.video && (VIDEO.first..=VIDEO.last).contains(&address)
    }

    /// The clock at which all transfers requested so far are done.
    pub(crate) fn free(&self) -> u64 {
        self.free
    }

    /// The clock at which all writes are done.
    #[inline(always)]
    pub(crate) fn drained(&self) -> u64 {
        self.drained
    }

    /// The clock at which all writes are done and no data line is being filled.
    #[inline(always)]
    pub(crate) fn settled(&self) -> u64 {
        self.settled
    }

    /// The clock at which a write to `address`, whose line is cached, can be done.
    pub(crate) fn write_ready(&self, address: u32) -> u64 {
        if self.fill.is_of(address & !(self.data_transfers * self.width - 1)) {
            self.settled
        } else {
            self.drained
        }
    }

    /// The clock at which the last fill of a data line ends.
    #[inline(always)]
    pub(crate) fn filling_until(&self) -> u64 {
        self.fill.end
    }

    /// The clock at which the quadword at `address` of a line that hits arrives. It is in the future only while the
    /// line is being filled.
    pub(crate) fn arrival(&self, address: u32) -> u64 {
        if self.fill.is_of(address & !(self.data_transfers * self.width - 1)) {
            self.fill.arrival(address)
        } else {
            0
        }
    }

    /// Occupies the bus for `clocks`, from `now` at the earliest. Returns the clock at which the transfer begins.
    #[inline(always)]
    fn take(&mut self, now: u64, clocks: u32) -> u64 {
        self.begin_prefetch(now);
        self.occupy(now, clocks)
    }

    /// Occupies the bus as [`Bus::take`] does, if no requested code line could be read before. A transfer of no clocks
    /// does not wait.
    #[inline(always)]
    fn occupy(&mut self, now: u64, clocks: u32) -> u64 {
        if clocks == 0 {
            return now;
        }
        let begin = now.max(self.free);
        self.free = begin + u64::from(clocks);
        self.busy += u64::from(clocks);
        self.cycles += 1;
        begin
    }

    /// Fills the line of `address` for the data cache, requested at `now`. Returns the clock at which the requested
    /// quadword arrives. A modified line that leaves the cache is written back after the fill.
    #[inline]
    pub(crate) fn fill_data(&mut self, address: u32, now: u64, leaves: Option<u32>) -> u64 {
        self.fill = self.fill_line(address, now.max(self.drained), self.data_transfers);
        self.settled = self.settled.max(self.fill.end);
        if let Some(line) = leaves {
            self.write_back(line, now);
        }
        self.fill.arrival(address)
    }

    pub(crate) fn fill_code(&mut self, address: u32, now: u64) -> Fill {
        self.fill_line(address, now, self.code_transfers)
    }

    /// Requests the code line that begins at `line` at `now`: it is read when nothing else needs the bus.
    pub(crate) fn prefetch(&mut self, line: u32, now: u64) {
        self.wanted = line;
        self.wanted_since = now;
    }

    /// Makes a transfer of another bus master, from `now` at the earliest.
    pub(crate) fn transfer(&mut self, transfer: Transfer, now: u64) {
        match transfer {
            Transfer::Plain(clocks) => {
                self.occupy(now, clocks);
            }
            Transfer::Read(line) => {
                self.burst(line, now, self.data_transfers);
            }
            Transfer::Write(line) => {
                let clocks = self.written(line).write_burst(self.data_transfers);
                self.occupy(now, clocks);
            }
        }
    }

    /// The clocks of bus cycles, past and to come, that have not been collected.
    pub(crate) fn uncollected(&self) -> u64 {
        self.busy
    }

    /// Begins to read the requested code line if the bus was free before `now`.
    #[inline(always)]
    pub(crate) fn begin_prefetch(&mut self, now: u64) {
        if self.wanted != NO_LINE {
            self.prefetch_before(now);
        }
    }

    #[inline(never)]
    fn prefetch_before(&mut self, now: u64) {
        let begin = self.wanted_since.max(self.free);
        if begin < now {
            let line = std::mem::replace(&mut self.wanted, NO_LINE);
            self.prefetched = self.burst(line, begin, self.code_transfers);
            self.ahead_of_memory = self.of_memory;
        }
    }

    /// Whether the requested code line has begun to be read and has not been taken over, or begins before `now`.
    #[inline(always)]
    pub(crate) fn prefetches(&self, now: u64) -> bool {
        self.prefetched.line != NO_LINE || self.wanted != NO_LINE && self.wanted_since.max(self.free) < now
    }

    /// Whether a requested code line has begun to be read and has not been taken over.
    #[inline(always)]
    pub(crate) fn has_read_ahead(&self) -> bool {
        self.prefetched.line != NO_LINE
    }

    /// The code lines that may be read ahead next, or are and have not been taken over.
    pub(crate) fn lines_ahead(&self) -> impl Iterator<Item = u32> {
        let lines = [self.wanted, self.prefetched.line].into_iter();
        lines.filter(|&line| line != NO_LINE)
    }

    /// Returns the fill of the requested code line if it has begun, which it does if the bus was free before `now`, and
    /// whether it is still to begin.
    #[inline(always)]
    pub(crate) fn prefetched(&mut self, now: u64) -> (Option<Fill>, bool) {
        let begin = self.wanted_since.max(self.free);
        if self.prefetched.line != NO_LINE {
            self.begin_prefetch(now);
            let fill = std::mem::replace(&mut self.prefetched, Fill::NONE);
            return (Some(fill), self.wanted != NO_LINE);
        }
        if self.wanted == NO_LINE || begin >= now {
            return (None, self.wanted != NO_LINE);
        }
        // The read mostly begins here, and its fill need not be stored.
        let line = std::mem::replace(&mut self.wanted, NO_LINE);
        let fill = self.burst(line, begin, self.code_transfers);
        self.ahead_of_memory = self.of_memory;
        (Some(fill), false)
    }

    /// Gives up the requested code line if its read has not begun.
    pub(crate) fn cancel_prefetch(&mut self) {
        self.wanted = NO_LINE;
    }

    #[inline(always)]
    fn fill_line(&mut self, address: u32, now: u64, transfers_of_line: u32) -> Fill {
        self.begin_prefetch(now);
        self.burst(address, now, transfers_of_line)
    }

    /// Reads a line as a burst, if no requested code line could be read before.
    #[inline(always)]
    fn burst(&mut self, address: u32, now: u64, transfers_of_line: u32) -> Fill {
        let memory = &self.preset.memory;
        let (transfers, of_memory, write_back) = match &mut self.second_level {
            Some((cache, transfers)) => match cache.read(address) {
                Found::Hit => (*transfers, false, false),
                Found::Miss => (*memory, true, false),
                Found::MissAndWriteBack => (*memory, true, true),
            },
            None => (*memory, true, false),
        };
        self.of_memory = of_memory;
        let clocks = transfers.read_burst(transfers_of_line);
        let line = address & !(transfers_of_line * self.width - 1);
        if clocks == 0 {
            // The line has been there all along, even if its request has to wait for something else.
            return Fill {
                line,
                width: self.width.ilog2(),
                ..Fill::NONE
            };
        }
        let end = self.occupy(now, clocks) + u64::from(clocks);
        if write_back {
            // The line that leaves the second level cache waits in a buffer until the fill is done.
            self.occupy(now, memory.write_burst(transfers_of_line));
        }
        Fill::new(
            address,
            line,
            self.width.ilog2(),
            transfers_of_line,
            transfers.next_quadword,
            end,
        )
    }

    /// The device that answers a write to `address`.
    #[inline(always)]
    fn written(&mut self, address: u32) -> Transfers {
        if self.is_video(address) {
            self.asked_video = true;
            return VIDEO.transfers;
        }
        let hit = match &mut self.second_level {
            Some((cache, transfers)) => cache.write(address).then_some(*transfers),
            None => None,
        };
        self.of_memory = hit.is_none();
        match hit {
            Some(transfers) => transfers,
            None => self.preset.memory,
        }
    }

    /// Writes the modified line that begins at `line` back once the bus is free.
    pub(crate) fn write_back(&mut self, line: u32, now: u64) {
        self.begin_prefetch(now);
        // Callers ask for the source of the read before the write-back, so its answer is kept.
        let of_memory = self.of_memory;
        let clocks = self.written(line).write_burst(self.data_transfers);
        self.of_memory = of_memory;
        self.take(now, clocks);
        self.done_writing(self.free);
    }

    /// Records that the last write is done at `clock`.
    fn done_writing(&mut self, clock: u64) {
        self.drained = clock;
        self.settled = self.settled.max(clock);
    }

    /// Puts a write to `address` into a buffer of pipe `pipe` (0 U, 1 V) at `now`. Returns the clocks it waits for an
    /// empty buffer.
    #[inline]
    pub(crate) fn buffer_write(&mut self, address: u32, pipe: usize, now: u64) -> u64 {
        let buffers = &self.buffers[pipe & usize::from(self.own_buffers)];
        let (next, count) = (buffers.next, self.buffer_count);
        let accepted = now.max(buffers.empty[next as usize % BUFFERS]);
        self.begin_prefetch(accepted);
        let clocks = self.written(address).write;
        let begin = self.take(accepted, clocks);
        // Writes are done in order, so this one is the last.
        self.done_writing(begin + u64::from(clocks));
        let buffers = &mut self.buffers[pipe & usize::from(self.own_buffers)];
        buffers.empty[next as usize % BUFFERS] = self.drained;
        buffers.next = if next + 1 == count { 0 } else { next + 1 };
        accepted - now
    }

    /// Reads at `address` past the first level cache. Returns the clock at which the data arrive.
    pub(crate) fn read_uncached(&mut self, address: u32, now: u64) -> u64 {
        self.begin_prefetch(now);
        self.asked_video |= self.is_video(address);
        let (clocks, of_memory) = match &self.second_level {
            _ if self.is_video(address) => (VIDEO.transfers.first_quadword, true),
            Some((cache, transfers)) if cache.holds(address) => (transfers.first_quadword, false),
            _ => (self.preset.memory.first_quadword, true),
        };
        self.of_memory = of_memory;
        self.single(now, clocks)
    }

    /// Reads and writes under lock at each of `addresses`. Returns the clock at which the last write is done.
    pub(crate) fn lock(&mut self, addresses: &[u32], now: u64) -> u64 {
        self.begin_prefetch(now);
        let clocks = addresses.iter().map(|&address| self.written(address).locked).sum();
        self.single(now, clocks)
    }

    /// Empties the second level cache; with `write_back`, its modified lines go to memory.
    pub(crate) fn flush(&mut self, write_back: bool, now: u64) {
        let modified = self.second_level.as_mut().map_or(0, |(cache, _)| cache.flush());
        if write_back {
            let clocks = self.preset.memory.write_burst(self.data_transfers);
            (0..modified).for_each(|_| {
                self.take(now, clocks);
            });
            self.done_writing(self.free);
        }
    }

    /// Makes the second level cache hold the line of `address`, or not. The line that its fetch replaces becomes
    /// `modified`, or not. It takes no time, and does nothing without such a cache.
    pub(crate) fn stage(&mut self, address: u32, held: bool, modified: bool) {
        if let Some((cache, _)) = &mut self.second_level {
            cache.stage(address, held, modified);
        }
    }

    /// Makes a single, strictly ordered transfer of `clocks`. Returns the clock at which it is done.
    pub(crate) fn single(&mut self, now: u64, clocks: u32) -> u64 {
        let begin = self.take(now.max(self.drained), clocks);
        begin + u64::from(clocks)
    }

    /// Returns the bus cycles since the last call, and the clocks up to `now`. Later clocks are left to a later call.
    pub(crate) fn collect(&mut self, now: u64) -> (u64, u64) {
        // The remaining clocks end when the bus becomes free, and have no gaps.
        let to_come = self.free.saturating_sub(now).min(self.busy);
        let past = self.busy - to_come;
        self.busy = to_come;
        (std::mem::take(&mut self.cycles), past)
    }
}

#[cfg(test)]
mod tests;
