//! Counting where there is nothing to count with: every event has the reason.

use super::Reading;
use crate::events::Countable;
use crate::reason::{Reason, Unavailable};
use core::marker::PhantomData;

/// The group of events that this build cannot have.
pub(super) struct Counters<const N: usize> {
    events: [Countable; N],
    // As where there are counters: they belong to a thread.
    thread: PhantomData<*const ()>,
}

impl<const N: usize> Counters<N> {
    pub(super) fn open(events: [Countable; N]) -> Counters<N> {
        Counters {
            events,
            thread: PhantomData,
        }
    }

    pub(super) fn enable(&mut self) {}

    pub(super) fn disable(&mut self) {}

    pub(super) fn settle_dry_run(&mut self) {}

    pub(super) fn read(self) -> [Reading; N] {
        let PhantomData = self.thread;
        let missing = if cfg!(target_os = "linux") {
            Reason::WithoutFeature("perf")
        } else {
            Reason::NotLinux
        };
        // An event that nothing counts anywhere says so here too: another build would not help.
        self.events.map(|event| Reading {
            event,
            counted: Err(event.generic().err().unwrap_or(Unavailable(missing))),
        })
    }
}
