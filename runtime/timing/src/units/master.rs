//! Another master of the bus: the clocks of its memory accesses, their lines, and the contents of its cache.
//!
//! Modelled: accesses at multiples of a number of clocks, to lines drawn at random, reads and writes; for a processor,
//! the state of each line in its cache, as far as it matters to the other one. Not modelled: a cache that is too small
//! for its lines. The effect of an access on the caches of the program's processor is in `pipeline::snoop`.

use std::collections::VecDeque;
use std::ops::Range;

#[derive(Clone, Debug)]
pub(crate) struct Master {
    every: u64,
    writes: u32,
    random: u64,
    // Ranges of lines, in ascending order: the first address, and the number of the first line among all.
    ranges: Vec<(u32, u32)>,
    lines: u32,
    line_size: u32,
    /// The clock at which its next access is due.
    pub(crate) due: u64,
    // The state of each line in its cache, by the number of the line. The list is empty if it has no cache.
    held: Vec<Held>,
    /// Whether it has used the bus since the program's processor last did.
    pub(crate) owns_bus: bool,
    /// Whether its cache has served the last request of the program's processor.
    pub(crate) served: bool,
    // Its use of the bus, in clocks of bus cycles counted from the first one: where each use begins, and its length.
    uses: VecDeque<(u64, u64)>,
    // The clocks of bus cycles collected so far, and the master's cycles since.
    collected: u64,
    cycles: u64,
    // The last writes that went through to memory because their line was shared: address and clock.
    went_through: [(u32, u64); 2],
}

/// The state of a line in the other master's cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Held {
    #[default]
    Nothing,
    /// The line is cached, and other caches may have it.
    Shared,
    /// The line is cached here alone.
    Exclusive,
    /// The line is cached here alone, and memory does not have its contents.
    Modified,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Drawn {
    pub(crate) line: u32,
    pub(crate) write: bool,
}

/// The number of uses of the bus that are kept before they have to be collected.
const USES: usize = 32;

impl Master {
    /// A master that accesses the lines of `ranges` at multiples of a number of clocks; `writes` of 100 accesses
    /// write. The ranges are in ascending order and none is empty.
    ///
    /// Returns nothing if there is no range.
    pub(crate) fn new(
        every: u64,
        writes: u32,
        seed: u64,
        ranges: &[Range<u32>],
        line_size: u32,
        has_cache: bool,
    ) -> Option<Master> {
        let mut known: Vec<(u32, u32)> = Vec::new();
        let (mut lines, mut after) = (0u32, 0u64);
        for range in ranges {
            let first = u64::from(range.start & !(line_size - 1)).max(after);
            after = u64::from(range.end).next_multiple_of(u64::from(line_size));
            if after > first {
                known.push((first as u32, lines));
                lines += ((after - first) / u64::from(line_size)) as u32;
            }
        }
        (lines > 0).then(|| Master {
            every: every.max(1),
            writes,
            random: seed,
            ranges: known,
            lines,
            line_size,
            due: every.max(1),
            held: if has_cache {
                vec![Held::Nothing; lines as usize]
            } else {
                Vec::new()
            },
            owns_bus: false,
            served: false,
            uses: VecDeque::new(),
            collected: 0,
            cycles: 0,
            went_through: [(0, u64::MAX); 2],
        })
    }

    pub(crate) fn has_cache(&self) -> bool {
        !self.held.is_empty()
    }

    /// The next access.
    pub(crate) fn draw(&mut self) -> Drawn {
        // The sequence that is known as splitmix64.
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.random ^ self.random >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        let drawn = mixed ^ mixed >> 31;
        let number = (((drawn >> 32) * u64::from(self.lines)) >> 32) as u32;
        let range = self.ranges.partition_point(|&(_, first)| first <= number) - 1;
        let (address, first) = self.ranges[range];
        Drawn {
            line: address + (number - first) * self.line_size,
            write: (drawn as u32 % 100) < self.writes,
        }
    }

    /// Records that the access that was due has begun at clock `began`. Earlier due accesses are left out.
    pub(crate) fn has_begun(&mut self, began: u64) {
        let late = began.saturating_sub(self.due) / self.every;
        self.due = self.due.saturating_add((late + 1) * self.every);
    }

    /// The number of the line of `address`, if the line is one of the master's.
    fn number(&self, address: u32) -> Option<usize> {
        let line = address & !(self.line_size - 1);
        let range = self
            .ranges
            .partition_point(|&(first, _)| first <= line)
            .checked_sub(1)?;
        let (first_address, first) = self.ranges[range];
        let after = self.ranges.get(range + 1).map_or(self.lines, |&(_, next)| next);
        let number = first + (line - first_address) / self.line_size;
        (number < after).then_some(number as usize)
    }

    /// Whether it may write to the line of `address`.
    pub(crate) fn may_write(&self, address: u32) -> bool {
        self.writes > 0 && self.number(address).is_some()
    }

    /// The state of the line of `address` in its cache.
    pub(crate) fn held(&self, address: u32) -> Held {
        if !self.has_cache() {
            return Held::Nothing;
        }
        self.number(address).map_or(Held::Nothing, |number| self.held[number])
    }

    /// Sets the state of the line of `address` in its cache, if it has a cache and the line is one of the master's.
    pub(crate) fn hold(&mut self, address: u32, held: Held) {
        if let Some(number) = self.number(address).filter(|_| self.has_cache()) {
            self.held[number] = held;
        }
    }

    /// Records a use of the bus for `clocks`, after `before` clocks of use since the last collection.
    pub(crate) fn uses_bus(&mut self, before: u64, clocks: u64) {
        if clocks > 0 {
            self.uses.push_back((self.collected + before, clocks));
            self.cycles += 1;
        }
    }

    /// Whether its uses of the bus should be collected.
    pub(crate) fn has_used_much(&self) -> bool {
        self.uses.len() >= USES
    }

    /// Collects `clocks` of bus cycles. Returns the master's cycles since the last call, and its part of the clocks.
    pub(crate) fn collect(&mut self, clocks: u64) -> (u64, u64) {
        self.collected += clocks;
        let mut own = 0;
        while let Some((begins, length)) = self.uses.front_mut()
            && *begins < self.collected
        {
            let past = (self.collected - *begins).min(*length);
            own += past;
            if past == *length {
                self.uses.pop_front();
            } else {
                *begins += past;
                *length -= past;
            }
        }
        (std::mem::take(&mut self.cycles), own)
    }

    /// Records that a write to `address` at clock `when` has gone through to memory because its line was shared.
    pub(crate) fn goes_through(&mut self, address: u32, when: u64) {
        self.went_through[0] = self.went_through[1];
        self.went_through[1] = (address, when);
    }

    /// Whether a write to `address` has gone through at clock `since` or later because its line was shared.
    pub(crate) fn has_gone_through(&self, address: u32, since: u64) -> bool {
        let mut last = self.went_through.iter();
        last.any(|&(other, when)| other == address && when >= since && when != u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn master(has_cache: bool) -> Master {
        Master::new(
            100,
            30,
            1,
            &[0x1010..0x1050, 0x1050..0x1051, 0x2000..0x2040],
            32,
            has_cache,
        )
        .expect("lines")
    }

    #[test]
    fn it_draws_each_line_and_as_many_writes_as_asked() {
        let mut master = master(false);
        let drawn: Vec<Drawn> = (0..10_000).map(|_| master.draw()).collect();
        let mut lines: Vec<u32> = drawn.iter().map(|drawn| drawn.line).collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines, [0x1000, 0x1020, 0x1040, 0x2000, 0x2020]);
        let writes = drawn.iter().filter(|drawn| drawn.write).count();
        assert!((2800..3200).contains(&writes), "{writes}");
        assert!(Master::new(1, 0, 1, &[], 32, false).is_none());
    }

    #[test]
    fn an_access_that_is_too_late_is_left_out() {
        let mut master = master(false);
        assert_eq!(master.due, 100);
        master.has_begun(100);
        assert_eq!(master.due, 200);
        master.has_begun(299);
        assert_eq!(master.due, 300);
        master.has_begun(525);
        assert_eq!(master.due, 600);
    }

    #[test]
    fn its_part_of_the_bus_is_collected_as_the_clocks_pass() {
        let mut master = master(false);
        // Ten clocks are used by the processor, then four by the master, then the processor goes on.
        master.uses_bus(10, 4);
        assert_eq!(master.collect(9), (1, 0));
        assert_eq!(master.collect(3), (0, 2));
        assert_eq!(master.collect(100), (0, 2));
        assert_eq!(master.collect(1), (0, 0));
    }

    #[test]
    fn lines_are_held_by_their_addresses() {
        let mut master = master(true);
        master.hold(0x2024, Held::Modified);
        assert_eq!(
            (master.held(0x203F), master.held(0x2000)),
            (Held::Modified, Held::Nothing)
        );
        master.hold(0x3000, Held::Modified);
        assert_eq!(
            (master.held(0x3000), master.held(0x1060)),
            (Held::Nothing, Held::Nothing)
        );
        assert!(master.may_write(0x1045) && !master.may_write(0x1060) && !master.may_write(0xFFF));
    }
}
