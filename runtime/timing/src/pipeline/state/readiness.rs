//! Readiness: the clocks at which registers are settled and the floating-point unit is free, for work that lasts
//! beyond EX.
//!
//! Modelled: an absolute clock for each register, for the unit and for its multiplier. A group in any later block
//! waits for them, and the number of schedules does not depend on them. Pushes and pops move the top of the stack and
//! FXCH renames registers, as in the unit. MMX, whose registers are those of the unit, waits until it has done all its
//! work. Not modelled: work that ends one clock after EX, which is part of the [entry state](crate::pipeline::entry); a
//! result that another instruction overwrites before it is settled; pushes and pops that an exception prevents. DOUBT:
//! an integer multiply waits until the unit accepts an instruction; it is only known that it does not overlap with a
//! division or a square root.
//!
//! Sources: Intel, Pentium Processor Family Developer's Manual 1997, 2.3; Agner Fog, Instruction tables 2021, Pentium.

use crate::block::{Floating, Op};
use p5_chips::Rules;
use p5_results::Awaited;

/// The precision controls under which a run has made divisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Precisions {
    pub(in crate::pipeline) seen: [bool; 3],
}

impl Precisions {
    /// The largest of the figures that apply: `figures` are those of 24 and 53 bits, and that of 64 bits is 0.
    pub(in crate::pipeline) fn most(self, figures: [u32; 2]) -> u32 {
        let seen = self.seen.into_iter().zip(figures);
        seen.map(|(seen, figure)| if seen { figure } else { 0 })
            .max()
            .unwrap_or(0)
    }
}

#[derive(Clone, Copy)]
pub(in crate::pipeline) struct Work {
    /// The clock at which it ends; in the past if there is no work.
    pub(in crate::pipeline) until: u64,
    /// The address of the instruction that does it.
    pub(in crate::pipeline) by: u32,
}

/// The last of the works that an instruction waits for.
#[derive(Clone, Copy)]
pub(in crate::pipeline) struct Wait {
    /// The first clock at which the instruction can issue.
    pub(in crate::pipeline) until: u64,
    /// The awaited resource, and the address of the instruction that occupies it.
    pub(in crate::pipeline) awaited: (Awaited, u32),
    /// The clock at which the unit has done its work, for an MMX instruction that waits for it; otherwise 0.
    pub(in crate::pipeline) done: u64,
}

impl Wait {
    /// No wait.
    pub(in crate::pipeline) const NONE: Wait = Wait {
        until: 0,
        awaited: (Awaited::Unit, 0),
        done: 0,
    };

    #[inline(always)]
    fn add(&mut self, awaited: Awaited, work: Work, more: u32) {
        let until = work.and(more);
        if until > self.until {
            self.until = until;
            self.awaited = (awaited, work.by);
        }
    }
}

/// The last user of the registers that the floating-point unit and MMX share, and the end of its work.
#[derive(Clone, Copy)]
pub(in crate::pipeline) struct Switching {
    pub(in crate::pipeline) user: User,
    pub(in crate::pipeline) last: Work,
}

/// The users of these registers.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::pipeline) enum User {
    Nobody,
    Stack,
    Packed,
}

/// The clocks at which long work ends.
pub(in crate::pipeline) struct Readiness {
    pub(in crate::pipeline) general: [Work; 8],
    // The work on each register, by its number in the unit.
    pub(in crate::pipeline) stack: [Work; 8],
    // The numbers in the unit of ST(0) to ST(7), four bits each.
    pub(in crate::pipeline) names: u32,
    // The work on each MMX register, until an operation can use the register.
    pub(in crate::pipeline) packed: [Work; 8],
    pub(in crate::pipeline) switching: Switching,
    /// The work that keeps the unit from accepting the next instruction.
    pub(in crate::pipeline) unit: Work,
    /// The part of that work, in clocks, that is due to the operands of the last instruction.
    pub(in crate::pipeline) unsafe_operands: u32,
    pub(in crate::pipeline) multiplier: Work,
    /// Whether no long work has begun since the run began.
    pub(in crate::pipeline) idle: bool,
    pub(in crate::pipeline) precisions: Precisions,
}

impl Readiness {
    pub(in crate::pipeline) const IDLE: Readiness = Readiness {
        general: [Work::NONE; 8],
        stack: [Work::NONE; 8],
        names: 0x7654_3210,
        packed: [Work::NONE; 8],
        switching: Switching {
            user: User::Nobody,
            last: Work::NONE,
        },
        unit: Work::NONE,
        unsafe_operands: 0,
        multiplier: Work::NONE,
        idle: true,
        precisions: Precisions { seen: [false; 3] },
    };

    /// The precision controls of divisions since the run began.
    pub(in crate::pipeline) fn precisions(&self) -> Precisions {
        self.precisions
    }

    /// The wait of `op` that ends last.
    #[inline]
    pub(in crate::pipeline) fn wait(&self, op: &Op, rules: &Rules) -> Wait {
        let mut wait = Wait::NONE;
        let leaves_stack = op.packed_use.is_some() && self.switching.user == User::Stack;
        if op.awaits_unit || leaves_stack {
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
            let ahead = if used.stores { rules.packed_store_ahead } else { 0 };
            if leaves_stack {
                for work in &self.stack {
                    wait.add(Awaited::Unit, *work, ahead);
                }
                wait.done = wait.until;
                wait.add(Awaited::Switch, self.switching.last, rules.to_packed);
            }
            for number in (0..8).filter(|number| used.needs >> number & 1 != 0) {
                wait.add(Awaited::Packed(number), self.packed[usize::from(number)], ahead);
            }
        }
        let Some(floating) = &op.floating else {
            return wait;
        };
        if self.switching.user == User::Packed {
            wait.add(Awaited::Switch, self.switching.last, rules.from_packed);
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

    /// The clock until which a plain instruction waits, as in [`Readiness::wait`].
    #[inline(always)]
    pub(in crate::pipeline) fn latest(&self, floating: &Floating) -> u64 {
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
    pub(in crate::pipeline) fn physical(&self, number: u8) -> usize {
        (self.names >> (4 * (number & 7)) & 7) as usize
    }

    /// Exchanges the names of ST(0) and ST(`number`) for FXCH, whether they are settled or not.
    #[inline(always)]
    pub(in crate::pipeline) fn exchange(&mut self, number: u8) {
        let place = 4 * (number & 7);
        let differ = (self.names ^ self.names >> place) & 7;
        self.names ^= differ | differ << place;
    }
}

/// A set of register numbers, one bit each.
pub(in crate::pipeline) struct Registers(pub(in crate::pipeline) u8);

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

    /// The clock `more` clocks after the end of the work; 0 if there never was any, so that clock 0 is like any other.
    #[inline(always)]
    fn and(self, more: u32) -> u64 {
        if self.until > 0 {
            self.until + u64::from(more)
        } else {
            0
        }
    }
}
