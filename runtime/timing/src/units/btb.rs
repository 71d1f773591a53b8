//! The branch target buffer: entries in sets, each with a target and a counter of four states.
//!
//! Modelled: entries attached to the U-pipe instruction of the group before the branch; the measured state machine,
//! whose lowest state changes directly to the highest on a taken branch, unless the branch recurs before its entry has
//! been written back; replacement by a fixed pseudo-random sequence. Not modelled: the exact sequence of the silicon.
//!
//! An entry keeps its slot until another one replaces it. Sets and ways matter only for allocation and lookup; code
//! that has stored a slot finds all that it needs to know of the entry in one comparison of 64 bits.
//!
//! Source: Agner Fog, Microarchitecture (2020-09), 3.2 and figure 3.4.

use super::sets::TableSets;
use p5_chips::TableGeometry;
use std::mem::offset_of;

#[repr(C)]
#[derive(Clone, Debug)]
pub(crate) struct Btb {
    sets: TableSets,
    random: u16,
    // The address that each slot's entry is attached to. It is stored separately so that a whole set is compared at
    // once.
    attached: [u32; ENTRIES],
    slots: [Slot; ENTRIES],
    // For each set, the way found last. A lookup checks it first.
    recent: [u8; ENTRIES],
    // Addresses without an entry, by their low bits. Most groups with a branch have none, and this saves their lookup.
    absent: [u32; ABSENT],
    // Addresses whose entry, if they have one, predicts no jump, in the same order.
    unmet: [u32; ABSENT],
}

/// The number of entries of the largest buffer.
const ENTRIES: usize = 256;

/// The number of remembered addresses without an entry.
const ABSENT: usize = 512;

/// The attached address of a free slot. Free slots are last in their set.
const NOTHING: u32 = u32::MAX;

/// The bits of the counter in a mark.
const STATE: u32 = 3;

#[repr(C, align(8))]
#[derive(Clone, Copy, Debug)]
struct Slot {
    target: u32,
    // The attached address with the counter in place of its two lowest bits, which its set implies. The counter goes
    // from 0, strongly not taken, which is equivalent to no entry, to 3, strongly taken.
    mark: u32,
    // The number of the group that last updated it. It matters, and is kept, only while the counter is 0.
    updated: u64,
    used: bool,
}

impl Slot {
    const FREE: Slot = Slot {
        target: 0,
        mark: 0,
        updated: 0,
        used: false,
    };

    #[inline(always)]
    fn state(&self) -> u32 {
        self.mark & STATE
    }

    #[inline(always)]
    fn set_state(&mut self, state: u32) {
        self.mark = self.mark & !STATE | state;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    slot: u16,
    pub(crate) target: u32,
    pub(crate) taken: bool,
    /// Whether it counts as a hit. The lowest state is equivalent to no entry, so it does not.
    pub(crate) hit: bool,
}

/// The offsets of the data of a branch target buffer, and how its sets are selected.
pub(crate) struct BtbPlaces {
    pub(crate) attached: usize,
    pub(crate) absent: usize,
    pub(crate) unmet: usize,
    /// The number of remembered addresses of either kind.
    pub(crate) absent_count: u32,
    pub(crate) slots: usize,
    pub(crate) slot_size: usize,
    /// The offsets within a slot.
    pub(crate) target: usize,
    pub(crate) updated: usize,
    pub(crate) mark: usize,
    /// The ways of a set.
    pub(crate) ways: usize,
    /// An address is shifted up and masked to the index of the first slot of its set.
    pub(crate) shift: u32,
    pub(crate) mask: u32,
}

impl Btb {
    /// The places of its fields, and its geometry.
    pub(crate) fn places(&self) -> BtbPlaces {
        let (mask, shift) = self.sets.selection();
        BtbPlaces {
            attached: offset_of!(Btb, attached),
            absent: offset_of!(Btb, absent),
            unmet: offset_of!(Btb, unmet),
            absent_count: ABSENT as u32,
            slots: offset_of!(Btb, slots),
            slot_size: size_of::<Slot>(),
            target: offset_of!(Slot, target),
            updated: offset_of!(Slot, updated),
            mark: offset_of!(Slot, mark),
            ways: self.sets.ways(),
            shift,
            mask,
        }
    }

    /// Whether a slot and the mark in it tell the address that it is attached to.
    pub(crate) fn marks_tell(&self) -> bool {
        let (mask, shift) = self.sets.selection();
        mask >> shift & STATE == STATE
    }

    /// The offset among the slots of the first one for `attached`.
    pub(crate) fn slot_place(&self, attached: u32) -> usize {
        self.sets.first(attached) * size_of::<Slot>()
    }

    /// Remembers that no entry is attached to `attached`.
    pub(crate) fn note_absent(&mut self, attached: u32) {
        self.absent[attached as usize % ABSENT] = attached;
    }

    pub(crate) fn new(geometry: &TableGeometry) -> Btb {
        Btb {
            sets: TableSets::new(geometry, ENTRIES),
            random: SEED,
            attached: [NOTHING; ENTRIES],
            slots: [Slot::FREE; ENTRIES],
            recent: [0; ENTRIES],
            absent: [NOTHING; ABSENT],
            unmet: [NOTHING; ABSENT],
        }
    }

    /// Looks up the entry attached to `attached`.
    #[inline(always)]
    pub(crate) fn lookup(&self, attached: u32) -> Option<Found> {
        let first = self.sets.first(attached);
        let slot = (first + self.find(first, attached)?) & (ENTRIES - 1);
        let entry = &self.slots[slot];
        entry.used.then_some(Found {
            slot: slot as u16,
            target: entry.target,
            taken: entry.state() >= 2,
            hit: entry.state() > 0,
        })
    }

    #[inline(always)]
    fn find(&self, first: usize, attached: u32) -> Option<usize> {
        let set = &self.attached[first & (ENTRIES - 1)..];
        match (self.sets.ways(), set.first_chunk::<4>()) {
            (4, Some(four)) => four.iter().position(|&other| other == attached),
            (ways, _) => set[..ways].iter().position(|&other| other == attached),
        }
    }

    /// Returns whether an entry attached to `attached` predicts a branch taken to `target`, and if so updates it with
    /// that outcome. This combines [`Btb::lookup`] and [`Btb::update`] for by far the most frequent outcome.
    #[inline(always)]
    pub(crate) fn taken_as_predicted(&mut self, attached: u32, target: u32) -> bool {
        let first = self.sets.first(attached);
        let recent = &mut self.recent[self.sets.index(first) & (ENTRIES - 1)];
        let mut slot = (first + usize::from(*recent)) & (ENTRIES - 1);
        if self.attached[slot] != attached {
            let Some(way) = self.find(first, attached) else {
                return false;
            };
            self.recent[self.sets.index(first) & (ENTRIES - 1)] = way as u8;
            slot = (first + way) & (ENTRIES - 1);
        }
        let entry = &mut self.slots[slot];
        // A free slot predicts nothing.
        let right = entry.state() >= 2 && entry.target == target;
        if right {
            entry.set_state(3);
        }
        right
    }

    /// Updates the counter of an entry with the outcome, in group number `group`. An update takes `forwarded` groups to
    /// be written back.
    #[inline(always)]
    pub(crate) fn update(&mut self, found: Found, taken: bool, target: u32, group: u64, forwarded: u64) {
        let entry = &mut self.slots[usize::from(found.slot) & (ENTRIES - 1)];
        let state = match (entry.state(), taken) {
            (0, true) if group.wrapping_sub(entry.updated) <= forwarded => 1,
            (0, true) => 3,
            (state, true) => (state + 1).min(3),
            (state, false) => state.saturating_sub(1),
        };
        entry.set_state(state);
        if taken {
            entry.target = target;
            let attached = self.attached[usize::from(found.slot) & (ENTRIES - 1)];
            self.unmet[attached as usize % ABSENT] = NOTHING;
        }
        if state == 0 {
            entry.updated = group;
        }
    }

    /// Adds an entry for a taken branch.
    pub(crate) fn allocate(&mut self, attached: u32, target: u32) {
        let first = self.sets.first(attached);
        let ways = self.sets.ways();
        let way = match self.slots[first..first + ways].iter().position(|slot| !slot.used) {
            Some(free) => free,
            None => {
                // A 16-bit linear feedback shift register, taps 16, 14, 13, 11.
                let bit = (self.random ^ self.random >> 2 ^ self.random >> 3 ^ self.random >> 5) & 1;
                self.random = self.random >> 1 | bit << 15;
                usize::from(self.random) & (ways - 1)
            }
        };
        let absent = &mut self.absent[attached as usize % ABSENT];
        if *absent == attached {
            *absent = NOTHING;
        }
        self.unmet[attached as usize % ABSENT] = NOTHING;
        self.attached[first + way] = attached;
        self.slots[first + way] = Slot {
            target,
            mark: attached & !STATE | 3,
            updated: 0,
            used: true,
        };
    }

    /// Returns whether an entry attached to `attached`, the U of a group with a branch, predicts a taken branch.
    #[inline(always)]
    pub(crate) fn meets(&mut self, attached: u32) -> bool {
        self.unmet[attached as usize % ABSENT] != attached && self.meets_attached(attached)
    }

    #[inline]
    fn meets_attached(&mut self, attached: u32) -> bool {
        let found = self.lookup(attached);
        if found.is_none() {
            self.absent[attached as usize % ABSENT] = attached;
        }
        let met = found.is_some_and(|found| found.taken);
        if !met {
            self.unmet[attached as usize % ABSENT] = attached;
        }
        met
    }

    pub(crate) fn flush(&mut self) {
        self.random = SEED;
        self.attached.fill(NOTHING);
        self.slots.fill(Slot::FREE);
        self.recent.fill(0);
        self.absent.fill(NOTHING);
        self.unmet.fill(NOTHING);
    }
}

/// The start of the pseudo-random sequence.
const SEED: u16 = 0xACE1;

#[cfg(test)]
mod tests {
    use super::*;

    fn btb() -> Btb {
        Btb::new(&TableGeometry { entries: 256, ways: 4 })
    }

    #[test]
    fn the_measured_state_machine() {
        let mut btb = btb();
        btb.allocate(100, 7);
        let step = |btb: &mut Btb, taken, group| {
            let found = btb.lookup(100).expect("allocated");
            btb.update(found, taken, 7, group, 4);
            btb.lookup(100).expect("still there").taken
        };
        assert!(step(&mut btb, false, 10), "3 to 2 still predicts taken");
        assert!(!step(&mut btb, false, 20), "2 to 1");
        assert!(!step(&mut btb, false, 30), "1 to 0");
        assert!(step(&mut btb, true, 40), "0 to 3, the design's flaw");
        for group in [50, 60, 70] {
            step(&mut btb, false, group);
        }
        assert!(!step(&mut btb, true, 72), "forwarded within four groups: 0 to 1");
        assert!(step(&mut btb, true, 80), "1 to 2");
    }

    #[test]
    fn sixty_four_sets_of_four() {
        let mut btb = btb();
        for way in 0..4 {
            btb.allocate(5 + 64 * way, way);
        }
        for way in 0..4 {
            assert_eq!(btb.lookup(5 + 64 * way).map(|found| found.target), Some(way));
        }
        btb.allocate(5 + 64 * 4, 4);
        assert_eq!((0..5).filter(|way| btb.lookup(5 + 64 * way).is_some()).count(), 4);
    }

    #[test]
    fn every_way_is_replaced_about_as_often() {
        let mut btb = btb();
        let mut replaced = [0; 4];
        for number in 0..1004 {
            let attached = 5 + 64 * number;
            btb.allocate(attached, 7);
            let found = btb.lookup(attached).expect("just allocated");
            replaced[usize::from(found.slot) % 4] += u32::from(number >= 4);
        }
        assert!(replaced.iter().all(|times| (200..=300).contains(times)), "{replaced:?}");
    }

    #[test]
    fn an_entry_is_met_while_it_predicts_a_taken_branch() {
        let mut btb = btb();
        assert!(!btb.meets(3), "not attached yet");
        btb.allocate(3, 7);
        // One of them shares the place of 3 among the absent addresses.
        let other = 3 + ABSENT as u32;
        assert!(btb.meets(3) && !btb.meets(4) && !btb.meets(other) && btb.meets(3));
        for group in [10, 20] {
            let found = btb.lookup(3).expect("allocated");
            btb.update(found, false, 7, group, 4);
        }
        assert!(!btb.meets(3), "it predicts not taken");
    }

    #[test]
    fn a_flushed_buffer_is_like_a_new_one() {
        let mut used = btb();
        (0..1000).for_each(|address| used.allocate(address, 7));
        used.flush();
        assert!(!used.meets(3));
        used.allocate(3, 9);
        let mut new = btb();
        assert!(!new.meets(3));
        new.allocate(3, 9);
        assert!(used.meets(3) && new.meets(3));
        assert_eq!(format!("{used:?}"), format!("{new:?}"));
    }
}
