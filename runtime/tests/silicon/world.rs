//! The places of sequences, and the addresses that they can reach.

use crate::native::{ARENA, ARENA_LENGTH, LOW, LOW_LENGTH, SLOT, SLOT_OFFSET};
use iced_x86::{Instruction, OpKind, Register};

/// The place of a sequence, and the addresses that it can reach.
#[derive(Clone, Copy, Debug)]
pub(crate) enum World {
    /// Flat 32-bit code; `low` if there is memory for 16-bit addresses.
    Flat { low: bool },
    /// Code of `bits` bits in a segment. The ranges are the offsets of the arena in ES, SS and DS: first and end.
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

    pub(crate) fn start(&self) -> u32 {
        match self {
            World::Flat { .. } => SLOT,
            World::Segments { .. } => SLOT_OFFSET,
        }
    }

    /// The first and the end of the offsets that a memory operand in `segment` can have.
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

    /// Whether a branch leads to an instruction of the sequence, after it was given a distance.
    pub(crate) fn has_distance(&self, instruction: &Instruction) -> bool {
        match instruction.op0_kind() {
            OpKind::NearBranch32 => true,
            // In flat code, the target would have 16 bits only.
            OpKind::NearBranch16 => matches!(self, World::Segments { .. }),
            _ => false,
        }
    }
}
