//! The answers of `fstat64`, `stat64` and `statx`.

use super::descriptors::What;
use super::words::put;
use crate::exec::State;
use p5_image::USER;

/// The size of a block in bytes, and of the unit in which blocks are counted.
const BLOCK: u32 = 4096;
const UNIT: u64 = 512;

/// The kind of file with what may be done, its size, and the number of its inode.
fn facts(what: &What) -> (u32, u64, u32) {
    const PIPE: u32 = 0o010_600;
    const FILE: u32 = 0o100_444;
    const FOLDER: u32 = 0o040_555;
    match what {
        What::Input | What::Output | What::Pipe { .. } => (PIPE, 0, 1),
        What::File(bytes) => (FILE, bytes.len() as u64, 2),
        What::Folder(_) => (FOLDER, u64::from(BLOCK), 3),
    }
}

/// Stores the answer of `fstat64`.
pub(super) fn describe(state: &mut State, what: &What, address: u32) -> Option<()> {
    let (kind, size, number) = facts(what);
    let mut words = [0; 24];
    // The number of the inode, in 32 bits and in 64, and the fields between device and size.
    words[3..8].copy_from_slice(&[number, kind, 1, USER, USER]);
    words[11] = size as u32;
    words[13] = BLOCK;
    words[14] = size.div_ceil(UNIT) as u32;
    words[22] = number;
    put(state, address, &words)
}

/// Stores the answer of `statx`.
pub(super) fn describe_more(state: &mut State, what: &What, address: u32) -> Option<()> {
    /// The fields that are there: all of `stat` but the times.
    const BASIC: u32 = 0x71F;
    let (kind, size, number) = facts(what);
    let blocks = size.div_ceil(UNIT) as u32;
    let mut words = [0; 64];
    words[..2].copy_from_slice(&[BASIC, BLOCK]);
    // Links, user, group, kind, inode, size, blocks; words of 64 bits have their lower half first.
    words[4..8].copy_from_slice(&[1, USER, USER, kind]);
    words[8] = number;
    words[10] = size as u32;
    words[12] = blocks;
    put(state, address, &words)
}
