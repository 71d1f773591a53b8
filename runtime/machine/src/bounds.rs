//! Bounds of a run: its clocks, and the wall time of the simulation.
//!
//! A run stops after the first instruction after which it has taken as many clocks as the limit, however the program is
//! divided into blocks. An instruction that waits in U for a partner has taken none yet, and is completed then. What is
//! done about them is in `attending`.

use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// How far a simulation is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The clocks simulated so far, of all runs.
    pub clock: u64,
    /// What the counters read, once in every [`reading_every`](super::Options::reading_every) clocks of a run.
    pub reading: Option<Reading>,
}

/// The counters during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The clocks of the run so far.
    pub clock: u64,
    /// The values of both counters.
    pub values: [u64; 2],
    /// How often they or their control register have been written.
    pub writes: u64,
    /// The source line that most clocks since the last reading were spent on, if it is known.
    pub busiest: Option<Busiest>,
}

/// The source line that most clocks of an interval were spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busiest {
    /// The index of its file in the image, and the line, from 1: that of the outermost macro call.
    pub place: (u32, u32),
    /// Its clocks in the interval.
    pub clocks: u64,
}

/// When a run has to stop, and when to look again whether it has to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The clock from which on the run stops.
    pub(super) end: u64,
    /// The clock from which on `Machine::attend` has to be called.
    attention: u64,
    /// The clock from which on the bounds themselves have to be looked at, and whether something has to be looked at
    /// after each instruction, for which `attention` is 0.
    pub(super) due: u64,
    pub(super) watching: bool,
    /// The clock at which the run began, the one from which on the counters are read again, and the clocks between two
    /// readings.
    pub(super) start: u64,
    pub(super) reading: u64,
    pub(super) every: Option<NonZeroU64>,
    /// The wall time at which the simulation stops.
    pub(super) deadline: Option<Instant>,
}

impl Bounds {
    /// The bounds of a machine that is made now and may run for `timeout`.
    pub(super) fn new(timeout: Option<Duration>) -> Bounds {
        Bounds {
            end: u64::MAX,
            attention: 0,
            due: 0,
            watching: false,
            start: 0,
            reading: u64::MAX,
            every: None,
            // A deadline beyond what the host can express is none.
            deadline: timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        }
    }

    /// A run begins at `clock` and may take `limit` clocks; the counters are read `every` so many. `Machine::attend`
    /// has to be called next.
    pub(super) fn begin_run(&mut self, clock: u64, limit: u64, every: Option<NonZeroU64>) {
        self.end = clock.saturating_add(limit);
        self.start = clock;
        self.every = every;
        self.schedule_reading(clock);
    }

    /// Sets the next reading: at the first multiple of the clocks between two that lies beyond `clock`.
    pub(super) fn schedule_reading(&mut self, clock: u64) {
        self.reading = self.every.map_or(u64::MAX, |every| {
            let past = (clock - self.start) % every;
            clock.saturating_add(every.get() - past)
        });
    }

    /// Whether the bounds have to be looked at when the clock is `clock`.
    #[inline(always)]
    pub(super) fn call_for_attention(&self, clock: u64) -> bool {
        clock >= self.attention
    }

    /// Whether the time limit is over.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Requests a look after the current instruction, which may have taken much wall time in few clocks.
    pub(super) fn look_soon(&mut self) {
        self.due = 0;
        self.attention = 0;
    }

    /// From now on calls for attention after each instruction if somebody is `watching`, otherwise at clock `from`.
    pub(super) fn watch(&mut self, watching: bool, from: Option<u64>) {
        self.watching = watching;
        self.attention = if watching {
            0
        } else {
            self.due.min(from.unwrap_or(u64::MAX))
        };
    }
}
