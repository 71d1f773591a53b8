//! Readiness: when registers are settled and when the floating-point unit is free, after instructions that leave either
//! under way for long.
//!
//! Modelled: an absolute clock for each register, for the unit and for its multiplier. A group in any later block waits
//! for them, and the number of schedules does not depend on them. Pushes and pops move the top of the stack and FXCH
//! renames registers, as in the unit. Not modelled: what ends one clock after EX, which is part of the
//! [entry state](super::entry); a result that another instruction overwrites before it is settled; pushes and pops that
//! an exception prevents. DOUBT: an integer multiply waits until the unit accepts an instruction; it is only known that
//! it does not overlap with a division or a square root.
//!
//! Sources: Intel, Pentium Processor Family Developer's Manual 1997, 2.3; Agner Fog, Instruction tables 2021, Pentium.

use super::core::Core;
use super::group::Group;
use crate::block::{Floating, Op, RegisterSet};
use asm_macros::events::Event;
use p5_chips::{Class, PackedUnit, Rules, SHORT};
use p5_results::Awaited;
use p5_words::facts::Circumstances;

/// The precision controls with which a run has made divisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Precisions {
    seen: [bool; 3],
}

impl Precisions {
    /// The largest of two figures, for 24 and 53 bits, of those that apply; that of 64 bits is 0.
    pub(super) fn most(self, figures: [u32; 2]) -> u32 {
        let seen = self.seen.into_iter().zip(figures);
        seen.map(|(seen, figure)| if seen { figure } else { 0 })
            .max()
            .unwrap_or(0)
    }
}

/// Work under way.
#[derive(Clone, Copy)]
struct Work {
    /// The clock at which it is over; in the past if there is none.
    until: u64,
    /// The address of its instruction.
    by: u32,
}

/// What an instruction has to wait for last.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    /// The clock from which on it can issue.
    pub(super) until: u64,
    /// What it waits for until then, and the address of the instruction that is at work on it.
    pub(super) awaited: (Awaited, u32),
}

impl Wait {
    #[inline(always)]
    fn add(&mut self, awaited: Awaited, work: Work, more: u32) {
        let until = work.and(more);
        if until > self.until {
            *self = Wait {
                until,
                awaited: (awaited, work.by),
            };
        }
    }
}

/// Who used the registers that the floating-point unit and MMX share last, and until when.
#[derive(Clone, Copy)]
enum Switching {
    /// Nobody.
    Unused,
    /// The floating-point unit.
    Stack(Work),
    /// MMX.
    Packed(Work),
}

/// The clocks at which long work is over.
pub(super) struct Readiness {
    general: [Work; 8],
    // By the number of the register in the unit.
    stack: [Work; 8],
    // The registers in the unit of ST(0) to ST(7), four bits each.
    names: u32,
    // Of the MMX registers, when an operation can have them.
    packed: [Work; 8],
    // The last instruction of either kind that used the registers.
    switching: Switching,
    /// Until the unit accepts the next instruction.
    unit: Work,
    /// The clocks of this for which the operands of the last one make it wait.
    unsafe_operands: u32,
    multiplier: Work,
    /// Whether nothing has been left under way for long since the run began.
    idle: bool,
    /// The precision controls so far.
    precisions: Precisions,
}

impl Readiness {
    /// No long work.
    pub(super) const IDLE: Readiness = Readiness {
        general: [Work::NONE; 8],
        stack: [Work::NONE; 8],
        names: 0x7654_3210,
        packed: [Work::NONE; 8],
        switching: Switching::Unused,
        unit: Work::NONE,
        unsafe_operands: 0,
        multiplier: Work::NONE,
        idle: true,
        precisions: Precisions { seen: [false; 3] },
    };

    /// The precision controls since the run began.
    pub(super) fn precisions(&self) -> Precisions {
        self.precisions
    }

    /// What `op` has to wait for.
    #[inline]
    pub(super) fn wait(&self, op: &Op, rules: &Rules) -> Wait {
        let mut wait = Wait {
            until: 0,
            awaited: (Awaited::Unit, 0),
        };
        if op.awaits_unit {
            let awaited = if self.unsafe_operands > 0 {
                Awaited::SafeOperands
            } else {
                Awaited::Unit
            };
            wait.add(awaited, self.unit, 0);
        }
        for number in op.awaits.numbers() {
            wait.add(Awaited::General, self.general[number & 7], 0);
        }
        if let Some(used) = op.packed_use {
            if let Switching::Stack(last) = self.switching {
                wait.add(Awaited::Switch, last, rules.to_packed);
            }
            let ahead = if used.stores { rules.packed_store_ahead } else { 0 };
            for number in (0..8).filter(|number| used.needs >> number & 1 != 0) {
                wait.add(Awaited::Packed(number), self.packed[usize::from(number)], ahead);
            }
        }
        let Some(floating) = &op.floating else {
            return wait;
        };
        if let Switching::Packed(last) = self.switching {
            wait.add(Awaited::Switch, last, rules.from_packed);
        }
        if floating.multiplier.is_some() {
            wait.add(Awaited::Multiplier, self.multiplier, 0);
        }
        if floating.status_behind > 0 {
            let more = floating.status_behind.saturating_sub(self.unsafe_operands);
            wait.add(Awaited::Status, self.unit, more);
        }
        for number in Registers(floating.needs) {
            let work = self.stack[self.physical(number)];
            wait.add(Awaited::Stack(number), work, floating.operands_ahead);
        }
        wait
    }

    /// The clock that a plain instruction has to wait for, as [`Readiness::wait`] says.
    #[inline(always)]
    fn latest(&self, floating: &Floating) -> u64 {
        let mut latest = if floating.awaits_unit { self.unit.until } else { 0 };
        if floating.multiplier.is_some() {
            latest = latest.max(self.multiplier.until);
        }
        if floating.status_behind > 0 {
            let more = floating.status_behind.saturating_sub(self.unsafe_operands);
            latest = latest.max(self.unit.and(more));
        }
        for number in Registers(floating.needs) {
            latest = latest.max(self.stack[self.physical(number)].and(floating.operands_ahead));
        }
        latest
    }

    #[inline(always)]
    fn physical(&self, number: u8) -> usize {
        (self.names >> (4 * (number & 7)) & 7) as usize
    }

    /// FXCH renames ST(0) and ST(`number`), whether they are settled or not.
    #[inline(always)]
    pub(super) fn exchange(&mut self, number: u8) {
        let place = 4 * (number & 7);
        let differ = (self.names ^ self.names >> place) & 7;
        self.names ^= differ | differ << place;
    }
}

/// The numbers of registers, one bit each.
struct Registers(u8);

impl Iterator for Registers {
    type Item = u8;

    #[inline(always)]
    fn next(&mut self) -> Option<u8> {
        let number = self.0.trailing_zeros() as u8;
        self.0 &= self.0.wrapping_sub(1);
        (number < 8).then_some(number)
    }
}

impl Work {
    const NONE: Work = Work { until: 0, by: 0 };

    /// The clock `more` clocks after it is over. What never was under way is not waited for, so that clock 0 is like
    /// any other.
    #[inline(always)]
    fn and(self, more: u32) -> u64 {
        if self.until > 0 {
            self.until + u64::from(more)
        } else {
            0
        }
    }
}

impl Core {
    /// Whether a group has to wait beyond the end of the last one.
    #[inline(always)]
    pub(super) fn is_delayed(&self, group: &Group, ops: &[Op]) -> bool {
        !self.readiness.idle && self.awaited(group, ops).until > self.end()
    }

    /// Until when a group whose instruction in U is plain has to wait beyond the end of the last one, if it has to.
    #[inline(always)]
    pub(super) fn delayed_until(&self, floating: &Floating) -> Option<u64> {
        let latest = self.readiness.latest(floating);
        (latest > self.end()).then_some(latest)
    }

    /// Whether the last use of the registers that the floating-point unit and MMX share was one of MMX.
    #[inline(always)]
    pub(super) fn is_packed(&self) -> bool {
        matches!(self.readiness.switching, Switching::Packed(_))
    }

    /// What a group has to wait for last.
    #[inline]
    pub(super) fn awaited(&self, group: &Group, ops: &[Op]) -> Wait {
        let wait = self.readiness.wait(&ops[group.u as usize], self.rules);
        match ops.get(group.v as usize) {
            Some(v) if v.packed_use.is_some() => {
                let of_v = self.readiness.wait(v, self.rules);
                if of_v.until > wait.until { of_v } else { wait }
            }
            _ => wait,
        }
    }

    /// Records the results of the MMX instructions of `group`, which are there at its end or, of a multiply, later.
    pub(super) fn leave_packed(&mut self, group: &Group, ops: &[Op]) {
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
            if let Switching::Stack(_) = self.readiness.switching {
                self.counts.tally.count(Event::MMX_FP_TRANSITIONS, 1);
            }
            self.readiness.switching = Switching::Packed(work(0));
        }
    }

    /// Records the work that `op` leaves under way when it leaves EX, at the end of the last group.
    pub(super) fn leave_under_way(&mut self, op: &Op, circumstances: Circumstances) {
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

    /// The same for an instruction at `address` that uses the stack of the floating-point unit.
    #[inline(always)]
    pub(super) fn leave_on_stack(&mut self, floating: &Floating, address: u32, circumstances: Circumstances) {
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
        if let Switching::Packed(_) = readiness.switching {
            self.counts.tally.count(Event::MMX_FP_TRANSITIONS, 1);
        }
        readiness.switching = Switching::Stack(work(0));
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
