//! Readiness: when registers are settled and when the floating-point unit is free, after instructions that leave either
//! under way for long.
//!
//! Modelled: an absolute clock for each register and for the unit. A group in any later block waits for them, and the
//! number of schedules does not depend on them. Not modelled: what ends one clock after EX, which is part of the
//! [entry state](super::entry), and a result that another instruction overwrites before it is settled.

use super::core::Core;
use crate::block::{Op, RegisterSet};
use crate::model::SHORT;

/// The clocks at which long work is over; in the past for everything else.
pub(super) struct Readiness {
    registers: [u64; RegisterSet::NUMBERS],
    unit: u64,
}

impl Readiness {
    /// No long work.
    pub(super) const IDLE: Readiness = Readiness {
        registers: [0; RegisterSet::NUMBERS],
        unit: 0,
    };

    /// The clock from which on `op` can issue.
    pub(super) fn of(&self, op: &Op) -> u64 {
        let unit = if op.awaits_unit { self.unit } else { 0 };
        op.awaits
            .numbers()
            .map(|number| self.registers[number])
            .fold(unit, u64::max)
    }
}

impl Core {
    /// Records the long work that `op` leaves under way when it leaves EX, at the end of the last group.
    pub(super) fn leave_under_way(&mut self, op: &Op) {
        let end = self.end();
        if op.settles > SHORT {
            for number in op.unsettled.numbers() {
                self.readiness.registers[number] = end + u64::from(op.settles);
            }
        }
        if op.occupies > SHORT {
            self.readiness.unit = end + u64::from(op.occupies);
        }
    }
}
