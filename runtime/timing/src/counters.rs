//! The tally of every event, and the two counters of MSR 12h and 13h, which are views of the tally. The tally is
//! always kept.
//!
//! Modelled: occurrences and clocks of each event at CPL 0 to 2 and at CPL 3; counters of 40 bits that keep their value
//! when the control register is written; miscounts of the silicon, if they are assumed. Not modelled: the counters'
//! pins. DOUBT: in clock mode a counter adds one for each clock in which its event's signal holds; Intel's manual does
//! not specify this.

use asm_macros::events::{EVENT_COUNT, Event, Unit};
use asm_macros::msr::{CESR_CLOCKS, CESR_EVENT, CESR_SYSTEM, CESR_USER, COUNTER_BITS};
use p5_chips::{CounterEvents, Erratum, Extra, Miscount};
use std::mem::offset_of;

/// The counts of every event in one group of privilege levels.
///
/// Sums wrap, because a correction may precede the count that it corrects. No sum is read between the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally {
    occurrences: [u64; EVENT_COUNT],
    /// For a duration event, the clocks it lasted. For an occurrence event, the occurrences in a clock that already had
    /// one.
    clocks: [u64; EVENT_COUNT],
    /// The counts that appear only in counters that miscount.
    extras: [u64; Extra::COUNT],
}

impl Default for Tally {
    fn default() -> Self {
        Tally {
            occurrences: [0; EVENT_COUNT],
            clocks: [0; EVENT_COUNT],
            extras: [0; Extra::COUNT],
        }
    }
}

impl Tally {
    /// The offset of the occurrences of an event.
    pub(crate) fn place_of(event: Event) -> usize {
        offset_of!(Tally, occurrences) + event as usize * size_of::<u64>()
    }

    /// The offset of what [`Tally::shared`] adds to.
    pub(crate) fn place_of_shared(event: Event) -> usize {
        offset_of!(Tally, clocks) + event as usize * size_of::<u64>()
    }

    /// Counts `times` occurrences of an event, each in a separate clock.
    #[inline(always)]
    pub fn count(&mut self, event: Event, times: u64) {
        let occurrences = &mut self.occurrences[event as usize];
        *occurrences = occurrences.wrapping_add(times);
    }

    /// Subtracts occurrences that are also counted elsewhere, before or after this call.
    #[inline(always)]
    pub fn uncount(&mut self, event: Event, times: u64) {
        let occurrences = &mut self.occurrences[event as usize];
        *occurrences = occurrences.wrapping_sub(times);
    }

    /// Records that `times` of the counted occurrences shared a clock with another one.
    #[inline(always)]
    pub fn shared(&mut self, event: Event, times: u64) {
        let clocks = &mut self.clocks[event as usize];
        *clocks = clocks.wrapping_add(times);
    }

    /// Undoes a [`Tally::shared`] made before or after this call.
    pub fn unshared(&mut self, event: Event, times: u64) {
        let clocks = &mut self.clocks[event as usize];
        *clocks = clocks.wrapping_sub(times);
    }

    /// Counts `times` occurrences of a duration event that lasted `clocks` in total.
    #[inline(always)]
    pub(crate) fn lasted(&mut self, event: Event, times: u64, clocks: u64) {
        self.occurrences[event as usize] += times;
        self.clocks[event as usize] += clocks;
    }

    /// Sets the clocks that an event has lasted.
    pub fn set_clocks(&mut self, event: Event, clocks: u64) {
        self.clocks[event as usize] = clocks;
    }

    /// The number of clocks in which an event that counts occurrences occurred twice.
    pub fn doubled(&self, event: Event) -> u64 {
        match event.row().unit {
            Unit::Occurrence => self.get(event, false).wrapping_sub(self.get(event, true)),
            Unit::Duration => 0,
        }
    }

    /// The counted occurrences and clocks of an event, unless the event is computed from others.
    pub(crate) fn counted(&self, event: Event) -> [u64; 2] {
        [self.occurrences[event as usize], self.clocks[event as usize]]
    }

    /// Counts `times` of an extra, which is a part of an event or is counted only by counters that miscount.
    pub(crate) fn count_extra(&mut self, extra: Extra, times: u64) {
        self.extras[extra as usize] += times;
    }

    /// Returns the sum of two tallies.
    pub fn sum(one: &Tally, other: &Tally) -> Tally {
        let mut sum = one.clone();
        sum.add_difference(other, &Tally::default());
        sum
    }

    /// Returns these counts less those of `part`, which they include.
    pub fn without(&self, part: &Tally) -> Tally {
        let mut rest = Tally::default();
        rest.add_difference(self, part);
        rest
    }

    /// Adds what `later` counts beyond `earlier`.
    pub fn add_difference(&mut self, later: &Tally, earlier: &Tally) {
        fn add<const N: usize>(sums: &mut [u64; N], later: &[u64; N], earlier: &[u64; N]) {
            for ((sum, later), earlier) in sums.iter_mut().zip(later).zip(earlier) {
                *sum = sum.wrapping_add(later.wrapping_sub(*earlier));
            }
        }
        add(&mut self.occurrences, &later.occurrences, &earlier.occurrences);
        add(&mut self.clocks, &later.clocks, &earlier.clocks);
        add(&mut self.extras, &later.extras, &earlier.extras);
    }

    /// Returns the count of one event, in clocks or occurrences. Events that are sums or differences of others are
    /// computed here: a write that does not miss is a hit, of an exclusive or modified line unless it goes through,
    /// and a branch counts either as a hit in the branch target buffer or as taken without one.
    pub fn get(&self, event: Event, clocks: bool) -> u64 {
        let counted = |event: Event| self.occurrences[event as usize];
        let occurrences = |event: Event| match event {
            Event::WRITE_HIT_TO_M_OR_E_LINE => {
                let to_shared = self.extras[Extra::WriteThrough as usize];
                counted(Event::DATA_WRITE) - counted(Event::DATA_WRITE_MISS) - to_shared
            }
            Event::TAKEN_BRANCH_OR_BTB_HIT => counted(event) + counted(Event::BTB_HITS),
            _ => counted(event),
        };
        let at = |event: Event| {
            let index = event as usize;
            match (clocks, event.row().unit) {
                (false, _) => occurrences(event),
                (true, Unit::Occurrence) => occurrences(event) - self.clocks[index],
                (true, Unit::Duration) => self.clocks[index],
            }
        };
        match event {
            Event::DATA_READ_OR_WRITE => {
                // A read and a write in the same clock share it only in the event that counts both.
                let together = if clocks { self.clocks[event as usize] } else { 0 };
                at(Event::DATA_READ) + at(Event::DATA_WRITE) - together
            }
            Event::DATA_READ_OR_WRITE_MISS => at(Event::DATA_READ_MISS) + at(Event::DATA_WRITE_MISS),
            // The counted part of this event is that of another bus master.
            Event::BUS_USED_BY_PROCESSOR => at(Event::BUS_CYCLE_DURATION) - at(event),
            _ => at(event),
        }
    }
}

/// The control and event select register and the two 40-bit counters.
#[derive(Clone, Debug)]
pub struct Counters {
    events: &'static CounterEvents,
    // The errata of their counting.
    errata: &'static [Erratum],
    control: u32,
    value: [u64; 2],
    since: [u64; 2],
    // The number of writes to the three registers.
    writes: u64,
}

/// The implemented bits of a counter.
const COUNTER_MASK: u64 = (1 << COUNTER_BITS) - 1;

impl Counters {
    /// Creates two counters at zero that count nothing. `events` lists what the chip can count; `miscounts` selects
    /// its errata.
    pub fn new(events: &'static CounterEvents, miscounts: bool) -> Counters {
        Counters {
            events,
            errata: if miscounts { events.errata } else { &[] },
            control: 0,
            value: [0; 2],
            since: [0; 2],
            writes: 0,
        }
    }

    /// The control register, all 32 bits as written: software preserves reserved bits by reading and writing them back.
    pub fn control(&self) -> u32 {
        self.control
    }

    /// Writes the control register. Both counters keep their values.
    pub fn set_control(&mut self, control: u32, system: &Tally, user: &Tally) {
        self.value = [0, 1].map(|counter| self.read(counter, system, user));
        self.control = control;
        self.since = [0, 1].map(|counter| self.selected(counter, system, user));
        self.writes += 1;
    }

    /// The number of writes to the control register and the counters so far.
    pub fn writes(&self) -> u64 {
        self.writes
    }

    /// The 40-bit value of counter 0 or 1.
    pub fn read(&self, counter: usize, system: &Tally, user: &Tally) -> u64 {
        let counted = self.selected(counter, system, user).wrapping_sub(self.since[counter]);
        self.value[counter].wrapping_add(counted) & COUNTER_MASK
    }

    /// Presets counter 0 or 1. Bits above the fortieth are discarded.
    pub fn write(&mut self, counter: usize, value: u64, system: &Tally, user: &Tally) {
        self.value[counter] = value & COUNTER_MASK;
        self.since[counter] = self.selected(counter, system, user);
        self.writes += 1;
    }

    /// The count that a counter's half of the control register selects, over the whole run so far.
    fn selected(&self, counter: usize, system: &Tally, user: &Tally) -> u64 {
        let half = self.control >> (16 * counter);
        let Some(event) = self.events.event(counter, (half & CESR_EVENT) as u8) else {
            return 0;
        };
        let clocks = half & CESR_CLOCKS != 0;
        let mut count = 0u64;
        if half & CESR_SYSTEM != 0 {
            count = count.wrapping_add(self.counted(system, event, clocks));
        }
        if half & CESR_USER != 0 {
            count = count.wrapping_add(self.counted(user, event, clocks));
        }
        count
    }

    /// The count of an event as this counter counts it, with its errata.
    fn counted(&self, tally: &Tally, event: Event, clocks: bool) -> u64 {
        let errata = self.errata.iter().filter(|erratum| erratum.event == event);
        errata.fold(tally.get(event, clocks), |count, erratum| match erratum.miscount {
            Miscount::Also(extra) => count.wrapping_add(tally.extras[extra as usize]),
            Miscount::Nothing => 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::MODELS;

    #[test]
    fn a_counter_keeps_its_value_and_wraps_at_forty_bits() {
        let (mut system, user) = (Tally::default(), Tally::default());
        let mut counters = Counters::new(&MODELS[0].events, false);
        counters.set_control(CESR_SYSTEM | 0x16, &system, &user);
        counters.write(0, COUNTER_MASK, &system, &user);
        system.count(Event::INSTRUCTIONS_EXECUTED, 3);
        system.shared(Event::INSTRUCTIONS_EXECUTED, 1);
        assert_eq!(counters.read(0, &system, &user), 2, "carried out of bit 39");
        counters.set_control(0, &system, &user);
        system.count(Event::INSTRUCTIONS_EXECUTED, 3);
        system.shared(Event::INSTRUCTIONS_EXECUTED, 1);
        assert_eq!(counters.read(0, &system, &user), 2, "off, and kept");
        counters.set_control(CESR_SYSTEM | CESR_CLOCKS | 0x16, &system, &user);
        system.count(Event::INSTRUCTIONS_EXECUTED, 3);
        system.shared(Event::INSTRUCTIONS_EXECUTED, 1);
        assert_eq!(counters.read(0, &system, &user), 4, "clocks this time");
    }

    #[test]
    fn levels_are_counted_apart() {
        let (mut system, mut user) = (Tally::default(), Tally::default());
        let mut counters = Counters::new(&MODELS[0].events, false);
        counters.set_control((CESR_USER | 0x12) << 16 | CESR_SYSTEM | 0x12, &system, &user);
        system.count(Event::BRANCHES, 5);
        user.count(Event::BRANCHES, 7);
        assert_eq!([0, 1].map(|counter| counters.read(counter, &system, &user)), [5, 7]);
    }

    #[test]
    fn one_selector_may_choose_another_event_on_each_counter() {
        let mut events = MODELS[0].events;
        events.selected[0][0x2A] = Some(Event::BRANCHES);
        events.selected[1][0x2A] = Some(Event::BTB_HITS);
        let (mut system, user) = (Tally::default(), Tally::default());
        let mut counters = Counters::new(Box::leak(Box::new(events)), false);
        counters.set_control((CESR_SYSTEM | 0x2A) << 16 | CESR_SYSTEM | 0x2A, &system, &user);
        system.count(Event::BRANCHES, 5);
        system.count(Event::BTB_HITS, 3);
        assert_eq!([0, 1].map(|counter| counters.read(counter, &system, &user)), [5, 3]);
    }
}
