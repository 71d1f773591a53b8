//! Where sequences run, and what their addresses can reach.

use crate::native::{ARENA, ARENA_LENGTH, LOW, LOW_LENGTH, SLOT, SLOT_OFFSET};
use iced_x86::{Instruction, OpKind, Register};

/// Where sequences run and what their addresses can reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum World {
    /// Flat 32-bit code; `low` if there is memory for 16-bit addresses.
    Flat { low: bool },
    /// Code of `bits` bits in a segment. Offsets in ES, SS and DS reach the arena from and up to these.
    Segments {
        bits: u32,
        reach: [(u32, u32); 3],
        wide_stack: bool,
    },
}

impl World {
    pub(crate) fn bits(&self) -> u32 {
        match self {
            World::Flat { .. } => 32,
            World::Segments { bits, .. } => *bits,
        }
    }

    /// The offset of the first instruction.
    pub(crate) fn start(&self) -> u32 {
        match self {
            World::Flat { .. } => SLOT,
            World::Segments { .. } => SLOT_OFFSET,
        }
    }

    /// The offsets, from and up to, that a memory operand in `segment` can have.
    pub(crate) fn reach(&self, segment: Register, short: bool) -> (u32, u32) {
        match self {
            World::Flat { low: true } if short => (LOW, LOW + LOW_LENGTH),
            World::Flat { low: false } if short => (LOW, LOW + 16),
            World::Flat { .. } => (ARENA, ARENA + ARENA_LENGTH),
            World::Segments {
                reach: [extra, stack, data],
                ..
            } => match segment {
                Register::ES => *extra,
                Register::SS => *stack,
                _ => *data,
            },
        }
    }

    /// Whether a branch goes to an instruction of the sequence, after it was given a distance.
    pub(crate) fn has_distance(&self, instruction: &Instruction) -> bool {
        match instruction.op0_kind() {
            OpKind::NearBranch32 => true,
            // In flat code the target has 16 bits only.
            OpKind::NearBranch16 => matches!(self, World::Segments { .. }),
            _ => false,
        }
    }
}
