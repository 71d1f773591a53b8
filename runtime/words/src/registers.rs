//! Registers: those that a program can name, and those that hold a segment or a table.

use crate::descriptor::Descriptor;
pub use crate::flags::sign_extend;
pub use crate::flags::{
    AC, AF, CF, DF, FaultedComparison, Flags, ID, IF, IOPL, NT, OF, PF, RF, SF, STATUS, TF, VM, ZF,
};
use crate::fpu::Fpu;
use crate::mode::{Mode, Operation};

/// CR0: protected mode enabled.
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
/// CR0: not write-through, so that writes that hit a cache do not reach memory.
pub const CR0_NW: u32 = 1 << 29;
/// CR0: caches disabled for new lines.
pub const CR0_CD: u32 = 1 << 30;
/// CR0: paging enabled.
pub const CR0_PG: u32 = 1 << 31;
/// CR4: RDTSC is restricted to privilege level 0.
pub const CR4_TSD: u32 = 1 << 2;
/// CR4: I/O breakpoints, and no aliases DR4 and DR5 for DR6 and DR7.
pub const CR4_DE: u32 = 1 << 3;
/// CR4: pages of 4 MiB are available.
pub const CR4_PSE: u32 = 1 << 4;
/// CR4: RDPMC is allowed at any privilege level.
pub const CR4_PCE: u32 = 1 << 8;

/// The index of ES in [`Registers::segments`].
pub const ES: usize = 0;
/// The index of CS in [`Registers::segments`].
pub const CS: usize = 1;
/// The index of SS in [`Registers::segments`].
pub const SS: usize = 2;
/// The index of DS in [`Registers::segments`].
pub const DS: usize = 3;
/// The index of FS in [`Registers::segments`].
pub const FS: usize = 4;
/// The index of GS in [`Registers::segments`].
pub const GS: usize = 5;

/// A segment register: a selector and the descriptor loaded with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentRegister {
    selector: u16,
    /// The accesses that must be checked: [`CHECK_LOAD`] and [`CHECK_STORE`].
    pub checks: u8,
    base: u32,
    limit: u32,
    /// The access byte of the descriptor; 0 after a null selector.
    access: u8,
    wide: bool,
}

/// The bit for segments through which loads must be checked.
pub const CHECK_LOAD: u8 = 1;
/// The bit for segments through which stores must be checked.
pub const CHECK_STORE: u8 = 2;

/// The access byte of a segment in real and virtual 8086 mode: writable data that can also be executed.
const REAL_ACCESS: u8 = 0x93;
const VIRTUAL_ACCESS: u8 = 0xF3;
const REAL_LIMIT: u32 = 0xFFFF;

impl SegmentRegister {
    /// The register after `selector` has loaded `descriptor`, which describes a segment.
    pub fn of(selector: u16, descriptor: Descriptor) -> Self {
        let mut register = SegmentRegister {
            selector,
            checks: 0,
            base: descriptor.base(),
            limit: descriptor.limit(),
            access: descriptor.access(),
            wide: descriptor.is_wide(),
        };
        register.checks = register.needed_checks();
        register
    }

    /// A register with a null selector. Its use is a general protection fault.
    pub fn null(selector: u16) -> Self {
        SegmentRegister {
            selector,
            checks: CHECK_LOAD | CHECK_STORE,
            base: 0,
            limit: 0,
            access: 0,
            wide: false,
        }
    }

    /// The register at reset: 64 KiB from 16 times the selector.
    pub fn real(selector: u16) -> Self {
        SegmentRegister {
            selector,
            checks: CHECK_LOAD | CHECK_STORE,
            base: u32::from(selector) << 4,
            limit: REAL_LIMIT,
            access: REAL_ACCESS,
            wide: false,
        }
    }

    /// The register in virtual 8086 mode.
    pub fn virtual_8086(selector: u16) -> Self {
        SegmentRegister {
            access: VIRTUAL_ACCESS,
            ..SegmentRegister::real(selector)
        }
    }

    /// The register after a load in real mode, which changes only the base. Limit and size remain those of the previous
    /// descriptor.
    pub fn reloaded_in_real_mode(&self, selector: u16) -> Self {
        let mut register = SegmentRegister {
            selector,
            base: u32::from(selector) << 4,
            access: REAL_ACCESS,
            ..*self
        };
        register.checks = register.needed_checks();
        register
    }

    fn needed_checks(&self) -> u8 {
        let bounded = self.limit != u32::MAX || self.expands_down();
        let load = if bounded || !self.readable() { CHECK_LOAD } else { 0 };
        let store = if bounded || !self.writable() { CHECK_STORE } else { 0 };
        load | store
    }

    /// The selector; in real mode the paragraph.
    pub fn selector(&self) -> u16 {
        self.selector
    }

    /// The linear address of offset 0.
    #[inline(always)]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The highest valid offset, or the highest invalid one if the segment expands down.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Whether a segment is loaded: the selector is not null.
    pub fn usable(&self) -> bool {
        self.access != 0
    }

    /// Whether the segment is writable.
    pub fn writable(&self) -> bool {
        self.access & 0x0A == 0x02
    }

    /// Whether the segment is readable.
    pub fn readable(&self) -> bool {
        self.access & 0x0A != 0x08
    }

    /// Whether the segment expands down: its offsets lie above the limit.
    pub fn expands_down(&self) -> bool {
        self.access & 0x0C == 0x04
    }

    /// Whether the segment is conforming code.
    pub fn conforming(&self) -> bool {
        self.access & 0x0C == 0x0C
    }

    /// Whether the segment is code.
    pub fn is_code(&self) -> bool {
        self.access & 0x08 != 0
    }

    /// The privilege level of the descriptor, 0 to 3.
    pub fn level(&self) -> u8 {
        self.access >> 5 & 3
    }

    /// The D or B bit of the descriptor.
    pub fn wide(&self) -> bool {
        self.wide
    }

    /// Whether all of the `size` bytes from `offset` are in the segment.
    pub fn holds(&self, offset: u32, size: u32) -> bool {
        let Some(last) = offset.checked_add(size - 1) else {
            return false;
        };
        if self.expands_down() {
            let most = if self.wide { u32::MAX } else { 0xFFFF };
            return offset > self.limit && last <= most;
        }
        last <= self.limit
    }
}

/// A register that LGDT or LIDT loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableRegister {
    /// The linear address of the table.
    pub base: u32,
    /// The offset of the table's last byte.
    pub limit: u16,
}

impl TableRegister {
    /// The table of a program that has not loaded one; it does not exist in memory.
    pub const OF_FLAT_PROGRAM: TableRegister = TableRegister { base: 0, limit: 0x27 };
    /// The interrupt table at reset, for real mode.
    pub const INTERRUPTS_AT_RESET: TableRegister = TableRegister { base: 0, limit: 0x3FF };
}

/// LDTR or TR: a selector and the descriptor loaded with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemSegment {
    /// The selector; null if none is loaded.
    pub selector: u16,
    /// The linear address of offset 0.
    pub base: u32,
    /// The highest valid offset in the segment.
    pub limit: u32,
    /// Whether it describes a 32-bit task state segment.
    pub wide: bool,
}

/// Every register of the processor except the model-specific registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// The general registers: EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI.
    pub general: [u32; 8],
    /// The linear address of the instruction to execute: the base of CS plus EIP.
    pub eip: u32,
    /// EFLAGS, with lazy status flags.
    pub flags: Flags,
    /// The segment registers: ES, CS, SS, DS, FS, GS.
    pub segments: [SegmentRegister; 6],
    /// The current privilege level, 0 to 3.
    pub cpl: u8,
    /// Control register 0: mode, paging and cache bits.
    pub cr0: u32,
    /// Control register 2: the linear address of the last page fault.
    pub cr2: u32,
    /// Control register 3: the address of the page directory.
    pub cr3: u32,
    /// Control register 4: extensions.
    pub cr4: u32,
    /// Debug registers; 4 and 5 are aliases of 6 and 7.
    pub dr: [u32; 8],
    /// Test registers for MOV TR: 3 to 7 (0 to 2 stay 0). A Pentium has none and rejects the instruction.
    pub tr: [u32; 8],
    /// The global descriptor table register.
    pub gdtr: TableRegister,
    /// The interrupt descriptor table register.
    pub idtr: TableRegister,
    /// The segment of a thread, which an operating system gives a program without tables of its own.
    pub thread: Option<Descriptor>,
    /// The local descriptor table register.
    pub ldtr: SystemSegment,
    /// The task register, with the current task state segment.
    pub task: SystemSegment,
    /// The registers of the floating-point unit.
    pub fpu: Fpu,
}

impl Registers {
    /// The registers in flat 32-bit protected mode with paging: at privilege level 3 if `cpl` is 3, otherwise at level
    /// 0.
    pub fn flat(cpl: u8) -> Registers {
        let cpl = if cpl == 3 { 3 } else { 0 };
        let (code, data) = if cpl == 3 { (0x1B, 0x23) } else { (0x08, 0x10) };
        let segment = |selector| {
            let descriptor = Descriptor::of_flat_program(selector);
            descriptor.map_or(SegmentRegister::null(selector), |chosen| {
                SegmentRegister::of(selector, chosen)
            })
        };
        let mut segments = [segment(data); 6];
        segments[CS] = segment(code);
        let mut flags = Flags::default();
        flags.set_word(IF | 2);
        Registers {
            general: [0; 8],
            eip: 0,
            flags,
            segments,
            cpl,
            cr0: CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_WP | CR0_AM | CR0_PG,
            cr2: 0,
            cr3: 0,
            cr4: 0,
            dr: [0, 0, 0, 0, 0, 0, 0xFFFF_0FF0, 0x400],
            tr: [0; 8],
            gdtr: TableRegister::OF_FLAT_PROGRAM,
            idtr: TableRegister::default(),
            thread: None,
            ldtr: SystemSegment::default(),
            task: SystemSegment::default(),
            fpu: Fpu::default(),
        }
    }

    /// The registers in real mode as after reset, at `code:offset` with the stack at `stack:top`. DS, ES, FS and GS
    /// hold `data`.
    pub fn real(code: u16, offset: u16, stack: u16, top: u16, data: u16) -> Registers {
        let mut registers = Registers::flat(0);
        registers.segments = [SegmentRegister::real(data); 6];
        registers.segments[CS] = SegmentRegister::real(code);
        registers.segments[SS] = SegmentRegister::real(stack);
        registers.general[4] = u32::from(top);
        registers.eip = registers.segments[CS].base().wrapping_add(u32::from(offset));
        registers.cr0 = CR0_ET;
        registers.gdtr = TableRegister { base: 0, limit: 0xFFFF };
        registers.idtr = TableRegister::INTERRUPTS_AT_RESET;
        registers.flags.set_word(IF | 2);
        registers
    }

    /// The mode for which the current code is decoded.
    pub fn mode(&self) -> Mode {
        let (code, stack) = (&self.segments[CS], &self.segments[SS]);
        Mode {
            code_base: code.base(),
            code_limit: code.limit(),
            wide_code: code.wide(),
            wide_stack: stack.wide(),
            operation: self.operation(),
            user: self.cpl > 0,
            tables: self.has_tables(),
        }
    }

    /// Whether the program has loaded a descriptor table of its own.
    pub fn has_tables(&self) -> bool {
        self.gdtr != TableRegister::OF_FLAT_PROGRAM
    }

    /// Real, virtual 8086 or protected mode, by CR0.PE and EFLAGS.VM.
    pub fn operation(&self) -> Operation {
        if self.cr0 & CR0_PE == 0 {
            Operation::Real
        } else if self.flags.rest & VM != 0 {
            Operation::Virtual
        } else {
            Operation::Protected
        }
    }

    /// EIP: the offset in the code segment of the instruction to execute.
    pub fn instruction_pointer(&self) -> u32 {
        self.eip.wrapping_sub(self.segments[CS].base())
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
    pub fn get<const N: u32>(&self, number: u8) -> u32 {
        match N {
            8 => (self.general[usize::from(number & 3)] >> ((number & 4) * 2)) & 0xFF,
            16 => self.general[usize::from(number & 7)] & 0xFFFF,
            _ => self.general[usize::from(number & 7)],
        }
    }

    /// Sets `N` bits of a general register, numbered as in [`Registers::get`].
    #[inline(always)]
    pub fn put<const N: u32>(&mut self, number: u8, value: u32) {
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
