//! Registers: what a program can name, and the descriptors its selectors may choose from.
//!
//! The status flags are kept as what they were made from: the last result and the vector of carries out of each of its
//! bits. An arithmetic instruction then only stores two words, and a flag is worked out when somebody asks for it.

/// Carry flag.
pub const CF: u32 = 1 << 0;
/// Parity flag: the low byte of the result has an even number of ones.
pub const PF: u32 = 1 << 2;
/// Auxiliary carry flag: the carry out of bit 3.
pub const AF: u32 = 1 << 4;
/// Zero flag.
pub const ZF: u32 = 1 << 6;
/// Sign flag.
pub const SF: u32 = 1 << 7;
/// Trap flag: a debug trap after the next instruction.
pub const TF: u32 = 1 << 8;
/// Interrupt enable flag.
pub const IF: u32 = 1 << 9;
/// Direction flag: string instructions go down.
pub const DF: u32 = 1 << 10;
/// Overflow flag.
pub const OF: u32 = 1 << 11;
/// The two bits of the I/O privilege level.
pub const IOPL: u32 = 3 << 12;
/// Nested task flag.
pub const NT: u32 = 1 << 14;
/// Resume flag.
pub const RF: u32 = 1 << 16;
/// Virtual 8086 mode flag.
pub const VM: u32 = 1 << 17;
/// Alignment check flag.
pub const AC: u32 = 1 << 18;
/// Identification flag: CPUID exists if it can be changed.
pub const ID: u32 = 1 << 21;
/// The six status flags.
pub const STATUS: u32 = CF | PF | AF | ZF | SF | OF;

/// CR0: protected mode.
pub const CR0_PE: u32 = 1 << 0;
/// CR0: WAIT heeds TS.
pub const CR0_MP: u32 = 1 << 1;
/// CR0: no coprocessor.
pub const CR0_EM: u32 = 1 << 2;
/// CR0: a task switch happened since the coprocessor was last used.
pub const CR0_TS: u32 = 1 << 3;
/// CR0: extension type, always set.
pub const CR0_ET: u32 = 1 << 4;
/// CR0: coprocessor errors are reported by exception.
pub const CR0_NE: u32 = 1 << 5;
/// CR0: read-only pages hold against privilege levels 0 to 2 too.
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
/// CR4: the bits a Pentium has (VME, PVI, TSD, DE, PSE, MCE).
pub const CR4_DEFINED: u32 = 0x5F;

/// EFLAGS, with the status flags worked out on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// The last result, sign-extended: ZF is "low half is zero", SF is bit 63, PF the parity of byte 0 xor byte 4.
    pub(crate) result: u64,
    /// Carries, the top bit of the operand moved to bit 31: CF is bit 31, OF bit 31 xor bit 30, AF bit 3.
    pub(crate) carries: u32,
    /// All flags but the six status flags, in their places; bit 1 set.
    pub(crate) rest: u32,
}

/// The bits of EFLAGS beside the status flags that a Pentium keeps.
const REST: u32 = TF | IF | DF | IOPL | NT | RF | VM | AC | ID | (1 << 19) | (1 << 20);

/// `value`, whose lowest `N` bits count, sign-extended.
#[inline(always)]
pub(crate) fn sign_extend<const N: u32>(value: u32) -> u32 {
    match N {
        8 => value as u8 as i8 as u32,
        16 => value as u16 as i16 as u32,
        _ => value,
    }
}

impl Flags {
    #[inline(always)]
    fn set<const N: u32>(&mut self, result: u32, carries: u32) {
        self.result = sign_extend::<N>(result) as i32 as i64 as u64;
        self.carries = if N == 32 {
            carries
        } else {
            (carries << (32 - N)) | (carries & 8)
        };
    }

    /// Flags of `a + b (+ carry) = result`.
    #[inline(always)]
    pub(crate) fn set_add<const N: u32>(&mut self, a: u32, b: u32, result: u32) {
        self.set::<N>(result, (a & b) | ((a | b) & !result));
    }

    /// Flags of `a - b (- borrow) = result`.
    #[inline(always)]
    pub(crate) fn set_subtract<const N: u32>(&mut self, a: u32, b: u32, result: u32) {
        self.set::<N>(result, (!a & b) | ((!a | b) & result));
    }

    /// Flags of a bitwise operation: CF, OF and AF clear.
    #[inline(always)]
    pub(crate) fn set_logic<const N: u32>(&mut self, result: u32) {
        self.set::<N>(result, 0);
    }

    /// Puts back the carry flag that was in `before`, leaving the overflow flag as it is: INC and DEC.
    #[inline(always)]
    pub(crate) fn keep_carry(&mut self, before: u32) {
        let differs = (self.carries ^ before) & 0x8000_0000;
        self.carries ^= differs | (differs >> 1);
    }

    /// Carry flag.
    #[inline(always)]
    pub fn carry(&self) -> bool {
        self.carries & 0x8000_0000 != 0
    }

    /// Overflow flag.
    #[inline(always)]
    pub fn overflow(&self) -> bool {
        (self.carries ^ (self.carries << 1)) & 0x8000_0000 != 0
    }

    /// Auxiliary carry flag.
    #[inline(always)]
    pub fn auxiliary(&self) -> bool {
        self.carries & 8 != 0
    }

    /// Zero flag.
    #[inline(always)]
    pub fn zero(&self) -> bool {
        self.result as u32 == 0
    }

    /// Sign flag.
    #[inline(always)]
    pub fn sign(&self) -> bool {
        (self.result as i64) < 0
    }

    /// Parity flag.
    #[inline(always)]
    pub fn parity(&self) -> bool {
        ((self.result ^ (self.result >> 32)) as u8).count_ones() & 1 == 0
    }

    /// Direction flag.
    #[inline(always)]
    pub fn direction(&self) -> bool {
        self.rest & DF != 0
    }

    /// Sets CF and OF and leaves the other four status flags.
    #[inline(always)]
    pub(crate) fn set_carry_overflow(&mut self, carry: bool, overflow: bool) {
        self.carries = (self.carries & 8) | (u32::from(carry) << 31) | (u32::from(carry ^ overflow) << 30);
    }

    /// Sets CF and leaves the other status flags.
    #[inline(always)]
    pub(crate) fn set_carry(&mut self, carry: bool) {
        self.set_carry_overflow(carry, self.overflow());
    }

    /// The six status flags in their EFLAGS places.
    pub fn status(&self) -> u32 {
        let mut bits = 0;
        for (set, bit) in [
            (self.carry(), CF),
            (self.parity(), PF),
            (self.auxiliary(), AF),
            (self.zero(), ZF),
            (self.sign(), SF),
            (self.overflow(), OF),
        ] {
            bits |= if set { bit } else { 0 };
        }
        bits
    }

    /// Sets the six status flags from their EFLAGS places.
    pub(crate) fn set_status(&mut self, bits: u32) {
        let low = u64::from(bits & ZF == 0);
        let parity = low ^ u64::from(bits & PF == 0);
        self.result = low | (parity << 32) | (u64::from(bits & SF != 0) << 63);
        self.carries = if bits & AF != 0 { 8 } else { 0 };
        self.set_carry_overflow(bits & CF != 0, bits & OF != 0);
    }

    /// Sets those status flags that are in `mask` from `bits`.
    pub(crate) fn set_status_masked(&mut self, mask: u32, bits: u32) {
        self.set_status((self.status() & !mask) | (bits & mask));
    }

    /// EFLAGS as one word.
    pub fn word(&self) -> u32 {
        self.status() | self.rest
    }

    /// Sets all of EFLAGS; bits a Pentium does not have read as 0, bit 1 as 1.
    pub fn set_word(&mut self, word: u32) {
        self.set_status(word);
        self.rest = (word & REST) | 2;
    }

    /// The condition with the number an opcode's low four bits give it (0 = O, 1 = NO, 2 = B ... 15 = NLE).
    #[inline(always)]
    pub(crate) fn condition(&self, number: u8) -> bool {
        let holds = match (number >> 1) & 7 {
            0 => self.overflow(),
            1 => self.carry(),
            2 => self.zero(),
            3 => self.carry() | self.zero(),
            4 => self.sign(),
            5 => self.parity(),
            6 => self.sign() ^ self.overflow(),
            _ => self.zero() | (self.sign() ^ self.overflow()),
        };
        holds ^ (number & 1 != 0)
    }
}

impl Default for Flags {
    fn default() -> Self {
        let mut flags = Flags {
            result: 0,
            carries: 0,
            rest: 2,
        };
        flags.set_word(2);
        flags
    }
}

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

/// One of the fixed flat segments a selector may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Whether it holds code (readable, not conforming) rather than writable data.
    pub code: bool,
    /// Descriptor privilege level, 0 or 3.
    pub level: u8,
}

/// The descriptor `selector` chooses: 08h code and 10h data of level 0, 18h code and 20h data of level 3, each 4 GiB from
/// address 0. Nothing else exists; there is no local table.
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

/// A segment register: a selector and what was loaded with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentRegister {
    selector: u16,
    /// Which accesses cannot skip the checks: [`CHECK_LOAD`] and [`CHECK_STORE`].
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

    /// A register that holds a null selector: its use is a general protection fault.
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

    /// The highest offset that may be used.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Whether a segment is loaded at all.
    pub fn usable(&self) -> bool {
        self.usable
    }

    /// Whether it may be written.
    pub fn writable(&self) -> bool {
        self.writable
    }
}

/// What LGDT and LIDT load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableRegister {
    /// Linear address of the table.
    pub base: u32,
    /// Offset of its last byte.
    pub limit: u16,
}

/// Every register of the processor that is not a model specific register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI.
    pub general: [u32; 8],
    /// The address of the instruction to be executed.
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
    /// Debug registers; 4 and 5 are other names for 6 and 7.
    pub dr: [u32; 8],
    /// Test registers as MOV TR sees them: 3 to 7 (0 to 2 stay 0). A Pentium has none and refuses the instruction.
    pub tr: [u32; 8],
    /// Global descriptor table register.
    pub gdtr: TableRegister,
    /// Interrupt descriptor table register.
    pub idtr: TableRegister,
    /// Local descriptor table selector.
    pub ldtr: u16,
    /// Task register selector.
    pub task: u16,
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
        }
    }

    /// EFLAGS as one word.
    pub fn eflags(&self) -> u32 {
        self.flags.word()
    }

    /// Sets all of EFLAGS, without any check of privilege.
    pub fn set_eflags(&mut self, word: u32) {
        self.flags.set_word(word);
    }

    /// The I/O privilege level, 0 to 3.
    pub fn iopl(&self) -> u8 {
        ((self.flags.rest & IOPL) >> 12) as u8
    }

    /// The general register with number `number` (its low three bits) of `N` bits, zero-extended; 8-bit numbers 4 to 7
    /// are AH, CH, DH and BH.
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
    fn every_combination_of_status_flags_survives() {
        let mut flags = Flags::default();
        for word in 0..0x1000u32 {
            flags.set_word(word);
            assert_eq!(flags.word(), (word & (STATUS | REST)) | 2, "{word:03x}");
        }
    }

    #[test]
    fn flags_of_a_subtraction() {
        let mut flags = Flags::default();
        flags.set_subtract::<8>(0x80, 1, 0x7F);
        assert_eq!(flags.status(), OF | AF);
        flags.set_subtract::<16>(0, 1, 0xFFFF_FFFF);
        assert_eq!(flags.status(), CF | PF | AF | SF);
    }

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
