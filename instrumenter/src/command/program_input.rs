//! What a simulated program reads: standard input, which is also what is typed at the keyboard of a program of DOS.

use super::sources::PROGRAM_LIMIT;
use std::io::{self, IsTerminal, Read, Write};
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// The time after which it is said that a program waits for the end of its input.
const PATIENCE: Duration = Duration::from_secs(1);

/// The standard input of a simulated program, up to a limit.
fn standard_input() -> Vec<u8> {
    let (ended, end) = mpsc::channel::<()>();
    // Without another thread, nothing is said.
    let _ = thread::Builder::new().spawn(move || {
        if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            let _ = writeln!(
                io::stderr(),
                "note: the program reads standard input, which has not ended"
            );
        }
    });
    let mut bytes = Vec::new();
    // After an error, the input is the part that was read before.
    let _ = io::stdin().lock().take(PROGRAM_LIMIT).read_to_end(&mut bytes);
    drop(ended);
    bytes
}

/// What is typed at the keyboard of a program of DOS: standard input, unless that is a terminal.
pub(crate) fn typed() -> Vec<u8> {
    if io::stdin().is_terminal() {
        Vec::new()
    } else {
        kept_input()
    }
}

/// The standard input for several runs of a program, each of which gets all of it.
pub(crate) fn kept_input() -> Vec<u8> {
    static KEPT: OnceLock<Vec<u8>> = OnceLock::new();
    KEPT.get_or_init(standard_input).clone()
}
