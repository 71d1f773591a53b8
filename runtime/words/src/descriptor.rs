//! Descriptors: the eight bytes of a segment, table, task state segment or gate.
//!
//! Holds their fields, and the four segments of a program that has not loaded a descriptor table of its own. The rules
//! for loading descriptors are in `exec`.

/// The eight bytes of a descriptor as two dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The first dword: bits 0 to 15 of the limit and of the base, or a gate's selector and offset.
    pub low: u32,
    /// The last dword: the access byte, flags, and the rest of base and limit or of a gate's offset.
    pub high: u32,
}

/// The types of system descriptors, as in the low bits of the access byte.
pub mod system {
    /// A local descriptor table.
    pub const LOCAL_TABLE: u8 = 2;
    /// A task gate.
    pub const TASK_GATE: u8 = 5;
    /// A call gate, of 16 bits without [`WIDE`].
    pub const CALL_GATE: u8 = 4;
    /// An interrupt gate, which clears IF on entry.
    pub const INTERRUPT_GATE: u8 = 6;
    /// A trap gate, which leaves IF unchanged.
    pub const TRAP_GATE: u8 = 7;
    /// An available task state segment.
    pub const AVAILABLE_TASK: u8 = 1;
    /// The task state segment of a task that is running or was interrupted.
    pub const BUSY_TASK: u8 = 3;
    /// The bit in a type for 32-bit offsets, words and registers.
    pub const WIDE: u8 = 8;
}

const ACCESSED: u32 = 1 << 8;

impl Descriptor {
    /// A segment of 4 GiB from address 0 with the access byte `access`.
    const fn flat(access: u8) -> Descriptor {
        Descriptor {
            low: 0xFFFF,
            high: 0x00CF_0000 | (access as u32) << 8,
        }
    }

    /// The segment for `selector` in a program that has not loaded a table: 08h is code and 10h data of level 0, 18h is
    /// code and 20h data of level 3. There are no others.
    pub fn of_flat_program(selector: u16) -> Option<Descriptor> {
        match selector & !3 {
            0x08 => Some(Descriptor::flat(0x9B)),
            0x10 => Some(Descriptor::flat(0x93)),
            0x18 => Some(Descriptor::flat(0xFB)),
            0x20 => Some(Descriptor::flat(0xF3)),
            _ => None,
        }
    }

    /// The table entry of a thread's segment in a program without tables; its selector is this times 8, plus 3.
    pub const OF_THREAD: u32 = 6;

    /// A data segment of level 3 at `base`; `limit` counts pages if `pages`, and bytes otherwise.
    pub fn of_thread(base: u32, limit: u32, pages: bool) -> Descriptor {
        const ACCESS: u32 = 0xF3;
        const WIDE: u32 = 1 << 22;
        Descriptor {
            low: base << 16 | limit & 0xFFFF,
            high: base & 0xFF00_0000
                | u32::from(pages) << 23
                | WIDE
                | limit & 0x000F_0000
                | ACCESS << 8
                | base >> 16 & 0xFF,
        }
    }

    /// The linear address of offset 0.
    pub fn base(self) -> u32 {
        self.low >> 16 | (self.high & 0xFF) << 16 | self.high & 0xFF00_0000
    }

    /// The limit in bytes, also if the descriptor counts pages.
    pub fn limit(self) -> u32 {
        let limit = self.low & 0xFFFF | self.high & 0x000F_0000;
        if self.high >> 23 & 1 != 0 {
            limit << 12 | 0xFFF
        } else {
            limit
        }
    }

    /// The access byte: the present bit, the privilege level, the segment bit and the type.
    pub fn access(self) -> u8 {
        (self.high >> 8) as u8
    }

    /// Whether the present bit is set.
    pub fn is_present(self) -> bool {
        self.access() & 0x80 != 0
    }

    /// The privilege level, 0 to 3.
    pub fn level(self) -> u8 {
        self.access() >> 5 & 3
    }

    /// Whether it describes a code or data segment rather than a system object.
    pub fn is_segment(self) -> bool {
        self.access() & 0x10 != 0
    }

    /// The type of a system descriptor, as listed in [`system`].
    pub fn system_type(self) -> u8 {
        self.access() & 0xF
    }

    /// Whether it is a code segment.
    pub fn is_code(self) -> bool {
        self.access() & 0x18 == 0x18
    }

    /// Whether it is a conforming code segment, which runs at the privilege level of its caller.
    pub fn is_conforming(self) -> bool {
        self.access() & 0x1C == 0x1C
    }

    /// Whether it is a writable data segment.
    pub fn is_writable(self) -> bool {
        self.access() & 0x1A == 0x12
    }

    /// Whether it can be read: a data segment, or a code segment with the readable bit.
    pub fn is_readable(self) -> bool {
        self.access() & 0x18 == 0x10 || self.access() & 0x1A == 0x1A
    }

    /// Whether it is a data segment that expands down: its offsets lie above the limit.
    pub fn expands_down(self) -> bool {
        self.access() & 0x1C == 0x14
    }

    /// The D or B bit: 32-bit code, a 32-bit stack pointer, or 32-bit offsets in a segment that expands down.
    pub fn is_wide(self) -> bool {
        self.high >> 22 & 1 != 0
    }

    /// Whether it has been loaded into a segment register.
    pub fn is_accessed(self) -> bool {
        self.high & ACCESSED != 0
    }

    /// The same descriptor with the accessed bit set.
    pub fn accessed(self) -> Descriptor {
        Descriptor {
            high: self.high | ACCESSED,
            ..self
        }
    }

    /// The selector in a gate.
    pub fn gate_selector(self) -> u16 {
        (self.low >> 16) as u16
    }

    /// The offset in a gate; 16-bit gates have only its low half.
    pub fn gate_offset(self) -> u32 {
        let low = self.low & 0xFFFF;
        if self.system_type() & system::WIDE != 0 {
            low | self.high & 0xFFFF_0000
        } else {
            low
        }
    }

    /// The number of words or dwords that a call gate copies from the caller's stack.
    pub fn gate_parameters(self) -> u32 {
        self.high & 31
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_where_the_manual_has_them() {
        let data = Descriptor {
            low: 0x5678_1234,
            high: 0xAB4F_F2CD,
        };
        assert_eq!((data.base(), data.limit()), (0xABCD_5678, 0x000F_1234));
        assert!(data.is_writable() && data.is_wide() && data.is_present() && !data.is_code() && !data.expands_down());
        assert_eq!(data.level(), 3);
        let paged = Descriptor {
            high: data.high | 1 << 23,
            ..data
        };
        assert_eq!(paged.limit(), 0xF123_4FFF);
        let gate = Descriptor {
            low: 0x0008_2222,
            high: 0x1111_EC05,
        };
        assert_eq!(
            (gate.gate_selector(), gate.gate_offset(), gate.gate_parameters()),
            (8, 0x1111_2222, 5)
        );
        assert_eq!(gate.system_type(), system::CALL_GATE | system::WIDE);
    }
}
