//! Work that outlasts EX: the groups that wait for it, and the work that each group begins.
//!
//! Modelled: the work in `readiness` on registers, on the floating-point unit and on MMX. Not modelled: plain
//! instructions of that unit, which are in `floating`.

use crate::block::{Floating, Op, RegisterSet};
use crate::pipeline::core::Core;
use crate::pipeline::group::Group;
use crate::pipeline::state::readiness::{Registers, Switching, User, Wait, Work};
use asm_macros::events::Event;
use p5_chips::{Class, PackedUnit, SHORT};
use p5_results::UnitTime;
use p5_words::facts::Circumstances;

impl Core {
    /// Whether a group has to wait beyond the end of the last one.
    #[inline(always)]
    pub(in crate::pipeline) fn is_delayed(&self, group: &Group, ops: &[Op]) -> bool {
        !self.readiness.idle && self.awaited(group, ops).until > self.end()
    }

    /// The clock until which a group with a plain instruction in U waits beyond the end of the last group; `None`
    /// without a wait.
    #[inline(always)]
    pub(in crate::pipeline) fn delayed_until(&self, floating: &Floating) -> Option<u64> {
        let latest = self.readiness.latest(floating);
        (latest > self.end()).then_some(latest)
    }

    /// Whether MMX was the last user of the registers that it shares with the floating-point unit.
    #[inline(always)]
    pub(in crate::pipeline) fn is_packed(&self) -> bool {
        self.readiness.switching.user == User::Packed
    }

    /// The wait of a group that ends last.
    #[inline]
    pub(in crate::pipeline) fn awaited(&self, group: &Group, ops: &[Op]) -> Wait {
        let wait = self.readiness.wait(&ops[group.u as usize], self.rules);
        match ops.get(group.v as usize) {
            Some(v) if v.packed_use.is_some() => {
                let of_v = self.readiness.wait(v, self.rules);
                if of_v.until > wait.until { of_v } else { wait }
            }
            _ => wait,
        }
    }

    /// Records the results of the MMX instructions of `group`. They are ready at its end, or later if from a multiply.
    pub(in crate::pipeline) fn leave_packed(&mut self, group: &Group, ops: &[Op]) {
        let end = self.end();
        for op in [group.u, group.v].iter().filter_map(|&op| ops.get(op as usize)) {
            let Some(used) = op.packed_use else { continue };
            let later = match op.row.class {
                Class::Packed(PackedUnit::Multiplier) => self.rules.packed_multiply - 1,
                _ => 0,
            };
            let work = |later: u32| Work {
                until: end + u64::from(later),
                by: op.address,
            };
            for number in (0..8).filter(|number| used.writes >> number & 1 != 0) {
                self.readiness.packed[number] = work(later);
            }
            self.readiness.idle = false;
            if self.readiness.switching.user == User::Stack {
                self.counts.tally.count(Event::MMX_FP_TRANSITIONS, 1);
            }
            self.readiness.switching = Switching {
                user: User::Packed,
                last: work(0),
            };
        }
    }

    /// Records the work that `op` begins when it leaves EX, at the end of the last group.
    pub(in crate::pipeline) fn leave_under_way(&mut self, op: &Op, circumstances: Circumstances) {
        let end = self.end();
        let work = |clocks: u32| Work {
            until: end + u64::from(clocks),
            by: op.address,
        };
        if let Some(floating) = &op.floating {
            return self.leave_on_stack(floating, op.address, circumstances);
        }
        let readiness = &mut self.readiness;
        if op.settles > SHORT {
            readiness.idle = false;
            for number in op.unsettled.intersection(RegisterSet::GENERAL).numbers() {
                readiness.general[number & 7] = work(op.settles);
            }
        }
        if op.occupies > SHORT {
            readiness.idle = false;
            readiness.unit = work(op.occupies);
            readiness.unsafe_operands = 0;
        }
    }

    /// What the precision control and the operands changed of the work in the unit that `op` has just begun.
    pub(in crate::pipeline) fn unit_time(&self, op: &Op) -> UnitTime {
        let readiness = &self.readiness;
        let own = op.floating.filter(|_| readiness.unit.by == op.address);
        own.map_or(UnitTime::default(), |floating| {
            let checked = readiness.unsafe_operands;
            let occupied = readiness.unit.until.saturating_sub(readiness.switching.last.until);
            let saved = match floating.less_by_precision {
                [0, 0] => 0,
                _ => u64::from(floating.occupies + checked).saturating_sub(occupied) as u32,
            };
            UnitTime { saved, checked }
        })
    }

    /// Records such work for an instruction at `address` that uses the stack of the floating-point unit.
    #[inline(always)]
    pub(in crate::pipeline) fn leave_on_stack(
        &mut self,
        floating: &Floating,
        address: u32,
        circumstances: Circumstances,
    ) {
        let end = self.end();
        let work = |clocks: u32| Work {
            until: end + u64::from(clocks),
            by: address,
        };
        let readiness = &mut self.readiness;
        readiness.idle = false;
        let mut less = 0;
        if floating.less_by_precision != [0; 2] {
            let precision = circumstances.precision();
            readiness.precisions.seen[precision] = true;
            less = floating.less_by_precision.get(precision).copied().unwrap_or(0);
        }
        if readiness.switching.user == User::Packed {
            self.counts.tally.count(Event::MMX_FP_TRANSITIONS, 1);
        }
        readiness.switching = Switching {
            user: User::Stack,
            last: work(0),
        };
        readiness.unsafe_operands = if circumstances.is_unsafe() {
            self.rules.unsafe_operands
        } else {
            0
        };
        readiness.unit = work(floating.occupies.saturating_sub(less) + readiness.unsafe_operands);
        if let Some(multiplier) = floating.multiplier {
            readiness.multiplier = work(multiplier);
        }
        for number in Registers(floating.writes) {
            let physical = readiness.physical(number);
            readiness.stack[physical] = work(floating.settles.saturating_sub(less));
        }
        readiness.exchange(floating.exchanges);
        readiness.names = readiness.names.rotate_right(4 * (floating.rotation & 7) as u32);
    }
}
