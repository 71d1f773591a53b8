//! Words of memory in the layout of calls and of handlers' frames.

use crate::exec::State;

/// The size of a word in bytes.
const WORD: u32 = 4;

/// The byte at `address`, also behind page tables of the program that were not used for it yet.
pub(super) fn byte(state: &State, address: u32) -> Option<u8> {
    let mut found = [0];
    match state.memory.read_u8(address) {
        Ok(byte) => Some(byte),
        Err(_) if state.memory.is_translated() => (state.memory.fetch(address, &mut found) == 1).then_some(found[0]),
        Err(_) => None,
    }
}

/// The word at `address`, as [`byte`].
fn word(state: &State, address: u32) -> Option<u32> {
    let mut found = [0; WORD as usize];
    match state.memory.read_u32(address) {
        Ok(word) => Some(word),
        Err(_) if state.memory.is_translated() => {
            (state.memory.fetch(address, &mut found) == found.len()).then(|| u32::from_le_bytes(found))
        }
        Err(_) => None,
    }
}

pub(super) fn words<const COUNT: usize>(state: &State, address: u32) -> Option<[u32; COUNT]> {
    let mut words = [0; COUNT];
    for (index, found) in (0..).zip(&mut words) {
        *found = word(state, address.wrapping_add(index * WORD))?;
    }
    Some(words)
}

pub(super) fn put(state: &mut State, address: u32, words: &[u32]) -> Option<()> {
    for (index, &word) in (0..).zip(words) {
        let place = address.wrapping_add(index * WORD);
        if state.memory.write_u32(place, word).is_err() {
            let is_there = state.memory.fill(place, WORD, true).ok()?;
            is_there.then(|| state.memory.write_u32(place, word).ok())??;
        }
    }
    Some(())
}

pub(super) fn put_bytes(state: &mut State, address: u32, bytes: &[u8]) -> Option<()> {
    for (index, &byte) in (0..).zip(bytes) {
        let place = address.wrapping_add(index);
        if state.memory.write_u8(place, byte).is_err() {
            let is_there = state.memory.fill(place, 1, true).ok()?;
            is_there.then(|| state.memory.write_u8(place, byte).ok())??;
        }
    }
    Some(())
}

pub(super) fn wide([low, high]: [u32; 2]) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

pub(super) fn halves(wide: u64) -> [u32; 2] {
    [wide as u32, (wide >> 32) as u32]
}
