//! The descriptors of a Linux program: standard input and output, files that it may read, and pipes to itself.

use super::files::{MOST_OPEN, WRITES};
use super::linux::{EAGAIN, EBADF, EFAULT, EINVAL};
use super::words::put_bytes;
use super::{Process, Service};
use crate::exec::State;
use std::collections::VecDeque;
use std::sync::Arc;

/// The negated error numbers of calls with descriptors.
const ENFILE: u32 = -23i32 as u32;
const EMFILE: u32 = -24i32 as u32;
const EISDIR: u32 = -21i32 as u32;
const ESPIPE: u32 = -29i32 as u32;
const EPIPE: u32 = -32i32 as u32;
const EOVERFLOW: u32 = -75i32 as u32;

/// The flag of a descriptor that a new program would not get.
pub(super) const CLOSES: u32 = 0o2_000_000;
/// The flags of an open file that can be changed later: APPEND and NONBLOCK.
const CHANGEABLE: u32 = 0o6000;
const NONBLOCK: u32 = 0o4000;
/// The flags that `fcntl` shows, in addition to how a file may be used.
const SHOWN: u32 = CHANGEABLE | 0o100_000 | 0o200_000 | WRITES;
/// The bytes that a pipe holds.
const PIPE: usize = 0x1_0000;
/// The most bytes that are written to a pipe as a whole.
const WHOLE: usize = 4096;
/// The signal of a pipe that nothing can read.
const SIGPIPE: u32 = 13;

/// What a descriptor leads to.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// Standard input.
    Input,
    /// Standard output or error.
    Output,
    /// A file with these bytes.
    File(Arc<[u8]>),
    /// A folder with this path.
    Folder(Arc<[u8]>),
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
struct Open {
    what: What,
    position: u64,
    flags: u32,
    /// The number of descriptors that lead to it.
    held: u32,
}

/// A descriptor.
#[derive(Clone, Copy, Debug)]
struct Held {
    open: usize,
    closes: bool,
}

/// The descriptors, the open files that they lead to, and the bytes in pipes.
#[derive(Debug)]
pub(super) struct Descriptors {
    table: Vec<Option<Held>>,
    open: Vec<Option<Open>>,
    pipes: Vec<VecDeque<u8>>,
}

impl Default for Descriptors {
    fn default() -> Descriptors {
        let standard = |what, flags| {
            Some(Open {
                what,
                position: 0,
                flags,
                held: 1,
            })
        };
        Descriptors {
            table: (0..3).map(|open| Some(Held { open, closes: false })).collect(),
            open: vec![
                standard(What::Input, 0),
                standard(What::Output, 1),
                standard(What::Output, 1),
            ],
            pipes: Vec::new(),
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
    fn held(&self, descriptor: u32) -> Option<Held> {
        self.table.get(descriptor as usize).copied().flatten()
    }

    fn file(&self, descriptor: u32) -> Option<&Open> {
        self.open[self.held(descriptor)?.open].as_ref()
    }

    fn file_mut(&mut self, descriptor: u32) -> Option<&mut Open> {
        let held = self.held(descriptor)?;
        self.open[held.open].as_mut()
    }

    /// What the descriptor leads to; `None` if it is not open.
    pub(super) fn what(&self, descriptor: u32) -> Option<&What> {
        self.file(descriptor).map(|open| &open.what)
    }

    /// Whether an end of the pipe is open.
    fn has_end(&self, pipe: usize, wanted: bool) -> bool {
        let mut ends = self.open.iter().flatten();
        ends.any(|open| matches!(open.what, What::Pipe { number, writes } if number == pipe && writes == wanted))
    }

    /// Whether a write raises a signal, because nothing can read the pipe.
    pub(super) fn is_broken(&self, descriptor: u32) -> bool {
        match self.what(descriptor) {
            Some(&What::Pipe { number, writes: true }) => !self.has_end(number, false),
            _ => false,
        }
    }

    pub(super) fn ready(&self, descriptor: u32) -> Option<Ready> {
        Some(match *self.what(descriptor)? {
            What::Input => Ready {
                reads: true,
                ..Ready::default()
            },
            What::Output => Ready {
                writes: true,
                ..Ready::default()
            },
            What::File(_) | What::Folder(_) => Ready {
                reads: true,
                writes: true,
                ..Ready::default()
            },
            What::Pipe { number, writes: false } => Ready {
                reads: !self.pipes[number].is_empty(),
                hangs_up: !self.has_end(number, true),
                ..Ready::default()
            },
            What::Pipe { number, writes: true } => Ready {
                writes: self.pipes[number].len() + WHOLE <= PIPE,
                broken: !self.has_end(number, false),
                ..Ready::default()
            },
        })
    }

    fn release(&mut self, held: Held) {
        if let Some(open) = &mut self.open[held.open] {
            open.held -= 1;
            if open.held == 0 {
                self.open[held.open] = None;
            }
        }
    }

    /// The lowest unused descriptor from `least` on and below `most`.
    fn lowest(&self, least: u32, most: u32) -> Option<u32> {
        (least..most).find(|&descriptor| self.held(descriptor).is_none())
    }

    fn put(&mut self, descriptor: u32, held: Held) {
        let index = descriptor as usize;
        if self.table.len() <= index {
            self.table.resize(index + 1, None);
        }
        self.table[index] = Some(held);
    }

    /// Adds an open file, which no descriptor leads to yet, and returns its number.
    fn add(&mut self, what: What, flags: u32) -> usize {
        let added = Some(Open {
            what,
            position: 0,
            flags: flags & SHOWN,
            held: 1,
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

    fn bytes_open(&self) -> usize {
        let sizes = self.open.iter().flatten().map(|open| match &open.what {
            What::File(bytes) => bytes.len(),
            _ => 0,
        });
        sizes.sum()
    }
}

impl Process {
    /// A new descriptor of `what`, or an error number.
    pub(super) fn add_descriptor(&mut self, what: What, flags: u32) -> u32 {
        if let What::File(bytes) = &what
            && self.descriptors.bytes_open() + bytes.len() > MOST_OPEN
        {
            return ENFILE;
        }
        let Some(descriptor) = self.descriptors.lowest(0, self.limits.descriptors()) else {
            return EMFILE;
        };
        let open = self.descriptors.add(what, flags);
        let closes = flags & CLOSES != 0;
        self.descriptors.put(descriptor, Held { open, closes });
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

    fn share(&mut self, held: Held, new: u32, closes: bool) {
        if let Some(open) = &mut self.descriptors.open[held.open] {
            open.held += 1;
        }
        self.descriptors.put(new, Held { closes, ..held });
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

    /// Serves `pipe2`: stores the two descriptors of a new pipe at `address`.
    pub(super) fn make_pipe(&mut self, state: &mut State, address: u32, flags: u32) -> u32 {
        if flags & !(CLOSES | NONBLOCK) != 0 {
            return EINVAL;
        }
        let used = |number: usize| self.descriptors.has_end(number, true) || self.descriptors.has_end(number, false);
        let number = (0..self.descriptors.pipes.len()).find(|&number| !used(number));
        let number = number.unwrap_or_else(|| {
            self.descriptors.pipes.push(VecDeque::new());
            self.descriptors.pipes.len() - 1
        });
        self.descriptors.pipes[number].clear();
        let [read, write] = [(false, 0), (true, 1)]
            .map(|(writes, how)| self.add_descriptor(What::Pipe { number, writes }, flags | how));
        let stored = (write as i32 >= 0).then(|| super::words::put(state, address, &[read, write]));
        match stored {
            Some(Some(())) => 0,
            failed => {
                self.close(read);
                self.close(write);
                if failed.is_none() { EMFILE } else { EFAULT }
            }
        }
    }

    /// Serves `read`. Returns `None` if the program would wait for ever.
    pub(super) fn read_from(&mut self, state: &mut State, descriptor: u32, address: u32, length: u32) -> Option<u32> {
        let Some(open) = self.descriptors.file(descriptor) else {
            return Some(EBADF);
        };
        Some(match open.what {
            What::Input => self.read(state, address, length).unwrap_or(EFAULT),
            What::Output | What::Pipe { writes: true, .. } => EBADF,
            What::Folder(_) => EISDIR,
            What::File(_) => {
                let position = open.position;
                let read = self.read_at(state, descriptor, [address, length], position);
                if read as i32 > 0
                    && let Some(open) = self.descriptors.file_mut(descriptor)
                {
                    open.position += u64::from(read);
                }
                read
            }
            What::Pipe { number, writes: false } => {
                let waits = open.flags & NONBLOCK == 0;
                if self.descriptors.pipes[number].is_empty() && length > 0 {
                    return match self.descriptors.has_end(number, true) {
                        false => Some(0),
                        true if waits => None,
                        true => Some(EAGAIN),
                    };
                }
                let pipe = &mut self.descriptors.pipes[number];
                let part: Vec<u8> = pipe.iter().copied().take(length as usize).collect();
                if put_bytes(state, address, &part).is_none() {
                    return Some(EFAULT);
                }
                pipe.drain(..part.len());
                part.len() as u32
            }
        })
    }

    /// Serves `pread64`: reads a file at `position`, which stays where it is.
    pub(super) fn read_at(&self, state: &mut State, descriptor: u32, place: [u32; 2], position: u64) -> u32 {
        let [address, length] = place;
        match self.descriptors.what(descriptor) {
            None | Some(What::Output | What::Pipe { writes: true, .. }) => EBADF,
            Some(What::Input | What::Pipe { .. }) => ESPIPE,
            Some(What::Folder(_)) => EISDIR,
            Some(What::File(_)) if position > i64::MAX as u64 => EINVAL,
            Some(What::File(bytes)) => {
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
        let answer = match self.descriptors.file(descriptor) {
            None => EBADF,
            Some(open) => match open.what {
                What::Output => {
                    let outcome = super::write(state, &mut self.output, address, length);
                    return Some((super::linux::written(outcome, length), outcome.service()));
                }
                What::Pipe { number, writes: true } => {
                    let waits = open.flags & NONBLOCK == 0;
                    return self
                        .write_to_pipe(state, number, [address, length], waits)
                        .map(|answer| (answer, Service::Done));
                }
                _ => EBADF,
            },
        };
        Some((answer, Service::Done))
    }

    fn write_to_pipe(&mut self, state: &State, number: usize, place: [u32; 2], waits: bool) -> Option<u32> {
        let [address, length] = place;
        if !self.descriptors.has_end(number, false) {
            self.signals.raise(SIGPIPE, false);
            return Some(EPIPE);
        }
        if length == 0 {
            return Some(0);
        }
        let pipe = &mut self.descriptors.pipes[number];
        let room = PIPE - pipe.len();
        if room == 0 || (length as usize <= WHOLE && room < length as usize) {
            return if waits { None } else { Some(EAGAIN) };
        }
        let part = room.min(length as usize) as u32;
        match state.memory.read_bytes(address, part) {
            Some(bytes) => {
                pipe.extend(bytes);
                Some(part)
            }
            None => Some(EFAULT),
        }
    }

    /// Serves `lseek` and `llseek`: the new position in a file, or an error number.
    pub(super) fn seek(&mut self, descriptor: u32, offset: i64, from: u32) -> Result<u64, u32> {
        let open = self.descriptors.file_mut(descriptor).ok_or(EBADF)?;
        let end = match &open.what {
            What::File(bytes) => bytes.len() as u64,
            What::Folder(_) => 0,
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
                self.descriptors.table[descriptor as usize] = Some(Held { closes, ..held });
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
                Some(What::Pipe { .. }) => PIPE as u32,
                _ => EBADF,
            },
            _ => return None,
        })
    }
}
