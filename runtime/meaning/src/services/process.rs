//! The process of a running program: its output so far, its input, its heap and mappings, its signals and its time.

use super::signals::Signals;
use crate::exec::State;
use p5_image::Image;
use p5_words::isa::PAGE;
use std::time::Duration;

/// The first address of mappings, and the limit of their last.
const MAPPINGS: u32 = 0x4000_0000;
const MAPPINGS_END: u32 = 0xC000_0000;

/// The state of a program's process in one run.
pub struct Process {
    /// The bytes that the program has written.
    pub output: Vec<u8>,
    /// Reads the whole input, once, when a program first requests it.
    read_input: fn() -> Vec<u8>,
    input: Option<Vec<u8>>,
    /// The number of bytes of the input that this run has read.
    position: usize,
    /// The first address after the program.
    heap: u32,
    /// The first address after the heap.
    heap_end: u32,
    /// Whether memory was mapped or unmapped in this run.
    remapped: bool,
    /// The actions and masks of its signals.
    pub signals: Signals,
    /// The time since the run began.
    pub elapsed: Duration,
}

impl Process {
    /// The process of a newly loaded program. `read_input` returns its standard input at the first request.
    pub fn new(image: &Image, read_input: fn() -> Vec<u8>) -> Process {
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
            heap,
            heap_end: heap,
            remapped: false,
            signals: Signals::default(),
            elapsed: Duration::ZERO,
        }
    }

    /// Begins another run. Returns whether the last run changed the mapped memory.
    pub fn begin_run(&mut self) -> bool {
        self.output.clear();
        self.position = 0;
        self.heap_end = self.heap;
        self.signals = Signals::default();
        self.elapsed = Duration::ZERO;
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

    /// Maps fresh memory; returns its address, or `None` if there is no room.
    pub(super) fn map(&mut self, state: &mut State, length: u32) -> Option<u32> {
        let length = length.checked_next_multiple_of(PAGE).filter(|&length| length > 0)?;
        let mut address = MAPPINGS;
        loop {
            let end = address.checked_add(length).filter(|&end| end <= MAPPINGS_END)?;
            match state.memory.first_mapped(address, length) {
                Some(mapped) => address = mapped + PAGE,
                None => {
                    debug_assert!(end > address);
                    state.memory.map(address, length, true).ok()?;
                    self.remapped = true;
                    return Some(address);
                }
            }
        }
    }

    /// Unmaps memory that was mapped here; returns false for any other memory.
    pub(super) fn unmap(&mut self, state: &mut State, address: u32, length: u32) -> bool {
        let end = address.checked_add(length).filter(|&end| end <= MAPPINGS_END);
        if address < MAPPINGS || !address.is_multiple_of(PAGE) || length == 0 || end.is_none() {
            return false;
        }
        self.remapped = true;
        state.memory.unmap(address, length).is_ok()
    }
}
