//! The services that a host provides to a program: to end, to write text, to read its input and the files that it is
//! shown, to get memory and the simulated time, and to signal itself. All others are refused.
//!
//! Services that native runs offer, too, are defined once for both. No service reaches the network, the time or the
//! environment of the host, and files only through [`Files`]. Text goes into a buffer with a limit.

mod alternate;
mod clock;
mod descriptors;
mod devices;
pub mod dos;
mod dos_files;
mod files;
mod inquiries;
mod keyboard;
mod limits;
pub mod linux;
mod mappings;
mod pending;
mod pipes;
pub mod ports;
mod process;
pub mod signals;
mod status;
#[cfg(test)]
mod tests;
mod vectors;
mod video;
mod waits;
mod words;

pub use files::{Files, Folder, Found, Identity, Kind, MOST_FILE, NotFound};
pub use process::Process;

use crate::exec::State;
use p5_results::RefusedService;
use p5_words::mode::Operation;

/// The maximum number of bytes that a program may write in one run.
pub const OUTPUT_CAPACITY: usize = 64 << 20;
/// The refusal of a write beyond [`OUTPUT_CAPACITY`].
pub const OUTPUT_LIMIT: RefusedService = RefusedService::OutputLimit {
    capacity: OUTPUT_CAPACITY,
};

/// A service that a program requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// End the program with this exit code.
    Exit(u32),
    /// Write a character to standard output.
    Character(u8),
    /// Write the text at this address, up to a `$`.
    Text {
        /// The address of the first character.
        address: u32,
    },
    /// Write bytes to standard output or error.
    Bytes {
        /// The linear address of the first byte.
        address: u32,
        /// The number of bytes.
        length: u32,
    },
    /// Write to a file other than standard output or error.
    BadFile,
    /// Open a file.
    Open,
    /// Return the number of the process or of the thread.
    OwnNumber,
    /// Raise this signal for the program itself.
    Raise {
        /// The number of the signal; 0 raises nothing.
        signal: u32,
        /// Whether it is for the process rather than for one of its threads.
        by_kill: bool,
    },
    /// Raise a signal for another process or thread, which does not exist.
    RaiseElsewhere,
    /// Raise a signal for an invalid thread number.
    RaiseNowhere,
    /// Request an unsupported function or call, by its number.
    Other(u32),
}

/// The outcome of a request to write bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// All bytes were written.
    All,
    /// Nothing was written, because some of the bytes cannot be read.
    Unreadable,
    /// Nothing was written, because there would be more than [`OUTPUT_CAPACITY`].
    Full,
}

impl Written {
    fn service(self) -> Service {
        match self {
            Written::Full => Service::Refused(OUTPUT_LIMIT),
            Written::All | Written::Unreadable => Service::Done,
        }
    }
}

/// The outcome of a software interrupt.
#[derive(Debug, PartialEq, Eq)]
pub enum Service {
    /// The request was served.
    Done,
    /// The request was refused, and the program was told so.
    Refused(RefusedService),
    /// The program ended with this exit code.
    Exit(u32),
    /// The program waits for another thread to change the dword at this address, but has no other thread.
    Stuck(u32),
    /// Nothing handles the interrupt.
    None,
}

/// Serves software interrupt `vector`.
pub fn call(vector: u8, state: &mut State, process: &mut Process) -> Service {
    match vector {
        // A Linux process gets a fault from every interrupt but that of Linux, as from any that no gate lets it raise.
        0x10 | 0x16 | 0x1A | 0x20 | 0x21 if process.is_linux_process() => Service::None,
        0x10 if state.registers.operation() == Operation::Real => video::call(state, &mut process.output),
        0x16 if state.registers.operation() == Operation::Real => keyboard::call(state, &mut process.typed),
        0x1A if state.registers.operation() == Operation::Real => clock::call(state, process),
        0x20 => Service::Exit(0),
        0x21 => dos::call(state, process),
        0x80 => linux::call(state, process),
        _ => Service::None,
    }
}

/// Whether signals may be due after software interrupt `vector`.
pub fn may_signal(vector: u8, state: &State, process: &Process) -> bool {
    vector == 0x80 && linux::may_signal(state, process)
}

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
