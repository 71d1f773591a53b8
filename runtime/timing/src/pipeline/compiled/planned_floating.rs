//! Plans of groups of the floating-point unit, for compiled code.
//!
//! Modelled: nothing. A [`PlannedFloating`] says in numbers what `floating` makes of a plain instruction, and an FXCH
//! beside it, while its operands are safe and ordinary; for others, code calls the functions here, which are those of a
//! replay. Not modelled: instructions whose time depends on the precision control or on the status of another, and
//! those that the previous block has opened.

use crate::block::Op;
use crate::counters::Tally;
use crate::pipeline::Pipeline;
use crate::pipeline::compiled::sole::PlannedSole;
use crate::pipeline::counts::stats::RecentStats;
use crate::pipeline::group::{Group, NONE};
use crate::pipeline::stages::floating::plain;
use crate::pipeline::state::readiness::{Readiness, Registers, Switching, User, Work};
use asm_macros::events::Event;
use p5_results::Cause;
use p5_words::facts::{Circumstances, Facts};
use std::mem::offset_of;

/// What is known of a group with a plain instruction of the floating-point unit.
#[derive(Clone, Debug)]
pub struct PlannedFloating {
    /// Whether it waits for the unit.
    pub awaits_unit: bool,
    /// The registers whose values it needs, relative to the top before it.
    pub needs: Vec<u8>,
    /// Clocks by which these must be ready before its issue.
    pub operands_ahead: u32,
    /// Clocks after EX until the multiplier is free, if it uses the multiplier.
    pub multiplier: Option<u32>,
    /// Clocks after EX until the unit accepts the next instruction.
    pub occupies: u32,
    /// The registers that it writes, relative to the top before it.
    pub writes: Vec<u8>,
    /// Clocks after EX until these are settled.
    pub settles: u32,
    /// The register that it exchanges with ST(0), 0 for none, before the top moves.
    pub exchanges: u8,
    /// The number of registers by which it moves the top.
    pub rotation: i8,
    /// The register that the FXCH in V then exchanges with ST(0), 0 for none.
    pub exchanges_in_v: u8,
    /// The number of operations that it counts.
    pub operations: u32,
    /// The fact word with its circumstances, if it has one.
    pub circumstances: Option<usize>,
    /// What is known of its access, if it has one.
    pub sole: PlannedSole,
    /// The offset in the statistics of its waits for the unit and for registers.
    pub waits: usize,
}

/// Offsets in [`Pipeline`] of what such groups read and change.
#[derive(Clone, Copy, Debug)]
pub struct FloatingPlaces {
    /// The clock until which the unit is occupied.
    pub unit: i32,
    /// The clock until which the multiplier is occupied.
    pub multiplier: i32,
    /// The clocks at which the registers are settled, by their number in the unit.
    pub registers: i32,
    /// log2 of the size in bytes of an entry of `registers`; `unit` and `multiplier` are entries of the same size.
    pub work: i8,
    /// In one of them, the address of the instruction that works.
    pub by: i32,
    /// The numbers of ST(0) to ST(7) in the unit, four bits each.
    pub names: i32,
    /// Whether no work has begun, as a byte.
    pub idle: i32,
    /// The clocks that are due to the operands of the last instruction.
    pub unsafe_operands: i32,
    /// The last user of the registers that MMX shares, as a byte.
    pub user: i32,
    /// The clock at which its work ends.
    pub used: i32,
    /// The values of the byte for the stack and for MMX.
    pub users: [u8; 2],
    /// The counts of reads and writes.
    pub accesses: [i32; 2],
    /// The count of operations.
    pub operations: i32,
    /// The count of waits, and that of their clocks.
    pub stalls: [i32; 2],
    /// The bits of circumstances that are left to functions.
    pub unusual: u32,
}

impl FloatingPlaces {
    pub(in crate::pipeline) fn new() -> FloatingPlaces {
        let readiness = offset_of!(Pipeline, core.readiness);
        let tally = offset_of!(Pipeline, core.counts.tally);
        let count = |event| (tally + Tally::place_of(event)) as i32;
        let in_readiness = |offset: usize| (readiness + offset) as i32;
        macro_rules! field {
            ($($path:ident).+) => { in_readiness(offset_of!(Readiness, $($path).+)) };
        }
        FloatingPlaces {
            unit: field!(unit.until),
            multiplier: field!(multiplier.until),
            registers: field!(stack) + offset_of!(Work, until) as i32,
            work: size_of::<Work>().trailing_zeros() as i8,
            by: offset_of!(Work, by) as i32 - offset_of!(Work, until) as i32,
            names: field!(names),
            idle: field!(idle),
            unsafe_operands: field!(unsafe_operands),
            user: field!(switching) + offset_of!(Switching, user) as i32,
            used: field!(switching) + (offset_of!(Switching, last) + offset_of!(Work, until)) as i32,
            users: [User::Stack as u8, User::Packed as u8],
            accesses: [Event::DATA_READ, Event::DATA_WRITE].map(count),
            operations: count(Event::FLOPS),
            stalls: [
                count(Event::FLOATING_POINT_STALL),
                (tally + Tally::place_of_shared(Event::FLOATING_POINT_STALL)) as i32,
            ],
            unusual: Circumstances::UNSAFE | Circumstances::SPECIAL,
        }
    }
}

const _: () = assert!(
    size_of::<Work>().is_power_of_two(),
    "the index of a register is shifted"
);

impl PlannedFloating {
    /// The plan of `group`, whose facts begin at `word`; `None` if it is left to functions.
    pub(in crate::pipeline) fn of(group: &Group, ops: &[Op], word: usize) -> Option<PlannedFloating> {
        let floating = plain(group, ops)?;
        let exchange = match group.v {
            NONE => 0,
            v => ops[v as usize].floating.as_ref()?.exchanges,
        };
        let unusual = group.begins_slowly
            || group.carried
            || group.branch
            || group.interlock > 0
            || group.v_accesses > 0
            || floating.status_behind > 0
            || floating.less_by_precision != [0; 2];
        (!unusual).then(|| PlannedFloating {
            awaits_unit: floating.awaits_unit,
            needs: Registers(floating.needs).collect(),
            operands_ahead: floating.operands_ahead,
            multiplier: floating.multiplier,
            occupies: floating.occupies,
            writes: Registers(floating.writes).collect(),
            settles: floating.settles,
            exchanges: floating.exchanges,
            rotation: floating.rotation,
            exchanges_in_v: exchange,
            operations: floating.operations,
            circumstances: floating.counted.then_some(word + usize::from(group.u_accesses)),
            sole: PlannedSole {
                pipe: 0,
                statistics: group.u as usize * size_of::<RecentStats>(),
                hidden: 0,
            },
            waits: group.u as usize * size_of::<RecentStats>()
                + offset_of!(RecentStats, causes)
                + Cause::FloatingPoint as usize * size_of::<i32>(),
        })
    }
}

impl Pipeline {
    /// Makes the access of group `index` of a plan, which has a plain instruction and has issued at the current clock.
    /// Returns the clocks it waits.
    pub fn access_floating_compiled(&mut self, number: u32, index: u32, facts: &Facts) -> u64 {
        let (core, compiled) = (&mut self.core, &self.compiled[number as usize]);
        let group = &self.schedules[compiled.schedule as usize].groups[index as usize];
        let wait = core.access_floating(group, facts.word(usize::from(compiled.words[index as usize])));
        if wait > 0 || !core.waits.are_none() {
            core.charge_waits(group, wait);
        }
        u64::from(wait)
    }

    /// Records the work that group `index` of a plan leaves, which has a plain instruction with unusual operands.
    pub fn leave_floating_compiled(&mut self, number: u32, index: u32, facts: &Facts) {
        let Pipeline {
            core, ops, compiled, ..
        } = self;
        let compiled = &compiled[number as usize];
        let group = &self.schedules[compiled.schedule as usize].groups[index as usize];
        let word = usize::from(compiled.words[index as usize]) + usize::from(group.u_accesses);
        if let Some(floating) = plain(group, ops) {
            core.leave_plainly(group, ops, floating, Circumstances(facts.word(word)));
        }
    }
}
