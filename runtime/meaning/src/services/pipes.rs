//! The pipes of a Linux program, which it can only use to talk to itself.

use super::Process;
use super::descriptors::{CLOSES, Descriptors, NONBLOCK, PIPE, Ready, Target};
use super::errors::{EAGAIN, EFAULT, EINVAL, EMFILE};
use super::words::{put, put_bytes};
use crate::exec::State;
use std::collections::VecDeque;

/// The negated error number of a pipe that nothing can read.
const EPIPE: u32 = -32i32 as u32;

/// The most bytes that are written to a pipe as a whole.
const WHOLE: usize = 4096;
/// The signal of a pipe that nothing can read.
const SIGPIPE: u32 = 13;

impl Descriptors {
    /// Whether an end of the pipe is open.
    fn has_end(&self, pipe: usize, wanted: bool) -> bool {
        let mut ends = self.targets();
        ends.any(|end| matches!(*end, Target::Pipe { number, writes } if number == pipe && writes == wanted))
    }

    /// Whether a write raises a signal, because nothing can read the pipe.
    pub(super) fn is_broken(&self, descriptor: u32) -> bool {
        match self.what(descriptor) {
            Some(&Target::Pipe { number, writes: true }) => !self.has_end(number, false),
            _ => false,
        }
    }

    /// The readiness of an end of the pipe.
    pub(super) fn ready_pipe(&self, number: usize, writes: bool) -> Ready {
        match writes {
            false => Ready {
                reads: !self.pipes[number].is_empty(),
                hangs_up: !self.has_end(number, true),
                ..Ready::default()
            },
            true => Ready {
                writes: self.pipes[number].len() + WHOLE <= PIPE,
                broken: !self.has_end(number, false),
                ..Ready::default()
            },
        }
    }
}

impl Process {
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
            .map(|(writes, how)| self.add_descriptor(Target::Pipe { number, writes }, flags | how));
        let stored = (write as i32 >= 0).then(|| put(state, address, &[read, write]));
        match stored {
            Some(Some(())) => 0,
            failed => {
                self.close(read);
                self.close(write);
                if failed.is_none() { EMFILE } else { EFAULT }
            }
        }
    }

    /// Reads from a pipe. Returns `None` if the program would wait for ever.
    pub(super) fn read_from_pipe(
        &mut self,
        state: &mut State,
        number: usize,
        [address, length]: [u32; 2],
        waits: bool,
    ) -> Option<u32> {
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
        Some(part.len() as u32)
    }

    /// Writes to a pipe. Returns `None` if the program would wait for ever.
    pub(super) fn write_to_pipe(&mut self, state: &State, number: usize, place: [u32; 2], waits: bool) -> Option<u32> {
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
}
