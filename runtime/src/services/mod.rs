//! What a program may ask of its host: to end, and to write text. Everything else is refused.
//!
//! No service reaches a file, the network, the time or the environment of the host; text goes into a buffer with a limit.

mod dos;
mod linux;

use crate::exec::State;

/// The most bytes a program may write in one run.
pub(crate) const OUTPUT_CAPACITY: usize = 64 << 20;

/// What came of a software interrupt.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// It was served.
    Done,
    /// It is a call that is not offered; the program was told so. The sentence is for the reader.
    Refused(String),
    /// The program ended with this code.
    Exit(u32),
    /// Nothing handles the interrupt.
    None,
}

/// Serves software interrupt `vector`.
pub(crate) fn call(vector: u8, state: &mut State, output: &mut Vec<u8>) -> Service {
    match vector {
        0x20 => Service::Exit(0),
        0x21 => dos::call(state, output),
        0x80 => linux::call(state, output),
        _ => Service::None,
    }
}

/// Copies guest memory to the output; whether all of it could be read and there was room.
fn write(state: &State, output: &mut Vec<u8>, address: u32, length: u32) -> bool {
    if output.len() + length as usize > OUTPUT_CAPACITY {
        return false;
    }
    match state.memory.read_bytes(address, length) {
        Some(bytes) => {
            output.extend(bytes);
            true
        }
        None => false,
    }
}
