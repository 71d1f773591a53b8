//! The random numbers of a Linux program, which are the same in every run.

use super::errors::EFAULT;
use super::{Process, THREAD};
use crate::exec::State;

/// Stores bytes that look random but are the same in every run.
pub(super) fn give_random(state: &mut State, process: &mut Process, address: u32, length: u32) -> u32 {
    for place in 0..length {
        // A linear congruential generator. Its highest byte is the most random one.
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        process.random = process.random.wrapping_mul(FACTOR).wrapping_add(u64::from(THREAD));
        let byte = (process.random >> 56) as u8;
        if state.memory.write_u8(address.wrapping_add(place), byte).is_err() {
            return if place == 0 { EFAULT } else { place };
        }
    }
    length
}
