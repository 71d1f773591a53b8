//! What a simulated program reads: standard input, which is also what is typed at the keyboard of a program of DOS.
//!
//! It is read when a program first asks for it, until it ends: each run gets all of it. A thread of its own reads, so
//! that the time limit holds if it does not end.

use super::sources::PROGRAM_LIMIT;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::{Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time after which it is said that a program waits for the end of its input.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time by which the end of a machine's time may be later than that of the command.
const SHORTLY: Duration = Duration::from_millis(100);

/// What was read so far.
struct Input {
    bytes: Vec<u8>,
    ended: bool,
    /// Until when a program waits; `None` without a limit.
    until: Option<Instant>,
}

static INPUT: Mutex<Input> = Mutex::new(Input {
    bytes: Vec::new(),
    ended: false,
    until: None,
});
static END: Condvar = Condvar::new();
static BEGUN: Once = Once::new();
static TOLD: Once = Once::new();

fn input() -> MutexGuard<'static, Input> {
    INPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets until when programs wait for the end of their input: the end of the time limit. Until shortly after it, so that
/// no program goes on without its input: it is stopped first.
pub(crate) fn wait_until(end: Option<Instant>) {
    input().until = end.and_then(|end| end.checked_add(SHORTLY));
}

/// Whether a program waits for the end of its input.
pub(crate) fn awaits_input() -> bool {
    BEGUN.is_completed() && !input().ended
}

fn read_all() {
    let mut from = io::stdin().lock().take(PROGRAM_LIMIT);
    let mut part = vec![0; 1 << 16];
    loop {
        match from.read(&mut part) {
            Ok(0) => break,
            Ok(count) => input().bytes.extend_from_slice(&part[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                let read = input().bytes.len();
                let _ = writeln!(
                    io::stderr(),
                    "note: cannot read standard input: {error}; the program gets {read} bytes"
                );
                break;
            }
        }
    }
    input().ended = true;
    END.notify_all();
}

/// What is typed at the keyboard of a program of DOS: standard input, unless that is a terminal.
pub(crate) fn typed() -> Vec<u8> {
    if io::stdin().is_terminal() {
        Vec::new()
    } else {
        kept_input()
    }
}

/// The standard input for several runs of a program, each of which gets all of it; at the time limit, the part that was
/// read before.
pub(crate) fn kept_input() -> Vec<u8> {
    BEGUN.call_once(|| {
        // Without another thread, no limit holds.
        if thread::Builder::new().spawn(read_all).is_err() {
            read_all();
        }
    });
    let begun = Instant::now();
    let mut read = input();
    loop {
        let now = Instant::now();
        if read.ended || read.until.is_some_and(|until| now >= until) {
            return read.bytes.clone();
        }
        let patience = (begun + PATIENCE).saturating_duration_since(now);
        if patience.is_zero() {
            TOLD.call_once(|| {
                let _ = writeln!(
                    io::stderr(),
                    "note: the program reads standard input, which has not ended"
                );
            });
        }
        let left = read.until.map(|until| until.saturating_duration_since(now));
        let wait = if patience.is_zero() { PATIENCE } else { patience };
        let wait = left.map_or(wait, |left| wait.min(left));
        read = END.wait_timeout(read, wait).unwrap_or_else(PoisonError::into_inner).0;
    }
}
