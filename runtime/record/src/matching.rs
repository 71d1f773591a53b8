//! The derived events and latencies of a packet, found once for all packets with the same decisive bits.
//!
//! A long run has millions of packets, but only some dozens that differ in more than addresses and latencies.

use super::derived::{DERIVED, LATENCIES};
use super::{Images, SampleKind};
use p5_chips::ibs::{FIRST_REGISTER, REGISTER_COUNT};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The bits of each register image that conditions test.
type Decisive = [u64; REGISTER_COUNT];

/// The events and latencies for which a packet counts.
#[derive(Debug)]
pub(super) struct Matches {
    /// Indices into [`DERIVED`].
    pub(super) events: Box<[u8]>,
    /// Indices into [`LATENCIES`].
    pub(super) latencies: Box<[u8]>,
}

#[derive(Debug)]
pub(super) struct Matching {
    masks: Decisive,
    known: FxHashMap<(SampleKind, Decisive), Rc<Matches>>,
}

impl Default for Matching {
    fn default() -> Matching {
        let of_events = DERIVED.iter().flat_map(|event| event.conditions);
        let of_latencies = LATENCIES.iter().flat_map(|(_, _, defined)| *defined);
        let mut masks = [0; REGISTER_COUNT];
        for field in of_events.chain(of_latencies).flat_map(|condition| condition.fields()) {
            masks[(field.register - FIRST_REGISTER) as usize] |= field.mask();
        }
        Matching {
            masks,
            known: FxHashMap::default(),
        }
    }
}

impl Matching {
    pub(super) fn of(&mut self, kind: SampleKind, images: &Images) -> Rc<Matches> {
        let decisive = images.masked(&self.masks);
        let found = self.known.entry((kind, decisive));
        Rc::clone(found.or_insert_with(|| Rc::new(matches(kind, images))))
    }
}

fn matches(kind: SampleKind, images: &Images) -> Matches {
    let events = DERIVED.iter().enumerate();
    let events = events.filter(|(_, event)| event.kind == kind && event.includes(images));
    let latencies = LATENCIES.iter().enumerate();
    let latencies = latencies
        .filter(|(_, (_, of, defined))| *of == kind && defined.iter().all(|condition| condition.holds(images)));
    Matches {
        events: events.map(|(number, _)| number as u8).collect(),
        latencies: latencies.map(|(number, _)| number as u8).collect(),
    }
}
