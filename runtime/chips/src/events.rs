//! The events that a chip's two counters count under each selector.
//!
//! Modelled: the event of each counter and selector; the events that the machine cannot raise, with the reason.
//! Not modelled: counting, which is in `counters`.

use asm_macros::events::{EVENTS, Event};

/// The number of selectors: a selector has six bits.
pub const SELECTORS: usize = 64;

/// The events that a chip's two counters can count.
#[derive(Clone, Copy, Debug)]
pub struct CounterEvents {
    /// The event of each selector, for each counter.
    pub selected: [[Option<Event>; SELECTORS]; 2],
    /// The events that this machine cannot raise on the chip, each with the reason.
    pub unavailable: &'static [(Event, &'static str)],
    /// The miscounts of the silicon's counters, if they are assumed.
    pub errata: &'static [Erratum],
}

/// A miscount of an event. An event may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Erratum {
    /// The event that is miscounted.
    pub event: Event,
    /// The kind of miscount.
    pub miscount: Miscount,
}

/// The kind of a miscount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Miscount {
    /// The counter counts another kind of occurrence as well.
    Also(Extra),
    /// The counter counts nothing.
    Nothing,
}

/// An occurrence that only a miscounting counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Extra {
    /// Read misses of misaligned accesses to data.
    MisalignedReadMiss,
    /// Write misses of misaligned accesses to data.
    MisalignedWriteMiss,
    /// Misaligned stores of the floating-point unit.
    MisalignedFloatingStore,
    /// Executions of VERR and VERW.
    SegmentVerified,
    /// Reads of I/O space.
    IoRead,
    /// Writes to pages with PWT that hit a line; such a line is never exclusive.
    WriteThrough,
}

impl Extra {
    /// The number of kinds.
    pub const COUNT: usize = Extra::WriteThrough as usize + 1;
}

/// An event and the counter setting that selects it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The selector, 6 bits.
    pub selector: u8,
    /// The only counter that counts the event under this selector; `None` if both do.
    pub counter: Option<u8>,
    /// The event that it selects.
    pub event: Event,
}

/// The events that every chip counts on both counters, under their selectors.
pub const LISTED: [Option<Event>; SELECTORS] = listed(None);

/// The events of each counter of a chip that has every listed one.
pub const ALL: [[Option<Event>; SELECTORS]; 2] = [listed(Some(0)), listed(Some(1))];

/// The events common to both counters, and those of only `counter`.
const fn listed(counter: Option<u8>) -> [Option<Event>; SELECTORS] {
    let mut selected = [None; SELECTORS];
    let mut at = 0;
    while at < EVENTS.len() {
        let row = &EVENTS[at];
        let counted = match (row.counter, counter) {
            (None, _) => true,
            (Some(own), Some(counter)) => own == counter,
            (Some(_), None) => false,
        };
        if counted {
            selected[row.selector as usize] = Some(row.event);
        }
        at += 1;
    }
    selected
}

impl CounterEvents {
    /// Returns the event that `counter` counts under `selector`, if there is one.
    pub fn event(&self, counter: usize, selector: u8) -> Option<Event> {
        self.selected[counter].get(usize::from(selector)).copied().flatten()
    }

    /// Returns every setting of the counters, by selector.
    pub fn selections(&self) -> impl Iterator<Item = Selection> {
        (0..SELECTORS as u8).flat_map(|selector| {
            let [zero, one] = [0, 1].map(|counter| self.event(counter, selector));
            let selection = |counter, event: Option<Event>| {
                event.map(|event| Selection {
                    selector,
                    counter,
                    event,
                })
            };
            let both = if zero == one {
                [selection(None, zero), None]
            } else {
                [selection(Some(0), zero), selection(Some(1), one)]
            };
            both.into_iter().flatten()
        })
    }

    /// Returns the reason why this machine cannot raise an event; `None` if it can.
    pub fn why_unavailable(&self, event: Event) -> Option<&'static str> {
        let known = self.unavailable.iter().find(|(unavailable, _)| *unavailable == event);
        known.map(|(_, reason)| *reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_may_stand_for_another_event_on_either_counter() {
        let mut selected = [LISTED; 2];
        selected[0][0x2A] = Some(Event::BRANCHES);
        selected[1][0x2A] = Some(Event::FLOPS);
        selected[1][0x3B] = Some(Event::BTB_HITS);
        let events = CounterEvents {
            selected,
            unavailable: &[(Event::FLOPS, "a test")],
            errata: &[],
        };
        assert_eq!(events.event(0, 0x2A), Some(Event::BRANCHES));
        assert_eq!(events.event(1, 0x2A), Some(Event::FLOPS));
        assert_eq!((events.event(0, 0x3B), events.event(0, 0xFF)), (None, None));
        let own: Vec<(u8, Option<u8>, Event)> = events
            .selections()
            .skip(LISTED.iter().flatten().count())
            .map(|one| (one.selector, one.counter, one.event))
            .collect();
        let expected = [
            (0x2A, Some(0), Event::BRANCHES),
            (0x2A, Some(1), Event::FLOPS),
            (0x3B, Some(1), Event::BTB_HITS),
        ];
        assert_eq!(own, expected);
        assert_eq!(events.why_unavailable(Event::FLOPS), Some("a test"));
        assert_eq!(events.why_unavailable(Event::BRANCHES), None);
    }
}
