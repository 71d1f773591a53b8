//! The size of a fragment's addresses, and where its offsets count from.

use iced_x86::{CodeSize, Instruction, Register, UsedMemory};
use p5_image::{Image, STACK_HEADROOM, STACK_TOP, Start};

/// The offset of the stack pointer in 16-bit code: a page of its segment is kept for the stack, and some bytes lie
/// above it, as in 32-bit code.
pub(super) const NARROW_STACK: u16 = 0xFF00;
/// The end of what scratch memory may take in 16-bit code.
pub(super) const NARROW_END: u32 = 0xF000;

/// The size of a fragment's addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    /// The bytes of an address, 2 or 4.
    pub(super) bytes: u32,
    /// The linear address of offset 0.
    pub(super) base: u32,
    /// The offset of the stack pointer at first.
    pub(super) stack: u32,
}

impl Width {
    pub(super) fn of(image: &Image) -> Width {
        match image.start {
            Start::Flat => Width {
                bytes: 4,
                base: 0,
                stack: STACK_TOP - STACK_HEADROOM,
            },
            Start::Real(start) => Width {
                bytes: 2,
                base: start.in_code(0),
                stack: u32::from(NARROW_STACK),
            },
        }
    }

    pub(super) fn is_narrow(self) -> bool {
        self.bytes == 2
    }

    /// Whether a value of this size can hold an address.
    pub(super) fn is_whole(self, size: usize) -> bool {
        size == 4 || size == self.bytes as usize
    }

    /// The number that an address of an instruction adds to its registers; without registers it is an offset.
    pub(super) fn displacement(self, instruction: &Instruction) -> i32 {
        let alone = instruction.memory_base() == Register::None && instruction.memory_index() == Register::None;
        match self.is_narrow() {
            true => signed(instruction.memory_displacement32(), alone),
            false => instruction.memory_displacement32() as i32,
        }
    }

    /// The same of an access.
    pub(super) fn displacement_of(self, used: &UsedMemory) -> i32 {
        let alone = used.base() == Register::None && used.index() == Register::None;
        match used.address_size() == CodeSize::Code16 && self.is_narrow() {
            true => signed(used.displacement() as u32, alone),
            false => used.displacement() as i32,
        }
    }
}

/// A displacement of 16 bits. Beside a register it is a distance, unless it is the offset of data.
fn signed(displacement: u32, alone: bool) -> i32 {
    match displacement {
        0xC000..=0xFFFF if !alone => i32::from(displacement as u16 as i16),
        displacement => displacement as i32,
    }
}
