//! Registers: those that a program can name, and the descriptors that its selectors can select.

pub(crate) use crate::flags::sign_extend;
pub use crate::flags::{AC, AF, CF, DF, Flags, ID, IF, IOPL, NT, OF, PF, RF, SF, STATUS, TF, VM, ZF};
use crate::fpu::Fpu;

/// CR0: protected mode.
pub const CR0_PE: u32 = 1 << 0;
/// CR0: WAIT checks TS.
pub const CR0_MP: u32 = 1 << 1;
/// CR0: coprocessor instructions are emulated.
pub const CR0_EM: u32 = 1 << 2;
/// CR0: a task switch happened since the coprocessor was last used.
pub const CR0_TS: u32 = 1 << 3;
/// CR0: extension type, always set.
pub const CR0_ET: u32 = 1 << 4;
/// CR0: coprocessor errors are reported by exception.
pub const CR0_NE: u32 = 1 << 5;
/// CR0: read-only pages are protected from privilege levels 0 to 2 too.
pub const CR0_WP: u32 = 1 << 16;
/// CR0: alignment check enabled.
pub const CR0_AM: u32 = 1 << 18;
/// CR0: not write through.
pub const CR0_NW: u32 = 1 << 29;
/// CR0: cache disable.
pub const CR0_CD: u32 = 1 << 30;
/// CR0: paging.
pub const CR0_PG: u32 = 1 << 31;
/// CR4: RDTSC only at privilege level 0.
pub const CR4_TSD: u32 = 1 << 2;
/// CR4: RDPMC at any privilege level.
pub const CR4_PCE: u32 = 1 << 8;

/// Index of ES in [`Registers::segments`].
pub const ES: usize = 0;
/// Index of CS.
pub const CS: usize = 1;
/// Index of SS.
pub const SS: usize = 2;
/// Index of DS.
pub const DS: usize = 3;
/// Index of FS.
pub const FS: usize = 4;
/// Index of GS.
pub const GS: usize = 5;

/// One of the fixed flat segments that a selector can select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Whether it is code (readable, nonconforming) rather than writable data.
    pub code: bool,
    /// Descriptor privilege level, 0 or 3.
    pub level: u8,
}

/// The descriptor that `selector` selects: 08h code and 10h data of level 0, 18h code and 20h data of level 3, each 4
/// GiB from address 0. There are no others, and no local table.
pub fn descriptor(selector: u16) -> Option<Descriptor> {
    let (code, level) = match selector & !3 {
        0x08 => (true, 0),
        0x10 => (false, 0),
        0x18 => (true, 3),
        0x20 => (false, 3),
        _ => return None,
    };
    Some(Descriptor { code, level })
}

/// A segment register: a selector and the descriptor loaded with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentRegister {
    selector: u16,
    /// The accesses that must be checked: [`CHECK_LOAD`] and [`CHECK_STORE`].
    pub(crate) checks: u8,
    base: u32,
    limit: u32,
    usable: bool,
    writable: bool,
}

/// Loads through this segment must be checked.
pub(crate) const CHECK_LOAD: u8 = 1;
/// Stores through this segment must be checked.
pub(crate) const CHECK_STORE: u8 = 2;

impl SegmentRegister {
    /// A usable segment of `limit + 1` bytes from `base`.
    pub fn new(selector: u16, base: u32, limit: u32, writable: bool) -> Self {
        let bounded = limit != u32::MAX;
        SegmentRegister {
            selector,
            checks: if bounded { CHECK_LOAD | CHECK_STORE } else { 0 } | if writable { 0 } else { CHECK_STORE },
            base,
            limit,
            usable: true,
            writable,
        }
    }

    /// A register with a null selector, whose use is a general protection fault.
    pub fn null(selector: u16) -> Self {
        SegmentRegister {
            selector,
            checks: CHECK_LOAD | CHECK_STORE,
            base: 0,
            limit: 0,
            usable: false,
            writable: false,
        }
    }

    /// The selector.
    pub fn selector(&self) -> u16 {
        self.selector
    }

    /// The linear address of offset 0.
    #[inline(always)]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The highest valid offset.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Whether a segment is loaded.
    pub fn usable(&self) -> bool {
        self.usable
    }

    /// Whether it is writable.
    pub fn writable(&self) -> bool {
        self.writable
    }
}

/// The register that LGDT and LIDT load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableRegister {
    /// The linear address of the table.
    pub base: u32,
    /// The offset of its last byte.
    pub limit: u16,
}

/// Every register of the processor except the model-specific registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI.
    pub general: [u32; 8],
    /// The address of the instruction to execute.
    pub eip: u32,
    /// EFLAGS.
    pub flags: Flags,
    /// ES, CS, SS, DS, FS, GS.
    pub segments: [SegmentRegister; 6],
    /// Current privilege level, 0 to 3.
    pub cpl: u8,
    /// Control register 0.
    pub cr0: u32,
    /// Page fault linear address.
    pub cr2: u32,
    /// Page directory base.
    pub cr3: u32,
    /// Control register 4.
    pub cr4: u32,
    /// Debug registers; 4 and 5 are aliases of 6 and 7.
    pub dr: [u32; 8],
    /// Test registers for MOV TR: 3 to 7 (0 to 2 stay 0). A Pentium has none and rejects the instruction.
    pub tr: [u32; 8],
    /// Global descriptor table register.
    pub gdtr: TableRegister,
    /// Interrupt descriptor table register.
    pub idtr: TableRegister,
    /// Local descriptor table selector.
    pub ldtr: u16,
    /// Task register selector.
    pub task: u16,
    /// The registers of the floating-point unit.
    pub fpu: Fpu,
}

impl Registers {
    /// Flat 32-bit protected mode with paging at privilege level `cpl`: 3 means level 3, anything else level 0.
    pub fn flat(cpl: u8) -> Registers {
        let cpl = if cpl == 3 { 3 } else { 0 };
        let (code, data) = if cpl == 3 { (0x1B, 0x23) } else { (0x08, 0x10) };
        let data = SegmentRegister::new(data, 0, u32::MAX, true);
        let mut segments = [data; 6];
        segments[CS] = SegmentRegister::new(code, 0, u32::MAX, false);
        let mut flags = Flags::default();
        flags.set_word(IF | 2);
        Registers {
            general: [0; 8],
            eip: 0,
            flags,
            segments,
            cpl,
            cr0: CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_WP | CR0_PG,
            cr2: 0,
            cr3: 0,
            cr4: 0,
            dr: [0, 0, 0, 0, 0, 0, 0xFFFF_0FF0, 0x400],
            tr: [0; 8],
            gdtr: TableRegister { base: 0, limit: 0x27 },
            idtr: TableRegister::default(),
            ldtr: 0,
            task: 0,
            fpu: Fpu::default(),
        }
    }

    /// EFLAGS as one word.
    pub fn eflags(&self) -> u32 {
        self.flags.word()
    }

    /// Sets all of EFLAGS without checking privilege.
    pub fn set_eflags(&mut self, word: u32) {
        self.flags.set_word(word);
    }

    /// The I/O privilege level, 0 to 3.
    pub fn iopl(&self) -> u8 {
        ((self.flags.rest & IOPL) >> 12) as u8
    }

    /// The `N`-bit general register given by the low three bits of `number`, zero-extended; 8-bit registers 4 to 7 are
    /// AH, CH, DH and BH.
    #[inline(always)]
    pub(crate) fn get<const N: u32>(&self, number: u8) -> u32 {
        match N {
            8 => (self.general[usize::from(number & 3)] >> ((number & 4) * 2)) & 0xFF,
            16 => self.general[usize::from(number & 7)] & 0xFFFF,
            _ => self.general[usize::from(number & 7)],
        }
    }

    /// Sets `N` bits of a general register, numbered as in [`Registers::get`].
    #[inline(always)]
    pub(crate) fn put<const N: u32>(&mut self, number: u8, value: u32) {
        match N {
            8 => {
                let shift = (number & 4) * 2;
                let register = &mut self.general[usize::from(number & 3)];
                *register = (*register & !(0xFF << shift)) | ((value & 0xFF) << shift);
            }
            16 => {
                let register = &mut self.general[usize::from(number & 7)];
                *register = (*register & 0xFFFF_0000) | (value & 0xFFFF);
            }
            _ => self.general[usize::from(number & 7)] = value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_registers() {
        let mut registers = Registers::flat(0);
        registers.put::<32>(0, 0x1122_3344);
        registers.put::<8>(4, 0xAB);
        assert_eq!(registers.general[0], 0x1122_AB44);
        assert_eq!(registers.get::<8>(4), 0xAB);
        assert_eq!(registers.get::<8>(0), 0x44);
    }
}
