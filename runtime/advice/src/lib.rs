//! The orders of straight code that compute the same, and the order among them that takes the fewest clocks.
//!
//! `effects` says what one instruction reads and writes, `addresses` which memory accesses provably do not overlap,
//! `dependences` which orders are legal, `liveness` which flags and registers are dead, with `frames` to follow
//! returns and `handlers` for the program's own exception handlers, and `steady` what an order costs when all accesses
//! hit; `orders` searches, and `bound` is what no order beats. `passes` replays code along paths, under conditions
//! that the caller gives, and `spread` says how much they differ. A changed program must be run again: a legal order
//! keeps the final state for all values in registers and memory only if no instruction faults, no code is modified,
//! and no two linear addresses are the same memory.

mod addresses;
pub mod bound;
mod dependences;
mod doubt;
mod effects;
pub mod fragment;
mod frames;
mod handlers;
mod liveness;
mod operand;
mod orders;
mod passes;
mod steady;
mod unnamed;

pub use addresses::{Banks, is_number};
pub use dependences::Dependences;
pub use doubt::Doubt;
pub use effects::{FLAGS, RegisterParts, general};
pub use liveness::{ControlFlow, Live, dead_after};
pub use orders::{Found, MOST_INSTRUCTIONS, best_orders};
pub use passes::{Access, Charged, Passes, Repetition, Spread, Waits};
pub use steady::Steady;
pub use unnamed::unnamed;

use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind};
use p5_image::Image;

/// The instruction at a linear address, if there is one. Its IP is that linear address.
pub fn instruction_at(image: &Image, address: u32) -> Option<Instruction> {
    let bytes = image.bytes_at(address);
    let mut decoder = Decoder::with_ip(
        image.code_bits_at(address),
        bytes,
        u64::from(address),
        DecoderOptions::NONE,
    );
    let instruction = decoder.decode();
    (!instruction.is_invalid()).then_some(instruction)
}

/// The target of a direct near branch or call; `None` for other instructions.
pub fn target(instruction: &Instruction) -> Option<u32> {
    let next = instruction.next_ip32();
    match instruction.op0_kind() {
        OpKind::NearBranch32 => Some(instruction.near_branch32()),
        // The offset in the code segment wraps, but the segment's base is not known here.
        OpKind::NearBranch16 => {
            let distance = instruction.near_branch16().wrapping_sub(next as u16) as i16;
            Some(next.wrapping_add_signed(i32::from(distance)))
        }
        _ => None,
    }
}
