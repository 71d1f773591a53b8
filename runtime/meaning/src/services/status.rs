//! The answers of `fstat64`, `stat64` and `statx`.

use super::Process;
use super::descriptors::Target;
use super::devices::Device;
use super::host_files::{Found, Identity, Kind};
use super::linux_clocks::BEGINNING;
use super::words::{halves, put};
use crate::exec::State;
use p5_image::USER;

/// The size of a block in bytes, and of the unit in which blocks are counted.
const BLOCK: u32 = 4096;
const UNIT: u64 = 512;
/// The number of the only device.
const DEVICE: u32 = 1;

/// Kinds of file with what may be done.
const PIPE: u32 = 0o010_600;
const FILE: u32 = 0o100_444;
const FOLDER: u32 = 0o040_555;
const DEVICE_FILE: u32 = 0o020_666;

/// What has a number among the inodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Numbered {
    /// Standard input.
    Input,
    /// Standard output and error.
    Output,
    /// A pipe.
    Pipe(usize),
    /// A device.
    Device(Device),
    /// A file or folder of the host.
    OfHost(Identity),
}

/// What a program is told of a file: its kind, its size, and the number of its inode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    kind: u32,
    size: u64,
    number: u32,
    /// The numbers of the device that it is; zeros for others.
    device: [u32; 2],
}

impl Process {
    /// The facts about the file or folder that a path leads to.
    pub(super) fn facts_of(&mut self, found: Found) -> Facts {
        Facts {
            kind: match found.kind {
                Kind::File => FILE,
                Kind::Folder => FOLDER,
            },
            size: match found.kind {
                Kind::File => found.size,
                Kind::Folder => u64::from(BLOCK),
            },
            number: self.number_of(Numbered::OfHost(found.identity)),
            device: [0; 2],
        }
    }

    pub(super) fn facts_of_device(&mut self, device: Device) -> Facts {
        Facts {
            kind: DEVICE_FILE,
            size: 0,
            number: self.number_of(Numbered::Device(device)),
            device: device.numbers(),
        }
    }

    /// The facts of what a descriptor leads to; `None` if it is not open.
    pub(super) fn facts_of_descriptor(&mut self, descriptor: u32) -> Option<Facts> {
        let (kind, size, numbered) = match *self.descriptors.what(descriptor)? {
            Target::Input => (PIPE, 0, Numbered::Input),
            Target::Output { .. } => (PIPE, 0, Numbered::Output),
            Target::Pipe { number, .. } => (PIPE, 0, Numbered::Pipe(number)),
            Target::Device(device) => return Some(self.facts_of_device(device)),
            Target::File { ref bytes, identity } => (FILE, bytes.len() as u64, Numbered::OfHost(identity)),
            Target::Folder { identity, .. } => (FOLDER, u64::from(BLOCK), Numbered::OfHost(identity)),
        };
        let number = self.number_of(numbered);
        Some(Facts {
            kind,
            size,
            number,
            device: [0; 2],
        })
    }

    /// The number of an inode: they are counted in the order in which a program asks for them, so that they do not
    /// depend on the host.
    pub(super) fn number_of(&mut self, numbered: Numbered) -> u32 {
        let next = self.inodes.len() as u32 + 1;
        *self.inodes.entry(numbered).or_insert(next)
    }
}

/// Stores the answer of `fstat64`.
pub(super) fn describe(state: &mut State, facts: Facts, address: u32) -> Option<()> {
    let [driver, device] = facts.device;
    let mut words = [0; 24];
    // The number of the inode, in 32 bits and in 64, and the fields between device and size.
    words[3..8].copy_from_slice(&[facts.number, facts.kind, 1, USER, USER]);
    words[0] = DEVICE;
    words[8] = driver << 8 | device;
    words[11..13].copy_from_slice(&halves(facts.size));
    words[13] = BLOCK;
    words[14..16].copy_from_slice(&halves(facts.size.div_ceil(UNIT)));
    // When it was last read, written and changed, with the parts of a second.
    for place in [16, 18, 20] {
        words[place] = BEGINNING.as_secs() as u32;
    }
    words[22] = facts.number;
    put(state, address, &words)
}

/// Stores the answer of `statx`.
pub(super) fn describe_more(state: &mut State, facts: Facts, address: u32) -> Option<()> {
    /// The fields that are there: all of `stat`.
    const BASIC: u32 = 0x7FF;
    let [driver, device] = facts.device;
    let mut words = [0; 64];
    words[..2].copy_from_slice(&[BASIC, BLOCK]);
    // Links, user, group, kind, inode, size, blocks; words of 64 bits have their lower half first.
    words[4..8].copy_from_slice(&[1, USER, USER, facts.kind]);
    words[8] = facts.number;
    words[10..12].copy_from_slice(&halves(facts.size));
    words[12..14].copy_from_slice(&halves(facts.size.div_ceil(UNIT)));
    // When it was last read, changed and written; when it was made is not known.
    for place in [16, 24, 28] {
        words[place..place + 2].copy_from_slice(&halves(BEGINNING.as_secs()));
    }
    words[32..34].copy_from_slice(&[driver, device]);
    words[35] = DEVICE;
    put(state, address, &words)
}
