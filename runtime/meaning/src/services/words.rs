//! Words of memory in the layout of calls and of handlers' frames.

use crate::exec::State;

/// The size of a word in bytes.
const WORD: u32 = 4;

pub(super) fn words<const COUNT: usize>(state: &State, address: u32) -> Option<[u32; COUNT]> {
    let mut words = [0; COUNT];
    for (index, word) in (0..).zip(&mut words) {
        *word = state.memory.read_u32(address.wrapping_add(index * WORD)).ok()?;
    }
    Some(words)
}

pub(super) fn put(state: &mut State, address: u32, words: &[u32]) -> Option<()> {
    for (index, &word) in (0..).zip(words) {
        state.memory.write_u32(address.wrapping_add(index * WORD), word).ok()?;
    }
    Some(())
}

pub(super) fn put_bytes(state: &mut State, address: u32, bytes: &[u8]) -> Option<()> {
    for (index, &byte) in (0..).zip(bytes) {
        state.memory.write_u8(address.wrapping_add(index), byte).ok()?;
    }
    Some(())
}

pub(super) fn wide([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

pub(super) fn halves(wide: u64) -> [u32; 2] {
    [wide as u32, (wide >> 32) as u32]
}
