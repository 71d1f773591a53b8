//! Attending: the checks of monitors, samplers, limits and counters between two blocks.
//!
//! Far from the limit of clocks whole blocks run; near it every instruction is a block of its own. A repeated string
//! instruction, whose clocks have no bound, ends its block, and the limit is checked after every visit of
//! [`REPEAT_LIMIT`](p5_meaning::exec::REPEAT_LIMIT) iterations.

use super::Machine;
use super::bounds::{Busiest, Progress, Reading};
use asm_macros::Event;
use p5_meaning::memory::MEMORY_LIMIT;
use p5_results::{Stop, StopDetail, StopReason};
use p5_timing::counters::Tally;
use std::num::NonZeroU64;
use std::time::{Duration, Instant};

/// An upper bound on the clocks of a block before its last instruction. A test adds them up for every chip and every
/// memory.
pub(super) const NEAR: u64 = 1 << 20;
/// The same bound if each request of the bus may wait for another bus master.
pub(super) const NEAR_ON_SHARED_BUS: u64 = 4 * NEAR;
/// The clocks before a new trace of the run in which issues are watched for its beginning: some looks at the wall
/// clock, and a repeated string instruction in between.
const WATCHED: u64 = 1 << 16;

/// The most instructions that the search for the busiest line looks at, for each clock of an interval.
const LOOKED_AT: u64 = 16;

impl Machine<'_> {
    /// Checks the monitors and the bounds that are due. Returns whether an interrupt has been delivered.
    ///
    /// # Errors
    ///
    /// The stop, if there is one.
    #[cold]
    pub(super) fn attend_to_all(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<bool, Stop> {
        if self.lockstep.is_some() {
            self.keep_step()?;
        }
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

    /// Checks the bounds. Returns the stop if one is reached; otherwise sets the clock of the next check.
    #[cold]
    pub(super) fn attend(&mut self, progress: &mut dyn FnMut(Progress)) -> Option<Stop> {
        let clock = self.pipeline.end();
        if clock >= self.bounds.end {
            let limit = self.options.limit;
            return Some(self.stopped_anywhere(StopReason::Limit, |astray| StopDetail::Clocks { limit, astray }));
        }
        let to_write = self.time_to_write();
        let now = Instant::now();
        if let (Some(deadline), Some(limit)) = (self.bounds.deadline, self.options.timeout)
            && now.checked_add(to_write).is_none_or(|written| written >= deadline)
        {
            let kept = self.options.kept + to_write;
            return Some(
                self.stopped_anywhere(StopReason::Timeout, |astray| StopDetail::WallTime {
                    limit,
                    kept,
                    input: (self.options.awaits_input)(),
                    astray,
                }),
            );
        }
        if self.options.mapped < MEMORY_LIMIT && self.state.memory.was_refused() {
            // `simulate_within` discards such a run, however it ends.
            return Some(Stop::plain(StopReason::Limit));
        }
        if let Some(stop) = self.waits_for_ever(clock) {
            return Some(stop);
        }
        let reading = (clock >= self.bounds.reading).then(|| self.reading(clock));
        let instructions = self.bounds.counts_at(now).then(|| self.executed_so_far());
        progress(Progress {
            clock,
            instructions,
            reading,
        });
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
        self.bounds.due = next.min(self.bounds.reading).min(self.bounds.next_look(clock));
        self.pipeline.watch_traces(WATCHED);
        self.watch_monitors();
        None
    }

    /// The time that the samples of the run take to be written, if there is a time limit.
    fn time_to_write(&mut self) -> Duration {
        let limited = self.bounds.deadline.and(self.options.for_each_row);
        let sampler = self.sampler.as_mut().zip(limited);
        sampler.map_or(Duration::ZERO, |(sampler, measure)| sampler.time_to_write(measure))
    }

    /// The instructions executed since the run began.
    fn executed_so_far(&mut self) -> u64 {
        let (system, user) = self.pipeline.tallies();
        let executed = Tally::sum(system, user).without(&self.run_start.tally);
        executed.get(Event::INSTRUCTIONS_EXECUTED, false)
    }

    fn reading(&mut self, clock: u64) -> Reading {
        self.bounds.schedule_reading(clock);
        // In short intervals of a large program the search would take longer than the simulation.
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

    /// The source line with the most clocks since the last call, if the counters are read in intervals.
    pub(crate) fn busiest(&mut self) -> Option<Busiest> {
        self.options.reading_every?;
        self.take_stats();
        self.ledger.busiest()
    }
}
