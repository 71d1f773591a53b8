//! Counting in a build without events: every event gets that reason.

use super::Reading;
use crate::events::Countable;
use crate::reason::{Reason, Unavailable};
use core::marker::PhantomData;

pub(super) struct Counters<const N: usize> {
    events: [Countable; N],
    // Binds the value to its thread, as real counters are.
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
        // An event that no current processor counts has that reason here too, because another build would not help.
        self.events.map(|event| Reading {
            event,
            counted: Err(event.generic().err().unwrap_or(Unavailable(missing))),
        })
    }
}
