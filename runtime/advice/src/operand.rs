//! A memory operand: the registers and numbers of its address, its size, and whether it is written.

use iced_x86::{CodeSize, Register, UsedMemory};

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) segment: Register,
    pub(super) base: Register,
    pub(super) index: Register,
    pub(super) scale: u32,
    pub(super) displacement: u32,
    /// The size in bytes; 0 if it is not known.
    pub(super) size: u32,
    /// The width of the address in bits.
    pub(super) bits: u32,
    pub(super) write: bool,
}

impl Operand {
    /// The operand as the decoder describes it; an `open` operand has no known size.
    pub(super) fn of(used: &UsedMemory, write: bool, open: bool) -> Operand {
        let open = open || used.index().size() == 1;
        Operand {
            segment: used.segment(),
            base: used.base(),
            index: used.index(),
            scale: used.scale(),
            displacement: used.displacement() as u32,
            size: if open { 0 } else { used.memory_size().size() as u32 },
            bits: match used.address_size() {
                CodeSize::Code16 => 16,
                _ => 32,
            },
            write,
        }
    }
}
