//! One issue of an instruction, as traces have it.
//!
//! Modelled: nothing; this is what is known of an issue once its group has executed. Not modelled: how long it is kept,
//! which is in `traces`.

use crate::block::Op;
use p5_results::{Awaited, Pipe, Refusal, UnitTime, WaitCauses};

/// One issue of an instruction in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The instruction's address, because its number may be reused before the trace is read.
    pub address: u32,
    /// Its machine code, because the program may change it afterwards.
    pub bytes: [u8; 15],
    /// The absolute clock of its issue.
    pub clock: u64,
    /// The pipe of the issue.
    pub pipe: Pipe,
    /// Whether the instruction is a near jump, which a call or a return is not.
    pub jumps: bool,
    /// The clocks from the end of the previous group to its issue.
    pub late: u32,
    /// The clocks its group executed beyond its own, because of waits.
    pub longer: u32,
    /// The reasons for `late`.
    pub waited: WaitCauses,
    /// The reasons for `longer`.
    pub slowed: WaitCauses,
    /// If the floating-point unit is a reason for `late`: the awaited resource of the unit, and the address of the
    /// instruction that occupies it.
    pub awaited: Option<(Awaited, u32)>,
    /// The address of the data that the wait `slowed` is for.
    pub data: Option<u32>,
    /// Whether `data` is in a page whose writes all go to memory (PWT).
    pub written_through: bool,
    /// The part of its wait for a line fill in which the bus was not free.
    pub held: u32,
    /// The address of the instruction whose buffered write it waited for.
    pub held_by: Option<u32>,
    /// The number of the data cache bank that both instructions of the group used.
    pub bank: Option<u32>,
    /// Whether it waited because it met the entry of another branch.
    pub met_entry: bool,
    /// The last byte of the other branch whose entry misled the branch of its group.
    pub misled_by: Option<u32>,
    /// Whether the branch of its group was mispredicted by patterns that lack its last outcomes.
    pub hurried: bool,
    /// What the operands and the precision control changed of its time in the floating-point unit.
    pub unit: UnitTime,
    /// Whether it is the delivery of an interrupt or exception in place of the instruction.
    pub delivery: bool,
    /// The reason why it issued alone.
    pub refusal: Option<Refusal>,
}

impl Traced {
    /// The issue of an instruction in the V pipe of a pair.
    pub(in crate::pipeline) fn in_v(op: &Op, clock: u64) -> Traced {
        Traced {
            pipe: Pipe::V,
            jumps: op.is_jump(),
            ..Traced::plain(op.address, op.bytes, clock)
        }
    }

    /// The issue in U of an instruction that waits for nothing and is no jump.
    pub(in crate::pipeline) fn plain(address: u32, bytes: [u8; 15], clock: u64) -> Traced {
        Traced {
            address,
            bytes,
            clock,
            pipe: Pipe::U,
            jumps: false,
            late: 0,
            longer: 0,
            waited: WaitCauses::NONE,
            slowed: WaitCauses::NONE,
            awaited: None,
            data: None,
            written_through: false,
            held: 0,
            held_by: None,
            bank: None,
            met_entry: false,
            misled_by: None,
            hurried: false,
            unit: UnitTime::default(),
            delivery: false,
            refusal: None,
        }
    }
}
