//! A stack of 16-bit code whose pointer goes below its segment, or below 0.

use iced_x86::Register;
use p5_image::{Image, Start};
use p5_words::registers::Registers;
use std::ops::Range;

/// The most bytes that an instruction moves the stack pointer by when it pushes.
const MOST_PUSHED: u32 = 64;

/// A stack pointer of 16 bits.
#[derive(Clone, Default)]
pub(super) struct Falling {
    // The linear addresses of the program's stack segment, if it has one.
    declared: Option<Range<u32>>,
    segment: u32,
    pointer: u32,
    // Whether it came to 0 by a push, rather than was set to 0, which means 64 KiB.
    fell: bool,
    // The last instruction, the first one that pushed below 0, and the first one below the stack segment.
    last: u32,
    wrapped: Option<u32>,
    overrun: Option<u32>,
}

/// Where the pointer of a stack first left it: the instruction, and the size of the program's stack segment, unless it
/// came below 0 first.
pub(super) type Left = (u32, Option<u32>);

impl Falling {
    /// The stack of a program whose stack pointer has 16 bits.
    pub(super) fn of(image: &Image) -> Option<Falling> {
        (image.start != Start::Flat).then(|| Falling {
            declared: declared_stack(image),
            ..Falling::default()
        })
    }

    /// Notes that an instruction comes next.
    pub(super) fn come_to(&mut self, _: u32, registers: &Registers) {
        let segment = registers.segments[Register::SS.number()].base();
        let pointer = registers.general[Register::ESP.number()] & 0xFFFF;
        let pushed = self.pointer.wrapping_sub(pointer) & 0xFFFF;
        let pushes = segment == self.segment && (1..=MOST_PUSHED).contains(&pushed);
        if pushes && pointer > self.pointer && (self.pointer > 0 || self.fell) {
            self.wrapped.get_or_insert(self.last);
        }
        if let Some(stack) = self.declared.as_ref().filter(|_| pushes) {
            let within = (stack.start..=stack.end).contains(&self.segment.wrapping_add(self.pointer));
            if within && (pointer > self.pointer || segment.wrapping_add(pointer) < stack.start) {
                self.overrun.get_or_insert(self.last);
            }
        }
        if pointer != self.pointer || segment != self.segment {
            self.fell = pushes && pointer == 0;
        }
        (self.segment, self.pointer) = (segment, pointer);
    }

    /// Notes that the instruction at `address` has been executed.
    pub(super) fn executed(&mut self, address: u32) {
        self.last = address;
    }

    /// The first push below the stack.
    pub(super) fn left(self) -> Option<Left> {
        let declared = self.declared.map(|stack| stack.end - stack.start);
        let overrun = self.overrun.map(|address| (address, declared));
        overrun.or(self.wrapped.map(|address| (address, None)))
    }
}

/// The stack segment of a program that is assembled with one.
fn declared_stack(image: &Image) -> Option<Range<u32>> {
    let Start::Real(start) = image.start else {
        return None;
    };
    // A far return address lies above it.
    let bottom = (u32::from(start.stack) << 4) + u32::from(start.top).checked_sub(4)?;
    let segment = image.segment_at(bottom.checked_sub(1)?)?;
    let end = segment.address + segment.bytes.len() as u32 + segment.zeroes;
    let lines = image.line_at(segment.address).is_some() || (segment.address..end).contains(&image.entry);
    (end == bottom && !lines).then_some(segment.address..end)
}
