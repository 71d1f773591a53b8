//! Events of one thread in one group of Linux performance events.

use super::why::{self, Surroundings};
use super::{Counted, Reading, kernel};
use crate::events::Countable;
use crate::reason::{Reason, Unavailable};
use perf_event::{Counter, Group};
use std::io;
use std::marker::PhantomData;

/// The group on the heap, so that moving it while it counts moves a single pointer.
pub(super) struct Counters<const N: usize>(Box<State<N>>);

struct State<const N: usize> {
    events: [Countable; N],
    /// `None` if there is nothing to count.
    group: Option<Group>,
    members: [Result<Counter, Unavailable>; N],
    /// The smallest counts of an empty region, after at least one run was counted in full.
    overheads: Result<[u64; N], Unavailable>,
    /// The counts at the last reading, initially 0.
    last: Snapshot<N>,
    /// The error of enabling or disabling since the last reading, examined only after the end.
    failed: Option<io::Error>,
    /// The kernel counts the thread that opened the group, so the group must not pass to another.
    thread: PhantomData<*const ()>,
}

#[derive(Clone, Copy)]
struct Snapshot<const N: usize> {
    /// Nanoseconds for which the group was enabled.
    enabled: u128,
    /// Nanoseconds for which it was counted.
    running: u128,
    counts: [u64; N],
}

impl<const N: usize> Counters<N> {
    pub(super) fn open(events: [Countable; N]) -> Counters<N> {
        Counters::open_in(events, Surroundings::here)
    }

    /// Opens the group like [`Counters::open`], in surroundings that a test chooses.
    pub(super) fn open_in(events: [Countable; N], surroundings: fn() -> Surroundings) -> Counters<N> {
        // The leader counts nothing, so that the group exists even if one of the members does not.
        let mut leader = Group::builder().build_group();
        let members = events.map(|event| {
            event.generic()?;
            let opened = match &mut leader {
                Ok(group) => match kernel::builder(event) {
                    Some(builder) => group.add(&builder),
                    None => {
                        return Err(Unavailable(Reason::NoCounterpart {
                            event: event.name(),
                            nearest: None,
                        }));
                    }
                },
                Err(error) => return Err(why::not_opened(error, event, surroundings)),
            };
            opened.map_err(|error| why::not_opened(&error, event, surroundings))
        });
        Counters(Box::new(State {
            events,
            group: leader.ok().filter(|_| members.iter().any(Result::is_ok)),
            members,
            overheads: Err(Unavailable(Reason::NeverRan)),
            last: Snapshot {
                enabled: 0,
                running: 0,
                counts: [0; N],
            },
            failed: None,
            thread: PhantomData,
        }))
    }

    /// Enables the group. One system call; nothing is allocated.
    ///
    /// Only the leader is enabled, and its members with it. Enabling all of them would cost the kernel work for each
    /// member, and Linux 6.18 then leaves a TASK_CLOCK disabled.
    pub(super) fn enable(&mut self) {
        if let Some(group) = &mut self.0.group {
            self.0.failed = group.as_counter_mut().enable().err();
        }
    }

    /// Disables the group. One system call; nothing is allocated.
    pub(super) fn disable(&mut self) {
        if let Some(group) = &mut self.0.group {
            let failed = group.as_counter_mut().disable().err();
            self.0.failed = self.0.failed.take().or(failed);
        }
    }

    /// Takes the counts since the last reading as those of an empty region.
    pub(super) fn settle_dry_run(&mut self) {
        let state = &mut *self.0;
        if state.group.is_none() {
            return;
        }
        state.overheads = match (state.interval(), state.overheads) {
            (Ok(counts), Ok(least)) => Ok(std::array::from_fn(|index| counts[index].min(least[index]))),
            (Ok(counts), Err(_)) => Ok(counts),
            // A disturbed run does not spoil the undisturbed ones.
            (Err(_), Ok(least)) => Ok(least),
            (Err(reason), Err(_)) => Err(reason),
        };
    }

    /// Takes the counts since the last reading as those of the region.
    pub(super) fn read(mut self) -> [Reading; N] {
        let state = &mut *self.0;
        let counted = match state.group {
            Some(_) => state
                .interval()
                .and_then(|raw| state.overheads.map(|overheads| (raw, overheads))),
            // Every member has a reason of its own in this case.
            None => Err(Unavailable(Reason::NeverRan)),
        };
        let running = state.last.running;
        std::array::from_fn(|index| Reading {
            event: state.events[index],
            counted: match &mut state.members[index] {
                Err(missing) => Err(*missing),
                Ok(counter) => counted.and_then(|(raw, overheads)| {
                    counted_as_long(counter, running)?;
                    Ok(Counted {
                        raw: raw[index],
                        overhead: overheads[index],
                    })
                }),
            },
        })
    }
}

/// Checks that a member counted for as long as its group, `running` nanoseconds. The kernel should ensure this; if it
/// does not, the count is too small, or 0 without meaning.
fn counted_as_long(counter: &mut Counter, running: u128) -> Result<(), Unavailable> {
    let data = counter.read_full().map_err(|error| why::not_read(&error))?;
    let own = data.time_running().map_or(0, |time| time.as_nanos());
    match u8::try_from(own * 100 / running.max(1)) {
        _ if own == 0 => Err(Unavailable(Reason::NeverRan)),
        // The two times are read at different moments, so they may differ by a few nanoseconds.
        Ok(percent) if percent < 99 => Err(Unavailable(Reason::Shared { percent })),
        _ => Ok(()),
    }
}

impl<const N: usize> State<N> {
    /// The counts since the last reading, if the group counted for as long as it was enabled.
    fn interval(&mut self) -> Result<[u64; N], Unavailable> {
        let failed = self.failed.take();
        let last = self.last;
        self.last = self.snapshot()?;
        if let Some(error) = failed {
            return Err(why::not_read(&error));
        }
        let enabled = self.last.enabled.saturating_sub(last.enabled);
        let running = self.last.running.saturating_sub(last.running);
        if running == 0 {
            return Err(Unavailable(Reason::NeverRan));
        }
        if running < enabled {
            let percent = u8::try_from(running * 100 / enabled).unwrap_or(99);
            return Err(Unavailable(Reason::Shared { percent }));
        }
        Ok(std::array::from_fn(|index| {
            self.last.counts[index].wrapping_sub(last.counts[index])
        }))
    }

    fn snapshot(&mut self) -> Result<Snapshot<N>, Unavailable> {
        let group = self.group.as_mut().ok_or(Unavailable(Reason::NeverRan))?;
        let data = group.read().map_err(|error| why::not_read(&error))?;
        let mut counts = [0; N];
        for (count, member) in counts.iter_mut().zip(&self.members) {
            if let Ok(counter) = member {
                // The kernel returns every member that was counted.
                *count = data.get(counter).ok_or(Unavailable(Reason::NeverRan))?.value();
            }
        }
        let nanoseconds = |time: Option<std::time::Duration>| time.map_or(0, |time| time.as_nanos());
        Ok(Snapshot {
            enabled: nanoseconds(data.time_enabled()),
            running: nanoseconds(data.time_running()),
            counts,
        })
    }
}
