//! The branch target buffer with history: an entry for each branch, with a counter for each pattern of its last four
//! outcomes, and a stack of return addresses.
//!
//! Modelled: entries found by the aligned dword that the branch ends in, so that two branches which end in the same one
//! share an entry; sixteen counters for each entry, chosen by the last four outcomes; LOOP and JECXZ, which are
//! predicted to do what they did last; a loop of a few instructions, in which the last two outcomes are not part of the
//! history yet; replacement by a fixed pseudo-random sequence. Not modelled: the exact sequence of the silicon. DOUBT:
//! the counters of a new entry, which no source gives, are weakly taken; that two outcomes are late follows from the
//! source's remark that a short loop of 6 or 7 rounds has no misprediction, and one of most other lengths more than
//! usual.
//!
//! Source: Agner Fog, Microarchitecture (2020-09), 3.3; Intel, Pentium Processor Family Developer's Manual 1997
//! (241428-005), chapters 2 and 16.

use super::sets::TableSets;
use p5_chips::TableGeometry;

#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct History {
    sets: TableSets,
    random: u16,
    // The branch of each slot; a whole set is compared at once.
    branches: [u32; ENTRIES],
    slots: [Slot; ENTRIES],
    returns: [u32; RETURNS],
    // The number of valid return addresses, and the index of the last one.
    depth: u8,
    last: u8,
}

/// The number of entries of the largest buffer.
const ENTRIES: usize = 256;
/// Two branches whose last bytes are in the same aligned dword share an entry.
const DWORD: u32 = 4;
const RETURNS: usize = 4;
/// Marks a free slot in the list of branches.
const NOTHING: u32 = u32::MAX;
/// The start of the pseudo-random sequence.
const SEED: u16 = 0xACE1;
/// The outcomes that choose a counter.
const PATTERN: u8 = 0b1111;
/// The most outcomes that are not part of the history yet.
const MOST_LATE: u8 = 2;
/// Sixteen counters of two bits that are weakly taken.
const WEAKLY_TAKEN: u32 = 0xAAAA_AAAA;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Slot {
    target: u32,
    // Two bits for each pattern.
    counters: u32,
    // The last outcome is the lowest bit.
    outcomes: u8,
    // How many of them were not part of the history yet when it was used last.
    late: u8,
    // The number of instructions executed by the last outcome.
    updated: u64,
    // The last byte of the branch that used it last.
    owner: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    slot: u16,
    // The pattern that selects the predicting counter, and the number of later outcomes.
    pattern: u8,
    late: u8,
    pub(crate) target: u32,
    pub(crate) taken: bool,
    // The last byte of the branch that used it last.
    owner: u32,
    // Whether this prediction or the one before lacks outcomes.
    hurried: bool,
}

impl Found {
    /// Whether the branch comes too early for its last outcomes, this time or the time before: then one pattern stands
    /// for several histories.
    pub(crate) fn is_hurried(&self) -> bool {
        self.hurried
    }

    /// The last byte of the branch that used the entry last, unless that is the one whose last byte is at `address`.
    pub(crate) fn of_another(&self, address: u32) -> Option<u32> {
        (self.owner != address).then_some(self.owner)
    }
}

impl Slot {
    const FREE: Slot = Slot {
        target: 0,
        counters: WEAKLY_TAKEN,
        outcomes: 0,
        late: 0,
        updated: 0,
        owner: 0,
    };

    fn counter(&self, pattern: u8) -> u32 {
        self.counters >> (2 * pattern) & 3
    }

    fn set_counter(&mut self, pattern: u8, value: u32) {
        let shift = 2 * pattern;
        self.counters = self.counters & !(3 << shift) | value << shift;
    }
}

impl History {
    pub(crate) fn new(geometry: &TableGeometry) -> History {
        History {
            sets: TableSets::new(geometry, ENTRIES),
            random: SEED,
            branches: [NOTHING; ENTRIES],
            slots: [Slot::FREE; ENTRIES],
            returns: [0; RETURNS],
            depth: 0,
            last: 0,
        }
    }

    /// Looks up the entry of the branch whose last byte is at `address`, after `now` instructions. An update takes
    /// `late` instructions until its outcome is part of the history; for each branch within that time, the history
    /// lacks one more outcome, up to two.
    pub(crate) fn lookup(&self, address: u32, now: u64, late: u64) -> Option<Found> {
        let branch = address / DWORD;
        let first = self.sets.first(branch);
        let set = &self.branches[first..first + self.sets.ways()];
        let slot = first + set.iter().position(|&other| other == branch)?;
        let entry = &self.slots[slot];
        let in_time = now.wrapping_sub(entry.updated) > late;
        let late = if in_time { 0 } else { (entry.late + 1).min(MOST_LATE) };
        let pattern = entry.outcomes >> late & PATTERN;
        Some(Found {
            slot: slot as u16,
            pattern,
            late,
            target: entry.target,
            taken: entry.counter(pattern) >= 2,
            owner: entry.owner,
            hurried: late > 0 || entry.late > 0,
        })
    }

    /// Updates an entry with the outcome of the branch whose last byte is at `address`: its target if it was taken;
    /// `patterned` unless it is predicted to do what it did last.
    pub(crate) fn update(&mut self, found: Found, target: Option<u32>, address: u32, now: u64, patterned: bool) {
        let entry = &mut self.slots[usize::from(found.slot) & (ENTRIES - 1)];
        let taken = target.is_some();
        entry.target = target.unwrap_or(entry.target);
        entry.owner = address;
        if !patterned {
            entry.set_counter(found.pattern, if taken { 3 } else { 0 });
            return;
        }
        let counter = entry.counter(found.pattern);
        let counter = if taken {
            (counter + 1).min(3)
        } else {
            counter.saturating_sub(1)
        };
        entry.set_counter(found.pattern, counter);
        entry.late = found.late;
        entry.updated = now;
        entry.outcomes = entry.outcomes << 1 | u8::from(taken);
    }

    /// Adds an entry for a taken branch whose last byte is at `address`.
    pub(crate) fn allocate(&mut self, address: u32, target: u32, now: u64) {
        let branch = address / DWORD;
        let first = self.sets.first(branch);
        let ways = self.sets.ways();
        let set = &self.branches[first..first + ways];
        let way = set.iter().position(|&other| other == NOTHING).unwrap_or_else(|| {
            // A 16-bit linear feedback shift register, taps 16, 14, 13, 11.
            let bit = (self.random ^ self.random >> 2 ^ self.random >> 3 ^ self.random >> 5) & 1;
            self.random = self.random >> 1 | bit << 15;
            usize::from(self.random) & (ways - 1)
        });
        self.branches[first + way] = branch;
        self.slots[first + way] = Slot {
            target,
            outcomes: 1,
            updated: now,
            owner: address,
            ..Slot::FREE
        };
    }

    /// Stores the return address of a call. The oldest one is lost if there is no room.
    pub(crate) fn call(&mut self, back: u32) {
        self.last = (self.last + 1) % RETURNS as u8;
        self.returns[usize::from(self.last)] = back;
        self.depth = (self.depth + 1).min(RETURNS as u8);
    }

    /// Removes and returns the predicted target of the next return, if an address is left.
    pub(crate) fn returned(&mut self) -> Option<u32> {
        self.depth = self.depth.checked_sub(1)?;
        let back = self.returns[usize::from(self.last)];
        self.last = (self.last + RETURNS as u8 - 1) % RETURNS as u8;
        Some(back)
    }

    pub(crate) fn flush(&mut self) {
        self.random = SEED;
        self.branches.fill(NOTHING);
        self.slots.fill(Slot::FREE);
        self.returns.fill(0);
        (self.depth, self.last) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history() -> History {
        History::new(&TableGeometry { entries: 256, ways: 16 })
    }

    /// The wrong predictions in the last of `rounds` rounds, for a branch that repeats these outcomes.
    fn wrong(outcomes: &[bool], rounds: usize, patterned: bool) -> usize {
        wrong_within(100, outcomes, rounds, patterned)
    }

    /// The wrong predictions of the same branch in a loop of `instructions`.
    fn wrong_within(instructions: u64, outcomes: &[bool], rounds: usize, patterned: bool) -> usize {
        wrong_apart((instructions, 0), outcomes, rounds, patterned)
    }

    /// The same where `between` further instructions follow all outcomes.
    fn wrong_apart((instructions, between): (u64, u64), outcomes: &[bool], rounds: usize, patterned: bool) -> usize {
        let mut history = history();
        let mut now = 0;
        let mut wrong = 0;
        for round in 0..rounds {
            now += between;
            for &taken in outcomes {
                now += instructions;
                let found = history.lookup(28, now, 6);
                let right = found.map_or(!taken, |found| found.taken == taken);
                wrong += usize::from(!right && round + 1 == rounds);
                match found {
                    Some(found) => history.update(found, taken.then_some(40), 28, now, patterned),
                    None if taken => history.allocate(28, 40, now),
                    None => {}
                }
            }
        }
        wrong
    }

    #[test]
    fn patterns_of_up_to_five_are_learned() {
        for period in 1..=5 {
            for ones in 0..1u32 << period {
                let outcomes: Vec<bool> = (0..period).map(|bit| ones >> bit & 1 != 0).collect();
                assert_eq!(wrong(&outcomes, 50, true), 0, "{outcomes:?}");
            }
        }
        let six = [true, true, true, true, true, false];
        assert!(wrong(&six, 50, true) > 0, "after five taken it is too late to tell");
    }

    #[test]
    fn a_short_loop_of_six_or_seven_rounds_is_predicted() {
        let wrong = |instructions: u64| {
            [2, 3, 4, 5, 6, 7, 8, 9].map(|rounds| {
                let outcomes: Vec<bool> = (1..=rounds).map(|round| round < rounds).collect();
                wrong_apart((instructions, 20), &outcomes, 50, true)
            })
        };
        assert_eq!(wrong(2), [1, 1, 0, 0, 0, 0, 1, 1]);
        assert_eq!(wrong(7), [0, 0, 0, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn a_short_loop_is_predicted_without_the_last_two_outcomes() {
        // Those before them are enough to learn the pattern.
        assert_eq!(wrong_within(6, &[true, false], 50, true), 0);
        let outcomes = [true, true, true, true, false];
        assert_eq!(
            [6, 7].map(|instructions| wrong_within(instructions, &outcomes, 50, true)),
            [0, 0]
        );
        // With seven outcomes, some patterns need the last outcome and others are misled by it.
        let mut more = [0; 2];
        for ones in 0..1u32 << 7 {
            let outcomes = [0, 1, 2, 3, 4, 5, 6].map(|bit| ones >> bit & 1 != 0);
            let [short, long] = [6, 7].map(|instructions| wrong_within(instructions, &outcomes, 50, true));
            more[0] += usize::from(short > long);
            more[1] += usize::from(short < long);
        }
        assert!(more.iter().all(|&more| more > 0), "{more:?}");
    }

    #[test]
    fn without_patterns_the_last_outcome_is_predicted() {
        assert_eq!(wrong(&[true, true, true, false], 50, false), 2);
        assert_eq!(wrong(&[true, false], 50, false), 2);
    }

    #[test]
    fn branches_that_end_in_the_same_dword_share_an_entry() {
        let mut history = history();
        history.allocate(0x1003, 9, 0);
        let found = |address| {
            let found = history.lookup(address, 0, 0);
            found.map(|found| (found.target, found.of_another(address)))
        };
        assert_eq!(
            [0x1003, 0x1000, 0x1004].map(found),
            [Some((9, None)), Some((9, Some(0x1003))), None]
        );
    }

    #[test]
    fn sixteen_branches_fit_a_set() {
        let mut history = history();
        for way in 0..17 {
            history.allocate(20 + 64 * way, way, 0);
        }
        let kept = (0..17).filter(|way| history.lookup(20 + 64 * way, 0, 0).is_some());
        assert_eq!(kept.count(), 16);
        history.flush();
        assert_eq!(format!("{history:?}"), format!("{:?}", self::history()));
    }

    #[test]
    fn four_return_addresses_are_kept() {
        let mut history = history();
        (1..=5).for_each(|back| history.call(back));
        let returned: Vec<_> = (0..5).map(|_| history.returned()).collect();
        assert_eq!(returned, [Some(5), Some(4), Some(3), Some(2), None]);
    }
}
