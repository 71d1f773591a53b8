//! The sums of the ops and fetches of a run, as events of the Pentium.

use asm_macros::events::Event;
use p5_results::Pipe;
use p5_results::records::{AccessRecord, FetchRecord, OpRecord};

pub(super) const EVENTS: [Event; 14] = [
    Event::INSTRUCTIONS_EXECUTED,
    Event::INSTRUCTIONS_EXECUTED_V_PIPE,
    Event::BRANCHES,
    Event::PIPELINE_FLUSHES,
    Event::DATA_READ,
    Event::DATA_READ_MISS,
    Event::DATA_WRITE,
    Event::DATA_WRITE_MISS,
    Event::MISALIGNED_REFERENCES,
    Event::BANK_CONFLICTS,
    Event::DATA_TLB_MISS,
    Event::CODE_READ,
    Event::CODE_CACHE_MISS,
    Event::CODE_TLB_MISS,
];

/// The contribution of an op to each of these events.
pub(super) fn of_op(op: &OpRecord) -> [u64; EVENTS.len()] {
    let sum = |access: &Option<AccessRecord>, of: fn(&AccessRecord) -> u64| access.as_ref().map_or(0, of);
    let both = |of| sum(&op.load, of) + sum(&op.store, of);
    let flushes = op.branch.is_some_and(|branch| branch.mispredicted);
    [
        u64::from(op.last),
        u64::from(op.last && op.pipe == Pipe::V),
        u64::from(op.counts_as_branch),
        u64::from(flushes) + u64::from(op.met_entry),
        sum(&op.load, |load| load.references.into()),
        sum(&op.load, |load| load.missed.into()),
        sum(&op.store, |store| store.references.into()),
        sum(&op.store, |store| store.missed.into()),
        both(|access| access.misaligned.into()),
        both(|access| access.bank_conflict.into()),
        both(|access| access.walks.into()),
        0,
        0,
        0,
    ]
}

/// The contribution of a fetch to each of these events.
pub(super) fn of_fetch(fetch: &FetchRecord) -> [u64; EVENTS.len()] {
    let mut events = [0; EVENTS.len()];
    events[EVENTS.len() - 3..].copy_from_slice(&[
        u64::from(!fetch.killed),
        u64::from(fetch.missed),
        u64::from(fetch.walks),
    ]);
    events
}
