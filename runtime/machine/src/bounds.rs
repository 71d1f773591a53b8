//! Bounds of a run: its clocks, and the wall time of the simulation.
//!
//! A run stops after the first instruction at whose end it has taken as many clocks as the limit, however the program
//! is divided into blocks. An instruction that waits in U for a partner has taken none yet, and is completed then. The
//! checks of the bounds are in `attending`.

use p5_timing::pipeline::Pipeline;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// The progress of a simulation, as its callback sees it.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The clocks simulated so far, in all runs.
    pub clock: u64,
    /// The instructions executed since the last run began, several times a second.
    pub instructions: Option<u64>,
    /// The values of the counters, once in every [`reading_every`](super::Options::reading_every) clocks of a run.
    pub reading: Option<Reading>,
}

/// The counters during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The clocks of the run so far.
    pub clock: u64,
    /// The 40-bit values of both counters.
    pub values: [u64; 2],
    /// The number of writes to the counters and their control register.
    pub writes: u64,
    /// The source line with the most clocks since the last reading, if it is known.
    pub busiest: Option<Busiest>,
}

/// The source line with the most clocks of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Busiest {
    /// The index of its file in the image, and the line, from 1: that of the outermost macro call.
    pub place: (u32, u32),
    /// Its clocks in the interval.
    pub clocks: u64,
}

/// The bounds of a run, and the clock of their next check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// The clock from which on the run stops.
    pub(super) end: u64,
    /// The clock from which on `Machine::attend` has to be called.
    attention: u64,
    /// The clock from which on the bounds themselves have to be checked, and whether something has to be checked after
    /// each instruction, which sets `attention` to 0.
    pub(super) due: u64,
    pub(super) watching: bool,
    /// How often stores had removed lines of code from the cache when the run began.
    pub(super) removed: u64,
    /// Whether `Machine::attend_to_all` has to be called after each block.
    pub(super) stepwise: bool,
    /// The clock at which the run began, the clock of the next reading of the counters, and the clocks between two
    /// readings.
    pub(super) start: u64,
    pub(super) reading: u64,
    pub(super) every: Option<NonZeroU64>,
    /// The wall time at which the simulation stops.
    pub(super) deadline: Option<Instant>,
    /// The wall time at which the instructions are counted next, to tell how fast they are executed.
    counting: Instant,
}

/// The clocks between two readings of the wall clock: less than a second even if each clock decodes an instruction
/// again.
pub(super) const LOOK: u64 = 1 << 14;

/// The wall time between two counts of the instructions.
const COUNTING: Duration = Duration::from_millis(250);

impl Bounds {
    /// The bounds of a new machine that may run for `timeout`.
    pub(super) fn new(timeout: Option<Duration>) -> Bounds {
        Bounds {
            end: u64::MAX,
            attention: 0,
            due: 0,
            watching: false,
            removed: 0,
            stepwise: false,
            start: 0,
            reading: u64::MAX,
            every: None,
            // A deadline that the host cannot express is no deadline.
            deadline: timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
            counting: Instant::now(),
        }
    }

    /// Whether the instructions have to be counted at `now`. If so, sets the time of the next count.
    pub(super) fn counts_at(&mut self, now: Instant) -> bool {
        let due = now >= self.counting;
        if due {
            self.counting = now.checked_add(COUNTING).unwrap_or(now);
        }
        due
    }

    /// Begins a run that may take `limit` clocks; the counters are read every `every` clocks. The caller calls
    /// `Machine::attend` next.
    pub(super) fn begin_run(&mut self, pipeline: &mut Pipeline, limit: u64, every: Option<NonZeroU64>) {
        let clock = pipeline.end();
        (self.removed, _) = pipeline.removed_lines();
        pipeline.begin_removals();
        self.end = clock.saturating_add(limit);
        self.start = clock;
        self.every = every;
        self.schedule_reading(clock);
    }

    /// The clock of the next look after `clock`: a multiple of [`LOOK`] from the start of the run, so that it does not
    /// depend on when else something was checked.
    pub(super) fn next_look(&self, clock: u64) -> u64 {
        clock - (clock - self.start) % LOOK + LOOK
    }

    /// Sets the next reading to the first multiple of the interval that lies beyond `clock`.
    pub(super) fn schedule_reading(&mut self, clock: u64) {
        self.reading = self.every.map_or(u64::MAX, |every| {
            let past = (clock - self.start) % every;
            clock.saturating_add(every.get() - past)
        });
    }

    /// Whether the bounds have to be checked at `clock`.
    #[inline(always)]
    pub(super) fn call_for_attention(&self, clock: u64) -> bool {
        clock >= self.attention
    }

    /// The clock at which compiled code has to stop, unless something is to be checked after each instruction.
    pub(super) fn due_for_code(&self) -> Option<u64> {
        (!self.watching).then_some(self.attention)
    }

    /// Whether the time limit is over.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Requests a check after the current instruction, which may have taken much wall time in few clocks.
    pub(super) fn look_soon(&mut self) {
        self.due = 0;
        self.attention = 0;
    }

    /// Requests a check after each instruction if a listener is `watching`, otherwise at clock `from`.
    pub(super) fn watch(&mut self, watching: bool, from: Option<u64>) {
        self.watching = watching;
        self.attention = if watching || self.stepwise {
            0
        } else {
            self.due.min(from.unwrap_or(u64::MAX))
        };
    }
}
