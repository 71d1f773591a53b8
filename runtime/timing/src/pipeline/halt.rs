//! HLT waiting for an interrupt, and the interrupt itself.
//!
//! Modelled: clocks in which nothing is issued, which are those of HLT itself and count as halted. Not modelled: the
//! clocks that stopping and going on take.

use super::Pipeline;
use super::counts::stats::RECENT;
use super::group::NONE;
use asm_macros::events::Event;
use p5_results::Cause;

/// The most clocks of sleep before another bus master makes its pending accesses.
const MOST_SNOOPED: u64 = 1 << 20;

impl Pipeline {
    /// Keeps the core halted after instruction `op`, which has issued last, for up to `most` clocks more. A call takes
    /// no more clocks than the statistics can hold.
    pub fn halt(&mut self, op: u32, most: u64) {
        self.settle();
        // Another master makes its pending accesses often enough for a caller that limits the host's time to check
        // between.
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

    /// Whether an executed instruction waits in U for a partner.
    pub fn is_open(&self) -> bool {
        self.core.entry.open() != NONE
    }

    /// Counts an external interrupt in the tally.
    pub fn count_hardware_interrupt(&mut self) {
        self.core.counts.tally.count(Event::HARDWARE_INTERRUPTS, 1);
    }
}
