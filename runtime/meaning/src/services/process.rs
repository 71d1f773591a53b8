//! The process of a running program: its output so far, its input, its heap and mappings, its signals and its time.

use super::descriptors::Descriptors;
use super::files::Files;
use super::keyboard::Typed;
use super::limits::Limits;
use super::mappings::{FilePage, MAPPINGS};
use super::signals::Signals;
use super::status::Numbered;
use crate::exec::State;
use p5_image::Image;
use p5_words::isa::PAGE;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::time::Duration;

/// The usual mask of new files.
const MASK_OF_FILES: u32 = 0o022;

/// The state of a process in one run.
pub struct Process {
    /// The bytes that the program has written, at most [`OUTPUT_CAPACITY`](super::OUTPUT_CAPACITY).
    pub output: Vec<u8>,
    /// Reads the whole input, once, when a program first requests it.
    read_input: fn() -> Vec<u8>,
    input: Option<Vec<u8>>,
    /// The number of bytes of the input that this run has read.
    position: usize,
    /// What is typed at the keyboard of a DOS program.
    pub(super) typed: Typed,
    /// The paragraphs of the blocks of memory that DOS has given to the program, in ascending order.
    pub(super) blocks: Vec<Range<u32>>,
    /// The first address after the program.
    heap: u32,
    /// The first address after the heap.
    heap_end: u32,
    /// Whether memory was mapped, unmapped or protected in this run.
    pub(super) remapped: bool,
    /// The descriptors.
    pub(super) descriptors: Descriptors,
    /// The files that the program may read.
    pub(super) files: Option<&'static Files>,
    /// The path of the file that the program last opened, if there was none.
    pub missing: Option<Vec<u8>>,
    /// The number of each inode that the program has asked for.
    pub(super) inodes: HashMap<Numbered, u32>,
    /// The mapped pages of files, by their addresses.
    pub(super) of_files: BTreeMap<u32, FilePage>,
    /// The path of the program itself.
    pub(super) own_path: Vec<u8>,
    /// The bits that new files would not have.
    pub(super) mask_of_files: u32,
    /// The address and the mark of the area for restartable sequences.
    pub(super) restartable: Option<(u32, u32)>,
    /// The resource limits that calls read and set.
    pub(super) limits: Limits,
    /// The end of the stack, which grows down, if the program is a Linux process.
    stack_top: Option<u32>,
    /// The actions for signals, and the signals that wait.
    pub signals: Signals,
    /// The time since the run began, including sleep.
    pub elapsed: Duration,
    /// The total sleep, which took no clocks.
    pub slept: Duration,
    /// The address of the lock for which the program waits without an end.
    pub(super) stuck: Option<u32>,
    /// The state from which the next random bytes are made.
    pub(super) random: u64,
    /// Whether the last read of a video card's status found it in a retrace.
    pub(super) retrace: bool,
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
            read_input,
            input: None,
            position: 0,
            typed: Typed::new(read_typed),
            blocks: Vec::new(),
            heap,
            heap_end: heap,
            remapped: false,
            descriptors: Descriptors::default(),
            files,
            missing: None,
            inodes: HashMap::new(),
            of_files: BTreeMap::new(),
            own_path: own_path(image),
            mask_of_files: MASK_OF_FILES,
            restartable: None,
            limits: Limits::default(),
            stack_top: image.process_stack().map(|stack| stack.end),
            signals: Signals::default(),
            elapsed: Duration::ZERO,
            slept: Duration::ZERO,
            stuck: None,
            random: 0,
            retrace: false,
        }
    }

    /// Whether the program is a Linux process, rather than a program in assembly that may ask DOS and Linux alike.
    pub(super) fn is_linux_process(&self) -> bool {
        self.stack_top.is_some()
    }

    /// Begins another run. Returns whether the last run has changed the mapped memory.
    pub fn begin_run(&mut self) -> bool {
        self.output.clear();
        self.position = 0;
        self.typed.begin_run();
        self.blocks.clear();
        self.heap_end = self.heap;
        self.descriptors = Descriptors::default();
        self.inodes.clear();
        self.of_files.clear();
        self.mask_of_files = MASK_OF_FILES;
        self.restartable = None;
        self.limits = Limits::default();
        self.signals = Signals::default();
        self.elapsed = Duration::ZERO;
        self.slept = Duration::ZERO;
        self.stuck = None;
        self.random = 0;
        self.retrace = false;
        std::mem::take(&mut self.remapped)
    }

    /// Copies up to `length` bytes of the input to `address`; returns their number, or `None` if memory cannot hold
    /// them.
    pub(super) fn read(&mut self, state: &mut State, address: u32, length: u32) -> Option<u32> {
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
    pub(super) fn first_free(&self) -> u32 {
        self.heap
    }

    /// Moves the end of the heap to `wanted` if that is possible; returns the resulting end.
    pub(super) fn set_heap_end(&mut self, state: &mut State, wanted: u32) -> u32 {
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
