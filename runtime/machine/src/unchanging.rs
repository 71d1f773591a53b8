//! Loops that wait for what does not happen: nothing outside of a program interrupts it here or changes its memory, so
//! that a loop goes on for ever that reads memory, a port or the keyboard, and whose registers are what they were,
//! after nothing was written and nothing was asked for in between whose answer may be another one the next time.
//!
//! Not told: loops that write, such as those that call, those that read nothing, and the rounds of which there are very
//! many different ones.

use super::Machine;
use super::bounds::LOOK;
use asm_macros::Event;
use p5_results::{Stop, StopDetail, StopReason};
use p5_timing::counters::Tally;
use p5_words::flags::STATUS;
use p5_words::registers::Registers;

/// The clocks of a run before its loops are looked at.
const PATIENCE: u64 = 1 << 24;

/// Earlier states of a run, to find out whether it still changes.
#[derive(Default)]
pub(super) struct Unchanging {
    /// The number of the last look, which the clock decides.
    look: u64,
    /// The state at one of these, which is replaced after twice as many looks each time.
    kept: Option<Box<Kept>>,
    /// The requests of instructions whose answer may be another one the next time.
    asked: u64,
    /// Those whose answer is always the same.
    answered: u64,
}

impl Unchanging {
    /// Counts a request, whose answer may be another one the next time if it `changes`.
    pub(super) fn ask(&mut self, changes: bool) {
        self.asked += u64::from(changes);
        self.answered += u64::from(!changes);
    }
}

struct Kept {
    registers: Registers,
    asked: u64,
    output: usize,
    writes: u64,
    reads: u64,
}

impl Machine<'_> {
    /// Whether more runs would end as the last one.
    pub(super) fn ends_all_runs(&self) -> bool {
        let unchanging = self.stop.detail == Some(StopDetail::Unchanging);
        unchanging || matches!(self.stop.reason, StopReason::Limit | StopReason::Timeout)
    }

    /// The stop of a program that is in such a loop.
    pub(super) fn waits_for_ever(&mut self, clock: u64) -> Option<Stop> {
        if clock <= self.bounds.start {
            self.unchanging = Unchanging::default();
        }
        let alone = self.model.monitors.is_empty() && self.sampler.is_none();
        let look = (clock - self.bounds.start) / LOOK;
        let before = std::mem::replace(&mut self.unchanging.look, look);
        if clock - self.bounds.start < PATIENCE || look == before || !alone {
            return None;
        }
        let (asked, output) = (self.unchanging.asked, self.process.output.len());
        // How the flags are kept depends on the engine.
        let mut registers = self.state.registers.clone();
        let status = registers.flags.status();
        registers.flags.set_status_masked(STATUS, status);
        let same = self
            .unchanging
            .kept
            .as_ref()
            .is_some_and(|kept| kept.asked == asked && kept.output == output && kept.registers == registers);
        let [reads, writes] = if same { self.accesses() } else { [0, 0] };
        let waits = |kept: &Kept| kept.writes == writes && kept.reads < reads;
        if same && self.unchanging.kept.as_deref().is_some_and(waits) {
            let place = self.place(self.state.registers.eip);
            return Some(Stop {
                place,
                detail: Some(StopDetail::Unchanging),
                ..Stop::plain(StopReason::Endless)
            });
        }
        // The one kept is replaced after twice as many looks each time.
        let since = |look: u64| (look - (PATIENCE / LOOK).min(look) + 1).ilog2();
        if self.unchanging.kept.is_none() || since(look) > since(before) {
            let [reads, writes] = self.accesses();
            let kept = Kept {
                registers,
                asked,
                output,
                writes,
                reads,
            };
            self.unchanging.kept = Some(Box::new(kept));
        }
        None
    }

    /// The reads so far, of memory, ports and the keyboard, and the writes to memory.
    fn accesses(&mut self) -> [u64; 2] {
        let (system, user) = self.pipeline.tallies();
        let sum = Tally::sum(system, user);
        let [reads, writes] = [Event::DATA_READ, Event::DATA_WRITE].map(|event| sum.get(event, false));
        [reads + self.unchanging.answered, writes]
    }
}
