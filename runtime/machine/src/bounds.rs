//! Bounds of a run: its clocks, and the wall time of the simulation.
//!
//! A run stops after the first instruction after which it has taken as many clocks as the limit, however the program is
//! divided into blocks. An instruction that waits in U for a partner has taken none yet, and is completed then. Far
//! from the limit whole blocks run; near it every instruction is a block of its own. A repeated string instruction,
//! whose clocks have no bound, ends its block, and the limit is checked after every visit of
//! [`REPEAT_LIMIT`](p5_meaning::exec::REPEAT_LIMIT) iterations.

use super::Machine;
use p5_results::{Stop, StopDetail, StopReason};
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// More clocks than any block takes before its last instruction. A test adds them up for every chip and every memory.
pub(super) const NEAR: u64 = 1 << 20;
/// The same where each request of the bus may wait for another master of it.
pub(super) const NEAR_ON_SHARED_BUS: u64 = 4 * NEAR;
/// The clocks between two readings of the wall clock: less than a second even if each clock decodes an instruction
/// again.
const LOOK: u64 = 1 << 14;

/// The most instructions that are looked at for each clock of an interval, to find its busiest line.
const LOOKED_AT: u64 = 16;

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
    end: u64,
    /// The clock from which on [`Machine::attend`] has to be called.
    attention: u64,
    // The clock from which on the bounds themselves have to be looked at, and whether the monitors have to be looked at
    // after each instruction, for which the former is 0.
    due: u64,
    watching: bool,
    // The clock at which the run began, the one from which on the counters are read again, and the clocks between two
    // readings.
    start: u64,
    reading: u64,
    every: Option<NonZeroU64>,
    // The wall time at which the simulation stops.
    deadline: Option<Instant>,
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

    /// A run begins at `clock` and may take `limit` clocks; the counters are read `every` so many. [`Machine::attend`]
    /// has to be called next.
    pub(super) fn begin_run(&mut self, clock: u64, limit: u64, every: Option<NonZeroU64>) {
        self.end = clock.saturating_add(limit);
        self.start = clock;
        self.every = every;
        self.schedule_reading(clock);
    }

    /// Sets the next reading: at the first multiple of the clocks between two that lies beyond `clock`.
    fn schedule_reading(&mut self, clock: u64) {
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
}

impl Bounds {
    /// From now on calls for attention after each instruction if somebody is `watching`, otherwise at clock `from`, too.
    pub(super) fn watch(&mut self, watching: bool, from: Option<u64>) {
        self.watching = watching;
        self.attention = if watching {
            0
        } else {
            self.due.min(from.unwrap_or(u64::MAX))
        };
    }

    /// The clock from which on the run stops.
    pub(super) fn end(&self) -> u64 {
        self.end
    }
}

impl Machine<'_> {
    /// Looks at the monitors and the bounds, as far as they have to be looked at. Returns whether an interrupt has been
    /// delivered.
    ///
    /// # Errors
    /// The stop, if there is one.
    #[cold]
    pub(super) fn attend_to_all(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<bool, Stop> {
        let interrupted = if self.bounds.watching || self.pipeline.has_resumed() {
            self.look_at_monitors()?
        } else {
            // A sample of the program's own may be near.
            self.watch_monitors();
            false
        };
        if self.pipeline.end() < self.bounds.due {
            return Ok(interrupted);
        }
        match self.attend(progress) {
            Some(stop) => Err(stop),
            None => Ok(interrupted),
        }
    }

    /// Looks at the bounds. Returns the stop if one is reached; otherwise determines when to look again.
    #[cold]
    pub(super) fn attend(&mut self, progress: &mut dyn FnMut(Progress)) -> Option<Stop> {
        let clock = self.pipeline.end();
        if clock >= self.bounds.end {
            let detail = StopDetail::Clocks(self.options.limit);
            return Some(self.stopped(StopReason::Limit, detail, self.state.registers.eip));
        }
        if let (Some(deadline), Some(limit)) = (self.bounds.deadline, self.options.timeout)
            && Instant::now() >= deadline
        {
            let detail = StopDetail::WallTime { limit, killed: false };
            return Some(self.stopped(StopReason::Timeout, detail, self.state.registers.eip));
        }
        let reading = (clock >= self.bounds.reading).then(|| self.reading(clock));
        progress(Progress { clock, reading });
        if self.pipeline.stats_are_due() {
            self.take_stats();
        }
        let near = if self.pipeline.core.shares_bus() {
            NEAR_ON_SHARED_BUS
        } else {
            NEAR
        };
        let near = self.bounds.end.saturating_sub(near);
        if clock >= near {
            self.blocks.come_near_limit();
        }
        let next = if clock >= near { self.bounds.end } else { near };
        self.bounds.due = next.min(self.bounds.reading).min(clock + LOOK);
        self.watch_monitors();
        None
    }

    /// Reads the counters at `clock`.
    fn reading(&mut self, clock: u64) -> Reading {
        self.bounds.schedule_reading(clock);
        // Of short intervals of a large program the search would take longer than the simulation.
        let every = self.bounds.every.map_or(0, NonZeroU64::get);
        if self.pipeline.op_count() as u64 / LOOKED_AT > every {
            self.ledger.watch_lines(false);
        }
        let busiest = self.busiest();
        Reading {
            busiest,
            clock: clock - self.bounds.start,
            values: [0, 1].map(|counter| self.counted(counter)),
            writes: self.counter_writes(),
        }
    }

    /// The source line that most clocks since the last call were spent on, if the counters are read in intervals.
    pub(crate) fn busiest(&mut self) -> Option<Busiest> {
        self.options.reading_every?;
        self.take_stats();
        self.ledger.busiest()
    }
}
