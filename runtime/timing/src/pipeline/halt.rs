//! HLT that waits for an interrupt, and the interrupt.
//!
//! Modelled: clocks in which nothing is issued, which are those of HLT itself and count as halted. Not modelled: the
//! clocks that stopping and going on take.

use super::Pipeline;
use super::group::NONE;
use super::stats::RECENT;
use asm_macros::events::Event;
use p5_results::Cause;

/// The most clocks of sleep after which another bus master is caught up with.
const MOST_SNOOPED: u64 = 1 << 20;

impl Pipeline {
    /// Lets instruction `op`, which has issued last, take up to `most` clocks more in which the core is halted: as many
    /// as statistics can hold.
    pub fn halt(&mut self, op: u32, most: u64) {
        self.settle();
        // Another master is caught up with so often that whoever limits the time of the host has a look between.
        let most = if self.core.shares_bus() {
            most.min(MOST_SNOOPED)
        } else {
            most
        };
        let clocks = most.min(RECENT / 2);
        self.core.time.busy += clocks;
        self.core.counted_until += clocks;
        self.core.traces.halted(self.core.time.clock, clocks);
        if let Some(stats) = self.core.counts.stats.get_mut(op as usize) {
            stats.charge(Cause::Halted, clocks);
        }
        let begins_next = self.core.end().saturating_sub(self.core.time.lead);
        self.core.snoop_until(begins_next);
    }

    /// Whether an instruction has been executed that waits in U for a partner.
    pub fn is_open(&self) -> bool {
        self.core.entry.open() != NONE
    }

    /// Counts an interrupt from outside.
    pub fn count_hardware_interrupt(&mut self) {
        self.core.counts.tally.count(Event::HARDWARE_INTERRUPTS, 1);
    }
}
