//! The descriptors of a Linux program: standard input and output, files that it may read, and pipes to itself.

use super::devices::{self, Device};
use super::errors::{EBADF, EFAULT, EINVAL, EMFILE, written};
use super::host_files::{Entry, Identity, WRITES};
use super::vectors::MOST_AT_ONCE;
use super::words::put_bytes;
use super::{Process, Service};
use crate::exec::State;
use std::collections::VecDeque;

/// The negated error numbers of calls with descriptors.
const EISDIR: u32 = -21i32 as u32;
const ESPIPE: u32 = -29i32 as u32;
const EOVERFLOW: u32 = -75i32 as u32;

/// The flag of a descriptor that a new program would not get.
pub(super) const CLOSES: u32 = 0o2_000_000;
/// The flags of an open file that can be changed later: APPEND and NONBLOCK.
const CHANGEABLE: u32 = 0o6000;
pub(super) const NONBLOCK: u32 = 0o4000;
/// The flags that `fcntl` shows, in addition to how a file may be used.
const SHOWN: u32 = CHANGEABLE | 0o100_000 | 0o200_000 | WRITES;

/// The bytes that a pipe holds.
pub(super) const PIPE: usize = 0x1_0000;

/// The bytes in each pipe, by its number.
pub(super) type Pipes = Vec<VecDeque<u8>>;

/// What a descriptor leads to.
#[derive(Debug)]
pub(super) enum Target {
    /// Standard input.
    Input,
    /// Standard output, or standard error.
    Output {
        /// Whether it is standard error.
        errors: bool,
    },
    /// A device.
    Device(Device),
    /// A file.
    File {
        /// Its bytes when it was opened.
        bytes: Vec<u8>,
        /// Its identity, by which it is told from others.
        identity: Identity,
    },
    /// A folder.
    Folder {
        /// Its path from the root.
        path: Vec<u8>,
        /// Its identity, by which it is told from others.
        identity: Identity,
        /// Its entries, once the program has asked for them.
        listed: Option<Vec<Entry>>,
    },
    /// An end of a pipe.
    Pipe {
        /// The number of the pipe.
        number: usize,
        /// Whether it is the end that is written.
        writes: bool,
    },
}

/// An open file, which several descriptors may share.
#[derive(Debug)]
struct OpenFile {
    what: Target,
    position: u64,
    flags: u32,
    /// The number of descriptors that lead to it.
    references: u32,
}

/// A descriptor.
#[derive(Clone, Copy, Debug)]
struct Descriptor {
    open: usize,
    closes: bool,
}

/// The descriptors, the open files that they lead to, and the pipes.
#[derive(Debug)]
pub(super) struct Descriptors {
    table: Vec<Option<Descriptor>>,
    open: Vec<Option<OpenFile>>,
    pub(super) pipes: Pipes,
}

impl Default for Descriptors {
    fn default() -> Descriptors {
        let standard = |what, flags| {
            Some(OpenFile {
                what,
                position: 0,
                flags,
                references: 1,
            })
        };
        Descriptors {
            table: (0..3).map(|open| Some(Descriptor { open, closes: false })).collect(),
            open: vec![
                standard(Target::Input, 0),
                standard(Target::Output { errors: false }, 1),
                standard(Target::Output { errors: true }, 1),
            ],
            pipes: Pipes::default(),
        }
    }
}

/// The readiness of a descriptor.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ready {
    /// A read gets bytes, or the end of a file, at once.
    pub(super) reads: bool,
    /// There is room to write.
    pub(super) writes: bool,
    /// The other end of the pipe is closed.
    pub(super) hangs_up: bool,
    /// Nothing can read the pipe.
    pub(super) broken: bool,
}

impl Descriptors {
    fn held(&self, descriptor: u32) -> Option<Descriptor> {
        self.table.get(descriptor as usize).copied().flatten()
    }

    fn file(&self, descriptor: u32) -> Option<&OpenFile> {
        self.open[self.held(descriptor)?.open].as_ref()
    }

    fn file_mut(&mut self, descriptor: u32) -> Option<&mut OpenFile> {
        let held = self.held(descriptor)?;
        self.open[held.open].as_mut()
    }

    /// What the descriptor leads to; `None` if it is not open.
    pub(super) fn what(&self, descriptor: u32) -> Option<&Target> {
        self.file(descriptor).map(|open| &open.what)
    }

    pub(super) fn ready(&self, descriptor: u32) -> Option<Ready> {
        Some(match *self.what(descriptor)? {
            Target::Input => Ready {
                reads: true,
                ..Ready::default()
            },
            Target::Output { .. } => Ready {
                writes: true,
                ..Ready::default()
            },
            Target::File { .. } | Target::Folder { .. } | Target::Device(_) => Ready {
                reads: true,
                writes: true,
                ..Ready::default()
            },
            Target::Pipe { number, writes } => self.ready_pipe(number, writes),
        })
    }

    /// The files, folders and pipes that are open.
    pub(super) fn targets(&self) -> impl Iterator<Item = &Target> {
        self.open.iter().flatten().map(|open| &open.what)
    }

    fn release(&mut self, held: Descriptor) {
        if let Some(open) = &mut self.open[held.open] {
            open.references -= 1;
            if open.references == 0 {
                self.open[held.open] = None;
            }
        }
    }

    /// The lowest unused descriptor from `least` on and below `most`.
    fn lowest(&self, least: u32, most: u32) -> Option<u32> {
        (least..most).find(|&descriptor| self.held(descriptor).is_none())
    }

    fn put(&mut self, descriptor: u32, held: Descriptor) {
        let index = descriptor as usize;
        if self.table.len() <= index {
            self.table.resize(index + 1, None);
        }
        self.table[index] = Some(held);
    }

    /// Adds an open file, which no descriptor leads to yet, and returns its number.
    fn add(&mut self, what: Target, flags: u32) -> usize {
        let added = Some(OpenFile {
            what,
            position: 0,
            flags: flags & SHOWN,
            references: 1,
        });
        match self.open.iter().position(Option::is_none) {
            Some(free) => {
                self.open[free] = added;
                free
            }
            None => {
                self.open.push(added);
                self.open.len() - 1
            }
        }
    }

    /// Where the next read of the open file begins.
    pub(super) fn position(&self, descriptor: u32) -> u64 {
        self.file(descriptor).map_or(0, |open| open.position)
    }

    pub(super) fn set_position(&mut self, descriptor: u32, position: u64) {
        if let Some(open) = self.file_mut(descriptor) {
            open.position = position;
        }
    }

    /// The entry at `place` of an open folder.
    pub(super) fn entry(&self, descriptor: u32, place: u64) -> Option<&Entry> {
        match self.what(descriptor)? {
            Target::Folder { listed, .. } => listed.as_ref()?.get(usize::try_from(place).ok()?),
            _ => None,
        }
    }

    /// Keeps what is in an open folder.
    pub(super) fn set_listed(&mut self, descriptor: u32, entries: Vec<Entry>) {
        if let Some(open) = self.file_mut(descriptor)
            && let Target::Folder { listed, .. } = &mut open.what
        {
            *listed = Some(entries);
        }
    }

    /// The number of entries of all open folders that are kept.
    pub(super) fn entries_open(&self) -> usize {
        let numbers = self.targets().map(|target| match target {
            Target::Folder { listed, .. } => listed.as_ref().map_or(0, Vec::len),
            _ => 0,
        });
        numbers.sum()
    }

    /// The number of bytes of all open files.
    pub(super) fn bytes_open(&self) -> u64 {
        let sizes = self.targets().map(|target| match target {
            Target::File { bytes, .. } => bytes.len() as u64,
            _ => 0,
        });
        sizes.sum()
    }
}

impl Process {
    /// The descriptor that the next open file gets, if there may be one more.
    pub(super) fn next_descriptor(&self) -> Option<u32> {
        self.descriptors.lowest(0, self.limits.descriptors())
    }

    /// A new descriptor of `what`, or an error number.
    pub(super) fn add_descriptor(&mut self, what: Target, flags: u32) -> u32 {
        let Some(descriptor) = self.next_descriptor() else {
            return EMFILE;
        };
        let open = self.descriptors.add(what, flags);
        let closes = flags & CLOSES != 0;
        self.descriptors.put(descriptor, Descriptor { open, closes });
        descriptor
    }

    pub(super) fn close(&mut self, descriptor: u32) -> u32 {
        match self.descriptors.held(descriptor) {
            Some(held) => {
                self.descriptors.table[descriptor as usize] = None;
                self.descriptors.release(held);
                0
            }
            None => EBADF,
        }
    }

    /// Serves `dup` and `fcntl` with F_DUPFD: the lowest descriptor from `least` on for the same open file.
    pub(super) fn duplicate(&mut self, descriptor: u32, least: u32, closes: bool) -> u32 {
        let most = self.limits.descriptors();
        let Some(held) = self.descriptors.held(descriptor) else {
            return EBADF;
        };
        if least >= most {
            return EINVAL;
        }
        let Some(new) = self.descriptors.lowest(least, most) else {
            return EMFILE;
        };
        self.share(held, new, closes);
        new
    }

    fn share(&mut self, held: Descriptor, new: u32, closes: bool) {
        if let Some(open) = &mut self.descriptors.open[held.open] {
            open.references += 1;
        }
        self.descriptors.put(new, Descriptor { closes, ..held });
    }

    /// Serves `dup2`, and `dup3` with its `flags`: descriptor `new` leads to the open file of `old`.
    pub(super) fn duplicate_to(&mut self, old: u32, new: u32, flags: Option<u32>) -> u32 {
        let closes = flags.unwrap_or(0);
        if closes & !CLOSES != 0 || flags.is_some() && old == new {
            return EINVAL;
        }
        let Some(held) = self.descriptors.held(old).filter(|_| new < self.limits.descriptors()) else {
            return EBADF;
        };
        if old == new {
            return new;
        }
        self.close(new);
        self.share(held, new, closes != 0);
        new
    }

    /// Serves `read`. Returns `None` if the program would wait for ever.
    pub(super) fn read_from(&mut self, state: &mut State, descriptor: u32, address: u32, length: u32) -> Option<u32> {
        let length = length.min(MOST_AT_ONCE);
        let Some(open) = self.descriptors.file(descriptor) else {
            return Some(EBADF);
        };
        Some(match open.what {
            Target::Input if !(self.input_is_open)() => EBADF,
            Target::Input => self.read(state, address, length).unwrap_or(EFAULT),
            Target::Output { .. } | Target::Pipe { writes: true, .. } => EBADF,
            Target::Folder { .. } => EISDIR,
            Target::Device(_) => self.read_at(state, descriptor, [address, length], 0),
            Target::File { .. } => {
                let position = open.position;
                let read = self.read_at(state, descriptor, [address, length], position);
                if read as i32 > 0
                    && let Some(open) = self.descriptors.file_mut(descriptor)
                {
                    open.position += u64::from(read);
                }
                read
            }
            Target::Pipe { number, writes: false } => {
                let waits = open.flags & NONBLOCK == 0;
                return self.read_from_pipe(state, number, [address, length], waits);
            }
        })
    }

    /// Serves `pread64`: reads a file at `position`, which stays where it is.
    pub(super) fn read_at(&mut self, state: &mut State, descriptor: u32, place: [u32; 2], position: u64) -> u32 {
        let [address, length] = place;
        if let Some(open) = self.descriptors.file(descriptor)
            && let Target::Device(device) = open.what
        {
            return match devices::uses(open.flags).0 {
                true => self.read_device(state, device, place),
                false => EBADF,
            };
        }
        match self.descriptors.what(descriptor) {
            None | Some(Target::Output { .. } | Target::Pipe { writes: true, .. }) => EBADF,
            Some(Target::Input | Target::Pipe { .. } | Target::Device(_)) => ESPIPE,
            Some(Target::Folder { .. }) => EISDIR,
            Some(Target::File { .. }) if position > i64::MAX as u64 => EINVAL,
            Some(Target::File { bytes, .. }) => {
                let rest = usize::try_from(position)
                    .ok()
                    .and_then(|position| bytes.get(position..));
                let rest = rest.unwrap_or_default();
                let part = &rest[..rest.len().min(length as usize)];
                put_bytes(state, address, part).map_or(EFAULT, |()| part.len() as u32)
            }
        }
    }

    /// Serves `write`. Returns `None` if the program would wait for ever.
    pub(super) fn write_to(
        &mut self,
        state: &State,
        descriptor: u32,
        address: u32,
        length: u32,
    ) -> Option<(u32, Service)> {
        let length = length.min(MOST_AT_ONCE);
        let answer = match self.descriptors.file(descriptor) {
            None => EBADF,
            Some(open) => match open.what {
                Target::Output { errors } => {
                    let outcome = self.write_output(state, [address, length], errors);
                    return Some((written(outcome, length), outcome.service()));
                }
                Target::Pipe { number, writes: true } => {
                    let waits = open.flags & NONBLOCK == 0;
                    return self
                        .write_to_pipe(state, number, [address, length], waits)
                        .map(|answer| (answer, Service::Done));
                }
                Target::Device(_) if devices::uses(open.flags).1 => length,
                _ => EBADF,
            },
        };
        Some((answer, Service::Done))
    }

    /// Serves `lseek` and `llseek`: the new position in a file, or an error number.
    pub(super) fn seek(&mut self, descriptor: u32, offset: i64, from: u32) -> Result<u64, u32> {
        let open = self.descriptors.file_mut(descriptor).ok_or(EBADF)?;
        let end = match &open.what {
            Target::File { bytes, .. } => bytes.len() as u64,
            Target::Folder { .. } => 0,
            // They have no position.
            Target::Device(_) => return Ok(0),
            _ => return Err(ESPIPE),
        };
        let base = match from {
            0 => 0,
            1 => open.position,
            2 => end,
            _ => return Err(EINVAL),
        };
        let position = base
            .checked_add_signed(offset)
            .filter(|&place| place <= i64::MAX as u64);
        open.position = position.ok_or(EINVAL)?;
        Ok(open.position)
    }

    /// The answer to `lseek`, which has 31 bits for a position.
    pub(super) fn narrow_seek(&mut self, descriptor: u32, offset: u32, from: u32) -> u32 {
        match self.seek(descriptor, i64::from(offset as i32), from) {
            Ok(position) if position > i32::MAX as u64 => EOVERFLOW,
            Ok(position) => position as u32,
            Err(answer) => answer,
        }
    }

    /// Serves `fcntl`. Returns `None` for what is not served.
    pub(super) fn control(&mut self, descriptor: u32, what: u32, value: u32) -> Option<u32> {
        /// F_DUPFD_CLOEXEC and F_GETPIPE_SZ.
        const DUPLICATE_CLOSING: u32 = 1030;
        const PIPE_SIZE: u32 = 1032;
        let Some(held) = self.descriptors.held(descriptor) else {
            return Some(EBADF);
        };
        let open = self.descriptors.open[held.open].as_mut();
        Some(match what {
            0 => self.duplicate(descriptor, value, false),
            DUPLICATE_CLOSING => self.duplicate(descriptor, value, true),
            1 => u32::from(held.closes),
            2 => {
                let closes = value & 1 != 0;
                self.descriptors.table[descriptor as usize] = Some(Descriptor { closes, ..held });
                0
            }
            3 => open.map_or(0, |open| open.flags),
            4 => {
                if let Some(open) = open {
                    open.flags = open.flags & !CHANGEABLE | value & CHANGEABLE;
                }
                0
            }
            PIPE_SIZE => match open.map(|open| &open.what) {
                Some(Target::Pipe { .. }) => PIPE as u32,
                _ => EBADF,
            },
            _ => return None,
        })
    }
}
