//! How a program leaves its code: by a return from its entry, by a reset of the processor, or astray, to where none of
//! its source lines is.

use super::Machine;
use p5_image::{RESET_VECTOR, STACK_HEADROOM, Start};
use p5_results::{Astray, Empty, Stop, StopDetail, StopReason};
use p5_words::isa::PAGE;
use p5_words::mode::Operation;
use p5_words::registers::SS;

/// The bytes from the reset vector to the end of the first MiB: if all are zero, nobody has put code there.
const RESET_BYTES: u32 = 16;
/// Bytes of the instruction that zeros are, ADD of AL to memory.
const EMPTY_INSTRUCTION: u32 = 2;

/// How execution comes to an address.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arrival {
    /// Whether it follows the instruction before it in memory.
    pub(super) sequential: bool,
    /// The address of the instruction that leads there, if one does.
    pub(super) last: Option<u32>,
    /// Whether that is a return or an indirect jump.
    pub(super) may_return: bool,
}

/// How a program came to code that none of its source lines has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strayed {
    /// The line that led there, as file index and one-based line.
    pub(super) place: (u32, u32),
    /// Where to.
    address: u32,
    /// Whether it jumped.
    jumped: bool,
}

impl Machine<'_> {
    /// How execution comes to the next address from block `index`, if that is still there.
    pub(super) fn leaves(&self, index: u32, sequential: bool) -> Arrival {
        let block = self.blocks.get(index);
        Arrival {
            sequential,
            last: block.and_then(|block| block.address_of(block.micro_ops.len() - 1)),
            may_return: block.is_some_and(|block| block.may_return),
        }
    }

    /// The address of the last of the `executed` instructions of block `index`.
    pub(super) fn last_of(&self, index: u32, executed: usize) -> Option<u32> {
        let block = self.blocks.get(index)?;
        block.address_of(executed.checked_sub(1)?)
    }

    /// Notes whether execution comes from a source line to bytes without one: a fault there is reported with the line
    /// that led there. Every such way passes here, because the two blocks are never linked. Returns whether it does.
    pub(super) fn strays(&mut self, address: u32, arrival: Arrival) -> bool {
        let outside = self.image.end == Some(address) || self.goes_out(address, arrival) == Some(StopReason::Return);
        if outside || self.image.line_near(address, &mut self.blocks.near).is_some() {
            return false;
        }
        let Some(place) = arrival.last.and_then(|last| self.place(last)) else {
            return false;
        };
        self.strayed = Some(Strayed {
            place,
            address,
            jumped: !arrival.sequential,
        });
        true
    }

    /// The way that led to code without a source line, as a stop at `address` tells it, and the line that it began at.
    pub(super) fn way_astray(&self, address: u32) -> Option<(Astray, (u32, u32))> {
        let Strayed {
            place,
            address: from,
            jumped,
        } = self.strayed?;
        let length = address.checked_sub(from).filter(|&length| length > 0);
        // Zeros never jump: if there is nothing else, all of them were executed, and only they.
        let empty = length.filter(|&length| length % EMPTY_INSTRUCTION == 0 && self.is_empty(from, length));
        let empty = empty.map(|length| Empty {
            from,
            instructions: length / EMPTY_INSTRUCTION,
        });
        Some((Astray { jumped, empty }, place))
    }

    /// Whether there are only zeros from `address` on.
    fn is_empty(&self, address: u32, length: u32) -> bool {
        let mut parts = (0..length).step_by(PAGE as usize);
        parts.all(|at| {
            let bytes = self.state.memory.read_bytes(address + at, PAGE.min(length - at));
            bytes.is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0))
        })
    }

    /// Whether the return address that the program was called with leads to `address` in the current mode.
    pub(super) fn returns_to(&self, address: u32) -> bool {
        let real = self.blocks.mode().operation == Operation::Real;
        self.return_place.is_some() && self.image.is_return(address, real)
    }

    /// Whether the program has returned from its entry by coming to `address`.
    ///
    /// A return there counts if it has taken the return address from where the loader put it: the stack pointer is then
    /// above that place. So does an indirect jump with the stack pointer there, because routines pop their return
    /// address and jump to it when they are done. Whatever else leads to that address finds there what memory holds.
    fn has_returned(&self, address: u32, arrival: Arrival) -> bool {
        let Some(place) = self
            .return_place
            .filter(|_| arrival.may_return && self.returns_to(address))
        else {
            return false;
        };
        let registers = &self.state.registers;
        let stack = &registers.segments[SS];
        let mask = if stack.wide() { u32::MAX } else { 0xFFFF };
        let top = registers.general[4] & mask;
        let dropped = stack.base().wrapping_add(top).wrapping_sub(place) & mask;
        // A near return in real mode drops the offset alone; a routine may also drop its arguments.
        let least = if self.image.start == Start::Flat { 4 } else { 2 };
        (least..=STACK_HEADROOM).contains(&dropped)
    }

    /// Whether the program is left at `address`: by a return from its entry, or by a reset of the processor.
    pub(super) fn goes_out(&self, address: u32, arrival: Arrival) -> Option<StopReason> {
        if self.has_returned(address, arrival) {
            return Some(StopReason::Return);
        }
        let real = self.blocks.mode().operation == Operation::Real;
        let reset =
            real && address == RESET_VECTOR && !self.image.holds(address) && self.is_empty(address, RESET_BYTES);
        // Whoever runs into it has not meant to reset the processor.
        reset.then_some(match arrival.sequential {
            true => StopReason::Strayed,
            false => StopReason::Reset,
        })
    }

    /// The stop of a program that has gone out at `address`.
    pub(super) fn gone_out(&self, reason: StopReason, address: u32) -> Stop {
        let stop = Stop::plain(reason);
        match self.way_astray(address).filter(|_| reason == StopReason::Strayed) {
            Some((way, place)) => Stop {
                detail: Some(StopDetail::Astray(way)),
                place: Some(place),
                ..stop
            },
            None => stop,
        }
    }
}
