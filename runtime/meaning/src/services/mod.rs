//! The services that a host provides to a program: to end, to write text, to read its input and the files that it is
//! shown, to get memory and the simulated time, and to signal itself. All others are refused.
//!
//! A [`Process`] is the state that they share: its output so far, its input, its heap and mappings, its signals and its
//! time.
//!
//! Services that native runs offer, too, are defined once for both. No service reaches the network, the time or the
//! environment of the host, and files only through [`Files`]. Text goes into a buffer with a limit.

mod built_in;
mod clock;
mod descriptors;
mod devices;
mod display;
pub mod dos;
mod dos_files;
mod errors;
mod extended;
mod files;
mod folders;
mod host_files;
mod inquiries;
mod keyboard;
mod limits;
pub mod linux;
mod linux_clocks;
mod mappings;
mod owner;
mod pipes;
pub mod ports;
mod random;
pub mod signals;
mod status;
#[cfg(test)]
mod tests;
mod vectors;
mod video;
mod waits;
mod words;

pub use host_files::{Entry, Files, Folder, Found, Identity, Kind, MOST_FILE, NotFound};

use crate::exec::State;
use descriptors::Descriptors;
use display::Card;
use keyboard::Typed;
use limits::Limits;
use mappings::{FilePage, MAPPINGS};
use p5_image::Image;
use p5_results::{Display, RefusedService};
use p5_words::isa::PAGE;
use p5_words::mode::Operation;
use signals::Signals;
use status::Numbered;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::Duration;

/// The maximum number of bytes that a program may write in one run. Each piece for standard error counts as eight more,
/// which its place takes.
pub const OUTPUT_CAPACITY: usize = 64 << 20;
/// The bytes that the place of a piece takes.
const BYTES_A_PIECE: usize = 8;
/// The refusal of a write beyond [`OUTPUT_CAPACITY`].
pub const OUTPUT_LIMIT: RefusedService = RefusedService::OutputLimit {
    capacity: OUTPUT_CAPACITY,
};

/// The number of the only thread, and of its process.
const THREAD: u32 = 1;
const PROCESS: u32 = THREAD;

/// The indices of EBP, ESI and EDI among the registers.
const EBP: usize = 5;
const ESI: usize = 6;
const EDI: usize = 7;

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

/// The usual mask of new files.
const MASK_OF_FILES: u32 = 0o022;

/// The state of a process in one run.
pub struct Process {
    /// The bytes that the program has written, at most [`OUTPUT_CAPACITY`].
    pub output: Vec<u8>,
    /// The parts of `output` that went to standard error, from byte to byte, in order.
    pub standard_error: Vec<[u32; 2]>,
    /// Reads the whole input, once, when a program first requests it.
    read_input: fn() -> Vec<u8>,
    input: Option<Vec<u8>>,
    input_is_open: fn() -> bool,
    /// The number of bytes of the input that this run has read.
    position: usize,
    /// What is typed at the keyboard of a DOS program.
    typed: Typed,
    /// The paragraphs of the blocks of memory that DOS has given to the program, in ascending order.
    blocks: Vec<Range<u32>>,
    /// The first address after the program.
    heap: u32,
    /// The first address after the heap.
    heap_end: u32,
    /// Whether memory was mapped, unmapped or protected in this run.
    remapped: bool,
    /// The descriptors.
    descriptors: Descriptors,
    /// The files that the program may read.
    files: Option<&'static Files>,
    /// The path of the current folder from the root, without `..`.
    current: Vec<u8>,
    /// The path of the file that the program last asked for, if there is none, or the call would have changed it.
    pub refused_path: Option<Vec<u8>>,
    /// The number of each inode that the program has asked for.
    inodes: HashMap<Numbered, u32>,
    /// The mapped pages of files, by their addresses.
    of_files: BTreeMap<u32, FilePage>,
    /// The path of the program itself.
    own_path: Vec<u8>,
    /// The bits that new files would not have.
    mask_of_files: u32,
    /// How far it gives way to other processes.
    priority: i32,
    /// The address and the mark of the area for restartable sequences.
    restartable: Option<(u32, u32)>,
    /// The resource limits that calls read and set.
    limits: Limits,
    /// The end of the stack, which grows down, if the program is a Linux process.
    stack_top: Option<u32>,
    /// The actions for signals, and the signals that wait.
    pub signals: Signals,
    /// The time since the run began, including sleep.
    pub elapsed: Duration,
    /// The total sleep, which took no clocks.
    pub slept: Duration,
    /// The address of the lock for which the program waits without an end.
    stuck: Option<u32>,
    /// The state from which the next random bytes are made.
    random: u64,
    /// Whether the last read of a video card's status found it in a retrace.
    retrace: bool,
    /// The colours and the mode of a video card.
    card: Card,
}

impl Process {
    /// The process of a newly loaded program. `read_input` returns its standard input at the first request, and
    /// `read_typed` what is typed at the keyboard of a DOS program; `files` are those that it may read.
    pub fn new(
        image: &Image,
        [read_input, read_typed]: [fn() -> Vec<u8>; 2],
        files: Option<&'static Files>,
    ) -> Process {
        let ends = image.segments.iter().map(|segment| {
            let length = segment.bytes.len() as u64 + u64::from(segment.zeroes);
            (u64::from(segment.address) + length).next_multiple_of(u64::from(PAGE))
        });
        let heap = u32::try_from(ends.max().unwrap_or(0)).unwrap_or(u32::MAX);
        Process {
            output: Vec::new(),
            standard_error: Vec::new(),
            read_input,
            input: None,
            input_is_open: || true,
            position: 0,
            typed: Typed::new(read_typed),
            blocks: Vec::new(),
            heap,
            heap_end: heap,
            remapped: false,
            descriptors: Descriptors::default(),
            files,
            current: b"/".to_vec(),
            refused_path: None,
            inodes: HashMap::new(),
            of_files: BTreeMap::new(),
            own_path: own_path(image),
            mask_of_files: MASK_OF_FILES,
            priority: 0,
            restartable: None,
            limits: Limits::default(),
            stack_top: image.process_stack().map(|stack| stack.end),
            signals: Signals::default(),
            elapsed: Duration::ZERO,
            slept: Duration::ZERO,
            stuck: None,
            random: 0,
            retrace: false,
            card: Card::default(),
        }
    }

    /// The same process, whose standard input can be read only if `is_open` says so, which is asked when it is read.
    pub fn with_input_open(self, is_open: fn() -> bool) -> Process {
        Process {
            input_is_open: is_open,
            ..self
        }
    }

    /// How a video card would show its memory.
    pub fn display(&self) -> &Display {
        &self.card.display
    }

    /// Whether the program is a Linux process, rather than a program in assembly that may ask DOS and Linux alike.
    fn is_linux_process(&self) -> bool {
        self.stack_top.is_some()
    }

    /// Begins another run. Returns whether the last run has changed the mapped memory.
    pub fn begin_run(&mut self) -> bool {
        self.output.clear();
        self.standard_error.clear();
        self.position = 0;
        self.typed.begin_run();
        self.blocks.clear();
        self.heap_end = self.heap;
        self.descriptors = Descriptors::default();
        self.inodes.clear();
        self.of_files.clear();
        self.current = b"/".to_vec();
        self.refused_path = None;
        self.mask_of_files = MASK_OF_FILES;
        self.priority = 0;
        self.restartable = None;
        self.limits = Limits::default();
        self.signals = Signals::default();
        self.elapsed = Duration::ZERO;
        self.slept = Duration::ZERO;
        self.stuck = None;
        self.random = 0;
        self.retrace = false;
        self.card = Card::default();
        std::mem::take(&mut self.remapped)
    }

    /// Copies up to `length` bytes of the input to `address`; returns their number, or `None` if memory cannot hold
    /// them.
    fn read(&mut self, state: &mut State, address: u32, length: u32) -> Option<u32> {
        let input = self.input.get_or_insert_with(self.read_input);
        let rest = input.get(self.position..).unwrap_or_default();
        let part = &rest[..rest.len().min(length as usize)];
        for (place, &byte) in part.iter().enumerate() {
            state.memory.write_u8(address.wrapping_add(place as u32), byte).ok()?;
        }
        self.position += part.len();
        Some(part.len() as u32)
    }

    /// The first address after the program.
    fn first_free(&self) -> u32 {
        self.heap
    }

    /// Moves the end of the heap to `wanted` if that is possible; returns the resulting end.
    fn set_heap_end(&mut self, state: &mut State, wanted: u32) -> u32 {
        let pages = |end: u32| end.checked_next_multiple_of(PAGE);
        let (Some(mapped), Some(end)) = (pages(self.heap_end), pages(wanted)) else {
            return self.heap_end;
        };
        if wanted < self.heap || end > MAPPINGS {
            return self.heap_end;
        }
        let done = if end > mapped {
            state.memory.first_mapped(mapped, end - mapped).is_none()
                && state.memory.map(mapped, end - mapped, true).is_ok()
        } else {
            state.memory.unmap(end, mapped - end).is_ok()
        };
        if done {
            self.remapped |= end != mapped;
            self.heap_end = wanted;
        }
        self.heap_end
    }

    /// Lets the stack of a process grow up to its limit.
    pub fn bound_stack(&self, state: &mut State) {
        if let Some(top) = self.stack_top {
            let first = top - self.limits.stack().next_multiple_of(PAGE);
            state.memory.grow_between(first, top);
        }
    }
}

/// The path of the program in the root folder: the last part of its name, which its stack has.
fn own_path(image: &Image) -> Vec<u8> {
    let top = image.process_stack().map_or(0, |stack| stack.end);
    let bottom = top.wrapping_sub(image.stack.len() as u32);
    let name = || {
        let first = image.stack.get(4..8)?.try_into().ok()?;
        let text = image
            .stack
            .get(u32::from_le_bytes(first).checked_sub(bottom)? as usize..)?;
        text.split(|&byte| byte == 0)
            .next()?
            .rsplit(|&byte| byte == b'/')
            .next()
    };
    [b"/", name().unwrap_or_default()].concat()
}

/// Serves software interrupt `vector`.
pub fn call(vector: u8, state: &mut State, process: &mut Process) -> Service {
    match vector {
        // A Linux process gets a fault from every interrupt but that of Linux, as from any that no gate lets it raise.
        0x10 | 0x15 | 0x16 | 0x1A | 0x20 | 0x21 if process.is_linux_process() => Service::None,
        0x10 => video::call(state, process),
        // What extenders of DOS pass on is served in 32-bit code, too; they have memory of their own to give.
        0x15 if state.registers.operation() == Operation::Real => extended::call(state),
        0x16 => keyboard::call(state, &mut process.typed),
        0x1A => clock::call(state, process),
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

impl Process {
    /// Writes `length` bytes at `address` to standard output, or to standard error.
    fn write_output(&mut self, state: &State, [address, length]: [u32; 2], errors: bool) -> Written {
        let begin = self.output.len();
        let taken = begin + BYTES_A_PIECE * self.standard_error.len();
        if taken as u64 + u64::from(length) > OUTPUT_CAPACITY as u64 {
            return Written::Full;
        }
        let Some(bytes) = state.memory.read_bytes(address, length) else {
            return Written::Unreadable;
        };
        self.output.extend(bytes);
        let [begin, end] = [begin, self.output.len()].map(|place| place as u32);
        match self.standard_error.last_mut().filter(|_| errors) {
            Some([_, last]) if *last == begin => *last = end,
            _ if errors && begin < end => self.standard_error.push([begin, end]),
            _ => {}
        }
        Written::All
    }
}

/// Gives a program of DOS an answer in EAX and the carry flag.
fn answer(state: &mut State, (eax, carry): (u32, bool)) {
    state.registers.general[0] = eax;
    let flags = state.registers.eflags();
    state.registers.set_eflags(flags & !1 | u32::from(carry));
}
