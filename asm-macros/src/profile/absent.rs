//! Counting in a build without events: every event gets the reason.

use super::Reading;
use crate::events::Countable;
use crate::reason::{Reason, Unavailable};
use core::marker::PhantomData;

/// The group of events that this build cannot count.
pub(super) struct Counters<const N: usize> {
    events: [Countable; N],
    // As with real counters, which belong to a thread.
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
        // An event that no current processor counts says so here too, because another build would not help.
        self.events.map(|event| Reading {
            event,
            counted: Err(event.generic().err().unwrap_or(Unavailable(missing))),
        })
    }
}
