//! What a chip's two counters count under each selector.
//!
//! Modelled: which event each counter counts under which selector, which events the machine cannot raise, and why.
//! Not modelled: counting; that stands in `counters`.

use asm_macros::events::{EVENTS, Event};

/// How many selectors six bits can say.
pub const SELECTORS: usize = 64;

/// What a chip's two counters count.
#[derive(Clone, Copy, Debug)]
pub struct CounterEvents {
    /// For each counter, the event of each selector.
    pub selected: [[Option<Event>; SELECTORS]; 2],
    /// Events that this machine cannot raise on the chip, and why.
    pub unavailable: &'static [(Event, &'static str)],
}

/// An event as the counters of a chip are set to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The selector.
    pub selector: u8,
    /// The counter that alone counts the event under this selector; none if both do.
    pub counter: Option<u8>,
    /// The event.
    pub event: Event,
}

/// Every event of the list under its selector: what either counter of a chip counts that has no event of its own.
pub const LISTED: [Option<Event>; SELECTORS] = {
    let mut selected = [None; SELECTORS];
    let mut at = 0;
    while at < EVENTS.len() {
        selected[EVENTS[at].selector as usize] = Some(EVENTS[at].event);
        at += 1;
    }
    selected
};

impl CounterEvents {
    /// The event that `counter` counts under `selector`, if there is one.
    pub fn event(&self, counter: usize, selector: u8) -> Option<Event> {
        self.selected[counter].get(usize::from(selector)).copied().flatten()
    }

    /// Everything the counters can be set to, by selector.
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

    /// Why this machine cannot raise an event, if it cannot.
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
        };
        assert_eq!(events.event(0, 0x2A), Some(Event::BRANCHES));
        assert_eq!(events.event(1, 0x2A), Some(Event::FLOPS));
        assert_eq!((events.event(0, 0x3B), events.event(0, 0xFF)), (None, None));
        let own: Vec<(u8, Option<u8>, Event)> = events
            .selections()
            .skip(EVENTS.len())
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
