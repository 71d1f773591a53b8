//! EFLAGS.
//!
//! The status flags are stored in lazy form: the last result and the vector of carries out of its bits. An arithmetic
//! instruction stores only these two words, and a flag is computed when it is read.

/// The carry flag: a carry out of or a borrow into the top bit.
pub const CF: u32 = 1 << 0;
/// The parity flag: the low byte of the result has an even number of ones.
pub const PF: u32 = 1 << 2;
/// The auxiliary carry flag: a carry out of bit 3.
pub const AF: u32 = 1 << 4;
/// The zero flag: the result is 0.
pub const ZF: u32 = 1 << 6;
/// The sign flag: the top bit of the result.
pub const SF: u32 = 1 << 7;
/// The trap flag: a debug trap follows the next instruction.
pub const TF: u32 = 1 << 8;
/// The interrupt enable flag: external interrupts are accepted.
pub const IF: u32 = 1 << 9;
/// The direction flag: string instructions go down.
pub const DF: u32 = 1 << 10;
/// The overflow flag: a signed result does not fit.
pub const OF: u32 = 1 << 11;
/// The two bits of the I/O privilege level.
pub const IOPL: u32 = 3 << 12;
/// The nested task flag: IRET returns to another task.
pub const NT: u32 = 1 << 14;
/// The resume flag: an instruction breakpoint at the next instruction is ignored.
pub const RF: u32 = 1 << 16;
/// The virtual 8086 mode flag.
pub const VM: u32 = 1 << 17;
/// The alignment check flag: misaligned accesses fault if CR0.AM is set too.
pub const AC: u32 = 1 << 18;
/// The identification flag: a processor on which it can be changed has CPUID.
pub const ID: u32 = 1 << 21;
/// The six status flags.
pub const STATUS: u32 = CF | PF | AF | ZF | SF | OF;
/// The flags that an ordinary program changes, with their names, from the lowest bit.
pub const NAMED: [(&str, u32); 7] = [
    ("CF", CF),
    ("PF", PF),
    ("AF", AF),
    ("ZF", ZF),
    ("SF", SF),
    ("DF", DF),
    ("OF", OF),
];

/// The flags that a repeated CMPS or SCAS leaves when the access of an iteration faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FaultedComparison {
    /// The flags from before the instruction.
    #[default]
    Restored,
    /// The flags of the last comparison that was completed.
    LastDone,
}

/// EFLAGS, with the status flags computed on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags {
    /// The last result, sign-extended: ZF is "low half is zero", SF is bit 63, and PF is the parity of byte 0 xor byte
    /// 4.
    pub(crate) result: u64,
    /// Carries, with the top bit of the operand moved to bit 31: CF is bit 31, OF bit 31 xor bit 30, AF bit 3.
    pub carries: u32,
    /// All flags except the six status flags, at their positions; bit 1 is set.
    pub rest: u32,
}

/// The bits of EFLAGS other than the status flags that a Pentium has.
const REST: u32 = TF | IF | DF | IOPL | NT | RF | VM | AC | ID | (1 << 19) | (1 << 20);

/// The lowest `N` bits of `value`, sign-extended.
#[inline(always)]
pub fn sign_extend<const N: u32>(value: u32) -> u32 {
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

    /// Sets the flags of `a + b (+ carry) = result`.
    #[inline(always)]
    pub fn set_add<const N: u32>(&mut self, a: u32, b: u32, result: u32) {
        self.set::<N>(result, (a & b) | ((a | b) & !result));
    }

    /// Sets the flags of `a - b (- borrow) = result`.
    #[inline(always)]
    pub fn set_subtract<const N: u32>(&mut self, a: u32, b: u32, result: u32) {
        self.set::<N>(result, (!a & b) | ((!a | b) & result));
    }

    /// Sets the flags of a bitwise operation: CF, OF and AF are clear.
    #[inline(always)]
    pub fn set_logic<const N: u32>(&mut self, result: u32) {
        self.set::<N>(result, 0);
    }

    /// Restores the carry flag of `before` and keeps the overflow flag, for INC and DEC.
    #[inline(always)]
    pub fn keep_carry(&mut self, before: u32) {
        let differs = (self.carries ^ before) & 0x8000_0000;
        self.carries ^= differs | (differs >> 1);
    }

    /// The carry flag, computed from the carries.
    #[inline(always)]
    pub fn carry(&self) -> bool {
        self.carries & 0x8000_0000 != 0
    }

    /// The overflow flag, computed from the carries.
    #[inline(always)]
    pub fn overflow(&self) -> bool {
        (self.carries ^ (self.carries << 1)) & 0x8000_0000 != 0
    }

    /// The auxiliary carry flag, computed from the carries.
    #[inline(always)]
    pub fn auxiliary(&self) -> bool {
        self.carries & 8 != 0
    }

    /// The zero flag, computed from the result.
    #[inline(always)]
    pub fn zero(&self) -> bool {
        self.result as u32 == 0
    }

    /// The sign flag, computed from the result.
    #[inline(always)]
    pub fn sign(&self) -> bool {
        (self.result as i64) < 0
    }

    /// The parity flag, computed from the result.
    #[inline(always)]
    pub fn parity(&self) -> bool {
        ((self.result ^ (self.result >> 32)) as u8).count_ones() & 1 == 0
    }

    /// The direction flag, bit 10.
    #[inline(always)]
    pub fn direction(&self) -> bool {
        self.rest & DF != 0
    }

    /// Sets CF and OF and keeps the other four status flags.
    #[inline(always)]
    pub fn set_carry_overflow(&mut self, carry: bool, overflow: bool) {
        self.carries = (self.carries & 8) | (u32::from(carry) << 31) | (u32::from(carry ^ overflow) << 30);
    }

    /// Sets CF and keeps the other status flags.
    #[inline(always)]
    pub fn set_carry(&mut self, carry: bool) {
        self.set_carry_overflow(carry, self.overflow());
    }

    /// The six status flags at their positions in EFLAGS.
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

    /// Sets the six status flags from their positions in EFLAGS.
    pub(crate) fn set_status(&mut self, bits: u32) {
        let low = u64::from(bits & ZF == 0);
        let parity = low ^ u64::from(bits & PF == 0);
        self.result = low | (parity << 32) | (u64::from(bits & SF != 0) << 63);
        self.carries = if bits & AF != 0 { 8 } else { 0 };
        self.set_carry_overflow(bits & CF != 0, bits & OF != 0);
    }

    /// Sets the status flags in `mask` from `bits`.
    pub fn set_status_masked(&mut self, mask: u32, bits: u32) {
        self.set_status((self.status() & !mask) | (bits & mask));
    }

    /// EFLAGS as one word, with bit 1 set.
    pub fn word(&self) -> u32 {
        self.status() | self.rest
    }

    /// Sets all of EFLAGS. Bits that a Pentium does not have read as 0, bit 1 as 1.
    pub fn set_word(&mut self, word: u32) {
        self.set_status(word);
        self.rest = (word & REST) | 2;
    }

    /// Whether a condition holds, by the number in the low four bits of an opcode (0 = O, 1 = NO, 2 = B ... 15 = NLE).
    #[inline(always)]
    pub fn condition(&self, number: u8) -> bool {
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
}
