//! The samplers of the program itself: their registers, and the time in which nothing is observed for them.
//!
//! A sample interrupts the program behind the sampled instruction, so that each instruction is a block of its own, and
//! observed, where a sample is near. Before, blocks are whole and nothing is recorded. How near it can be is known from
//! the most ops and fetches of a clock and of a block; samplers that count clocks, which a block may take any number
//! of, are always near.

use super::FETCHES_WORTH_A_PAUSE;
use crate::Machine;
use crate::blocks::MOST_STEPS;
use p5_timing::pipeline::Wanted;

/// More ops, and more fetches, than a block completes and than wait to be completed.
const OPS_NEAR: u64 = MOST_STEPS as u64 + 16;
const FETCHES_NEAR: u64 = FETCHES_WORTH_A_PAUSE;
/// The most ops of a clock. A fetch takes at least one.
const OPS_OF_A_CLOCK: u64 = 2;
/// So many fetches that no fetch is wanted.
const NO_FETCH: u64 = u32::MAX as u64;

impl Machine<'_> {
    /// Observes nothing until the next sample is near, if that is far enough away.
    pub(super) fn pause_own_sampling(&mut self) {
        let Some(unit) = &self.monitors.sampling else { return };
        self.pipeline.record_ops_from(unit.ops_wanted_from());
        let far = unit.next_sample().filter(|(ops, fetches)| {
            ops.is_none_or(|ops| ops > OPS_NEAR) && fetches.is_none_or(|fetches| fetches > FETCHES_NEAR)
        });
        let Some((ops, fetches)) = far else {
            if self.bounds.is_quiet() {
                self.bounds.be_quiet_until(None);
                self.watch_monitors();
            }
            return;
        };
        // What waits in U has been executed, and its record would be the next. What becomes of fetches is followed
        // whether or not one is wanted: the sampler of fetches may be enabled at any time.
        let waiting = u64::from(self.pipeline.has_waiting());
        self.pipeline.pause_observing(Wanted {
            steps: ops.map(|ops| ops - waiting),
            fetches: Some(fetches.unwrap_or(NO_FETCH)),
            clock: None,
        });
        self.approach_sample();
    }

    /// Looks no more at the samplers of the program until their next sample may be near, or from now on if it is.
    #[cold]
    pub(crate) fn approach_sample(&mut self) {
        let clocks = self.pipeline.left_of_pause().map_or(0, |left| {
            let of_ops = left.steps.map(|steps| steps.saturating_sub(OPS_NEAR) / OPS_OF_A_CLOCK);
            let of_fetches = left.fetches.map(|fetches| fetches.saturating_sub(FETCHES_NEAR));
            of_ops.into_iter().chain(of_fetches).min().unwrap_or(0)
        });
        let until = (clocks > 0).then(|| self.pipeline.end().saturating_add(clocks));
        self.bounds.be_quiet_until(until);
        self.watch_monitors();
    }

    /// The core was halted for so many clocks, which no sampler counts.
    pub(crate) fn sampling_halted(&mut self, clocks: u64) {
        let own = self.sampler.as_mut().and_then(|sampler| sampler.op.as_mut());
        let of_program = self.monitors.sampling.as_mut().and_then(|unit| unit.op_counter());
        own.into_iter()
            .chain(of_program)
            .for_each(|counter| counter.halted(clocks));
    }

    /// Ends a pause of the samplers of the program.
    fn end_own_pause(&mut self) {
        if self.sampler.is_none() && self.pipeline.pauses() {
            self.pipeline.observe();
            self.bounds.be_quiet_until(None);
        }
    }

    /// RDMSR of instruction-based sampling.
    pub(crate) fn read_sampling(&mut self, register: u32) -> u64 {
        self.end_own_pause();
        self.take_records();
        let now = self.pipeline.end();
        let sampling = self.monitors.sampling.as_mut();
        sampling.map_or(0, |unit| unit.read(register, now))
    }

    /// WRMSR of instruction-based sampling.
    pub(crate) fn write_sampling(&mut self, register: u32, value: u64) {
        // What has retired is not counted by the new setting.
        self.end_own_pause();
        self.show_records();
        let now = self.pipeline.end();
        if let Some(unit) = &mut self.monitors.sampling {
            unit.write(register, value, now);
            if unit.watches() {
                if self.pipeline.observed().is_none() {
                    self.pipeline.observe();
                }
                self.pause_sampling();
            }
        }
        self.watch_monitors();
    }
}
