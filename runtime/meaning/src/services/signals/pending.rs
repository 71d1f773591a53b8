//! Signals that have been raised but not delivered, in the delivery order of Linux: signals of the thread, then of its
//! process; within each, those that instructions raise, then the others; and among these by ascending number.

use super::LAST;

/// The first real-time signal. Each raise of a real-time signal is delivered separately; a lower signal is not raised
/// again while it waits.
const FIRST_QUEUED: u32 = 32;
const QUEUED: usize = (LAST - FIRST_QUEUED + 1) as usize;
/// The maximum number of waiting real-time signals. The limit of Linux grows with the memory, and is this one with 128
/// MB.
const MOST_QUEUED: u32 = 1024;
/// The signals that instructions raise: ILL, TRAP, BUS, FPE, SEGV, SYS.
const SYNCHRONOUS: u64 = bit(4) | bit(5) | bit(7) | bit(8) | bit(11) | bit(31);

/// The bit of a signal, 1 to [`LAST`], in a set of signals.
pub(super) const fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

/// The signals that wait for delivery.
#[derive(Debug, Default)]
pub(super) struct Pending {
    of_thread: Queue,
    of_process: Queue,
}

/// The waiting signals of the thread, or of the process.
#[derive(Debug)]
struct Queue {
    set: u64,
    /// The number of times each real-time signal waits. A signal of the set may wait without a count here.
    times: [u16; QUEUED],
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            set: 0,
            times: [0; QUEUED],
        }
    }
}

/// The index of a real-time signal in the counts of a queue.
fn place(signal: u32) -> Option<usize> {
    signal.checked_sub(FIRST_QUEUED).map(|place| place as usize)
}

impl Queue {
    fn waiting(&self) -> u32 {
        self.times.iter().map(|&times| u32::from(times)).sum()
    }

    /// Removes and returns the first signal that is not held back.
    fn take(&mut self, held_back: u64) -> Option<u32> {
        let due = self.set & !held_back;
        if due == 0 {
            return None;
        }
        let first = if due & SYNCHRONOUS != 0 { due & SYNCHRONOUS } else { due };
        let signal = first.trailing_zeros() + 1;
        let mut left = 0;
        if let Some(place) = place(signal) {
            left = self.times[place].saturating_sub(1);
            self.times[place] = left;
        }
        if left == 0 {
            self.set &= !bit(signal);
        }
        Some(signal)
    }

    fn forget(&mut self, signals: u64) {
        self.set &= !signals;
        for (signal, times) in (FIRST_QUEUED..).zip(&mut self.times) {
            if signals & bit(signal) != 0 {
                *times = 0;
            }
        }
    }
}

impl Pending {
    /// Adds `signal`, which `kill` raised for the process, or another call for the thread. Returns false and adds
    /// nothing if the caller must be told that there is no room.
    pub(super) fn add(&mut self, signal: u32, by_kill: bool) -> bool {
        let room = self.of_thread.waiting() + self.of_process.waiting() < MOST_QUEUED;
        let queue = if by_kill {
            &mut self.of_process
        } else {
            &mut self.of_thread
        };
        if let Some(place) = place(signal) {
            match (room, by_kill) {
                (true, _) => queue.times[place] += 1,
                // `kill` adds it to the set, which may already contain it, and reports success.
                (false, true) => {}
                (false, false) => return false,
            }
        }
        queue.set |= bit(signal);
        true
    }

    /// The set of all waiting signals.
    pub(super) fn set(&self) -> u64 {
        self.of_thread.set | self.of_process.set
    }

    /// Removes and returns the next signal that is not held back, and whether `kill` raised it.
    pub(super) fn take(&mut self, held_back: u64) -> Option<(u32, bool)> {
        let of_thread = self.of_thread.take(held_back).map(|signal| (signal, false));
        of_thread.or_else(|| self.of_process.take(held_back).map(|signal| (signal, true)))
    }

    pub(super) fn forget(&mut self, signals: u64) {
        self.of_thread.forget(signals);
        self.of_process.forget(signals);
    }
}
