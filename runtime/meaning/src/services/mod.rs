//! What a program may ask of its host: to end, to write text, to read its input, for memory, for the simulated time,
//! and to signal itself. Everything else is refused.
//!
//! Requests and answers that native runs offer, too, are defined once for both. No service reaches a file, the network,
//! the time or the environment of the host; text goes into a buffer with a limit.

pub mod dos;
pub mod linux;
mod pending;
mod process;
pub mod signals;
mod video;

pub use process::Process;

use crate::exec::State;
use p5_results::RefusedService;
use p5_words::mode::Operation;

/// The most bytes a program may write in one run.
pub const OUTPUT_CAPACITY: usize = 64 << 20;
/// How more is refused.
pub const OUTPUT_LIMIT: RefusedService = RefusedService::OutputLimit {
    capacity: OUTPUT_CAPACITY,
};

/// What a program asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To end with this code.
    Exit(u32),
    /// To write a character.
    Character(u8),
    /// To write the text at this address, up to a `$`.
    Text {
        /// Its first byte.
        address: u32,
    },
    /// To write bytes to standard output or error.
    Bytes {
        /// The first one.
        address: u32,
        /// How many.
        length: u32,
    },
    /// To write to what is neither of the two.
    BadFile,
    /// To open a file.
    Open,
    /// The number of its process, or of its thread.
    OwnNumber,
    /// To raise this signal for itself.
    Raise {
        /// The number; 0 raises nothing.
        signal: u32,
        /// Whether it is for the process rather than for a thread of it.
        by_kill: bool,
    },
    /// To raise a signal for another process or thread, of which there is none.
    RaiseElsewhere,
    /// To raise a signal for a thread whose number none can have.
    RaiseNowhere,
    /// An unsupported function or call.
    Other(u32),
}

/// What came of a request to write bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// They were written.
    All,
    /// Nothing was written: some of them cannot be read.
    Unreadable,
    /// Nothing was written: there would be more than [`OUTPUT_CAPACITY`].
    Full,
}

impl Written {
    /// Whether it was served, or refused because the output is full.
    fn service(self) -> Service {
        match self {
            Written::Full => Service::Refused(OUTPUT_LIMIT),
            Written::All | Written::Unreadable => Service::Done,
        }
    }
}

/// What came of a software interrupt.
#[derive(Debug, PartialEq, Eq)]
pub enum Service {
    /// It was served.
    Done,
    /// It was refused; the program was told so.
    Refused(RefusedService),
    /// The program ended with this code.
    Exit(u32),
    /// Nothing handles the interrupt.
    None,
}

/// Serves software interrupt `vector`.
pub fn call(vector: u8, state: &mut State, process: &mut Process) -> Service {
    match vector {
        0x10 if state.registers.operation() == Operation::Real => video::call(state, &mut process.output),
        0x20 => Service::Exit(0),
        0x21 => dos::call(state, &mut process.output),
        0x80 => linux::call(state, process),
        _ => Service::None,
    }
}

/// Whether signals may be due after software interrupt `vector`.
pub fn may_signal(vector: u8, state: &State) -> bool {
    vector == 0x80 && linux::may_signal(state.registers.general[0])
}

/// Copies guest memory to the output.
fn write(state: &State, output: &mut Vec<u8>, address: u32, length: u32) -> Written {
    if output.len() as u64 + u64::from(length) > OUTPUT_CAPACITY as u64 {
        return Written::Full;
    }
    match state.memory.read_bytes(address, length) {
        Some(bytes) => {
            output.extend(bytes);
            Written::All
        }
        None => Written::Unreadable,
    }
}
